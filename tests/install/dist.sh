#!/bin/sh
# dist.sh BUILD NAME - BUILD/NAME.tar.gz, reproducibly (make dist)
#
# In a clone the archive has the files of HEAD, whatever the work tree contains, and
# MANIFEST, their list.  Without git it has the files that MANIFEST lists, so that the
# unpacked archive gives the same bytes.  Every file has the time of the newest entry
# of debian/changelog, or SOURCE_DATE_EPOCH.
set -eu
build=$1 name=$2
cd "$(dirname "$0")/../.."
stage=$build/dist/$name
rm -rf "$build/dist"
mkdir -p "$stage"
if [ -e .git ] && git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	git archive HEAD | tar -xf - -C "$stage"
	(cd "$stage" && { find . -type f -o -type l; echo ./MANIFEST; } |
	    sed 's,^\./,,' | LC_ALL=C sort -u >"../manifest")
	mv "$build/dist/manifest" "$stage/MANIFEST"
elif [ -e MANIFEST ]; then
	tar -cf - -T MANIFEST | tar -xf - -C "$stage"
else
	echo 'dist: this is neither a clone nor an unpacked archive' >&2
	exit 1
fi
: "${SOURCE_DATE_EPOCH:=$(date -u +%s -d "$(sed -n '/^ -- /{s/.*>  //p;q;}' \
    "$stage/debian/changelog")")}"
tar -cf - -C "$build/dist" --format=ustar --sort=name --numeric-owner \
    --owner=0 --group=0 --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" "$name" |
    gzip -9n >"$build/$name.tar.gz.new"
mv "$build/$name.tar.gz.new" "$build/$name.tar.gz"
rm -rf "$build/dist"
echo "$build/$name.tar.gz"
