# make report: the page for invented figures; and that it has every figure of
# make figures.
# all: figures in small
. "$(dirname "$0")/../tap.sh"
report=$TOP/data/report

mkdir F F/many
cat >figures.txt <<'END'
# three figures
fig-a
group: paper
title: Rooms & <walls>
paper: 1A, 2
says: It takes
  ninety steps.
number: 90 steps
must: 90 or less
seeds: @A_SEED@, @NONE@; @LOST@; @A_RUN@
interval: the error of the mean
key: steps=a < b; lost=nowhere; bare=quoted
rows: a.rows
show: a.svg b.png lost.svg many/*.svg
legend: a.svg Lines & <dots>
legend: many/*.svg all of them
tables: a.tsv lost.tsv
parts: a

fig-b
group: paper
title: Never made
paper: 3
number: 7 of 8
must: all
rows: b.rows
show: b.svg

fig-c
group: beyond
title: Half of a file
rows: both.rows=c
sample: nothing; of repeats
END
# Of all rows 2 are met, 2 are not, 1 is not reproduced, 4 have no target.
{
	printf '1A\tsteps, a < b & c\t95+-2\t60+-1\t<= 90\tyes\n'
	printf '2\t"quoted" <script>alert(1)</script>\t-\t5\t>= 6\tno\n'
} >F/a.rows
printf 'c\tof c\t4.27\t4.9\t-\tnot reproduced\nother\tof another\t-\t19/20\t-\t-\n' >F/both.rows
printf 'c\tof repeats (scratch)\t- (-)\t19/20 (inf +- -, 3)\t-\t-\n' >>F/both.rows
printf 'x\tone\t-\t1\t-\t-\nx\ttwo\t-\t2\t2\tyes\n\nx\tthree\t3\n' >F/new.rows
printf 'x\tfour\t-\t2\t3, aim\tno\n' >>F/new.rows
echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200"></svg>' >F/a.svg
printf '<svg\n viewBox="0 0 300 200">\n<desc>Produced by GNUPLOT 5 </desc>\n</svg>\n' >F/many/plot.svg
cp F/a.svg F/many/one.svg
cp F/a.svg F/new-picture.svg
# the head of a PNG of 700 x 258
printf '\211PNG\r\n\032\n\0\0\0\015IHDR\0\0\002\274\0\0\001\002' >F/b.png
printf '#room\tsteps\n<hall>\t12\n# both & none\n' >F/a.tsv
printf 'A_SEED=41 42\nNONE=\nA_RUN=7 8 9 11 12 13 14 15 3\n' >F/settings
# seconds of the part made twice count once: 2 + 60.5
printf 'a/1.tsv\t9\t9\t1048576\t1\na/1.tsv\t2\t1\t3145728\t2\na.svg\t60.5\t4\t2097152\t3\nab/1.tsv\t7\t7\t9\t4\n' >F/times.tsv
cat >F/commands <<'END'
mkdir -p out/a
PATH="/b:$PATH" sh data/figures/part.sh /b/out /b/out/a/1.tsv WALKS=3 sh a.sh run \
  1 <in >/b/out/a/1.tsv.new && mv /b/out/a/1.tsv.new /b/out/a/1.tsv
awk 1 x >y
PATH="/b:$PATH" sh data/figures/part.sh /b/out /b/out/a.svg  sh a.sh draw /b/out/a /b/out/a
PATH="/b:$PATH" sh data/figures/part.sh /b/out /b/out/a-2.tsv sh a.sh run 2 \
  >/b/out/a-2.tsv.new.$$ && mv /b/out/a-2.tsv.new.$$ /b/out/a-2.tsv || { rm -f /b/out/a-2.tsv.new.$$; exit 1; }
PATH="/b:$PATH" sh data/figures/part.sh /b/out /b/out/ab/1.tsv sh other.sh
END
STATEMENTS=$dir/figures.txt
export STATEMENTS
unset QUICK VERSION || :

exits 0 'a page' "sh '$report/report.sh' F"
cp "$out" page
exactly 'without a message' ''

# --- the counts, by hand: of a, b, c two are run; rows of both and of new exist
# as well, and are figures of their own
same 'the headline' "sed -n 's/<[^>]*>/ /g; s/  */ /g; /figures run/p' page" \
    'echo " 4 of 5 figures run 9 rows 2 met 2 not met 1 of the paper not reproduced 4 without a target 12.0 s of CPU time "'

