#!/bin/sh
# report.sh FIG - the figures in directory FIG as one page, on standard output
#
# Of FIG it reads whatever is there:
#   *.rows      figure, what, the paper, ours, wanted, verdict
#   *.svg *.png *.tsv   as figures.txt names them
#   times.tsv   what parts took, as part.sh keeps it; machine: on what
#   settings    lines of NAME=VALUE;  commands: what make -n says
# What figures.txt names and is not there is shown as not run; rows that it does
# not name are shown, too.  Of QUICK and VERSION the page tells.  $STATEMENTS is
# another figures.txt.
set -eu
export LC_ALL=C
here=$(dirname "$0")
fig=$1
: "${STATEMENTS:=$here/figures.txt}" "${QUICK:=}" "${VERSION:=}"
[ -d "$fig" ] || { echo "report.sh: '$fig' is no directory" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-report.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# ---- what there is ----

# target, name, value of each line of figures.txt
facts()
{
	: >"$dir/settings"
	[ ! -e "$fig/settings" ] || cp "$fig/settings" "$dir/settings"
	awk -v settings="$dir/settings" '
	BEGIN { while ((getline s <settings) > 0) {
		at = index(s, "="); set[substr(s, 1, at - 1)] = substr(s, at + 1) } }
	function fill(s,   out, name, v) {
		out = ""
		while (match(s, /@[A-Za-z0-9_-]+@/)) {
			name = substr(s, RSTART + 1, RLENGTH - 2)
			v = name in set ? (set[name] == "" ? "none" : set[name]) : "not told"
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

# All rows, with the target that they belong to before them; who is not known
# gets a target of its own.
rows()
{
	: >"$dir/rows"
	for f in "$fig"/*.rows; do
		[ -e "$f" ] || continue
		awk -F '\t' -v OFS='\t' -v file="$(basename "$f")" '
		FILENAME != last { last = FILENAME; n++ }
		n == 1 { if ($2 == "rows") { k = split($3, w, " ")
			for (i = 1; i <= k; i++) of[w[i]] = $1 } next }
		NF == 0 { next }
		{ t = (file "=" $1) in of ? of[file "=" $1] : file in of ? of[file] : ""
		  if (t == "") { t = file; sub(/\.rows$/, "", t); t = "fig-" t }
		  print t, $1, $2, $3, $4, $5, $6 }' "$dir/facts" "$f" >>"$dir/rows"
	done
	awk -F '\t' '$2 == "target" { print $1; known[$1] }
	FILENAME ~ /rows$/ && !($1 in known) { known[$1]; print $1 }' \
	    "$dir/facts" "$dir/rows" >"$dir/targets"
}

# commands: part, command, of what make -n printed
commands()
{
	: >"$dir/commands"
	[ -e "$fig/commands" ] || return 0
	awk '
	function say(   i, w, part, s) {
		i = index(all, "data/figures/part.sh ")
		s = substr(all, i + length("data/figures/part.sh "))
		gsub(/[ \t]+/, " ", s)
		split(s, w, " ")
		part = substr(w[2], length(w[1]) + 2)
		s = substr(s, length(w[1]) + length(w[2]) + 3)
		i = index(s, " >" w[2] ".new && mv " w[2] ".new " w[2])
		if (i) s = substr(s, 1, i - 1) " >" w[2]
		sub(/ $/, "", s)
		print part "\t" s
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
	gsub(/ *\+- */, " \\&plusmn; ", s); gsub(/&lt;=/, "\\&le;", s); gsub(/&gt;=/, "\\&ge;", s)
	return s == "-" ? "&ndash;" : s
}
function class(v) {
	return v == "yes" || v == "reproduced" ? "yes" : v == "no" ? "no" : v == "not reproduced" ? "differs" : "none"
}
function badge(v, wanted,   text) {
	text = (wanted ~ /^aim|, aim$/ ? "aim " : "") (v == "yes" ? "met" : "not met")
	text = v == "yes" || v == "no" ? text : v == "-" || v == "" ? "no target" : esc(v)
	return "<span class=\"v " class(v) "\">" text "</span>"
}
function clock(s) {
	if (s < 59.5) return sprintf("%.1f s", s)
	s = int(s + .5)
	return s < 3600 ? sprintf("%d min %02d s", s / 60, s % 60) : sprintf("%d h %02d min", s / 3600, s % 3600 / 60)
}'

text() { printf '%s\n' "$1" | awk "$html"'{ print esc($0) }'; }

# result TARGET: a badge of all its rows
result()
{
	awk -F '\t' -v t="$1" "$html"'
	$1 == t { n++; c[class($7)]++ }
	END { if (!n) print "<span class=\"v\">not run</span>"
	    else if (c["no"]) print "<span class=\"v no\">" c["no"] " of " c["yes"] + c["no"] " not met</span>"
	    else if (c["yes"]) print "<span class=\"v yes\">" (c["yes"] == 1 ? "met" : "all " c["yes"] " met") "</span>"
	    else if (!c["differs"]) print "<span class=\"v\">no target</span>"
	    if (c["differs"]) print "<span class=\"v differs\">" c["differs"] " not reproduced</span>" }' "$dir/rows"
}

# took TARGET: parts, seconds, processor seconds, bytes; nothing if not known
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
			if (c[t] == "-") unknown = 1; else { cpu += c[t]; if (b[t] > most) most = b[t] } }
		if (!parts) exit
		printf "%s in %d part%s, one after the other", clock(wall), parts, parts == 1 ? "" : "s"
		if (cpu) printf "; %s of processor time; %.0f MiB in the largest process", clock(cpu), most / 1048576
		print ""
	}' "$fig/times.tsv"
}

