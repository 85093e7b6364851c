#!/bin/sh
# layers.sh - the folders of lib/ are layers: a file includes its own folder and
# those before it in the list below, never one after it.  Files of lib/ itself,
# which implement cscg.h, come after all folders, cmd/ comes last.
# Prints each include that points upward, the headers of an include cycle, and
# the number of includes; status 1 if any points upward, names no folder or is
# part of a cycle.
#
#   sh tests/lint/layers.sh [TOP]
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2
layers='base io core dist world kernel learn schema plan show'
grep -rn '^#include "' lib --include='*.c' --include='*.h' --include='*.inc' |
sort |
awk -v layers="$layers" '
BEGIN { n = split(layers, l, " "); for (i = 1; i <= n; i++) rank[l[i]] = i }
{
	split($0, part, ":")
	n_path = split(part[1], path, "/")
	include = $0
	sub(/^[^"]*"/, "", include); sub(/".*/, "", include)
	edges++
	if (include == "cscg.h" || (n_path == 2 && include == "api.h"))
		next
	header = path[2] "/" path[3]
	if (header ~ /\.h$/ && include != header) {
		from[++n_between] = header
		into[n_between] = include
	}
	if (split(include, to, "/") < 2 || !(to[1] in rank)) {
		print part[1] ":" part[2] ": \"" include "\" names no layer"
		bad++
	} else if (n_path == 2) {
		next
	} else if (!(path[2] in rank)) {
		print part[1] ": not in a layer"
		bad++
	} else if (rank[to[1]] > rank[path[2]]) {
		print part[1] ":" part[2] ": " path[2] " includes \"" include "\""
		bad++
	}
}
# Drop headers that include none of those left, until none can be dropped: what
# is left includes itself.
function cycles(	i, dropped, uses) {
	for (i = 1; i <= n_between; i++)
		left[from[i]] = 1
	do {
		dropped = 0
		split("", uses)
		for (i = 1; i <= n_between; i++)
			if ((from[i] in left) && (into[i] in left))
				uses[from[i]] = 1
		for (i in left)
			if (!(i in uses)) {
				delete left[i]
				dropped = 1
			}
	} while (dropped)
	names = ""
	for (i = 1; i <= n_between; i++)
		if ((from[i] in left) && !index(names " ", " " from[i] " "))
			names = names " " from[i]
	return names
}
END {
	names = cycles()
	if (names != "") {
		print "include cycle:" names
		bad++
	}
	printf "%d includes, %d point upward\n", edges, bad
	exit bad > 0
}'
