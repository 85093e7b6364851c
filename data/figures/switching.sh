#!/bin/sh
# switching.sh - the schema of each location of a composed room, by a switching model
# (fig-switching)
#
#   switching.sh run A B TRIAL DIR OUT
#       A walk of 20,000 steps in the room of the overlapping digits A and B, with
#       these two or all ten schemas DIR/digit-*.gz as candidates, bound to the whole
#       walk, to its first 5,000 and 2,000 steps, and online.  A location is assigned
#       to the digit with the highest mean posterior of its steps; locations of both
#       digits are not scored.  Prints lines: pair, trial, how, candidates, steps,
#       fraction of locations right, locations, fraction of steps right.  OUT.two and
#       OUT.ten get a line for each location: x y probability (of the first digit, or
#       the right one) part.
#   switching.sh rows WINDOWS TSV...
#       rows of results: how, candidates, steps, mean, 95 % interval over pairs and
#       the worst pair; WINDOWS are the rows of fig-compose
#   switching.sh table TSV...       these results for each pair
# $FIRST_SEED (12001) may be set, and $STEPS, the lengths, the longest first.
. "$(dirname "$0")/common.sh"
what=$1
shift

# right HOW CANDIDATES STEPS PLACES: the line for rows of cscg-match --as one-row;
# a line for each location goes to PLACES
right()
{
	awk -F '\t' -v how="$1" -v n="$2" -v steps="$3" -v places="$4" \
	    -v one="digit-$a" -v two="digit-$b" -v pair="$a,$b" -v trial="$trial" '
	FNR == NR { if (/^#/) next; x[$1] = $5; y[$1] = -$4; part[$1] = $6; next }
	/^#/ { for (i = 6; i <= NF; i++) { name[i] = $i; sub(/^posterior\./, "", name[i])
		if (name[i] == one) at[0] = i; if (name[i] == two) at[1] = i }
		last = NF; next }
	$2 > steps { next }
	{ of[$3]++; for (i = 6; i <= last; i++) sum[$3, i] += $i
		if (part[$3] >= 0) { all++; good += $5 == name[at[part[$3]]] } }
	END {
		for (v in of) {
			best = 6
			for (i = 7; i <= last; i++) if (sum[v, i] > sum[v, best]) best = i
			if (part[v] >= 0) { total++; ok += best == at[part[v]] }
			k = n == 2 || part[v] < 0 ? at[0] : at[part[v]]
			if (places) printf "%s\t%s\t%.4f\t%s\n", x[v], y[v], sum[v, k] / of[v], part[v] >places
		}
		printf "%s\t%s\t%s\t%d\t%d\t%.2f\t%d\t%.2f\n", pair, trial, how, n,
		    steps, 100 * ok / total, total, 100 * good / all
	}' "$dir/nodes" -
}

# match METHOD STEPS OPTION-OR-SCHEMA...: match the first steps of the walk.  Status 1:
# no schema stands out anywhere.
match()
{
	method=$1 head=$2
	shift 2
	walkconv --head "$head" "$dir/walk" |
	    { cscg-match --method "$method" --as one-row -s "$seed" "$@" || [ $? = 1 ]; }
}

# means: for each how, candidates and steps: mean over trials of each pair, then
# over pairs, with interval and worst
means='
{ k = $3 SUBSEP $4 SUBSEP $5; if (!(k in seen)) { seen[k] = 1; key[++keys] = k }
	if (!(($1) in known)) { known[$1] = 1; pair[++pairs] = $1 }
	n[k, $1]++; sum[k, $1] += $6; step[k] += $8
	lines[k]++; right[k, lines[k]] = $6; of[k, lines[k]] = $1 }
# Mean, with an interval by a bootstrap over the pairs and the walks of each
function mean(k,   i, j, v, g) {
	worst = 101
	for (j = 1; j <= pairs; j++) {
		v = sum[k, pair[j]] / n[k, pair[j]]
		if (v < worst) { worst = v; who = pair[j] }
	}
	split("", value); split("", g)
	for (i = 1; i <= lines[k]; i++) { value[i] = right[k, i]; g[i] = of[k, i] }
	return bootstrap(value, g, lines[k])
}'

