#!/bin/sh
# learn-noise.sh - rooms learned from noisy walks by the defaults of cscg-learn
#
#   learn-noise.sh SIZE OBS SLIP MISREAD SEED [STEPS]
#       one TSV row: size, obs, slip, misread, seed, nodes, states, 1 if the
#       likeliest transitions are the room's graph, the misreading probability of
#       the model, nats a step on a held-out walk of 10,000 steps, CPU seconds.
#       SIZE and OBS are those of roomgen; STEPS is 50000 unless given.
. "$(dirname "$0")/common.sh"
size=$1 obs=$2 slip=$3 misread=$4 seed=$5 steps=${6:-50000}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
roomgen rectangle --size "$size" --obs "$obs" -s "$seed" -o "$dir/truth.gz"
roomgen rectangle --size "$size" --obs "$obs" --slip "$slip" -s "$seed" -o "$dir/room.gz"
roomwalk -n "$steps" --misread "$misread" -s "$seed" "$dir/room.gz" -o "$dir/walk.gz"
roomwalk -n 10000 --misread "$misread" -s $((seed + 1000)) "$dir/room.gz" -o "$dir/test.gz"
# times counts the children of the subshell, cscg-learn alone.
(cscg-learn -j 1 "$dir/walk.gz" -o "$dir/model.gz" 2>/dev/null; times >"$dir/times")
cpu=$(awk 'NR == 2 { sub(/s$/, "", $1); split($1, t, "m"); print t[1] * 60 + t[2] }' "$dir/times")
nodes=$(cscg-show "$dir/truth.gz" | sed -n '1s/.*: \([0-9]*\) nodes.*/\1/p')
states=$(cscg-show "$dir/model.gz" | sed -n '1s/.*: \([0-9]*\) state.*/\1/p')
eps=$(cscg-show "$dir/model.gz" | awk '$1 == "misreading" { print $2 }')
nats=$(cscg-score "$dir/model.gz" -w "$dir/test.gz" | awk 'NR == 2 { print $4 }')
right=$(cscg-show --min-prob 0.5 --truth "$dir/truth.gz" "$dir/model.gz" >/dev/null 2>&1 && echo 1 || echo 0)
printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$size" "$obs" "$slip" \
    "$misread" "$seed" "$nodes" "$states" "$right" "${eps:-0}" "$nats" "$cpu"
