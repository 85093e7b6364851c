# Whole pipelines: the commands of README and of the manual pages; live streams
# between tools, and errors within pipelines.
# all: slow (14 s), needs Graphviz, mandoc and NumPy
. "$(dirname "$0")/../tap.sh"

# --- README

# Fenced blocks become files: README.1.sh, README.2.txt (without a language: the
# output of the block before), README.3.python.
mkdir readme
awk '/^```/ && on { on = 0; close(f); next }
/^```/ { on = 1; n++; w = substr($0, 4)
	f = sprintf("readme/%02d.%s", n, w == "" ? "txt" : w); printf "" >f; next }
on { print >f }' "$TOP/README.md"
holds 'README has blocks to run' '[ "$(ls readme/*.sh | wc -l)" -ge 4 ]'

# Numbers to as many digits as all CPUs give.
round() {
	awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++)
	    if ($i ~ /^-?[0-9]+\.[0-9]+(e-?[0-9]+)?$/) $i = sprintf("%.4g", $i) } 1'
}
can_run() { # FILE
	! grep -q '^make' "$1" || return 1
	! grep -q '| dot ' "$1" || command -v dot >/dev/null
}
cd readme || exit 1
for f in *.sh; do
	can_run "$f" || continue
	exits 0 "README: $(head -n 1 "$f") ..." "sh -e $f"
	exactly '... prints nothing else' ''
	n=${f%.sh}
	next=$(printf '%02d.txt' $((${n#0} + 1)))
	[ ! -e "$next" ] ||
		same '... and prints the output of README' "sh -e $f | round" "round <$next"
done
if has_python numpy && ! ldd "$BUILD/libcscg.so" | grep -q 'lib[at]san'; then
	for f in *.python; do
		exits 0 'README: Python' "PYTHONPATH='$TOP/data/python' PYTHONDONTWRITEBYTECODE=1 CSCG_LIBRARY='$BUILD/libcscg.so' python3 $f"
		cp "$out" got
		n=${f%.python}
		same '... prints what is shown' 'cat got' "cat $(printf '%02d.txt' $((${n#0} + 1)))"
	done
else
	tap 0 'README: Python # SKIP no NumPy'
fi
holds 'README names every tool' "for t in \$(all_tools); do
    grep -q \"^| .\$t. |\" '$TOP/README.md' || { echo \$t; exit 1; }; done"
holds 'README lists no other tool' "for t in \$(sed -n '/^## Exp/,\$d; s/^| [^a-z]\\([a-z-]*\\). | .*/\\1/p' '$TOP/README.md'); do
    [ -e '$TOP'/cmd/\$t.c ] || { echo \$t; exit 1; }; done"
holds 'experiments it names can be made' "for t in \$(grep -o 'fig-[a-z0-9]*' '$TOP/README.md' | sort -u); do
    cat '$TOP'/data/figures.mk '$TOP'/data/figures/*.mk | grep -q \"^\$t:\" || { echo \$t; exit 1; }; done"
holds 'files it links to are there' "for f in \$(grep -o '](\\([A-Za-z0-9./-]*\\))' '$TOP/README.md' |
    tr -d ']()'; sed -n 's/.*src=\"\\([^\"]*\\)\".*/\\1/p' '$TOP/README.md'); do
    [ -e '$TOP'/\$f ] || { echo \$f; exit 1; }; done"
cd ..

# --- EXAMPLES of the manual pages, and the tour

for page in "$TOP"/man/*.1 "$TOP"/man/cscg.7 "$TOP"/man/cscg-data.7; do
	p=$(basename "$page")
	mkdir "$p"
	awk -v tour="$p" '/^\.Sh/ { here = /EXAMPLES/ || tour == "cscg.7" }
	/^\.Bd -literal/ && here { on = 1; next } /^\.Ed/ { on = 0 }
	on { gsub(/\\e/, "\\"); print }' "$page" >"$p/run"
	command -v dot >/dev/null || sed -i 's/| dot .*/>map.dot/' "$p/run"
	if grep -q '^python3' "$p/run" && ! has_python numpy; then
		sed -i '/^python3/d' "$p/run"
		tap 0 "$p: its lines in Python # SKIP no NumPy"
	fi
	holds "$p has examples" "[ -s $p/run ]"
	exits 0 "$p: they run" "cd $p && sh -e ./run"
done

# --- the pages themselves

pages=$(cd "$TOP/man" && echo ./*.[157])
if command -v mandoc >/dev/null; then
	for p in $pages; do
		same "mandoc -T lint: ${p#./} is clean" "mandoc -T lint -W warning '$TOP/man/$p'" :
	done
fi
holds 'referenced pages exist' "
    sed -n 's/^\\.Xr \\(cscg[a-z-]*\\|room[a-z]*\\|walkconv\\) \\([157]\\).*/\\1.\\2/p' '$TOP'/man/* |
    sort -u | while read -r p; do [ -e '$TOP'/man/\$p ] || echo \$p; done >missing
    cat missing; [ ! -s missing ]"

# --- several walks as one

roomgen rectangle --size 5x6 -o room.gz
roomwalk -n 3000 room.gz -o a.gz
roomwalk -n 2000 -s 7 --no-gzip room.gz -o b
gzip -c b >b.gz
cscg-learn -o map.gz a.gz b.gz
text() { sed 's/,"history":.*//'; }
same 'cat of two compressed walks is both' 'cat a.gz b.gz | cscg-learn --no-gzip | text' \
    'zcat map.gz | text'
same 'compressed and plain walks in one stream' 'cat a.gz | gzip -dc | cat - b | cscg-learn --no-gzip | text' \
    'zcat map.gz | text'
same 'walks joined by walkconv' 'walkconv a.gz b.gz | cscg-learn --no-gzip | text' \
    'zcat map.gz | text'
same 'episodes continue counting' 'cat a.gz b.gz | cscg-score map.gz | cut -f 1,2' \
    'printf "#episode\tsteps\n0\t3000\n1\t2000\nall\t5000\n"'
same 'a walk through CSV gives the same model' \
    'walkconv -o w.csv a.gz && walkconv --alphabet-from a.gz w.csv | cscg-learn --no-gzip | text' \
    'cscg-learn --no-gzip a.gz | text'
same 'samples of a model are reproducible' \
    'roomgen rectangle --size 5x6 --as model --no-gzip | sed "s/\"pseudocount\":[^,]*/\"pseudocount\":0/" >exact
     cscg-score --sample 5000 exact | cscg-learn | cscg-show --truth room.gz | tail -n 1' \
    'printf "isomorphic\tyes\n"'

# --- errors propagate, readers may close

exits 3 'a walk cut on its way' 'roomwalk -n 20000 room.gz | head -c 5000 | cscg-learn'
exactly 'is refused by the next' 'cscg-learn: standard input: unexpected end of gzip data'
exits 3 'a truncated plain walk' 'roomwalk -n 20000 --no-gzip room.gz | head -n 5 | cscg-learn'
exactly 'is refused by the next' 'cscg-learn: standard input: unexpected end of walk (no end line)'
exits 3 'a tool that fails makes the next one fail' \
    'head -c 2000 a.gz | walkconv 2>/dev/null | cscg-score map.gz'
says 'which says why' 'cscg-score: standard input: unexpected end'
exits 3 'a first command that fails' 'roomwalk no-room 2>/dev/null | cscg-learn'
exactly 'which says why' 'cscg-learn: standard input: unexpected end: no cscg-walk'
holds 'no file is left' '! roomwalk no-room 2>/dev/null | cscg-learn -o left.gz 2>/dev/null
    ! ls -A | grep -q left'
# The reader closes after a few bytes of a long stream.
for j in 'roomwalk -n 100000000 room.gz' \
    'roomwalk -n 100000000 --live --no-gzip room.gz' \
    'roomwalk -n 100000000 room.gz | cscg-score --per-step map.gz' \
    'cscg-score --sample 100000000 map.gz'; do
	exits 0 "head ends: $j" \
	    "{ timeout 20 sh -c '$j'; echo \$? >status; } | head -c 1000 >/dev/null"
	exactly '... quietly' ''
	same '... by a signal' 'cat status' 'echo 141'
done

# --- live

# A program writes a line of a walk; the next tool must process it before there
# is another. make bench measures the delay.
mkfifo acts rows
cat >live.sh <<'END'
# live.sh WRITER: lines to the file acts become steps of a walk
eval "$1" | cscg-score --per-step --live map.gz >rows &
exec 9>acts 8<rows
read -r head <&8
i=0
while [ $i -lt 20 ]; do
	echo right >&9
	read -r row <&8
	case $row in "0	$i	"*) ;; *) echo "row $i: $row"; exit 1 ;; esac
	i=$((i + 1))
done
exec 9>&-
wait
END
# A foreign program: the agent is in a corner, where actions are blocked.
cat >other.sh <<'END'
exec <acts
echo '{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":19}'
while read -r line; do echo '{"episode":0,"x":[1],"a":[0]}'; done
echo '{"episode":0,"x":[1],"a":[],"last":true}'
echo '{"end":true,"episodes":1,"steps":21}'
END
for how in 'roomwalk --live --actions acts --start 0 room.gz' \
    'roomwalk --live --no-gzip --actions acts --start 0 room.gz' \
    'sh other.sh'; do
	holds "a step is scored before the next is sent: $how" \
	    "timeout 60 sh live.sh '$how'"
done

finish
