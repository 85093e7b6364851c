#!/bin/sh
# run.sh - make bench: one table of times against references and targets
#
#   seconds    the best of several, since other jobs can only add to a time;
#              CPU seconds on one thread, wall-clock seconds (w) on two
#   reference  seconds of the reference in the same run, by the same clock: numba
#              with as many threads (numba_cscg.py, no files), unless the row names
#              another
#   ratio      reference / seconds; seconds / reference where "must" is <=
#   must       the target of the ratio
#   roofline   bandwidth of the dense forward pass of EM, relative to reading an
#              array of the size of T
#
# A whole run is cscg-learn as a user starts it, 50 iterations (w3: 20) from random
# counts, against as many iterations of numba, whose cost does not change.  The
# other rows of EM are means per iteration inside one process.
# "pass" is inside one process, T from counts included; "process" is the tool as a
# user starts it, with its files.
# Times on two threads need both cores: as root, chrt -f 20 make bench keeps other
# jobs off them.
# All of it takes three minutes on two idle cores.
# PART="score predict em fit bind match files" chooses parts of it; em takes
# the longest, of which WORKS="w1 w2" chooses among
# W1 to W3 and THREADS="1 2" the threads.  CSCG_BENCH=quick leaves out W3, and takes
# fewer tries and steps.  V1=DIR, a build of 1.0.0: its score is the reference
# of decoding.  Result: the table printed, and $BUILD/bench/results.tsv, in which
# rows of other parts stay.

here=$(dirname "$0")
. "$here/work.sh"
. "$here/../python.sh"

works=${WORKS:-"w1 w2 w3"}
tries=3
if [ "$quick" ]; then
	works=${WORKS:-"w1 w2"}
	tries=2
fi
cores=$(getconf _NPROCESSORS_ONLN)
threads=${THREADS:-$([ "$cores" = 1 ] && echo 1 || echo 1 2)}
parts="score predict em fit bind match files"
for part in ${PART:=$parts}; do
	case " $parts " in
	*" $part "*) ;;
	*) echo "run.sh: PART=$part is none of: $parts" >&2; exit 2 ;;
	esac
done
python=$(find_python numba scipy) || echo "no numba here (make deps-bench): left out" >&2

# row WORK SECONDS REFERENCE MUST ROOFLINE: a line of the table; "-": none.
row()
{
	printf '%s\t%s\t%s\t%s\t%s\n' "$@" | awk -F '\t' -v OFS='\t' '
	{
		s = $2 + 0
		ratio = $3 == "-" || !s ? "-" : \
		    sprintf("%.2f", $4 ~ /^<=/ ? s / $3 : $3 / s)
		if ($4 ~ /^[<>]=/ && ratio != "-") {
			split($4, must, " ")
			bad = $4 ~ /^<=/ ? ratio + 0 > must[2] + 0 : \
			    ratio + 0 < must[2] + 0
		}
		printf "%s\t%.4g%s\t%s\t%s\t%s%s\t%s\n", $1, s, \
		    $2 ~ /w$/ ? " w" : "", $3 == "-" ? "-" : sprintf("%.4g", $3), \
		    ratio, $4, bad ? " !" : "", $5
	}' | tee -a "$tmp/rows" | sed 's/^/  /' >&2
}

# numba COMMAND THREADS ARGUMENT...: sets $reference, its best seconds.
numba()
{
	reference=-
	[ -n "$python" ] || return 0
	command=$1
	OPENBLAS_NUM_THREADS=$2
	shift 2
	"$python" "$here/numba_cscg.py" "$command" "$@" >"$tmp/numba"
	OPENBLAS_NUM_THREADS=1
	read -r reference _ <"$tmp/numba"
}

# scaled NUMBER SECONDS: the product, or "-".
scaled()
{
	[ "$2" = - ] && echo - || calc "$1 * $2"
}

# ---- score, Viterbi, decode ----

part_score()
{
	sh "$here/score.sh" >"$tmp/score"
	while IFS='	' read -r work what seconds reference _ peak; do
		case "$work $what" in
		'w1.raw score, process') row 'score W1, raw model, process' "$seconds" "$reference" '>= 5' - ;;
		'w1.raw viterbi, pass') row 'Viterbi W1, raw model, pass' "$seconds" "$reference" '>= 10' - ;;
		'w1.raw '*) row "${what%%,*} W1, raw model,${what##*,}" "$seconds" "$reference" - - ;;
		'w1.map decode, process,'*) row "decode${what##*process,}, against score, $peak MB" \
		    "$seconds" "$reference" '<= 2.5' - ;;
		esac
	done <"$tmp/score"
}

# ---- prediction: seconds of a million, and of a line ----

part_predict()
{
	sh "$here/predict.sh" >"$tmp/predict"
	while IFS='	' read -r what value unit must _; do
		least=${must#?= } least=${least% !}
		case $unit in
		unit) ;;
		ms) row "predict: $what" "$(calc "$value / 1e3") w" "$(calc "$least / 1e3")" '<= 1' - ;;
		*) row "predict: $what, a million" "$(calc "1e6 / $value")" "$(calc "1e6 / $least")" '>= 1' - ;;
		esac
	done <"$tmp/predict"
}

