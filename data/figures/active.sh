#!/bin/sh
# active.sh - which schema is it, if one may choose where to go? (fig-active)
#
#   active.sh walk active|random SEED DIR LOG ROOMGEN-ARGS...
#       $WALKS (50) walks of $STEPS (100) actions in the room, with new looks in
#       each, against all schemas in DIR: a row for each step with walk, t, the
#       likeliest schema and its posterior.  The walks themselves go to LOG.
#   active.sh told TRUTH FILE    of those rows a line for each walk: the step from
#       which on the right schema has .9 or more ("-": never), and whether it is
#       the likeliest at 25, at 50 and at the end
#   active.sh paper SEED TRUTH DIR LOG N    the paper's criterion on the first N of
#       these walks (the paper has 25): cscg-match --as summary, every 5 steps
#   active.sh curve FILE...      of lines of told: t, and the share of walks that
#       know by then, for good
#   active.sh rows ACTIVE RANDOM PAPER PAPER-25 RANDOM-25   beside the paper: lines
#       of told of all rooms, and of match.sh found: all walks, $FEW (25) of them,
#       as many random ones
#   active.sh draw OUT ACTIVE RANDOM    two curves
. "$(dirname "$0")/common.sh"
what=$1
shift
steps=${STEPS:-100} walks=${WALKS:-50} few_walks=${FEW:-25}

# stat FILE: median, mean, share right at 25, share at the end, walks; a walk
# that never knows counts as one step more than it had
stat()
{
	awk -F '\t' -v last="$steps" '
	{ v[NR] = $1 == "-" ? last + 1 : $1; a += $2; e += $4 }
	END {
		for (i = 1; i <= NR; i++) sum += v[i]
		for (i = 2; i <= NR; i++)
			for (j = i; j > 1 && v[j] < v[j - 1]; j--) {
				x = v[j]; v[j] = v[j - 1]; v[j - 1] = x }
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%g %.1f %.3f %.3f %d\n", m, sum / NR, a / NR, e / NR, NR
	}' "$1"
}

# by60 FILE: how many rooms are found for good by step 60, and the last one
by60()
{
	awk -F '\t' '$4 !~ /^[0-9]+$/ { never = never " " $2; next }
	$4 <= 60 { n++ }
	$4 > most { most = $4 }
	END { print n + 0 "/" NR (never != "" ? ", never:" never : ", last at " most) }' "$1"
}

case $what in
walk)
	how=$1 seed=$2 schemas=$3 log=$4
	shift 4
	[ "$how" = active ] && how= || how="--explore $how"
	scratch
	roomgen "$@" -o "$dir/room"
	# That one did not become sure is an answer, too.
	# shellcheck disable=SC2086 # options
	cscg-plan -q --goal match $how "$schemas"/*.gz --verify 0 \
	    --max-steps "$steps" --episodes 0 --new-world -s "$seed" -- roomserve \
	    --episodes "$walks" --permute-episodes -s "$seed" --log "$log" \
	    "$dir/room" >"$dir/rows" || [ $? = 1 ]
	awk -F '\t' 'NR == 1 { sub(/^#/, ""); for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ print $c["episode"] "\t" $c["t"] "\t" $c["model"] "\t" $c["posterior"] }' "$dir/rows" ;;
told)
	awk -F '\t' -v truth="$1" '
	function say() {
		if (n) print (bad == n - 1 ? "-" : bad + 1) "\t" at25 "\t" at50 "\t" right
	}
	$1 != walk || NR == 1 { say(); walk = $1; n = 0; bad = -1 }
	{ n++; right = ($3 == truth)
	  if (!right || $4 < .9) bad = $2
	  if ($2 <= 25) at25 = right
	  if ($2 <= 50) at50 = right }
	END { say() }' "$2" ;;
paper)
	# No winner at the last step is an answer, too.
	walkconv --select "0-$(($5 - 1))" "$4" |
	    cscg-match --tie clones --warm-start --every 5 --as summary --truth "$2" -s "$1" \
	    "$3"/*.gz || [ $? = 1 ] ;;
curve)
	awk -F '\t' -v last="$steps" '$1 != "-" { n[$1]++ }
	END { for (t = 0; t <= last; t++) { sum += n[t]; print t, sum / NR } }' "$@" ;;
rows)
	paper=$3 few=$4 other=$5
	# shellcheck disable=SC2046 # five words each
	set -- $(stat "$1") $(stat "$2")
	row active 'steps until .9 for good: median (mean)' '-' "$1 ($2) of $5 walks" '<= 15' \
	    "$(awk "BEGIN { print ($1 <= 15 ? \"yes\" : \"no\") }")"
	row active 'the right schema is the likeliest at 25 steps' '-' "$3 (end: $4)" '>= .93' \
	    "$(awk "BEGIN { print ($3 >= .93 ? \"yes\" : \"no\") }")"
	row active 'the same by a random walk: steps; at 25' '-' "$6 ($7); $8 (end: $9)" '-' '-'
	v=$(by60 "$few")
	row active "NLL and t-test, $few_walks walks each: rooms for good by step 60" '-' "$v" 'all' \
	    "$(echo "$v" | awk -F '[/,]' '{ print ($1 == $2 ? "yes" : "no") }')"
	row active "the same with $walks walks each" '-' "$(by60 "$paper")" '-' '-'
	row active "the same with $few_walks random walks each" '15/15 by step 95' "$(by60 "$other")" '-' '-' ;;
draw)
	scratch
	sh "$0" curve "$2" >"$dir/active"
	sh "$0" curve "$3" >"$dir/random"
	plot "$1" 560 380 <<-END
	set xlabel 'steps'; set ylabel 'share of walks that know the schema for good'
	set yrange [0:1]; set key bottom right; set grid lc rgb '#e0e0e0'
	plot '$dir/active' with lines lt 1 lw 2 title 'actions that tell schemas apart', \\
	  '$dir/random' with lines lt 7 lw 2 title 'random walk'
	END
	;;
*) echo "active.sh: no '$what'" >&2; exit 2 ;;
esac
