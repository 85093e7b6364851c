#!/bin/sh
# mpg.sh - the Memory & Planning Game (fig-mpg)
#
#   mpg.sh learn SEED N SLIP [OPTION...]   schemas from random games in which
#       actions slip with probability SLIP, seeds SEED .. SEED+N-1, by cscg-learn
#       with these options; one line each: seed, games until the schema is
#       reported complete ("-": not after 9), whether it is the true graph
#   mpg.sh schema SEED       a schema of random games, the first that is complete
#   mpg.sh play AGENT SCHEMA SEED GAMES [LOG]      the tasks (tasks.sh) of this
#       number of games, played by
#       cover    a Hamiltonian cycle until all symbols are seen, then plans
#       eager    random actions while no plan is good enough
#       upright  random actions up and right while no plan is good enough
#       frontier unseen states first, while no plan is good enough
#       tracker  belief over all bindings
#       oracle   the true binding is given
#   mpg.sh curve SEED GAMES  lines: games to learn from (1 to 9), agent, mean
#       reward of GAMES further games.  The tracker needs a complete schema; with
#       an incomplete one the eager agent plays instead.
. "$(dirname "$0")/common.sh"
what=$1
shift
scratch

# walks SEED N [ROOM]: random games to learn from
walks()
{
	roomwalk -n 100 --episodes "$2" --permute-episodes -s "$1" "${3:-$dir/game}"
}

# play AGENT SCHEMA SEED GAMES LOG: one row for each game
play()
{
	agent=$1 model=$2 seed=$3 games=$4 log=$5
	world="roomserve --task game --episodes $games -s $seed --log $log $dir/game"
	case $agent in
	cover) set -- --explore up,up,up,right --explore-until seen --explore-only --confidence .8 ;;
	eager) set -- --explore random --confidence .8 ;;
	upright) set -- --explore random:up,right --confidence .8 ;;
	frontier) set -- --explore frontier --confidence .8 ;;
	tracker) set -- --agent tracker ;;
	oracle)
		roomgen room "$dir/game" --as model -o "$dir/true"
		model=$dir/true
		set -- --replan end
		world="roomserve --task goals --respawn yes -n 100 --episodes $games -s $seed --log $log $dir/game" ;;
	*) echo "mpg.sh: no agent '$agent'" >&2; exit 2 ;;
	esac
	# shellcheck disable=SC2086 # a command and its arguments
	cscg-plan "$model" --goal env --episodes 0 --new-world --as summary -s "$seed" "$@" \
	    -- $world
}

roomgen game -o "$dir/game"
case $what in
learn)
	seed=$1 end=$(($1 + $2))
	roomgen room "$dir/game" --slip "$3" -o "$dir/slips"
	shift 3
	while [ "$seed" -lt $end ]; do
		rm -f "$dir/stats"
		n=-
		walks "$seed" 9 "$dir/slips" | cscg-learn --shared-graph "$@" --until-complete \
		    --stats "$dir/stats" -q -s "$seed" -o "$dir/schema" &&
		    n=$(wc -l <"$dir/stats")
		right=$(cscg-show --truth "$dir/game" --labels ignore "$dir/schema" |
		    awk -F '\t' '$1 == "isomorphic" { print $2 }')
		printf '%s\t%s\t%s\n' "$seed" "$n" "$right"
		seed=$((seed + 1))
	done ;;
schema)
	walks "$1" 9 | cscg-learn --shared-graph --reversible --until-complete -s "$1" ;;
play)
	play "$1" "$2" "$3" "$4" "$dir/log" >"$dir/out"
	[ -z "${5:-}" ] || into "$5" cat "$dir/log"
	sh "$(dirname "$0")/tasks.sh" "$dir/game" "$dir/log" ;;
curve)
	for k in 1 2 3 4 5 6 7 8 9; do
		whole=yes
		walks "$1" $k | cscg-learn --shared-graph --reversible -q -s "$1" \
		    -o "$dir/schema" || whole=no
		for who in cover eager tracker; do
			as=$who
			[ "$who$whole" != trackerno ] || as=eager
			play $as "$dir/schema" $(($1 + 1000 * k)) "$2" "$dir/log" >"$dir/out"
			awk -F '\t' -v k=$k -v who=$who '!/^#/ { n++; s += $5 }
			END { print k "\t" who "\t" s / n }' "$dir/out"
		done
	done ;;
*) echo "mpg.sh: no '$what'" >&2; exit 2 ;;
esac
