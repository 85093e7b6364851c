# Rooms and doors found in a graph: cscg-show --partition, cscg-stitch
# --partition and bottlenecks, up to a library learned from a walk.
# all: slow (6 s)
. "$(dirname "$0")/../tap.sh"

OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# Two rooms, one of them twice; doors in the middle of the walls.
roomgen rectangle --size 4x5 --door 2,4,right --door 2,0,left --name a -o a.room
roomgen rectangle --size 5x6 --door 2,5,right --door 2,0,left --name b -o b.room
roomgen join a.room b.room a.room -o world.room
roomgen room --as model world.room -o world.gz
for k in a b; do roomgen room --as model $k.room -o $k.gz; done

table() { # WHICH FILE: the rows of the n-th table
	awk -v n="$1" 'BEGIN { RS = ""; ORS = "\n" } NR == n' "$2" | sed 1d
}

# --- the tables; nodes of the world are a's 0-19, b's 20-49, a's 50-69
exits 0 'rooms of a room' 'cscg-show --partition world.room >t'
exactly 'without a message' ''
# The narrowest cut of 4 x 5 cells is between rows: 5 edges, both ways, of 13
# inside each half from both ends: 10 / sqrt(4 * 13 + 10); of 5 x 6, between
# columns: 10 / sqrt(4 * 22 + 10).
same 'rooms, their classes, sizes, exits and entries' 'head -n 4 t' \
    'printf "#room\tclass\tnodes\texits\tentries\tdoorways\tcut\tdoubtful\n0\t0\t20\t1\t1\t0\t1.27\tno\n1\t1\t30\t2\t2\t0\t1.01\tno\n2\t0\t20\t1\t1\t0\t1.27\tno\n"'
# Row 2 of a ends in 14, that of b is 32 to 37, and that of the last begins at 60.
same 'the doors' 'sed -n 6,10p t' 'printf "#from_room\tfrom_node\taction\tto_room\tto_node\n0\t14\tright\t1\t32\n1\t32\tleft\t0\t14\n1\t37\tright\t2\t60\n2\t60\tleft\t1\t37\n"'
same 'the nodes, with their counterparts' 'table 3 t' \
    'awk "BEGIN { for (v = 0; v < 70; v++) printf \"%d\t%d\t%d\tno\n\", v, v < 20 ? 0 : v < 50 ? 1 : 2, v < 50 ? v : v - 50 }"'
same 'the partition as JSON' 'cscg-show --partition --json world.room | sed -n "1p;4p;8p"' \
    'printf "%s\n" "{\"room\":0,\"class\":0,\"nodes\":20,\"exits\":1,\"entries\":1,\"doorways\":0,\"cut\":1.27,\"doubtful\":false}" "{\"from_room\":0,\"from_node\":14,\"action\":\"right\",\"to_room\":1,\"to_node\":32}" "{\"node\":0,\"room\":0,\"same_as\":0,\"doubtful\":false}"'
exits 0 'the partition of a model' 'cscg-show -v --partition world.gz >t'
exactly '-v reports the numbers' 'cscg-show: 3 rooms, 2 different, 4 exits'
holds 'the model has the same rooms' "[ \$(table 1 t | awk '{ print \$3 }' | sort -n | tr '\n' ,) = 20,20,30, ] && [ \$(table 2 t | wc -l) = 4 ]"
same 'the partition is the same again' 'cscg-show --partition world.gz' 'cat t'
same 'a room alone is one' 'cscg-show --partition a.gz | head -n 2 | tail -n 1' 'printf "0\t0\t20\t0\t0\t0\t1.27\tno\n"'
same 'two models of a file' 'cat a.gz b.gz | cscg-show --partition --json' 'cscg-show --partition --json a.gz; cscg-show --partition --json b.gz'
same 'nodes with their rooms' 'cscg-show --partition --as nodes world.room | cut -f 6 | uniq -c | awk "{ print \$1, \$2 }"' \
    'printf "1 part\n20 0\n30 1\n20 2\n"'
exits 0 'a drawing' 'cscg-show --partition --as dot world.gz'
prints 'its title' '70 states, 3 rooms'
cp "$out" dot
holds 'nodes are coloured by room' "[ \$(grep -o '\[pos.*fillcolor=\"#[0-9a-f]*\"' dot | sed 's/.*fill//' | sort -u | wc -l) = 3 ]"

