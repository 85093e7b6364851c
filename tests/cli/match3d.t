# fig-match3d, small: a room learned from images is identified under other
# light. make fig-match3d does it in full.
# all: figures in small, slow (6 s)
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures
export K=20

# a room with a ramp and a drop, and a hall with a pillar
printf '0>>2\n0002\n0002\n' >ledge.txt
printf '0000\n0#00\n0000\n' >hall.txt
mkdir schemas
for r in ledge hall; do
	exits 0 "$r: learned" "STEPS=20000 sh '$fig/match3d.sh' learn $r ./$r.txt 41 7"
	cp "$out" line
	# 12 cells and 11, four headings each
	[ $r = ledge ] && nodes=48 || nodes=44
	same 'the room has as many nodes as cells and headings' "cut -f 5 line" "echo $nodes"
	holds 'the graph is exact from images' "awk -F '\t' '{ exit !(\$7 >= .99 && \$9 == 0) }' line"
	cscg-show --as schema -o schemas/$r.gz $r.gz
	holds 'the schema has neither emissions nor clone structure' "! cscg-show schemas/$r.gz | grep -q clones"
done
for noise in 0 6; do
	exits 0 "ledge: identified, noise $noise" "WALKS=2 STEPS=600 EVERY=300 sh '$fig/match3d.sh' test ./ledge.txt 44 3 $noise schemas >all"
	same 'each walk, step and schema has a row' 'grep -vc "^#" all' 'echo 8'
	holds 'the right schema has rank 1' "awk -F '\t' '\$2 == 600 && \$3 == \"ledge\" && \$6 != 1 { bad = 1 } END { exit bad }' all"
done

# Means of 1 and 3, and of 2 and 4: with two walks half the interval is
# 12.706 * sd / sqrt(2), here 12.706 both times.
tab=$(printf '\t')
cat >all <<-END
	#episode${tab}step${tab}schema${tab}nll${tab}posterior${tab}rank
	0${tab}5${tab}a${tab}9${tab}0${tab}2
	0${tab}5${tab}b${tab}8${tab}1${tab}1
	0${tab}10${tab}a${tab}1${tab}1${tab}1
	0${tab}10${tab}b${tab}2${tab}0${tab}2
	1${tab}5${tab}a${tab}9${tab}0${tab}2
	1${tab}5${tab}b${tab}8${tab}1${tab}1
	1${tab}10${tab}a${tab}3${tab}1${tab}1
	1${tab}10${tab}b${tab}4${tab}0${tab}2
END
exits 0 'means' "sh '$fig/match3d.sh' means a all"
cp "$out" means
same 'mean and interval' "awk '\$1 == 10 && \$2 == \"a\" { print \$3, \$4, \$5 }' means" 'echo 2 -10.706 14.706'
same 'identified for good at the second row' "grep sustained means" 'printf "#sustained\t10\n"'

exits 0 'scratch and schema beside' "sh '$fig/match3d.sh' scratch ./ledge.txt 44 5 schemas/ledge.gz 1500 >scratch.tsv"
same 'a line for each, of two seeds' 'cut -f 2,3 scratch.tsv' \
    'printf "1500\tscratch\n1500\tschema\n1500\tscratch\n1500\tschema\n"'
holds 'NLL and purity of another walk with the schema' "awk -F '\t' '\$3 == \"schema\" { exit !(\$4 < .1 && \$6 > .95) }' scratch.tsv"

# The rows, from invented numbers: one of two walks is wrong after step 2000.
# The second of two sets of schemas is the worse one.
mkdir -p d/schemas-0 d/schemas-1 d/clean d/noisy d/scratch
export SETS='0 1'
printf 'a\t1\t1\t9\t4\t4\t1\t0\t0\tyes\t0.1\n' >d/schemas-0/a.tsv
printf 'a\t1\t1\t9\t4\t4\t0.98\t2\t16\tno\t0.1\n' >d/schemas-1/a.tsv
for how in clean noisy; do
	printf '#sustained\t2250\n' >d/$how/a.tsv
	printf '0\t2000\ta\t1\t1\t1\n1\t2000\ta\t1\t1\t1\n0\t2250\ta\t1\t1\t1\n1\t2250\ta\t1\t0\t2\n' >d/$how/a.all
done
printf 'a\t1000\tschema\t0.1\t4\t0.995\t0\t0\tyes\na\t1000\tscratch\t2\t4\t0.5\t0\t9\tno\n' >d/scratch/a.tsv
exits 0 'rows' "sh '$fig/match3d-rows.sh' d a"
cp "$out" rows
same 'low purity, spurious edges' 'head -n 2 rows | cut -f 2,4,6' \
    'printf "learned graphs: purity, least of 2\t0.98, worst a\tno\nlearned graphs: spurious edges, most of 2\t16, worst a (missing: 2, worst a)\tno\n"'
same 'a mean above the target is reported' 'sed -n 3p rows | cut -f 4,6' 'printf "2250 steps\tno\n"'
same 'half of the walks' 'sed -n 5p rows | cut -f 4,6' 'printf "1/2\tno\n"'
# Room b is good; room a is named.
printf 'b\t1\t1\t9\t4\t4\t0.99\t0\t0\tyes\t0.1\n' >d/schemas-0/b.tsv
cp d/schemas-0/b.tsv d/schemas-1/b.tsv
cp d/scratch/a.tsv d/scratch/b.tsv
for how in clean noisy; do
	printf '#sustained\t500\n' >d/$how/b.tsv
	sed '/2250/!d; s/	a	/	b	/; s/	[012]$/	1/' d/$how/a.all >d/$how/b.all
done
exits 0 'rows of two rooms' "sh '$fig/match3d-rows.sh' d a b"
same 'the worst room is named' 'sed -n "1,3p; 5p" "$out" | cut -f 4' \
    'printf "0.98, worst a\n16, worst a (missing: 2, worst a)\n2250 steps, a\n3/4, worst a 1/2\n"'
same 'the number of steps of each path' 'tail -n 1 rows | cut -f 4' 'echo 1000, never'
unset SETS

if command -v gnuplot >/dev/null && command -v dot >/dev/null; then
	for what in 'rooms rooms room1=1,2' 'views views room4 1 2' \
	    'graphs graphs a=ledge.gz b=hall.gz' 'scratch curves scratch.tsv'; do
		exits 0 "drawn: ${what%% *}" "sh '$fig/match3d-draw.sh' $what"
		f=$(echo "$what" | cut -d ' ' -f 2)
		holds 'the picture is SVG and PNG' "grep -q '<svg' $f.svg && head -c 4 $f.png | grep -q PNG"
	done
fi
finish
