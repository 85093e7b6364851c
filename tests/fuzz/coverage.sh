#!/bin/sh
# coverage.sh - make fuzz-coverage: what share of each reader's lines the corpora
# reach, by gcov; $BUILD is a build with --coverage, $CORPUS has the corpora
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
readers='codebook lib/codebook_io.c
csv lib/csv.c
env lib/env_io.c
map lib/grid_io.c lib/voxel_io.c
model lib/model_io.c
npy lib/npy.c
options cmd/cmd_opt.c
room lib/room_io.c lib/voxel_json_io.c
stream lib/stream.c
street lib/street_io.c
walk lib/walk_io.c lib/walk_line.c lib/walk_line_io.c lib/walk_frame_io.c'
find "$BUILD" -name '*.gcda' -exec rm -f {} +
for d in "$CORPUS"/*/; do
	t=$(basename "$d")
	find "$d" "$here/found/$t" -type f 2>/dev/null |
	    xargs "$BUILD/tests/fuzz/replay_$t" >/dev/null 2>&1 ||
	    { echo "coverage.sh: $t failed" >&2; exit 1; }
done
printf '#target\tfile\tlines\treached\tshare\n'
echo "$readers" | while read -r t files; do
	for f in $files; do
		[ -e "$root/$f" ] || continue
		(cd "$root" && gcov -n -o "$BUILD/${f%.c}.o" "$f" 2>/dev/null) |
		    awk -v t="$t" -v f="$f" '
		    $0 ~ "^File .*" f { want = 1 }
		    want && /^Lines executed/ {
			split($0, p, /[:% ]+/)
			printf "%s\t%s\t%d\t%d\t%.1f %%\n", t, f, p[5],
			    p[3] * p[5] / 100 + .5, p[3]
			exit
		    }'
	done
done
