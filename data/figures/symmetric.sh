#!/bin/sh
# symmetric.sh - recognition of a torus, whose nodes are all equivalent, so that
# binding must break the symmetry (fig-symmetric)
#
#   symmetric.sh [WALKS [FIRST-SEED]]
#
# Walks of 400 steps in a torus of medium size, each with permuted symbols, are bound
# to the exact schemas of torus, cylinder and rectangle, emissions free and tied.
# Prints a line for each walk, in nats per step, and how often the torus is the best.
# The tools are found on PATH.
. "$(dirname "$0")/common.sh"
walks=${1:-50} first=${2:-7001}
scratch

for room in torus cylinder rectangle; do
	roomgen $room --size medium --as model -o "$dir/$room"
done

nats() { # TIE SCHEMA: nats per step of the walk
	cscg-bind --tie "$1" "$dir/$2" -w "$dir/walk" -o /dev/null --stats - |
	    sed -n 's/.*"stage":"best".*"nats_per_step":\([^,]*\),.*/\1/p'
}

printf '#seed\ttie\ttorus\tcylinder\trectangle\n'
seed=$first
while [ "$seed" -lt $((first + walks)) ]; do
	roomgen torus --size medium --permute -s "$seed" |
	    roomwalk -n 400 -s "$seed" -o "$dir/walk"
	for tie in none clones; do
		printf '%s\t%s\t%.6f\t%.6f\t%.6f\n' "$seed" $tie \
		    "$(nats $tie torus)" "$(nats $tie cylinder)" \
		    "$(nats $tie rectangle)"
	done
	seed=$((seed + 1))
done >"$dir/all"
cat "$dir/all"
awk '{ n[$2]++; won[$2] += $3 < $4 && $3 < $5 }
    END { for (t in n) printf "# %s: the torus is best in %d of %d\n", t, won[t], n[t] }' \
    "$dir/all" | sort
