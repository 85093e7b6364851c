# The larger worlds of roomgen: game, compose, join, street.
. "$(dirname "$0")/../tap.sh"

key() { # KEY: its array, one room a line
	sed "s/.*\"$1\":\\[\\([^]]*\\)\\].*/\\1/"
}
wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "roomgen $2 </dev/null"
	exactly "$1: message" "roomgen: $3 (try --help)"
}
unfit() { # NAME ARGUMENTS MESSAGE
	exits 3 "$1" "roomgen $2 -o never"
	exactly "$1: message" "roomgen: $3"
}

# The game
exits 0 'the game' 'roomgen game --no-gzip'
prints 'is a 4x4 torus' '"grid":{"rows":4,"cols":4,"wrap_rows":true,"wrap_cols":true}'
same 'the game has the transitions of a torus' \
    "roomgen game --no-gzip | sed 's/.*\"next\":\\(.*\\),\"grid.*/\\1/'" \
    "roomgen torus --size 4x4 --no-gzip | sed 's/.*\"next\":\\(.*\\),\"grid.*/\\1/'"
same 'each cell has a symbol of its own' 'seq 0 15' \
    'roomgen game --no-gzip | key obs | tr , "\n" | sort -n'
holds 'symbols of the game depend on the seed' '[ "$(roomgen game -s 1 --no-gzip | key obs)" != "$(roomgen game -s 2 --no-gzip | key obs)" ]'
same 'a seed fixes every byte' 'roomgen game -s 1' 'roomgen game -s 1'
exits 0 'the game of another size' 'roomgen game --size 5x6 --no-gzip'
prints 'if one wants' '"n_nodes":30,'
wrong 'a large game' 'game --size large' "--size large cannot be combined with 'game'"
wrong 'a game with doors' 'game --door 0,0,up' "--door cannot be combined with 'game'"
wrong 'a border in a game' 'game --obs border' "--obs border cannot be combined with 'game'"

# Two rooms as one: ### (six rows) and #.., and .## (six rows) and ###, share six
# cells when the second is shifted by one column (the first's column 2 is the
# second's column 1).
six() { for i in 1 2 3 4 5 6; do echo "$1"; done; }
(six '###'; echo '#..') | roomgen map --name one -o one.gz
(six '.##'; echo '###') | roomgen map --name two -o two.gz
exits 0 'compose' 'roomgen compose one.gz two.gz --no-gzip'
cp "$out" both
# 0 0 *	1	rows 0 to 5: columns 0, 1, 2 (both), 3
# 0 1 1 1	row 6: columns 0, 1, 2, 3
prints 'says of each node which part it is in' "\"parts\":[\"one\",\"two\"],\"part\":[$(six 0,0,-1,1 | tr '\n' ,)0,1,1,1]"
next() { sed 's/.*"next":\(.*\),"grid.*/\1/'; }
coords() { sed 's/.*"coords":\(\[\[[^a-z]*\]\]\).*/\1/'; }
same 'the composed room has its coordinates' 'coords <both' 'roomgen rectangle --size 7x4 --no-gzip | coords'
same 'parts meet also where cells are neighbours' 'next <both' 'roomgen rectangle --size 7x4 --no-gzip | next'
# Columns 1 and 2 of rows 1 to 5 are interior: 18 cells are not.
prints 'symbols are by the border of the whole' '"n_obs":19,'
prints 'both histories are kept' '{"kind":"map","name":"one"},"seed":42},{"program":"roomgen"'
cat one.gz two.gz >pair.gz
same 'two rooms from one file' 'roomgen compose pair.gz --no-gzip' 'cat both'
same 'two rooms from standard input' 'roomgen compose --no-gzip <pair.gz' 'cat both'
same 'reading and writing keeps parts' 'roomgen room both --no-gzip | sed "s/\"history.*//"' 'sed "s/\"history.*//" both'
exits 0 'a composed room is shown' 'cscg-show both'
prints 'with its parts' 'parts        one (13), two (9), 6 in several'
roomgen digit 2 -o 2.gz
roomgen digit 3 -o 3.gz
roomgen compose 2.gz 3.gz -o 23.gz
# 98 and 110 pixels, 6 of them shared.
same 'digits 2 and 3' 'printf "    6 -1\n   92 0\n  104 1\n"' \
    "gzip -dc 23.gz | key part | tr , '\n' | sort -n | uniq -c | sed 's/^  *\\([0-9]*\\) /\\1 /' | awk '{ printf \"%5d %s\n\", \$1, \$2 }'"
