#!/bin/sh
# choosing.sh - effect of the number of clones, the pseudocount and the number of
# starts (fig-choosing; shown in cscg-choosing(7))
#
# A room of 6 by 6 cells with six random symbols, in which one action in ten slips:
# state merging fails, EM has to find the graph.  The score of a model is its NLL on
# another walk of 5000 steps, in nats per step; up to sampling error the true graph
# has the lowest.
#
#   choosing.sh run SEED PART   PART is clones, chosen, pseudocount or starts; lines
#                               of part, seed, x, series, nats, states for one room
#   choosing.sh table TSV...    medians over seeds with minimum and maximum: part,
#                               series, x, nats above the true graph, least, most,
#                               states; for starts: expected nats of the best of x
#                               starts above the best of all
#   choosing.sh rows TABLE      the rows of the report
#   choosing.sh draw OUT TABLE  the figure
. "$(dirname "$0")/common.sh"
what=$1
shift

# judge WHAT X SERIES MODEL: the line of a model
judge()
{
	nats=$(cscg-score -w "$dir/fresh" "$4" | awk -F '\t' '!/^#/ { n = $4 } END { print n }')
	states=$(cscg-show --as nodes "$4" | grep -vc '^#')
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$seed" "$2" "$3" "$nats" "$states"
}

# Learn from the first N steps.
learn() # N OPTION...
{
	first=$1
	shift
	walkconv --head "$first" "$dir/walk" | cscg-learn -j 1 -s "$seed" "$@" -o "$dir/model"
}

clones()
{
	for n in ${CLONES:-1 2 4 6 8 10 12 16 24}; do
		learn "${STEPS:-10000}" --clones "$n"
		judge clones "$n" given "$dir/model"
	done
}

chosen()
{
	learn "${STEPS:-10000}"
	judge clones 0 chosen "$dir/model"
	judge clones 0 true "$dir/true"
}

pseudocount()
{
	for n in ${WALKS:-1000 3000 10000}; do
		for p in ${COUNTS:-1e-5 1e-4 1e-3 1e-2 1e-1 1}; do
			learn "$n" --clones 12 --pseudocount "$p"
			judge pseudocount "$p" "$n" "$dir/model"
		done
	done
}

# Single starts, ordered by the training likelihood, as in cscg-learn.
starts()
{
	for n in 8 16; do
		learn "${STEPS:-10000}" --clones "$n" --restarts "${STARTS:-8}" --structure none --stats "$dir/stats"
		sed -n 's/.*"stage":"restart","restart":\([0-9]*\),.*"nats_per_step":\([^,]*\),.*/\1 \2/p' \
		    "$dir/stats" | sort -n | while read -r i nats; do
			printf 'starts\t%s\t%s\t%s\t%s\t-\n' "$seed" "$i" "$n" "$nats"
		done
	done
}

case $what in
run)
	seed=$1
	scratch
	roomgen rectangle --size 6x6 --obs random:6 --slip .1 -s "$seed" -o "$dir/room"
	roomgen room "$dir/room" --as model -o "$dir/true"
	roomwalk -n 10000 -s "$seed" "$dir/room" -o "$dir/walk"
	roomwalk -n 5000 -s $((seed + 500)) "$dir/room" -o "$dir/fresh"
	"$2" ;;
