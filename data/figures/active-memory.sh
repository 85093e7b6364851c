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

# compare NAME WITH WITHOUT FACTOR WANTED: two rows, from lines of visit followed by
# their seed; the same lines of both files are the same visits.  yes if the steps with
# memories are below FACTOR times those without, by the 95 % interval of the mean
# difference.  A visit without a correct plan counts as one step more than its length.
compare()
{
	paste "$2" "$3" | awk -F '\t' -v OFS='\t' -v name="$1" -v factor="$4" -v wanted="$5" \
	    -v last="${STEPS:-150}" "$(stats)"'
	function step(s) { return s == "-" ? last + 1 : s }
	# "median, mean [interval]"; sorts v
	function show(v,   m) {
		m = bootstrap(v, seed, NR)
		sort_values(v, NR)
		return sprintf("%g, mean %.1f [%.1f, %.1f]", quantile(v, NR, .5), m, boot_low, boot_high)
	}
	{ n = NF / 2; seed[NR] = n > 3 ? $4 : "-"
	  a[NR] = step($1); b[NR] = step($(n + 1)); d[NR] = a[NR] - factor * b[NR]
	  wrong += $2; other += $(n + 2); old += $3 ~ /^old-/ }
	END {
		bootstrap(d, seed, NR)
		met = boot_high < 0
		print "memory", name ", memories and schemas: first correct plan, median step", "-",
		    sprintf("%s of %d visits, %d wrong plans, %d by a memory", show(a), NR, wrong, old), wanted,
		    (met ? "yes" : "no")
		print "memory", name ", schemas alone", "-", sprintf("%s, %d wrong plans", show(b), other), "-", "-"
	}'
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
	compare 'known rooms' "$1/old-with.tsv" "$1/old-without.tsv" 1 'sooner than without'
	compare 'new rooms' "$1/new-with.tsv" "$1/new-without.tsv" 1.1 'at most a tenth later than without' ;;
*) echo "active-memory.sh: no '$what'" >&2; exit 2 ;;
esac
