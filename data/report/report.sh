#!/bin/sh
# report.sh FIG [table] - print the results in directory FIG as an HTML page, or all
# their rows as one table
#
# Columns of the table: figure, what, the paper, ours, wanted, verdict, told.
#
# Files of FIG that are read if they exist:
#   *.rows      figure, what, the paper, ours, wanted, verdict
#   *.svg *.png *.tsv   as named in figures.txt
#   times.tsv   time and memory of the parts, by part.sh;  machine: the CPU
#   settings    lines of NAME=VALUE;  commands: the output of make -n
# A figure of figures.txt without results is shown as not run; rows of other figures
# are shown as well.  The page states QUICK, SEED and VERSION; rows of a quick run
# have no verdict.  $STATEMENTS is used instead of figures.txt.
set -eu
export LC_ALL=C
here=$(dirname "$0")
fig=$1 as=${2:-page}
: "${STATEMENTS:=$here/figures.txt}" "${QUICK:=}" "${SEED:=}" "${VERSION:=}"
[ "$SEED" != 0 ] || SEED=
export QUICK
[ -d "$fig" ] || { echo "report.sh: '$fig' is no directory" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-report.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# ---- data ----

# target, name, value of each line of figures.txt
facts()
{
	: >"$dir/settings"
	[ ! -e "$fig/settings" ] || cp "$fig/settings" "$dir/settings"
	awk -v settings="$dir/settings" '
	BEGIN { while ((getline s <settings) > 0) {
		at = index(s, "="); set[substr(s, 1, at - 1)] = substr(s, at + 1) } }
	# Four or more consecutive numbers are printed as "first to last".
	function shorter(s,   w, n, i, k, out) {
		n = split(s, w, " ")
		for (i = 1; i <= n; i = k + 1) {
			for (k = i; k < n && w[k] ~ /^[0-9]+$/ && w[k + 1] == w[k] + 1; k++)
				;
			if (k < i + 3) k = i
			out = out (i > 1 ? " " : "") w[i] (k > i ? " to " w[k] : "")
		}
		return out
	}
	function fill(s,   out, name, v) {
		out = ""
		while (match(s, /@[A-Za-z0-9_-]+@/)) {
			name = substr(s, RSTART + 1, RLENGTH - 2)
			v = name in set ? (set[name] == "" ? "none" : shorter(set[name])) : "not told"
			out = out substr(s, 1, RSTART - 1) v
			s = substr(s, RSTART + RLENGTH)
		}
		return out s
	}
	function say() { if (name != "") print target "\t" name "\t" fill(value); name = "" }
	/^#/ || /^$/ { say(); next }
	/^[ \t]/ { sub(/^[ \t]+/, ""); value = value " " $0; next }
	/^[a-z]+: / { say(); name = $1; sub(/:$/, "", name); value = $0; sub(/^[a-z]+: +/, "", value); next }
	{ say(); target = $1; print target "\ttarget\t" target }
	END { say() }' "$STATEMENTS" >"$dir/facts"
}

fact() # TARGET NAME
{
	awk -F '\t' -v t="$1" -v n="$2" '$1 == t && $2 == n { print $3 }' "$dir/facts"
}

# All rows, preceded by the target that they belong to and followed by what its
# agents are given; rows of an unknown figure get their own target.
rows()
{
	: >"$dir/rows"
	for f in "$fig"/*.rows; do
		[ -e "$f" ] || continue
		awk -F '\t' -v OFS='\t' -v file="$(basename "$f")" '
		FILENAME != last { last = FILENAME; n++ }
		n == 1 && $2 == "rows" { k = split($3, w, " ")
			for (i = 1; i <= k; i++) of[w[i]] = $1 }
		n == 1 && $2 == "told" { if (match($3, /^\[[^]]*\] /)) {
				words[$1, ++cases[$1]] = substr($3, 2, RLENGTH - 3)
				case_told[$1, cases[$1]] = substr($3, RLENGTH + 1)
			} else told[$1] = $3 }
		n == 1 { next }
		NF == 0 { next }
		{ t = (file "=" $1) in of ? of[file "=" $1] : file in of ? of[file] : ""
		  if (t == "") { t = file; sub(/\.rows$/, "", t); t = "fig-" t }
		  says = t in told ? told[t] : "-"
		  for (i = 1; i <= cases[t]; i++) if (index($2, words[t, i])) says = case_told[t, i]
		  if (ENVIRON["QUICK"] != "") $6 = "-"
		  print t, $1, $2, $3, $4, $5, $6, says }' "$dir/facts" "$f" >>"$dir/rows"
	done
	awk -F '\t' '$2 == "target" { print $1; known[$1] }
	FILENAME ~ /rows$/ && !($1 in known) { known[$1]; print $1 }' \
	    "$dir/facts" "$dir/rows" >"$dir/targets"
}

# commands: part and command, from the output of make -n, with paths in build/
commands()
{
	: >"$dir/commands"
	[ -e "$fig/commands" ] || return 0
	awk '
	function in_build(s, fig,   i, out, name) {
		name = fig
		sub(/.*\//, "", name)
		for (out = ""; (i = index(s, fig "/")); s = substr(s, i + length(fig)))
			out = out substr(s, 1, i - 1) "build/" name
		return out s
	}
	function say(   i, w, part, s) {
		i = index(all, "data/figures/part.sh ")
		s = substr(all, i + length("data/figures/part.sh "))
		gsub(/[ \t]+/, " ", s)
		split(s, w, " ")
		part = substr(w[2], length(w[1]) + 2)
		s = substr(s, length(w[1]) + length(w[2]) + 3)
		i = index(s, " >" w[2] ".new")
		if (i) s = substr(s, 1, i - 1) " >" w[2]
		sub(/ $/, "", s)
		print part "\t" in_build(s, w[1])
	}
	/data\/figures\/part\.sh / { on = 1; all = "" }
	on { s = $0; more = sub(/\\$/, "", s); all = all s " "; if (!more) { say(); on = 0 } }
	' "$fig/commands" >"$dir/commands"
}

# ---- as HTML ----

html='
function esc(s) {
	gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
	gsub(/"/, "\\&quot;", s)
	return s
}
function nice(s) {
	s = esc(s)
	gsub(/inf \+- -/, "\\&infin;", s)
	gsub(/ *\+- */, "\\&nbsp;\\&plusmn;\\&nbsp;", s); gsub(/&lt;=/, "\\&le;", s); gsub(/&gt;=/, "\\&ge;", s)
	gsub(/\(-\)/, "(\\&ndash;)", s); sub(/^- /, "\\&ndash; ", s)
	return s == "-" || s == "&ndash; (&ndash;)" ? "&ndash;" : s == "inf" ? "&infin;" : s
}
# A cell; an empty one may be hidden on narrow screens.
function cell(s) { return (s == "&ndash;" ? "<td class=\"nil\">" : "<td>") s }
# K/N repeats at the start of s, followed by the 95 % interval of Wilson, in percent
function share(s,   at, w, k, n, p, d, c, h) {
	if (!match(s, /^[0-9]+\/[0-9]+/)) return nice(s)
	at = RLENGTH
	split(s, w, "/"); k = w[1] + 0; n = w[2] + 0
	if (n < 2 || k > n) return nice(s)
	p = k / n; d = 1 + 3.8415 / n; c = (p + 1.9207 / n) / d
	h = sqrt(3.8415 * (p * (1 - p) / n + .9604 / n / n)) / d
	return sprintf("%s <span class=\"soft\">[%.0f,&nbsp;%.0f]&nbsp;%%</span>%s", substr(s, 1, at),
	    100 * (c - h), 100 * (c + h), nice(substr(s, at + 1)))
}
function class(v) {
	return v == "yes" || v == "reproduced" ? "yes" : v == "no" ? "no" : v == "not reproduced" ? "differs" : "none"
}
function badge(v, wanted,   text) {
	text = (wanted ~ /^aim|, aim$/ ? "aim " : "") (v == "yes" ? "met" : "not met")
	text = v == "yes" || v == "no" ? text : v == "-" || v == "" ? (wanted == "-" || wanted == "" ? "no target" : "not judged") : esc(v)
	return "<span class=\"v " class(v) "\">" text "</span>"
}
function clock(s) {
	if (s < 59.5) return sprintf("%.1f s", s)
	s = int(s + .5)
	return s < 3600 ? sprintf("%d min %02d s", s / 60, s % 60) : sprintf("%d h %02d min", s / 3600, s % 3600 / 60)
}'