table)
	printf '#what\tseries\tx\tabove\tleast\tmost\tstates\n'
	cat "$@" | awk -F '\t' -v OFS='\t' '
	function put(k, v, st) { if (!(k in n)) key[++keys] = k; n[k]++; v_[k, n[k]] = v; s_[k, n[k]] = st }
	function order(a, m,   i, j, t) {
		for (i = 2; i <= m; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
	}
	# The expected best of x out of m starts: the i-th is the best of a choice if the
	# other x - 1 are among the m - i worse ones.
	function best(a, m, x,   i, j, p, sum) {
		for (i = 1; i <= m - x + 1; i++) {
			p = x / m
			for (j = 0; j < x - 1; j++) p *= (m - i - j) / (m - 1 - j)
			sum += p * (a[i] - a[1])
		}
		return sum
	}
	$4 == "true" { truth[$2] = $5 }
	$1 == "starts" { k = $4 SUBSEP $2; if (!(k in of)) kind[++kinds] = k
	    start[k, ++of[k]] = $5; next }
	{ line[++lines] = $0 }
	END {
		for (i = 1; i <= lines; i++) { split(line[i], f, FS)
			put(f[1] OFS f[4] OFS f[3], f[5] - truth[f[2]], f[6]) }
		for (l = 1; l <= kinds; l++) {
			s = kind[l]
			for (i = 1; i <= of[s]; i++) a[i] = start[s, i]
			order(a, of[s])
			split(s, f, SUBSEP)
			for (x = 1; x <= of[s]; x *= 2) put("starts" OFS f[1] OFS x, best(a, of[s], x), 0)
		}
		for (i = 1; i <= keys; i++) { k = key[i]; m = n[k]
			for (j = 1; j <= m; j++) { a[j] = v_[k, j] + 0; b[j] = s_[k, j] + 0 }
			order(a, m); order(b, m); h = int((m + 1) / 2); g = int(m / 2) + 1
			print k, sprintf("%.4f", (a[h] + a[g]) / 2), sprintf("%.4f", a[1]), sprintf("%.4f", a[m]), (b[h] + b[g]) / 2 }
	}' ;;
rows)
	awk -F '\t' -v OFS='\t' '!/^#/ { above[$1, $2, $3] = $4; states[$1, $2, $3] = $7
	  least[$1, $2, $3] = $5; most[$1, $2, $3] = $6 }
	function show(what, series, x,   k) {
		k = what SUBSEP series SUBSEP x
		return above[k] " [" least[k] ", " most[k] "]"
	}
	$1 == "clones" && $2 == "given" { last = $3 }
	$1 == "pseudocount" { if (!($2 in low) || $4 < low[$2]) { low[$2] = $4; at[$2] = $3 } }
	END {
		m = above["clones", "given", 12]; d = above["clones", "chosen", 0]
		print "choosing", "too few clones: 2 for each of six symbols of 36 nodes, nats above the true graph", "-",
		    show("clones", "given", 2), "least above .1", (least["clones", "given", 2] > .1 ? "yes" : "no")
		print "choosing", "more clones than needed (12; " last ")", "-",
		    show("clones", "given", 12) "; " show("clones", "given", last), "-", "-"
		print "choosing", "chosen from the walk: nats, states (36 nodes)", "-",
		    show("clones", "chosen", 0) ", " states["clones", "chosen", 0], "no worse than 12 given, within .005", (d <= m + .005 ? "yes" : "no")
		print "choosing", "best pseudocount after 1000, 3000, 10000 steps", "-",
		    at[1000] ", " at[3000] ", " at[10000], "-", "-"
		for (n = 8; n <= 16; n += 8)
			print "choosing", n " clones: nats of one start, the best of 2, of 4, above the best of 8", "-",
			    above["starts", n, 1] ", " above["starts", n, 2] ", " above["starts", n, 4],
			    "falls", (above["starts", n, 4] < above["starts", n, 1] ? "yes" : "no")
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	pick() # WHAT SERIES: x, median, least, most
	{
		awk -F '\t' -v w="$1" -v s="$2" '$1 == w && $2 == s { print $3, $4, $5, $6 }' "$table" >"$dir/$1.$2"
		echo "'$dir/$1.$2'"
	}
	chosen=$(awk -F '\t' '$2 == "chosen" { print $4 }' "$table")
	{
		echo "set multiplot layout 1,3
		set ylabel 'nats per step above the true graph'; set grid ytics lc rgb '#dddddd'
		set style fill transparent solid .15 noborder; set key below samplen 2 height 1
		set title 'clones of each symbol, 10,000 steps'; set xlabel 'clones given (6 are needed on average)'
		set yrange [0:*]; set xrange [0:*]
		plot $(pick clones given) u 1:3:4 w filledcurves lc 1 notitle, '' u 1:2 w lp lc 1 pt 7 t 'given, median of rooms',\\
		 $chosen w l lc 2 lw 2 dt 2 t 'chosen from the walk'
		set title 'pseudocount, 12 clones'; set xlabel 'pseudocount'; set logscale x; set format x '10^{%T}'; set xrange [*:*]
		set arrow from .002, graph 0 to .002, graph 1 nohead lc rgb '#888888' dt 3
		plot $(pick pseudocount 1000) u 1:2 w lp pt 7 t '1,000 steps', $(pick pseudocount 3000) u 1:2 w lp pt 7 t '3,000', \\
		 $(pick pseudocount 10000) u 1:2 w lp pt 7 t '10,000', NaN w l lc rgb '#888888' dt 3 t 'the default'
		unset arrow; unset format; set format x '%g'
		set title 'starts, 10,000 steps'; set xlabel 'random starts'; set logscale x 2
		set ylabel 'nats per step above the best of 8'
		plot $(pick starts 8) u 1:3:4 w filledcurves lc 1 notitle, '' u 1:2 w lp lc 1 pt 7 t '8 clones, best of n', \\
		 $(pick starts 16) u 1:3:4 w filledcurves lc 2 notitle, '' u 1:2 w lp lc 2 pt 7 t '16 clones'
		unset multiplot"
	} >"$dir/commands"
	plot "$out" 1260 400 <"$dir/commands" ;;
*) echo "choosing.sh: no '$what'" >&2; exit 2 ;;
esac
