#!/bin/sh
# run.sh - make bench: how fast is learning, against what, and how near the
# machine's limits
#
# Everything is measured in one run.  Other jobs can only make a time longer,
# so a time is the best of several.  Seconds per iteration are measured inside
# one process (em_bench, numba_cscg.py), start-up and files left out; a whole
# run is cscg-learn as a user starts it.
# CSCG_BENCH=quick leaves out W3 and takes fewer tries.
# Results: the tables printed, and $BUILD/bench/results.tsv.

here=$(dirname "$0")
. "$here/work.sh"
. "$here/../python.sh"

bin=$BUILD/tests/bench
learn=$BUILD/cscg-learn
out=$dir/results.tsv
tmp=$dir/tmp.$$
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

works="w1 w2 w3"
tries=3
if [ "${CSCG_BENCH:-}" = quick ]; then
	works="w1 w2"
	tries=2
fi
cores=$(getconf _NPROCESSORS_ONLN)
two=$((cores > 1 ? 2 : 1))
threads=$([ $two = 1 ] && echo 1 || echo 1 2)

# OpenBLAS may not know the CPU and then takes its slowest loops.
export OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
	case $(grep -m1 '^flags' /proc/cpuinfo) in
	*avx512bw*) OPENBLAS_CORETYPE=SkylakeX ;;
	*avx2*) OPENBLAS_CORETYPE=Haswell ;;
	*) unset OPENBLAS_CORETYPE ;;
	esac
fi
python=$(find_python numba scipy) || echo "no numba here (make deps-bench): left out" >&2

# calc EXPRESSION: its value.
calc()
{
	awk "BEGIN { printf \"%.6g\", $1 }"
}

# whole TRIES WORK OPTION...: sets $seconds and $peak of 50 iterations.
whole()
{
	n=$1 w=$2
	shift 2
	eval "clones=\$clones_$w"
	set -- $("$bin/measure" "$n" "$learn" -q --clones "$clones" \
	    --restarts 1 --tolerance 0 --structure none --iterations 50 "$@" \
	    -o /dev/null "$dir/$w.gz")
	seconds=$1
	peak=$3
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

# row WORK WHAT THREADS SECONDS PEAK: one line of results, ratios added later.
row()
{
	printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$tmp/rows"
	echo "  $1 $2, $3 thread(s): $4 s" >&2
}

# ---- the workloads ----

for w in $works; do
	walk $w
done
"$bin/roofline" 1 >"$tmp/roof1"
"$bin/roofline" $two >"$tmp/roof2"

isas=
for i in c sse2 avx2 avx512; do
	"$learn" --isa $i -q --clones 2 --iterations 1 --restarts 1 --structure none \
	    -o /dev/null "$dir/w1.gz" 2>/dev/null && isas="$isas $i"
done

: >"$tmp/rows"
for w in $works; do
	# Slow kernels need fewer iterations to be measured.
	case $w in
	w1) slow=10 some=20 many=50 n=$((3 * tries)) m=5 numba=5 ;;
	w2) slow=2 some=5 many=50 n=$tries m=2 numba=2 ;;
	w3) slow=1 some=1 many=20 n=$tries m=1 numba=1 ;;
	esac
	em $w plain 1 $slow 2
	row $w plain 1 "$(get mean)" -
	for i in $isas; do
		em $w $i 1 $some 2
		row $w "$i, first" 1 "$(get first)" -
	done
	for j in $threads; do
		em $w auto $j $many $n io
		cp "$tmp/em" "$tmp/em-$w-$j"
		whole $m $w -j$j
		row $w "fast, first" $j "$(get first)" -
		row $w "fast, last" $j "$(get late)" -
		row $w fast $j "$(get mean)" "$peak"
		row $w "fast, 50 in all" $j "$seconds" "$peak"
	done
	[ -n "$python" ] || continue
	eval "clones=\$clones_$w"
	for j in $threads; do
		OPENBLAS_NUM_THREADS=$j
		"$bin/measure" 1 sh -c 'out=$1; shift; exec "$@" >"$out"' \
		    - "$tmp/numba" "$python" "$here/numba_cscg.py" learn \
		    "$dir/$w.gz" "$clones" $numba >"$tmp/use"
		read -r best mean <"$tmp/numba"
		read -r _ _ peak <"$tmp/use"
		row $w numba $j "$best" "$peak"
		row $w "numba, 50 in all" $j "$(calc "50 * $best")" "$peak"
	done
done

