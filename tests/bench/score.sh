#!/bin/sh
# score.sh - make bench-score: likelihood and Viterbi path under a given model
#
# w1 as cscg-learn leaves it after 50 iterations (work.sh; "raw": most counts are
# small), and an exact map of its room.  The reference of w1 is numba_cscg.py,
# without files, on one thread like all times here; that of the
# exact map is the time of scoring the same walk.  "pass" is measured inside one
# process, T from counts included; "process" is cscg-score as a user starts it,
# with the model read and the result written.  All times are CPU seconds, the best
# of several.
# Rows: work, what, seconds, reference, ratio, peak_MB.  V1=DIR names a build of
# 1.0.0 whose cscg-score is then the reference of the exact map.

here=$(dirname "$0")
. "$here/work.sh"
. "$here/../python.sh"

tries=5
many=40 # of a few milliseconds each
steps=1000000
if [ "$quick" ]; then
	tries=3
	many=15
	steps=300000
fi

walk w1
[ -s "$dir/w1.raw.gz" ] || "$BUILD/cscg-learn" -q --clones "$clones_w1" --restarts 1 \
    --tolerance 0 --structure none --iterations 50 -o "$dir/w1.raw.gz" "$dir/w1.gz"
# Learned by 1.0.0 if there is one, which reads no file of a later version.
map=$dir/w1.map${V1:+1}.gz
[ -s "$map" ] || "${V1:-$BUILD}/cscg-learn" -q -o "$map" "$dir/w1.gz"
long=$dir/w1-$steps.gz
[ -s "$long" ] || room w1 | "$BUILD/roomwalk" -n $steps -s 2 --blind -o "$long"

# row WORK WHAT SECONDS REFERENCE PEAK
row()
{
	awk -v OFS='\t' -v work="$1" -v what="$2" -v s="$3" -v ref="$4" -v peak="$5" \
	    'BEGIN {
		print work, what, s, ref, ref == "-" ? "-" : sprintf("%.2f", ref / s), \
		    peak == "-" ? "-" : sprintf("%.1f", peak / 1e6)
	}'
}

# process TRIES OPTION...: as use, of a run of cscg-score.
process()
{
	n=$1
	shift
	use "$n" "$BUILD/cscg-score" "$@"
}

printf 'work\twhat\tseconds\treference\tratio\tpeak_MB\n'
python=$(find_python numba scipy) || echo "no numba here (make deps-bench): left out" >&2
for what in score viterbi; do
	ref=- option=
	[ $what = score ] || option=--decode
	if [ -n "$python" ]; then
		"$python" "$here/numba_cscg.py" $what "$dir/w1.raw.gz" "$dir/w1.gz" $many \
		    >"$tmp/numba"
		read -r ref _ <"$tmp/numba"
	fi
	"$bin/score_bench" "$dir/w1.raw.gz" "$dir/w1.gz" auto $many >"$tmp/pass"
	row w1.raw "$what, pass" "$(awk -v n=$what '$1 == n { print $2 }' "$tmp/pass")" \
	    "$ref" -
	process $many $option "$dir/w1.raw.gz" -w "$dir/w1.gz"
	row w1.raw "$what, process" "$cpu" "$ref" "$peak"
done
process $tries "$map" -w "$long"
row w1.map "score, process, $steps steps" "$cpu" - "$peak"
ref=$cpu
if [ -n "${V1:-}" ]; then
	use $tries "$V1/cscg-score" "$map" -w "$long"
	ref=$cpu
fi
process $tries --decode "$map" -w "$long"
row w1.map "decode, process, $steps steps" "$cpu" "$ref" "$peak"
