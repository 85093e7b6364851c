# A library of schemas that several runs share: cscg-library(5).
. "$(dirname "$0")/../tap.sh"

OMP_NUM_THREADS=1
export OMP_NUM_THREADS

roomgen rectangle --size 4x5 --door 1,4,right --door 3,2,down --name a -o a.room
roomgen hole --size 7x7 --hole 1x1 --door 3,0,left --door 0,2,up --name b -o b.room
for k in a b; do roomgen room --as model $k.room -o $k.gz; done
roomgen join a.room b.room | roomgen room --permute -s 7 -o place.room
roomwalk -n 2000 --policy cover place.room -o w.gz
head='name	schema	states	actions	frontiers	met	first_run	last_run	steps'

# --- a first run fills it, a second one uses it
exits 0 'the first run adds its schemas' 'cscg-stitch --library lib a.gz b.gz -w w.gz -o s.gz'
exactly 'without a message' ''
# 4 x 5 and 7 x 7 - 1 states, four actions, two doors each.
cscg-show lib | cut -f 1-8 >list
holds 'the schemas are listed' 'printf "#%s\nschema-1\t-\t20\t4\t2\t1\t1\t1\nschema-2\t-\t48\t4\t2\t1\t1\t1\n" \
    "${head%	steps}" | cmp - list'
holds 'each step counts once' '[ $(cscg-show lib | awk "NR > 1 { n += \$9 } END { print n }") = 2000 ]'
exits 0 'a second run needs no operand' 'cscg-stitch --library lib -w w.gz -o again.gz'
exits 0 'the world is exact' 'cscg-show --truth place.room -w w.gz again.gz'
holds 'the second run has met both schemas' '[ "$(cscg-show lib | cut -f 6-8 | tail -n +2 | sort -u)" = "2	1	2" ]'
exits 0 'isomorphic schemas with other state numbers' 'cscg-show --as schema s.gz | cscg-show --partition --as schema |
    cscg-stitch -q --library lib - -w w.gz -o x.gz'
holds 'isomorphic schemas are stored once' '[ $(cscg-show lib | grep -c schema-) = 2 ]'
exits 0 'JSON' 'cscg-show --json lib'
prints 'by name' '"name":"schema-1"'
for form in svg dot html graphml tsv nodes schema; do
	exits 0 "a library as $form" "cscg-show --as $form lib"
done
holds 'schemas, one a line' '[ $(cscg-show --as schema --no-gzip lib | wc -l) = 2 ]'
holds 'the files of a library are models' 'cscg-show --frontiers given lib/schema-1.gz | grep -c right | grep -qx 1'
exits 0 'schemas are compared' 'cscg-match --library lib -w w.gz --every 2000'
prints 'by the names of the files' 'schema-2'
exits 3 'a schema of the library beside itself' 'cscg-match --library lib a.gz -w w.gz'
exactly 'is one schema' "cscg-match: 'a' and 'schema-1' are the same schema"

# --- a world with a room that no schema explains
roomgen rectangle --size 4x6 -o k1.room
roomgen hole --size 6x6 --hole 2x2 -o k2.room
roomgen ushape --size 5x7 --notch 3x3 -o k3.room
roomgen rectangle --size 5x5 -o new.room
for k in k1 k2 k3; do roomgen room --as model $k.room -o $k.gz; done
roomgen join --layout 2x2 --door-at random k1.room k2.room k3.room new.room -s 4 -o four.room
roomwalk -n 6000 -s 4 four.room -o four.walk
exits 0 'three of four rooms are known' \
    'cscg-stitch --frontiers boundary --library most k1.gz k2.gz k3.gz -w four.walk --report report -o four.gz'
exactly 'there is no warning' ''
exits 0 'the fourth room is learned, and the world is exact' 'cscg-show --truth four.room -w four.walk four.gz'
prints 'every state is its node' 'purity	1'
# 4 x 6, 6 x 6 - 4, 5 x 7 - 9 and 5 x 5 states.
holds 'the library has each kind once' '[ "$(cscg-show most | cut -f 3 | tail -n +2 | sort | tr "\n" " ")" = "24 25 26 32 " ]'
holds 'the new schema is the room' 'id=$(cscg-show most | awk "\$3 == 25 { print \$1 }")
    cscg-show --truth new.room --labels ignore most/$id.gz'
