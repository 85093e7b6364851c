#!/bin/sh
# compose-rows.sh TSV... - rows of results with those of Table S1, from lines of
# compose.sh
. "$(dirname "$0")/common.sh"
cat "$@" | awk -F '\t' '
BEGIN {
	split("2,3 5,1 5,3 2,7 0,9 9,3 4,6 8,7", pair, " ")
	split("87.6+-4 84.3+-3 91.1+-3 92.5+-2 87.9+-3 85.2+-4 85.9+-3 90.7+-4", paper, " ")
}
function sd(sum, square, n) {
	return n > 1 ? sqrt((square - sum * sum / n) / (n - 1)) : 0
}
{
	n[$1]++; end[$1] += $3; square[$1] += $3 * $3; centre[$1] += $4
	windows = $5
}
END {
	OFS = "\t"
	for (i = 1; i <= 8; i++) {
		p = pair[i]
		if (!n[p]) continue
		print "S6, Table S1", "digits " p ": locations right, %", paper[i],
		    sprintf("%.1f+-%.1f (centre %.1f)", end[p] / n[p],
		    sd(end[p], square[p], n[p]), centre[p] / n[p]), "-", "-"
		m++; all += end[p] / n[p]; all2 += (end[p] / n[p]) ^ 2
		mid += centre[p] / n[p]
	}
	# t of 0.975 with 7 degrees of freedom
	half = 2.3646 * sd(all, all2, m) / sqrt(m)
	around = m < 8 ? "" : sprintf(" [%.1f, %.1f]", all / m - half, all / m + half)
	print "S6, Table S1", "mean of the pairs, windows by their end", "88.4+-.9",
	    sprintf("%.1f", all / m) around,
	    ">= 88.4", (all / m >= 88.4 ? "yes" : "no")
	print "S6, Table S1", "mean of the pairs, windows by their centre", "-",
	    sprintf("%.1f", mid / m), "aim 93", (mid / m >= 93 ? "yes" : "no")
}'
