# vq-kmeans: frames in, symbols and codebook out.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

# An array as NumPy saves it: its header; the data follow.
npy() { # DESCR FORTRAN SHAPE
	head="{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
	printf '\223NUMPY\001\000'
	printf "\\$(printf %03o ${#head})\\000%s" "$head"
}

# Symbols of a walk, step by step; the numbers of an array of 8-byte integers.
symbols() { walkconv --as csv --numbers "$@" | tail -n +2 | cut -d, -f2; }
numbers() { tail -c +129 "$1" | od -An -v -w8 -td8 | tr -d ' '; }

# --- frames that come with a walk

cat >seen <<'END'
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":4,"actions":["go"],"symbols":["a","b","c","d"],"frame":[1,1,3],"history":[{"program":"eye"}]}
{"views":[{"id":10,"rgb":"/wAA"},{"id":1,"rgb":"+gAA"}]}
{"views":[{"id":2,"rgb":"AAD/"}]}
{"episode":0,"x":[0,1,2],"a":[0,0,0],"z":[5,6,7],"v":[10,1,2]}
{"views":[{"id":3,"rgb":"AAr/"},{"id":4,"rgb":"////"}]}
{"episode":0,"x":[3,0,1],"a":[0,0],"v":[3,10,null],"r":[1,2,3],"goal":[1,1,1],"reset":[1],"last":true}
{"end":true,"episodes":1,"steps":6}
END
exits 0 'fits and encodes' 'vq-kmeans -k 2 seen -o out.gz --codebook book.gz --stats stats'
exactly 'without a message' ''
same 'reddish and bluish, and a missing frame' 'symbols out.gz | sed "s/[01]/&/"' \
    'a=$(symbols out.gz | head -1); b=$((1 - a)); printf "%s\n" $a $a $b $b $a ""'
# (255 255 250 red) and (0 10 green): 2 * 1.667^2 + 3.333^2 + 2 * 25, over 5 * 3.
same 'inertia and variance, by hand' \
    'zcat book.gz | sed "s/.*\"sigma2\":\([0-9.]\{8\}\).*\"inertia\":\([0-9.]\{8\}\).*/\1 \2/"' \
    'echo 4.444444 66.66666'
holds 'priors are fractions of the frames' \
    'zcat out.gz | head -1 | grep -Eq "\"priors\":\[0\.(6|59999999999999998),0\.(4|40000000000000002)\]|\"priors\":\[0\.(4|40000000000000002),0\.(6|59999999999999998)\]"'
holds 'nodes, rewards and resets stay; names, goals and views go' \
    'zcat out.gz >text; grep -q "\"z\":\[5,6,7,null,null,null\]" text && grep -q "\"reset\":\[4\]" text &&
    grep -q "\"r\":\[null,null,null,1,2,3\]" text && ! grep -q -e goal -e symbols -e views -e "\"v\"" -e frame text'
holds 'history continues' 'zcat out.gz | head -1 | grep -q "\"history\":\[{\"program\":\"eye\"},{\"program\":\"vq-kmeans\",.*\"args\":{\"clusters\":\"2\"},\"seed\":42}\]"'
holds 'the codebook has it as well' 'zcat book.gz | grep -q "\"history\":\[{\"program\":\"eye\"},{\"program\":\"vq-kmeans\""'
holds 'statistics: four restarts, then the end' \
    '[ $(grep -c "\"stage\":\"restart\"" stats) = 4 ] && tail -n 1 stats | grep -q "\"stage\":\"done\",\"k\":2,\"frames\":5,\"different\":4,"'
same 'a walk from standard input' 'vq-kmeans -k 2 <seen' 'cat out.gz'
same 'compressed' 'gzip -c seen | vq-kmeans -k 2' 'cat out.gz'
same 'encoding gives the same symbols' 'vq-kmeans --encode book.gz seen | symbols' 'symbols out.gz'
same 'encoding gives the same priors' 'vq-kmeans --encode book.gz seen | zcat | head -1 | sed "s/,\"history.*//"' \
    'zcat out.gz | head -1 | sed "s/,\"history.*//"'
