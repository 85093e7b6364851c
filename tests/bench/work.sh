# work.sh - the walks of the benchmarks, made once under $BUILD/bench, and functions
# of the other scripts
#
# w1: a room of 10 x 12 with 20 random symbols, 50,000 steps; 20 clones each.
# w2: 20 x 20 cells with four headings (forward, left, right) and 50 random
#     symbols, 100,000 steps; 40 clones each, 2000 states.
# w3: 17 x 18 cells with one symbol except for nine landmarks, 50,000 steps; 300
#     clones of the common symbol, 4 of each landmark.
#
# Read by the other scripts; needs $BUILD.  Sets $dir, $bin, $tmp (removed at the
# end) and $quick: not empty with CSCG_BENCH=quick.

set -eu
dir=$BUILD/bench
bin=$BUILD/tests/bench
tmp=$dir/tmp.$$
quick=
[ "${CSCG_BENCH:-}" != quick ] || quick=1
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# OpenBLAS may not know the CPU and then takes its slowest loops.
export OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS=1
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
	case $(grep -m1 '^flags' /proc/cpuinfo) in
	*avx512bw*) OPENBLAS_CORETYPE=SkylakeX ;;
	*avx2*) OPENBLAS_CORETYPE=Haswell ;;
	*) unset OPENBLAS_CORETYPE ;;
	esac
fi

# calc EXPRESSION: its value.
calc()
{
	awk "BEGIN { printf \"%.6g\", $1 }"
}

# use TRIES COMMAND...: sets $wall and $cpu, the best seconds, and $peak, bytes.
use()
{
	"$bin/measure" "$@" >"$tmp/use"
	read -r wall cpu peak <"$tmp/use"
}

# align: a table with tabs, for reading; the first column is text.
align()
{
	awk -F '\t' '
	{
		for (i = 1; i <= NF; i++) {
			c[NR, i] = $i
			if (length($i) > w[i])
				w[i] = length($i)
		}
		cols = NF > cols ? NF : cols
	}
	END {
		for (r = 1; r <= NR; r++) {
			line = ""
			for (i = 1; i <= cols; i++)
				line = line sprintf(i < 2 ? "%-" w[i] "s  " : \
				    "%" w[i] "s  ", c[r, i])
			sub(/ +$/, "", line)
			print line
		}
	}'
}

# learn_raw TRIES WORK ITERATIONS OPTION...: as use, of cscg-learn from random counts.
learn_raw()
{
	n=$1 w=$2 iterations=$3
	shift 3
	eval "clones=\$clones_$w"
	use "$n" "$BUILD/cscg-learn" -q --clones "$clones" --restarts 1 \
	    --tolerance 0 --structure none --iterations "$iterations" "$@" \
	    -o /dev/null "$dir/$w.gz"
}

# em WORK ISA THREADS ITERATIONS TRIES [io]: fills $tmp/em; get NAME: one of it.
em()
{
	eval "clones=\$clones_$1"
	"$bin/em_bench" "$dir/$1.gz" "$clones" "$2" "$3" "$4" "$5" ${6:-} \
	    >"$tmp/em"
}

get()
{
	awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$tmp/em"
}

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

# Landmarks at irregular positions that a random walk visits sometimes.
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
	n_steps=50000
	case $1 in
	w2) n_steps=100000 ;;
	esac
	[ -s "$dir/$1.gz" ] && return
	room "$1" | "$BUILD/roomwalk" -n $n_steps -s 1 --blind -o "$dir/$1.gz"
}
