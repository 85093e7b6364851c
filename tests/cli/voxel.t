# 3D rooms: roomgen voxel, roomwalk --render, and cscg-show --as ppm.
. "$(dirname "$0")/../tap.sh"

size=12288	# bytes of a frame of 64 x 64

# The pixels of a PPM of one frame; row N of an array of frames; view N of a
# plain walk.
pixels() { tail -c $size; }
row() { tail -c +$((129 + $2 * size)) "$1" | head -c $size; }
view() { sed -n "s/^{\"views\":\[{\"id\":$2,\"rgb\":\"\(.*\)\"}\]}\$/\1/p" "$1" | base64 -d; }

# Rooms
for l in room1 room2 room3 room4 room5 room6 compose4; do
	same "the file of $l is the room of that name" \
	    "roomgen voxel --map $l --no-gzip | sed 's/\"history\".*//'" \
	    "roomgen voxel --map '$TOP/data/rooms/voxel-$l.txt' --name $l --no-gzip |
	        sed 's/\"history\".*//'"
done
same 'room1 is the default' "roomgen voxel --no-gzip | sed 's/\"history\".*//'" \
    "roomgen voxel --map room1 --no-gzip | sed 's/\"history\".*//'"
roomgen voxel --map room3 --theme 4 -o r.gz
same 'a room with geometry is read and written as it was' 'zcat r.gz' \
    "roomgen room r.gz --no-gzip | sed 's/,{\"program\":\"roomgen\",\"version\":\"[^\"]*\",\"args\":{\"kind\":\"room\"},\"seed\":42}//'"
same 'the theme is in the room' 'echo 1' "zcat r.gz | grep -c '\"theme\":4'"
exits 0 'a summary' 'cscg-show r.gz'
prints 'no cell is absorbing' 'every node can be reached from every other'
printf '00\n0#\n' | roomgen voxel --map - --no-gzip -o tiny
# By hand: cells 0,0 0,1 1,0; headings north, east, south, west.
same 'transitions, counted by hand' \
    'echo "[[0,5,10,3,4,5,6,3,0,9,10,11],[3,0,1,2,7,4,5,6,11,8,9,10],[1,2,3,0,5,6,7,4,9,10,11,8]]"' \
    "sed 's/.*\"next\":\(\[\[.*\]\]\),\"coords.*/\1/' tiny"
exits 0 'a frontier by heading' 'roomgen voxel --map room3 --door 2,6,east --no-gzip'
prints 'is forward at that node' '"frontiers":[[81,0]]'
exits 2 'a door without a wall' 'roomgen voxel --map room3 --door 2,5,east'
exactly 'is refused' 'roomgen: --door: 2,5,east is not a wall'
exits 2 'a door with an unknown heading' 'roomgen voxel --door 2,5,up'
exactly 'is reported' "roomgen: --door: '2,5,up' is not a row, a column and a heading like 3,4,north"

