#!/bin/sh
# big.sh - ten million steps in less than 1 GiB
#
#	BUILD=build sh tests/bench/big.sh [STEPS]
#
# 20 symbols with 20 clones each, --low-memory, three iterations.  Prints the
# time and the peak of memory; status 1 if it is 1 GiB or more.

here=$(dirname "$0")
BUILD=${BUILD:-build}
. "$here/work.sh"

steps=${1:-10000000}
file=$dir/big-$steps.gz
[ -s "$file" ] || room w1 | "$BUILD/roomwalk" -n "$steps" -s 1 --blind -o "$file"
for how in "--low-memory" ""; do
	set -- $("$BUILD/tests/bench/measure" 1 "$BUILD/cscg-learn" -q \
	    --clones 20 --restarts 1 --tolerance 0 --structure none --iterations 3 $how \
	    -o /dev/null "$file")
	printf '%s steps, 3 iterations%s: %s s, peak %s MiB\n' "$steps" \
	    "${how:+, $how}" "$1" "$(awk "BEGIN { print int($3 / 1048576) }")"
	[ -z "$how" ] || [ "$3" -lt 1073741824 ] || rc=1
done
exit ${rc:-0}
