#!/bin/sh
# match.sh - make bench-match: time of matching, with and without --warm-start
#
# growth: walks of 100 and of 400 steps in a small torus with new symbols, against
#   five schemas of 69 or 72 states, rows as they are by default.
# small: one walk of 200 steps, every 5 steps (40 prefixes).
# large: one walk of 1000 steps, all at once, against five schemas of some 2000
#   states.
# Times are the best of several runs; CPU time excludes other jobs.  Targets, on one
# thread: small 1 s, large 10 s.
# For each option the number of 25 walks that are matched correctly at steps 50,
# 100 and 200 is printed as well, since saved time may cost accuracy.
# match.sh growth: only the CPU seconds of growth, for 100 and 400 steps.

here=$(dirname "$0")
. "$here/work.sh"
PATH=$BUILD:$PATH
OMP_NUM_THREADS=1
export PATH OMP_NUM_THREADS
tries=${TRIES:-5}
mkdir -p "$dir/match"
cd "$dir/match"

small='' large=''
for k in rectangle hole ushape cylinder torus; do
	case $k in
	hole) size='--size 48x48 --hole 16x19' ;;
	ushape) size='--size 54x46 --notch 32x15' ;;
	*) size='--size 40x50' ;;
	esac
	roomgen $k --as model -o $k.gz
	roomgen $k $size --as model -o $k-large.gz
	small="$small $k.gz" large="$large $k=$k-large.gz"
done
roomgen torus --size small --permute -s 2001 -o room.gz

# The seconds of a match, whose status may be 1.
match()
{
	use "$tries" sh -c 'cscg-match "$@" || [ $? = 1 ]' sh "$@"
}

# growth STEPS: sets $cpu, over three walks.
growth()
{
	total=0
	for seed in 1 2 3; do
		roomwalk -n "$1" -s $seed room.gz -o grown.gz
		match $small -w grown.gz
		total=$(calc "$total + $cpu")
	done
	cpu=$total
}
if [ "${1:-}" = growth ]; then
	growth 100
	short=$cpu
	growth 400
	echo "$short $cpu"
	exit
fi

roomwalk -n 200 -s 2001 room.gz -o walk.gz
roomwalk -n 200 --episodes 25 --permute-episodes -s 2001 room.gz -o walks.gz
roomgen torus --size 40x50 --permute -s 2001 | roomwalk -n 1000 -s 2001 -o long.gz

# right OPTIONS: how many of 25 walks are matched right at 50, 100, 200
right()
{
	cscg-match --every 5 "$@" $small -w walks.gz | awk '!/^#/ &&
	    $3 == "torus" && $6 == 1 { n[$2]++ }
	    END { printf "%d\t%d\t%d", n[50], n[100], n[200] }' || :
}
# row NAME WALK SCHEMAS OPTIONS
row()
{
	name=$1 walk=$2 schemas=$3
	shift 3
	match "$@" $schemas -w "$walk"
	printf '%s\t%.3f\t%.3f\t%.1f' "$name" "$wall" "$cpu" \
	    "$(calc "$peak / 1048576")"
}

growth 100
printf 'growth\t100 steps\t%.3f\t' "$cpu"
short=$cpu
growth 400
printf '400 steps\t%.3f\t%.1f times\n' "$cpu" "$(calc "$cpu / $short")"
printf '#match\twall s\tcpu s\tMiB\tright at 50\t100\t200, of 25\n'
for how in '' --warm-start '--tie none' '--tie none --warm-start'; do
	row "small $how" walk.gz "$small" --every 5 $how
	printf '\t%s\n' "$(right $how)"
done
for how in '' '--tie none'; do
	row "large $how" long.gz "$large" --every 1000 $how
	echo
done
OMP_NUM_THREADS=2
for w in small large; do
	case $w in
	small) row "small, 2 threads" walk.gz "$small" --every 5 ;;
	large) row "large, 2 threads" long.gz "$large" --every 1000 ;;
	esac
	echo
done
