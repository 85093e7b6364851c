# The command cscg-stitch, and frontiers.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

# One thread unless a test is about threads, as in a batch job.
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# Two rooms with a door each that meet, and one each that does not.
roomgen rectangle --size 4x5 --door 1,4,right --door 3,2,down --name a -o a.room
roomgen hole --size 7x7 --hole 1x1 --door 3,0,left --door 0,2,up --name b -o b.room
roomgen ushape --size small --door 3,0,left --as model -o c.gz
for k in a b; do roomgen room --as model $k.room -o $k.gz; done
roomgen join a.room b.room | roomgen room --permute -s 7 -o place.room
roomwalk -n 2000 --policy cover place.room -o w.gz
gzip -dc w.gz >w.json

whole() { # KEY: of the first table of a report
	awk -v k="$1" '$1 == k { print $2; exit }' "${2-report}"
}

# --- frontiers: in a room, in its schema, and their successors
same 'frontiers of a room' 'cscg-show --frontiers given a.room' \
    'printf "#node\taction\tto\n9\tright\t9\n17\tdown\t17\n"'
# 4 x 5 cells: nodes row by row; states by symbol: 6 interiors, then 14 others
same 'frontiers of a schema by state' 'cscg-show --frontiers given a.gz' \
    'printf "#state\taction\tto\n12\tright\t12\n17\tdown\t17\n"'
same 'frontiers as JSON' 'cscg-show --frontiers given --json a.gz | head -n 1' \
    'echo "{\"state\":12,\"action\":\"right\",\"to\":12}"'
# The first room has nodes 0 to 19; row 3 of the second begins behind 21 more.
same 'doors of the world lead to the other room' 'cscg-show --frontiers given place.room' \
    'printf "#node\taction\tto\n9\tright\t41\n41\tleft\t9\n"'
same 'a bare schema has them as well' 'cscg-show --as schema a.gz | cscg-show --frontiers given' \
    'cscg-show --frontiers given a.gz'
holds 'all walls: 2 x 4 + 2 x 5' '[ $(cscg-show --frontiers boundary a.gz | grep -vc "#") = 18 ]'
exits 0 'the summary' 'cscg-show a.gz'
prints 'counts them' '  frontiers    2'
exits 3 'a walk has none' 'cscg-show --frontiers given w.gz'
exactly 'and is reported' "cscg-show: 'w.gz': --frontiers requires a room or model, not a walk"
exits 3 'a room has no counts' 'cscg-show --frontiers boundary a.room'
exactly 'the boundary of a room is refused' "cscg-show: 'a.room': line 1: --frontiers boundary requires a model, not a room"
exits 2 'frontiers of no kind' 'cscg-show --frontiers=a.gz'
exits 2 'frontiers in a picture' 'cscg-show --frontiers given --as dot a.gz'

# --- a world composed of schemas
exits 0 'stitches from a pipe' 'cscg-stitch a.gz b.gz <w.gz >s.gz'
exactly 'without a message' ''
exits 0 'the model is isomorphic to the world' 'cscg-show --truth place.room -w w.gz s.gz'
prints 'no edge is missing' 'missing	0'
prints 'no state is superfluous' 'spurious	0'
same 'a seed fixes every byte' 'cscg-stitch -s 42 a.gz b.gz -w w.gz | gzip -dc' 'gzip -dc s.gz'
same 'threads do not matter' 'cscg-stitch -j 3 a.gz b.gz -w w.gz | gzip -dc' 'gzip -dc s.gz'
same 'compression does not change the result' 'cscg-stitch --no-gzip a.gz b.gz -w w.gz -o s.json; cat s.json' 'gzip -dc s.gz'
same 'emissions of the schemas are not used' \
    'cscg-show --as schema a.gz -o bare.gz; cscg-stitch bare.gz b.gz -w w.gz | gzip -dc | sed "s/,\"history.*//"' \
    'gzip -dc s.gz | sed "s/,\"history.*//"'
holds 'history has the schemas, the walk and the tool' "gzip -dc s.gz | grep -o '\"program\":\"[a-z-]*' | cut -d'\"' -f 4 |
    tr '\n' ' ' | grep -qx 'roomgen roomgen roomgen roomgen .*roomwalk cscg-stitch '"
for isa in plain c; do
	exits 0 "the $isa kernel gives the exact world" "cscg-stitch --isa $isa a.gz b.gz -w w.gz | cscg-show --truth place.room -w w.gz"
