#!/bin/sh
# track-draw.sh - pictures of the results of track.sh
#
#   track-draw.sh accuracy OUT TABLE   fraction of walks identified right, against steps
#   track-draw.sh unknown OUT TABLE    AUC and verdicts against steps
#
# OUT.svg and OUT.png.
. "$(dirname "$0")/common.sh"
what=$1 out=$2 table=$3
scratch
case $what in
accuracy)
	{
		echo "set xlabel 'steps of the walk'; set ylabel 'fraction of walks identified right'
		set yrange [0:1]; set xrange [0:*]; set key bottom right
		set grid lc rgb '#e0e0e0'"
		printf 'plot '
		sep=
		while IFS=: read -r score slip look title; do
			awk -F '\t' -v s="$score" -v p="$slip" '$1 == s && $2 == p' "$table" >"$dir/$score-$slip"
			printf "%s'%s' using 3:6 with linespoints %s title '%s'" \
			    "$sep" "$dir/$score-$slip" "$look" "$title"
			sep=', '
		done <<-END
		track:0:lt 1 pt 7 ps .6 lw 2:tracker
		track:0.05:lt 1 dt 2 pt 6 ps .6 lw 1.5:tracker, 5 % slips
		em:0:lt 2 pt 7 ps .6 lw 2:EM
		em:0.05:lt 2 dt 2 pt 6 ps .6 lw 1.5:EM, 5 % slips
		END
		echo
	} >"$dir/commands"
	plot "$out" 640 440 <"$dir/commands" ;;
unknown)
	for score in track em; do
		awk -F '\t' -v s=$score '$1 == s' "$table" >"$dir/$score"
	done
	{
		echo "set multiplot layout 1,4
		set xlabel 'steps of the walk'; set yrange [0:1]; set xrange [0:*]; set xtics 50
		set key bottom right; set grid lc rgb '#e0e0e0'
		set title 'own size or outside the library: AUC'
		plot '$dir/track' using 2:3 with linespoints lt 1 pt 7 ps .6 lw 2 title 'tracked', \\
		  '$dir/em' using 2:3 with linespoints lt 2 pt 7 ps .6 lw 2 title 'NLL after EM'
		set style fill solid .7 noborder"
		# Stacked: verdicts fits and resembles; the rest is unknown.
		while IFS=: read -r column key title; do
			echo "set title '$title'
			$key
			plot '$dir/track' using 2:(1) with filledcurves y1=0 lc rgb '#d0d0d0' title 'unknown', \\
			  '' using 2:(\$$column + \$$((column + 1))) with filledcurves y1=0 lc rgb '#f0c060' title 'resembles', \\
			  '' using 2:$column with filledcurves y1=0 lc rgb '#60a860' title 'fits'"
		done <<-END
		7:unset key:rooms of own size
		10:unset key:rooms of other sizes
		4:set key top right opaque:rooms outside the library
		END
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 1240 340 <"$dir/commands" ;;
*) echo "track-draw.sh: no '$what'" >&2; exit 2 ;;
esac
