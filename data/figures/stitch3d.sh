#!/bin/sh
# stitch3d.sh - the four-room 3D world, observed as images, composed of schemas
# (fig-stitch3d); stitch.sh runs and tabulates the experiments
#
#   stitch3d.sh world DIR     the six rooms with doors, their exact schemas
#                             (DIR/exact), the world (DIR/place.room) and a world
#                             with two halls (DIR/twice.room)
#   stitch3d.sh mark DIR ROOM SCHEMA       a learned schema, with frontiers at the
#                             doors of the room (DIR/learned)
#   stitch3d.sh walks DIR SEED             the world with theme SEED: a cover walk of
#                             $STEPS (50,000), whose prefixes are the training data,
#                             as symbols of a codebook of $K (80) fitted to all of
#                             it, and ten random test walks of $TEST (10,000), in
#                             symbols of the same codebook
#   stitch3d.sh wrong DIR SEED             libraries with missing, additional or
#                             repeated schemas, one row each, walks of $STEPS (5,000)
#
# $PLACE are the options of roomgen voxel for the world (--map compose4).
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/stitch-parts.sh"
what=$1
shift
LABELS=ignore

# Rooms have doors on all sides: those of the world, and others that are walls in it.
doors()
{
	case $1 in
	room1) echo 0,3,north 2,8,east 4,4,south 2,0,west ;;
	room2) echo 0,3,north 1,6,east 6,1,south 3,0,west ;;
	room3) echo 0,0,north 2,6,east 4,6,east 5,3,south 3,0,west ;;
	room4) echo 0,3,north 1,6,east 4,2,south 4,5,south 2,0,west 4,0,west ;;
	room5) echo 0,4,north 1,7,east 4,3,south 3,0,west ;;
	room6) echo 0,0,north 0,3,north 4,6,east 5,1,south 3,0,west ;;
	esac
}

make_room() # NAME
{
	args=
	for d in $(doors "$1"); do args="$args --door $d"; done
	# shellcheck disable=SC2086
	roomgen voxel --map "$1" $args
}

in_light() # THEME OPTIONS: the world
{
	theme=$1
	shift
	# shellcheck disable=SC2086
	roomgen voxel ${PLACE:---map compose4} --theme "$theme" "$@"
}

# seen ROOM SEED STEPS EPISODES POLICY: a walk with rendered views
seen()
{
	roomwalk --render --no-gzip -s "$2" -n "$3" --episodes "$4" --policy "$5" "$1"
}

# The node of each state of a schema, by a walk in the room with unique symbols:
# lines of state, node.
places() # ROOM SCHEMA
{
	roomwalk -n 5000 --policy cover "$1" -o "$dir/w.gz"
	cscg-bind -q --tie none -w "$dir/w.gz" "$2" -o "$dir/bound.gz"
	cscg-score --decode -w "$dir/w.gz" "$dir/bound.gz" | awk -F '\t' '
	/^#/ || $5 == "-" { next }
	{ n = ++seen[$5, $6]; if (n > most[$5]) { most[$5] = n; node[$5] = $6 } }
	END { for (s in node) print s, node[s] }' | sort -n
}

case $what in
world)
	home=$1
	mkdir -p "$home/rooms" "$home/exact" "$home/learned"
	for r in room1 room2 room3 room4 room5 room6; do
		into "$home/rooms/$r.room" make_room $r
		roomgen room --as model "$home/rooms/$r.room" -o "$home/exact/$r.gz"
	done
	in_light 0 -o "$home/place.room"
	into "$home/twice.txt" cat <<-'END'
	                  0>>2222
	0000000000000000000>>2222
	00000000000000000000###vv
	00#000#0000#000#000000#vv
	0000000000000000000000444
	0000000000000000000000444

	part hall 1,0 5x9
	part hall2 1,9 5x9
	part tower 0,18 6x7
	door 3,8 east
	door 3,17 east
	END
	roomgen voxel --map "$home/twice.txt" -o "$home/twice.room" ;;
mark)
	home=$1 room=$2 schema=$3
	scratch
	places "$home/rooms/$room.room" "$schema" >"$dir/places"
	# States of an exact schema are nodes; forward is action 0.
	cscg-show --frontiers given "$home/exact/$room.gz" | awk -F '\t' '
	FILENAME == "-" { if (!/^#/) { if ($2 == "-") entry[$1]; else exit_[$1] } next }
	{ split($0, p, " ") }
	p[2] in exit_ { exits = exits (exits != "" ? "," : "") "[" p[1] ",0]" }
	p[2] in entry { entries = entries (entries != "" ? "," : "") p[1] }
	END { print "\"frontiers\":[" exits "],\"entries\":[" entries "]," }' - "$dir/places" >"$dir/gates"
	cscg-show --as schema "$schema" --no-gzip |
	    sed "s/\"history\":/$(cat "$dir/gates")&/" | gzip -n >"$dir/s.gz"
	into "$home/learned/$room.gz" cat "$dir/s.gz" ;;
walks)
	home=$1 seed=$2
	scratch
	in_light "$seed" -o "$dir/room"
	seen "$dir/room" "$seed" "${STEPS:-50000}" 1 cover |
	    vq-kmeans -q -k "${K:-80}" -s "$seed" --codebook "$home/book-$seed.gz" -o "$home/walk-$seed.gz"
	seen "$dir/room" "1$seed" "${TEST:-10000}" 10 random |
	    vq-kmeans -q --encode "$home/book-$seed.gz" -o "$home/test-$seed.gz" ;;
wrong)
	home=$1 seed=$2
	scratch
	walkconv --head "${STEPS:-5000}" "$home/walk-$seed.gz" -o "$dir/place.gz"
	seen "$home/twice.room" "$seed" "${STEPS:-5000}" 1 cover |
	    vq-kmeans -q -k "${K:-80}" -s "$seed" -o "$dir/twice.gz"
	e=$home/exact
	in_place() { n=$1; shift; try "$n" "$seed" "$home/place.room" "$dir/place.gz" "$@"; }
	in_twice() { n=$1; shift; try "$n" "$seed" "$home/twice.room" "$dir/twice.gz" "$@"; }
	in_place right "$e/room1.gz" "$e/room3.gz" "$e/room4.gz" "$e/room6.gz"
	in_place 'decoys added' "$e"/room?.gz "$e/room2.gz" "$e/room5.gz"
	in_place 'two missing' "$e/room3.gz" "$e/room6.gz"
	in_place 'two missing, decoys' "$e/room3.gz" "$e/room6.gz" "$e/room2.gz" "$e/room5.gz"
	in_twice 'one needed twice, there' "$e/room1.gz*2" "$e/room6.gz"
	in_twice 'one needed twice, once there' "$e/room1.gz" "$e/room6.gz"
	in_twice 'all six twice' "$e/room1.gz*2" "$e/room2.gz*2" "$e/room3.gz*2" \
	    "$e/room4.gz*2" "$e/room5.gz*2" "$e/room6.gz*2" ;;
*) echo "stitch3d.sh: no '$what'" >&2; exit 2 ;;
esac
