#!/bin/sh
# kmeans.sh - k-means compared with scikit-learn in one run
#
# 10,000 pairwise different frames of 64 x 64 pixels, as seen on walks through six
# 3D rooms with noise on every pixel; 50 and 80 centroids, one thread each;
# scikit-learn in single precision with the best BLAS kernels.
# Both start from the same rows, so that their iterations are equal; then both by
# their own k-means++.  Times are CPU seconds inside the process without files; memory
# is the peak of the process.
# KMEANS_FRAMES=FILE.npy uses other frames, "smooth" generated smooth ones; KMEANS_K
# other numbers of centroids.

here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:=$here/../../build}"
bench=$BUILD/tests/bench/kmeans_bench
dir=$BUILD/bench
mkdir -p "$dir"
PATH=$BUILD:$PATH
. "$here/../python.sh"

# seen TO: six walks of 1667 steps are 10,002 frames; the last loses two
seen()
{
	for i in 1 2 3 4 5 6; do
		[ $i = 6 ] && n=1665 || n=1667
		roomgen voxel --map room$i --theme 9$i |
		    roomwalk -n $n -s 9$i --render --noise 8 --frames "$dir/$i.npy" \
		    -o /dev/null || return
	done
	"$bench" join "$1" "$dir"/[1-6].npy && rm -f "$dir"/[1-6].npy
}

case ${KMEANS_FRAMES:-rooms} in
rooms) frames=$dir/rooms.npy; [ -s "$frames" ] || seen "$frames" || exit 1 ;;
smooth) frames=$dir/frames.npy
	[ -s "$frames" ] || "$bench" make 10000 "$frames" || exit 1 ;;
*) frames=$KMEANS_FRAMES ;;
esac

export OPENBLAS_CORETYPE
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
	case $(grep -m1 '^flags' /proc/cpuinfo) in
	*avx512bw*) OPENBLAS_CORETYPE=SkylakeX ;;
	*avx2*) OPENBLAS_CORETYPE=Haswell ;;
	*) unset OPENBLAS_CORETYPE ;;
	esac
fi
python=$(find_python sklearn) || {
	echo "no scikit-learn (Debian: python3-sklearn): only cscg is measured" >&2
}

ours() { "$bench" fit "$frames" "$@"; }
theirs() { [ -n "$python" ] && "$python" "$here/kmeans_sklearn.py" "$frames" "$@"; }
get() { echo "$2" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
row() { # NAME RESULT
	printf '%-34s %5s %9s %9s %10s  %s\n' "$1" "$(get iterations "$2")" \
	    "$(get fit "$2")" "$(get mean "$2")" "$(get peak "$2")" \
	    "$(get inertia "$2")"
}
ratio() { # NAME THEIRS OURS WANTED
	awk -v n="$1" -v a="$2" -v b="$3" -v w="$4" 'BEGIN {
	    r = a / b; printf "  %-44s %7.2f%s%s\n", n, r,
	    (w ? "  (at least " w ")" : ""), (r < w ? "  MISSED" : "") }'
}

printf '%-34s %5s %9s %9s %10s  %s\n' '' iter. 'fit, s' 's/iter.' 'peak, KiB' inertia
for k in ${KMEANS_K:-50 80}; do
	start=$dir/start$k.npy
	"$bench" start "$frames" $k "$start" || exit 1
	few=$(ours $k "$start" 1)
	all=$(ours $k "$start" 1 all)
	own=$(ours $k - 1)
	echo "$(get frames "$few") different frames, kernel $(get kernel "$few")"
	row "K=$k vq-kmeans" "$few"
	row "K=$k vq-kmeans, all distances" "$all"
	row "K=$k vq-kmeans, k-means++" "$own"
	[ -n "$python" ] || continue
	lloyd=$(theirs $k "$start" lloyd)
	[ "$(get blas "$lloyd")" != slow ] || {
		echo 'kmeans.sh: scikit-learn is without OpenBLAS here (make deps-bench)' >&2
		exit 1
	}
	echo "scikit-learn with $(get blas "$lloyd")"
	elkan=$(theirs $k "$start" elkan)
	own2=$(theirs $k - elkan)
	row "K=$k sklearn lloyd" "$lloyd"
	row "K=$k sklearn elkan" "$elkan"
	row "K=$k sklearn elkan, k-means++" "$own2"
	ratio 'iteration, all distances / lloyd' "$(get mean "$lloyd")" "$(get mean "$all")" 0
	ratio 'iteration / lloyd' "$(get mean "$lloyd")" "$(get mean "$few")" 2
	ratio 'whole fit / elkan' "$(get fit "$elkan")" "$(get fit "$few")" 5
	ratio 'whole fit with k-means++ / elkan' "$(get fit "$own2")" "$(get fit "$own")" 5
	ratio 'memory' "$(get peak "$lloyd")" "$(get peak "$few")" 5
	awk -v a="$(get inertia "$lloyd")" -v b="$(get inertia "$few")" 'BEGIN {
	    d = (a - b) / b; if (d < 0) d = -d
	    printf "  %-44s %7.1e  (at most 1e-5)%s\n", "inertia, relative difference", d,
	    (d > 1e-5 ? "  MISSED" : "") }'
done