# --- rows
sed -n '/id="rows"/,/id="figures"/p' page >all
same 'every row is in the table, in order' "sed -n 's/<tr class=\"[a-z]*\"><td>\([^<]*\)<td>\([^<]*\)<td.*/\1 \2/p' all" \
    'cat <<END2
1A steps, a &lt; b &amp; c
2 &quot;quoted&quot; &lt;script&gt;alert(1)&lt;/script&gt;
c of c
c of repeats (scratch)
other of another
x one
x two
x three
x four
END2'
holds 'signs are HTML entities' "grep -q '<td>95&nbsp;&plusmn;&nbsp;2<td>60&nbsp;&plusmn;&nbsp;1<td>&le; 90<td><span class=\"v yes\">met</span></tr>' all"
holds 'results that are not reproduced' "grep -q '<td>of c<td>4.27<td>4.9<td class=\"nil\">&ndash;<td><span class=\"v differs\">not reproduced<' all"
# Wilson (1927): 19 of 20 is .764 to .991
holds 'a fraction of repeats has its interval, infinity its sign' "grep -q '<td class=\"nil\">&ndash;<td>19/20 <span class=\"soft\">\[76,&nbsp;99\]&nbsp;%</span> (&infin;, 3)<td' all"
holds 'other fractions have no interval' "grep -q '<td>of another<td class=\"nil\">&ndash;<td>19/20<td' all"
same 'no text is taken as a tag' "grep -c '<script' page || :" 'echo 0'
sed -n '/id="short"/,/id="rows"/p' page | grep '<li>' >short
same 'shortfalls are named' "sed 's/<[^>]*>//g' short" 'cat <<END2
fig-a, &quot;quoted&quot; &lt;script&gt;alert(1)&lt;/script&gt;: 5, wanted &ge; 6 not met
fig-c, of c: 4.9, the paper 4.27 not reproduced
fig-new, four: 2, wanted 3, aim aim not met
1 of 5 figures were not run; the table above says which.
END2'
same 'each figure has a verdict' "sed -n 's/^<tr class=\"[a-z ]*\"><td><a href=\"#\(fig-[a-z]*\)\">.*<td><span[^>]*>\([^<]*\)<.*/\1 \2/p' page" \
    'printf "fig-a 1 of 2 not met\nfig-b not run\nfig-c 1 not reproduced\nfig-both no target\nfig-new 1 of 2 not met\n"'

same 'the table at the top has what matters' "grep -o '<td>steps: .*' page | sed 's/<td>90 or.*//'" \
    'echo "<td>steps: <b>60&nbsp;&plusmn;&nbsp;1</b><br>lost: <b>not run</b><br>bare: <b>5</b>"'

# --- the figures
same 'a section for each' "grep -o '<section class=\"fig [a-z ]*\" id=\"[^\"]*' page | sed 's/.*\"//'" \
    'printf "fig-a\nfig-b\nfig-c\nfig-both\nfig-new\n"'
