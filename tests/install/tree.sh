#!/bin/sh
# tree.sh DIR - copy this source tree, as it is now, to the new directory DIR: tracked
# files and untracked ones that are not ignored, or those that MANIFEST lists
set -eu
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
if [ -e .git ] && command -v git >/dev/null; then
	git -c safe.directory='*' ls-files -co --exclude-standard |
	    while IFS= read -r f; do [ ! -e "$f" ] || echo "$f"; done
elif [ -e MANIFEST ]; then
	cat MANIFEST
else
	find . -type f ! -path './build/*' ! -path './.git/*'
fi | tar -cf - -T - | tar -xf - -C "$to"