# keys TARGET LIST: what came out in the rows that the list names
keys()
{
	awk -F '\t' -v t="$1" -v list="$2" "$html"'
	$1 == t { what[++n] = $3; ours[n] = $5 }
	END {
		k = split(list, key, /; */)
		for (i = 1; i <= k; i++) {
			at = index(key[i], "=")
			for (j = 1; j <= n; j++) if (index(what[j], substr(key[i], at + 1))) {
				printf "%s%s: <b>%s</b>", sep, esc(substr(key[i], 1, at - 1)), nice(ours[j])
				sep = "<br>"
				break
			}
		}
		if (sep == "") print n ? "see its rows" : "&ndash;"
	}' "$dir/rows"
}

summary()
{
	echo '<div class="scroll"><table class="summary"><thead><tr><th>figure<th>in the paper<th>the paper<th>ours<th>to reach<th>aim<th>verdict</tr></thead><tbody>'
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
			echo "<tr class=\"group\"><th colspan=\"7\">$g</th></tr>"
		fi
		printf '<tr><td><a href="#%s">%s</a>' "$t" "$t"
		for n in paper number key must aim; do
			v=$(fact "$t" $n)
			case $n in
			key) printf '<td>%s' "$(keys "$t" "$v")" ;;
			*) printf '<td>%s' "$(text "${v:-–}")" ;;
			esac
		done
		printf '<td>%s</tr>\n' "$(result "$t")"
	done <"$dir/targets"
	echo '</tbody></table></div>'
}

