#!/bin/sh
# street-rows.sh - results of street.sh (fig-street); each DIR is named after a
# town and has size, cover.tsv, informed.tsv, plain.tsv, oracle.tsv, graphs
#   street-rows.sh table DIR...  one line for each town: views, distance to a goal,
#       tasks begun after exploration and how many of them took more than a
#       shortest path, their mean steps and optimum, rewards of the agents with
#       standard errors, graphs learned exactly
#   street-rows.sh rows TABLE    rows of results, with the paper's
#   street-rows.sh draw OUT DIR TABLE    2D-F: an episode ($DIR/cover.log in
#       $DIR/rooms.gz), rewards, steps of each task
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/games.sh"

table()
{
	printf '#town\tviews\tmoves\ttasks\tlate\tsteps\toptimum\tcover\t+-\tinformed\t+-\tplain\t+-\toracle\t+-\tgraphs\n'
	for town; do
		printf '%s' "${town##*/}"
		all=$(for a in cover informed plain oracle; do rewards "$town/$a.tsv"; done)
		for word in $(cat "$town/size") $(late 7 0 "$town/cover.tsv") $all \
		    "$(grep -c '^yes	0	0$' "$town/graphs" || :)/$(wc -l <"$town/graphs")"; do
			printf '\t%s' "$word"
		done
		echo
	done
}

# Rewards are means with 95 % intervals over the episodes; the verdict is on the
# interval.  Towns of files other than Manhattan have no target.
rows()
{
	awk -F '\t' '
	function row(what, paper, ours, wanted, good) {
		print "2D-F", $1 ": " what, paper, ours, wanted,
		    (wanted == "-" ? "-" : good ? "yes" : "no")
	}
	function interval(m, e) { return sprintf("%.2f [%.2f, %.2f]", m, m - 1.96 * e, m + 1.96 * e) }
	BEGIN { OFS = FS }
	/^#/ { next }
	{
		known = $1 == "manhattan" || $1 == "own"
		split($16, graphs, "/")
		row("tasks after exploration that take more than a shortest path", "0",
		    $5 " of " $4 " (steps " $6 ", optimum " $7 ")", "0", $4 > 0 && $5 == 0)
		row("learned graphs that are the true ones", "-", $16, "all",
		    graphs[1] == graphs[2] && graphs[2] > 0)
		row("reward, exploration, then plans on a CSCG", "21.7+-3.7",
		    interval($8, $9), known ? "within 18-25.4" : "-", $8 - 1.96 * $9 >= 18 && $8 + 1.96 * $9 <= 25.4)
		row("reward, informed (EPN: 28.7)", "-", interval($10, $11),
		    known ? "low end >= 29.5" : "-", $10 - 1.96 * $11 >= 29.5)
		row("reward, informed, without the inverse; oracle, map given", "-",
		    interval($12, $13) "; " interval($14, $15), "-", 0)
	}' "$1"
}

draw()
{
	out=$1 town=$2 table=$3
	scratch
	# The first task of more than five steps that begins when all actions were tried.
	at=$(awk -F '\t' '$7 == "0" && $5 > 5 { print $1, $3; exit }' "$town/cover.tsv")
	at=${at:-0 0}
	scene "$town/rooms.gz" "$town/cover.log" "${at%% *}" "${at##* }" "$dir/a"
	for a in cover informed oracle; do
		by_task "$town/$a.tsv" >"$dir/c.$a"
	done
	optimum=$(awk -F '\t' '!/^#/ && $5 != "-" { n++; s += $5 } END { print s / n }' \
	    "$town/oracle.tsv")
	awk -F '\t' -v town="${town##*/}" '$1 == town {
		print 1, $8, 1.96 * $9; print 2, $12, 1.96 * $13
		print 3, $10, 1.96 * $11; print 4, $14, 1.96 * $15 }' "$table" >"$dir/b"
	{
		echo "set multiplot layout 1,3 margins .03,.99,.15,.9 spacing .07,.1
		set grid ytics lc rgb '#e0e0e0'"
		draw_scene 'D: exploration (grey), one task (red)' "$dir/a" 1
		cat <<-EOF
		set title 'E: rewards in 200 steps'; set ylabel 'reward'
		set yrange [0:*]; set xrange [.3:4.7]; set key top left
		set boxwidth .6; set style fill solid .6
		set xtics ("explore,\\nthen plan" 1, "informed,\\nno inverse" 2, "informed" 3, "oracle" 4)
		plot '$dir/b' using 1:2 with boxes lc rgb '#1f77b4' notitle, \
		    '' using 1:2:3 with yerrorbars pt 7 ps .3 lw 2 lc rgb '#202020' notitle, \
		    21.7 with lines dt 2 lc rgb '#1f77b4' title 'paper 21.7', \
		    28.7 with lines dt 2 lc rgb '#d62728' title 'EPN 28.7'
		EOF
		draw_tasks F "$optimum" "$dir/c.informed" informed "$dir/c.cover" 'explore, then plan'
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 1300 420 <"$dir/commands"
}

what=$1
shift
case $what in
table | rows | draw) $what "$@" ;;
*) echo "street-rows.sh: no '$what'" >&2; exit 2 ;;
esac