done
exits 0 '--prior-weight 0 gives the exact world' 'cscg-stitch --prior-weight 0 a.gz b.gz -w w.gz | cscg-show --truth place.room -w w.gz'
exits 0 'a uniform start gives the exact world' 'cscg-stitch --jitter 0 --restarts 1 --prior-weight 0 a.gz b.gz -w w.gz | cscg-show --truth place.room -w w.gz'
exits 0 '--frontiers boundary' 'cscg-stitch --frontiers boundary a.gz b.gz -w w.gz --report report -o wall.gz'
# The doors of these two are found among 18 + 32 walls.
holds 'both directions through the door are found' "awk '/^#from/ { on = 1; next } /^\$/ { on = 0 } on' report |
    grep -cE '^(0	12	right	1	|1	[0-9]+	left	0	12)' | grep -qx 2"

# --- messages, report, statistics
exits 0 'messages' 'cscg-stitch -v a.gz b.gz c.gz -w w.gz --report report --prior prior.gz --stats stats -o s.gz 2>talk'
holds '-v reports the states of each schema' "grep -q 'block 0, a: 20 of 20 states' talk && grep -q 'block 1, b: 48 of 48 states' talk &&
    grep -q 'block 2, c: 0 of 51 states, 0.0 % of the steps' talk && grep -q '2 connections; 0 of 1999 transitions' talk"
holds 'report: steps add up' "awk '/^#block/ { on = 1; next } /^\$/ { on = 0 } on { n += \$5; p += \$6 }
    END { exit !(n == 2000 && p > .999999 && p < 1.000001) }' report"
same 'report: the connections, as the room has them' \
    "awk '/^#from/ { on = 1; next } /^\$/ { on = 0 } on { print \$1, \$2, \$3, \$4 }' report | sed '2s/ [0-9]* / S /'" \
    'printf "0 12 right 1\n1 S left 0\n"'
holds 'report: a line for each state' "[ \$(awk '/^#state/ { on = 1; next } on' report | wc -l) = 68 ]"
holds 'report: all fits' '[ $(whole jumps) = 0 ] && [ $(whole unlikely) = 0 ] && [ $(whole used) = 68 ] && [ $(whole states) = 119 ]'
same 'the NLL of the report is that of cscg-score' \
    "whole nats_per_step | awk '{ printf \"%.5f\n\", \$1 }'" \
    "cscg-score s.gz -w w.gz | awk '!/^#/ { printf \"%.5f\n\", \$4 }'"
holds 'report as JSON' "cscg-stitch --json a.gz b.gz -w w.gz --report report.json -o x.gz
    head -n 1 report.json | grep -q '^{\"steps\":2000,\"moves\":1999,\"blocks\":2,\"states\":68,\"used\":68,\"connections\":2,\"jumps\":0,\"unlikely\":0,'"
holds 'stats has all stages' "for s in bind restart best em learn viterbi final; do grep -q '\"stage\":\"'\$s'\"' stats || exit 1; done"
exits 0 'the prior is a schema' 'cscg-show prior.gz'
# 4 states have frontiers in a and b, 1 in c; each frontier has its self-loop
# and 3 or 4 connections
prints 'of all states' 'model, schema: 119 states, 4 actions'
holds 'the prior has all connections' "[ \$(cscg-show --as tsv prior.gz | grep -vc '^#') = \$((119 * 4 + 3 + 3 + 3 + 3 + 4)) ]"

# --- missing and superfluous schemas
exits 0 'the schema of a room is missing: the room is learned' 'cscg-stitch a.gz c.gz -w w.gz -o x.gz'
exits 0 'the world is exact' 'cscg-show --truth place.room -w w.gz x.gz'
exits 0 'the schema of a room is missing' 'cscg-stitch --learn-rest never a.gz c.gz -w w.gz --report report -o x.gz'
says 'is reported' ' % of the steps: see --report'
holds 'unexplained steps are attributed to the schema used' "awk '/^#block/ { on = 1; next } /^\$/ { on = 0 }
    on { bad[\$1] = \$7 + \$8 } END { print bad[0], bad[1]; exit !(bad[0] == 0 && bad[1] > 20) }' report"
exits 0 'quietly' 'cscg-stitch -q --learn-rest never a.gz c.gz -w w.gz -o x.gz'
exactly 'there is no message' ''
exits 0 'additional copies of a schema' "cscg-stitch 'a.gz*2' b=b.gz b2=b.gz -w w.gz --report report -o x.gz"
holds 'stay unused' "[ \$(whole used) = 68 ] && [ \$(awk '/^#block/ { on = 1; next } /^\$/ { on = 0 } on && \$4 == 0' report | wc -l) = 2 ]"
holds 'copies have names in the report' "awk '/^#block/ { on = 1; next } /^\$/ { on = 0 } on { printf \"%s \", \$2 }' report | grep -qx 'a a b b2 '"
roomgen rectangle --size 4x5 --door 1,4,right --door 1,0,left -o m.room
roomgen room --as model m.room -o m.gz
roomgen join m.room m.room m.room -o three.room
roomwalk -n 2000 --policy cover three.room -o three.gz
exits 0 'three copies of one schema' "cscg-stitch 'm.gz*3' -w three.gz -o m3.gz"
exits 0 'three rooms are exact' 'cscg-show --truth three.room -w three.gz m3.gz'
exits 0 'one schema for three rooms, others are learned' 'cscg-stitch m.gz -w three.gz -o x.gz'
exits 0 'the world of three rooms, again' 'cscg-show --truth three.room -w three.gz x.gz'
exits 0 '--learn-rest never with one schema for three rooms' 'cscg-stitch --learn-rest never m.gz -w three.gz --report report -o x.gz'
says 'which is reported' 'cscg-stitch: no schema explains '

