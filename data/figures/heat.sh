#!/bin/sh
# heat.sh OUT COLUMNS TITLE=FILE... - heat maps of probabilities, OUT.svg and OUT.png:
# one panel for each FILE, which has lines x y p part
. "$(dirname "$0")/common.sh"
out=$1 cols=$2
shift 2
scratch
[ $# -ge "$cols" ] || cols=$#
rows=$((($# + cols - 1) / cols))
{
	echo "set multiplot layout $rows,$cols
	unset key; unset border; unset tics
	set size ratio -1
	set style fill solid 1 border rgb 'white'
	set palette defined (0 '#b2182b', .25 '#ef8a62', .5 '#f7f7f7', .75 '#67a9cf', 1 '#2166ac')
	set cbrange [0:1]; unset colorbox
	set offsets 1, 1, 1, 1"
	for arg; do
		# A ring around locations of both digits, which are not scored.
		echo "set title '${arg%%=*}'
		plot '${arg#*=}' using 1:2:(.5):(.5):3 with boxxyerror lc palette, \\
		    '' using 1:(\$4 < 0 ? \$2 : 1/0) with points pt 6 ps .4 lc rgb 'black'"
	done
	echo 'unset multiplot'
} >"$dir/commands"
plot "$out" $((cols * 260)) $((rows * 240)) <"$dir/commands"