text() { printf '%s\n' "$1" | awk "$html"'{ print esc($0) }'; }

# result TARGET: a badge that summarises the verdicts of its rows
result()
{
	awk -F '\t' -v t="$1" "$html"'
	$1 == t { n++; c[class($7)]++ }
	function say(kind, text) { printf "%s<span class=\"v %s\">%s</span>", sep, kind, text; sep = " " }
	END { if (!n) say("none", "not run")
	    else if (c["no"]) say("no", c["no"] " of " c["yes"] + c["no"] " not met")
	    else if (c["yes"]) say("yes", c["yes"] == 1 ? "met" : "all " c["yes"] " met")
	    else if (!c["differs"]) say("none", ENVIRON["QUICK"] == "" ? "no target" : "not judged")
	    if (c["differs"]) say("differs", c["differs"] " not reproduced")
	    print "" }' "$dir/rows"
}

# took TARGET: time, parts, CPU time, memory; empty if not measured
took()
{
	[ -e "$fig/times.tsv" ] || return 0
	awk -F '\t' -v names="$(fact "$1" parts)" "$html"'
	BEGIN { n = split(names, name, " ") }
	{ for (i = 1; i <= n; i++)
		if (index($1, name[i]) == 1 && substr($1, length(name[i]) + 1) ~ /^[\/.-]/) {
			s[$1] = $2; c[$1] = $3; b[$1] = $4 } }
	END {
		for (t in s) { parts++; wall += s[t]
			if (c[t] == "-") continue
			known++; cpu += c[t]; if (b[t] > most) most = b[t] }
		if (!parts) exit
		printf "%s", clock(wall)
		if (parts > 1) printf " summed over %d parts", parts
		if (known && known < parts) printf "; of %d of them", known
		if (known) printf "%s%s of CPU time%s %.0f MiB in the largest process", known < parts ? " " : "; ",
		    clock(cpu), known < parts ? "," : ";", most / 1048576
		print ""
	}' "$fig/times.tsv"
}