exits 0 'a walk in it' 'roomwalk -n 50 23.gz --no-gzip'
prints 'has its nodes' '"z":['
wrong 'three rooms' 'compose a b c' "'compose' takes two rooms"
wrong 'compose takes no doors' 'compose a b --door-at random' "--door-at cannot be combined with 'compose'"
wrong '--size with compose' 'compose a b --size 3x3' "--size cannot be combined with 'compose'"
unfit 'one room for compose' 'compose one.gz' 'two rooms are required, but 1 given'
roomgen rectangle --size 1x5 -o narrow.gz
unfit 'more cells than can be shared' 'compose one.gz narrow.gz' \
    'no shift along the row makes the rooms share 6 cells in one piece'
roomgen torus -o torus.gz
unfit 'a torus' 'compose torus.gz one.gz' 'the first room: its edges wrap'
unfit 'a missing room' 'compose one.gz nowhere.gz' "'nowhere.gz': No such file or directory"
unfit 'an empty one' 'compose one.gz /dev/null' "'/dev/null': unexpected end: no cscg-room"

# Rooms side by side
for r in rectangle hole ushape; do roomgen $r -o $r.gz; done
exits 0 'join' 'roomgen join rectangle.gz hole.gz ushape.gz --no-gzip'
cp "$out" three
# 72 + 72 + 69 nodes, of which 6 * 7, 24 and 21 are interior: 126 are not.
prints 'has all nodes and a symbol for all interiors' '"n_nodes":213,"n_actions":4,"n_obs":127,'
prints 'and parts' '"parts":["rectangle","hole","ushape"],"part":[0,0,'
# Row 4 of 8: node 4 * 9 + 8 = 44; row 4 of the hole begins at 72 + 3 * 9 + 6;
# row 4 of 9 ends at 72 + 3 * 9 + 11, that of the U begins at 144 + 4 * 6.
prints 'doors are in the middle' '"frontiers":[[44,3],[105,2],[110,3],[168,2]]'
same 'three parts' 'printf "72 0\n72 1\n69 2\n"' \
    "key part <three | tr , '\n' | sort -n | uniq -c | awk '{ print \$1, \$2 }'"
exits 0 'all can be reached' 'cscg-show three'
prints 'from everywhere' 'components   1: every node'
prints 'are summarised' 'frontiers    4'
exits 0 'a ring of four' 'roomgen join rectangle.gz hole.gz ushape.gz hole.gz --layout 2x2 --no-gzip'
prints 'names a room twice' '"parts":["rectangle","hole","ushape","hole-2"]'
sed 's/.*"frontiers":\(.*\),"history.*/\1/' "$out" >got
same 'four doors in both directions' 'echo 8' "tr -cd 0-9, <got | tr , '\n' | paste - - | wc -l"
holds 'doors depend on the seed' '
    roomgen join rectangle.gz hole.gz --door-at random -s 1 --no-gzip | grep -o "\"frontiers.*\"hist" >a
    roomgen join rectangle.gz hole.gz --door-at random -s 2 --no-gzip | grep -o "\"frontiers.*\"hist" >b
    ! cmp -s a b'
same 'random doors are the same for a seed' 'roomgen join rectangle.gz hole.gz --door-at random -s 5' \
    'roomgen join rectangle.gz hole.gz --door-at random -s 5'
