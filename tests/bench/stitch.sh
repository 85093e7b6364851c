#!/bin/sh
# stitch.sh - make bench-stitch: time to stitch a large world
#
# A prior of about 1,200 states, 80 symbols and a cover walk of 30,000 steps
# on two threads.  In 3D: the four-room world observed as images, and eight schemas
# of which four are used.  In 2D: five rooms in a row, and 17 schemas, with frontiers
# at doors or at all walls.  Targets: 60 s and 1024 MiB.  Also printed: missing and
# spurious edges of the graph, and unexplained steps.

set -eu
: "${BUILD:?says where the tools are}"
top=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$BUILD:$PATH
OMP_NUM_THREADS=2
export PATH OMP_NUM_THREADS
dir=$BUILD/bench/stitch
measure=$BUILD/tests/bench/measure
tries=${TRIES:-1}
mkdir -p "$dir"
cd "$dir"

# row NAME ROOM WALK LABELS ARGUMENTS
row()
{
	name=$1 room=$2 walk=$3 labels=$4
	shift 4
	set -- $("$measure" "$tries" cscg-stitch -q "$@" -w "$walk" --report report -o m.gz)
	{
		echo "$1 $2 $3"
		cat report
		cscg-show --labels "$labels" --truth "$room" -w "$walk" m.gz || [ $? = 1 ]
	} | awk -v OFS='\t' -v name="$name" '
	NR == 1 { wall = $1; cpu = $2; mib = $3 / 1048576; next }
	!($1 in v) { v[$1] = $2 }
	/^$/ { gap++ }
	gap && $1 == "states" { next }
	END { print name, v["states"], v["steps"], sprintf("%.1f\t%.1f\t%.0f", wall, cpu, mib),
	    v["missing"], v["spurious"], v["jumps"] + v["unlikely"] }'
}

three_d()
{
	sh "$top/data/figures/stitch3d.sh" world .
	STEPS=30000 TEST=10 sh "$top/data/figures/stitch3d.sh" walks . 2201
	row '3D, doors' place.room walk-2201.gz ignore \
	    'exact/room1.gz*2' 'exact/room2.gz*2' exact/room[3456].gz
}

two_d()
{
	for k in rectangle hole ushape cylinder; do
		case $k in
		rectangle) doors='4,8,right 4,0,left 0,4,up 7,4,down' ;;
		hole) doors='4,8,right 4,0,left 0,4,up 8,4,down' ;;
		ushape) doors='4,8,right 4,0,left 0,1,up 9,4,down' ;;
		cylinder) doors='4,8,right 4,0,left' ;;
		esac
		# shellcheck disable=SC2086
		roomgen $k $(printf ' --door %s' $doors) --name $k -o $k.room
		roomgen room --as model $k.room -o $k.gz
	done
	roomgen join rectangle.room hole.room ushape.room hole.room rectangle.room |
	    roomgen room --obs random:80 -s 2202 -o five.room
	roomwalk -n 30000 --policy cover -s 2202 five.room -o five.gz
	set -- 'rectangle.gz*4' 'hole.gz*5' 'ushape.gz*5' 'cylinder.gz*3'
	row '2D, doors' five.room five.gz auto "$@"
	row '2D, all walls' five.room five.gz auto --frontiers boundary "$@"
}

printf '#schemas\tstates\tsteps\twall s\tcpu s\tMiB\tmissing\tspurious\tdo not fit\n'
case ${1:-all} in
3d) three_d ;;
2d) two_d ;;
*) three_d; two_d ;;
esac
