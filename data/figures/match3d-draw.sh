#!/bin/sh
# match3d-draw.sh - pictures of the 3D rooms and of the results of match3d.sh
#
#   match3d-draw.sh rooms OUT ROOM=THEME,THEME...  each room at an angle, and the
#       views from its middle, in the themes of learning and of the test
#   match3d-draw.sh views OUT ROOM THEME THEME     all views, in both themes
#   match3d-draw.sh graphs OUT TITLE=MODEL...      the learned graphs
#   match3d-draw.sh scratch OUT TSV...             NLL and purity against steps
#
# OUT.svg and OUT.png.
. "$(dirname "$0")/common.sh"
what=$1 out=$2
shift 2
scratch

# header PPM: sets $w, $h, and $skip, where pixels begin
header()
{
	head -c 40 "$1" | awk 'NR <= 3 { skip += length($0) + 1 }
	NR == 2 { size = $0 } NR == 3 { print size, skip }' >"$dir/header"
	read -r w h skip <"$dir/header"
}

# place X Y WIDTH HEIGHT: position of the next plot, in fractions of the picture
place()
{
	echo "set lmargin at screen $1; set bmargin at screen $2"
	awk "BEGIN { print \"set rmargin at screen\", $1 + $3
	    print \"set tmargin at screen\", $2 + $4 }"
}

# pictures PPM...: a plot of them side by side
pictures()
{
	at=0
	for f; do
		header "$f"
		[ $at = 0 ] && printf 'plot ' >"$dir/plot" || printf ', ' >>"$dir/plot"
		printf "'%s' binary array=(%s,%s) skip=%s format='%%uchar' flip=y origin=(%s,0) with rgbimage" \
		    "$f" "$w" "$h" "$skip" $at >>"$dir/plot"
		at=$((at + w + 2))
	done
	echo "set xrange [-.5:$at-2.5]; set yrange [-.5:$h-.5]"
	cat "$dir/plot"
	echo
}

# around ROOM: the views from its middle in the four directions, ROOM.0 to ROOM.3
around()
{
	nodes=$(cscg-show --as nodes "$1" | grep -vc '^#')
	# shellcheck disable=SC2017 # the first node of a cell
	for side in 0 1 2 3; do
		cscg-show --as ppm --view $((nodes / 8 * 4 + side)) "$1" >"$1.$side"
	done
}

bare="unset key; unset border; unset tics; set size ratio -1; set multiplot"

case $what in
rooms)
	i=0
	{
		echo "$bare"
		for arg; do
			name=${arg%%=*} themes=${arg#*=}
			x=$(awk "BEGIN { print ($i + .03) / $# }")
			wide=$(awk "BEGIN { print .94 / $# }")
			echo "set label 1 '$name' at screen $(awk "BEGIN { print ($i + .5) / $# }"),.985 center"
			for n in 0 1; do
				room=$dir/$name-$n
				[ $n = 0 ] && theme=${themes%,*} || theme=${themes#*,}
				roomgen voxel --map "$name" --theme "$theme" >"$room"
				cscg-show --as ppm --view iso --scale 40 "$room" >"$room.iso"
				around "$room"
				low=$(awk "BEGIN { print .48 * (1 - $n) + .005 }")
				place "$x" "$(awk "BEGIN { print $low + .1 }")" "$wide" .365
				pictures "$room.iso"
				echo 'unset label 1'
				place "$x" "$low" "$wide" .095
				pictures "$room.0" "$room.1" "$room.2" "$room.3"
			done
			i=$((i + 1))
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" $(($# * 270)) 680 <"$dir/commands" ;;
views)
	for theme in "$2" "$3"; do
		roomgen voxel --map "$1" --theme "$theme" |
		    cscg-show --as ppm >"$dir/$theme"
	done
	header "$dir/$2"
	{
		echo "$bare"
		place 0 0 1 1
		pictures "$dir/$2" "$dir/$3"
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" $((2 * w + 2)) "$h" <"$dir/commands" ;;
graphs)
	need dot graphviz
	cols=3
	{
		echo "$bare layout $((($# + cols - 1) / cols)),$cols margins .01,.99,.01,.96 spacing .01,.04
		set title offset 0,-.6"
		for arg; do
			f=$dir/${arg%%=*}
			cscg-show --as dot "${arg#*=}" | dot -Tplain >"$f"
			whole "$f" '^stop'
			awk -v f="$f" '
			function hex(c, i, v) { # "#rrggbb"
				for (i = 2; i <= 7; i++)
					v = 16 * v + index("0123456789abcdef", substr(c, i, 1)) - 1
				return v
			}
			$1 == "node" { x[$2] = $3; y[$2] = $4; print $3, $4, hex($NF) >(f ".nodes") }
			$1 == "edge" { print x[$2], y[$2], x[$3] - x[$2], y[$3] - y[$2], hex($NF) >(f ".edges") }' "$f"
			echo "set title '${arg%%=*}: $(grep -c '^node' "$f") states'"
			echo "plot '$f.edges' using 1:2:3:4:5 with vectors nohead lw .7 lc rgb variable, \
			  '$f.nodes' using 1:2:3 with points pt 7 ps .7 lc rgb variable, \
			  '$f.nodes' using 1:2 with points pt 6 ps .7 lw .4 lc rgb '#404040'"
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 1080 760 <"$dir/commands" ;;
scratch)
	# Means over the walks; each walk as a thin line.
	for how in scratch schema; do
		awk -F '\t' -v how=$how '$3 == how {
			if (FILENAME != last || $2 < steps) { if (last) print ""; last = FILENAME }
			steps = $2
			print $2, $4, $6 }' "$@" >"$dir/$how"
		awk 'NF { n[$1]++; nll[$1] += $2; purity[$1] += $3 }
		END { for (s in n) print s, nll[s] / n[s], purity[s] / n[s] }' "$dir/$how" |
		    sort -n >"$dir/$how.mean"
	done
	{
		echo "set multiplot layout 1,2 margins .1,.98,.14,.94 spacing .1
		set logscale x; set xlabel 'steps of the walk'; set grid lc rgb '#e0e0e0'
		set xrange [800:125000]; set xtics ('1k' 1000, '2k' 2000, '5k' 5000, '10k' 10000, '20k' 20000, '50k' 50000, '100k' 100000)
		set logscale y; set ylabel 'nats per step, another walk'; set key top right"
		for c in 2 3; do
			printf 'plot '
			sep=
			while read -r how colour title; do
				printf "%s'%s' using 1:$c with lines lw .6 lc rgb '%s' notitle, '%s.mean' using 1:$c with linespoints pt 7 ps .6 lw 2 lc rgb '%s' title '%s'" \
				    "$sep" "$dir/$how" "$colour" "$dir/$how" "$colour" "$title"
				sep=', '
			done <<-END
			schema #1f77b4 right schema, bound
			scratch #d62728 learned from scratch
			END
			echo
			echo "unset logscale y; set yrange [0:1.02]; set ylabel 'purity'; set key bottom right"
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 900 380 <"$dir/commands" ;;
*) echo "match3d-draw.sh: no '$what'" >&2; exit 2 ;;
esac
