#!/bin/sh
# icl.sh - learning in context: GINC, and rebinding of novel words (fig-icl)
#
#   icl.sh ginc SEED CLONES    learn from the documents of one world with so many
#                              clones a word, or take its own chains ("true");
#                              rows of clones, seed, k, n, set, right, prompts
#   icl.sh novel DATA SEED STATES
#                              learn from texts (novel.awk) with so many states;
#                              rows of states, seed, mode, right, prompts
#   icl.sh table TSV...        means over sets and seeds, with 95 % intervals:
#                              what, series, x, mean, low, high, sets
#   icl.sh rows TABLE          the rows of the report
#   icl.sh draw OUT TABLE      the figure
#
# A prompt is an episode; its answer is right if every word of it was the
# likeliest one according to cscg-predict when it had read what is before it.
. "$(dirname "$0")/common.sh"
here=$(dirname "$0")
what=$1
shift

make_text() # SCRIPT NAME=VALUE...: the table
{
	script=$here/$1
	shift
	for i in "$@"; do
		shift
		set -- "$@" -v "$i"
	done
	awk "$@" -f "$here/random.awk" -f "$script"
}

to_walk()
{
	walkconv --from tsv --x x --episode episode --a '' "$@"
}

# Processor seconds of the commands that this shell has run, in $spent.
count_seconds()
{
	times >"$dir/times"
	spent=$(awk 'NR == 2 { split($1, m, /[ms]/); print m[1] * 60 + m[2] }' "$dir/times")
}

# EM starts on a fifth of the documents: it costs less, and ends as well.
learn_ginc() # SEED CLONES OUT
{
	make_text ginc.awk "seed=$1" mode=train "docs=${DOCS:-100}" steps=10240 | to_walk -o "$dir/walk"
	walkconv --select "0-$((${DOCS:-100} / 5 - 1))" "$dir/walk" -o "$dir/part"
	count_seconds
	before=$spent
	cscg-learn -j 1 --clones "$2" --structure none --restarts 1 --iterations 40 --tolerance 0 \
	    --pseudocount .01 -s "$1" "$dir/part" -o "$dir/begun"
	cscg-learn -j 1 --init "$dir/begun" --structure none --iterations 15 --tolerance 0 \
	    --pseudocount .01 "$dir/walk" -o "$3"
	count_seconds
	printf '#time\t%s\t%s\t%s\t%s\n' "$1" "$2" $((${DOCS:-100} * 10240)) \
	    "$(echo "$spent $before" | awk '{ print $1 - $2 }')"
}

case $what in
ginc)
	seed=$1 clones=$2
	scratch
	if [ "$clones" = true ]; then
		make_text ginc.awk "seed=$seed" mode=true >"$dir/model"
	else
		learn_ginc "$seed" "$clones" "$dir/model"
	fi
	for k in 3 5 8 10; do
		for n in ${EXAMPLES:-0 1 2 4 8 16 32 64}; do
			each=$((n > 8 ? 5 : 30))
			make_text ginc.awk "seed=$seed" mode=prompts "k=$k" "n=$n" "prompts=$((10 * each))" |
			    to_walk | cscg-predict --top 1 --states 0 "$dir/model" |
			    awk -F '\t' -v OFS='\t' -v each=$each -v head="$clones	$seed	$k	$n" '
			    NR > 1 && $5 == "-" { right[int($1 / each)] += $3 == before }
			    { before = $7 }
			    END { for (s = 0; s < 10; s++) print head, s, right[s] + 0, each }'
		done
	done ;;
