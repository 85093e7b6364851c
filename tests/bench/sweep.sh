#!/bin/sh
# sweep.sh - make bench-sweep: how the cost of an EM iteration grows
#
# One size varies at a time, around 20 symbols with 20 clones, 4 actions and
# 50,000 steps, on one thread.  Prints a table and slopes (cost ~ size^slope, by
# linear regression of the logarithms), and draws $BUILD/bench/sweep.svg
# and .png.  "first" is an iteration on dense T, "late" the 20th.

here=$(dirname "$0")
. "$here/work.sh"
out=$dir/sweep.tsv
tmp=$dir/sweep.$$
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# A ring of 120 nodes and n actions, each a jump of another length.
jumps()
{
	awk -v A="$1" 'BEGIN {
		N = 120
		printf "{\"format\":\"cscg-room\",\"version\":1,"
		printf "\"name\":\"jumps\",\"n_nodes\":%d,\"n_actions\":%d,", N, A
		printf "\"n_obs\":1,\"obs\":["
		for (i = 0; i < N; i++)
			printf "%s0", i ? "," : ""
		printf "],\"next\":["
		for (a = 0; a < A; a++) {
			printf "%s[", a ? "," : ""
			for (i = 0; i < N; i++)
				printf "%s%d", i ? "," : "", (i + 1 + 7 * a) % N
			printf "]"
		}
		print "]}"
	}'
}

# measure SWEEP SIZE CLONES WALK
measure()
{
	"$BUILD/tests/bench/em_bench" "$4" "$3" auto 1 20 3 >"$tmp/em"
	awk -F '\t' -v OFS='\t' -v sweep="$1" -v size="$2" '{ v[$1] = $2 }
		END { print sweep, size, v["first"], v["late"] }' "$tmp/em" |
	    tee -a "$out.new"
}

printf '# sweep\tsize\tfirst\tlate\n' >"$out.new"
w=$tmp/walk.gz
room w1 >"$tmp/room.gz"
for n in 12500 25000 50000 100000 200000 400000; do
	"$BUILD/roomwalk" -n $n -s 1 --blind -o "$w" "$tmp/room.gz"
	measure steps $n 20 "$w"
done
for k in 5 10 20 40 80; do
	"$BUILD/roomgen" rectangle --size 6x$k --obs random:$k -s 1 |
	    "$BUILD/roomwalk" -n 50000 -s 1 --blind -o "$w"
	measure states $((20 * k)) 20 "$w"
done
"$BUILD/roomwalk" -n 50000 -s 1 --blind -o "$w" "$tmp/room.gz"
for c in 5 10 20 40 80 160; do
	measure clones $c $c "$w"
done
for a in 1 2 4 8 16; do
	jumps $a | "$BUILD/roomgen" room --obs random:20 -s 1 |
	    "$BUILD/roomwalk" -n 50000 -s 1 --blind -o "$w"
	measure actions $a 20 "$w"
done
mv "$out.new" "$out"

echo
awk -F '\t' '
	/^#/ { next }
	{
		if (!($1 in n))
			name[++names] = $1
		n[$1]++
		x = log($2)
		sx[$1] += x
		sxx[$1] += x * x
		for (k = 3; k <= 4; k++) {
			y = log($k)
			sy[$1, k] += y
			sxy[$1, k] += x * y
		}
	}
	function slope(s, k) {
		return (n[s] * sxy[s, k] - sx[s] * sy[s, k]) / \
		    (n[s] * sxx[s] - sx[s] * sx[s])
	}
	END {
		for (i = 1; i <= names; i++)
			printf "%-8s first %5.2f  late %5.2f\n", name[i], \
			    slope(name[i], 3), slope(name[i], 4)
	}' "$out" | tee "$dir/slopes.txt"

gnuplot <<PLOT
set terminal svg size 900,700 font "sans,13" background "white"
set output "$dir/sweep.svg"
set multiplot layout 2,2 title "Cost of an EM iteration (seconds, one thread)"
set logscale xy
set grid
set key top left
set format y "10^{%T}"
do for [s in "steps states clones actions"] {
	set xlabel s
	plot "< grep '^".s."\t' '$out'" using 2:3 with linespoints lw 2 pt 7 \
	    title "first", \
	    "" using 2:4 with linespoints lw 2 pt 5 title "late"
}
unset multiplot
PLOT
rsvg-convert -o "$dir/sweep.png" "$dir/sweep.svg"
echo "saved: $out, sweep.svg, sweep.png"
