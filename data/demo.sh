#!/bin/sh
# demo.sh - make two rooms, learn them from walks, draw both (make demo)
#
# The commands are printed before they run.  Files and pictures go to $BUILD/demo.
set -eu
: "${BUILD:=build}"
BUILD=$(cd "$BUILD" && pwd)
PATH=$BUILD:$PATH
rm -rf "$BUILD/demo"
mkdir "$BUILD/demo"
cd "$BUILD/demo"

run() { # COMMAND
	printf '$ %s\n' "$1"
	eval "$1"
}

# Column 2 of the row that starts with KEY.
value() { # KEY FILE
	awk -v key="$1" '$1 == key { print $2 }' "$2"
}

learn() { # KIND
	run "roomgen $1 -o $1.room.gz"
	run "cscg-show $1.room.gz"
	run "roomwalk -n 50000 -o $1.walk.gz $1.room.gz"
	a=$(date +%s%N)
	run "cscg-learn -o $1.map.gz $1.walk.gz"
	took=$((($(date +%s%N) - a) / 10000000))
	run "roomwalk -n 5000 -s 1 -o $1.fresh.gz $1.room.gz"
	run "cscg-show --truth $1.room.gz -w $1.fresh.gz $1.map.gz | tee $1.truth.tsv"
	run "cscg-score -w $1.fresh.gz $1.map.gz | tee $1.score.tsv"
	{
		printf '%s: learned from 50000 steps in %d.%02d s\n' "$1" \
		    $((took / 100)) $((took % 100))
		printf '  %s states for %s nodes, purity %s, isomorphic: %s\n' \
		    "$(value states "$1.truth.tsv")" \
		    "$(value nodes "$1.truth.tsv")" \
		    "$(value purity "$1.truth.tsv")" \
		    "$(value isomorphic "$1.truth.tsv")"
		awk '$1 == "0" { printf "  NLL of another walk: " \
		    "%.4f nats a step\n", $4 }' "$1.score.tsv"
	} >>result
}

draw() { # NAME COMMAND
	command -v dot >/dev/null || return 0
	run "$2 | dot -Tsvg -o $1.svg -Tpng -o $1.png"
	printf '  %s/%s.svg\n  %s/%s.png\n' "$PWD" "$1" "$PWD" "$1" >>pictures
}

printf '\nA square with a hole: all inner nodes emit the same symbol.\n\n'
learn hole
draw hole.room 'cscg-show --as dot hole.room.gz'
draw hole.map 'cscg-show --as dot hole.map.gz'

printf '\nA torus: opposite sides are connected.\n\n'
learn torus
draw torus.room 'cscg-show --as dot torus.room.gz'
# A torus has no planar layout: draw its states at the coordinates of the nodes.
draw torus.map 'cscg-show --as dot --truth torus.room.gz -w torus.fresh.gz torus.map.gz'

printf '\nResults:\n\n'
cat result
if [ -e pictures ]; then
	printf '\nPictures of the rooms, and of the maps learned from walks in them:\n\n'
	cat pictures
else
	printf '\nNo pictures: dot(1) of Graphviz is missing (make deps).\n'
fi
