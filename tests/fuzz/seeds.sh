#!/bin/sh
# seeds.sh DIRECTORY - seed files of each kind for fuzzing, made by the tools in
# $BUILD, plain and gzip; those in spoiled/ have one error each
set -eu
PATH=$BUILD:$PATH
export PATH
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$dir/done" ] || exit 0
for t in codebook csv env inflate map model npy options plan room set stream \
    street walk; do
	mkdir -p "$dir/$t"
done
cd "$dir"

# A JSON file, and variants with one error each.
spoil() { # FILE...
	for f; do
		mkdir -p "${f%/*}/spoiled"
		awk -v dir="${f%/*}/spoiled" -v name="${f##*/}" \
		    -f "$here/spoil.awk" "$f"
	done
}

# Variants of FILE: reads sed commands, one variant for each line.
edit() { # FILE
	n=0
	mkdir -p "${1%/*}/spoiled"
	while read -r command; do
		n=$((n + 1))
		sed "$command" "$1" >"${1%/*}/spoiled/${1##*/}-sed-$n"
	done
}

# --- rooms, and the maps they are made of
roomgen rectangle --size 2x3 --no-gzip -o room/rectangle
roomgen torus --size 2x2 --slip .1 --no-gzip -o room/slip
roomgen ushape --size 4x4 --notch 2x1 -o room/ushape.gz
roomgen game --no-gzip -o room/game
roomgen street -s 3 --no-gzip -o room/street
printf '#a.\n##b\n' >map/letters
printf '###\n#.#\n###\n' >map/hole
printf '%s\n' 'ab.' 'c#d' '' '# a note' 'wrap rows' 'wrap cols' \
    'block 0,0 right' 'oneway 1,0 up' >map/rules
edit map/rules <<'END'
s/wrap rows/wrap sideways/
s/wrap rows/wrap/
s/wrap rows/wrap rows rows/
s/wrap rows/unwrap rows/
s/block 0,0/block 0;0/
s/block 0,0/block 9,0/
s/block 0,0/block 0,2/
s/0,0 right/0,0 ahead/
s/0,0 right/0,0/
s/0,0 right/0,0 right now/
s/0,0 right/0,0 right now please/
s/oneway 1,0 up/oneway 1,0 left/;s/^wrap.*//
s/block 0,0 right/block 0,1 right/;s/^wrap.*//
s/ab/\x01b/
s/ab/. ./;s/c#d/.../
s/$/\r/
s/wrap/\x00wrap/
1s/^/é/
END
printf '010\n0^0\n###\n' >map/voxel
printf '%s\n' '; a note' '00000' '00000' '00000' '' 'part a 0,0 1x5' \
    'part b 1,0 9x9' 'door 0,1 south' 'exit 0,0 north' 'wall 1,1 east' \
    >map/parts
edit map/parts <<'END'
3s/00000/0220 0/
3s/00000/0>1 0/
3s/00000/0v20/
3s/00000/0x20/
3s/00000/0>>/
3s/00000/     /
/^[0;]/d
s/0,0 1x5/0;0 1x5/
s/0,0 1x5/0,0 15/
s/0,0 1x5/0,0 1x4/
s/0,0 1x5/0,0 2x5/
s/0,0 1x5/40,0 2x5/
s/part b/part a/
s/part b/part/
s/part b/part b b b/
s/part b/\x00part b/
s/part b/part \x07/
s/door 0,1/door 0;1/
s/door 0,1 south/door 0,1 east/
s/door 0,1 south/door 9,1 east/
s/door 0,1 south/door 0,1 up/
s/door 0,1 south/door 0,1/
s/door 0,1 south/door 0,1 south south/
s/exit 0,0 north/exit 0,0 east/
s/exit 0,0 north/exit 9,0 east/
s/exit 0,0 north/exit 2,3 east/
s/exit/leave/
s/^exit/   /
s/$/\r/
END
printf '0202\n' >map/steps
printf room2 >map/name
printf room22 >map/noname
awk 'BEGIN { while (n++ < 140) print "0" }' >map/long
awk 'BEGIN { while (n++ < 140) printf "0" }' >map/wide
roomgen map map/letters --no-gzip -o room/map
for l in room1 room3; do
	roomgen voxel --map $l --no-gzip -o room/$l