novel)
	data=$1 seed=$2 states=$3
	scratch
	make_text novel.awk "data=$data" "seed=$seed" mode=train "texts=$([ "$data" = lists ] && echo 280 || echo 480)" |
	    to_walk | cscg-learn -j 1 --clones "proportional:$states,floor=1" --structure none --restarts 1 \
	    --iterations 300 --pseudocount 1e-4 -s "$seed" -o "$dir/model"
	if [ "$data" = lists ]; then
		modes='instruction example'
	else
		modes='0 1 2'
	fi
	for mode in $modes; do
		make_text novel.awk "data=$data" "seed=$seed" "mode=$mode" "shown=$mode" \
		    "prompts=$([ "$data" = lists ] && echo "${PROMPTS:-28}" || echo 48)" >"$dir/text"
		to_walk <"$dir/text" | cscg-predict --rebind .001 --top 1 --states 0 "$dir/model" >"$dir/rows"
		paste "$dir/text" "$dir/rows" | awk -F '\t' -v OFS='\t' -v head="$states	$seed	$data $mode" '
		NR > 1 { if (!($1 in ok)) { ok[$1] = 1; prompts++ }
			if ($3 && $2 != before) ok[$1] = 0 }
		{ before = $12 }
		END { for (q in ok) right += ok[q]; print head, right + 0, prompts }'
	done ;;
table)
	printf '#what\tseries\tx\tmean\tlow\thigh\tsets\n'
	cat "$@" | awk -F '\t' -v OFS='\t' '
	# The 97.5 % quantile of t with f degrees of freedom, to 0.3 %.
	function quantile(f) { return 1.96 + 2.37 / f + 2.82 / f ^ 2 + 2.56 / f ^ 3 + 1.6 / f ^ 4 + 1.4 / f ^ 5 }
	function put(key, p) { if (!(key in n)) name[++keys] = key; n[key]++; sum[key] += p; square[key] += p * p }
	/^#time/ { seconds[$3] += $5; times[$3]++; tokens = $4; next }
	/^#/ { next }
	NF == 7 { put("ginc-" $1 OFS "k = " $3 OFS $4, $6 / $7) }
	NF == 5 { split($3, w, " "); put(w[1] OFS w[2] OFS $1, $4 / $5) }
	END {
		for (i = 1; i <= keys; i++) {
			key = name[i]
			m = sum[key] / n[key]
			half = n[key] > 1 ? quantile(n[key] - 1) * sqrt((square[key] / n[key] - m * m) * (1 + 1e-12) / (n[key] - 1) + 1e-30) : 0
			low = m - half < 0 ? 0 : m - half; high = m + half > 1 ? 1 : m + half
			print key, sprintf("%.4f", m), sprintf("%.4f", low), sprintf("%.4f", high), n[key]
		}
		for (c in seconds)
			print "time", tokens, c, sprintf("%.1f", seconds[c] / times[c]), "-", "-", times[c]
	}' | sort -t '	' -k 1,1 -k 2,2 -k 3,3g ;;