same 'twice the walk, the same symbols twice' 'cat seen seen | vq-kmeans -k 2 | symbols' 'symbols out.gz; symbols out.gz'
same 'two files give the same symbols' 'vq-kmeans -k 2 seen seen | symbols' 'symbols out.gz; symbols out.gz'
same 'other tools drop frames' 'walkconv --no-gzip seen | grep -c -e views -e "\"v\"" -e frame || true' 'echo 0'
same 'the walk of cscg-walk(5) has two colours' \
    'awk "/^\.Bd/ { k++; on = k == 3; next } /^\.Ed/ { on = 0 } on" "$TOP/man/cscg-walk.5" | vq-kmeans -k 2 | symbols | uniq | wc -l' 'echo 3'
same '-j changes nothing' 'vq-kmeans -j3 -k 3 seen' 'vq-kmeans -j1 -k 3 seen'
for isa in plain c auto; do
	same "--isa $isa gives the same bytes" "vq-kmeans --isa $isa -k 3 seen" 'vq-kmeans -k 3 seen'
done
holds 'a mixture' 'vq-kmeans --gmm -k 2 seen --codebook mix.gz -o mix && zcat mix.gz | grep -q "\"kind\":\"mixture\""'
same 'a mixture of different colours has the same symbols' 'symbols mix' 'symbols out.gz'
same 'encoding by a mixture gives the same symbols' 'vq-kmeans --encode mix.gz seen | symbols' 'symbols out.gz'

# --- frames in a file

{ npy '|u1' False '(4, 3)'; printf '\377\000\000\372\000\000\000\000\377\000\012\377'; } >rows.npy
{ npy '|u1' True '(4, 3)'; printf '\377\372\000\000\000\000\000\012\000\000\377\377'; } >turned.npy
sed '/views/d; s/"frame":.*],"hi/"hi/; s/\[10,1,2\]/[0,1,2]/; s/\[3,10,null\]/[3,0,null]/' seen >named
same 'rows of an array' 'vq-kmeans -k 2 --frames rows.npy named | symbols' 'symbols out.gz'
same "frames in Fortran order" 'vq-kmeans -k 2 --frames turned.npy named | symbols' 'symbols out.gz'
holds 'walkconv keeps their numbers' 'walkconv --no-gzip named | grep -q "\"v\":\[0,1,2,3,0,null\]"'
holds 'vq-kmeans drops them' '! vq-kmeans -k 2 --frames rows.npy --no-gzip named | grep -q "\"v\""'
vq-kmeans -k 4 --frames rows.npy -o all.npy --codebook four.gz
same 'all symbols as an array' 'numbers all.npy | sort' 'seq 0 3'
same 'labels are written as by NumPy' 'head -c 128 all.npy | tr -d "\000" | tr "\223\001" XY' \
    'printf "%s%64s\n" "XNUMPYYv{'"'descr': '<i8', 'fortran_order': False, 'shape': (4,), }"'" "" | cut -c1-125; '
same 'rows are encoded by their codebook' 'vq-kmeans --encode four.gz --frames rows.npy >again.npy; numbers again.npy' 'numbers all.npy'
same "encoding of frames in Fortran order" 'vq-kmeans --encode four.gz --frames turned.npy >again.npy; numbers again.npy' 'numbers all.npy'
# 0 1 | 10 11 as floats, doubles and integers.
{ npy '<f4' False '(4,)'; printf '\000\000\000\000\000\000\200\077\000\000\040\101\000\000\060\101'; } >f4.npy
{ npy '<i2' False '(4, 1)'; printf '\000\000\001\000\012\000\013\000'; } >i2.npy
for f in f4 i2; do
	vq-kmeans -k 2 --frames $f.npy --codebook $f.gz -o got.npy
	same "$f: two and two" 'numbers got.npy | uniq -c | awk "{ print \$1 }"' 'printf "2\n2\n"'
	holds "$f: inertia 4 * .25" "zcat $f.gz | grep -q '\"pixels\":\"real\",\"kind\":\"kmeans\",\"sigma2\":0.25,\"inertia\":1.0,'"
done
{ npy '|u1' False '(2, 3)'; printf '\001\002\003\001\002\003'; } >equal.npy
exits 3 'more centroids than different frames' 'vq-kmeans -k 2 --frames equal.npy -o never'
exactly 'is refused' 'vq-kmeans: 2 centroids are requested, but there are only 1 different frames'
holds 'no file is written' '[ ! -e never ]'

