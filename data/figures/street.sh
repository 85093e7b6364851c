#!/bin/sh
# street.sh - One-Shot StreetLearn (fig-street)
#
#   street.sh rooms COUNT SEED [STREETS]    neighbourhoods of a random town, or of
#       the streets in file STREETS
#   street.sh play AGENT ROOMS SEED [LOG]   the tasks (tasks.sh) of one episode in
#       each neighbourhood, played by
#       cover      tries every action at every view, collecting goals on its path;
#                  then learns a CSCG from the walk and plans on it, again after
#                  each step
#       informed   learns while it collects; left is given as the inverse of right
#       plain      learns while it collects, without the inverse
#       oracle     the map is given
#   street.sh graphs ROOMS N SEED    one line for each of the first N: whether the
#       graph learned by cover is the true one, missing and spurious edges
#   street.sh graph ROOMS I SEED     the graph learned in the I-th, as DOT
#   street.sh size ROOMS    mean number of views, mean distance to a goal
. "$(dirname "$0")/common.sh"
what=$1
shift
scratch

# All agents start without a model in each episode.
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

# learn ROOMS I SEED: the I-th room in $dir/room, the model that cover learns in it
# in $dir/learned
learn()
{
	one "$1" "$2" >"$dir/room"
	how=$(agent cover)
	# shellcheck disable=SC2086 # options
	cscg-plan $how --goal env --as summary -s "$3" --save "$dir/learned" -- \
	    roomserve --task street -s $(($3 + $2)) "$dir/room" >/dev/null
}

# The oracle has one map for each room, so it plays them one by one.
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
	# shellcheck disable=SC2086 # options
	cscg-plan $how --goal env --episodes 0 --new-world --as summary -s "$3" -- \
	    roomserve --task street -s "$3" --log "$dir/log" "$2" >"$dir/out"
	[ -z "${4:-}" ] || into "$4" cat "$dir/log"
	sh "$(dirname "$0")/tasks.sh" "$2" "$dir/log" ;;
graphs)
	i=1
	while [ $i -le "$2" ]; do
		learn "$1" $i "$3"
		# Status 1: the graph is not the true one.
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