holds 'the title' "grep -q '<h3>Rooms &amp; &lt;walls&gt; ' page"
holds 'the value of the paper' "grep -q '<p>It takes ninety steps.</p><p><b>90 steps</b>' page"
holds 'seeds are those of the makefiles' "grep -q '<dt>seeds<dd>41 42, none; not told; 7 8 9 11 to 15 3\$' page"
holds 'the meaning of an interval is given' "grep -q '<dt>&plusmn;<dd>the error of the mean\$' page"
picture() { grep -o "<img alt=\"$1\"[^>]*>" page; }
same 'pictures are embedded' "picture '[^\"]*: a' | sed 's/.*base64,//; s/\".*//' | base64 -d" 'cat F/a.svg'
same 'PNG as well' "picture '[^\"]*: b' | sed 's/.*base64,//; s/\".*//' | base64 -d" 'cat F/b.png'
holds 'pictures of gnuplot have a margin' "picture '[^\"]*: plot' | sed 's/.*base64,//; s/\".*//' | base64 -d | grep -q 'viewBox=\"-6 -8 312 216\"'"
holds 'pictures have their size' "picture '[^\"]*: a' | grep -q 'width=\"300\" height=\"200\"' && picture '[^\"]*: b' | grep -q 'width=\"700\" height=\"258\"'"
holds 'pictures have their captions' "grep -q '<figcaption>Lines &amp; &lt;dots&gt;</figcaption>' page && grep -q '<p class=\"soft\">all of them</p>' page"
holds 'several of one kind' "picture '[^\"]*: one' >/dev/null"
holds 'pictures of an unknown figure are shown' "picture 'fig-new: new-picture' >/dev/null"
same 'a missing one is named' "grep -o 'Not made: [a-z.]*' page" 'printf "Not made: lost.svg\n"'
same 'a figure that was not run is called so in the table and above itself' "grep -c '>not run</span>' page" 'echo 2'
holds 'the table has the values of the paper' "grep -q '<a href=\"#fig-b\">fig-b</a> <span class=\"soft\">3</span><td>7 of 8<td class=\"nil\">&ndash;<td>all<td' page && grep -q '<h3>Never made <span' page"
holds 'a table' "grep -q '<thead><tr><th>room<th>steps</tr>' page && grep -q '<tr><td>&lt;hall&gt;<td>12</tr>' page && grep -q '<td colspan=\"2\">both &amp; none' page"
same 'time and memory' "grep -o '<dt>time, memory<dd>.*' page | head -n 1" \
    'echo "<dt>time, memory<dd>1 min 03 s summed over 2 parts; 5.0 s of CPU time; 3 MiB in the largest process"'
printf 'c/1.tsv\t5\t-\t-\t9\nc/2.tsv\t7\t2\t4194304\t9\n' >>F/times.tsv
sed 's/^sample: .*/parts: c/' figures.txt >parts.txt
same 'the number of measured parts is given' "STATEMENTS=parts.txt sh '$report/report.sh' F | sed -n '/id=\"fig-c\"/,/<.section>/s/<dt>time, memory<dd>//p'" \
    'echo "12.0 s summed over 2 parts; of 1 of them 2.0 s of CPU time, 4 MiB in the largest process"'
same 'unmeasured figures are marked' "grep -c '<dd>not measured' page" 'echo 4'
holds 'how to make it again' "grep -q '<code>make -j fig-a</code>' page"
same 'the commands of a figure are shown' "sed -n '/What that runs/,/<.pre>/p' page | sed 's/<[^>]*>//g'" 'cat <<END2
What that runs: 3 commands, with the tools on PATHWALKS=3 sh a.sh run 1 &lt;in &gt;build/out/a/1.tsv
sh a.sh draw build/out/a build/out/a
sh a.sh run 2 &gt;build/out/a-2.tsv

END2'

# --- self-contained
same 'the page loads nothing' "grep -c -i -e 'http' -e '<link' -e '@import' -e 'url(' page || :" 'echo 0'
same 'no file is named' "grep -o -e 'src=\"[^\"]*' -e 'href=\"[^\"]*' page | grep -v -e 'src=\"data:image/' -e 'href=\"#' || :" :
same 'every link leads somewhere' "grep -o 'href=\"#[^\"]*' page | sed 's/.*#//' | sort -u" \
    "grep -o -e 'id=\"fig-[^\"]*' -e 'id=\"table' -e 'id=\"short' -e 'id=\"rows' page | sed 's/.*\"//' | sort -u"
sh "$report/report.sh" F >again
same 'the page has the same bytes again' "sh '$report/report.sh' F" 'cat again'
if has_python; then
	cat >tags.py <<'END'