case $what in
run)
	a=$1 b=$2 trial=$3 schemas=$4 out=$5
	seed=$((${FIRST_SEED:-12001} + trial * 100 + a * 10 + b))
	lengths=${STEPS:-20000 5000 2000}
	most=${lengths%% *}
	scratch
	roomgen digit "$a" -o "$dir/a"
	roomgen digit "$b" -o "$dir/b"
	roomgen compose "$dir/a" "$dir/b" --permute -s "$seed" -o "$dir/room"
	roomwalk -n "$most" -s "$seed" "$dir/room" -o "$dir/walk"
	cscg-show --as nodes "$dir/room" >"$dir/nodes"
	for n in 2 10; do
		case $n in
		2) set -- "$schemas/digit-$a.gz" "$schemas/digit-$b.gz" ;;
		10) set -- "$schemas"/digit-?.gz ;;
		esac
		for steps in $lengths; do
			places=
			[ "$steps" = "$most" ] && places=$dir/places
			match switching "$steps" "$@" | right batch $n "$steps" "$places"
		done
		into "$out.$n" cat "$dir/places"
		match switching-online "$most" "$@" >"$dir/online"
		for steps in $lengths; do
			right online $n "$steps" '' <"$dir/online"
		done
	done
	match switching "$most" --min-visited .5 "$@" | right cover 10 "$most" '' ;;
table)
	cat "$@" | awk -F '\t' "$(stats)$means"'
	END {
		OFS = "\t"
		printf "#how\tcandidates\tsteps"
		for (j = 1; j <= pairs; j++) printf "\t%s", pair[j]
		print "\tmean\tlo\thi\tsteps right"
		for (i = 1; i <= keys; i++) {
			k = key[i]; split(k, part, SUBSEP); m = mean(k)
			printf "%s\t%s\t%s", part[1], part[2], part[3]
			for (j = 1; j <= pairs; j++) printf "\t%.2f", sum[k, pair[j]] / n[k, pair[j]]
			printf "\t%.2f\t%.2f\t%.2f\t%.2f\n", m, boot_low, boot_high, step[k] / lines[k]
		}
	}' ;;
rows)
	windows=$(awk -F '\t' '$2 ~ /windows by their end/ { print $4 }' "$1")
	centre=$(awk -F '\t' '$2 ~ /windows by their centre/ { print $4 }' "$1")
	shift
	cat "$@" | awk -F '\t' -v windows="$windows" -v centre="$centre" "$(stats)$means"'
	function row(how, c, steps, wanted,   k, m, name) {
		k = how SUBSEP c SUBSEP steps
		if (!(k in seen)) return
		m = mean(k)
		name = how == "batch" ? "bound as a whole" : how == "online" ? \
		    "online" : "and schemas hardly seen left out"
		print "switching", "locations right, %, " c " candidates, " steps " steps, " name,
		    c == 2 && steps == 20000 ? "88.4+-.9 (windows; ours " windows ", centre " centre ")" : "-",
		    sprintf("%.2f [%.2f, %.2f], worst pair %s %.1f, steps right %.1f", m, boot_low, boot_high,
		    who, worst, step[k] / lines[k]),
		    wanted ? "low end >= " wanted : "-", wanted ? (boot_low >= wanted ? "yes" : "no") : "-"
	}
	END {
		OFS = "\t"
		row("batch", 2, 20000, 99); row("batch", 2, 5000); row("batch", 2, 2000)
		row("online", 2, 20000); row("online", 2, 5000); row("online", 2, 2000)
		row("batch", 10, 20000, 96); row("batch", 10, 5000); row("batch", 10, 2000)
		row("cover", 10, 20000)
		row("online", 10, 20000); row("online", 10, 5000); row("online", 10, 2000)
	}' ;;
*) echo "switching.sh: no '$what'" >&2; exit 2 ;;
esac