holds 'learned pieces are in the report' 'grep -q "learned-" report'
exits 0 '--learn-rest never' 'cscg-stitch -q --learn-rest never --frontiers boundary k1.gz k2.gz k3.gz -w four.walk -o x.gz'
exits 1 'without learning the world is not exact' 'cscg-show --truth four.room -w four.walk x.gz'
same 'a seed fixes every byte' 'cscg-stitch -q -j 1 --learn-rest always k1.gz k2.gz k3.gz --frontiers boundary -w four.walk | gzip -dc | sed "s/,\"history.*//"' \
    'cscg-stitch -q -j 2 --learn-rest always k1.gz k2.gz k3.gz --frontiers boundary -w four.walk | gzip -dc | sed "s/,\"history.*//"'

# --- killed at any time; tests/unit/schema/library.c has more
for i in 0 1 2 3 4 5 6 7 8 9; do
	cscg-stitch --library killed a.gz b.gz -w w.gz --restarts 1 -o k.gz &
	pid=$!
	sleep "0.$i"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	cscg-show killed >/dev/null 2>bad || { [ -e killed/index ] && cat bad >>faults; }
done
holds 'a library of killed writers is whole' '[ ! -s faults ]'
cscg-stitch --library two a.gz b.gz -w w.gz -o k1.gz &
cscg-stitch --library two a.gz b.gz -w w.gz -o k2.gz
wait
holds 'two writers at once leave each kind once' \
    '[ "$(cscg-show two | cut -f 3,6,8 | tail -n +2 | tr "\n" " ")" = "20	2	2 48	2	2 " ]'

# --- usage errors and bad input
mkdir empty
exits 3 'no schema at all' 'cscg-stitch --library empty -w w.gz -o x.gz'
exactly 'is reported' "cscg-stitch: 'empty': the library has no schema"
exits 3 'cscg-match with an empty library' 'cscg-match --library empty -w w.gz'
exactly 'is reported' "cscg-match: 'empty': the library has no schema"
exits 3 'a directory without an index' 'cscg-show empty'
exactly 'is no library' "cscg-show: 'empty': is a directory, not a library"
exits 3 'a file is no library' 'cscg-match --library w.gz -w w.gz'
exactly 'by its name' "cscg-match: 'w.gz': not a directory"
exits 3 'a library has no frontiers' 'cscg-show --frontiers given lib'
exactly 'its files have' "cscg-show: 'lib': --frontiers requires a file, not a library"
exits 2 'a library in a missing directory' 'cscg-stitch --library no/where a.gz b.gz -w w.gz -o x.gz'
cp -r lib cut
head -c 40 lib/index >cut/index
exits 3 'a cut index' 'cscg-show cut'
says 'by its line' "cscg-show: 'cut/index': line 1: "
cp lib/index cut/index
rm cut/schema-2.gz
exits 3 'a model that is missing' 'cscg-show cut'
exactly 'by its name as well' "cscg-show: 'cut/schema-2.gz': No such file or directory"
printf '%s\n' '{"format":"cscg-library","version":2}' >cut/index
exits 3 'a newer version' 'cscg-show cut'
says 'is refused' 'version 2'
exits 2 'a library that cannot be created' 'cscg-stitch --library nowhere/x a.gz b.gz -w missing.gz -o x.gz'
exactly 'is refused before the walk is read' "cscg-stitch: cannot create directory 'nowhere/x': No such file or directory"

# --- the page's examples
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-library.5" |
    sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./d;s/\\e/\\/g;p;}' >examples
holds 'the page has examples' '[ $(wc -l <examples) -ge 11 ]'
exits 0 'the examples run' 'mkdir ex; cd ex; sh -e ../examples'
holds 'three kinds, one of them met twice' \
    '[ "$(cscg-show ex/rooms | cut -f 3,6 | tail -n +2 | tr "\n" " ")" = "20	2 32	1 30	1 " ]'
finish
