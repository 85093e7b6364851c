#!/bin/sh
# icl.sh - learning in context: GINC, and rebinding of novel words (fig-icl)
#
#   icl.sh documents SEED      the documents of one world, as a walk
#   icl.sh ginc SEED STATES WALK
#                              learn from these documents with this number of states, or
#                              take the chains of the world ("true")
#   icl.sh novel DATA SEED STATES
#                              learn from texts (novel.awk) with this number of states
#   icl.sh table TSV...        means over seeds, with 95 % intervals and minimum:
#                              what, series, x, mean, low, high, least, seeds
#   icl.sh rows TABLE          the rows of the report
#   icl.sh draw OUT TABLE      the figure
#
# ginc and novel print what, series, x, right answers, prompts.  A prompt is an
# episode; its answer is right if cscg-predict predicts each of its words as the most
# probable one, given the words before it.
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
	walkconv --from tsv --x x --episode episode --a ''
}

# Sets $spent: CPU seconds of the commands run by this shell.
count_seconds()
{
	times >"$dir/times"
	spent=$(awk 'NR == 2 { split($1, m, /[ms]/); print m[1] * 60 + m[2] }' "$dir/times")
}

# EM starts on few documents, which takes less time with equal results.  The last
# updates use all documents, since the probabilities of the two most probable next
# words differ by less than .01 in many contexts.
learn_ginc() # WALK OUT
{
	docs=${DOCS:-1000}
	from="--clones proportional:$states,floor=1 --restarts 1"
	count_seconds
	before=$spent
	for stage in 20:40 100:15 "$docs:2"; do
		n=${stage%:*}
		[ "$n" -lt "$docs" ] || n=$docs
		walkconv --select "0-$((n - 1))" "$1" -o "$dir/part"
		# shellcheck disable=SC2086 # options
		cscg-learn -j 1 $from --structure none --iterations "${stage#*:}" --tolerance 0 \
		    --pseudocount .01 -s "$seed" "$dir/part" -o "$2"
		[ "$n" -lt "$docs" ] || break
		mv "$2" "$dir/begun"
		from="--init $dir/begun"
	done
	count_seconds
	printf '#time\t%s\t%s\t%s\t%s\n' "$seed" "$states" $((docs * 10240)) \
	    "$(echo "$spent $before" | awk '{ print $1 - $2 }')"
}

case $what in
documents)
	make_text ginc.awk "seed=$1" mode=train "docs=${DOCS:-1000}" steps=10240 | to_walk ;;
ginc)
	seed=$1 states=$2
	scratch
	if [ "$states" = true ]; then
		make_text ginc.awk "seed=$seed" mode=true >"$dir/model"
	else
		learn_ginc "$3" "$dir/model"
	fi
	for k in ${LENGTHS:-3 5 8 10}; do
		for n in ${EXAMPLES:-0 1 2 4 8 16 32 64}; do
			make_text ginc.awk "seed=$seed" mode=prompts "k=$k" "n=$n" "prompts=$((n > 8 ? 100 : 300))" |
			    to_walk | cscg-predict --top 1 --states 0 "$dir/model" |
			    awk -F '\t' -v OFS='\t' -v head="ginc-$states	k = $k	$n" '
			    NR > 1 { if (!($1 in ok)) prompts++; ok[$1] = $3 == before; before = $7 }
			    END { for (q in ok) right += ok[q]; print head, right + 0, prompts }'
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
		paste "$dir/text" "$dir/rows" | awk -F '\t' -v OFS='\t' -v head="$data	$mode	$states" '
		NR > 1 { if (!($1 in ok)) { ok[$1] = 1; prompts++ }
			if ($3 && $2 != before) ok[$1] = 0 }
		{ before = $12 }
		END { for (q in ok) right += ok[q]; print head, right + 0, prompts }'
	done ;;
table)
	printf '#what\tseries\tx\tmean\tlow\thigh\tleast\tseeds\n'
	cat "$@" | awk -F '\t' -v OFS='\t' '
	# The 97.5 % quantile of t with f degrees of freedom, to 0.3 %.
	function quantile(f) { return 1.96 + 2.37 / f + 2.82 / f ^ 2 + 2.56 / f ^ 3 + 1.6 / f ^ 4 + 1.4 / f ^ 5 }
	/^#time/ { seconds[$3] += $5; times[$3]++; tokens = $4; next }
	/^#/ { next }
	{ key = $1 OFS $2 OFS $3; p = $4 / $5
	  if (!(key in n) || p < least[key]) least[key] = p
	  n[key]++; sum[key] += p; square[key] += p * p }
	END {
		for (key in n) {
			m = sum[key] / n[key]
			half = n[key] > 1 ? quantile(n[key] - 1) * sqrt((square[key] / n[key] - m * m) * (1 + 1e-12) / (n[key] - 1) + 1e-30) : 0
			low = m - half < 0 ? 0 : m - half; high = m + half > 1 ? 1 : m + half
			print key, sprintf("%.4f", m), sprintf("%.4f", low), sprintf("%.4f", high), sprintf("%.4f", least[key]), n[key]
		}
		for (c in seconds)
			print "time", tokens, c, sprintf("%.1f", seconds[c] / times[c]), "-", "-", "-", times[c]
	}' | sort -t '	' -k 1,1 -k 2,2 -k 3,3g ;;