exits 0 'unique symbols' 'roomgen join rectangle.gz hole.gz --obs unique --no-gzip'
prints 'for all' '"n_obs":144,'
exits 0 'symbols apart' 'roomgen join rectangle.gz hole.gz --obs apart --no-gzip'
prints '31 and 49' '"n_obs":80,'
exits 0 'symbols shared' 'roomgen join rectangle.gz hole.gz --obs shared --no-gzip'
prints 'the larger number' '"n_obs":49,'
exits 0 'joined rooms as a model' 'roomgen join rectangle.gz hole.gz --as model'
exits 0 'slippery' 'roomgen join rectangle.gz hole.gz --slip 0.1'
wrong 'a layout of 2' 'join a b --layout 2' "--layout: '2' is not two numbers like 3x4"
wrong 'doors and windows' 'join a b --door-at window' "--door-at: 'window' is not one of middle|random"
exits 0 'symbols by the border' 'roomgen join rectangle.gz hole.gz --obs border --no-gzip'
same 'doors in the middle are the default' 'sed "s/,\"history.*//" "$out"' 'roomgen join rectangle.gz hole.gz --no-gzip | sed "s/,\"history.*//"'
wrong 'symbols apart in one room' 'torus --obs apart' "--obs apart cannot be combined with 'torus'"
wrong 'shared symbols of composed rooms' 'compose a b --obs shared' "--obs shared cannot be combined with 'compose'"
unfit 'too small a layout' 'join rectangle.gz hole.gz ushape.gz --layout 1x2' '3 rooms do not fit in 1 rows of 2'
unfit 'a torus has no wall' 'join rectangle.gz torus.gz' \
    'no position for a door of width 1 between room 0 and room 1, the latter to its right'
roomgen street -o street.gz
unfit 'a street is no room of a grid' 'join rectangle.gz street.gz' \
    'room 1: it was not cut from a grid of at most 1000000 cells'

# Marked doors
exits 0 'a door is marked' 'roomgen ushape --door 5,8,right --door 0,0,left --door 5,8,right --no-gzip'
# Rows have 6 cells down to row 6: 5,8 is node 5 * 6 + 5.
prints 'as a frontier' '"frontiers":[[0,2],[35,3]]'
same 'a frontier is added to a room' 'roomgen ushape | roomgen room --door 5,8,right --no-gzip | grep -o "\"frontiers.*\"hist"' \
    "echo '\"frontiers\":[[35,3]],\"hist'"
wrong 'half a door' 'torus --door 5,8' "--door: '5,8' is not a row, a column and an action like 3,8,right"
wrong 'a door nowhere' 'torus --door x,8,up' "--door: 'x,8,up' is not a row, a column and an action like 3,8,right"
exits 2 'a door without a wall' 'roomgen rectangle --door 3,3,up'
exactly 'is refused' 'roomgen: --door: there is no wall up of 3,3'
exits 2 'a door outside' 'roomgen rectangle --door 8,0,up'
exactly 'is refused as well' 'roomgen: --door: there is no wall up of 8,0'
exits 2 'a door by another action' 'roomgen rectangle --door 0,0,jump'
exactly 'is unknown' "roomgen: --door: the room has no action 'jump'"

# Streets: a crossing of two roads.  The first point is its middle, and 1, 2, 3,
# 4 lie north, east, south and west; m only shapes the road to 2.
cat >cross.txt <<'END'
# a crossing
N,0,50.000,8.000,4
N,1,50.001,8.000
N,m,50.000,8.001
N,2,50.001,8.001
N,3,49.999,8.000
N,4,50.000,7.999
L,0,1
L,m,0
L,m,2
L,0,3
L,4,0
END
exits 0 'a crossing' 'roomgen street --streets cross.txt --junctions 1 --no-gzip'
cp "$out" cross
# Views 0..3 from the middle, clockwise from north; 4..7 from the ends 1 to 4,
# reached in that order.  Forward from 0..3 leads to the ends; forward from 4
# (north) leads to the view south (2), from 5 along the bend west (3), from 6
# north (0), from 7 east (1).
prints 'has its transitions' '"actions":["forward","left","right"],"obs":[0,1,2,3,4,5,6,7],"next":[[4,5,6,7,2,3,0,1],[3,0,1,2,4,5,6,7],[1,2,3,0,4,5,6,7]]'
same 'compressed streets from standard input' 'cat cross' 'gzip -c cross.txt | roomgen street --streets - --junctions 1 --no-gzip'
mkdir town
cat >town/nodes.txt <<'END'
0,117,50.000,8.000
1,0,50.001,8.000
m,0,50.000,8.001
2,0,50.001,8.001
3,0,49.999,8.000
4,0,50.000,7.999
END
cat >town/links.txt <<'END'
0,0,1
1,180,0
m,270,0
m,0,2
2,180,m
0,180,3
4,90,0
0,270,4
END
same 'the other format of street files' 'cat cross' 'roomgen street --streets town --junctions 1 --no-gzip'
same 'two street files' 'cat cross' 'roomgen street --streets town/links.txt --streets town/nodes.txt --junctions 1 --no-gzip'
exits 0 'many neighbourhoods' 'roomgen street --count 20 --no-gzip'
cp "$out" many
holds 'several neighbourhoods are one per line' '[ $(wc -l <many) = 20 ]'
# A town has some 600 junctions: two in 20 may well begin at the same one.
holds 'most of them different' '[ $(sed "s/\"history.*//" many | sort -u | wc -l) -ge 16 ]'
same 'a seed fixes every byte' 'roomgen street --count 20 --no-gzip' 'cat many'
same 'the first ones are the same of any number' 'roomgen street --count 5 --no-gzip | sed "s/\"history.*//"' \
    "roomgen street --count 20 --no-gzip | head -5 | sed 's/\"history.*//'"
