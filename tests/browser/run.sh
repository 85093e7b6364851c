#!/bin/sh
# run.sh - pages of cscg-show --as html in a real browser, as TAP.
#
# BUILD says where the tools are.  Needs node and Chromium (or what BROWSER
# names).  SHOTS=DIR keeps screenshots.
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build}"
PATH=$BUILD:$PATH
export PATH LC_ALL=C
. "$top/tests/browser/find.sh"
[ ! "$missing" ] || { echo 'run.sh: no' "$missing" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-pages.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# A model with no coordinates of its own, a walk on it and a plan from its end.
roomgen hole --size 7x8 --hole 3x2 -s 3 -o room.gz || exit 1
roomgen hole --size 7x8 --hole 3x2 -s 3 --as model --no-gzip |
    sed 's/"coords":.*"history"/"history"/' >model || exit 1
roomwalk -n 60 -s 3 room.gz -o walk.gz || exit 1
cscg-plan -w walk.gz --goal start --json model >plan || exit 1
cscg-show --as html -w walk.gz --plan plan -o map.html model || exit 1
sed 's/.*"length":\([0-9]*\).*/\1/' plan >length
sed 's/.*"states":\[[0-9,]*,\([0-9]*\)\].*/\1/' plan >goal
cscg-show --as tsv model | awk -F '\t' '$2 == 5 {
	printf "%s%s %s %.4g %.4g", n++ ? "; " : "", $1, $3, $4, $5 }' >moves
cscg-show --as tsv model | awk -F '\t' '$2 == 5 && $3 != 5 { print $3; exit }' >neighbour

# Names that contain markup and script, which must be escaped.
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":2,"n_actions":2,"n_obs":2,"actions":["</script><img src=x onerror=hacked=1>","<b>&amp;<!-- "],"symbols":["\"],x:[","\u2028<script>hacked=1</script>"],"obs":[0,1],"next":[[1,0],[0,1]]}' |
    cscg-show --as html -o odd.html || exit 1

# A model drawn in 3D, with names of symbols.
# The torus has 31 symbols.
roomgen torus -s 3 --as model --no-gzip |
    sed 's/"coords":.*"history"/"history"/' >plain || exit 1
names=$(awk -v n=31 'BEGIN { for (i = 0; i < n; i++) printf "%s\"look %d\"", i ? "," : "", i }')
sed "s/\"n_obs\":[0-9]*/&,\"symbols\":[$names]/" plain >named || exit 1
cscg-show --as html -o torus.html named || exit 1

# Names of any length, narrow and wide, with letters beyond ASCII and beyond 16 bits.
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":7,"n_actions":1,"n_obs":7,"symbols":["a","hall","MMMMM","illil","Fußgängerüberführung, 2. Stock","😀😀😀😀😀😀😀😀","corner of the room"],"obs":[0,1,2,3,4,5,6],"next":[[1,2,3,4,5,6,0]]}' |
    cscg-show --as html -o names.html || exit 1
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":3,"n_actions":1,"n_obs":3,"symbols":["a","hall","MMMM"],"obs":[0,1,2],"next":[[1,2,0]]}' |
    cscg-show --as html -o short.html || exit 1

roomgen rectangle --size 45x45 --as model --no-gzip |
    sed 's/"coords":.*"history"/"history"/' |
    cscg-show --as html -o big.html || exit 1

[ ! "${SHOTS-}" ] || mkdir -p "$SHOTS"
node "$top/tests/browser/page.js" "$dir" "$browser"
