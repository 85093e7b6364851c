#!/bin/sh
# labyrinth.sh - from a recording to a map: a mouse in a labyrinth, tracked at 30
# frames a second
#
#	sh labyrinth.sh [DIRECTORY]     # 100,000 rows of positions, simulated
#
# Writes track.csv, train.gz, test.gz, map.gz and map.svg.  The observation is the
# pattern of walls around the mouse; there are at most 16 patterns for 49 cells, so
# most cells are aliased.  Tracking is lost at random times.
set -e
mkdir -p "${1:-.}"
cd "${1:-.}"

# A labyrinth of 7 x 7 cells of 20 cm, a spanning tree by depth-first search; the
# mouse runs from cell to cell and sometimes turns back.
awk -v rows="${ROWS:-100000}" '
function random(n) { seed = (seed * 16807) % 2147483647
	return int(seed / 2147483647 * n) }
function noise() { return (random(1000) + random(1000) - 999) / 1000 * 0.6 }
function dig(c,    k, d, tries, n) {
	seen[c] = 1
	for (tries = 0; tries < 24; tries++) {
		d = random(4); n = next_cell(c, d)
		if (n < 0 || n in seen) continue
		open_to[c, d] = 1; open_to[n, (d + 2) % 4] = 1
		dig(n)
	}
}
function next_cell(c, d) { # east, north, west, south
	if (d == 0) return c % 7 < 6 ? c + 1 : -1
	if (d == 1) return c < 42 ? c + 7 : -1
	if (d == 2) return c % 7 > 0 ? c - 1 : -1
	return c >= 7 ? c - 7 : -1
}
function walls(c,    d, w) { w = ""
	for (d = 0; d < 4; d++) w = w (open_to[c, d] ? "." : "#")
	return w }
BEGIN {
	seed = 4
	dig(0)
	print "t,px,py,likelihood,wall"
	for (c = last = 0; t < rows; c = n) {
		# Turning back is less probable than other directions.
		m = 0
		for (d = 0; d < 4; d++)
			if (open_to[c, d] && (d != (last + 2) % 4 || !random(3)))
				way[m++] = d
		d = m ? way[random(m)] : (last + 2) % 4
		if (!open_to[c, d]) for (d = 0; !open_to[c, d]; d++) ;
		n = next_cell(c, d); last = d
		frames = 6 + random(6)
		for (f = 0; f < frames && t < rows; f++) {
			s = f / frames
			x = 20 * (c % 7 + 0.5 + s * (n % 7 - c % 7)) + noise()
			y = 20 * (int(c / 7) + 0.5 + s * (int(n / 7) - int(c / 7))) + noise()
			lost = t % 3000 > 2980
			printf "%.4f,%.2f,%.2f,%s,%s\n", t / 30, x, y,
			    lost ? "0.05" : "0.98", walls(s < 0.5 ? c : n)
			t++
		}
	}
}' >track.csv

# Three commands: a walk, a map with its score on held-out data, a figure.
walkconv --bin px,py --cell 20 --moves --derive-actions compass4 --see wall \
    --gap 0.2 --test test.gz track.csv -o train.gz
cscg-learn train.gz | tee map.gz | cscg-score - -w test.gz
cscg-show --as svg --title 'a labyrinth' map.gz -o map.svg
