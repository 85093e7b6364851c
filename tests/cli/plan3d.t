# fig-plan3d, small: the path back through cells that were never visited. make
# fig-plan3d does it in full.
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures
tab=$(printf '\t')
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# A path around two walls, 17 cells.  From the south-west corner, after a full
# turn, along the west and the north, into the niche in the east and south to
# the wall, facing west: the path back has three cells and a turn, and two of
# the cells are new.
printf '00000\n0##00\n0#000\n00000\n' >ring.map
printf '%s\n' '# a look around' right right right right '# north' forward forward forward \
    right forward forward forward forward '# the nook' right forward right forward forward \
    left forward forward right >actions
export PLACE='--map ring.map' K=20
roomgen voxel $PLACE --as model -o exact.gz
exits 0 'a schema' "sh '$fig/plan3d.sh' schema exact.gz | gzip -n >schema.gz"
holds 'the schema has the graph without pseudocount' "cscg-show schema.gz | grep -q '^model, schema: 68 states' &&
    gzip -dc schema.gz | grep -q '\"pseudocount\":0.0001,'"

exits 0 'the path back after a given walk' "sh '$fig/plan3d.sh' given given schema.gz 51 1 actions 3,0,north"
cp "$out" given.tsv
# 22 steps; the full turn has 4 states, and all others but two are new: the turn
# at its end and the blocked step
same 'steps, visited, moves, shortest, arrived, new' 'cut -f 3-10 given.tsv' \
    "printf '22\t20\t68\t4\t4\tyes\t2\t2\n'"
same 'the path exists' 'walkconv --as tsv given.way | sed 1d | wc -l' 'echo 5'
exits 0 'the path back after a cover walk' "sh '$fig/plan3d.sh' cover cover schema.gz 52 2 200"
cp "$out" cover.tsv
holds 'the path back is shortest' "awk -F '\t' '{ exit !(\$3 == 200 && \$6 == \$7 && \$8 == \"yes\") }' cover.tsv"

# The rows, from invented numbers: one of two paths leads elsewhere.
cat >two.tsv <<-END
	1${tab}1${tab}500${tab}300${tab}632${tab}9${tab}9${tab}yes${tab}2${tab}1
	2${tab}2${tab}500${tab}310${tab}632${tab}9${tab}9${tab}no${tab}0${tab}0
END
exits 0 'rows' "sh '$fig/plan3d.sh' rows given.tsv two.tsv"
cp "$out" rows
same 'the shortest' 'sed -n 1p rows | cut -f 4-6' "printf '1/1 themes\t>= 1\tyes\n'"
same 'cells not visited before' 'sed -n 2p rows | cut -f 4-6' "printf '2\t> 0\tyes\n'"
same 'half of them is not enough' 'sed -n 3p rows | cut -f 4-6' \
    "printf '1/2 (1 arrive, 1 by states not visited; 305 of 632 visited)\t>= 2\tno\n'"
if command -v gnuplot >/dev/null; then
	exits 0 'drawn' "sh '$fig/plan3d.sh' draw plan given"
	holds 'fig-plan3d is SVG and PNG' "grep -q '<svg' plan.svg && head -c 4 plan.png | grep -q PNG"
fi

# --- the walk of the figure: some cells are never visited, and the path back is
# in them
world=compose4.room
roomgen voxel --map compose4 -o $world
grep -v '^#' "$TOP/data/walks/four-rooms.txt" | roomwalk --actions - --start 9,1,north $world -o four.walk
walkconv --as tsv four.walk | awk 'NR > 1 { print $NF }' >been
holds 'the walk that is shipped leaves most of the world unseen' \
    "[ \$(sort -u been | wc -l) -lt 316 ]"
roomgen voxel --map compose4 --as model | cscg-plan --start "state:$(tail -n 1 been)" \
    --goal "state:$(head -n 1 been)" - >back
roomwalk --actions back --start "$(tail -n 1 been)" $world -o back.walk
walkconv --as tsv back.walk | awk 'NR > 1 { print int($NF / 4) }' >cells
holds 'the shortest path back leads through unvisited cells' \
    "awk 'NR == FNR { seen[int(\$1 / 4)]; next } !(\$1 in seen) { new++ } END { exit new < 5 }' been cells"
finish