# Errors in maps
bad() { # NAME MAP MESSAGE
	printf "$2" >bad.txt
	exits 3 "$1" 'roomgen voxel --map bad.txt -o never'
	exactly "$1: message" "roomgen: 'bad.txt': $3"
}
bad 'a hole in the floor' '000\n0 0\n000\n' "line 2, column 2: a hole in the floor: draw '#' if it is solid"
bad 'a pit' '222\n202\n222\n' 'line 2, column 2: no path leads from here to 0,0'
bad 'a platform without a ramp' '0002\n' 'line 1, column 4: this floor cannot be reached from 0,0'
bad 'two rooms' '00#00\n' 'line 1, column 4: this floor cannot be reached from 0,0'
bad 'a ramp to nowhere' '00>\n' 'line 1, column 3: a ramp needs a floor before it and one behind it'
bad 'another character' '0a0\n' "line 1, column 2: a cell is a digit, '^', '>', 'v', '<', '#' or a space"
bad 'a tab' '0\t0\n' "line 1, column 2: a cell is a digit, '^', '>', 'v', '<', '#' or a space"
bad 'a NUL' '0\0000\n' "line 1, column 2: a cell is a digit, '^', '>', 'v', '<', '#' or a space"
bad 'nothing' '' 'no floor'
bad 'a rule that is none' '00\n\nwindow 0,0 north\n' "line 3, column 1: 'window' is not part, wall, door or exit"
printf '000\n' | gzip | head -c 15 >cut.gz
exits 3 'a cut map' 'roomgen voxel --map cut.gz -o never'
says 'is cut' "roomgen: 'cut.gz': unexpected end"
exits 3 'a missing map' 'roomgen voxel --map nowhere.txt -o never'
exactly 'is named' "roomgen: 'nowhere.txt': No such file or directory"
awk 'BEGIN { for (i = 0; i < 129; i++) print 0 }' >bad.txt
exits 3 'a map that is too long' 'roomgen voxel --map bad.txt -o never'
exactly 'length: message' "roomgen: 'bad.txt': line 129, column 1: the map has more than 128 rows"
awk 'BEGIN { for (i = 0; i < 70; i++) { for (j = 0; j < 70; j++) printf 0; print "" } }' >bad.txt
exits 3 'a map with too many cells' 'roomgen voxel --map bad.txt -o never'
exactly 'cells: message' "roomgen: 'bad.txt': line 1, column 1: 4900 cells with a floor, more than 4096"
holds 'nothing was written' '[ ! -e never ]'
exits 3 'an unknown map' 'roomgen voxel --map attic'
exactly 'and those there are' "roomgen: 'attic': No such file or directory, nor one of room1|room2|room3|room4|room5|room6|compose4"
exits 2 'a layout' 'roomgen voxel --layout 2x2'
exactly 'is of joined rooms' "roomgen: --layout cannot be combined with 'voxel' (try --help)"
exits 2 'the name of a map' 'roomgen voxel --layout room3'
exactly 'is suggested by its new name' "roomgen: --layout cannot be combined with 'voxel': did you mean --map? (--layout RxC is for join) (try --help)"
roomgen voxel --map room1 -o room2
exits 0 'a file called as a map' 'roomgen voxel --map room2 --no-gzip -o room2'
holds 'the name of a layout has precedence over a file' 'grep -q "\"name\":\"room2\"" room2'
holds 'history has the name' 'grep -q "{\"kind\":\"voxel\",\"map\":\"room2\"" room2'
printf '00\n00\n' >room1
exits 0 'a path is read as a file' 'roomgen voxel --map ./room1 --no-gzip'
prints 'it is' '"n_nodes":16,'
prints 'and history has that one was given' '{"kind":"voxel","map":"given"'
exits 2 'an input is not overwritten' 'roomgen voxel --map ./room1 -o room1'
exactly 'by the room' 'roomgen: --output and --map are the same file, which would be overwritten'
exits 2 'a negative theme' 'roomgen voxel --theme -1'
says 'theme: message' '--theme'
exits 2 'slips' 'roomgen voxel --slip 0.1'
says 'is refused for voxel rooms' "--slip cannot be combined with 'voxel'"
exits 2 'a map of another kind of room' 'roomgen torus --theme 3'
says 'other rooms have no theme' "--theme cannot be combined with 'torus'"

# Geometry in a room file
badroom() { # NAME SED-COMMAND MESSAGE
	sed "$2" tiny >bad.json
	cmp -s tiny bad.json && echo "# nothing was changed: $2"
	exits 3 "$1" 'roomwalk -n 1 bad.json >got'
	exactly "$1: message" "roomwalk: 'bad.json': line 1: $3"
}
badroom 'geometry that is no object' 's/"voxel":{.*},"history"/"voxel":7,"history"/' '/voxel: not an object'
badroom 'an unknown key in it' 's/"theme":0/"thema":0/' '/voxel: /thema: unknown key'
badroom 'no map' 's/"map":[^]]*],//' '/voxel: /map: missing'
badroom 'no theme' 's/,"theme":0//' '/voxel: /theme: missing'
badroom 'an empty map' 's/"map":\[[^]]*\]/"map":[]/' '/voxel: /map: has 0 rows, not 1 to 128'
badroom 'a blank map' 's/"map":\[[^]]*\]/"map":[""]/' '/voxel: /map: no floor'
badroom 'a row of a number' 's/"map":\["00"/"map":[0/' '/voxel: /map/0: not a string'
badroom 'a cell that is none' 's/"map":\["00"/"map":["0x"/' "/voxel: /map/0: cell 1 is not a digit, '^', '>', 'v', '<', '#' or a space"
badroom 'a pit in it' 's/"map":\["00"/"map":["02"/' '/voxel: /map/0: cell 1: this floor cannot be reached from 0,0'
badroom 'another number of nodes' 's/"map":\["00","0#"/"map":["00","00"/' '/voxel/map: 4 cells with a floor have 16 nodes, but the room has 12'
badroom 'a theme that is too high' 's/"theme":0/"theme":1000000001/' '/voxel: /theme: 1000000001 is outside 0..1000000000'
badroom 'a wall that is none' 's/"theme":0/"walls":[[0,0]],"theme":0/' '/voxel: /walls/0: not a row, a column and a heading'
badroom 'a wall at the edge' 's/"theme":0/"walls":[[0,1,1]],"theme":0/' '/voxel: /walls/0: not between two cells of the map'
badroom 'a wall that shuts in' 's/"theme":0/"walls":[[0,0,1]],"theme":0/' '/voxel: /map/0: cell 1: this floor cannot be reached from 0,0'