# keys TARGET LIST: the results of the rows that the list names, without the numbers of
# wrong edges and long remarks in parentheses, which the section of the figure has
keys()
{
	awk -F '\t' -v t="$1" -v list="$2" "$html"'
	function brief(s,   out) {
		gsub(/, [0-9.]+ missing, [0-9.]+ spurious/, "", s)
		for (out = ""; match(s, / \([^()]*\)/); s = substr(s, RSTART + RLENGTH))
			out = out substr(s, 1, RSTART - 1) (RLENGTH > 60 ? "" : substr(s, RSTART, RLENGTH))
		return out s
	}
	$1 == t { what[++n] = $3; ours[n] = brief($5) }
	END {
		k = split(list, key, /; */)
		for (i = 1; i <= k; i++) {
			at = index(key[i], "=")
			for (j = 1; j <= n && !index(what[j], substr(key[i], at + 1)); j++)
				;
			if (n) printf "%s%s: <b>%s</b>", sep, esc(substr(key[i], 1, at - 1)), j <= n ? nice(ours[j]) : "not run"
			if (n) sep = "<br>"
		}
		if (sep == "") print n ? "see its rows" : "&ndash;"
	}' "$dir/rows"
}

# kind TARGET: its CSS classes for the filter of the page: paper or beyond; met,
# missed or none
kind()
{
	g=$(fact "$1" group)
	awk -F '\t' -v t="$1" -v group="${g:-other}" "$html"'
	$1 == t { c[class($7)]++ }
	END { print group, (c["no"] + c["differs"] ? "missed" : c["yes"] ? "met" : "none") }' "$dir/rows"
}

summary()
{
	echo '<div class="scroll" id="table"><table class="summary"><thead><tr><th>figure<th>the paper<th>ours<th>to reach<th>told<th>verdict</tr></thead><tbody>'
	group=
	while read -r t; do
		g=$(fact "$t" group)
		if [ "${g:=other}" != "$group" ]; then
			group=$g
			case $g in
			paper) g='The figures of the paper' ;;
			beyond) g='Beyond the paper' ;;
			*) g='Others' ;;
			esac
			echo "<tr class=\"group\"><th colspan=\"6\">$g</th></tr>"
		fi
		in=$(fact "$t" paper)
		aim=$(fact "$t" aim)
		printf '<tr class="%s"><td><a href="#%s">%s</a>%s' "$(kind "$t")" "$t" "$t" \
		    "${in:+ <span class=\"soft\">$(text "$in")</span>}"
		for n in number key must told; do
			v=$(fact "$t" $n | grep -v '^\[' || :)
			case $n in
			key) v=$(keys "$t" "$v") ;;
			must) [ -z "$v" ] || v=$(text "$v${aim:+; aim: $aim}") ;;
			*) [ -z "$v" ] || v=$(text "$v") ;;
			esac
			case ${v:-&ndash;} in
			'&ndash;') printf '<td class="nil">&ndash;' ;;
			*) printf '<td>%s' "$v" ;;
			esac
		done
		printf '<td>%s</tr>\n' "$(result "$t")"
	done <"$dir/targets"
	echo '</tbody></table></div>'
}