# --- the options
same 'a minimum probability in a stochastic world' \
    'roomgen room --slip 0.2 world.room | cscg-show --partition | head -n 4 | cut -f 1-3' \
    'cscg-show --partition world.room | head -n 4 | cut -f 1-3'
usage() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "cscg-show $2"
	says "$1: message" "$3"
}
usage 'a library without rooms' '--as library world.gz' '--as library requires --partition'
usage 'a library of an array' '--as library --from-npy T world.gz' '--as library requires --partition'
usage 'rooms as an array' '--partition --as npy world.gz' '--partition requires --as dot, svg, pdf, png, nodes, schema, library, clones or model'
usage 'rooms as edges' '--partition --as tsv world.gz' '--partition requires --as dot, svg, pdf, png, nodes, schema, library, clones or model'
usage 'rooms and frontiers' '--partition --frontiers given world.gz' '--partition cannot be combined with --frontiers, --truth or --from-npy'
usage 'another kind of frontier' '--frontiers doors world.gz' "--frontiers: 'doors' is not one of given|boundary|bottleneck"
exits 3 'a walk has no rooms' 'roomwalk -n 10 a.room >w.gz; cscg-show --partition w.gz'
exactly 'and is reported' "cscg-show: 'w.gz': --partition requires a room or model, not a walk"
exits 3 'a room has no schema' 'cscg-show --partition --as schema world.room'
exactly 'and is reported as well' "cscg-show: 'world.room': line 1: --as schema requires a model, not a room"
exits 3 'no library of a room' 'cscg-show --partition --as library world.room'
exactly 'nor that' "cscg-show: 'world.room': line 1: --as library requires a model, not a room"
exits 3 'no bottlenecks of a room' 'cscg-show --frontiers bottleneck world.room'
exactly 'which is reported' "cscg-show: 'world.room': line 1: --frontiers bottleneck requires a model, not a room"
exits 3 'no clones' 'cscg-show --as schema world.gz | cscg-show --partition --as clones'
exactly 'which is reported as well' 'cscg-show: standard input: line 1: the model is a schema without clone structure'
exits 3 'a model that is cut' 'gzip -dc world.gz | head -c 900 | cscg-show --partition'
says 'is no model' 'standard input: line 1: invalid JSON'
printf '{"format":"cscg-model","version":1,"kind":"schema","precision":"single","n_states":1,"n_actions":1,"n_obs":1,"pseudocount":0,"counts":[{"from":[],"to":[],"count":[]}]}\n' >tiny
same 'a model of one state and no moves' 'cscg-show --partition tiny | head -n 2' \
    'printf "#room\tclass\tstates\texits\tentries\tdoorways\tcut\tdoubtful\n0\t0\t1\t0\t0\t0\t-\tno\n"'

# --- rooms as models
exits 0 'each room as a schema' 'cscg-show --partition --as schema -o rooms.gz world.gz'
same 'rooms as models have frontiers' "cscg-show --frontiers given rooms.gz | grep -v '#' | cut -f 2 | sort | uniq -c | awk '{ print \$1, \$2 }'" \
    'printf "2 left\n2 right\n"'
exits 0 'equal ones as one' 'cscg-show --partition --as library -o kinds.gz world.gz'
holds 'two are left' "[ \$(gzip -dc kinds.gz | wc -l) = 2 ] && [ \$(gzip -dc rooms.gz | wc -l) = 3 ]"
gzip -dc kinds.gz | sed -n 1p >k1
gzip -dc kinds.gz | sed -n 2p >k2
for k in a b; do
	n=$([ $k = a ] && echo 20 || echo 30)
	f=$(grep -l "\"n_states\":$n" k1 k2)
	exits 0 "$k: the room as a model is isomorphic" "cscg-show --truth $k.room --labels ignore $f"
	same "$k: the room as a model has its doors" "cscg-show --frontiers given $f | cut -f 2" 'printf "action\nleft\nright\n"'
done
exits 0 'rooms as models keep emissions' 'cscg-show --partition --as model world.gz | cscg-show'
prints 'it is grounded' 'grounded'
exits 0 'rooms as clones' 'cscg-show --partition --as clones world.gz | cscg-show'
holds 'the history has both commands' "gzip -dc kinds.gz | grep -c '\"program\":\"cscg-show\",.*\"as\":\"library\"' | grep -qx 2"