# Binding: EM on E of a torus, 1000 steps; bind_bench is like numba_cscg.py.
for n in 400 2000; do
	[ -x "$bin/bind_bench" ] || break
	case $n in
	400) size="--size 20x20" ;;
	2000) size="--size 40x50" ;;
	esac
	"$BUILD/roomgen" torus $size --as model -o "$dir/bind$n.model.gz"
	"$BUILD/roomgen" torus $size --obs random:50 -s 1 |
	    "$BUILD/roomwalk" -n 1000 -s 1 --blind -o "$dir/bind$n.gz"
	# The best of several runs: one is over in a few milliseconds.
	for i in 1 2 3 4 5; do
		"$bin/bind_bench" "$dir/bind$n.model.gz" "$dir/bind$n.gz" 40 4
	done | sort -g | head -1 >"$tmp/bind"
	read -r best mean loglik <"$tmp/bind"
	row bind$n fast 1 "$best" -
	[ -n "$python" ] || continue
	OPENBLAS_NUM_THREADS=1
	"$python" "$here/numba_cscg.py" bind "$dir/bind$n.model.gz" \
	    "$dir/bind$n.gz" 4 >"$tmp/bind"
	read -r best mean theirs <"$tmp/bind"
	row bind$n numba 1 "$best" -
	printf 'same\tbind%s\t4 iterations\t%s\n' $n \
	    "$(calc "sqrt(($loglik / $theirs - 1) ^ 2)")" >>"$tmp/same"
done

# ---- the table ----

# Against numba and the plain loops, the same number of threads; plain has one.
awk -F '\t' -v OFS='\t' '
	{
		n++
		for (i = 1; i <= 5; i++)
			f[n, i] = $i
		s[$1, $2, $3] = $4
	}
	function over(a, b) { return a && b ? sprintf("%.1f", a / b) : "-" }
	END {
		print "work", "what", "threads", "seconds", "x_numba", \
		    "x_plain", "peak_MB"
		for (i = 1; i <= n; i++) {
			w = f[i, 1]; what = f[i, 2]; j = f[i, 3]; t = f[i, 4]
			whole = what ~ /50/
			base = whole ? "numba, 50 in all" : "numba"
			print w, what, j, sprintf("%.5g", t), \
			    over(s[w, base, j], t), \
			    over(whole ? 50 * s[w, "plain", 1] : \
			    s[w, "plain", 1], t), \
			    f[i, 5] == "-" ? "-" : sprintf("%.1f", \
			    f[i, 5] / 1e6)
		}
	}' "$tmp/rows" >"$out"

# align: a table with tabs, for the eye.
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
				line = line sprintf(i < 3 ? "%-" w[i] "s  " : \
				    "%" w[i] "s  ", c[r, i])
			sub(/ +$/, "", line)
			print line
		}
	}'
}

echo
echo "EM, seconds per iteration, and ratios.  fast: the mean of 50 (w3: 20), and the"
echo "first and last of them; the first of each kernel.  50 in all: cscg-learn from"
echo "start to end (for numba 50 iterations, since their cost does not change)."
align <"$out"

# ---- the machine ----

echo
echo "This machine: GB/s read and GFLOP/s"
{
	printf 'threads\t'
	cut -f 1 "$tmp/roof1" | paste -s -
	for j in 1 2; do
		printf '%s\t' $((j == 1 ? 1 : two))
		cut -f 2 "$tmp/roof$j" | paste -s -
	done
} | tee "$tmp/roof" | align
sed 's/^/roofline	/' "$tmp/roof" >>"$out"

# What the dense forward pass reaches: T as it is read, against an array of
# the size of T that is only read; and of what the multipliers can do.
fma=$(awk '$1 == "FMA" { print $2 }' "$tmp/roof1")
{
	printf 'pass\twork\tT_MB\tGB/s\tof_reading\tGFLOP/s\tof_FMA\n'
	for w in $works; do
		cp "$tmp/em-$w-1" "$tmp/em"
		roof=$("$bin/roofline" 1 "$(get block)" | cut -f 2)
		awk -v w=$w -v roof="$roof" -v fma="$fma" '
		{ v[$1] = $2 }
		END {
			gb = 1e-9 * v["stream"] / v["forward"]
			gf = 1e-9 * v["flop"] / v["forward"]
			printf "forward\t%s\t%.2f\t%.1f\t%.0f %%\t%.1f\t%.0f %%\n", \
			    w, v["block"] / 1e6, gb, 100 * gb / roof, gf, \
			    100 * gf / fma
		}' "$tmp/em"
	done
} | tee "$tmp/pass" | align
cat "$tmp/pass" >>"$out"

# ---- promises ----