# row_table [TARGET]: all rows, in the order of the figures, or those of one.  Rows of
# repeats ("sample" in figures.txt) have a confidence interval.
row_table()
{
	echo '<div class="scroll"><table class="rows"><thead><tr><th>figure<th>what<th>the paper<th>ours<th>wanted<th>verdict</tr></thead><tbody>'
	awk -F '\t' -v one="${1:-}" "$html"'
	function ours(t, what, s,   w, n, i) {
		n = split(f[t, "sample"], w, /; */)
		for (i = 1; i <= n; i++)
			if (index(what, w[i])) return share(s)
		return nice(s)
	}
	FILENAME ~ /targets$/ { order[++n] = $1; next }
	FILENAME ~ /facts$/ { if ($2 != "told" || $3 !~ /^\[/) f[$1, $2] = $3; next }
	function differently(t, told) { return told == f[t, "told"] || told == "-" ? "" : " <span class=\"soft\">(told: " esc(told) ")</span>" }
	{ k = ++rows[$1]
	  line[$1, k] = "<tr class=\"" (class($7) == "yes" ? "met" : class($7) ~ /no$|differs/ ? "missed" : "none") "\"><td>" esc($2) "<td>" nice($3) differently($1, $8) cell(nice($4)) cell(ours($1, $3, $5)) cell(nice($6)) "<td>" badge($7, $6) "</tr>" }
	END { for (i = 1; i <= n; i++) { t = order[i]
		if (one != "" && t != one || !rows[t]) continue
		if (one == "") print "<tr class=\"group\"><th colspan=\"6\"><a href=\"#" esc(t) "\">" esc(t) "</a> " esc(f[t, "title"]) "</th></tr>"
		for (k = 1; k <= rows[t]; k++) print line[t, k] } }' \
	    "$dir/targets" "$dir/facts" "$dir/rows"
	echo '</tbody></table></div>'
}

# total: an item with the CPU time of all parts, or nothing
total()
{
	[ -e "$fig/times.tsv" ] || return 0
	awk -F '\t' "$html"'{ c[$1] = $3 }
	END { for (t in c) cpu += c[t]; if (cpu) print "<li><b>" clock(cpu) "</b>of CPU time" }' "$fig/times.tsv"
}

counts()
{
	TOTAL=$(total) awk -F '\t' "$html"'
	FILENAME ~ /targets$/ { figures++; next }
	{ n[class($7)]++; all++; if (!($1 in seen)) { seen[$1]; run++ } }
	END {
		printf "%s", "<ul class=\"counts\"><li><b>" run + 0 "</b>of " figures " figures run<li><b>" all + 0 \
		    "</b>rows" (ENVIRON["QUICK"] == "" ? "" : ", not judged")
		if (ENVIRON["QUICK"] == "") printf "%s", "<li><b>" n["yes"] + 0 "</b>met<li><b>" n["no"] + 0 "</b>not met<li><b>" n["differs"] + 0 \
		    "</b>of the paper not reproduced<li><b>" n["none"] + 0 \
		    "</b>without a target"
		print ENVIRON["TOTAL"] "</ul>"
	}' "$dir/targets" "$dir/rows"
}

# Rows that miss their target, and the number of figures that were not run.
shortfalls()
{
	echo "<h2 id=\"short\">What falls short${QUICK:+ in this reduced run}</h2>"
	awk -F '\t' "$html"'
	FILENAME ~ /targets$/ { order[++n] = $1; next }
	{ run[$1]; if (class($7) ~ /no$|differs/) out[$1] = out[$1] "<li><a href=\"#" esc($1) "\">" esc($1) "</a>, " nice($3) ": <b>" \
	    nice($5) "</b>" ($6 != "-" ? ", wanted " nice($6) : "") ($4 != "-" ? ", the paper " nice($4) : "") " " badge($7, $6) "\n" }
	END {
		print "<ul>"
		for (i = 1; i <= n; i++) { t = order[i]; s = s out[t]
			if (!(t in run)) missing++ }
		quick = ENVIRON["QUICK"] == "" ? "" : "Rows of a reduced run are not judged. "
		if (missing) s = s "<li>" quick missing " of " n " figures were <b>not run</b>; the table above says which.\n"
		printf "%s</ul>\n", s != "" ? s : "<li>" (quick != "" ? quick : "Nothing.") "\n"
	}' "$dir/targets" "$dir/rows"
}

how()
{
	echo '<details class="how"><summary>How to read this page</summary><dl>'
	[ "$QUICK" ] || cat <<END
<dt><span class="v yes">met</span> <span class="v no">not met</span><dd>the row reaches its target, or does not; an <i>aim</i> is a further goal beyond the target
<dt><span class="v differs">not reproduced</span><dd>the number of the paper is not reproduced; ours may be worse or better
END
	cat <<END
<dt><span class="v none">no target</span><dd>reported without a target
<dt><span class="v none">not judged</span><dd>a reduced run has too few seeds and walks for a verdict
<dt>30 [20, 60]<dd>median, minimum and maximum over seeds
<dt>0.97 [0.95, 0.99]<dd>mean, and its 95&nbsp;% interval by a bootstrap over seeds or rooms and the walks in each
<dt>told<dd>what the agent or the learner is given besides its observations; all else is inferred
<dt>3.2&nbsp;&plusmn;&nbsp;0.1<dd>the meaning of &plusmn; is stated below each figure; numbers in parentheses belong to the words in parentheses in the name of the row
<dt>19/20 [76, 99]&nbsp;%<dd>successes of a number of repeats, and the 95&nbsp;% interval of their fraction (Wilson)
<dt>NLL, nats per step<dd>negative log-likelihood of the observations; less is better. &infin;: the model gives an observation probability 0
<dt>missing, spurious<dd>edges of the true graph that the learned one lacks, and edges that only the learned graph has
<dt>tied, free<dd>all clones of a group share one emission row, or each state has its own
<dt>for good<dd>from that step of the walk on, to its end
</dl></details>
END
}

# The table of contents.
contents()
{
	echo '<nav id="contents"><a href="#table">Results</a> <a href="#short">What falls short</a> <a href="#rows">All rows</a><ol>'
	while read -r t; do
		title=$(fact "$t" title)
		echo "<li class=\"$(kind "$t")\"><a href=\"#$t\">$(text "${title:-$t}")</a>"
	done <"$dir/targets"
	echo '</ol></nav>'
}

# shellcheck source=data/report/figure.sh
. "$here/figure.sh"

facts
rows
case $as in
page) ;;
table)
	printf '#figure\twhat\tthe paper\tours\twanted\tverdict\ttold\n'
	cut -f 2- "$dir/rows"
	exit ;;
