#!/bin/sh
# text.sh - held-out perplexity of the characters of a text, by models with
# increasing numbers of clones and characters, and by n-grams (fig-text)
#
# The text is the GNU General Public License, version 3, as Debian has it in
# /usr/share/common-licenses/GPL-3 (CORPUS names another file), in lower case,
# with white space as single spaces.  Its last 5000 characters are held out; a
# model is learned from the first 5000, 10,000 and so on.  EM has a fixed number
# of iterations, without structure search; the best of RESTARTS by the training
# likelihood is kept.  n-grams have Witten-Bell smoothing (tests/bench/ngram.c).
#
#   text.sh run SEED N          models of the first N characters: series, seed,
#                               N, clones or order, perplexity, seconds
#   text.sh table TSV...        medians over seeds with minimum and maximum: series,
#                               N, clones or order, perplexity, least, most
#   text.sh rows TABLE          the rows of the report
#   text.sh draw OUT TABLE      the figure
. "$(dirname "$0")/common.sh"
what=$1
shift
corpus=${CORPUS:-/usr/share/common-licenses/GPL-3}
held=5000

case $what in
run)
	seed=$1 n=$2
	scratch
	[ -r "$corpus" ] || { echo "text.sh: '$corpus' is not there (CORPUS=FILE)" >&2; exit 1; }
	tr -s ' \n\t\f' ' ' <"$corpus" >"$dir/text"
	[ "$(wc -c <"$dir/text")" -ge $((n + held)) ] || {
		echo "text.sh: '$corpus' has less than $((n + held)) characters" >&2; exit 1; }
	head -c "$n" "$dir/text" | walkconv --text chars --lower -o "$dir/train"
	tail -c $held "$dir/text" | walkconv --text chars --lower -o "$dir/test"
	"$NGRAM" "$dir/train" "$dir/test" 5 >"$dir/ngram"
	awk -F '\t' -v OFS='\t' -v n="$n" -v s="$seed" '{ print "ngram", s, n, $1, $3, 0 }' "$dir/ngram"
	for c in ${CLONES:-1 2 5 10 20 40}; do
		cscg-learn -j 1 -s "$seed" --clones "$c" --structure none --tolerance 0 \
		    --iterations 30 --restarts "${RESTARTS:-3}" "$dir/train" -o "$dir/model"
		cscg-score -q -w "$dir/test" "$dir/model" >"$dir/score"
		awk -F '\t' -v OFS='\t' -v n="$n" -v s="$seed" -v c="$c" \
		    '!/^#/ { print "clones", s, n, c, $5, 0 }' "$dir/score"
	done ;;
table)
	printf '#series\tcharacters\tx\tperplexity\tleast\tmost\n'
	sort -t '	' -k 1,1 -k 3,3n -k 4,4n -k 5,5g "$@" | awk -F '\t' -v OFS='\t' '
	function put() { if (m) print key, v[int((m + 1) / 2)], v[1], v[m]; m = 0 }
	{ k = $1 OFS $3 OFS $4; if (k != key) { put(); key = k } v[++m] = sprintf("%.4f", $5) }
	END { put() }' ;;
rows)
	awk -F '\t' -v OFS='\t' '
	$1 == "ngram" { g[$2, $3] = $4; if (!($2 in gram) || $4 < gram[$2]) { gram[$2] = $4; order[$2] = $3 } }
	$1 == "clones" { c[$2, $3] = $4
	    if (!($2 in best) || $4 < best[$2]) { best[$2] = $4; at[$2] = $3; range[$2] = " [" $5 ", " $6 "]"; high[$2] = $6 } if ($2 > last) last = $2
	    if (!first || $2 < first) first = $2 }
	END {
		print "text", "GPL-3, " last " characters: perplexity of the held-out 5000, 1 clone, " at[last] " clones", "-",
		    c[last, 1] ", " best[last] range[last], "falls with clones", (high[last] < c[last, 1] ? "yes" : "no")
		print "text", "Witten-Bell n-grams: order 2, best order (" order[last] ")", "-",
		    g[last, 2] ", " gram[last], "-", "-"
		print "text", "best number of clones against the best order", "-", best[last] range[last] " against " gram[last],
		    "all within 10 %", (high[last] <= 1.1 * gram[last] ? "yes" : "no")
		print "text", "best perplexity after " first " and " last " characters", "-", best[first] range[first] ", " best[last] range[last],
		    "falls with data", (high[last] < best[first] ? "yes" : "no")
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	sizes=$(awk -F '\t' '$1 == "clones" { print $2 }' "$table" | sort -nu)
	pick() # SERIES N
	{
		awk -F '\t' -v w="$1" -v s="$2" '$1 == w && $2 == s { print $3, $4, $5, $6 }' "$table" >"$dir/$1.$2"
		echo "'$dir/$1.$2'"
	}
	{
		echo "set multiplot layout 1,2
		set ylabel 'held-out perplexity per character'; set grid ytics lc rgb '#dddddd'
		set key below samplen 2; set bmargin 6; set logscale y; set yrange [4:25]; set ytics (4, 5, 6, 8, 10, 15, 20)
		set title 'clones of each character (GPL-3)'; set xlabel 'clones'; set logscale x
		set xtics (1, 2, 5, 10, 20, 40); set xrange [.9:45]
		plot \\"
		k=0
		for n in $sizes; do
			k=$((k + 1))
			echo "$(pick clones "$n") u 1:2:3:4 w yerrorlines lc $k pt 7 t '$n characters', \\"
		done
		echo "NaN notitle
		set title 'n-grams, Witten-Bell'; set xlabel 'order'; unset logscale x; set xtics 1; set xrange [.8:5.2]
		plot \\"
		k=0
		for n in $sizes; do
			k=$((k + 1))
			echo "$(pick ngram "$n") u 1:2 w lp lc $k pt 5 t '$n characters', \\"
		done
		echo "NaN notitle
		unset multiplot"
	} >"$dir/commands"
	plot "$out" 980 430 <"$dir/commands" ;;
*) echo "text.sh: no '$what'" >&2; exit 2 ;;
esac
