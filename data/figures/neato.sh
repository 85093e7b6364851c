#!/bin/sh
# neato.sh DOT - draw a graph whose nodes have coordinates, as SVG
. "$(dirname "$0")/common.sh"
need neato graphviz
scratch
neato -n2 -Tsvg "$1" >"$dir/svg"
whole "$dir/svg" '</svg>'
cat "$dir/svg"