*) echo "report.sh: '$as' is neither page nor table" >&2; exit 2 ;;
esac
commands
cat <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>cscg: the figures${QUICK:+ (quick)}</title>
<style>
$(cat "$here/style.css")
</style></head><body>
<input type="radio" name="show" id="show-all" checked><input type="radio" name="show" id="show-met"><input type="radio" name="show" id="show-missed"><input type="radio" name="show" id="show-beyond">
<main>
<h1>The figures of the paper, reproduced${QUICK:+: a quick, reduced run}</h1>
<p>Graph schemas as abstractions for transfer learning, inference, and planning
(Guntupalli et al.), reproduced with the tools of cscg${VERSION:+ $(text "$VERSION")},
and experiments beyond it. Each figure has the paper's statement, the result here,
the seeds, the commands that repeat it, time and memory.${SEED:+ All seeds are those of SEED=$(text "$SEED").}</p>
END
[ -z "$QUICK" ] || echo '<p class="banner">QUICK=1: fewer seeds, fewer and shorter walks than in the full run. Rows have no verdict, and no number is a result. <code>make figures</code> without QUICK is the full run.</p>'
counts
contents
how
judged='<label for="show-met">met</label> <label for="show-missed">missed</label> '
[ -z "$QUICK" ] || judged=
echo "<p class=\"filter\">Show <label for=\"show-all\">all</label> $judged<label for=\"show-beyond\">beyond the paper</label></p>"
summary
shortfalls
echo '<details id="rows"><summary>All rows of all figures in one table</summary>'
row_table
echo '</details>'
echo '<h2 id="figures">The figures</h2>'
if [ -s "$fig/machine" ]; then
	echo "<p class=\"soft\">Times were measured, some with other parts running in parallel, on $(text "$(cat "$fig/machine")").</p>"
fi
while read -r t; do
	figure "$t"
done <"$dir/targets"
echo '</main></body></html>'