# --- one-way doors, and headings; a and b side by side: row 2 of a ends in cell
# 26 of the map, row 2 of b begins in 27; of a alone that is state 14, of b
# alone 12.
roomgen map --obs unique --as model -o one.gz <<'END'
###########
###########
###########
###########
.....######

block 0,4 right
block 0,5 left
block 1,4 right
block 1,5 left
oneway 2,4 right
block 3,4 right
block 3,5 left
END
same 'a one-way door: one room has an exit, the other an entry' \
    'cscg-show --partition --as schema one.gz | cscg-show --frontiers given' \
    'printf "#state\taction\tto\n14\tright\t14\n#state\taction\tto\n12\t-\t-\n"'
same 'bottlenecks: exits and entries' \
    'cscg-show --frontiers bottleneck one.gz' 'printf "#state\taction\tto\n26\tright\t27\n27\t-\t-\n"'
exits 0 'the four 3D rooms' 'roomgen voxel --map compose4 -o c4.room; cscg-show --partition c4.room >t'
# The parts are named in the map; rooms are numbered by their first node.
same '3D rooms are found' 'table 3 t | cut -f 2' \
    "cscg-show --as nodes c4.room | awk -F '\t' '!/^#/ { if (!(\$6 in n)) n[\$6] = k++; print n[\$6] + 0 }'"
same '3D rooms have their doors' "table 2 t | cut -f 2,3,5" "cscg-show --frontiers given c4.room | grep -v '#'"
same 'no two are isomorphic' "table 1 t | cut -f 2" 'printf "0\n1\n2\n3\n"'

# --- bottlenecks of a schema
same 'bottlenecks of a world' 'cscg-show --frontiers bottleneck world.gz | wc -l; cscg-show --frontiers bottleneck world.gz | cut -f 1 | sed 1d | sort' \
    'echo 5; cscg-show --partition world.gz >t; table 2 t | cut -f 2 | sort'
same 'one room has no bottleneck' 'cscg-show --frontiers bottleneck a.gz' 'printf "#state\taction\tto\n"'
# Known: a beside b, and c beside d; the new world is a beside d.
roomgen hole --size 7x7 --hole 1x1 --door 3,6,right --name c -o c.room
roomgen rectangle --size 6x5 --door 2,0,left --name d -o d.room
roomgen join a.room b.room | roomgen room --as model -o ab.gz
roomgen join c.room d.room | roomgen room --as model -o cd.gz
roomgen join a.room d.room | roomgen room --permute -s 3 -o ad.room
roomwalk -n 2000 --policy cover ad.room -o ad.walk
exits 0 'schemas of two rooms, left and entered at their doors' \
    'cscg-stitch --frontiers bottleneck ab.gz cd.gz -w ad.walk --prior prior.gz -o ad.gz'
exits 0 'the new world of known rooms is exact' 'cscg-show --truth ad.room -w ad.walk ad.gz'
same 'each schema has two frontiers' "cscg-show --frontiers given prior.gz | grep -vc '#'" 'echo 4'
exits 3 'a schema without doors inside' 'cscg-stitch --frontiers bottleneck ab.gz a.gz -w ad.walk'
exactly 'is refused' "cscg-stitch: 'a.gz': the schema has no doors inside that could be frontiers"

# --- six equal rooms joined by doorway cells, wide doors and small rooms
six() { # six rooms of 5 x 5 in two rows of three; '#' is the floor
	for row in 1 2; do
		for r in 1 2 3 4 5; do
			[ $r = 3 ] && echo '#################' || echo '#####.#####.#####'
		done
		[ $row = 1 ] && echo '..#.....#.....#..'
	done
}
six | roomgen map -o six.room
cscg-show --partition six.room >t
same 'six rooms are one kind without their doorways' 'table 1 t | cut -f 2 | sort | uniq -c' 'echo "      6 0"'
same 'seven doorways' 'table 1 t | awk "{ n += \$6 } END { print n }"' 'echo 7'
same 'six rooms joined by doorways are one schema' 'roomgen room --as model six.room |
    cscg-show --partition --as library --no-gzip | grep -o "\"n_states\":[0-9]*"' 'echo "\"n_states\":25"'