# Views: the same image by three tools
roomgen voxel --map room3 --no-gzip -o room
roomwalk -n 600 --render --no-gzip room -o w
roomwalk -n 600 --render --no-gzip --frames f.npy room -o wf
for n in $(sed -n 's/^{"views":\[{"id":\([0-9]*\).*/\1/p' w | head -4); do
	same "view $n of the walk is that of cscg-show" \
	    "cscg-show --as ppm --view $n room | pixels" "view w $n"
	same "the view is row $n of the array" "view w $n" "row f.npy $n"
done
same 'the array has all views and its header' "echo $((128 + 168 * size))" 'wc -c <f.npy'
same 'the shape is printed' 'echo 1' "head -c 128 f.npy | grep -ac \"'descr': '|u1', 'fortran_order': False, 'shape': (168, 64, 64, 3)\""
same 'views are numbers of nodes' "grep -o '\"z\":[^]]*' w | cut -c5-" \
    "grep -o '\"v\":[^]]*' w | cut -c5-"
same 'the walk is the same with an array' "grep '^{\"episode' w" "grep '^{\"episode' wf"
same 'the header has the size, or not' 'printf "1\n0\n"' \
    "head -n 1 w | grep -c '\"frame\":\[64,64,3\]'; head -n 1 wf | grep -c '\"frame\":'; true"
