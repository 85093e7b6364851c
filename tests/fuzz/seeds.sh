#!/bin/sh
# seeds.sh DIRECTORY - small files of each kind, to begin with; made by the
# tools in $BUILD, plain and packed
set -eu
PATH=$BUILD:$PATH
export PATH
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$dir/done" ] || exit 0
for t in codebook csv env map model npy options room stream street walk; do
	mkdir -p "$dir/$t"
done
cd "$dir"

# --- rooms, and the maps they are made of
roomgen rectangle --rows 2 --cols 3 --no-gzip -o room/rectangle
roomgen torus --rows 2 --cols 2 --slip .1 --no-gzip -o room/slip
roomgen ushape --rows 4 --cols 4 --notch 2x1 -o room/ushape.gz
roomgen game --no-gzip -o room/game
roomgen street -s 3 --no-gzip -o room/street
printf '#a.\n##b\n' >map/letters
printf '###\n#.#\n###\n' >map/hole
printf '010\n0^0\n###\n' >map/voxel
roomgen map map/letters --no-gzip -o room/map
for l in room1 room3; do
	roomgen voxel --layout $l --no-gzip -o room/$l
done
cat room/rectangle room/slip >room/two

# --- walks
roomwalk -n 20 room/rectangle --no-gzip -o walk/plain
roomwalk -n 5 --episodes 3 room/slip -o walk/episodes.gz
roomwalk -n 4 --render --frame 2x2 room/room1 --no-gzip -o walk/frames ||
    rm -f walk/frames
cat walk/plain walk/plain >walk/twice
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":["go","stay"]}' \
    '{"episode":0,"x":[0,null,2],"a":[1,0],"r":[0,1.5,-1],"goal":[1,1,1],"reset":[0,0,1],"last":true}' \
    '{"end":true,"episodes":1,"steps":3}' >walk/all

# --- models
roomgen rectangle --rows 2 --cols 3 --as model --no-gzip -o model/exact
cscg-show --as schema model/exact --no-gzip -o model/schema
cscg-show --as clones model/exact -o model/clones.gz
roomwalk -n 200 room/slip | cscg-learn --restarts 1 --iterations 5 \
    --no-gzip -o model/learned
roomwalk -n 60 room/rectangle | cscg-bind model/clones.gz --no-gzip \
    -o model/bound || rm -f model/bound
roomgen rectangle --rows 2 --cols 3 --door 0,2,right --as model --no-gzip \
    -o model/door 2>/dev/null || rm -f model/door

# --- arrays, codebooks
for a in '' --counts; do
	cscg-show --as npy $a model/exact -o npy/t$a
done
head -c 200 npy/t >npy/cut
printf '\223NUMPY\1\0\106\0%-69s\n\1\2\3\4\5\6' \
    "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }" >npy/bytes
printf '\223NUMPY\1\0\106\0%-69s\n\1\2\3\4\5\6' \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }" >npy/frames
vq-kmeans -k 2 --codebook book npy/frames -o /dev/null 2>/dev/null &&
    gzip -dc book >codebook/two 2>/dev/null
rm -f book
if [ -e walk/frames ]; then
	vq-kmeans -k 2 --codebook book walk/frames -o /dev/null \
	    2>/dev/null && gzip -dc book >codebook/frames
	rm -f book
fi

# --- text
walkconv walk/plain --to csv -o csv/walk 2>/dev/null || true
printf 'a,b\n"x,""y""",2\r\n' >csv/quotes
printf 'a\tb\n1\t\n' >csv/tabs
printf '%s\n' N,1,40.7,-74 N,2,40.71,-74 N,3,40.7,-74.01,2 L,1,2 L,1,3 \
    >street/nodes
printf '%s\n' a,0.5,40.7,-74 b,90,40.71,-74 a,0,b b,180,a >street/other

# --- live worlds, command lines, bytes
{
	roomserve --steps 3 room/game </dev/null 2>/dev/null | head -n 2
	printf '%s\n' '{"x":0,"goal":1,"reward":1,"episode":0,"done":false}' \
	    '{"x":null,"done":true}' '{"a":1}' '{"a":"up"}' '{"a":null}'
} >env/turns
printf '%s\n' -an5 --real=.5 --choice two --list a --list b -- file >options/many
printf '%s\n' --number 7 --word w -w - -s 3 -j2 --stats f >options/common
printf '%s\n' --help >options/help
cp room/ushape.gz walk/plain stream/
gzip -1c walk/plain >stream/walk.gz
cat stream/walk.gz stream/walk.gz >stream/two.gz
head -c 100 stream/walk.gz >stream/cut.gz
gzip -9c "$here/json.dict" >stream/dict.gz
find . -size 0 -exec rm {} +
echo >done