bad=0
echo
echo "Memory that cscg-learn needed, and needs by the rule of cscg-tuning(7)"
for w in $works; do
	cp "$tmp/em-$w-1" "$tmp/em"
	awk -F '\t' -v w=$w -v need="$(get need)" '
	$1 == w && $2 == "fast, 50 in all" && $3 == 1 {
		printf "memory\t%s\t%.1f MB\t%.1f MB\t%+.1f %%\n", w, \
		    $5 / 1e6, need / 1e6, 100 * (need / $5 - 1)
		exit need / $5 < .9 || need / $5 > 1.1
	}' "$tmp/rows" >"$tmp/line" || bad=1
	tee -a "$out" <"$tmp/line"
done

echo
echo "Reading the walk and writing the model, share of 50 iterations, $two threads"
for w in w1 w2; do
	awk -v w=$w '
	{ v[$1] = $2 }
	END {
		io = v["read"] + v["write"]
		share = 100 * io / (io + 50 * v["mean"])
		printf "io\t%s\tread %.4f s\twrite %.4f s\tEM %.3f s\t%.1f %%\n", \
		    w, v["read"], v["write"], 50 * v["mean"], share
		exit share >= 10
	}' "$tmp/em-$w-$two" >"$tmp/line" || bad=1
	tee -a "$out" <"$tmp/line"
done

echo
echo "Start-up, best of 20 (less than 5 ms is promised)"
for t in "$BUILD"/*; do
	[ -f "$t" ] && [ -x "$t" ] || continue
	case $t in *.so) continue ;; esac
	set -- $("$bin/measure" 20 "$t" --version)
	printf 'start\t%s\t%s ms\n' "${t##*/}" "$(calc "1000 * $1")"
	[ "$(calc "$1 < .005")" = 1 ] || echo slow >"$tmp/slow"
done | tee -a "$out"
[ ! -e "$tmp/slow" ] || bad=1

echo
echo "From an action to its row through roomwalk | cscg-score, best of 50"
echo "(10 ms is promised)"
for how in --no-gzip ''; do
	"$BUILD/roomgen" torus --size 4x4 -o "$tmp/live.room"
	"$BUILD/roomgen" torus --size 4x4 --as model -o "$tmp/live.model"
	rm -f "$tmp/acts" "$tmp/said"
	mkfifo "$tmp/acts" "$tmp/said"
	"$BUILD/roomwalk" --live $how --actions "$tmp/acts" --start 0 "$tmp/live.room" |
	    "$BUILD/cscg-score" --per-step --live "$tmp/live.model" >"$tmp/said" &
	exec 9>"$tmp/acts" 8<"$tmp/said"
	read -r line <&8
	best=
	i=0
	while [ $i -lt 50 ]; do
		a=$(date +%s%N)
		echo right >&9
		read -r line <&8
		b=$(($(date +%s%N) - a))
		if [ -z "$best" ] || [ $b -lt $best ]; then best=$b; fi
		i=$((i + 1))
	done
	exec 9>&- 8<&-
	wait
	printf 'live\t%s\t%s ms\n' "${how:-gzip}" "$(calc "$best / 1e6")" |
	    tee -a "$out"
	[ "$best" -lt 10000000 ] || bad=1
done

echo
echo "Walks and CSV, MB/s of input text by processor time, against zlib alone"
echo "(100 MB/s without gzip, .8 of zlib with it are aimed at)"
sh "$here/files.sh" >"$tmp/files"
align <"$tmp/files"
sed 's/^/files	/' "$tmp/files" >>"$out"

if [ -n "$python" ]; then
	echo
	echo "The same numbers as numba from the same counts (1e-5 is promised):"
	echo "largest relative difference of log-likelihoods; of T, largest and mean"
	if [ -e "$tmp/same" ]; then
		tee -a "$out" <"$tmp/same"
		awk '$NF >= 1e-5 { exit 1 }' "$tmp/same" || bad=1
	fi
	for w in $works; do
		eval "clones=\$clones_$w"
		case $w in
		w1) it=20 density=1 ;;
		w2) it=4 density=.1 ;;
		w3) it=1 density=1 ;;
		esac
		same=$(OPENBLAS_NUM_THREADS=$two "$python" "$here/check.py" \
		    "$learn" "$dir/$w.gz" "$clones" $it $density "$tmp") ||
		    bad=1
		printf 'same\t%s\t%s iterations\t%s\n' $w $it "$same" |
		    tee -a "$out"
	done
fi
echo
echo "saved: $out"
if [ $bad = 1 ]; then
	echo "a promise is not kept, see above" >&2
	exit 1
fi
