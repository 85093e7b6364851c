#!/bin/sh
# learn.sh - table, rows and picture of fig-learn, from the rows of learn-clean.sh,
# learn-noise.sh and learn-stochastic.sh
#
#   learn.sh table TSV...    one line per case: seeds, graphs found, the worst
#                            seed, states, nats per step by default and of EM, CPU
#                            seconds, each with median, least and most; failures of
#                            the search (wrong graphs with a lower BIC than the
#                            true one),
#                            wrong graphs without a warning, right ones with one,
#                            nats of the true model and CPU seconds of the walk
#                            without noise (medians); wrong graphs with at least the
#                            BIC of the true one (the walk does not identify it), and
#                            walks not learned within the limit of CPU time
#   learn.sh rows TABLE      the rows of the report
#   learn.sh draw OUT TABLE  the figure
#
# Columns are found by the names in the first line of each file: case, seed, right,
# states, nodes, nats (or default), em_nats (or em), cpu, search, warning, true_nats,
# clean_cpu.
. "$(dirname "$0")/common.sh"
what=$1
shift

case $what in
table)
	awk -F '\t' -v OFS='\t' '
	function value(name) { return name in column ? $column[name] : "-" }
	function add(list, k, v) { if (v != "-" && v != "" && v != "inf") n[list, k]++; item[list, k, n[list, k]] = v }
	function sorted(list, k,   i, j, m, t) {
		m = n[list, k]
		for (i = 1; i <= m; i++) a[i] = item[list, k, i] + 0
		for (i = 2; i <= m; i++)
			for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return m
	}
	function range(list, k, digits,   m, mid) {
		m = sorted(list, k)
		if (!m) return "-" OFS "-" OFS "-"
		mid = m % 2 ? a[(m + 1) / 2] : (a[m / 2] + a[m / 2 + 1]) / 2
		return sprintf("%.*f" OFS "%.*f" OFS "%.*f", digits, mid, digits, a[1], digits, a[m])
	}
	function middle(list, k, digits,   r) {
		split(range(list, k, digits), r, OFS)
		return r[1]
	}
	/^#/ {
		split("", column)
		sub(/^#/, "")
		for (i = 1; i <= NF; i++) column[$i] = i
		if ("default" in column) column["nats"] = column["default"]
		if ("em" in column) column["em_nats"] = column["em"]
		next
	}
	{
		k = value("case")
		if (!(k in seeds)) key[++keys] = k
		seeds[k]++
		right[k] += value("right") == "yes"
		judged[k] += value("right") != "-"
		add("states", k, value("states"))
		add("nats", k, value("nats"))
		add("em", k, value("em_nats"))
		add("cpu", k, value("cpu"))
		add("true", k, value("true_nats"))
		add("clean", k, value("clean_cpu"))
		if (value("clean_cpu") > 0) add("ratio", k, value("cpu") / value("clean_cpu"))
		failed[k] += value("search") == "yes"
		alike[k] += value("search") == "no"
		unfinished[k] += value("right") == "unfinished"
		silent[k] += value("right") == "no" && value("warning") == "no"
		alarms[k] += value("right") == "yes" && value("warning") == "yes"
		if (!(k in worst) || value("nats") + 0 > most[k]) { worst[k] = value("seed"); most[k] = value("nats") + 0 }
	}
	END {
		print "#case", "seeds", "right", "worst", "states", "states_least", "states_most", "nats", "nats_least", "nats_most",
		    "em_nats", "em_least", "em_most", "cpu", "cpu_least", "cpu_most",
		    "search_failures", "wrong_unwarned", "right_warned", "true_nats", "clean_cpu",
		    "not_identified", "unfinished", "cpu_ratio", "ratio_least", "ratio_most"
		for (i = 1; i <= keys; i++) {
			k = key[i]
			print k, seeds[k], judged[k] ? right[k] : "-", worst[k], range("states", k, 0), range("nats", k, 4),
			    range("em", k, 4), range("cpu", k, 2), failed[k], silent[k], alarms[k],
			    middle("true", k, 4), middle("clean", k, 2), alike[k], unfinished[k],
			    range("ratio", k, 1)
		}
	}' "$@" ;;
rows)
	# The targets of each case: graphs found, and nats per step near those of the true
	# model, or not above those of EM.  Names of rows have no values of a run in them, so
	# that runs can be compared.
	awk -F '\t' -v OFS='\t' '
	function must(k) {
		if (k ~ /^debruijn/) return 1
		if (k ~ /^maze-one/) return .7
		if (k ~ /^maze/) return .7
		if (k ~ /^walls/) return .8
		return .9
	}
	/^#/ { next }
	$3 != "-" {
		share = must($1)
		print "learn", $1 ": graphs found", "-", $3 "/" $2 " (worst seed " $4 ", median " $14 " s of CPU, " \
		    $17 " failures of the search, " $22 " not identified by the walk, " $23 " unfinished)",
		    ">= " share * 100 " %", ($3 >= share * $2 - 1e-9 ? "yes" : "no")
	}
	$20 != "-" {
		print "learn", $1 ": nats per step, median, against the true model", "-", $8 " against " $20,
		    "<= 1.05 of it", ($8 <= 1.05 * $20 + 5e-5 ? "yes" : "no")
	}
	$24 != "-" {
		print "learn", $1 ": CPU time, times that of the walk without noise, median", "-",
		    $24 " [" $25 ", " $26 "]", "<= 10", ($24 <= 10 ? "yes" : "no")
	}
	$3 == "-" && $11 != "-" {
		print "learn", $1 ": nats per step, median, against EM alone", "-", $8 " against " $11 ", worst seed " $4,
		    "<= EM", ($8 <= $11 + 5e-5 ? "yes" : "no")
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	awk -F '\t' '/^#/ { next }
	{ i++
	  print i, $1, ($3 == "-" ? -1 : $3 / $2), $8 + 1e-4, $9 + 1e-4, $10 + 1e-4,
	      ($11 == "-" ? "NaN" : $11 + 1e-4), ($11 == "-" ? "NaN" : $12 + 1e-4), ($11 == "-" ? "NaN" : $13 + 1e-4),
	      $14 + .001, $15 + .001, $16 + .001 }' "$table" >"$dir/data"
	n=$(wc -l <"$dir/data")
	{
		echo "set multiplot layout 3,1
		set xrange [.3:$n.7]; set xtics rotate by -40 nomirror; set grid ytics
		set key above; set style fill solid .6; set boxwidth .6
		set yrange [0:1.05]; set ylabel 'graphs found, share'
		plot '$dir/data' using 1:(\$3 < 0 ? NaN : \$3):xtic(2) with boxes title 'default'
		set logscale y; set autoscale y; set ylabel 'nats per step on other steps'
		plot '$dir/data' using (\$1 - .12):4:5:6:xtic(2) with yerrorbars pt 7 title 'default: median and range', \
		    '' using (\$1 + .12):7:8:9 with yerrorbars pt 6 title 'EM, fixed clones'
		set ylabel 'CPU seconds of the default'
		plot '$dir/data' using 1:10:11:12:xtic(2) with yerrorbars pt 7 notitle
		unset multiplot"
	} >"$dir/commands"
	plot "$out" 1200 1300 <"$dir/commands" ;;
*) echo "learn.sh: no '$what'" >&2; exit 2 ;;
esac
