#!/bin/sh
# files.sh - make bench-files: throughput of walkconv for walks and CSV
#
# Two walks, each as walk and as CSV, without gzip: "plain" has observations,
# actions and true nodes, "full" has resets, rewards and goals as well.  MB/s are
# megabytes of input text per CPU second of the whole process, best of several,
# since other jobs can only add to a time; zlib is the time to deflate the output of
# the same conversion at level 1, in the same run.
# of_zlib: seconds of zlib divided by the wall-clock seconds with gzip, since one
# thread deflates while another parses.
# CSCG_BENCH=quick takes fewer steps and tries.

here=$(dirname "$0")
. "$here/work.sh"
steps=3000000
tries=7
[ -z "$quick" ] || steps=500000
dir=$dir/files
mkdir -p "$dir"

"$BUILD/roomgen" torus --size 20x20 --obs random:50 -s 1 |
    "$BUILD/roomwalk" -n $steps -s 1 --no-gzip -o "$dir/plain.walk"
"$BUILD/walkconv" "$dir/plain.walk" --as csv -o "$dir/plain.csv"
awk -F, -v OFS=, -v n=$((steps / 3)) '
	NR == 1 { print $0, "reset", "r", "goal"; next }
	NR > n { exit }
	{
		$1 = int(NR / 500)
		print $0, NR % 97 == 0, NR % 7 ? $2 % 3 - 1 : $2 / 10, $4 % 50
	}' "$dir/plain.csv" >"$dir/full.csv"
"$BUILD/walkconv" "$dir/full.csv" --no-gzip -o "$dir/full.walk"

# row FILE TO [OPTION]: a line of the table.
row()
{
	use $tries "$BUILD/walkconv" "$dir/$1" --as "$2" ${3:-}
	bytes=$(wc -c <"$dir/$1")
	zlib=$("$bin/deflate" $tries "$dir/${1%.*}.$2")
	awk -v OFS='\t' -v file="$1" -v to="$2" -v how="${3:-gzip}" \
	    -v s="$cpu" -v wall="$wall" -v bytes="$bytes" -v zlib="$zlib" 'BEGIN {
		print file, to, how, sprintf("%.3f", s), sprintf("%.3f", wall), \
		    sprintf("%.0f", bytes / s / 1e6), sprintf("%.3f", zlib), \
		    how == "gzip" ? sprintf("%.2f", zlib / wall) : "-"
	}'
}

printf 'from\tto\thow\tseconds\twall\tMB/s\tzlib\tof_zlib\n'
for kind in plain full; do
	for from in csv walk; do
		row $kind.$from walk --no-gzip
		row $kind.$from walk
	done
	row $kind.walk csv --no-gzip
done
