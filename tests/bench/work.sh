# work.sh - the walks that are measured, made once under $BUILD/bench
#
# w1: a room of 10 x 12 with 20 random symbols, 50,000 steps; 20 clones each.
# w2: 20 x 20 cells with four headings (forward, left, right) and 50 random
#     symbols, 100,000 steps; 40 clones each, 2000 states.
# w3: 17 x 18 cells that look alike but for nine landmarks, 50,000 steps; 300
#     clones for the common look, 4 for each landmark.
#
# Read by the other scripts; needs $BUILD.

set -eu
dir=$BUILD/bench
mkdir -p "$dir"

clones_w1=20
clones_w2=40
clones_w3=300,4,4,4,4,4,4,4,4,4

# Nodes (row, column, heading); heading 0 north, 1 east, 2 south, 3 west.
headings()
{
	awk -v R=20 -v C=20 '
	function node(r, c, h) { return (r * C + c) * 4 + h }
	function list(name, a,   i) {
		printf "[%d", a[0]
		for (i = 1; i < N; i++)
			printf ",%d", a[i]
		printf "]"
	}
	BEGIN {
		N = R * C * 4
		for (r = 0; r < R; r++)
			for (c = 0; c < C; c++)
				for (h = 0; h < 4; h++) {
					i = node(r, c, h)
					u = r + (h == 2) - (h == 0)
					v = c + (h == 1) - (h == 3)
					wall = u < 0 || u >= R || v < 0 || v >= C
					fwd[i] = wall ? i : node(u, v, h)
					left[i] = node(r, c, (h + 3) % 4)
					right[i] = node(r, c, (h + 1) % 4)
					obs[i] = i
				}
		printf "{\"format\":\"cscg-room\",\"version\":1,"
		printf "\"name\":\"headings\",\"n_nodes\":%d,", N
		printf "\"n_actions\":3,\"n_obs\":%d,", N
		printf "\"actions\":[\"forward\",\"left\",\"right\"],\"obs\":"
		list("obs", obs)
		printf ",\"next\":["
		list("fwd", fwd)
		printf ","
		list("left", left)
		printf ","
		list("right", right)
		print "]}"
	}'
}

# Landmarks stand where a walk meets them now and then, on no lattice.
landmarks()
{
	awk 'BEGIN {
		n = split("1,2 2,9 3,15 6,4 7,12 9,8 12,15 13,3 15,10", at, " ")
		for (i = 1; i <= n; i++)
			letter[at[i]] = substr("bcdefghij", i, 1)
		for (r = 0; r < 17; r++) {
			line = ""
			for (c = 0; c < 18; c++)
				line = line ((r "," c) in letter ? \
				    letter[r "," c] : "a")
			print line
		}
	}'
}

# room NAME: the room of that workload on standard output.
room()
{
	case $1 in
	w1) "$BUILD/roomgen" rectangle --size 10x12 \
		--obs random:20 -s 1 ;;
	w2) headings | "$BUILD/roomgen" room --obs random:50 -s 1 ;;
	w3) landmarks | "$BUILD/roomgen" map - ;;
	esac
}

# walk NAME: make $dir/NAME.gz unless it is there.
walk()
{
	steps=50000
	case $1 in
	w2) steps=100000 ;;
	esac
	[ -s "$dir/$1.gz" ] && return
	room "$1" | "$BUILD/roomwalk" -n $steps -s 1 --blind -o "$dir/$1.gz"
}
