#!/bin/sh
# stitch-draw.sh - pictures of the results of stitch.sh
#
#   stitch-draw.sh curve OUT TABLE        NLL against steps, with its standard error
#   stitch-draw.sh graphs OUT DIR SEED STEPS...   the prior, and the graphs learned
#       with schemas (above) and from scratch (below)
#
# Edges longer than $LONG cells (2.5: a door is 2 wide) are red.  LABELS is as in
# stitch-parts.sh.  $HIGH is the height in pixels (520).
#
# OUT.svg and OUT.png.
. "$(dirname "$0")/common.sh"
what=$1 out=$2
shift 2
scratch

# lines MODEL [ROOM WALK]: x y dx dy of each edge between different states, at the
# coordinates of the states or of the nodes they are decoded at
lines()
{
	model=$1
	shift
	if [ $# = 2 ]; then
		set -- --labels "${LABELS:-auto}" --truth "$1" -w "$2"
	fi
	cscg-show --as nodes "$@" "$model" >"$dir/nodes"
	cscg-show --as tsv --min-prob "${MIN_P:-0.05}" "$@" "$model" >"$dir/edges"
	awk -F '\t' -v far="${LONG:-2.5}" '
	FNR == 1 { file++; for (i = 1; i <= NF; i++) { h = $i; sub(/^#/, "", h); col[file, h] = i }; next }
	file == 1 { y[$1] = $col[1, "y"]; x[$1] = $col[1, "x"]; next }
	{ j = $col[2, "from"]; k = $col[2, "to"]
	  if (j == k || x[j] == "-" || x[k] == "-") next
	  dx = x[k] - x[j]; dy = y[k] - y[j]
	  print x[j], -y[j], dx, -dy, (dx * dx + dy * dy > far * far ? 1 : 0) }' "$dir/nodes" "$dir/edges"
}

panel() # LEFT RIGHT BOTTOM TOP TITLE DATA: margins as fractions of the picture
{
	echo "set lmargin at screen $1; set rmargin at screen $2
	set bmargin at screen $3; set tmargin at screen $4"
	shift 4
	# printf, since echo may expand the \n of a title that is meant for gnuplot
	printf 'set title "%s"\n' "$1"
	echo "plot '$2' using 1:(\$5 > 0 ? \$2 : 1/0):3:4 with vectors nohead lc rgb '#d62728' lw ${THIN:-.6}, \
	  '$2' using 1:(\$5 > 0 ? 1/0 : \$2):3:4 with vectors nohead lc rgb '#909090' lw .6, \
	  '$2' using 1:2 with points pt 7 ps .25 lc rgb '#1f77b4'"
}

case $what in
curve)
	{
		echo "set logscale xy; set xlabel 'steps of the walk learned from'
		set ylabel 'nats per step, 10 test walks'; set key below samplen 2 height .6
		set title 'pseudocount 0.002; numbers: mean of missing + spurious edges' font ',10'
		set grid lc rgb '#e0e0e0'; set datafile missing '-'
		set xtics (500, 1000, 2000, 3000, 5000, 10000, 20000, 30000)
		set ytics add (.02, .05, .2, .5, 2, 5); set xrange [800:40000]; set yrange [*:*] noextend; set offsets 0, 0, graph .08, graph .12
		few(n) = n > 0 && n < 10 ? sprintf('%.1f', n) : sprintf('%.0f', n)"
		sep='plot '
		while IFS=: read -r how lt title; do
			curve "$1" "$how" "$lt" "$title" || continue
			case $how in exact) at=-1,-1 ;; scratch) at=2.5,.7 ;; *) continue ;; esac
			printf ", '%s' using 2:4:(few(\$7) . '+' . few(\$8)) with labels font ',8' offset %s tc lt %s notitle" \
			    "$dir/$how" "$at" "${lt%% *}"
		done <<-END
		exact:1:schemas
		printed:2:schemas, as the paper prints it
		learned:4 dt 2:learned schemas
		scratch:7:from scratch
		plain:6 dt 3:from scratch, EM alone
		END
		echo
	} >"$dir/commands"
	plot "$out" 640 500 <"$dir/commands" ;;
graphs)
	home=$1 seed=$2
	shift 2
	n=$#
	cscg-stitch -q "$home"/exact/*.gz -w "$home/exact-$seed-$1.walk" \
	    --iterations 0 --restarts 1 --prior "$dir/prior.gz" -o "$dir/none.gz"
	# A frontier has many transitions, each of a small probability.
	MIN_P=0 lines "$dir/prior.gz" >"$dir/prior"
	for how in exact scratch; do
		for steps; do
			m=$home/$how-$seed-$steps
			lines "$m.gz" "$home/place.room" "$m.walk" >"$dir/$how-$steps"
			{ cscg-show --labels "${LABELS:-auto}" --truth "$home/place.room" -w "$m.walk" "$m.gz" || [ $? = 1 ]; } |
			    awk '$1 == "missing" { m = $2 } $1 == "spurious" { print m " missing, " $2 " spurious" }' \
			    >"$dir/$how-$steps.title"
		done
	done
	{
		echo "unset tics; unset border; unset key; set size ratio -1
		set title font ',10' offset 0,-.7; set multiplot"
		THIN=.15 panel .02 .98 .72 .95 'prior: all schemas and the transitions between them' "$dir/prior"
		i=0
		for steps; do
			left=$(awk "BEGIN { print ($i + .03) / $n }") right=$(awk "BEGIN { print ($i + .97) / $n }")
			panel "$left" "$right" .36 .61 "$steps steps, schemas\\n$(cat "$dir/exact-$steps.title")" "$dir/exact-$steps"
			panel "$left" "$right" .01 .26 "$steps steps, scratch\\n$(cat "$dir/scratch-$steps.title")" "$dir/scratch-$steps"
			i=$((i + 1))
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" $((n * 300)) "${HIGH:-520}" <"$dir/commands" ;;
*) echo "stitch-draw.sh: no '$what'" >&2; exit 2 ;;
esac