import sys
from html.parser import HTMLParser
void = {'meta', 'img', 'input', 'br', 'li', 'td', 'th', 'dt', 'dd'}
class P(HTMLParser):
    stack = []
    def handle_starttag(self, tag, attrs):
        if tag not in void: self.stack.append(tag)
    def handle_endtag(self, tag):
        if tag not in void: assert self.stack.pop() == tag, (tag, self.getpos())
p = P(); p.feed(open(sys.argv[1]).read()); p.close()
assert not p.stack, p.stack
END
	holds 'tags are balanced' 'python3 tags.py page'
else
	tap 0 'what is opened is closed # SKIP no python3'
fi
same 'a full run is not called quick' "sed '/<style>/,/<.style>/d' page | grep -c -i quick || :" 'echo 0'
exits 0 'a quick one is' "QUICK=1 VERSION=1.2.3 sh '$report/report.sh' F"
cp "$out" page
holds 'a quick run is marked in the headline' "grep -q '<h1>.*quick' page && grep -q 'class=\"banner\">QUICK=1' page"
same 'a quick run has no verdicts' "grep -c -e 'class=\"v yes' -e 'class=\"v no\"' -e 'class=\"v differs' page || :" 'echo 0'
same 'rows with a target are not judged' "grep -o '<td>&le; 90<td><span[^<]*' page | sort -u" 'echo "<td>&le; 90<td><span class=\"v none\">not judged"'
same 'figures of a quick run have no class' "sed -n 's/^<tr class=\"[a-z]* \([a-z]*\)\".*/\1/p' page | sort -u" 'echo none'
holds 'no row is listed as missed' "sed -n '/id=\"short\"/,/<.ul>/p' page | grep -c '<li>' | grep -qx 1"
holds 'the commands have QUICK=1' "grep -q '<code>make -j fig-a QUICK=1</code>' page"
holds 'the version is given' "grep -q 'cscg 1.2.3' page"

# --- what agents are given
sed 's/^fig-a$/&\ntold: five schemas\ntold: [quoted] the <map>/' figures.txt >told.txt
exits 0 'what agents are given' "STATEMENTS=told.txt sh '$report/report.sh' F"
cp "$out" page
holds 'the column told is in the table at the top' "grep -q '^<tr class=\"paper missed\"><td><a href=\"#fig-a\">.*<td>five schemas<td><span' page"
holds 'told is in the section of the figure' "grep -q '^<dt>told<dd>five schemas\$' page"
holds 'a row of its own' "grep -q '(told: the &lt;map&gt;)' page && ! grep -q 'a &lt; b &amp; c <span' page"
exits 0 'all rows as a table' "STATEMENTS=told.txt sh '$report/report.sh' F table"
cp "$out" table
same 'the table has a header, verdicts and told' "sed -n '1p; /quoted/p; /of c/p' table | cut -f 1,6,7" 'printf "#figure\tverdict\ttold\n2\tno\tthe <map>\nc\tnot reproduced\t-\n"'
same 'a quick one without verdicts' "QUICK=1 sh '$report/report.sh' F table | sed 1d | cut -f 6 | sort -u" 'echo -'
exits 2 'nothing else' "sh '$report/report.sh' F list"
exactly 'is reported' "report.sh: 'list' is neither page nor table"
exits 0 'a page with SEED=3' "SEED=3 sh '$report/report.sh' F"
cp "$out" page
holds 'SEED=3 is reported' "grep -q 'those of SEED=3' page && grep -q 'make -j fig-a SEED=3<' page"