# --- learned schemas whose frontiers are walls
roomwalk -n 5000 m.room | cscg-learn -o l.gz
exits 0 'learned schemas at their walls' 'cscg-stitch "l.gz*3" --frontiers boundary -w three.gz -o l3.gz'
exits 0 'find the same world' 'cscg-show --truth three.room -w three.gz l3.gz'
# Five have 5 x 18 walls as frontiers and 4 x 14 cells as entries: 50
# transitions for each state, which are not stored.
exits 0 'too many walls to store all connections' 'cscg-stitch "m.gz*5" --frontiers boundary -w three.gz --prior prior.gz --report report -o m5.gz'
exits 0 'find the same world as well' 'cscg-show --truth three.room -w three.gz m5.gz'
same 'three blocks, two doors in both directions, all steps explained' \
    'echo $(whole used) $(whole connections) $(whole jumps) $(whole unlikely)' 'echo 60 4 0 0'
holds 'the prior has none of them' "[ \$(cscg-show --as tsv --min-prob 0 prior.gz | grep -vc '^#') = 400 ]"

# --- 3D: an agent leaves facing the door and enters with its back to it
roomgen voxel --map room1 --door 2,8,east --as model -o v1.gz
roomgen voxel --map room6 --door 3,0,west --as model -o v6.gz
# Row 2 of the hall has two pillars: its last cell is the 25th, east is 1.
same 'a 3D schema is entered by its door turned around' 'cscg-show --frontiers given v1.gz' \
    'printf "#state\taction\tto\n97\tforward\t97\n99\t-\t-\n"'
same 'entries are read and written' 'gzip -dc v1.gz' \
    'cscg-show --as clones v1.gz --no-gzip | grep -q "\"entries\":\[99\]" && gzip -dc v1.gz'
cat >hall.map <<'END'
00000
00#00
00000
END
cat >pit.map <<'END'
0000
0>20
0000
END
cat >both.map <<'END'
000000000
00#000>20
000000000

part hall 0,0 3x5
part pit 0,5 3x4
door 2,4 east
END
roomgen voxel --map hall.map --door 2,4,east --as model -o hall.gz
roomgen voxel --map pit.map --door 2,0,west --as model -o pit.gz
roomgen voxel --map both.map | roomgen room --obs random:30 -s 2 -o both.room
roomwalk -n 2000 --policy cover both.room -o both.walk
exits 0 'a world of two 3D rooms' 'cscg-stitch hall.gz pit.gz -w both.walk -o both.gz'
exits 0 'two 3D rooms are exact' 'cscg-show --truth both.room -w both.walk both.gz'

# --- degenerate walks
odd() { # X A [MORE]: a walk of one episode in the place
	head -n 1 w.json
	echo "{\"episode\":0,\"x\":[$1],\"a\":[$2],${3-}\"last\":true}"
	echo "{\"end\":true,\"episodes\":1,\"steps\":$(echo "$1" | tr ',' '\n' | wc -l)}"
}
exits 0 'a walk of one step' 'odd 3 "" | cscg-stitch a.gz b.gz -o x.gz'
exits 0 'a walk of dropouts only' 'odd null,null 0 | cscg-stitch a.gz b.gz -o x.gz'
exits 3 'no walk' '{ head -n 1 w.json; echo "{\"end\":true,\"episodes\":0,\"steps\":0}"; } | cscg-stitch a.gz b.gz'
exactly 'is no evidence' 'cscg-stitch: the walk has no steps: stitching needs at least one'
roomwalk -n 500 --episodes 4 -s 3 --policy cover place.room -o four.gz
exits 0 'four episodes' 'cscg-stitch a.gz b.gz -w four.gz -o four.m.gz'
exits 0 'four episodes give one world' 'cscg-show --truth place.room -w four.gz four.m.gz'
exits 0 'no updates' 'cscg-stitch --iterations 0 a.gz b.gz -w w.gz -q -o x.gz'

