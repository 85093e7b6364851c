#!/bin/sh
# Steps per second of an agent and an environment through pipes: 10^5 random
# steps, the best of three, against 20,000 per second; BUILD is the build
# directory.  Then the milliseconds of CPU time that an agent takes for a step, in the
# mean, with five schemas of 72 states and goals for 400 steps in the room of one.
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

# CPU time of the agent: that of both processes without that of the environment, which
# the shell around it reports.
thinking() # SEED: milliseconds per step
{
	keys='rows=8 cols=9 symbols=20 steps=400 goals=1'
	set -- "$1" "$python" "$top/data/figures/live-world.py"
	for k in 0 1 2 3 4; do
		# shellcheck disable=SC2086 # keys are several words
		"$2" "$3" schema room $(($1 + k)) $keys >"$dir/$k" || return
	done
	printf '%s serve room %s %s\ntimes >%s\n' "$2 $3" "$1" "$keys" "$dir/times" >"$dir/world"
	"$BUILD/tests/bench/measure" 1 "$BUILD/cscg-plan" -q --goal env -s "$1" \
	    "$dir/0" "$dir/1" "$dir/2" "$dir/3" "$dir/4" -- sh "$dir/world" >"$dir/use" || return
	tr 'ms' '  ' <"$dir/times" | awk 'NR == FNR { all = $2; next }
	FNR == 2 { print (all - 60 * ($1 + $3) - $2 - $4) / 400 * 1e3 }' "$dir/use" -
}
if python=$(find_python json random); then
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		thinking $((1000 * seed))
	done | sort -n | awk '{ v[NR] = $1 }
	END { m = (v[5] + v[6]) / 2
	      printf "agent, five schemas of 72 states, ms a step [range]\tat most 20\t%.2f [%.2f, %.2f]\t%s\n",
		m, v[1], v[NR], NR == 10 && m <= 20 ? "ok" : "SLOW"
	      exit !(NR == 10 && m <= 20) }' || bad=1
fi
exit $bad