# ---- EM on T ----

# must WORK: of a whole run on two threads.
must()
{
	case $1 in
	w1) echo '>= 55' ;;
	w2) echo '>= 60' ;;
	w3) echo '>= 75' ;;
	esac
}

part_em()
{
	for w in $works; do
		walk $w
		iterations=50 m=$((4 * tries)) n=$((3 * tries)) theirs=5
		case $w in
		w2) m=$((tries + 1)) n=$tries theirs=2 ;;
		w3) iterations=20 m=1 n=1 theirs=1 ;;
		esac
		eval "clones=\$clones_$w"
		for j in $threads; do
			numba learn $j "$dir/$w.gz" "$clones" $theirs
			em $w auto $j $iterations $n io
			share=-
			if [ $j = 1 ]; then
				roof=$("$bin/roofline" 1 "$(get block)" | cut -f 2)
				share=$(calc "100e-9 * $(get stream) / $(get forward) / $roof" |
				    cut -d . -f 1)' %'
			fi
			learn_raw $m $w $iterations -j$j
			if [ $j = 1 ]; then
				row "EM on T $w, whole run of $iterations, 1 thread" $cpu \
				    "$(scaled $iterations $reference)" - -
			else
				row "EM on T $w, whole run of $iterations, $j threads" "$wall w" \
				    "$(scaled $iterations $reference)" "$(must $w)" -
			fi
			row "EM on T $w, per iteration, $j thread$([ $j = 1 ] || echo s)" \
			    "$(get mean)$([ $j = 1 ] || echo ' w')" "$reference" - "$share"
		done
	done
}

# ---- the Python package: fit of W1 from arrays, against the tool with its files ----

part_fit()
{
	if fit=$(find_python numpy); then
		walk w1
		seconds=$(PYTHONPATH="$here/../../data/python" PYTHONDONTWRITEBYTECODE=1 \
		    CSCG_LIBRARY="$BUILD/libcscg.so" OMP_NUM_THREADS=1 \
		    "$fit" "$here/fit.py" "$dir/w1.gz" $clones_w1 50 $((2 * tries)))
		learn_raw $((2 * tries)) w1 50 -j1
		row 'fit in Python, W1, 50 iterations, against the tool' "$seconds" $cpu '<= 1.05' -
	else
		echo "no NumPy here (make deps): fit is left out" >&2
	fi
}

# ---- EM on E: a torus, 1000 steps ----

part_bind()
{
	for n in 400 2000; do
		size=20x20 least='>= 93'
		[ $n = 400 ] || size=40x50 least='>= 413'
		"$BUILD/roomgen" torus --size $size --as model -o "$dir/bind$n.model.gz"
		"$BUILD/roomgen" torus --size $size --obs random:50 -s 1 |
		    "$BUILD/roomwalk" -n 1000 -s 1 --blind -o "$dir/bind$n.gz"
		# The best of several runs: one is over in a few milliseconds.
		for i in 1 2 3 4 5; do
			"$bin/bind_bench" "$dir/bind$n.model.gz" "$dir/bind$n.gz" 40 4
		done | sort -g | head -1 >"$tmp/bind"
		read -r seconds _ <"$tmp/bind"
		numba bind 1 "$dir/bind$n.model.gz" "$dir/bind$n.gz" 4
		row "EM on E, $n states, per iteration" "$seconds" "$reference" "$least" -
	done
}

# ---- matching, files ----

part_match()
{
	sh "$here/match.sh" growth >"$tmp/growth"
	read -r short long <"$tmp/growth"
	row 'match, 400 steps against 100' "$long" "$short" '<= 6' -
}

part_files()
{
	sh "$here/files.sh" >"$tmp/files"
	while IFS='	' read -r from to how seconds wall speed zlib _; do
		case "$from $to $how" in
		plain.*' walk --no-gzip')
			row "walkconv ${from#plain.} to walk, plain, against 100 MB/s" "$seconds" \
			    "$(calc "$seconds * $speed / 100")" '>= 1' - ;;
		plain.*' walk gzip')
			row "walkconv ${from#plain.} to walk, gzip, against zlib" "$wall w" "$zlib" \
			    '>= .8' - ;;
		esac
	done <"$tmp/files"
}

# ---- the table: new rows in the place of old ones of the same work ----

: >"$tmp/rows"
for part in $PART; do
	echo "$part:" >&2
	part_$part
done
results=$dir/results.tsv
[ "$PART" = "$parts" ] && rm -f "$results"
[ -s "$results" ] || printf 'work\tseconds\treference\tratio\tmust\troofline\n' >"$results"
awk -F '\t' 'NR == FNR { new[$1] = $0; order[++n] = $1; next }
	$1 in new { print new[$1]; delete new[$1]; next }
	{ print }
	END { for (i = 1; i <= n; i++) if (order[i] in new) print new[order[i]] }' \
    "$tmp/rows" "$results" >"$tmp/results"
mv "$tmp/results" "$results"
echo
align <"$results"
echo "(w: wall-clock seconds, else CPU seconds; !: misses the bound)"
