#!/bin/sh
# learn-noise.sh CASE SEED... - graphs found by cscg-learn from noisy walks in rooms
# (fig-learn)
#
#   slip-P      actions fail with probability P
#   misread-P   symbols are redrawn with probability P
#
# The seed determines the room: 5 x 6, 7 x 8 or 10 x 11 nodes (seed modulo 3), with
# labelled border (odd) or 12 random symbols (even).  The walk has 50,000 steps
# (STEPS).
#
# Prints a row for each seed: case, seed, nodes, states, whether the likeliest
# transitions are the graph of the room (yes, no), whether a wrong graph is a failure
# of the search (yes: the true graph has the higher BIC on the same walk; no; "-": the
# graph is right), nats per step on 10,000 other steps by the learned and by the true
# model, CPU seconds with and without noise in the walk, the misreading probability of
# the model, warning (yes, no).
. "$(dirname "$0")/learn-common.sh"
[ $# -ge 2 ] || { echo 'usage: learn-noise.sh CASE SEED...' >&2; exit 2; }
case=$1 p=${1#*-}
shift
scratch

world() # SEED: the room, its true model, and walks with and without noise
{
	size=$(echo "5x6 7x8 10x11" | cut -d ' ' -f $(($1 % 3 + 1)))
	obs=border slip=0 misread=0
	[ $(($1 % 2)) = 1 ] || obs=random:12
	case $case in
	slip-*) slip=$p ;;
	misread-*) misread=$p ;;
	*) echo "learn-noise.sh: no '$case'" >&2; exit 2 ;;
	esac
	roomgen rectangle --size "$size" --obs $obs -s "$1" -o "$dir/room"
	roomgen room "$dir/room" --slip "$slip" -o "$dir/slippery"
	roomgen room "$dir/room" --slip "$slip" --as model --no-gzip |
	    sed "s/\"version\":1,/\"version\":2,\"misread\":$misread,/" >"$dir/true"
	roomwalk -n "${STEPS:-50000}" --misread "$misread" -s "$1" "$dir/slippery" -o "$dir/walk"
	roomwalk -n "${STEPS:-50000}" -s "$1" "$dir/room" -o "$dir/clean"
	roomwalk -n 10000 --misread "$misread" -s $(($1 + 100000)) "$dir/slippery" -o "$dir/test"
}

printf '#case\tseed\tnodes\tstates\tright\tsearch\tnats\ttrue_nats\tcpu\tclean_cpu\tmisread\twarning\n'
for seed; do
	world "$seed"
	learn "$dir/clean" || true
	clean=$cpu
	learn "$dir/walk" || { printf '%s\t%s\t-\t-\tunfinished\t-\t-\t-\t%s\t%s\t-\t-\n' "$case" "$seed" "$cpu" "$clean"; continue; }
	right=no
	! cscg-show --min-prob 0.5 --truth "$dir/room" "$dir/model" >"$dir/show" || right=yes
	read_show
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%.4f\t%.4f\t%s\t%s\t%s\t%s\n' "$case" "$seed" "$nodes" \
	    "$states" $right "$(search_failed $right)" "$(fresh "$dir/model")" \
	    "$(fresh "$dir/true")" "$cpu" "$clean" "$(misread_of "$dir/model")" "$warning"
done
