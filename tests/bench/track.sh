#!/bin/sh
# track.sh - make bench-track: steps per second of the tracker
#
# Five schemas of 69 or 72 states on one thread: a walk in a room of each, and
# one in a room of another size, 20,000 steps each; then with slips, and ten times as
# many steps, which should take no more memory.  Steps per second are by CPU time,
# which excludes other jobs.  The target is 5,000 steps per second, the aim 20,000.

set -eu
: "${BUILD:?says where the tools are}"
PATH=$BUILD:$PATH
OMP_NUM_THREADS=1
export PATH OMP_NUM_THREADS
dir=$BUILD/bench/track
measure=$BUILD/tests/bench/measure
tries=${TRIES:-5}
mkdir -p "$dir"
cd "$dir"

schemas=
for k in rectangle hole ushape cylinder torus; do
	roomgen $k --as model -o $k.gz
	roomgen $k --permute -s 2101 | roomwalk -n 20000 -s 2101 -o $k.walk
	schemas="$schemas $k.gz"
done
roomgen torus --size large --permute -s 2101 | roomwalk -n 20000 -s 2101 -o large.walk
roomgen torus --slip 0.05 --permute -s 2101 | roomwalk -n 20000 -s 2101 -o slip.walk
roomgen torus --permute -s 2101 | roomwalk -n 200000 -s 2101 -o long.walk

# row NAME STEPS WALK OPTIONS
row()
{
	name=$1 steps=$2 walk=$3
	shift 3
	set -- $("$measure" "$tries" sh -c 'cscg-match "$@" >/dev/null || [ $? = 1 ]' \
	    sh --method track --every 1000 "$@" $schemas -w "$walk")
	echo "$name $steps $1 $2 $3" | awk -v OFS='\t' '{ printf "%s\t%d\t%.3f\t%.3f\t%.0f\t%.1f\n",
	    $1, $2, $3, $4, $2 / $4, $5 / 1048576 }'
}

printf '#walk\tsteps\twall s\tcpu s\tsteps/s\tMiB\n'
for k in rectangle hole ushape cylinder torus large; do
	row "$k" 20000 "$k.walk"
done
row slip 20000 slip.walk --slip 0.05
row every-1 20000 torus.walk --every 1
row long 200000 long.walk