rows)
	awk -F '\t' -v OFS='\t' '
	function percent(v) { return sprintf("%.1f %%", 100 * v) }
	function from(key) { return key in found ? found[key] : "none" }
	function at_least(key) { return low[key] >= .95 ? "yes" : "no" }
	function told(key) { return percent(mean[key]) " (" percent(low[key]) " to " percent(high[key]) ")" }
	/^#/ { next }
	{ key = $1 SUBSEP $2 SUBSEP $3; mean[key] = $4; low[key] = $5; high[key] = $6; least[key] = $7
	  if ($1 == "time") { seconds[$3] = $4; tokens = $2; if ($3 > top) top = $3 }
	  if ($4 >= .95 && !(($1, $2) in found)) found[$1, $2] = $3
	  if ($4 > most[$1, $2]) { most[$1, $2] = $4; at[$1, $2] = $3 }
	  if ($1 == "words" || $1 == "lists") { last[$1] = $3 > last[$1] ? $3 : last[$1] } }
	END {
		g = "ginc-" top SUBSEP
		name = ", " top " states: accuracy"
		main = g "k = 8" SUBSEP 8
		print "icl", "GINC, k = 8, n = 8" name, "97 %", told(main), "low end >= 95 %", at_least(main)
		print "icl", "GINC, k = 8, n = 8" name " in the worst world", "-", percent(least[main]), "-", "-"
		print "icl", "GINC, k = 3, n = 8" name, "53 %", told(g "k = 3" SUBSEP 8), "-", "-"
		print "icl", "GINC, k = 8, n = 8: the chains themselves", "-", told("ginc-true" SUBSEP "k = 8" SUBSEP 8), "-", "-"
		print "icl", "GINC, k = 3, n = 8: the chains themselves", "-", told("ginc-true" SUBSEP "k = 3" SUBSEP 8), "-", "-"
		print "icl", "GINC: CPU seconds to learn " tokens " words with " top " states", "-", seconds[top], "-", "-"
		key = "words" SUBSEP 2 SUBSEP last["words"]
		print "icl", "a novel noun after two presentations, " last["words"] " states", "-",
		    told(key), "low end >= 95 %", at_least(key)
		print "icl", "after one presentation (four nouns fit) and none (16 fit)", "-",
		    told("words" SUBSEP 1 SUBSEP last["words"]) ", " told("words" SUBSEP 0 SUBSEP last["words"]), "25 %, 6 %", "-"
		for (i = 1; i <= 2; i++) {
			mode = i == 1 ? "instruction" : "example"
			best = at["lists", mode]
			key = "lists" SUBSEP mode SUBSEP best
			name = "lists and matrices of novel letters after an " mode ", "
			print "icl", name "best number of states", "-", told(key) ", " best " states", "low end >= 95 %", at_least(key)
			print "icl", name last["lists"] " states", "-", told("lists" SUBSEP mode SUBSEP last["lists"]), "-", "-"
		}
		print "icl", "least number of states with 95 % right: noun, instruction, example", "-",
		    from("words" SUBSEP 2) ", " from("lists" SUBSEP "instruction") ", " from("lists" SUBSEP "example"), "-", "-"
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	sizes=$(awk -F '\t' '$1 == "time" { print $3 }' "$table" | sort -n)
	most=$(echo "$sizes" | tail -n 1)
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
		set grid ytics lc rgb '#dddddd'; set key below samplen 2 maxrows 2; set bmargin 6; set yrange [0:102]
		set ylabel 'right answers, %'
		set title 'GINC: learned (solid), the chains (dashed)'; set xlabel 'examples n'
		set logscale x 2; set xrange [.4:80]; set xtics ('0' .5, 1, 2, 4, 8, 16, 32, 64)
		set arrow from .4, 95 to 80, 95 nohead lc rgb '#888888' dt 3
		plot $(curve "ginc-$most" 'k = 3' 1 1 'k = 3'), $(curve "ginc-$most" 'k = 5' 2 1 'k = 5'), \\
		 $(curve "ginc-$most" 'k = 8' 3 1 'k = 8'), $(curve "ginc-$most" 'k = 10' 4 1 'k = 10'), \\
		 $(curve ginc-true 'k = 3' 1 2 ''), $(curve ginc-true 'k = 8' 3 2 '')
		set title 'GINC, k = 8: number of states'
		plot \\"
		i=0
		for c in $sizes; do
			i=$((i + 1))
			echo "$(curve "ginc-$c" 'k = 8' $i 1 "$c states"), \\"
		done
		echo "$(curve ginc-true 'k = 8' 8 2 'the chains')
		unset arrow
		set title 'novel words'; set xlabel 'states'; set xrange [56:2400]
		set key below horizontal samplen 1 maxrows 2 font ',10'
		set xtics (64, 128, 256, 512, 1024, 2048)
		plot $(curve words 2 1 1 'noun, shown twice'), $(curve words 1 2 1 'noun, shown once'), \\
		 $(curve words 0 7 1 'noun, not shown'), $(curve lists instruction 3 1 'lists, instruction'), \\
		 $(curve lists example 4 1 'lists, example'), 95 w l lc rgb '#888888' dt 3 t ''
		unset multiplot"
	} >"$dir/commands"
	plot "$out" 1320 430 <"$dir/commands" ;;
*) echo "icl.sh: no '$what'" >&2; exit 2 ;;
esac