# Each has doors on two or three sides, all sides together.
holds 'the schema has the doors of all rooms' '[ $(roomgen room --as model six.room | cscg-show --partition --as library |
    cscg-show --frontiers given | grep -vc "#") = 4 ]'
two() { # SIDE WIDTH: two square rooms with a doorway of this width
	awk -v n="$1" -v d="$2" 'BEGIN { for (r = 0; r < n; r++) {
		for (c = 0; c < 2 * n + 1; c++)
			printf "%s", c != n || (r >= int((n - d) / 2) && r < int((n - d) / 2) + d) ? "#" : "."
		print "" } }'
}
for k in '3 1' '3 2' '4 2' '5 3' '6 3' '8 3' '8 4' '10 3'; do
	holds "doors: rooms of ${k% *}, ${k#* } wide, are found or doubtful" \
	    "two $k | roomgen map | cscg-show --partition >t; [ \$(table 1 t | wc -l) = 2 ] || table 1 t | grep -q 'yes\$'"
done
for k in 'rectangle --size 8x9' 'rectangle --size 3x6' 'rectangle --size 20x20' torus 'hole --size 7x7'; do
	holds "$k is one room, not doubtful" "roomgen $k | cscg-show --partition >t; [ \"\$(table 1 t | cut -f 8)\" = no ]"
done
two 5 3 | roomgen map -o wide.room
roomgen room --as model wide.room -o wide.gz
exits 0 'a world of doubtful rooms' 'roomwalk -n 500 wide.room | cscg-stitch --partition wide.gz -o x.gz'
says 'is warned of' 'cscg-stitch: 1 of 1 rooms may be several rooms: no cut is narrow enough'

# --- a library learned from a walk: another world of the same rooms
roomwalk -n 30000 world.room | cscg-learn -o old.gz
exits 0 'the learned model of the world' 'cscg-show --truth world.room old.gz'
same 'the learned world has its rooms' "cscg-show --partition old.gz >t; table 1 t | cut -f 3-5 | sort" \
    "cscg-show --partition world.gz >t; table 1 t | cut -f 3-5 | sort"
roomgen join b.room a.room a.room | roomgen room --permute -s 5 -o other.room
roomwalk -n 2500 --policy cover other.room -o other.walk
exits 0 'stitches another' 'cscg-stitch -v --partition old.gz -w other.walk --report report -o found.gz 2>talk'
holds 'prints the result' "[ \$(grep -c 'cscg-stitch: found old-[12]: [23]0 states, 2 frontiers; up to [12] copies' talk) = 2 ]"
exits 0 'the new world is exact' 'cscg-show --truth other.room -w other.walk found.gz'
holds 'each kind where it belongs' "awk '/^#block/ { on = 1; next } /^\$/ { on = 0 } on { print \$3, \$4 }' report | sort | tr '\n' , | grep -qx '20 20,20 20,30 30,'"
roomgen rectangle --size 4x5 -o a2.room
roomgen rectangle --size 5x6 -o b2.room
roomgen join b2.room a2.room a2.room --door-at random -s 1 | roomgen room --permute -s 6 -o moved.room
roomwalk -n 4000 --policy cover moved.room -o moved.walk
exits 1 'the doors of the old world do not explain other doors' \
    'cscg-stitch -q --learn-rest never --frontiers given --partition old.gz -w moved.walk | cscg-show --truth moved.room -w moved.walk'
exits 0 'by default doors at any wall explain them' \
    'cscg-stitch --partition old.gz -w moved.walk -o moved.gz && cscg-show --truth moved.room -w moved.walk moved.gz'
exactly 'without a message, again' ''
same 'threads do not matter' 'cscg-stitch -j 2 --partition old.gz -w other.walk | gzip -dc' 'gzip -dc found.gz'
same '--partition equals given schemas' "cscg-show --partition --as library -o lib.gz old.gz
    gzip -dc lib.gz | sed -n 1p >l1; gzip -dc lib.gz | sed -n 2p >l2
    grep -q '\"n_states\":20' l1 && set -- 'l1*2' l2 || set -- l1 'l2*2'
    cscg-stitch \"\$@\" -w other.walk | gzip -dc | sed 's/,\"history.*//'" "gzip -dc found.gz | sed 's/,\"history.*//'"
