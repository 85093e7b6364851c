#!/bin/sh
# learn-clean.sh CASE SEED... - graphs found by cscg-learn from walks without noise
# in deterministic worlds (fig-learn)
#
#   debruijn-N     De Bruijn graph of order N: a state is the last N bits, an
#                  action shifts a bit in, the symbol is the oldest bit; 20,000 steps
#   walls-HxW      room whose symbols are wall patterns, 50,000 steps
#   random-K-HxW   room with K random symbols, 250 steps a node, 100 above 800
#                  nodes
#   border-HxW     room with one symbol inside, 50,000 steps
#   maze-walls     corridor maze of 5 x 6 cells with wall patterns, 8,000 steps
#   maze-five      this maze with one symbol, except in five cells
#   maze-one       this maze with one symbol, except in three cells
#   policy-HOW     room of 7 x 7 cells with one symbol inside, walked in straight
#                  runs (runs:4), with a bias (bias:4) or along the wall (wall);
#                  20,000 steps
#   short-N        room of 6 x 7 nodes, with one symbol inside for odd seeds and ten
#                  random symbols for even ones; N steps
#
# Prints a row for each seed: case, seed, nodes, states, whether the graph is
# isomorphic to that of the world, with a policy or of a short walk to that of the nodes
# and transitions of the walk (yes, no; unfinished: not after LIMIT CPU seconds, 60),
# whether a wrong
# graph is a failure of the search (yes: the true graph has the higher BIC on the same
# walk; no: it has not, so that this walk does not identify it by this score; "-": the
# graph is right), nats per step on 4,000 other steps by default, and by EM with twice
# as many clones as nodes ("-": not run, as with EM=no), CPU seconds, warning (yes,
# no).
. "$(dirname "$0")/learn-common.sh"
[ $# -ge 2 ] || { echo 'usage: learn-clean.sh CASE SEED...' >&2; exit 2; }
case=$1
shift
scratch

debruijn() # ORDER: a room on standard output
{
	awk -v k="$1" 'BEGIN {
		n = 2 ^ k
		printf "{\"format\":\"cscg-room\",\"version\":1,\"n_nodes\":%d,\"n_actions\":2,\"n_obs\":2,\"obs\":[", n
		for (v = 0; v < n; v++) printf "%s%d", v ? "," : "", (v >= n / 2)
		for (a = 0; a < 2; a++) {
			printf a ? "],[" : "],\"next\":[["
			for (v = 0; v < n; v++) printf "%s%d", v ? "," : "", 2 * v % n + a
		}
		print "]]}"
	}'
}

# A spanning tree of a grid by depth-first search: the map and its blocked moves.
maze() # one|five|walls SEED
{
	awk -v kind="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		H = 5; W = 6; N = H * W
		dr[0] = -1; dr[1] = 1; dc[2] = -1; dc[3] = 1
		split("up down left right", name, " ")
		seen[0] = top = 1; stack[1] = 0
		while (top) {
			v = stack[top]; r = int(v / W); c = v % W; m = 0
			for (a = 0; a < 4; a++) {
				y = r + dr[a]; x = c + dc[a]
				if (y >= 0 && y < H && x >= 0 && x < W && !((y * W + x) in seen))
					way[m++] = a
			}
			if (!m) { top--; continue }
			a = way[int(rand() * m)]
			u = (r + dr[a]) * W + c + dc[a]
			open[v, a] = open[u, a % 2 ? a - 1 : a + 1] = 1
			seen[u] = 1; stack[++top] = u
		}
		for (i = 0; i < (kind == "five" ? 5 : 3); i++) {
			do v = int(rand() * N); while (v in mark)
			mark[v] = substr("xyzvw", i + 1, 1)
		}
		for (r = 0; r < H; r++) {
			for (c = 0; c < W; c++) {
				v = r * W + c; bits = 0
				for (a = 0; a < 4; a++) bits += 2 ^ a * !((v, a) in open)
				printf "%s", kind != "walls" ? (v in mark ? mark[v] : "o") : substr("abcdefghijklmnop", bits + 1, 1)
			}
			print ""
		}
		print ""
		for (v = 0; v < N; v++) for (a = 0; a < 4; a++) {
			r = int(v / W); c = v % W; y = r + dr[a]; x = c + dc[a]
			if (y >= 0 && y < H && x >= 0 && x < W && !((v, a) in open))
				printf "block %d,%d %s\n", r, c, name[a + 1]
		}
	}' | roomgen map -
}

world() # SEED: $dir/room, and steps and policy of the walk
{
	size=${case##*-} policy=random steps=50000
	case $case in
	debruijn-*) debruijn "$size" >"$dir/room"; steps=20000 ;;
	walls-*) roomgen rectangle --size "$size" --obs walls -s "$1" -o "$dir/room" ;;
	random-*)
		k=${case#random-}
		roomgen rectangle --size "$size" --obs "random:${k%-*}" -s "$1" -o "$dir/room"
		steps=$((250 * ${size%x*} * ${size#*x}))
		[ $steps -le 200000 ] || steps=$((steps * 2 / 5)) ;;
	border-*) roomgen rectangle --size "$size" -s "$1" -o "$dir/room" ;;
	maze-*) maze "$size" "$1" >"$dir/room"; steps=8000 ;;
	short-*)
		obs=border
		[ $(($1 % 2)) = 1 ] || obs=random:10
		roomgen rectangle --size 6x7 --obs $obs -s "$1" -o "$dir/room"
		steps=$size ;;
	policy-*) roomgen rectangle --size 7x7 -s "$1" -o "$dir/room"; policy=$size steps=20000 ;;
	*) echo "learn-clean.sh: no '$case'" >&2; exit 2 ;;
	esac
}

visited_right() # whether states and transitions of the walk are those of the room
{
	awk '{ v[$1] = $2 }
	END { print (v["states"] == v["nodes_visited"] && v["purity"] == 1 && v["spurious"] == 0) ? "yes" : "no" }' "$dir/show"
}

printf '#case\tseed\tnodes\tstates\tright\tsearch\tnats\tem_nats\tcpu\twarning\n'
for seed; do
	world "$seed"
	roomgen room "$dir/room" --as model --no-gzip -o "$dir/true"
	roomwalk -n "$steps" --policy "$policy" -s "$seed" "$dir/room" -o "$dir/walk"
	roomwalk -n 4000 -s $((seed + 100000)) "$dir/room" -o "$dir/test"
	learn "$dir/walk" || {
		printf '%s\t%s\t-\t-\tunfinished\t-\t-\t-\t%s\t-\n' "$case" "$seed" "$cpu"
		continue
	}
	right=no
	! cscg-show --truth "$dir/room" -w "$dir/walk" "$dir/model" >"$dir/show" || right=yes
	case $case in
	policy-* | short-*) right=$(visited_right) ;;
	esac
	read_show
	em=-
	if [ "$nodes" -le 150 ] && [ "${EM:-yes}" = yes ]; then
		cscg-learn -j 1 --structure none --restarts 1 --iterations 30 \
		    --clones "proportional:$((2 * nodes))" "$dir/walk" -o "$dir/em"
		em=$(printf %.4f "$(fresh "$dir/em")")
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%.4f\t%s\t%s\t%s\n' "$case" "$seed" "$nodes" "$states" \
	    $right "$(search_failed $right)" "$(fresh "$dir/model")" "$em" "$cpu" "$warning"
done
