#!/bin/sh
# switching.sh - make bench-switching: one model over all schemas, 20,000 steps
#
# The digits 2 and 7 that overlap; their exact schemas as candidates (some 200
# states), and all ten digits (some 1100); bound as a whole and online, on one
# thread and on two.  Times are the best of several runs; CPU time excludes other
# jobs.  Target: ten digits in 5 s.
set -eu
: "${BUILD:?says where the tools are}"
PATH=$BUILD:$PATH
export PATH
dir=$BUILD/bench/switching
measure=$BUILD/tests/bench/measure
tries=${TRIES:-3}
mkdir -p "$dir"
cd "$dir"
for d in 0 1 2 3 4 5 6 7 8 9; do
	roomgen digit $d --as model -o digit-$d.gz
done
roomgen digit 2 -o two
roomgen digit 7 -o seven
roomgen compose two seven --permute -s 2001 | roomwalk -n 20000 -s 2001 -o walk.gz

# row NAME THREADS SCHEMAS OPTIONS
row()
{
	name=$1 threads=$2 schemas=$3
	shift 3
	# shellcheck disable=SC2046,SC2086
	set -- $("$measure" "$tries" sh -c 'cscg-match "$@" || [ $? = 1 ]' sh \
	    --method switching --as one-row -j "$threads" "$@" $schemas -w walk.gz)
	printf '%s\t%s\t%.2f\t%.2f\t%.1f\t%.0f\n' "$name" "$threads" "$1" "$2" \
	    "$(echo "$3" | awk '{ print $1 / 1048576 }')" \
	    "$(echo "$1" | awk '{ print 20000 / $1 }')"
}

two='digit-2.gz digit-7.gz' ten=$(echo digit-?.gz)
printf '#switching\tthreads\twall s\tcpu s\tMiB\tsteps/s\n'
for j in 1 2; do
	row 'two digits' $j "$two"
	row 'ten digits' $j "$ten"
	row 'ten digits, one start' $j "$ten" --restarts 1
	row 'two digits, online' $j "$two" --method switching-online
	row 'ten digits, online' $j "$ten" --method switching-online
done
