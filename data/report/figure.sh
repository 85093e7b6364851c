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

# Browsers use larger letters than gnuplot assumes, which cuts text at the border of
# an SVG: add a margin.
with_rim() # FILE
{
	if head -c 1000 "$1" | grep -q 'Produced by GNUPLOT'; then
		awk '!done && match($0, /viewBox="0 0 [0-9]+ [0-9]+"/) {
			split(substr($0, RSTART + 9, RLENGTH - 10), w, " ")
			$0 = substr($0, 1, RSTART - 1) "viewBox=\"-6 -8 " w[3] + 12 " " w[4] + 16 "\"" \
			    substr($0, RSTART + RLENGTH)
			done = 1
		} { print }' "$1"
	else
		cat "$1"
	fi
}

# picture FILE TITLE CAPTION [small]: embed a picture.  On a narrow screen it keeps a
# legible width and scrolls within its frame.
picture()
{
	f=$(smaller "$1")
	wide=$(size "$f")
	case $f in
	*.png) type=image/png ;;
	*) type=image/svg+xml ;;
	esac
	style='' class=pic
	if [ "$wide" ]; then
		w=${wide% *}
		style="width=\"$w\" height=\"${wide#* }\" style=\"max-width:${w}px"
		[ "${4:-}" ] || style="$style;min-width:$((w < 640 ? w : 640))px"
		[ "${4:-}" ] || [ "$w" -le 340 ] || class='pic wide'
		style="$style\""
	fi
	printf '<figure class="%s"><div><img alt="%s" %s src="data:%s;base64,' "$class" "$(text "$2")" "$style" $type
	with_rim "$f" | base64 -w 0
	printf '"></div>'
	[ -z "$3" ] || printf '<figcaption>%s</figcaption>' "$(text "$3")"
	echo '</figure>'
}

# caption TARGET FILE: the legend of a picture in figures.txt
caption()
{
	fact "$1" legend | awk -v f="$2" 'index($0, f " ") == 1 { print substr($0, length(f) + 2) }'
}

# pictures TARGET: those named in figures.txt, otherwise those named like the target.
# A missing picture is mentioned if others of the figure exist.
pictures()
{
	target=$1
	show=$(fact "$1" show)
	[ "$show" ] || [ "$(fact "$1" target)" ] || show="${1#fig-}*.svg"
	title=$(fact "$1" title)
	: "${title:=$1}"
	set -f
	# shellcheck disable=SC2086 # words
	set -- $show
	set +f
	for p; do
		case $p in
		*\**)
			c=$(caption "$target" "$p")
			[ -z "$c" ] || echo "<p class=\"soft\">$(text "$c")</p>"
			echo '<div class="many">'
			# shellcheck disable=SC2231 # a pattern
			for f in "$fig"/$p; do
				[ ! -e "$f" ] || { n=${f##*/}; picture "$f" "$title: ${n%.*}" "${n%.*}" small; }
			done
			echo '</div>' ;;
		*)
			if [ -e "$fig/$p" ]; then
				picture "$fig/$p" "$title: ${p%.*}" "$(caption "$target" "$p")"
			elif is_run "$target"; then
				echo "<p class=\"missing\">Not made: $(text "$p")</p>"
			fi ;;
		esac
	done
}

is_run() { grep -q "^$1	" "$dir/rows"; } # TARGET

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

# repeat TARGET: the commands that repeat it
repeat()
{
	echo "<dt>again<dd><code>make -j $(text "$1")${QUICK:+ QUICK=1}${SEED:+ SEED=$(text "$SEED")}</code></dl>"
	awk -F '\t' -v names="$(fact "$1" parts)" "$html"'
	BEGIN { k = split(names, name, " ") }
	{ for (i = 1; i <= k; i++)
		if (index($1, name[i]) == 1 && substr($1, length(name[i]) + 1) ~ /^[\/.-]/) {
			n++; all = all esc($2) "\n"; break } }
	END { if (n) printf "<details><summary>What that runs: %d command%s, with the tools on PATH</summary><pre>%s</pre></details>\n",
	    n, n == 1 ? "" : "s", all }' "$dir/commands"
}

# says TARGET: the paper's statement, and the experiment here
says()
{
	aim=$(fact "$1" aim)
	echo "<div class=\"beside\"><div><h4>The paper says</h4><p>$(text "$(fact "$1" says)")</p><p><b>$(text "$(fact "$1" number)")</b></p></div>"
	echo "<div><h4>Here</h4><p>$(text "$(fact "$1" about)")</p><p>To reach: $(text "$(fact "$1" must)").${aim:+ Aim: $(text "$aim").}</p></div></div>"
}

figure() # TARGET
{
	title=$(fact "$1" title)
	paper=$(fact "$1" paper)
	echo "<section class=\"fig $(kind "$1")\" id=\"$(text "$1")\"><h3>$(text "${title:-$1}") $(result "$1")</h3>"
	echo "<p class=\"soft\"><code>$(text "$1")</code>${paper:+; in the paper: $(text "$paper")}; <a href=\"#table\">to the table</a></p>"
	[ -z "$title" ] || says "$1"
	! is_run "$1" || row_table "$1"
	pictures "$1"
	for f in $(fact "$1" tables); do
		[ ! -e "$fig/$f" ] || table "$fig/$f"
	done
	echo '<dl>'
	told=$(fact "$1" told | grep -v '^\[' || :)
	[ -z "$told" ] || echo "<dt>told<dd>$(text "$told")"
	for n in seeds interval; do
		v=$(fact "$1" $n)
		[ $n = seeds ] && dt=seeds || dt='&plusmn;'
		[ -z "$v" ] || echo "<dt>$dt<dd>$(text "$v")"
	done
	took=$(took "$1")
	echo "<dt>time, memory<dd>$(text "${took:-not measured}")"
	repeat "$1"
	echo '</section>'
}