# --- a room whose symbols are images: the learned graph is the same

roomgen torus --size 4x4 --obs unique -o room.gz
roomwalk -n 3000 --no-gzip room.gz >walk
sed 's/"x":\(\[[^]]*\]\)/&,"v":\1/' walk >viewed
{ npy '|u1' False '(16, 5)'; awk 'BEGIN { for (i = 0; i < 80; i++) printf "\\%03o", (i * i * 7 + i) % 256 }' | xargs -0 printf; } >16.npy
vq-kmeans -k 16 --frames 16.npy viewed -o symbols.gz
same 'every picture has its symbol' \
    'symbols walk >a; symbols symbols.gz | paste a - | sort -u | wc -l; symbols symbols.gz | sort -u | wc -l' 'printf "16\n16\n"'
same 'the room is learned from symbols of images' 'cscg-learn symbols.gz | cscg-show --truth room.gz --labels ignore | tail -n 1' 'printf "isomorphic\tyes\n"'
holds 'clones in proportion' 'cscg-learn --clones proportional:32,floor=1 --structure none --iterations 1 --restarts 1 symbols.gz -o m.gz'

# --- usage errors

use() { # OPTIONS MESSAGE
	exits 2 "refused: $1" "vq-kmeans $1 -o never"
	exactly '  saying so' "vq-kmeans: $2 (try --help)"
}
use seen '-k or --encode is required'
use '-k 2 --encode book.gz seen' '--encode does not fit a codebook: it cannot be combined with -k, --gmm or --codebook'
use '-k 0 seen' '--clusters: 0 is outside 1..10000000'
use '-k 2 --frames - -' 'standard input can be read only once'
use '-k 2 --codebook - seen' '--codebook requires a separate file'
use '-k 2 --restarts 0 seen' '--restarts: 0 is outside 1..1000000'
# Given starts, tolerances and all distances: tests/unit/learn/kmeans.c
for o in '--tolerance 0.1' '--init c.npy' '--centroids c.npy' --keep-views --all; do
	exits 2 "$o of 1.0.0 is refused" "vq-kmeans -k 2 $o seen -o never"
	says '  saying so' 'removed in 2.0.0'
done
exits 2 'an unknown kernel' 'vq-kmeans -k 2 --isa mmx seen'
says 'is refused' "vq-kmeans: --isa: 'mmx' is not one of the kernels this machine can run: auto, plain"
exits 2 'a codebook that cannot be written' 'vq-kmeans -k 2 --codebook none/x seen -o never'
exactly 'is refused before anything is read' "vq-kmeans: 'none/x': No such file or directory"
exits 4 'a full disk for the codebook' 'vq-kmeans -k 2 --codebook /dev/full seen -o never'
says 'is noticed' "vq-kmeans: '/dev/full': No space left on device"
holds 'no file was written' '[ ! -e never ] && [ -z "$(find . -name "*.tmp.*")" ]'

# --- input errors

no() { # NAME COMMAND MESSAGE
	exits 3 "$1" "$2 -o never"
	exactly '  saying so' "vq-kmeans: $3"
}
no 'a walk without views' 'vq-kmeans -k 2 good.walk' "'good.walk': the walk has no frames"
no 'a walk without views, frames from an array' 'vq-kmeans -k 2 --frames rows.npy good.walk' 'no step of the walk has a view'
no 'views of frames that are not given' 'vq-kmeans -k 2 named' "'named': the walk has no frames"
no 'frames twice' 'vq-kmeans -k 2 --frames rows.npy seen' \
    "'seen': the walk contains its frames: a separate file of frames cannot be used"
sed 's/\[3,0,null\]/[4,0,null]/' named >beyond
no 'a view beyond the frames' 'vq-kmeans -k 2 --frames rows.npy beyond' 'step 3: view 4, but there are 4 frames'
sed 's/\[1,1,3\]/[1,2,3]/' seen >wide
no 'frames of the wrong size' 'vq-kmeans -k 2 wide' \
    "'wide': line 2: /views/0/rgb: 4 characters, but a frame of 1 x 2 pixels has 8"
