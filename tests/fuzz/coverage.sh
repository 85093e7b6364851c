#!/bin/sh
# coverage.sh - make fuzz-coverage: lines of each reader that the corpora cover, by
# gcov; $BUILD is a build with --coverage, $CORPUS has the corpora
#
# Prints a line for each file: target, file, lines, those reached, percent.  With
# COVERAGE_MISSED=FILE, the lines that are not reached go there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
readers='codebook lib/core/codebook.c lib/io/json.c
csv lib/io/csv.c lib/core/walk_table.c
env lib/world/serve.c
map lib/world/grid.c lib/world/voxel_io.c
model lib/core/model_io.c lib/core/codebook.c
npy lib/io/npy.c lib/core/frames.c
options cmd/options.c
plan lib/show/html.c
room lib/world/room_io.c lib/world/voxel_io.c
stream lib/io/stream.c
street lib/world/street.c
walk lib/core/walk_io.c lib/core/walk_line.c
(all) lib/io/json.c lib/io/history.c'
missed=${COVERAGE_MISSED:-/dev/null}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
find "$BUILD" -name '*.gcda' -exec rm -f {} +
for d in "$CORPUS"/*/; do
	t=$(basename "$d")
	find "$d" "$here/found/$t" -type f -print0 2>/dev/null |
	    xargs -0 "$BUILD/tests/fuzz/replay_$t" >/dev/null 2>"$tmp/err" ||
	    { echo "coverage.sh: $t failed" >&2; tail -3 "$tmp/err" >&2; exit 1; }
done
: >"$missed"
printf '#target\tfile\tlines\treached\tpercent\n'
echo "$readers" | while read -r t files; do
	for f in $files; do
		o=$BUILD/${f%.c}
		(cd "$root" && gcov -t -o "$o.o" "$f" 2>/dev/null) |
		    awk -F: -v t="$t" -v f="$f" -v missed="$missed" '
		    $3 == "Source" { mine = $4 ~ f "$" }
		    !mine { next }
		    $1 ~ /#####/ { n++; print f ":" $2 + 0 ":" substr($0,
		        length($1 ":" $2 ":") + 1) >>missed; next }
		    $1 ~ /[0-9]/ { n++; hit++ }
		    END { printf "%s\t%s\t%d\t%d\t%.1f\n", t, f, n, hit,
			n ? 100 * hit / n : 0 }'
	done
done
