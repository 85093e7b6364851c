#!/bin/sh
# library.sh - rules for the library: no text in lib/ names a command-line
# option or a tool (base/error.h says how a program adds them), and no file but
# the one made for it knows Jansson or zlib.  Prints each place that does;
# status 1 if there is any.
#
#   sh tests/lint/library.sh [TOP]
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2
# Those that build and walk Jansson's values through io/json.h.
json='core/codebook.c core/codebook.h core/model_io.c core/walk_io.c
core/walk_line.c io/history.c io/json.c io/json_write.c io/sniff.c
schema/library.c show/html.c
world/room_io.c world/serve.c world/voxel_io.c'
find lib -name '*.[ch]' -o -name '*.inc' | LC_ALL=C sort |
xargs awk -v json="$json" '
BEGIN {
	n = split(json, part)
	for (i = 1; i <= n; i++)
		allowed["\"io/json.h\"", part[i]] = 1
	allowed["<jansson.h>", "io/json.h"] = 1
	allowed["<jansson.h>", "io/json_parse.h"] = 1
	allowed["<zlib.h>", "io/stream.c"] = 1
	allowed["<zlib.h>", "io/inflate.c"] = 1
	tools = "(cscg-(learn|bind|match|plan|score|show|stitch)|room(gen|walk|" \
	    "serve)|walkconv|vq-kmeans)([^a-z_]|$)"
}
function say(what) {
	print FILENAME ":" FNR ": " what
	bad++
}
FNR == 1 { comment = 0; file = FILENAME; sub(/^lib\//, "", file) }
/^#include/ {
	if (($2 == "<jansson.h>" || $2 == "<zlib.h>" || $2 == "\"io/json.h\"") &&
	    !(($2, file) in allowed))
		say("includes " $2)
	next
}
{
	line = $0
	for (;;) {
		if (comment) {
			i = index(line, "*/")
			if (!i)
				next
			line = substr(line, i + 2)
			comment = 0
		}
		# A string, a character, or the start of a comment.
		if (!match(line, /"([^"\\]|\\.)*"|\047(\\.|[^\\])[^\047]*\047|\/\*/))
			next
		text = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (text == "/*") {
			comment = 1
			continue
		}
		if (text ~ /^"/ && text ~ /(^|[^-a-z])--[a-z]/)
			say("names an option: " text)
		else if (text ~ /^"/ && text ~ tools)
			say("names a tool: " text)
	}
}
END { exit bad > 0 }' || exit 1
