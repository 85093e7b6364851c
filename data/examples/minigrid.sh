#!/bin/sh
# minigrid.sh - trajectories of an agent in a grid world, as MiniGrid records them
#
#	sh minigrid.sh [DIRECTORY]      # 5 episodes of 2000 steps, simulated
#
# The agent turns left, turns right or goes forward, and sees the cells in
# front of it and to its left and right.  A state of the map is a cell and a
# heading.
set -e
mkdir -p "${1:-.}"
cd "${1:-.}"

awk '
function random(n) { seed = (seed * 16807) % 2147483647
	return int(seed / 2147483647 * n) }
function at(d) { return floor_of[r + (d == 3) - (d == 1), c + (d == 0) - (d == 2)] }
function view() { return at(h) "/" at((h + 1) % 4) "/" at((h + 3) % 4) }
BEGIN {
	seed = 5
	# Two rooms and a door; letters are floors that the agent distinguishes.
	split("#########,#..k#...#,#.g..b..#,#...#..d#,#########", row, ",")
	name["#"] = "wall"; name["."] = "empty"; name["k"] = "key"
	name["g"] = "goal"; name["b"] = "ball"; name["d"] = "door"
	for (i = 1; i <= 5; i++) for (j = 1; j <= 9; j++)
		floor_of[i, j] = name[substr(row[i], j, 1)]
	split("left right forward", action, " ")
	print "episode,step,observation,action"
	for (e = 0; e < 5; e++) {
		do { r = 2 + random(3); c = 2 + random(7) } while (floor_of[r, c] == "wall")
		h = random(4)
		for (t = 0; t < 2000; t++) {
			a = 1 + (random(10) < 6 ? 2 : random(2))
			print e "," t "," view() "," action[a]
			if (a == 1) h = (h + 1) % 4
			else if (a == 2) h = (h + 3) % 4
			else if (at(h) != "wall") {
				r += (h == 3) - (h == 1); c += (h == 0) - (h == 2) }
		}
	}
}' >trajectories.csv

walkconv --test test.gz trajectories.csv -o train.gz
cscg-learn train.gz | tee map.gz | cscg-score - -w test.gz | tail -n 1
cscg-show --as svg --title 'two rooms' map.gz -o map.svg