done
cat room/rectangle room/slip >room/two
cat room/two room/two room/two >room/six
printf '\n \n' >room/blank
printf '%s\n' '{"format":"cscg-room","version":1,"name":"two","n_nodes":2,"n_actions":2,"n_obs":2,"actions":["go","stay"],"symbols":["a","b"],"obs":[0,1],"next":[[1,0],[0,[0,0.25,1,0.75]]],"coords":[[0,0],[0,1]],"grid":{"rows":1,"cols":2,"wrap_rows":false,"wrap_cols":true},"parts":["p","q"],"part":[0,1],"frontiers":[[0,0],[1,0]],"history":[{"program":"x","version":"1","args":{"a":"b"},"seed":1}]}' \
    >room/all
edit room/all <<'END'
s/0.25,1/0.5,1/
s/0.25,1,/0.25,0,/
s/0.25,1,/0.25,9,/
s/0,0.25,1,0.75/0/
s/0,0.25,1,0.75/0,"x"/
s/0,0.25,1,0.75/0.5,1/
s/0,0.25,1,0.75/0,0.5,1,0.5/
s/\[1,0\],\[0,\[/[1,7],[0,[/
s/\[1,0\],\[0,\[/[1,"x"],[0,[/
s/\[\[0,0\],\[1,0\]\]/[[1,0],[0,0]]/
s/\[\[0,0\],\[1,0\]\]/[[0,0],[0,0]]/
s/\[\[0,0\],\[1,0\]\]/[[0,7]]/
s/\[\[0,0\],\[1,0\]\]/[[7,0]]/
s/\[\[0,0\],\[1,0\]\]/[[0]]/
s/\[0,0\],\[0,1\]/[0,0],[0]/
s/\[0,0\],\[0,1\]/[0,0],[0,"x"]/
s/"go","stay"/"go","go"/
s/"rows":1/"rows":3/
s/"seed":1/"seed":1.5/
s/}$/} x/
s/}$/,}/
s/^{/[/
END
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":8,"n_actions":1,"n_obs":1,"obs":[0,0,0,0,0,0,0,0],"next":[[0,1,2,3,4,5,6,7]],"voxel":{"map":["00"],"walls":[[0,0,1]],"theme":7},"history":[]}' |
    sed 's/,"walls":\[\[0,0,1\]\]//' >room/voxel
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":16,"n_actions":1,"n_obs":1,"obs":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"next":[[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]],"voxel":{"map":["00","00"],"walls":[[0,0,1]],"theme":7},"history":[]}' \
    >room/walls
edit room/walls <<'END'
s/\[0,0,1\]/[0,0]/
s/\[0,0,1\]/[0,0,"x"]/
s/\[0,0,1\]/[0,0,0]/
s/\[0,0,1\]/[9,0,1]/
s/\[0,0,1\]/[0,9,1]/
s/\[0,0,1\]/[0,0,4]/
s/"00","00"/"00","x0"/
s/"00","00"/"00",7/
s/"00","00"/""/
s/"00","00"/"  "/
s/"00","00"/"00","00","00"/
s/"00","00"/"0>","00"/
s/"00","00"/"00"," 0"/
END
spoil room/all room/walls

# --- walks
roomwalk -n 20 room/rectangle --no-gzip -o walk/plain
roomwalk -n 5 --episodes 3 room/slip -o walk/episodes.gz
roomwalk -n 4 --render --frame 2x2 room/room1 --no-gzip -o walk/frames ||
    rm -f walk/frames
cat walk/plain walk/plain >walk/twice
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":["go","stay"]}' \
    '{"episode":0,"x":[0,null,2],"a":[1,0],"z":[4,null,5],"r":[0,null,-1],"goal":[1,null,1],"reset":[0,2],"v":[3,null,4],"last":true}' \
    '{"episode":1,"x":[1],"a":[1]}' \
    '{"episode":1,"x":[1,2],"a":[0],"z":[1,2],"v":[1,2],"last":true}' \
    '{"end":true,"episodes":2,"steps":6}' >walk/all
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":2,"frame":[1,1,3],"priors":[0.25,0.75],"history":[]}' \
    '{"views":[{"id":7,"rgb":"/wAA"},{"id":3,"rgb":"AAD/"}]}' \
    '{"views":[{"id":12,"rgb":"AAD/"}]}' \
    '{"episode":0,"x":[0,1,0],"a":[0,0],"v":[7,3,12],"last":true}' \
    '{"end":true,"episodes":1,"steps":3}' >walk/views
cat walk/views walk/views >walk/views2
{ cat walk/all; sed 's/\["go","stay"\]/["stay","go"]/' walk/all; } >walk/turned
{ cat walk/all; sed 's/"actions":\["go","stay"\]/"symbols":["a","b","c"]/' walk/all; } >walk/named
edit walk/turned <<'END'
s/\["stay","go"\]/["stay","come"]/
6s/"n_obs":3/"n_obs":4/
6s/"n_actions":2,"n_obs":3,"actions":\["stay","go"\]/"n_actions":3,"n_obs":3/
6s/"n_obs":3/"n_obs":3,"frame":[1,1,3]/
5d
6d
2d
4d
$d
3s/"episode":1/"episode":2/
3s/"episode":1/"episode":0/
s/"last":true/"last":false/
s/"steps":6/"steps":7/
s/"episodes":2/"episodes":3/
s/"end":true/"end":false/
s/"reset":\[0,2\]/"reset":[2,0]/
s/"reset":\[0,2\]/"reset":[0,3]/
2s/"x":\[0,null,2\]/"x":[]/
2s/"x":\[0,null,2\]/"x":[0,null,3]/
2s/"a":\[1,0\]/"a":[1,2]/
2s/"a":\[1,0\]/"a":[1]/
3s/"a":\[1\]/"a":[]/
4s/"x":\[1,2\]/"x":[1,02]/
4s/"x":\[1,2\]/"x":[1,2/
4s/"x":\[1,2\]/"x":[1, 2]/
4s/"z":\[1,2\]/"z":[1]/
4s/"v":\[1,2\]/"v":[1]/
4s/}$/,"zz":1}/
END
edit walk/named <<'END'
6s/^{/{"symbols":["a","b","d"],/
1s/"actions"/"symbols":["a","b","x"],"actions"/
END
edit walk/views <<'END'
s/"id":3/"id":7/
s/"id":12/"id":7/
s/"id":12/"id":012/
s/"id":12/"id":100000000/
s/"id":3/"id":100000000/
s/"v":\[7/"v":[8/
s/AAD/AA*/
s/AAD\//AAD\/AAAA/
s/AAD\//AA==/
s/"rgb"/"bgr"/
s/,"rgb":"AAD\/"//
s/\[1,1,3\]/[1,1,4]/
s/\[1,1,3\]/[1,1]/
s/"frame":\[1,1,3\],//
s/0.25,0.75/0.5,0.75/
s/{"id":3/3,{"id":3/
END
spoil walk/all walk/views

# --- models
roomgen rectangle --size 2x3 --as model --no-gzip -o model/exact
cscg-show --as schema model/exact --no-gzip -o model/schema
cscg-show --as clones model/exact -o model/clones.gz
roomwalk -n 200 room/slip | cscg-learn --restarts 1 --iterations 5 \
    --no-gzip -o model/learned
roomwalk -n 60 room/rectangle | cscg-bind model/clones.gz --no-gzip \
    -o model/bound || rm -f model/bound
roomgen rectangle --size 2x3 --door 0,2,right --as model --no-gzip \
    -o model/door 2>/dev/null || rm -f model/door

printf '%s\n' '{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":3,"n_actions":1,"n_obs":2,"actions":["step"],"symbols":["wall","door"],"clone":[0,0,1],"pseudocount":0.5,"counts":[{"from":[0,0,1,2],"to":[0,1,2,0],"count":[1,7.5,8,8]}],"coords":[[0,0],[0,1],[1.5,1]],"frontiers":[[0,0],[2,0]],"entries":[0,2],"history":[]}' \
    >model/gates
printf '%s\n' '{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":2,"n_actions":1,"n_obs":2,"clone":[0,1],"emissions":[[0,1],[0,0.5,1,0.5]],"confidence":[1,0.5],"pi":[0.25,0.75],"pseudocount":0,"counts":[{"from":[],"to":[],"count":[]}],"fit":{"steps":5,"nats_per_step":0.5},"history":[]}' \
    >model/bound2
printf '%s\n' '{"format":"cscg-model","version":1,"kind":"schema","precision":"single","n_states":1,"n_actions":1,"n_obs":1,"pseudocount":1e-4,"counts":[{"from":[0],"to":[0],"count":[2]}],"history":[]}' \
    >model/one
edit model/gates <<'END'
s/"from":\[0,0,1,2\]/"from":[0,1,0,2]/
s/"to":\[0,1,2,0\]/"to":[1,0,2,0]/
s/"to":\[0,1,2,0\]/"to":[1,1,2,0]/
s/7.5/-7.5/
s/7.5/0/
s/\[0,1\],\[1.5/[0],[1.5/
s/\[2,0\]/[2,1]/
s/\[2,0\]/[2]/
s/\[2,0\]/[3,0]/
s/\[2,0\]/[0,0]/
s/\[0,2\]/[2,0]/
s/\[0,2\]/[0,9]/
s/"clone":\[0,0,1\]/"clone":[0,1,0]/
s/grounded/clones/
s/grounded/schema/
END
edit model/bound2 <<'END'
s/0,0.5,1,0.5/0,0.5,1,0.4/
s/0,0.5,1,0.5/1,0.5,0,0.5/
s/0,0.5,1,0.5/0,0.5,1/
s/0,0.5,1,0.5/0,0.5,7,0.5/
s/0,0.5,1,0.5/"x",0.5/
s/0,0.5,1,0.5/0,"x"/
s/"clone":\[0,1\],//
s/0.25,0.75/0.25,0.5/
s/0.25,0.75/0,0/
s/"emissions":\[\[0,1\],\[0,0.5,1,0.5\]\],//
s/"steps":5/"steps":0/
s/"steps":5/"stops":5/
END
spoil model/gates model/bound2

# --- arrays, codebooks
cscg-show --as npy model/exact -o npy/t
cscg-show --as npy-counts model/exact -o npy/counts
head -c 200 npy/t >npy/cut
printf '\223NUMPY\1\0\106\0%-69s\n\1\2\3\4\5\6' \
    "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }" >npy/bytes
printf '\223NUMPY\1\0\106\0%-69s\n\1\2\3\4\5\6' \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }" >npy/frames
npy() { # DESCR ORDER SHAPE DATA
	printf "\\223NUMPY\\1\\0\\166\\0%-117s\\n$4" \
	    "{'descr': '$1', 'fortran_order': $2, 'shape': $3, }"
}
two=$(printf '\\%o' 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
for d in '<f8' '<f4' '<i8' '<u8' '<i4' '<u4' '<i2' '<u2' '|i1' '|u1' '|b1' \
    '|O' '>f8' '<U4'; do
	n=$(echo "$d" | tr -dc 0-9)
	npy "$d" False "($((16 / ${n:-8})),)" "$two" >"npy/$(echo "$d" | tr '<>|' lgn)"
done
npy '<i2' False '(2, 2)' '\1\0\0\0\2\0\377\377' >npy/walk2
npy '<i2' False '(2, 3)' '\1\0\0\0\0\0\2\0\0\0\1\0' >npy/walk3
npy '<i2' False '(1, 3)' '\1\0\0\0\376\377' >npy/negative
npy '<i2' False '(2,)' '\1\0\376\377' >npy/negative1
npy '<i2' False '(1, 2)' '\1\0\376\377' >npy/negative2
npy '<i2' True '(2, 2)' '\1\0\0\0\2\0\1\0' >npy/turned
npy '<i2' False '(2, 2)' '\1\0\0\0\2\0' >npy/short
npy '<i2' False '(1, 2)' '\1\0\0\0\2\0' >npy/more
npy '<i8' False '(1,)' '\1\0\0\0\0\0\0\177' >npy/large
npy '<f8' False '(1, 1)' '\0\0\0\0\0\0\370\177' >npy/nan
npy '<f4' True '(1, 1)' '\0\0\200\177' >npy/infinite
npy '<f4' False '(2, 2, 2, 2)' "$two$two$two$two" >npy/four
npy '<f4' False '(1, 1, 1, 1, 1)' "$two" >npy/five
npy '<f4' False '()' '\0\0\200\77' >npy/number
npy '<f4' False '(0,)' '' >npy/empty
npy '<f4' False '(0, 3)' '' >npy/empty2
npy '<f4' False '(9223372036854775807, 2)' '' >npy/huge
npy '<f4' False '(99999999, 99999999)' '' >npy/huge2
npy '<f4' False '(1, 99999999)' '' >npy/claim
for bad in "s/'descr'/descr/" "s/'descr':/'descr' /" "s/'descr'/'kind'/" \
    's/(2, 2)/2, 2/' 's/(2, 2)/(a, 2)/' 's/(2, 2)/(2 2)/' 's/False/0/' \
    "s/'<i2'/[1]/" "s/'<i2'/'unknown'/" "s/'<i2'/'<i2/" 's/, }/  }/' \
    's/, }/ ;}/' 's/{/(/' 's/}/}}/' "s/'shape'.*, /            /" \
    's/NUMPY./NUMPY\x02/' 's/NUMPY./NUMPY\x03/' 's/NUMPY./NUMPY\x04/' \
    's/NUMPX/NUMPY/' 's/NUMPY/NUMPX/'; do
	n=$((n + 1))
	LC_ALL=C sed "$bad" npy/walk2 >npy/bad$n
done
printf '\223NUMPY\2\0\166\0\0\1' >npy/headlong
printf '\223NUMPY\2\0\166' >npy/headcut
cp npy/frames npy/number npy/nan npy/infinite npy/f8 codebook/ 2>/dev/null || true
npy '<f8' False '(1, 2)' "$two" >codebook/centroids
npy '<f8' False '(2, 2)' "$two$two" >codebook/centroids2
npy '<f8' False '(0, 2)' '' >codebook/centroids0
npy '<f4' False '(1, 2)' '\0\0\200\177\0\0\0\0' >codebook/infinite2
npy '<f4' False '(1, 2)' '\1\0\300\177\0\0\0\0' >codebook/nan2
vq-kmeans -k 2 --codebook book --frames npy/frames -o /dev/null
gzip -dc book >codebook/two
rm -f book
if [ -e walk/frames ]; then
	vq-kmeans -k 2 --codebook book walk/frames -o /dev/null \
	    2>/dev/null && gzip -dc book >codebook/frames
	rm -f book
fi

npy '<f4' False '(3, 1, 1, 1)' '\0\0\200\77\0\0\0\100\0\0\200\100' >npy/singles
vq-kmeans --gmm -k 2 --codebook book --frames npy/singles -o /dev/null
gzip -dc book >codebook/soft
rm -f book
spoil codebook/two codebook/soft
cat codebook/two codebook/two >codebook/twice
roomwalk -n 60 --render --frame 2x2 room/room1 -o seen
vq-kmeans -k 2 --codebook book seen -o /dev/null
cscg-learn -q --clones 2 --iterations 2 --restarts 1 --gaussian book --no-gzip seen \
    -o model/looks
spoil model/looks
rm -f book seen

# --- text
walkconv walk/plain --as csv -o csv/walk 2>/dev/null || true
printf 'a,b\n"x,""y""",2\r\n' >csv/quotes
printf 'a,"b\nc\n"\n1,2\n' >csv/lines
printf 'a,"b\n' >csv/open
printf 'a\tb\n1\t\n' >csv/tabs
printf 'x,a,episode,z,reset,r,goal\n1,up,0,3,1,.5,2\n,0,0,,0,,\n2,,1,4,true,-1e3,\n' \
    >csv/table
printf 'x\ta\n1\t0\n2\t1\n' >csv/tsv
edit csv/table <<'END'
1s/x/obs/
1s/x/y/
1s/,a,/,action,/
1s/,a,/,b,/
1s/goal/x/
1s/episode/e/
1s/episode/b/
2s/up/"up, or ""not"""/
2s/up/"up/
2s/up/"up"x/
2s/up/u"p/
2s/up/u\rp/
2s/up//
2s/$/,7/
2s/,3,/,x,/
2s/,3,/,010,/
2s/,3,/,99999999999,/
2s/.5/0x5/
2s/.5/1e999/
2s/,1,/,maybe,/
4s/,1,/,0,/
s/,0,/,1,/
s/$/\r/
1s/^/\xef\xbb\xbf/
2s/up/\x00/
1d
s/^1,/red,/
s/^1,/9,/
1s/^x,/b,x,/
END
sed 's/,/\t/g' csv/table >csv/table.tsv
for f in csv/table csv/spoiled/table-sed-*; do
	# The first letter chooses the options of the table reader.
	for c in '"q"' '"s"' '"u"' '"w"' '"p"'; do
		printf '%s,' "$c" >"csv/spoiled/${f##*/}-$(echo $c | tr -d '"')"
		cat "$f" >>"csv/spoiled/${f##*/}-$(echo $c | tr -d '"')"
	done
done
# On a ring of four states, forth and back.
printf '%s\n' forth forth back >plan/words
printf '%s\n' 0 1 1 0 >plan/numbers
printf '%s\n' '' '# note' forth >plan/note
printf 'forth\nsideways\n' >plan/sideways
printf '7\n' >plan/seven
: >plan/none
roomgen rectangle --size 1x4 --obs unique --as model --no-gzip |
    cscg-plan --json --start state:0 --goal state:3 - >plan/json
sed 's/"right"/"forth"/g' plan/json >plan/forth
spoil plan/json plan/forth
printf '%s\n' N,1,40.7,-74 N,2,40.71,-74 N,3,40.7,-74.01,2 L,1,2 L,1,3 \
    >street/nodes
printf '%s\n' a,0.5,40.7,-74 b,90,40.71,-74 a,0,b b,180,a >street/other
printf '%s\r\n' '# note' '' N,1,40.7,-74 N,2,40.71,-74 L,1,2 >street/crlf
printf '# nothing\n' >street/none
edit street/nodes <<'END'
s/L,1,2/L,1,1/
s/L,1,2/L,1,3/
s/L,1,2/L,3,1/
s/L,1,2/L,1,9/
s/L,1,2/L,9,1/
s/L,1,2/L,1/
s/L,1,2/L,1,2,3,4,5,6,7/
s/N,2/N,1/
s/N,2/N,/
s/40.71/91/
s/40.71/nan/
s/40.71/1e999/
s/-74$/-181/
s/01,2$/01,x/
s/L,1,2/\x00/
END
edit street/other <<'END'
s/0.5/x/
s/a,0,b/a,x,b/
s/b,180,a/a,180,b/
s/b,180,a/L,a,b/
END

# --- live environments, command lines, bytes
{
	roomserve --steps 3 room/game </dev/null 2>/dev/null | head -n 2
	printf '%s\n' '{"x":0,"goal":1,"reward":1,"episode":0,"done":false}' \
	    '{"x":null,"done":true}' '{"a":1}' '{"a":"up"}' '{"a":null}'
} >env/turns
printf '%s\n' '{"format":"cscg-env","version":1,"n_actions":2,"n_obs":3,"actions":["up","collect"],"symbols":["a","b","c"],"collect":1,"episodes":2,"steps":9,"history":[]}' \
    '{"x":2,"goal":1,"reward":-0.5,"episode":3,"done":true,"reset":true,"distance":1.5,"z":4}' \
    '{ "x": 2 , "goal" : null, "reward":1e3,"episode":0 }' '{"a":1}' '{"a":"up"}' \
    '{"a":"no"}' '{"a":2}' '{ "a":1}' '{"x":02}' '{"x":1.5}' '{"x":3}' '{"y":1}' \
    '{"x":1,"x":2}' '{"x" 1}' '{"x":1]' '{"x":1}}' 'x' '' '{"x":1,"reward":007}' \
    '{"x":1,"reward":1.}' '{"x":1,"reward":12345678901234567}' \
    '{"x":1,"distance":-1}' '{"x":1,"done":1}' '{"x":1,"reset":"no"}' \
    '{"x":1,"z":99999999}' '{"x":1,"goal":9}' '{"x":1,"episode":-1}' \
    '{"x":1,"reward":"r"}' '{"goal":1}' '{"a":1,"b":2}' \
    '{"x":1,"reward":0.1,"distance":1e-7,"episode":12345}' >env/all
spoil env/all
printf '%s\n' -an5 --real=.5 --choice two --list a --list b -- file >options/many
printf '%s\n' --number 7 --word w -w - -s 3 -j2 --stats f >options/common
printf '%s\n' --help >options/help
for o in --version -V -h -ah --flag=1 --number --number=1.5 --number=x \
    --number=1e3 --number=1e300 --number=-9 --number=99999999999999999999 \
    --seed=1e18 --seed=-1 --real=2 --real=nan --real=1e-400 --choice=four \
    --progress=never --none --=x --fla -% -n -n7 -an7 -o --stats=- - \
    --word=x --file=f --live -qvf --no-gzip; do
	n=$((n + 1))
	printf '%s\n' "$o" >options/o$n
done
printf '%s\n' - - >options/dashes
printf '%s\n' -w- - >options/dashes2
printf '%s\n' --list a --list b --word w -w x -w y -n3 --real .25 --choice three \
    --flag a -- -b --c >options/more
cp room/ushape.gz walk/plain stream/
gzip -1c walk/plain >stream/walk.gz
cat stream/walk.gz stream/walk.gz >stream/two.gz
head -c 100 stream/walk.gz >stream/cut.gz
gzip -9c "$here/json.dict" >stream/dict.gz
{ cat stream/walk.gz; printf 'garbage'; } >stream/garbage.gz
{ cat stream/walk.gz; printf '\037'; } >stream/again.gz
{ cat stream/walk.gz; printf '\037\213\010\340'; } >stream/member.gz
{ cat stream/walk.gz; printf '\037xx'; } >stream/member2.gz
{ head -c 60 stream/walk.gz; printf '\377\377\377\377\377'; } >stream/damaged.gz
printf '\037' >stream/byte
printf '\037\213' >stream/bytes
printf '\037x\n' >stream/other
printf 'a\n\nlast' >stream/lines
awk 'BEGIN { while (n++ < 9000) print "0123456789" }' >stream/long
gzip -1c stream/long >stream/long.gz
cp stream/*.gz inflate/
gzip -9c walk/plain >inflate/best.gz
printf 'no match' | gzip -c >inflate/fixed.gz

# --- files that go together, for values.py: KIND-NAME, of one alphabet
cd set
roomgen rectangle --size 2x3 --no-gzip -o room-plain
roomgen rectangle --size 2x3 --slip .1 --door 0,2,right --no-gzip -o room-slip
roomgen room room-plain --as model --no-gzip -o model-exact
roomgen room room-slip --as model --no-gzip -o model-slip
roomwalk -n 60 --no-gzip room-plain -o walk-plain
roomwalk -n 40 --no-gzip --episodes 3 room-slip -o walk-episodes
cscg-learn -q -j1 --restarts 1 --no-gzip walk-plain -o model-learned
cscg-learn -q -j1 --structure none --clones 2 --iterations 3 --restarts 1 --no-gzip \
    walk-episodes -o model-raw
cscg-show --as schema --no-gzip model-learned -o model-schema
cscg-bind -q -j1 --restarts 1 --no-gzip model-schema -w walk-plain -o model-bound
sed 's/"version":1/"version":2/; s/"pseudocount"/"misread":0.05,&/' model-exact \
    >model-misread
cscg-show model-misread >/dev/null
cscg-plan --json --start state:0 --goal state:5 model-exact >plan-json
printf '%s\n' right right down >plan-words
printf '%s\n' 'ab.' 'c#d' '' 'wrap rows' 'block 0,0 right' >map-rules
printf '%s\n' 'aab' 'b.a' >map-letters
walkconv --as csv walk-plain >table-plain
walkconv --as csv walk-episodes >table-episodes
printf '%s\n' 'The cat sat.  The cat, too, ran!' 'A cat?  The END.' >text-cat
printf '%s\n' '0>2' 002 | roomgen voxel --map - --no-gzip -o ../voxel
roomwalk -n 12 --render --frame 4x4 --no-gzip ../voxel -o seen-frames
vq-kmeans -q -j1 -k 2 --restarts 1 --codebook ../book seen-frames -o /dev/null
gzip -dc <../book >book-plain 2>/dev/null || cp ../book book-plain
vq-kmeans -q -j1 -k 2 --gmm --restarts 1 --codebook ../book seen-frames -o /dev/null
gzip -dc <../book >book-mixture 2>/dev/null || cp ../book book-mixture
rm ../book ../voxel
cd ..
find . -size 0 -exec rm {} +
echo >'done'