sed 's/"AAD\/"/"AAD"/' seen >cut
no 'cut base64' 'vq-kmeans -k 2 cut' "'cut': line 3: /views/0/rgb: 3 characters, but a frame of 1 x 1 pixels has 4"
sed 's/"AAD\/"/"AA =="/' seen >cut
no 'base64 that is too long' 'vq-kmeans -k 2 cut' "'cut': line 3: /views/0/rgb: 5 characters, but a frame of 1 x 1 pixels has 4"
sed 's/"AAD\/"/"AAD!"/' seen >cut
no 'no base64' 'vq-kmeans -k 2 cut' "'cut': line 3: /views/0/rgb: character 3 is not base64"
sed 3d seen >lost
no 'a view that was lost' 'vq-kmeans -k 2 lost' "'lost': line 3: /v/2: view 2 has not been defined"
no 'frames of another shape than the codebook' 'vq-kmeans --encode f4.gz seen' \
    "'seen': frames of 1 x 1 x 3 numbers, but the codebook is for 1"
no 'frames of a file of another shape' 'vq-kmeans --encode book.gz --frames rows.npy' 'frames of 3 numbers, but the codebook is for 1 x 1 x 3'
no 'a walk as codebook' 'vq-kmeans --encode seen seen' "'seen': line 1: this is a cscg-walk file, not a cscg-codebook (vq-kmeans makes a codebook of a walk with frames)"
no 'a codebook as walk' 'vq-kmeans -k 2 book.gz' "'book.gz': line 1: this is a cscg-codebook file, not a cscg-walk (roomwalk makes walks, vq-kmeans --encode reads a codebook)"
arr() { # NAME DESCR SHAPE DATA MESSAGE
	{ npy "$2" False "$3"; printf "$4"; } >bad.npy
	no "$1" 'vq-kmeans -k 1 --frames bad.npy' "'bad.npy': $5"
}
arr NaN '<f4' '(2, 1)' '\000\000\000\000\000\000\300\177' 'frame 1: number 0 is NaN'
arr infinity '<f4' '(1, 2)' '\000\000\000\000\000\000\200\177' 'frame 0: number 1 is infinite'
arr objects '|O' '(2,)' 'xx' 'arrays of Python objects are not supported'
arr text '<U3' '(2,)' 'xx' "arrays of type '<U3' are not supported (little-endian integers, f4, f8 and b1 are)"
arr 'big-endian' '>f4' '(1, 1)' '1234' "arrays of type '>f4' are not supported (little-endian integers, f4, f8 and b1 are)"
arr 'no frames' '|u1' '(0, 3)' '' 'an empty array has no frames'
arr 'empty frames' '|u1' '(3, 0)' '' 'an empty array has no frames'
arr 'a number' '|u1' '()' 'x' 'a single number is not an array of frames'
arr 'an absurd shape' '|u1' '(4000000000, 4000000000)' 'x' 'the shape of the array does not fit in memory'
arr 'absurd frames' '|u1' '(2, 400000000)' 'x' 'frames must have 1 to 100000000 numbers'
arr 'absurdly many' '|u1' '(400000000, 2)' 'x' '400000000 frames, but at most 100000000 are supported'
arr 'a shape that lies' '|u1' '(100000, 50000)' 'xyz' 'unexpected end: 3 of 5000000000 items'
arr 'an array with too few items' '|u1' '(2, 3)' 'abcde' 'unexpected end: 5 of 6 items'
arr 'an array with too many items' '|u1' '(2, 3)' 'abcdefg' "more bytes than the array's shape requires"
no 'no array' 'vq-kmeans -k 1 --frames seen' "'seen': this is not a .npy file"
no 'no file' 'vq-kmeans -k 1 --frames nowhere' "'nowhere': No such file or directory"
zcat book.gz >book
for n in 0 1 50 300; do
	head -c $n book >cut
	exits 3 "a codebook cut at $n" 'vq-kmeans --encode cut seen -o never'
done
head -c 90 book.gz >cut
no 'a compressed one' 'vq-kmeans --encode cut seen' "'cut': unexpected end of gzip data"
holds 'nothing was written for any of them' '[ ! -e never ] && [ -z "$(find . -name "*.tmp.*")" ]'