# row_table [TARGET]: all rows, in the order of the figures, or those of one
row_table()
{
	echo '<div class="scroll"><table class="rows"><thead><tr><th>figure<th>what<th>the paper<th>ours<th>wanted<th>verdict</tr></thead><tbody>'
	awk -F '\t' -v one="${1:-}" "$html"'
	FILENAME ~ /targets$/ { order[++n] = $1; next }
	FILENAME ~ /facts$/ { f[$1, $2] = $3; next }
	{ k = ++rows[$1]
	  line[$1, k] = "<tr><td>" esc($2) "<td>" nice($3) "<td>" nice($4) "<td>" nice($5) "<td>" nice($6) "<td>" badge($7, $6) "</tr>" }
	END { for (i = 1; i <= n; i++) { t = order[i]
		if (one != "" && t != one) continue
		if (one == "") print "<tr class=\"group\"><th colspan=\"6\"><a href=\"#" esc(t) "\">" esc(t) "</a> " esc(f[t, "title"]) "</th></tr>"
		for (k = 1; k <= rows[t]; k++) print line[t, k]
		if (!rows[t]) print "<tr><td>" esc(f[t, "paper"]) "<td>" esc(f[t, "title"]) "<td>" esc(f[t, "number"]) \
		    "<td>not run<td>" esc(f[t, "must"]) "<td><span class=\"v\">not run</span></tr>" } }' \
	    "$dir/targets" "$dir/facts" "$dir/rows"
	echo '</tbody></table></div>'
}

counts()
{
	awk -F '\t' "$html"'
	FILENAME ~ /targets$/ { figures++; next }
	{ n[class($7)]++; all++; if (!($1 in seen)) { seen[$1]; run++ } }
	END {
		print "<ul class=\"counts\"><li><b>" run + 0 "</b>of " figures " figures run<li><b>" all + 0 \
		    "</b>rows<li><b>" n["yes"] + 0 "</b>met<li><b>" n["no"] + 0 "</b>not met<li><b>" n["differs"] + 0 \
		    "</b>of the paper not reproduced<li><b>" n["none"] + 0 \
		    "</b>without a target</ul>"
	}' "$dir/targets" "$dir/rows"
}

shortfalls()
{
	echo '<h2 id="short">What falls short</h2>'
	awk -F '\t' "$html"'
	FILENAME ~ /targets$/ { order[++n] = $1; next }
	{ run[$1]; if (class($7) ~ /no$|differs/) out[$1] = out[$1] "<li><a href=\"#" esc($1) "\">" esc($1) "</a>, " nice($3) ": <b>" \
	    nice($5) "</b>" ($6 != "-" ? ", wanted " nice($6) : "") ($4 != "-" ? ", the paper " nice($4) : "") " " badge($7, $6) "\n" }
	END {
		print "<ul>"
		for (i = 1; i <= n; i++) { t = order[i]; s = s out[t]
			if (!(t in run)) missing = missing (missing ? ", " : "") "<a href=\"#" esc(t) "\">" esc(t) "</a>" }
		if (missing) s = s "<li><b>Not run:</b> " missing "\n"
		printf "%s</ul>\n", s == "" ? "<li>Nothing.\n" : s
	}' "$dir/targets" "$dir/rows"
}

# shellcheck source=data/report/figure.sh
. "$here/figure.sh"

facts
rows
commands
cat <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>cscg: the figures${QUICK:+ (quick)}</title>
<style>
$(cat "$here/style.css")
</style></head><body>
<h1>The figures of the paper, made again${QUICK:+: a quick, reduced run}</h1>
<p>Graph schemas as abstractions for transfer learning, inference, and planning
(Guntupalli and others), made again by the tools of cscg${VERSION:+ $(text "$VERSION")},
and what goes beyond it. Each figure has what the paper says beside what came out
here, with the commands that repeat it.</p>
END
[ -z "$QUICK" ] || echo '<p class="banner">QUICK=1: fewer seeds, fewer and shorter walks than in the full run. Verdicts below are of this reduced run; they are no result.</p>'
counts
summary
shortfalls
echo '<h2 id="rows">All rows</h2>'
row_table
echo '<h2 id="figures">The figures</h2>'
if [ -s "$fig/machine" ]; then
	echo "<p class=\"soft\">Times were measured with parts side by side on $(text "$(cat "$fig/machine")").</p>"
fi
while read -r t; do
	figure "$t"
done <"$dir/targets"
echo '</body></html>'
