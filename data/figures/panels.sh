#!/bin/sh
# panels.sh OUT COLUMNS TITLE=TSV... - draw results of cscg-match --as summary, one
# panel each: NLL against steps under every schema, with 95 % intervals; a grey line
# where the right one is identified for good.  OUT.svg and OUT.png.  $XTICS, if set, is
# the distance of tics on the x axis; $NOTE is a line at the top.
. "$(dirname "$0")/common.sh"
out=$1 cols=$2
shift 2
scratch
n=$#
rows=$(((n + cols - 1) / cols))
first=${1#*=}
schemas=$(awk -F '\t' '!/^#/ && !seen[$2]++ { print $2 }' "$first")
top=31
[ -z "${NOTE:-}" ] || top=47
wide=$((cols * 230 + 60)) high=$((rows * 190 + 29 + top))
# Margins for tic labels and titles are fixed, whatever the number of panels.
margins=$(awk "BEGIN { printf \"%g,%g,%g,%g spacing %g,%g\", 72 / $wide,
    1 - 24 / $wide, 82 / $high, 1 - $top / $high, 42 / $wide, 57 / $high }")
{
	echo "set multiplot layout $rows,$cols margins $margins
	set style fill transparent solid .2 noborder
	set grid ytics lc rgb '#e0e0e0'
	set yrange [0:*]; set xtics ${XTICS:-50} font ',9' nomirror; set ytics font ',9' nomirror
	set title offset 0,-.6 font ',11'
	unset key
	set linetype 1 lc rgb '#1f77b4'; set linetype 2 lc rgb '#ff7f0e'
	set linetype 3 lc rgb '#2ca02c'; set linetype 4 lc rgb '#9467bd'
	set linetype 5 lc rgb '#d62728'; set linetype 6 lc rgb '#8c564b'
	set linetype 7 lc rgb '#e377c2'; set linetype 8 lc rgb '#7f7f7f'
	set linetype 9 lc rgb '#bcbd22'; set linetype 10 lc rgb '#17becf'"
	[ -z "${NOTE:-}" ] ||
		echo "set label 99 '$NOTE' at screen .5, screen $(awk "BEGIN { print 1 - 9 / $high }") center font ',8' tc rgb '#606060'"
	i=0
	for arg; do
		i=$((i + 1))
		file=${arg#*=}
		found=$(awk -F '\t' '$1 == "#sustained" && $2 ~ /^[0-9]/ { print $2 }' "$file")
		echo "unset arrow; set title '${arg%%=*}: ${found:-never}'"
		case $found in
		[0-9]*) echo "set arrow from $found, graph 0 to $found, graph 1 nohead lc rgb '#a0a0a0' dt 2" ;;
		esac
		if [ $((i % cols)) = 1 ]; then
			echo "set ylabel 'nats per step' font ',10' offset 1.5"
		else
			echo 'unset ylabel'
		fi
		if [ $i -gt $((n - cols)) ]; then
			echo "set xlabel 'steps' font ',10' offset 0,.5"
		else
			echo 'unset xlabel'
		fi
		# One key for all, below everything.
		if [ $i = "$n" ]; then
			k=0
			for s in $schemas; do
				k=$((k + 1))
				echo "set label $k '$s' at screen $(awk "BEGIN { print ($k - .5) / $(echo "$schemas" | wc -l) }"),.03 center tc lt $k font ',12'"
			done
		fi
		printf 'plot '
		k=0
		for s in $schemas; do
			k=$((k + 1))
			data=$dir/$i.$k
			awk -F '\t' -v s="$s" '$2 == s' "$file" >"$data"
			[ $k = 1 ] || printf ', '
			printf "'%s' using 1:4:5 with filledcurves lt %d notitle, '' using 1:3 with lines lt %d lw 1.5 title '%s'" \
			    "$data" $k $k "$s"
		done
		echo
		# The line at the top is drawn once.
		[ -z "${NOTE:-}" ] || [ $i -gt 1 ] || echo 'unset label 99'
	done
	echo 'unset multiplot'
} >"$dir/commands"
plot "$out" $wide $high <"$dir/commands"