# --- usage errors and bad input
usage() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "cscg-stitch $2"
	says "$1: message" "$3"
}
usage 'no schema' '-w w.gz' 'too few operands'
usage 'standard input twice' '-' 'standard input can be read only once'
usage 'standard input twice, by copies' '"x=-*2"' 'standard input can be read only once'
usage 'no copies' '"a.gz*0" b.gz -w w.gz' "'a.gz*0': 0 copies are not 1 to 100000"
usage 'too many copies' '"a.gz*1000000" b.gz -w w.gz' '1000000 copies are not 1 to 100000'
usage '--json without --report' '--json a.gz -w w.gz' '--json requires --report'
usage 'a self-loop that is no probability' '--self-loop 1.5 a.gz -w w.gz' '--self-loop: 1.5 is outside 0..1'
usage 'a name twice' 'x=a.gz x=b.gz -w w.gz' "two schemas are called 'x'"
usage 'an unwritable report' 'a.gz b.gz -w w.gz --report nowhere/x' "'nowhere/x': No such file or directory"
usage 'an unwritable prior' 'a.gz b.gz -w w.gz --prior nowhere/x' "'nowhere/x': No such file or directory"
exits 4 'a full report' 'cscg-stitch a.gz b.gz -w w.gz --report /dev/full -o never'
holds 'no file is written' '[ ! -e never ]'
roomgen rectangle --size 4x5 --as model -o shut.gz
roomgen torus --size 4x5 --as model -o torus.gz
exits 3 'no frontiers' 'cscg-stitch a.gz shut.gz -w w.gz'
exactly 'which is reported' "cscg-stitch: 'shut.gz': the schema has no frontiers (roomgen --door marks some, --frontiers boundary takes all walls)"
exits 3 'no walls' 'cscg-stitch --frontiers boundary a.gz torus.gz -w w.gz'
exactly 'which is reported as well' "cscg-stitch: 'torus.gz': the schema has no walls that could be frontiers"
exits 0 'one schema without frontiers' 'cscg-stitch shut.gz -w w.gz -q -o x.gz'
roomgen street -s 1 --as model -o street.gz
exits 3 'other actions' 'cscg-stitch --frontiers given a.gz "m.gz" street.gz -w w.gz'
says 'is refused' "cscg-stitch: 'street.gz': the schema has no frontiers"
gzip -dc street.gz | sed 's/"history"/"frontiers":[[0,0]],"history"/' >street
exits 3 'other actions at a frontier' 'cscg-stitch a.gz street -w w.gz'
exactly 'are refused' "cscg-stitch: 'street': 3 actions, but the first schema has 4"
gzip -dc a.gz | sed 's/"up"/"north"/' >north
exits 3 'other names of actions' 'cscg-stitch a.gz north -w w.gz'
says 'are refused as well' "cscg-stitch: 'north': "
exits 3 'other actions of the walk' 'cscg-stitch north north -w w.gz'
says 'named' "north"
gzip -dc a.gz >a.json
for bad in '[[0,0],[0,0]]/1: frontiers must ascend, by state, then action' \
    '[[20,0]]/0: state 20 is outside 0..19' '[[0,4]]/0: action 4 is outside 0..3' \
    '[[0]]/0: must be a state and an action' '[[0,1.5]]/0/1: 1.5 is not an integer'; do
	sed "s/\"frontiers\":\\[[^]]*\\],\\[[^]]*\\]\\]/\"frontiers\":${bad%%/*}/" a.json >bad.in
	exits 3 "bad frontiers ${bad%%/*}" 'cscg-stitch bad.in b.gz -w w.gz'
	says 'message' "cscg-stitch: 'bad.in': line 1: /frontiers/${bad#*/}"
done
exits 3 'a room is no schema' 'cscg-stitch a.room b.gz -w w.gz'
exactly 'and the message says so' "cscg-stitch: 'a.room': line 1: this is a cscg-room file, not a cscg-model (roomwalk makes a walk in a room, cscg-learn a model of that)"
exits 3 'a model is no walk' 'cscg-stitch a.gz b.gz -w a.gz'
exactly 'and the message says so as well' "cscg-stitch: 'a.gz': line 1: this is a cscg-model file, not a cscg-walk (cscg-score --sample makes a walk of a model)"
bad_walks cscg-stitch 'cscg-stitch -q --restarts 1 good.model -w %'
bad_models cscg-stitch 'cscg-stitch -q --restarts 1 % -w good.walk'

# --- the page's examples
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-stitch.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\./d;s/\\e/\\/g;p;}' >examples
holds 'the page has examples' '[ $(wc -l <examples) -ge 12 ]'
exits 0 'the examples run' 'mkdir ex; cd ex; sh -e ../examples'
prints 'and the world is found' 'isomorphic	yes'
finish