holds 'other seeds give other towns' '! cmp -s street.gz - <<E
$(roomgen street -s 1)
E'
exits 0 'larger ones' 'roomgen street --junctions 200 --no-gzip'
exits 0 'can be walked' 'roomwalk -n 100 street.gz'
exits 0 'a neighbourhood is drawn' 'cscg-show --as dot street.gz'
exits 0 'random symbols in a neighbourhood' 'roomgen street --obs random:7 --no-gzip'
prints 'of seven' '"n_obs":7,'
exits 0 'permuted symbols in a neighbourhood' 'roomgen street --permute --no-gzip'
unfit 'more junctions than there are' 'street --streets cross.txt' \
    "'cross.txt': 5 junctions are requested, but the largest connected part has 1"
exits 3 'more junctions than a random town has' 'roomgen street --junctions 1000000 -o never'
says 'has the number available' 'roomgen: 1000000 junctions are requested, but the largest connected part has '
grep -v '^L,[m4]' cross.txt >path.txt
unfit 'a street without junctions' 'street --streets path.txt' \
    "'path.txt': no junction: no point has three links"
unfit 'an empty file' 'street --streets /dev/null' "'/dev/null': no points"
unfit 'a missing file' 'street --streets nowhere' "'nowhere': No such file or directory"
mkdir empty
unfit 'an empty directory' 'street --streets empty' "'empty/nodes.txt': No such file or directory"
sed '$s/.*/L,4,9/' cross.txt >bad.txt
unfit 'an unknown id' 'street --streets bad.txt' "'bad.txt': line 12: '9' is not the id of a point"
sed '$s/.*/L,4,4/' cross.txt >bad.txt
unfit 'a self-loop' 'street --streets bad.txt' "'bad.txt': line 12: '4' is linked to itself"
sed '$s/.*/L,1,0/' cross.txt >bad.txt
unfit 'a link twice' 'street --streets bad.txt' "'bad.txt': line 12: '1' and '0' are already linked, in line 8"
sed 's/8.001$/8.001x/' cross.txt >bad.txt
unfit 'a bad number' 'street --streets bad.txt' "'bad.txt': line 4: the longitude '8.001x' is not a number"
sed 's/^N,1,50/N,1,500/' cross.txt >bad.txt
unfit 'a number out of range' 'street --streets bad.txt' "'bad.txt': line 3: the latitude 500.001 is outside -90..90"
gzip -c cross.txt | head -c 60 >bad.gz
exits 3 'a cut file' 'roomgen street --streets bad.gz --junctions 1 -o never'
says 'is cut' "roomgen: 'bad.gz': unexpected end"
printf 'N,1\0,2,3\n' >bad.txt
unfit 'a NUL byte' 'street --streets bad.txt' "'bad.txt': line 1: a NUL byte"
holds 'nothing was written' '[ ! -e never ]'
wrong 'no neighbourhoods' 'street --count 0' '--count: 0 is outside 1..1000000000'
wrong 'no junctions' 'street --junctions 0' '--junctions: 0 is outside 1..1000000'
wrong 'a street with an operand' 'street x' "'street' takes no operand"
wrong 'a slippery street' 'street --slip 0.1' "--slip cannot be combined with 'street'"
wrong 'a street of rows' 'street --size 3x3' "--size cannot be combined with 'street'"
wrong 'many tori' 'torus --count 3' "--count cannot be combined with 'torus'"
finish
