#!/bin/sh
# learn-warnings.sh - whether the warnings of cscg-learn are right (fig-warnings)
#
#   learn-warnings.sh run SEED [PART]   learn in random worlds of all kinds of fig-learn,
#                                       200 in all; part 1 to 8 of them (all)
#   learn-warnings.sh table TSV...      one line per kind, and all together: worlds,
#                                       right maps, maps without a warning and those of
#                                       them that are right, maps with one and those of
#                                       them that are wrong
#   learn-warnings.sh rows TABLE        the rows of the report
#
# A row of a world: case, seed, whether the map is right, whether there is a warning.
# A map is right as in learn-clean.sh and learn-noise.sh; that of a text, if its nats
# per step on other steps are within 5 % of the least of the default and of EM with
# fixed numbers of clones (learn-stochastic.sh).
set -u
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
what=$1
shift

# Numbers of worlds, and the script and case of each kind, in eight parts.
kinds='1 10 clean border-7x8
1 10 clean random-12-7x8
1 8 clean random-4-10x10
2 10 noise slip-0.01
2 10 noise slip-0.02
3 10 noise slip-0.05
3 10 noise slip-0.1
4 10 noise misread-0.01
4 10 noise misread-0.05
5 10 noise misread-0.1
5 2 clean debruijn-3
5 2 clean debruijn-4
5 3 clean debruijn-5
5 3 clean debruijn-6
6 10 clean walls-8x9
6 12 clean maze-walls
6 12 clean maze-one
7 10 clean policy-runs:4
7 10 clean policy-bias:4
7 10 clean policy-wall
7 1 clean random-4-20x20
8 8 clean short-200
8 8 clean short-500
8 8 clean short-1000
8 1 text /usr/share/common-licenses/Apache-2.0
8 1 text /usr/share/common-licenses/Artistic
8 1 text /usr/share/common-licenses/BSD'

# The names of columns are in the first line.
choose() # COLUMN...
{
	awk -F '\t' -v OFS='\t' -v names="$*" '
	/^#/ { sub(/^#/, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		n = split(names, name, " ")
		for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? OFS : "\n"
		fflush()
	}'
}

case $what in
run)
	seed=$1 part=${2:-all}
	printf '#case\tseed\tright\twarning\n'
	echo "$kinds" | while read -r in n script case; do
		[ "$part" = all ] || [ "$part" = "$in" ] || continue
		seeds=$(awk -v s="$seed" -v n="$n" 'BEGIN { while (n--) print s++ }')
		case $script in
		clean | noise) right=right; set -- "learn-$script.sh" "$case" ;;
		*) right=near; set -- learn-stochastic.sh "$script" "$case" ;;
		esac
		script=$1
		shift
		# shellcheck disable=SC2086 # seeds are words
		EM=no sh "$here/$script" "$@" $seeds </dev/null | choose case seed $right warning
	done ;;
table)
	awk -F '\t' -v OFS='\t' '
	/^#/ { next }
	function count(k) {
		worlds[k]++
		right[k] += $3 == "yes"
		silent[k] += $4 == "no"
		silent_right[k] += $4 == "no" && $3 == "yes"
		warned[k] += $4 == "yes"
		warned_wrong[k] += $4 == "yes" && $3 == "no"
	}
	{
		if (!($1 in worlds)) key[++n] = $1
		count($1)
		count("all")
	}
	END {
		key[++n] = "all"
		print "#case", "worlds", "right", "silent", "silent_right", "warned", "warned_wrong"
		for (i = 1; i <= n; i++) {
			k = key[i]
			print k, worlds[k] + 0, right[k] + 0, silent[k] + 0, silent_right[k] + 0, warned[k] + 0, warned_wrong[k] + 0
		}
	}' "$@" ;;
rows)
	awk -F '\t' -v OFS='\t' '$1 == "all" {
		print "warnings", "of " $4 " maps without a warning (" $2 " worlds), right", "-", $5,
		    ">= 95 %", ($5 >= .95 * $4 ? "yes" : "no")
		print "warnings", "of " $6 " maps with a warning, wrong", "-", $7,
		    ">= 60 %", ($7 >= .6 * $6 ? "yes" : "no")
	}' "$1" ;;
*) echo "learn-warnings.sh: no '$what'" >&2; exit 2 ;;
esac
