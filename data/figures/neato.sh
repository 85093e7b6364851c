#!/bin/sh
# neato.sh DOT - draw a graph whose nodes have coordinates, as SVG; the colours of the
# edges name the actions, so their labels, which would overlap, are left out
. "$(dirname "$0")/common.sh"
need neato graphviz
scratch
sed '/ -> /s/ label="[^"]*"//' "$1" | neato -n2 -Tsvg >"$dir/svg"
whole "$dir/svg" '</svg>'
cat "$dir/svg"
