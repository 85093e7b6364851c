#!/bin/sh
# keep.sh BUILD [NAME]... - write the results that tests/cli/freeze.t compares
# with, of these pipelines or of all; BUILD is one of commit 44a3004
#
# kept/list.txt has a pipeline and some of its files a line: those that are the
# same, to 1e-5, for all kernels, for gcc and clang and for -O1 and -O3.  Frames
# and generated streets are not: they depend on the order in which a compiler
# evaluates arguments.
set -eu
FREEZE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools.sh
. "$FREEZE/tools.sh"
build=$(cd "$1" && pwd)
shift
only=" $* "
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-freeze.XXXXXX")
trap 'rm -rf "$dir"' EXIT
while read -r name files; do
	case $only in "  " | *" $name "*) ;; *) continue ;; esac
	freeze_run "$name" "$dir/$name" "$build"
	freeze_unpack "$dir/$name"
	# shellcheck disable=SC2086 # names are words
	freeze_text "$dir/$name" $files | gzip -9n >"$FREEZE/kept/$name.gz"
done <"$FREEZE/kept/list.txt"
