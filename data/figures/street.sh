#!/bin/sh
# street.sh - One-Shot StreetLearn (fig-street)
#
#   street.sh rooms COUNT SEED [STREETS]    neighbourhoods of a random town,
#       or of the streets in that file
#   street.sh play AGENT ROOMS SEED [LOG]   tasks.sh of an episode in each, by
#       cover      tries every action after everything it sees, collecting what
#                  it meets; then learns a CSCG from that, plans on it, and plans
#                  again after each step
#       informed   learns while it collects, knows that left undoes right
#       plain      the same, but does not know that
#       oracle     knows the map
#   street.sh graphs ROOMS N SEED    in the first N: is what cover has learned the
#       true graph?  A line each: yes or no, missing and spurious edges
#   street.sh graph ROOMS I SEED     what it has learned in the I-th, as DOT
#   street.sh size ROOMS    mean number of views, and mean moves to a goal
. "$(dirname "$0")/common.sh"
what=$1
shift
scratch

# The agents all start again in each episode.
agent() # NAME: its options
{
	case $1 in
	cover) echo --explore cover --explore-until tried --replan step ;;
	informed) echo --agent informed --inverse left,right ;;
	plain) echo --agent informed ;;
	*) echo "street.sh: no agent '$1'" >&2; exit 2 ;;
	esac
}

# one ROOMS I: the I-th room of them, from 1
one()
{
	gzip -dcf "$1" | sed -n "$2p"
}

count()
{
	gzip -dcf "$1" | wc -l
}

# learn ROOMS I SEED: what cover learns in the I-th, into $dir/learned, and the
# true room into $dir/room
learn()
{
	one "$1" "$2" >"$dir/room"
	how=$(agent cover)
	# shellcheck disable=SC2086 # options
	cscg-plan $how --goal env --as summary -s "$3" --save "$dir/learned" -- \
	    roomserve --task street -s $(($3 + $2)) "$dir/room" >/dev/null
}

# An oracle has a map of each room: it plays them one by one.
oracle() # ROOMS SEED
{
	n=$(count "$1") i=1
	printf '#episode\ttask\tbegin\tsteps\toptimum\tseen\tuntried\n'
	while [ $i -le "$n" ]; do
		one "$1" $i >"$dir/room"
		roomgen room "$dir/room" --as model -o "$dir/map"
		cscg-plan "$dir/map" --goal env --as summary -- roomserve --task street \
		    -s $(($2 + i)) --log "$dir/log" "$dir/room" >/dev/null
		sh "$(dirname "$0")/tasks.sh" "$dir/room" "$dir/log" |
		    awk -F '\t' -v e=$((i - 1)) '!/^#/ { $1 = e; print }' OFS='\t'
		i=$((i + 1))
	done
}

case $what in
rooms)
	roomgen street --count "$1" -s "$2" ${3:+--streets "$3"} ;;
play)
	if [ "$1" = oracle ]; then
		oracle "$2" "$3"
		exit
	fi
	how=$(agent "$1")
	log=${4:-$dir/log}
	# shellcheck disable=SC2086 # options
	cscg-plan $how --goal env --episodes 0 --new-world --as summary -s "$3" -- \
	    roomserve --task street -s "$3" --log "$log" "$2" >"$dir/out"
	sh "$(dirname "$0")/tasks.sh" "$2" "$log" ;;
graphs)
	i=1
	while [ $i -le "$2" ]; do
		learn "$1" $i "$3"
		# That it is another graph is a valid answer.
		cscg-show --truth "$dir/room" "$dir/learned" >"$dir/found" || [ $? = 1 ]
		awk -F '\t' '{ v[$1] = $2 }
		END { print v["isomorphic"] "\t" v["missing"] "\t" v["spurious"] }' "$dir/found"
		i=$((i + 1))
	done ;;
graph)
	learn "$@"
	cscg-show --as dot --truth "$dir/room" "$dir/learned" ;;
size)
	gzip -dcf "$1" | awk '
	function key(word) {
		return substr($0, index($0, "\"" word "\":") + length(word) + 3)
	}
	function far(u, n, A, head, tail, a, w, y, s, queue, d) {
		queue[0] = u; d[u] = 0; tail = 1
		for (head = 0; head < tail; head++) {
			w = queue[head]; s += d[w]
			for (a = 1; a <= A; a++)
				if (!((y = to[a, w]) in d)) { d[y] = d[w] + 1; queue[tail++] = y }
		}
		return s / (tail - 1)
	}
	{
		n = key("n_nodes") + 0; A = key("n_actions") + 0; s = key("next")
		split(substr(s, 3, index(s, "]]") - 3), list, /\],\[/)
		for (a = 1; a <= A; a++) {
			split(list[a], cell, ",")
			for (v = 1; v <= n; v++) to[a, v - 1] = cell[v] + 0
		}
		s = 0
		for (v = 0; v < n; v++) s += far(v, n, A)
		views += n; moves += s / n
	}
	END { printf "%.1f %.2f\n", views / NR, moves / NR }' ;;
*) echo "street.sh: no '$what'" >&2; exit 2 ;;
esac
