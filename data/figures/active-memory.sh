#!/bin/sh
# active-memory.sh - grounded models (memories) and schemas: steps until a path to
# the goal is known (fig-memory)
#
#   active-memory.sh keep SEED SCHEMAS ROOM    a grounded model: the most probable
#       schema, bound to this room by an agent in $KEEP (300) steps
#   active-memory.sh visit SEED ROOM new|old MODEL...
#       $VISITS (25) visits of $STEPS (150) steps with these models: a goal is
#       given at the first step, another when it is reached.  In a new room the
#       symbols are permuted at each visit.  One line for each visit: the step of
#       the first plan that led to its goal as planned ("-": none), the number of
#       plans before it, the model of that plan
#   active-memory.sh rows DIR    rows of results from DIR/{old,new}-with.tsv and
#       {old,new}-without.tsv, the output of visit; memories are named old-...
. "$(dirname "$0")/common.sh"
what=$1
shift

# stat FILE: median and mean of the first column; a visit without such a plan counts
# as one step more than its length
stat()
{
	awk -F '\t' -v last="${STEPS:-150}" '{ v[NR] = $1 == "-" ? last + 1 : $1; sum += v[NR]
	  wrong += $2; old += ($3 ~ /^old-/) }
	END {
		for (i = 2; i <= NR; i++)
			for (j = i; j > 1 && v[j] < v[j - 1]; j--) {
				x = v[j]; v[j] = v[j - 1]; v[j - 1] = x }
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%g %.1f %d %d %d\n", m, sum / NR, wrong, old, NR
	}' "$1"
}

case $what in
keep)
	scratch
	cscg-plan --goal match "$2"/*.gz --verify 0 --max-steps "${KEEP:-300}" -s "$1" \
	    --save "$dir/memory" -- roomserve -s "$1" "$3" >"$dir/rows"
	cat "$dir/memory" ;;
visit)
	seed=$1 room=$2 how=$3
	shift 3
	scratch
	[ "$how" = new ] && how=--permute-episodes || how=
	# shellcheck disable=SC2086 # an option or none
	cscg-plan "$@" --goal env --episodes 0 --new-world --max-steps "${STEPS:-150}" \
	    -s "$seed" -- roomserve --task goals --episodes "${VISITS:-25}" $how \
	    -s "$seed" "$room" >"$dir/rows"
	awk -F '\t' '
	function say() { if (seen) print (found == "" ? "-" : found) "\t" before "\t" model }
	function look() { # at the goal: by the plan, in as many steps as planned?
		if (found == "" && plan && $goal == $x && $t - begun == planned) {
			found = begun; before = plan - 1; model = by }
	}
	NR == 1 { sub(/^#/, ""); for (i = 1; i <= NF; i++) c[$i] = i
		goal = c["goal"]; x = c["x"]; t = c["t"]; p = c["plan"]
		left = c["left"]; m = c["model"]; next }
	$1 != episode || !seen { say(); seen = 1; episode = $1; plan = 0; found = ""
		before = 0; model = "-" }
	{ if ($p == 0) look()
	  if ($p != plan) { begun = $t; planned = $left + 1; by = $m }
	  plan = $p
	  if (found == "") before = (plan > before ? plan : before) }
	END { say() }' "$dir/rows" ;;
rows)
	for f in old-with old-without new-with new-without; do
		[ -s "$1/$f.tsv" ] || { echo "active-memory.sh: no visits in $1/$f.tsv" >&2; exit 1; }
	done
	# shellcheck disable=SC2046 # five words each
	set -- $(stat "$1/old-with.tsv") $(stat "$1/old-without.tsv") $(stat "$1/new-with.tsv") $(stat "$1/new-without.tsv")
	row memory 'known rooms, memories and schemas: first correct plan, median (mean) step' '-' \
	    "$1 ($2) of $5 visits, $3 wrong plans" "< $6" "$(awk "BEGIN { print ($1 < $6 && $2 < $7 ? \"yes\" : \"no\") }")"
	row memory 'the same, schemas alone' '-' "$6 ($7), $8 wrong plans" '-' '-'
	shift 10
	row memory 'new rooms, memories and schemas' '-' "$1 ($2) of $5 visits, $3 wrong plans, $4 by a memory" \
	    'a tenth more than without at most' "$(awk "BEGIN { print ($2 <= 1.1 * $7 ? \"yes\" : \"no\") }")"
	row memory 'the same, schemas alone' '-' "$6 ($7), $8 wrong plans" '-' '-' ;;
*) echo "active-memory.sh: no '$what'" >&2; exit 2 ;;
esac
