#!/bin/sh
# checks.sh - make bench-checks: memory, start-up, latency and numbers against their
# targets
#
# CSCG_BENCH=quick leaves out W3.

here=$(dirname "$0")
. "$here/work.sh"
. "$here/../python.sh"

works="w1 w2"
[ "$quick" ] || works="w1 w2 w3"
python=$(find_python numba scipy) || echo "no numba here (make deps-bench): left out" >&2
bad=0

echo "Memory that cscg-learn needed, and needs by the rule of cscg-tuning(7); reading"
echo "the walk and writing the model, share of 50 iterations on two threads"
for w in $works; do
	walk $w
	learn_raw 1 $w 50 -j1
	em $w auto 2 50 1 io
	awk -F '\t' -v w=$w -v peak="$peak" '
	{ v[$1] = $2 }
	END {
		io = v["read"] + v["write"]
		share = 100 * io / (io + 50 * v["mean"])
		printf "%s\t%.1f MB\t%.1f MB\t%+.1f %%\tfiles %.1f %%\n", w, peak / 1e6, \
		    v["need"] / 1e6, 100 * (v["need"] / peak - 1), share
		exit v["need"] / peak < .9 || v["need"] / peak > 1.1 || \
		    (w != "w3" && share >= 10)
	}' "$tmp/em" || bad=1
done

echo
echo "Start-up, best of 20 (target: less than 5 ms)"
for t in "$BUILD"/*; do
	[ -f "$t" ] && [ -x "$t" ] || continue
	case $t in *.so) continue ;; esac
	use 20 "$t" --version
	printf 'start\t%s\t%s ms\n' "${t##*/}" "$(calc "1000 * $wall")"
	[ "$(calc "$wall < .005")" = 1 ] || bad=1
done

echo
echo "From an action to its row through roomwalk | cscg-score, best of 50"
echo "(target: 10 ms)"
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
	printf 'live\t%s\t%s ms\n' "${how:-gzip}" "$(calc "$best / 1e6")"
	[ "$best" -lt 10000000 ] || bad=1
done


if [ -n "$python" ]; then
	echo
	echo "Agreement with numba from the same counts (target: 1e-5):"
	echo "largest relative difference of log-likelihoods; of T, largest and mean"
	for w in $works; do
		eval "clones=\$clones_$w"
		case $w in
		w1) it=20 density=1 ;;
		w2) it=4 density=.1 ;;
		w3) it=1 density=1 ;;
		esac
		same=$(OPENBLAS_NUM_THREADS=2 "$python" "$here/check.py" \
		    "$BUILD/cscg-learn" "$dir/$w.gz" "$clones" $it $density "$tmp") ||
		    bad=1
		printf 'same\t%s\t%s iterations\t%s\n' $w $it "$same"
	done
fi
if [ $bad = 1 ]; then
	echo "a target is missed, see above" >&2
	exit 1
fi
