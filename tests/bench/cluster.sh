#!/bin/sh
# cluster.sh - make bench-cluster: cost and speedup of MPI ranks
#
# A room of 10 x 12 with 20 symbols; 256 episodes; 20 clones each (400 states),
# and 40.  Measured are
#   start      seconds until the first E-step is done: reading, distribution
#   iteration  seconds from one E-step to the next, the median of ten
#   sum        seconds of MPI_Allreduce alone, for the ranks of one node (shared
#              memory), and of two (TCP), if a private Slurm can be started
# for 1 to 4 ranks of one thread each, the best of TRIES. Efficiency of two
# ranks is also measured in PAIRS, one thread and two ranks alternately, so that
# other load affects both.  The time of 2, 3 and 4 ranks is predicted from the
# iterations of one rank and from the sums:
#
#   t(R) = W / (v * min(R, cores)) * u * g + m * P * max(1, R / cores) + k * a + b * B
#
# W: multiply-adds (cscg-tuning(7)) at v per second and core; u: the largest share
# over the mean; g: the slowdown of a core when all cores work (measured by the same
# job on each core); P: entries of T at m seconds each; k: messages to all ranks at a
# seconds; B: their bytes at b seconds.  The prediction is compared with the measured
# times, and printed for more ranks than there are cores.  cscg-cluster(7) explains it.
#
# NET_START and NET_BYTE are a and b of the network to be predicted: a for each
# doubling of ranks.  Measure on an idle machine: load is printed first.

set -eu
: "${BUILD:?says where the tools are}"
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$here/work.sh"
tries=${TRIES:-3} pairs=${PAIRS:-7}
net_start=${NET_START:-5e-5} net_byte=${NET_BYTE:-1e-9}
cores=${CORES:-$(nproc)}
few=2 more=12
measure=$BUILD/tests/bench/measure
dir=$dir/cluster
mkdir -p "$dir"
cd "$dir"

