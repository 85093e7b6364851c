#!/bin/sh
# tasks.sh ROOMS LOG - the result of each task, from a log of roomserve (fig-mpg,
# fig-street)
#
# A task begins with an episode or after a reward, and ends with the next reward.
# One line for each:
#   episode task begin steps optimum seen untried
# begin: its first step in the episode; steps: actions until the reward, "collect"
# included; optimum: the same along a shortest path in the room, "-" if the episode
# ends before the reward; seen, untried: nodes seen before the task begins, and
# actions not yet tried at them.
. "$(dirname "$0")/common.sh"
rooms=$1 log=$2
scratch
gzip -dcf "$rooms" >"$dir/rooms"
walkconv --as tsv "$log" | awk -F '\t' -v rooms="$dir/rooms" '
function key(line, word, s) {
	s = substr(line, index(line, "\"" word "\":") + length(word) + 3)
	return s
}
function read_rooms(line, s, part, cell, a, v, n) {
	while ((getline line <rooms) > 0) {
		n_nodes[n_rooms] = key(line, "n_nodes") + 0
		n_actions = key(line, "n_actions") + 0
		s = key(line, "next")
		s = substr(s, 3, index(s, "]]") - 3)
		split(s, part, /\],\[/)
		for (a = 1; a <= n_actions; a++) {
			n = split(part[a], cell, ",")
			for (v = 1; v <= n; v++)
				to[n_rooms, a, v - 1] = cell[v] + 0
		}
		n_rooms++
	}
}
# the distance from node u to node v of room i
function moves(i, u, v, head, tail, a, w, y, queue, far) {
	queue[0] = u; far[u] = 0; tail = 1
	for (head = 0; head < tail; head++) {
		w = queue[head]
		if (w == v)
			return far[w]
		for (a = 1; a <= n_actions; a++) {
			y = to[i, a, w]
			if (!(y in far)) {
				far[y] = far[w] + 1
				queue[tail++] = y
			}
		}
	}
	return "never"
}
function meet(z) {
	if (!(z in seen)) {
		seen[z]
		n_seen++
		n_untried += n_actions
	}
}
function begin_task() {
	task++; began = t; from = $z; seen_then = n_seen; untried_then = n_untried
}
function end_task(optimum) {
	print episode, task, began, t - began, optimum, seen_then, untried_then
}
BEGIN {
	OFS = FS
	n_rooms = 0
	read_rooms()
	print "#episode", "task", "begin", "steps", "optimum", "seen", "untried"
}
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i
	z = col["z"]; r = col["r"]; act = col["a"]; reset = col["reset"]; next }
$1 != episode || NR == 2 {
	if (NR > 2)
		end_task("-")
	episode = $1; t = 0; task = 0; n_seen = n_untried = 0
	split("", seen); split("", tried)
	meet($z)
	begin_task()
	last = $z; did = $act
	next
}
{
	t++
	if (did != "collect" && !((last, did) in tried)) {
		tried[last, did]
		n_untried--
	}
	meet($z)
	if ($r > 0) {
		end_task(moves(episode % n_rooms, from, last) + 1)
		begin_task()
	}
	last = $z; did = $act
}
END { if (NR > 1) end_task("-") }'
