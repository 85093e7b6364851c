#!/bin/sh
# rooms.sh OUT COLUMNS TITLE=ROOM... - draw rooms with cells coloured by symbol, the
# most frequent one in grey; OUT.svg and OUT.png.  Arrows mark sides that wrap around
# (torus or cylinder, by the name of the room).
. "$(dirname "$0")/common.sh"
out=$1 cols=$2
shift 2
scratch
n=0
for arg; do
	cells "${arg#*=}" >"$dir/$n"
	n=$((n + 1))
done
rows=$(((n + cols - 1) / cols))
{
	echo "set multiplot layout $rows,$cols
	unset key; unset border; unset tics
	set size ratio -1
	set style fill solid 1 border rgb 'white'"
	i=0
	for arg; do
		echo "unset arrow; set title '${arg%%=*}'"
		awk -v kind="${arg%%=*}" '
		NR == 1 { x0 = x1 = $1; y0 = y1 = $2 }
		{ if ($1 < x0) x0 = $1; if ($1 > x1) x1 = $1
		  if ($2 < y0) y0 = $2; if ($2 > y1) y1 = $2 }
		function arrows(a, b, c, d) {
			printf "set arrow from %g,%g to %g,%g heads size .4,25 " \
			    "lc rgb \"#3060c0\" lw 2\n", a, b, c, d
		}
		END {
			printf "set xrange [%g:%g]\nset yrange [%g:%g]\n",
			    x0 - 2, x1 + 2, y0 - 2, y1 + 2
			if (kind ~ /torus|cylinder/) {
				arrows(x0 - 1.2, y0, x0 - 1.2, y1)
				arrows(x1 + 1.2, y0, x1 + 1.2, y1)
			}
			if (kind ~ /torus/) {
				arrows(x0, y0 - 1.2, x1, y0 - 1.2)
				arrows(x0, y1 + 1.2, x1, y1 + 1.2)
			}
		}' "$dir/$i"
		echo "plot '$dir/$i' using 1:2:(.5):(.5):3 with boxxyerror lc rgb variable"
		i=$((i + 1))
	done
	echo 'unset multiplot'
} >"$dir/commands"
plot "$out" $((cols * 210)) $((rows * 220)) <"$dir/commands"