# --- runs of other seeds side by side
mkdir one two
printf 'a\tgood\t-\t1\t>= 1\tyes\na\tby chance\t-\t2\t>= 2\tyes\na\tbad\t-\t0\t>= 1\tno\na\ttold\t-\t5\t-\t-\na\tonly here\t-\t5\t>= 5\tyes\n' >one/x.rows
printf 'a\tgood\t-\t3\t>= 1\tyes\na\tby chance\t-\t1\t>= 2\tno\na\tbad\t-\t0\t>= 1\tno\na\ttold\t-\t6\t-\t-\n' >two/x.rows
exits 0 'two runs' "sh '$report/compare.sh' one two"
same 'side by side' "cat '$out'" 'printf "#figure\twhat\twanted\truns\tours 1\tverdict 1\tours 2\tverdict 2\tall\na\tgood\t>= 1\tone two\t1\tyes\t3\tyes\tmet\na\tby chance\t>= 2\tone two\t2\tyes\t1\tno\tby seed\na\tbad\t>= 1\tone two\t0\tno\t0\tno\tmissed\na\ttold\t-\tone two\t5\t-\t6\t-\t-\na\tonly here\t>= 5\tone two\t5\tyes\t-\t-\tnot run\n# met 1, missed 1, by seed 1, not run 1, without a target 1\n"'
# Other runs, figures-seed3 and figures-seed4, with one of these rows and one more
cp "$out" kept
mkdir figures-seed3 figures-seed4
printf 'b\tnew\t-\t7\t>= 1\tyes\na\tbad\t-\t1\t>= 1\tyes\n' | tee figures-seed3/x.rows >figures-seed4/x.rows
exits 0 'two more runs' "sh '$report/compare.sh' kept figures-seed3 figures-seed4"
same 'rows of the runs replace those of the table, by figure' "cut -f 1,2,4,5,9 '$out' | sed 1d" 'printf "b\tnew\tseed3 seed4\t7\tmet\na\tbad\tseed3 seed4\t1\tmet\na\tgood\tone two\t1\tmet\na\tby chance\tone two\t2\tby seed\na\ttold\tone two\t5\t-\na\tonly here\tone two\t5\tnot run\n# met 3, missed 0, by seed 1, not run 1, without a target 1\n"'
exits 2 'a table of two runs beside three' "sh '$report/compare.sh' kept one two figures-seed3"
exactly 'is refused' "compare.sh: 'kept' is no table of 3 runs"
exits 2 'compare.sh with one run' "sh '$report/compare.sh' one"
exactly 'is a usage error' 'usage: compare.sh [TABLE] FIG FIG...'
exits 2 'no such run' "sh '$report/compare.sh' one nowhere"
exactly 'is named' "report.sh: 'nowhere' is no directory"

mkdir empty
exits 0 'no figure was run' "sh '$report/report.sh' empty"
cp "$out" page
holds 'figures that were not run are counted' "grep -q '<b>0</b>of 3 figures run<li><b>0</b>rows' page && [ \$(grep -c '>not run</span>' page) = 6 ]"
exits 2 'no directory' "sh '$report/report.sh' nowhere"
exactly 'is reported' "report.sh: 'nowhere' is no directory"

# --- existing figures
unset STATEMENTS
awk '/^FIGURES :=/ { on = 1 } on { print } on && !/\\$/ { exit }' "$TOP/data/figures.mk" |
    grep -o 'fig-[a-z0-9]*' | sort >made
same 'each is listed' "grep '^fig-' '$report/figures.txt' | sort | comm -13 - made" :
same 'every figure has all its texts' "awk '/^fig-/ { t = \$1; n[t] = 0 } /^(group|title|paper|says|number|must|about|seeds|key|rows|parts): ./ { n[t]++ } /^told: [^[]/ { n[t]++ }
    END { for (t in n) if (n[t] != 12) print t, n[t] }' '$report/figures.txt'" :
same 'each picture with its caption' "awk '/^fig-/ { t = \$1 } /^show: / { for (i = 2; i <= NF; i++) w[t \" \" \$i] } /^legend: / { delete w[t \" \" \$2] }
    END { for (k in w) print k }' '$report/figures.txt'" :
holds 'settings that it names are there' "for v in \$(grep -v '^#' '$report/figures.txt' | grep -o '@[A-Za-z0-9_-]*@' | tr -d @ | sort -u); do
    cat '$TOP'/data/figures.mk '$TOP'/data/figures/*.mk | grep -q \"^\$v *[:?]*=\" || { echo \$v; exit 1; }; done"
exits 0 'a page of none of them' "sh '$report/report.sh' empty"
cp "$out" page
holds 'names them all' "for t in \$(cat made); do grep -q \"id=\\\"\$t\\\"\" page || exit 1; done"
finish
