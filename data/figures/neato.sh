#!/bin/sh
# neato.sh DOT - a graph whose nodes have places, as SVG
. "$(dirname "$0")/common.sh"
need neato graphviz
scratch
neato -n2 -Tsvg "$1" >"$dir/svg"
whole "$dir/svg" '</svg>'
cat "$dir/svg"