holds 'each view once, before the steps that refer to it' "awk '
    /^{\"views\"/ { s = \$0; sub(/.*\"id\":/, \"\", s); if (known[s + 0]++) bad++ }
    /^{\"episode\"/ { s = \$0; sub(/.*\"v\":\[/, \"\", s); sub(/\].*/, \"\", s)
        n = split(s, v, \",\"); for (i = 1; i <= n; i++) if (!known[v[i]]) bad++; seen += n }
    END { exit bad > 0 || seen != 600 }' w"
same 'symbols, actions and nodes are those of a walk without views' \
    "roomwalk -n 600 --no-gzip room | grep '^{\"episode'" \
    "grep '^{\"episode' w | sed 's/,\"v\":\[[^]]*\]//'"
same 'a walk with views is read by walkconv' 'echo 600' "walkconv --as csv w | grep -c '^0,'"
exits 0 'a theme' 'roomgen voxel --map room3 --theme 7 | roomwalk -n 600 --render --no-gzip -o w7'
holds 'another theme gives other images' "[ -z \"\$(grep -h '^{\"views' w w7 | sort | uniq -d)\" ]"
exits 0 'another frame size' 'roomwalk -n 3 --render --frame 20x30 --no-gzip room -o small'
same 'the frame has its pixels' 'echo 1800' \
    "sed -n 's/.*\"rgb\":\"\(.*\)\"}\]}/\1/p' small | head -n 1 | base64 -d | wc -c"

# Noise
roomwalk -n 40 --episodes 2 --render --noise 6 --frames n.npy --no-gzip room -o wn
same 'with noise each step has a frame' "echo $((128 + 80 * size))" 'wc -c <n.npy'
same 'numbered as they come' 'seq -s , 0 79 | sed "s/,\$//"' \
    "grep -o '\"v\":[^]]*' wn | cut -c6- | paste -sd,"
holds 'all of them differ' '[ "$(i=0; while [ $i -lt 80 ]; do row n.npy $i | cksum; i=$((i + 1)); done | sort -u | wc -l)" = 80 ]'
roomwalk -n 40 --episodes 2 --render --noise 6 --no-gzip room -o we
same 'noisy frames may be in the walk' 'view we 41' 'row n.npy 41'
same 'a seed fixes them' 'cat we' 'roomwalk -n 40 --episodes 2 --render --noise 6 --no-gzip room'
roomwalk -n 40 --episodes 2 --render --noise 6 --no-gzip -s 43 --start 0 room -o other
roomwalk -n 40 --episodes 2 --render --noise 6 --no-gzip -s 44 --start 0 room -o another
holds 'another seed has other noise' '! cmp -s "$(view other 0 >a; echo a)" "$(view another 0 >b; echo b)"'
same 'episodes do not depend on each other' 'view we 39' \
    'roomwalk -n 40 --render --noise 6 --no-gzip room >one; view one 39'

# Start of a walk
same 'a start cell' 'echo 17' \
    "roomwalk -n 1 --start 0,4,east --no-gzip room | sed -n 's/.*\"z\":\[\([0-9]*\)\].*/\1/p'"
exits 2 'a start inside a wall' "roomgen voxel --map room1 | roomwalk --start 2,2,north"
exactly 'wall: message' 'roomwalk: standard input: line 1: --start: 2,2 is inside a wall'
exits 2 'a start outside' "roomwalk --start 9,2,north room"
exactly 'outside: message' "roomwalk: 'room': line 1: --start: 9,2 is outside the room"
exits 2 'a start that is no heading' 'roomwalk --start 1,2,up room'
says 'heading: message' "--start: '1,2,up' is not a row, a column and a heading like 3,4,north"
exits 2 'a cell of a flat room' 'roomgen torus | roomwalk --start 1,2,north'
says 'flat: message' "--start: '1,2,north' is a position in a 3D room, which this room is not"

# Usage errors
exits 3 'a flat room has no views' 'roomgen torus | roomwalk --render'
exactly 'no views: message' 'roomwalk: standard input: line 1: --render: this is not a 3D room'
exits 2 'noise without views' 'roomwalk --noise 3 room'
says 'noise: message' '--noise requires --render'
exits 2 'a size without views' 'roomwalk --frame 3x3 room'
says 'size: message' '--frame requires --render'
exits 2 'an array without views' 'roomwalk --frames x room'
says 'array: message' '--frames requires --render'
for s in 0x64 64 64x 64x64x3 5000x5000 -3x3; do
	exits 2 "a frame of $s" "roomwalk --render --frame=$s room"
	says "$s: message" "--frame: '$s' is not two numbers of 1..4096 like 64x64"
done
exits 2 'negative noise' 'roomwalk --render --noise=-1 room'
exits 2 'noise that does not exist' 'roomwalk --render --noise=nan room'
exits 2 'too many noisy frames' 'roomwalk --render --noise 1 -n 100000001 room'
says 'frames: message' 'with --noise each step has a separate view, and there are at most 100000000'
exits 2 'an array of unknown length' 'roomwalk --render --noise 1 --frames x --actions /dev/null room'
says 'unknown: message' 'cannot be combined with --actions'
exits 2 'an array that cannot be written' 'roomwalk -n 3 --render --frames nowhere/x room -o never'
exactly 'unwritable: message' "roomwalk: 'nowhere/x': No such file or directory"
exits 4 'an array on a full disk' 'roomwalk -n 3 --render --frames /dev/full room -o never'
exactly 'full: message' "roomwalk: '/dev/full': No space left on device"
holds 'leaves no walk behind' '[ ! -e never ]'
exits 4 'a walk on a full disk' 'roomwalk -n 3 --render room -o /dev/full'
exactly 'full walk: message' "roomwalk: '/dev/full': No space left on device"

# Images
ppm() { head -n 2 "$out" | tail -n 1; }
exits 0 'a view' 'cscg-show --as ppm --view 2,4,south room'
same 'an image has the size of a frame' 'echo 64 64' ppm
same 'a cell and heading is a node' 'cscg-show --as ppm --view 74 room' 'cscg-show --as ppm --view 2,4,south room'
exits 0 'a sheet of all views' 'cscg-show --as ppm room'
# 42 cells, three in a row of 4 * 64 + 3 * 2 pixels, 6 between them and around.
same 'an image of all views has its size' "echo $((3 * (4 * 64 + 3 * 2 + 6) + 6)) $((14 * 70 + 6))" ppm
exits 0 'a sheet of the views of a walk' 'cscg-show --as ppm small'
exits 0 'an image of one view' "cscg-show --as ppm --view $(sed -n 's/^{"views":\[{"id":\([0-9]*\).*/\1/p' small | head -n 1) small"
same 'the image of one view has its size' 'echo 30 20' ppm
exits 0 'an image from above' 'cscg-show --as ppm --view top --scale 10 room'
same 'a metre is ten pixels, 0.35 m around' 'echo 77 67' ppm
exits 0 'an image at an angle with a path' 'cscg-show --as ppm --view iso -w w room'
cp "$out" with
exits 0 'an image at an angle without a path' 'cscg-show --as ppm --view iso room'
holds 'the path is drawn' '! cmp -s with "$out"'
exits 2 'a node that does not exist' 'cscg-show --as ppm --view 168 room'
exactly 'node: message' "cscg-show: --view: '168' is neither a node in 0..167 nor a position like 3,4,north"
exits 2 'a view that does not exist' 'cscg-show --as ppm --view 9999 small'
exactly 'view: message' 'cscg-show: --view: the walk contains no view 9999'
exits 3 'a walk without views' 'cscg-show --as ppm wf'
exactly 'walk: message' "cscg-show: 'wf': the walk contains no views"
exits 3 'a walk from above' 'cscg-show --as ppm --view top w'
exactly 'above: message' "cscg-show: 'w': --view top requires a room, not a walk"
exits 3 'a flat room' 'roomgen torus | cscg-show --as ppm'
exactly 'flat: message' 'cscg-show: standard input: line 1: --as ppm: this is not a 3D room'
exits 3 'a model' 'roomgen torus --as model | cscg-show --as ppm'
exactly 'model: message' 'cscg-show: standard input: line 1: --as ppm needs a 3D room, a walk with views, a codebook or a model with Gaussian emissions'
exits 3 'two rooms' 'cat room room | cscg-show --as ppm'
says 'two: message' 'more than one room, model or codebook, but --as ppm writes one'
exits 3 'a path in another room' 'roomgen torus | roomwalk -n 9 --blind -o flat.gz; cscg-show --as ppm --view top -w flat.gz room'
says 'path: message' 'the walk has no true nodes, or they are not of this room'
exits 2 'a view by no number' 'cscg-show --as ppm --view above room'
exactly 'which: message' "cscg-show: --view: 'above' is neither a node in 0..167 nor a position like 3,4,north"
exits 2 'pictures without ppm' 'cscg-show --view iso room'
says 'ppm: message' '--view requires --as ppm'
exits 2 'a scale of views' 'cscg-show --as ppm --scale 9 room'
says 'scale: message' '--scale requires --view top or --view iso'
exits 2 'a path in a sheet of views' 'cscg-show --as ppm -w w room'
says 'path in a sheet of views: message' '-w requires --truth, --view top or --view iso'
exits 2 'an image that is too large' 'awk "BEGIN { for (i = 0; i < 3600; i++) printf i % 60 == 59 ? \"0\\n\" : \"0\" }" |
    roomgen voxel --map - | cscg-show --as ppm --view top --scale 512'
says 'large: message' 'the picture would have more than 100000000 pixels'
exits 4 'a full disk' 'cscg-show --as ppm --view top room >/dev/full'
says 'disk: message' 'No space left on device'

# A long walk, from room to symbols.
if [ -x "$BUILD/vq-kmeans" ]; then
	exits 0 'a long walk becomes symbols' 'roomgen voxel --map room5 |
	    roomwalk -n 100000 --render | vq-kmeans -k 50 -j1 -o symbols.gz'
	holds '100,000 steps have symbols' 'cscg-show symbols.gz | grep -q "100000 steps"'
else
	tap 0 'a long walk becomes symbols # SKIP no vq-kmeans'
fi
finish
