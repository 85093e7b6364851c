# figure.sh - the section of one figure; sourced by report.sh
# shellcheck shell=sh

# size FILE: width and height in pixels, or nothing
size()
{
	case $1 in
	*.png) od -A n -t u1 -j 16 -N 8 "$1" |
	    awk 'NF == 8 { print ($3 * 256 + $4), ($7 * 256 + $8) }' ;;
	*.svg) head -c 4000 "$1" | tr '\n' ' ' |
	    sed -n 's/.*viewBox="[-0-9.]* [-0-9.]* \([0-9.]*\) \([0-9.]*\)".*/\1 \2/p' |
	    awk '{ printf "%.0f %.0f\n", $1, $2 }' ;;
	esac
}

# A drawing of many lines is smaller as PNG.
smaller() # FILE
{
	png=${1%.svg}.png
	if [ "$png" != "$1" ] && [ -e "$png" ] && [ "$(wc -c <"$1")" -gt 500000 ] &&
	    [ "$(wc -c <"$png")" -lt "$(wc -c <"$1")" ]; then
		echo "$png"
	else
		echo "$1"
	fi
}

# picture FILE TITLE [CAPTION]: embedded.  On a narrow screen it keeps a width at
# which its letters can be read, and is moved within its frame.
picture()
{
	f=$(smaller "$1")
	wide=$(size "$f")
	case $f in
	*.png) type=image/png ;;
	*) type=image/svg+xml ;;
	esac
	style=
	if [ "$wide" ]; then
		w=${wide% *}
		style="width=\"$w\" height=\"${wide#* }\" style=\"max-width:${w}px"
		[ "${3:-}" ] || style="$style;min-width:$((w < 640 ? w : 640))px"
		style="$style\""
	fi
	printf '<figure class="pic"><img alt="%s" %s src="data:%s;base64,' "$(text "$2")" "$style" $type
	base64 -w 0 "$f"
	printf '">'
	[ -z "${3:-}" ] || printf '<figcaption>%s</figcaption>' "$(text "$3")"
	echo '</figure>'
}

# pictures TARGET: those that it names; without a name, those that are called
# like it
pictures()
{
	show=$(fact "$1" show)
	[ "$show" ] || [ "$(fact "$1" target)" ] || show="${1#fig-}*.svg"
	set -f
	# shellcheck disable=SC2086 # words
	set -- "$1" $show
	set +f
	title=$(fact "$1" title)
	: "${title:=$1}"
	shift
	for p; do
		case $p in
		*\**)
			echo '<div class="many">'
			# shellcheck disable=SC2231 # a pattern
			for f in "$fig"/$p; do
				[ ! -e "$f" ] || { n=${f##*/}; picture "$f" "$title: ${n%.*}" "${n%.*}"; }
			done
			echo '</div>' ;;
		*)
			if [ -e "$fig/$p" ]; then
				n=${p%.*}
				picture "$fig/$p" "$title: $n"
			else
				echo "<p class=\"missing\">Not made: $(text "$p")</p>"
			fi ;;
		esac
	done
}

# table FILE: a TSV file, folded
table()
{
	echo "<details><summary>$(text "${1##*/}")</summary><div class=\"scroll\"><table class=\"data\">"
	awk -F '\t' "$html"'
	NR == 1 && /^#/ { sub(/^#/, ""); printf "<thead><tr>"
		for (i = 1; i <= NF; i++) printf "<th>%s", esc($i)
		print "</tr></thead><tbody>"; cols = NF; next }
	/^#/ { sub(/^# */, ""); print "<tr><td colspan=\"" (cols ? cols : 1) "\">" esc($0) "</tr>"; next }
	{ printf "<tr>"; for (i = 1; i <= NF; i++) printf "<td>%s", esc($i); print "</tr>" }' "$1"
	echo '</tbody></table></div></details>'
}

# repeat TARGET: how to make it again
repeat()
{
	echo "<dt>again<dd><code>make -j $(text "$1")${QUICK:+ QUICK=1}</code></dl>"
	awk -F '\t' -v names="$(fact "$1" parts)" "$html"'
	BEGIN { k = split(names, name, " ") }
	{ for (i = 1; i <= k; i++)
		if (index($1, name[i]) == 1 && substr($1, length(name[i]) + 1) ~ /^[\/.-]/) {
			n++; all = all esc($2) "\n"; break } }
	END { if (n) printf "<details><summary>What that runs: %d command%s, with the tools on PATH</summary><pre>%s</pre></details>\n",
	    n, n == 1 ? "" : "s", all }' "$dir/commands"
}

figure() # TARGET
{
	title=$(fact "$1" title)
	paper=$(fact "$1" paper)
	echo "<section class=\"fig\" id=\"$(text "$1")\"><h3>$(text "${title:-$1}") $(result "$1")</h3>"
	echo "<p class=\"soft\"><code>$(text "$1")</code>${paper:+; in the paper: $(text "$paper")}</p>"
	if [ "$title" ]; then
		echo "<div class=\"beside\"><div><h4>The paper says</h4><p>$(text "$(fact "$1" says)")</p><p><b>$(text "$(fact "$1" number)")</b></p></div>"
		aim=$(fact "$1" aim)
		echo "<div><h4>Here</h4><p>$(text "$(fact "$1" about)")</p><p>To reach: $(text "$(fact "$1" must)").${aim:+ Aim: $(text "$aim").}</p></div></div>"
	fi
	if grep -q "^$1	" "$dir/rows"; then
		row_table "$1"
	else
		echo '<p class="missing"><b>Not run</b>: there are no rows of it.</p>'
	fi
	pictures "$1"
	for f in $(fact "$1" tables); do
		[ ! -e "$fig/$f" ] || table "$fig/$f"
	done
	echo '<dl>'
	seeds=$(fact "$1" seeds)
	[ -z "$seeds" ] || echo "<dt>seeds<dd>$(text "$seeds")"
	took=$(took "$1")
	echo "<dt>time, memory<dd>$(text "${took:-not measured}")"
	repeat "$1"
	echo '</section>'
}
