#!/bin/sh
# Steps per second of an agent and an environment through pipes: 10^5 random
# steps, the best of three, against 20,000 per second; BUILD is the build
# directory.
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build}"
. "$top/tests/python.sh"
bench=$BUILD/tests/bench/env_bench
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-bench.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

row() { # NAME MUST COMMAND...
	name=$1 must=$2
	shift 2
	best=$(for i in 1 2 3; do "$bench" 100000 "$@" || exit 1; done |
	    cut -f3 | sort -n | tail -n 1)
	verdict=-
	if [ "$must" != - ]; then
		verdict=ok
		[ "${best:-0}" -ge "$must" ] || { verdict=SLOW bad=1; }
	fi
	printf '%s\t%s\t%s\t%s\n' "$name" "$must" "${best:-failed}" "$verdict"
}

"$BUILD/roomgen" rectangle -o "$dir/room.gz" || exit 1
printf '#world\tmust\tsteps_per_s\tverdict\n'
row 'walk' 20000 "$BUILD/roomserve" "$dir/room.gz"
row 'walk, logged' 20000 "$BUILD/roomserve" --log "$dir/log.gz" "$dir/room.gz"
row 'goals' 20000 "$BUILD/roomserve" --task goals "$dir/room.gz"
if python=$(find_python argparse json); then
	row 'gym_env.py, its own grid' - "$python" "$top/data/examples/gym_env.py" \
	    --episodes 1000000
fi
exit $bad
