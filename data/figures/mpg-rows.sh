#!/bin/sh
# mpg-rows.sh - results of mpg.sh (fig-mpg); DIR has learn-*.tsv, AGENT.tsv and
# curve-*.tsv
#   mpg-rows.sh rows DIR        rows of results, with the paper's
#   mpg-rows.sh draw OUT DIR    2A-C: an episode ($DIR/cover.log in $DIR/game.gz),
#       reward against the number of games learned from, steps of each task
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/games.sh"

verdict() # CONDITION, of awk
{
	awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"
}

rows()
{
	# Games until a schema is complete: sets $games ("mean [95 % interval], maximum,
	# seeds"), $high (end of the interval), $seeds, and the numbers of wrong and of
	# incomplete schemas, $wrong and $never.
	learned()
	{
		games=$(cat "$@" | awk -F '\t' '{ n++; bad += $2 != "-" && $3 != "yes" }
		    $2 == "-" { never++; next }
		    { s += $2; q += $2 * $2; if ($2 > most) most = $2 }
		    END { k = n - never; m = k ? s / k : 0; e = k > 1 ? 1.96 * sqrt((q - s * s / k) / (k - 1) / k) : 0
			printf "%.3f %d %d %d %.2f [%.2f, %.2f], %d at most, of %d seeds", m + e, bad, never, n, m, m - e, m + e, most, n }')
		high=${games%% *} games=${games#* }
		wrong=${games%% *} games=${games#* }
		never=${games%% *} games=${games#* }
		seeds=${games%% *} games=${games#* }
	}
	learned "$1"/learn-*.tsv
	row 2B 'games until the schema is reported complete' '9' "$games" 'high end <= 3.5, 100 seeds or more' \
	    "$(verdict "$seeds >= 100 && $never == 0 && $high <= 3.5")"
	row 2B 'schemas reported complete that are wrong' '0' "$wrong" '0' "$(verdict "$wrong == 0")"
	for part in plain slips; do
		case $part in
		plain) name='games, inverse actions not given; not complete after 9; wrong' most=4 ;;
		slips) name='games, 2 % of the actions slip; not complete after 9; wrong' most=8 ;;
		esac
		[ -e "$(echo "$1"/$part-*.tsv | sed 's/ .*//')" ] || continue
		learned "$1"/$part-*.tsv
		row 2B "$name" '-' "$games; $never; $wrong" "high end <= $most; 0; 0" \
		    "$(verdict "$never == 0 && $wrong == 0 && $high <= $most")"
	done
	for agent in cover eager upright frontier tracker oracle; do
		[ -e "$1/$agent.tsv" ] || continue
		reward=$(rewards "$1/$agent.tsv")
		# shellcheck disable=SC2086 # two words
		reward=$(interval $reward)
		low=${reward#*\[} high=${reward#*, }
		low=${low%%,*} high=${high%]}
		case $agent in
		cover) row 2B 'reward: Hamiltonian cycle, then plans' '26.4+-0.17' \
		    "$reward" 'low end >= 26.4' "$(verdict "$low >= 26.4")" ;;
		eager) row 2B 'reward: random actions, then plans' '17.3+-0.57' \
		    "$reward" 'low end >= 17.3' "$(verdict "$low >= 17.3")" ;;
		upright) row 2B 'reward: random actions up and right, then plans' '-' "$reward" '-' '-' ;;
		frontier) row 2B 'reward: to unseen states, then plans' '-' "$reward" '-' '-' ;;
		tracker) row 2B 'reward: tracker, belief over all bindings' '-' "$reward" 'low end >= 28.7' \
		    "$(verdict "$low >= 28.7")" ;;
		oracle) row 2B 'reward: oracle, binding given' '-' "$reward" '31.6 within' \
		    "$(verdict "$low - .05 <= 31.6 && 31.6 <= $high + .05")" ;;
		esac
	done
	# shellcheck disable=SC2046 # words
	set -- "$1" $(first_task "$1/cover.tsv")
	row 2C 'steps of the first task, Hamiltonian cycle' '18+-0.09' "$2+-$3" \
	    '<= 18.3' "$(verdict "$2 <= 18.3")"
	# shellcheck disable=SC2046 # words
	set -- "$1" $(late 6 16 "$1/cover.tsv")
	row 2C 'later tasks that take more than a shortest path' '0' \
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
		draw_scene 'A: exploration (grey), one task (red)' "$dir/a" 2.5
		cat <<-EOF
		set title 'B: reward against games learned from'
		set xlabel 'games learned from'; set ylabel 'reward in a game of 100 steps'
		set yrange [0:35]; set xrange [.5:9.5]; set xtics 1; set key bottom right
		plot '$dir/b.tracker' with yerrorlines lw 2 pt 7 lc rgb '#2ca02c' title 'tracker', \
		    '$dir/b.cover' with yerrorlines lw 2 pt 7 lc rgb '#1f77b4' title 'Hamiltonian cycle', \
		    '$dir/b.eager' with yerrorlines lw 2 pt 7 lc rgb '#ff7f0e' title 'random actions', \
		    $best with lines dt 3 lw 2 lc rgb '#404040' title 'oracle', \
		    26.4 with lines dt 2 lc rgb '#1f77b4' title 'paper: cycle 26.4', \
		    17.3 with lines dt 2 lc rgb '#ff7f0e' title 'paper: random 17.3'
		EOF
		draw_tasks C "$optimum" "$dir/c.tracker" tracker "$dir/c.cover" 'Hamiltonian cycle' "$dir/c.eager" 'random actions'
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 1300 420 <"$dir/commands"
}

what=$1
shift
case $what in
rows | draw) $what "$@" ;;
*) echo "mpg-rows.sh: no '$what'" >&2; exit 2 ;;
esac