learn=$BUILD/cscg-learn
ldd "$learn" | grep -q libmpi || learn=$BUILD/mpi/cscg-learn
[ -x "$learn" ] || { echo 'cluster.sh: no tools built with MPI' >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none
mpicc -O2 -o allreduce "$top/tests/cluster/allreduce.c"
cc -O2 -o stamp "$top/tests/cluster/stamp.c"
rm -f stats
mkfifo stats
mpicc -O2 -shared -fPIC -o mpi_count.so "$top/tests/cluster/mpi_count.c"

# ---- measurements ----

walk_of() # STEPS of an episode
{
	[ -s "w$1.gz" ] ||
	    room w1 | "$BUILD/roomwalk" -n "$1" --episodes 256 -s 1 --blind -o "w$1.gz"
}

# Seconds to the first E-step and from one to the next, and bytes of the largest
# rank.  0 ranks: without mpirun.
row() # RANKS STEPS CLONES
{
	with="mpirun -n $1"
	[ "$1" != 0 ] || with=
	./stamp $few $more <stats >stamped &
	# shellcheck disable=SC2086
	"$measure" 1 $with "$learn" -q --clones "$3" --restarts 1 \
	    --tolerance 0 --structure none --iterations $more -j 1 --stats stats \
	    -o /dev/null "w$2.gz" >measured
	wait $!
	paste -d ' ' stamped measured |
	    awk -v OFS='\t' -v r="$1" -v n="$2" -v c="$3" '{ print r, 256 * n, c, $1, $3, $6 }'
}

# The same job on every core at once, independently: the slowdown by shared
# resources.  Mean seconds of an iteration.
together() # STEPS CLONES
{
	n=0
	while [ $n -lt "$cores" ]; do
		rm -f "stats$n"
		mkfifo "stats$n"
		./stamp $few $more <"stats$n" >"stamped$n" &
		"$learn" -q --clones "$2" --restarts 1 --tolerance 0 --structure none \
		    --iterations $more -j 1 --stats "stats$n" -o /dev/null "w$1.gz" &
		n=$((n + 1))
	done
	wait
	n=0
	while [ $n -lt "$cores" ]; do
		cat "stamped$n"
		n=$((n + 1))
	done | awk -v OFS='\t' -v n="$1" -v c="$2" '{ t += $3 }
	    END { print "all", 256 * n, c, 0, t / NR, 0 }'
}

# bytes that a rank contributes to sums in an iteration, and number of sums
bytes_of() # STEPS CLONES
{
	rm -f count
	for i in $few $more; do
		mpirun -n 2 -x LD_PRELOAD="$dir/mpi_count.so" -x MPI_COUNT="$dir/count" \
		    "$learn" -q --clones "$2" --restarts 1 --tolerance 0 --structure none \
		    --iterations "$i" -j 1 -o /dev/null "w$1.gz"
	done
	awk -v d=$((more - few)) 'BEGIN { n = 0 } $1 == 0 { b[n] = $3; k[n++] = $2 + $5 }
	    END { printf "%.0f\t%.0f\n", (b[1] - b[0]) / d, (k[1] - k[0]) / d }' count
}

two_nodes()
{
	sh "$top/tests/cluster/sandbox.sh" need >&2 || return 0
	s=$(sh "$top/tests/cluster/sandbox.sh" start 2)
	eval "$(sh "$top/tests/cluster/sandbox.sh" env "$s")"
	for n in 2 4; do
		srun -Q --mpi=pmix -N 2 -n $n ./allreduce 20 | sed "s/^/tcp	/"
	done
	sh "$top/tests/cluster/sandbox.sh" stop "$s"
}

load() { echo "# load $(cut -d ' ' -f 1-3 /proc/loadavg)$1"; }

load ", $cores cores, best of $tries"
for n in 125 1250 5000; do
	walk_of $n
done
{
	for n in 2 3 4; do
		mpirun -n $n ./allreduce 20 | sed "s/^/memory	/"
	done
	(two_nodes)
} >sums
# Repeats of one measurement are far apart in time, so that a period of load
# does not affect all of them.
i=0
while [ $i -lt "$tries" ]; do
	for n in 0 1 2 3 4; do
		row $n 1250 20
		row $n 5000 20
		row $n 1250 40
	done
	row 1 125 20
	together 5000 20
	i=$((i + 1))
done >iterations
i=0
while [ $i -lt "$pairs" ]; do
	row 0 5000 20
	row 2 5000 20
	i=$((i + 1))
done >pairs
printf '20\t%s\n40\t%s\n' "$(bytes_of 1250 20)" "$(bytes_of 1250 40)" >bytes

# ---- derived values ----

# Half of the time of one thread, divided by that of two ranks.
awk -F '\t' '$1 == 0 { t = $5 } $1 == 2 { print t / 2 / $5 }' pairs | sort -n |
    awk '{ e[NR] = $1 } END { if (NR) printf "two ranks, 1280000 steps, %d pairs: " \
    "efficiency %.2f in the median, %.2f to %.2f\n", NR, e[int((NR + 1) / 2)], e[1], e[NR] }'

awk -F '\t' -v OFS='\t' -v cores="$cores" -v na="$net_start" -v nb="$net_byte" '
# Least squares of t = a + b * x in relative error, so that small values count.
function fit(way, r,   i, w, sw, sx, sy, sxx, sxy, d) {
	sw = sx = sy = sxx = sxy = 0
	for (i = 0; i < n_sums; i++) {
		if (s_way[i] != way || s_ranks[i] != r || s_bytes[i] > 2^24)
			continue
		w = 1 / s_time[i]^2
		sw += w; sx += w * s_bytes[i]; sy += w * s_time[i]
		sxx += w * s_bytes[i]^2; sxy += w * s_bytes[i] * s_time[i]
	}
	if (!sw)
		return 0
	d = sw * sxx - sx * sx
	fit_b = (sw * sxy - sx * sy) / d
	fit_a = (sy - fit_b * sx) / sw
	return 1
}
function ceil(x) { return int(x) < x ? int(x) + 1 : int(x) }
function min(x, y) { return x < y ? x : y }
function max(x, y) { return x > y ? x : y }
# The largest share relative to the mean: shares are whole units of at most 65536
# steps, here 13 episodes of 5000 or 52 of 1250.
function uneven(N, r,   u) { u = ceil(N / 65000); return ceil(u / r) * r / u }
FILENAME == "sums" {
	s_way[n_sums] = $1; s_ranks[n_sums] = $2
	s_bytes[n_sums] = $3; s_time[n_sums++] = $4
}
FILENAME == "bytes" { bytes[$1] = $2; calls = $3 }
FILENAME == "iterations" {
	k = $1 SUBSEP $2 SUBSEP $3
	if (!(k in iter) || $5 < iter[k])
		iter[k] = $5
	if (!(k in start) || $4 < start[k])
		start[k] = $4
	peak[k] = max(peak[k], $6)
}
END {
	tiny = 32000; small = 320000; large = 1280000
	print "#ranks", "steps", "clones", "start s", "iteration s", "predicted", "ratio", "efficiency", "MiB of a rank"
	P = bytes[20] / 8
	slope = (iter[1, large, 20] - iter[1, tiny, 20]) / (large - tiny)
	rest = max(iter[1, tiny, 20] - slope * tiny, 0)
	m = rest / P
	v = 3 * 400 / slope
	m40 = m * bytes[40] / 8
	g = max(1, iter["all", large, 20] / iter[0, large, 20])
	v40 = 3 * 1600 * small / (iter[1, small, 40] - m40)
	for (r = 0; r <= 4; r++)
		for (k = 0; k < 3; k++) {
			N = k == 1 ? large : small
			c = k == 2 ? 40 : 20
			t = 3 * c * c * N / (c == 40 ? v40 : v)
			q = max(r, 1)
			t = t / min(q, cores) * (q <= cores ? uneven(N, q) : 1)
			if (q > 1)
				t *= g
			t += m * bytes[c] / 8 * max(1, q / cores)
			if (q > 1 && fit("memory", q))
				t += calls * fit_a + fit_b * bytes[c]
			print r ? r : "alone", N, c, sprintf("%.3f", start[r, N, c]), \
			    sprintf("%.5f", iter[r, N, c]), sprintf("%.5f", t), \
			    sprintf("%.2f", iter[r, N, c] / t), \
			    sprintf("%.2f", iter[0, N, c] / q / iter[r, N, c]), \
			    sprintf("%.0f", peak[r, N, c] / 1048576)
		}
	printf "v\t%.3g multiply-adds a second, %.3g with 40 clones\n", v, v40
	printf "g\t%.2f\n", g
	printf "m\t%.3g s for each entry of T\n", m
	printf "B\t%d bytes, %d with 40 clones; k %d\n", bytes[20], bytes[40], calls
	for (r = 2; r <= 4; r++)
		if (fit("memory", r))
			printf "sum, %d ranks, memory\ta %.3g s, b %.3g s a byte\n", r, fit_a, fit_b
	for (r = 2; r <= 4; r += 2)
		if (fit("tcp", r))
			printf "sum, %d ranks, TCP\ta %.3g s, b %.3g s a byte\n", r, fit_a, fit_b
	print "#ranks", "steps", "states", "iteration s", "efficiency", "network: a " na " b " nb
	for (c = 20; c <= 40; c += 20)
		for (N = 1e6; N <= 1e9; N *= 10)
			for (r = 1; r <= 1000; r *= 10) {
				w = 3 * c * c * N / (c == 40 ? v40 : v)
				one = w + m * bytes[c] / 8
				t = w / r * uneven(N, r) + m * bytes[c] / 8
				if (r > 1)
					t += calls * na * ceil(log(r) / log(2)) + \
					    nb * bytes[c] * 2 * (r - 1) / r
				print r, N, 20 * c, sprintf("%.3g", t), sprintf("%.2f", one / t / r)
			}
}' sums bytes iterations
load ", at the end"