holds 'history has the world, the walk and how' "gzip -dc found.gz | grep -q '\"program\":\"cscg-learn\".*\"program\":\"cscg-stitch\".*\"partition\"'"
exits 0 'three copies of a schema' "cscg-stitch -v --partition 'x=old.gz*3' -w other.walk -o x.gz 2>talk"
holds '-v reports the number of copies' "[ \$(grep -c 'found x-[12]: .*; up to 3 copies' talk) = 2 ]"
exits 0 'rooms of two worlds' 'cscg-stitch -v --partition old.gz ab.gz -w other.walk -o x.gz 2>talk'
holds 'equal ones add up' "[ \$(grep -c 'found old-[12]: .*; up to [23] copies' talk) = 2 ]"
exits 0 '--frontiers boundary' 'cscg-stitch -q --partition --frontiers boundary old.gz -w other.walk -o x.gz'
stitch() { # NAME STATUS ARGUMENTS MESSAGE
	exits "$2" "$1" "cscg-stitch $3"
	says "$1: message" "$4"
}
stitch 'a partition at bottlenecks' 2 '--partition --frontiers bottleneck old.gz -w other.walk' '--partition cuts at bottlenecks, so none are left for --frontiers'
roomgen street -s 1 --as model -o street.gz
stitch 'other actions' 3 '--partition old.gz street.gz -w other.walk' "cscg-stitch: 'street.gz': 3 actions, but the first model has 4"
roomgen torus --as model -o torus.gz
stitch 'a world that is one room without a door' 3 '--partition old.gz torus.gz -w other.walk' "cscg-stitch: 'torus.gz': the schema has no walls that could be frontiers"
exits 3 'a world that is cut' 'gzip -dc old.gz | head -c 900 >cut; cscg-stitch --partition cut -w other.walk'
says 'is no world' "cscg-stitch: 'cut': line 1: invalid JSON"

# --- the figure, small
fig=$TOP/data/figures/discover.sh
exits 0 'a random world' "sh '$fig' world 1 one"
holds 'a world of four rooms' "[ \$(wc -l <one.parts) = 4 ] && cscg-show one.room | grep -q '^  parts'"
exits 0 'rooms of a learned world compared with the true ones' "sh '$fig' found 1 20000 one"
cp "$out" found.tsv
holds 'a row of numbers' "awk -F '\t' '{ n++; bad += !(NF == 15 && \$1 == 1 && \$10 + 0 >= 6 && \$15 == 0) } END { exit n != 1 || bad }' found.tsv"
exits 0 'two worlds of the same rooms' "sh '$fig' place two"
same 'the rooms of two worlds are equal' \
    'cscg-show --partition two/old.room >t; table 1 t | cut -f 3 | sort' 'cscg-show --partition two/new.room >t; table 1 t | cut -f 3 | sort'
exits 0 'the old world is learned' "sh '$fig' learn two 13001 60000"
exits 0 'the learned old world is exact' 'cscg-show --truth two/old.room two/old.gz'
exits 0 'walks in the other' "sh '$fig' walks two 13001"
exits 0 'known by the rooms of the first' "sh '$fig' run two 13001 3000 discovered"
cp "$out" discovered
same 'the new world is exact, each room with its schema' 'cut -f 5-10 discovered' 'printf "334\t1\t0\t0\tyes\t1.0000\n"'
exits 0 'the new world from scratch' "sh '$fig' run two 13001 3000 scratch"
cp "$out" scratch
holds 'from scratch the NLL is higher' "awk -F '\t' '{ nll[NR] = \$4 } END { exit !(nll[2] == \"inf\" || nll[1] < nll[2]) }' discovered scratch"
exits 0 'the table' "sh '$fig' table discovered scratch >table.tsv"
exits 0 'the rows' "sh '$fig' rows found.tsv table.tsv"
cp "$out" rows
holds 'rows have six columns' "awk -F '\t' 'NF != 6 { bad = 1 } END { exit bad || NR != 5 }' rows"
if command -v gnuplot >/dev/null; then
	exits 0 'a picture' "sh '$fig' draw pic table.tsv two"
	holds 'fig-discover is SVG and PNG' 'grep -q "<svg" pic.svg && head -c 4 pic.png | grep -q PNG'
fi
finish
