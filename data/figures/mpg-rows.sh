#!/bin/sh
# mpg-rows.sh - what came of mpg.sh (fig-mpg); DIR has learn-*.tsv, AGENT.tsv and
# curve-*.tsv
#   mpg-rows.sh rows DIR        beside the paper
#   mpg-rows.sh draw OUT DIR    2A-C: an episode ($DIR/cover.log in $DIR/game.gz),
#       reward against games to learn from, steps of each task
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/games.sh"

verdict() # awk's condition
{
	awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"
}

rows()
{
	learned=$(awk -F '\t' '{ n++; bad += $2 != "-" && $3 != "yes" }
	    $2 == "-" { never++; next }
	    { s += $2; if ($2 > most) most = $2 }
	    END { printf "%d %d %d %.2f %d", n, bad, never, (n > never ? s / (n - never) : 0), most }' \
	    "$1"/learn-*.tsv)
	# shellcheck disable=SC2086 # words
	set -- "$1" $learned
	row 2B 'games until the schema is said to be complete' '9' \
	    "$5 on average, $6 at most, of $2 seeds" '<= 3.5, 100 seeds or more' \
	    "$(verdict "$2 >= 100 && $4 == 0 && $5 <= 3.5")"
	row 2B 'of those wrong' '0' "$3" '0' "$(verdict "$3 == 0")"
	for agent in cover eager upright frontier tracker oracle; do
		[ -e "$1/$agent.tsv" ] || continue
		# shellcheck disable=SC2046 # words
		set -- "$1" $(rewards "$1/$agent.tsv")
		case $agent in
		cover) row 2B 'reward: Hamiltonian cycle, then plans' '26.4+-0.17' \
		    "$2+-$3" '>= 26.4' "$(verdict "$2 >= 26.4")" ;;
		eager) row 2B 'reward: random moves, plans as soon as good' '17.3+-0.57' \
		    "$2+-$3" '>= 17.3' "$(verdict "$2 >= 17.3")" ;;
		upright) row 2B 'reward: random moves up and right' '-' "$2+-$3" '-' '-' ;;
		frontier) row 2B 'reward: to places not seen, plans as soon as good' '-' "$2+-$3" '-' '-' ;;
		tracker) row 2B 'reward: all hypotheses at once' '-' "$2+-$3" '>= 28.7' \
		    "$(verdict "$2 >= 28.7")" ;;
		oracle) row 2B 'reward: who knows all' '-' "$2+-$3" '31.6' \
		    "$(verdict "$2 - 31.6 < 3 * $3 + .05 && 31.6 - $2 < 3 * $3 + .05")" ;;
		esac
	done
	# shellcheck disable=SC2046 # words
	set -- "$1" $(first_task "$1/cover.tsv")
	row 2C 'steps of the first task, Hamiltonian cycle' '18+-0.09' "$2+-$3" \
	    '<= 18.3' "$(verdict "$2 <= 18.3")"
	# shellcheck disable=SC2046 # words
	set -- "$1" $(late 6 16 "$1/cover.tsv")
	row 2C 'later tasks that took more than the shortest way' '0' \
	    "$3 of $2 (steps $4, optimum $5)" '0' "$(verdict "$3 == 0 && $2 > 0")"
}

draw()
{
	out=$1 data=$2
	scratch
	begin=$(awk -F '\t' '$1 == "0" && $6 == 16 { print $3; exit }' "$data/cover.tsv")
	scene "$data/game.gz" "$data/cover.log" 0 "$begin" "$dir/a"
	for agent in cover eager tracker; do
		cat "$data"/curve-*.tsv | awk -F '\t' -v a=$agent '
		$2 == a { n[$1]++; s[$1] += $3; q[$1] += $3 * $3; if ($1 > K) K = $1 }
		END { for (k = 1; k <= K; k++) print k, s[k] / n[k], (n[k] > 1 ? \
		    1.96 * sqrt((q[k] - s[k]^2 / n[k]) / (n[k] - 1) / n[k]) : 0) }' \
		    >"$dir/b.$agent"
		by_task "$data/$agent.tsv" >"$dir/c.$agent"
	done
	best=$(rewards "$data/oracle.tsv" | cut -d ' ' -f 1)
	optimum=$(late 6 16 "$data/oracle.tsv" | cut -d ' ' -f 4)
	{
		echo "set multiplot layout 1,3 margins .03,.99,.13,.9 spacing .07,.1
		set grid ytics lc rgb '#e0e0e0'"
		draw_scene 'A: all is seen once (grey), a task (red)' "$dir/a" 2.5
		cat <<-EOF
		set title 'B: reward after learning'
		set xlabel 'games to learn from'; set ylabel 'reward in a game'
		set yrange [0:35]; set xrange [.5:9.5]; set xtics 1; set key bottom right
		plot '$dir/b.tracker' with yerrorlines lw 2 pt 7 lc rgb '#2ca02c' title 'all hypotheses', \
		    '$dir/b.cover' with yerrorlines lw 2 pt 7 lc rgb '#1f77b4' title 'Hamiltonian cycle', \
		    '$dir/b.eager' with yerrorlines lw 2 pt 7 lc rgb '#ff7f0e' title 'random moves', \
		    $best with lines dt 3 lw 2 lc rgb '#404040' title 'who knows all', \
		    26.4 with lines dt 2 lc rgb '#1f77b4' title 'paper: cycle 26.4', \
		    17.3 with lines dt 2 lc rgb '#ff7f0e' title 'paper: random 17.3'
		set title 'C: steps of each task'
		set xlabel 'task'; set ylabel 'steps'; set yrange [0:*]; set key top right
		set xrange [.5:*]; set xtics autofreq
		plot '$dir/c.tracker' using 1:2:3 with yerrorlines lw 2 pt 7 ps .6 lc rgb '#2ca02c' title 'all hypotheses', \
		    '$dir/c.cover' using 1:2:3 with yerrorlines lw 2 pt 7 ps .6 lc rgb '#1f77b4' title 'Hamiltonian cycle', \
		    '$dir/c.eager' using 1:2:3 with yerrorlines lw 2 pt 7 ps .6 lc rgb '#ff7f0e' title 'random moves', \
		    $optimum with lines dt 3 lw 2 lc rgb '#404040' title 'optimum'
		unset multiplot
		EOF
	} >"$dir/commands"
	plot "$out" 1300 420 <"$dir/commands"
}

what=$1
shift
case $what in
rows | draw) $what "$@" ;;
*) echo "mpg-rows.sh: no '$what'" >&2; exit 2 ;;
esac