rows)
	awk -F '\t' -v OFS='\t' '
	function percent(v) { return sprintf("%.1f %%", 100 * v) }
	function told(key) { return percent(mean[key]) " (" percent(low[key]) " to " percent(high[key]) ")" }
	/^#/ { next }
	{ key = $1 SUBSEP $2 SUBSEP $3; mean[key] = $4; low[key] = $5; high[key] = $6
	  if ($1 == "time") { seconds[$3] = $4; tokens = $2 }
	  if (($1 == "words" || $1 == "lists") && !(($1, $2) in found) && $4 >= .95) found[$1, $2] = $3
	  if ($1 == "words" || $1 == "lists") { last[$1] = $3 > last[$1] ? $3 : last[$1] } }
	END {
		g = "ginc-50" SUBSEP
		print "icl", "GINC, k = 8, n = 8, 50 clones: accuracy", "97 %", told(g "k = 8" SUBSEP 8), "95 % or more",
		    (mean[g "k = 8" SUBSEP 8] >= .95 ? "yes" : "no")
		print "icl", "GINC, k = 3, n = 8, 50 clones: accuracy", "53 %", told(g "k = 3" SUBSEP 8), "-", "-"
		print "icl", "GINC, k = 8, n = 8: the chains themselves", "-", told("ginc-true" SUBSEP "k = 8" SUBSEP 8), "-", "-"
		print "icl", "GINC, k = 3, n = 8: the chains themselves", "-", told("ginc-true" SUBSEP "k = 3" SUBSEP 8), "-", "-"
		print "icl", "GINC: processor seconds to learn " tokens " words with 10, 20, 50 clones", "-",
		    seconds[10] ", " seconds[20] ", " seconds[50], "-", "-"
		v = mean["words" SUBSEP 2 SUBSEP last["words"]]
		print "icl", "a novel noun after two presentations, " last["words"] " states", "-",
		    told("words" SUBSEP 2 SUBSEP last["words"]), "95 % or more", (v >= .95 ? "yes" : "no")
		print "icl", "after one (four nouns fit) and none (16 do)", "-",
		    told("words" SUBSEP 1 SUBSEP last["words"]) ", " told("words" SUBSEP 0 SUBSEP last["words"]), "25 %, 6 %", "-"
		for (i = 1; i <= 2; i++) {
			mode = i == 1 ? "instruction" : "example"
			key = "lists" SUBSEP mode SUBSEP last["lists"]
			print "icl", "lists and matrices of novel letters after an " mode ", " last["lists"] " states", "-",
			    told(key), "95 % or more", (mean[key] >= .95 ? "yes" : "no")
		}
		print "icl", "states from which 95 % are right: noun, instruction, example", "-",
		    found["words", 2] ", " found["lists", "instruction"] ", " found["lists", "example"], "-", "-"
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	pick() # WHAT SERIES: x, mean, low, high
	{
		name=$(echo "$1-$2" | tr -d ' =')
		awk -F '\t' -v w="$1" -v s="$2" '$1 == w && $2 == s { print ($3 == 0 && w ~ /^ginc/ ? .5 : $3), 100 * $4, 100 * $5, 100 * $6 }' "$table" >"$dir/$name"
		[ -s "$dir/$name" ] || echo 'NaN NaN NaN NaN' >"$dir/$name"
		echo "'$dir/$name'"
	}
	curve() # WHAT SERIES COLOUR DASH TITLE
	{
		echo "$(pick "$1" "$2") u 1:2:3:4 w yerrorlines lc $3 dt $4 pt 7 ps .6 t '$5'"
	}
	{
		echo "set multiplot layout 1,3
		set grid ytics lc rgb '#dddddd'; set key below samplen 2 height 1; set yrange [0:102]
		set ylabel 'answers that are right, %'
		set title 'GINC: 50 clones (lines), the chains (broken)'; set xlabel 'examples n'
		set logscale x 2; set xrange [.4:80]; set xtics ('0' .5, 1, 2, 4, 8, 16, 32, 64)
		set arrow from .4, 95 to 80, 95 nohead lc rgb '#888888' dt 3
		plot $(curve ginc-50 'k = 3' 1 1 'k = 3'), $(curve ginc-50 'k = 5' 2 1 'k = 5'), \\
		 $(curve ginc-50 'k = 8' 3 1 'k = 8'), $(curve ginc-50 'k = 10' 4 1 'k = 10'), \\
		 $(curve ginc-true 'k = 3' 1 2 ''), $(curve ginc-true 'k = 8' 3 2 '')
		set title 'GINC, k = 8: clones of a word'
		plot $(curve ginc-10 'k = 8' 1 1 '10 clones'), $(curve ginc-20 'k = 8' 2 1 '20'), \\
		 $(curve ginc-50 'k = 8' 3 1 '50'), $(curve ginc-true 'k = 8' 8 2 'the chains')
		unset arrow
		set title 'novel words'; set xlabel 'states'; set xtics auto; set xrange [*:*]
		set xtics (64, 128, 256, 512, 1024, 2048)
		plot $(curve words 2 1 1 'noun, shown twice'), $(curve words 1 2 1 'noun, shown once'), \\
		 $(curve words 0 7 1 'noun, not shown'), $(curve lists instruction 3 1 'lists, instruction'), \\
		 $(curve lists example 4 1 'lists, example'), 95 w l lc rgb '#888888' dt 3 t ''
		unset multiplot"
	} >"$dir/commands"
	plot "$out" 1320 430 <"$dir/commands" ;;
*) echo "icl.sh: no '$what'" >&2; exit 2 ;;
esac