# Every fault of a walk, with views.
sed 's/"z":\[0,1,2\]/&,"v":[0,1,2]/; s/"x":\[1\],"a":\[\]/&,"v":[3]/' good.walk >viewed.walk
bad_tool=vq-kmeans bad_cmd='vq-kmeans -j1 -k 2 --frames rows.npy %' bad_good=viewed.walk
exits 0 'the walk without errors is accepted' "$(bad_run viewed.walk) >got"
bad_head cscg-walk cscg-room 'roomwalk makes a walk in a room'
bad_steps
bad_cuts cscg-walk
bad_files

# The reader that cscg-codebook(5) gives in Python.
awk '/^\.Bd/ { k++; on = k == 2; next } /^\.Ed/ { on = 0 } on' "$TOP/man/cscg-codebook.5" | sed 's/\\e/\\/g' >reader.py
awk '/^\.Bd/ { k++; on = k == 1; next } /^\.Ed/ { on = 0 } on' "$TOP/man/cscg-codebook.5" >page
if has_python numpy; then
	same 'the reader of cscg-codebook(5)' 'python3 reader.py page' \
	    'echo "[[[[200.0, 20.0, 0.0]]], [[[25.0, 30.0, 85.0]]]]"'
	same 'reads files of vq-kmeans' 'python3 reader.py f4.gz | tr -d "[,]" | tr " " "\n" | sort -g' 'printf "%s\n" 0.5 10.5'
else
	tap 0 'a reader in Python # SKIP no NumPy'
fi
same 'the codebook of the page is read' 'vq-kmeans --encode page seen | symbols | sort -u' 'printf "\n0\n1\n"'

# --- columns of a table: two groups of rows, one row without a number

printf '%s\n' t,speed,turn '0,0.1,0' '1,"0,2",0' 2,5,1 3,nan,1 4,5.1,1.1 >features.csv
exits 0 'columns of a table' 'vq-kmeans -k 2 --columns speed --columns turn --codebook cb.gz features.csv -o features.out'
same 'the table has a column of symbols' 'cut -d, -f1 features.out | head -n 1; sed "s/.*,//" features.out | head -n 1' 'echo t; echo symbol'
holds 'equal for rows that are near' 'set -- $(sed "1d; s/.*,//; s/^\$/none/" features.out) && [ $1 = $2 ] && [ $3 = $5 ] && [ $1 != $3 ] && [ $4 = none ]'
same 'other columns are kept' 'sed "s/,[^,]*\$//" features.out' 'cat features.csv'
same 'a list is the same' 'vq-kmeans -k 2 --columns speed,turn features.csv' 'cat features.out'
exits 3 'a list with a name that is none' 'vq-kmeans -k 2 --columns speed,,turn features.csv'
says 'is refused' "no column ''"
same 'a table is encoded by a codebook' 'vq-kmeans --encode cb.gz --columns speed --columns turn features.csv' 'cat features.out'
exits 0 'walkconv takes the symbols' "walkconv --see symbol --moves --derive-actions none features.out -o fw.gz"
same 'standard input' 'vq-kmeans -k 2 --columns speed --columns turn <features.csv' 'cat features.out'
table_fault() { # NAME TEXT MESSAGE
	printf "$2" >bad.csv
	exits 3 "refused: $1" 'vq-kmeans -k 1 --columns a bad.csv -o never'
	exactly '  saying so' "vq-kmeans: 'bad.csv': $3"
}
table_fault 'no such column' 'b\n1\n' "line 1: no column 'a'"
table_fault 'no number' 'a\nfast\n' "line 2: 'fast' is not a number"
table_fault 'too few fields' 'a,b\n1,2\n1\n' 'line 3: 1 field, but the first line has 2'
table_fault 'a column of symbols' 'a,symbol\n1,2\n' "line 1: there is a column 'symbol' already"
table_fault 'nothing' '' 'unexpected end: no names of columns'
table_fault 'no row' 'a\nNA\n' 'no row has all of these columns'
exits 2 'columns and frames' 'vq-kmeans -k 1 --columns a --frames f.npy'
exactly 'do not go together' 'vq-kmeans: --columns is for one table, without --frames (try --help)'
exits 2 'two tables' 'vq-kmeans -k 1 --columns a b.csv c.csv'
finish
