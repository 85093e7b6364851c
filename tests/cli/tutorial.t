# cscg-tutorial(7): every command runs and prints the output of the page, and
# statements of the page are true.
. "$(dirname "$0")/../tap.sh"
page=$TOP/man/cscg-tutorial.7

# Literal blocks become 01.sh, 02.sh ...; those after .\" prints become the
# expected output of the one before them.
awk '/^\.\\" prints/ { out = 1 }
/^\.Bd -literal/ { on = 1; if (!out) n++; f = sprintf("%02d.%s", n, out ? "txt" : "sh"); next }
/^\.Ed/ { on = out = 0; close(f) }
on { gsub(/\\e/, "\\"); print >f }' "$page"
holds 'the tutorial has commands and outputs' '[ $(ls *.sh | wc -l) -ge 10 ] && [ $(ls *.txt | wc -l) -ge 8 ]'
round() { # figures as far as any CPU gives the same
	sed 's/--isa [a-z0-9]*/--isa any/' | awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++)
	    if ($i ~ /^-?[0-9]+\.[0-9]+(e-?[0-9]+)?$/) $i = sprintf("%.3g", $i) } 1'
}
if ! command -v dot >/dev/null; then
	sed -i '/| dot /d' ./*.sh
	tap 0 'the drawing # SKIP no dot'
fi
if has_python numpy && ! ldd "$BUILD/libcscg.so" | grep -q 'lib[at]san'; then
	export PYTHONPATH="$TOP/data/python" PYTHONDONTWRITEBYTECODE=1 CSCG_LIBRARY="$BUILD/libcscg.so"
else
	for f in $(grep -l '^python3' ./*.sh); do rm -f "$f" "${f%.sh}.txt"; done
	tap 0 'the lines of Python # SKIP no NumPy, or a sanitizer'
fi
start=$(date +%s)
for f in *.sh; do
	exits 0 "$f: $(head -n 1 "$f")" "sh -e ./$f"
	cp "$out" got
	exactly '... prints nothing else' ''
	if [ -e "${f%.sh}.txt" ]; then
		same '... and prints the output of the page' 'round <got' "round <${f%.sh}.txt"
	else
		same '... and prints nothing' 'cat got' :
	fi
done

# From the recording on: three commands, and eight lines of Python.
holds 'the whole tutorial takes less than a minute' '[ $(($(date +%s) - start)) -lt 60 ]'
same 'the recording has 100,000 rows' 'wc -l <track.csv' 'echo 100001'
same 'the map of the field has a state for each cell' 'cscg-show recording.gz.map | sed -n "1s/.*: \([0-9]*\) states.*/\1/p"' 'echo 16'
same 'each with a place field' 'grep -c "<title>state" fields.svg' 'echo 16'
# A field is that of one cell: bins of 5 cm, 25 of them in a cell.
same 'a place field has the size of a cell' 'cscg-show --fields recording.gz --xy at.csv recording.gz.map |
    awk -F "\t" "NR > 1 && \$5 > 0.5 { n[\$1]++ } END { for (j in n) { all++; bad += n[j] != 25 } print all, bad + 0 }"' 'echo 16 0'

# The map is the hall: as a room for roomgen, with letters for symbols.
printf '%s\n' lwwc wffw cwwc | roomgen map -o letters.gz
gzip -dc hall.gz | sed 's/"north"/"up"/g; s/"south"/"down"/g; s/"east"/"right"/g; s/"west"/"left"/g
    s/"lamp"/"l"/; s/"wall"/"w"/; s/"corner"/"c"/; s/"floor"/"f"/' >renamed
same 'the map has a state for each node, and every edge' \
    'cscg-show --truth letters.gz renamed | tail -n 1' 'printf "isomorphic\tyes\n"'
# By hand: three rows of four, actions off the edge stay.
cat >follow.awk <<'END'
# A line for each action: the node before it, and the action; then the last
# node.
BEGIN { split(at, p, ","); i = p[1]; j = p[2] }
{ print i "," j, $1 }
$1 == "north" && i > 1 { i-- } $1 == "south" && i < 3 { i++ }
$1 == "east" && j < 4 { j++ } $1 == "west" && j > 1 { j-- }
END { print i "," j }
END
sed 1d flat.csv | cut -d, -f3 | grep . | awk -v at=1,1 -f follow.awk >walked
end=$(tail -n 1 walked)
cscg-plan flat.map.gz -w flat.gz --goal symbol:plant >plan
awk -v at="$end" -f follow.awk plan >way
same 'the plan leads from there to the plant' 'tail -n 1 way' 'echo 1,1'
same 'no plan is shorter' 'wc -l <plan' "echo '$end' | awk -F, '{ print \$1 - 1 + \$2 - 1 }'"
same 'the number of visited states is right' "cut -d' ' -f1 walked | sort -u | wc -l" 'echo 10'
same 'and the number of untried transitions' 'sed "\$d" way | awk "NR == FNR { made[\$0]; next } { print (\$0 in made) }" walked -' \
    'printf "%s\n" 0 0 0 1'
holds 'the path is long enough for a test' '[ $(wc -l <plan) -ge 3 ]'
finish
