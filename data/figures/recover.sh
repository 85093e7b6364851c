#!/bin/sh
# recover.sh NAME [SEED...] - compare graphs learned from walks with the true ones
# (fig-recover)
#
# Prints a line for each seed.  NAME is a room of the list below, or slip-STEPS
# for a room in which one action in ten slips.  The tools are on PATH.  $STEPS, if
# set, is the length of the walks; $DRAW is the name of a drawing of the first graph.
. "$(dirname "$0")/common.sh"
name=$1
shift
[ $# -gt 0 ] || set -- 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010
scratch

steps=100000
case $name in
rectangle | hole | ushape | cylinder | torus) room=$name steps=50000 ;;
*-*x*) # KIND-ROWSxCOLS
	room="${name%-*} --size ${name##*-}" ;;
digit-*) room="digit ${name#digit-}" ;;
slip-*) room='rectangle --size 5x6 --slip 0.1' steps=${name#slip-} ;;
*) echo "recover.sh: no room '$name'" >&2; exit 2 ;;
esac
steps=${STEPS:-$steps}

# Status 1: the graph is not isomorphic to the room's.
compare() { # WALK
	cscg-show --truth "$dir/room" -w "$1" "$dir/map" >"$dir/truth" ||
	    [ $? = 1 ]
}

value() { # KEY
	awk -v key="$1" '$1 == key { print $2 }' "$dir/truth"
}

# The largest number of clones of a symbol.
clones() {
	cscg-show --as nodes "$dir/map" |
	    awk '!/^#/ && ++n[$2] > most { most = n[$2] } END { print most }'
}

# The largest absolute difference of any entry of T between the model and the
# frequencies of the walk, the model and the room, and the walk and the room.  The
# node of a state is the one it is most often decoded at; rows of states with the same
# node are averaged by how often each state occurs.
distances() { # MODEL
	cscg-score --decode -w "$dir/walk" "$1" >"$dir/decoded"
	cscg-show --as tsv "$1" >"$dir/learned"
	cscg-show --as tsv "$dir/room" >"$dir/true"
	awk -F '\t' '
	function off(p, q, k, d, most) {
		most = 0
		for (k in seen) {
			d = p[k] - q[k]
			if (d < 0) d = -d
			if (d > most) most = d
		}
		return most
	}
	BEGIN { split("up down left right", action, " ") }
	FNR == 1 { file++; next }
	file == 1 { # episode t x a state node
		if ($5 != "-" && ++both[$5, $6] > best[$5]) {
			best[$5] = both[$5, $6]
			node[$5] = $6
		}
		visits[$5]++
		if ($2 > 0) { count[from, $6]++; row[from]++ }
		from = $4 == "-" ? "" : action[$4 + 1] SUBSEP $6
	}
	file == 2 && FNR == 2 {
		for (s in node) there[node[s]] += visits[s]
	}
	file == 2 && ($2 in node) && ($3 in node) {
		learned[$1, node[$2], node[$3]] += \
		    $4 * visits[$2] / there[node[$2]]
		seen[$1, node[$2], node[$3]]
	}
	file == 3 { true[$1, $2, $3] = $4; seen[$1, $2, $3] }
	END {
		for (k in count) {
			split(k, part, SUBSEP)
			walk[k] = count[k] / row[part[1], part[2]]
			seen[k]
		}
		printf "%.4f\t%.4f\t%.4f", off(learned, walk),
		    off(learned, true), off(walk, true)
	}' "$dir/decoded" "$dir/learned" "$dir/true"
}

case $name in
slip-*) echo '#room	steps	seed	nodes	states	seconds	learned_walk	learned_true	walk_true	told_walk	told_true' ;;
*) echo '#room	steps	seed	nodes	states	clones	seconds	train_purity	train_same	fresh_purity	fresh_same	nats' ;;
esac
for seed; do
	# shellcheck disable=SC2086 # several words
	roomgen $room -s "$seed" -o "$dir/room"
	roomwalk -n "$steps" -s "$seed" -o "$dir/walk" "$dir/room"
	roomwalk -n "$steps" -s $((seed + 500000)) -o "$dir/fresh" "$dir/room"
	a=$(date +%s%N)
	cscg-learn -s "$seed" -o "$dir/map" "$dir/walk"
	took=$((($(date +%s%N) - a) / 10000000))
	took=$(printf '%d.%02d' $((took / 100)) $((took % 100)))
	if [ "${DRAW-}" ] && there dot; then
		cscg-show --as dot "$dir/map" |
		    dot -Tsvg -o "$dir/svg" -Tpng -o "$dir/png"
		whole "$dir/svg" '</svg>'
		whole "$dir/png" IEND
		into "$DRAW.png" cat "$dir/png"
		into "$DRAW.svg" cat "$dir/svg"
		DRAW=
	fi
	compare "$dir/walk"
	printf '%s\t%s\t%s\t%s\t%s\t' "$name" "$steps" "$seed" \
	    "$(value nodes)" "$(value states)"
	case $name in
	slip-*)
		# The nodes are hidden, so a learner cannot reach the frequencies of the walk; EM
		# initialised with the true model shows what it can reach.
		# shellcheck disable=SC2086
		roomgen $room -s "$seed" --as model -o "$dir/told"
		cscg-learn --init "$dir/told" --structure none --tolerance 0 \
		    --iterations 100 -o "$dir/best" "$dir/walk"
		ours=$(distances "$dir/map")
		told=$(distances "$dir/best")
		printf '%s\t%s\t%s\n' "$took" "$ours" "${told%	*}" ;;
	*)
		printf '%s\t%s\t%s\t%s\t' "$(clones)" "$took" \
		    "$(value purity)" "$(value isomorphic)"
		compare "$dir/fresh"
		printf '%s\t%s\t%s\n' "$(value purity)" "$(value isomorphic)" \
		    "$(cscg-score -w "$dir/fresh" "$dir/map" |
		    awk '$1 == 0 { printf "%.5f", $4 }')" ;;
	esac
done
