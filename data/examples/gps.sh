#!/bin/sh
# gps.sh - from GPS tracks with gaps to a map of streets
#
#	sh gps.sh [DIRECTORY]           # six trips, simulated
#
# Each trip is a file.  Fixes come every second, except in tunnels: such gaps become
# resets.  The observation is the name of the avenue, the same at three of its five
# crossings; actions are directions.
set -e
mkdir -p "${1:-.}"
cd "${1:-.}"

# A town of 5 x 4 crossings, 0.001 degrees apart.  Each avenue has a gate at its
# western end and a bridge in the middle.
for trip in 1 2 3 4 5 6; do
	awk -v seed=$((trip * 7919)) '
	function random(n) { seed = (seed * 16807) % 2147483647
		return int(seed / 2147483647 * n) }
	function place(i, j) { # what the map of the driver says
		return avenue[j + 1] (i == 0 ? " gate" : i == 2 ? " bridge" : "") }
	BEGIN {
		split("park market harbour station", avenue, " ")
		print "time,lat,lon,street"
		i = random(5); j = random(4); heading = 0
		for (k = 0; k < 600; k++) {
			do { d = random(4)
				u = i + (d == 0) - (d == 2); v = j + (d == 1) - (d == 3)
			} while (u < 0 || u > 4 || v < 0 || v > 3 || d == (heading + 2) % 4 && random(5))
			heading = d
			for (s = 0; s < 10; s++) {
				t++
				if (k % 60 == 59) continue # a tunnel
				lon = 8.5 + 0.001 * (i + 0.5 + (u - i) * s / 10)
				lat = 47.3 + 0.001 * (j + 0.5 + (v - j) * s / 10)
				street = s < 5 ? place(i, j) : place(u, v)
				printf "2024-05-0%dT%02d:%02d:%02dZ,%.6f,%.6f,%s\n",
				    1 + int(t / 36000), 8 + int(t / 3600) % 10,
				    int(t / 60) % 60, t % 60, lat, lon, street
			}
			i = u; j = v
		}
	}' >trip$trip.csv
done

walkconv --bin lon,lat --cell 0.001 --moves --derive-actions compass4 \
    --see street --gap 5 --test test.gz trip*.csv -o train.gz
cscg-learn train.gz | tee map.gz | cscg-score - -w test.gz
cscg-show --as svg --title 'a town' map.gz -o map.svg
