#!/bin/sh
# active.sh - identification of a schema by actions of high information gain
# (fig-active)
#
#   active.sh walk active|random SEED DIR LOG ROOMGEN-ARGS...
#       $WALKS (25) walks of $STEPS (100) actions in the room, with new symbols in
#       each, against all schemas in DIR: one row for each step with walk, t, the
#       most probable schema and its posterior.  The walks are written to LOG.
#   active.sh told TRUTH FILE    one line for each walk of such rows: the step from
#       which on the right schema has a posterior of .9 or more ("-": never),
#       whether it is the most probable one at step 25, 50 and the last, seed and
#       room, from the file name DIR-SEED/ROOM.tsv
#   active.sh paper SEED TRUTH DIR LOG N    the paper's criterion on the first N of
#       these walks (the paper has 25): cscg-match --as summary, every 5 steps
#   active.sh curve FILE...      from lines of told: t, and the fraction of walks in
#       which the right schema has .9 from step t on
#   active.sh rows ACTIVE RANDOM PAPER RANDOM-PAPER   rows of results, from the
#       lines of told of all seeds and rooms, and from the lines of match.sh found
#       of $FEW (25) walks each, of all seeds and of one
#   active.sh draw OUT ACTIVE RANDOM    the curves of chosen actions and random walks
. "$(dirname "$0")/common.sh"
what=$1
shift
steps=${STEPS:-100} walks=${WALKS:-25} few_walks=${FEW:-25}

# until_known FILE: steps until the right schema has .9 for the rest of the walk:
# sets $times to "median [least, most]" of the medians of the seeds, with the median
# and the number of all walks, and $most.  A walk in which it never has .9 counts as
# one step more than its length.
until_known()
{
	times=$(awk -F '\t' -v last="$steps" "$(stats)"'
	{ t = $1 == "-" ? last + 1 : $1; v[$5, ++n[$5]] = t; all[NR] = t }
	END {
		for (s in n) {
			for (i = 1; i <= n[s]; i++) one[i] = v[s, i]
			sort_values(one, n[s])
			m[++seeds] = quantile(one, n[s], .5)
		}
		text = spread(m, seeds, 1e9)
		sort_values(all, NR)
		print m[seeds] " " text " of the seeds, " quantile(all, NR, .5) " of " NR " walks"
	}' "$1")
	most=${times%% *} times=${times#* }
}

# right COLUMN FILE: mean of a column of the lines of told, as printed by share
right()
{
	awk -F '\t' -v OFS='\t' -v c="$1" '{ print $5, $6, $c }' "$2" | share
}

# by60 FILE: the number of seeds with all rooms identified for good by step 60, the
# fewest rooms of a seed, and the step of the latest room
by60()
{
	awk -F '\t' "$(stats)"'
	{ v = $4 ~ /^[0-9]+$/ ? $4 : 1e9; rooms[$1]++; in_time[$1] += v <= 60
	  if (!($1 in last) || v > last[$1]) last[$1] = v }
	END {
		for (s in rooms) { at[++n] = last[s]; all += in_time[s] == rooms[s]
			if (fewest == "" || in_time[s] < fewest) { fewest = in_time[s]; total = rooms[s] } }
		print (n > 1 ? all + 0 "/" n " seeds, fewest rooms " : "") fewest "/" total \
		    ", latest " (n > 1 ? spread(at, n, 1e9) : at[1] < 1e9 ? at[1] : "never")
	}' "$1"
}

case $what in
walk)
	how=$1 seed=$2 schemas=$3 log=$4
	shift 4
	[ "$how" = active ] && how= || how="--explore $how"
	scratch
	roomgen "$@" -o "$dir/room"
	# A posterior below the threshold is a valid answer.
	# shellcheck disable=SC2086 # options
	cscg-plan -q --goal match $how "$schemas"/*.gz --verify 0 \
	    --max-steps "$steps" --episodes 0 --new-world -s "$seed" -- roomserve \
	    --episodes "$walks" --permute-episodes -s "$seed" --log "$dir/log" \
	    "$dir/room" >"$dir/rows" || [ $? = 1 ]
	awk -F '\t' 'NR == 1 { sub(/^#/, ""); for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ print $c["episode"] "\t" $c["t"] "\t" $c["model"] "\t" $c["posterior"] }' "$dir/rows"
	# The log is moved into place when it has all episodes.
	into "$log" cat "$dir/log" ;;
told)
	awk -F '\t' -v truth="$1" '
	function say() {
		if (n) print (bad == n - 1 ? "-" : bad + 1) "\t" at25 "\t" at50 "\t" right "\t" seed "\t" room
	}
	FNR == 1 { room = seed = FILENAME; gsub(/.*\/|\.tsv$/, "", room)
	  sub(/\/[^\/]*$/, "", seed); if (!sub(/.*-/, "", seed)) seed = "-" }
	$1 != walk || NR == 1 { say(); walk = $1; n = 0; bad = -1 }
	{ n++; right = ($3 == truth)
	  if (!right || $4 < .9) bad = $2
	  if ($2 <= 25) at25 = right
	  if ($2 <= 50) at50 = right }
	END { say() }' "$2" ;;
paper)
	# No winner at the last step is a valid answer.
	walkconv --select "0-$(($5 - 1))" "$4" |
	    cscg-match --tie clones --warm-start --every 5 --as summary --truth "$2" -s "$1" \
	    "$3"/*.gz || [ $? = 1 ] ;;
curve)
	awk -F '\t' -v last="$steps" '$1 != "-" { n[$1]++ }
	END { for (t = 0; t <= last; t++) { sum += n[t]; print t, sum / NR } }' "$@" ;;
rows)
	is() { awk "BEGIN { print ($1 ? \"yes\" : \"no\") }"; }
	until_known "$1"
	row active 'steps until .9 for good: median' '-' "$times" 'most <= 15' "$(is "$most <= 15")"
	share=$(right 2 "$1")
	row active 'the right schema is the likeliest at 25 steps' '-' "$share" 'low end >= .93' "$(low_end "$share" .93)"
	share=$(right 4 "$1")
	row active 'the same at the end' '-' "$share" '-' '-'
	until_known "$2"
	share=$(right 2 "$2")
	row active 'random walks: steps until .9 for good; right schema at 25' '-' "$times; $share" '-' '-'
	v=$(by60 "$3")
	row active "NLL and t-test, $few_walks walks each: seeds with all rooms for good by step 60" '-' "$v" '>= 9/10' \
	    "$(echo "$v" | awk -F '[/ ,]' '{ print ($1 >= .9 * $2 ? "yes" : "no") }')"
	row active "the same with $few_walks random walks each" '15/15 by step 95' "$(by60 "$4")" '-' '-' ;;
draw)
	scratch
	sh "$0" curve "$2" >"$dir/active"
	sh "$0" curve "$3" >"$dir/random"
	plot "$1" 560 380 <<-END
	set xlabel 'steps'; set ylabel 'walks with a posterior >= .9 from here on'
	set yrange [0:1]; set key bottom right; set grid lc rgb '#e0e0e0'
	plot '$dir/active' with lines lt 1 lw 2 title 'actions by information gain', \\
	  '$dir/random' with lines lt 7 lw 2 title 'random walk'
	END
	;;
*) echo "active.sh: no '$what'" >&2; exit 2 ;;
esac
