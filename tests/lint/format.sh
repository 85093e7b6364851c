#!/bin/sh
# format.sh [TOP] - C sources that .clang-format would change
#
# Lists them and returns 1 if there are any; "clang-format -i FILE" formats a file.
# Other versions of clang-format lay out differently, so without version 14
# (Debian: clang-format) the check is skipped.
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2
for tool in clang-format-14 clang-format; do
	version=$("$tool" --version 2>/dev/null |
	    sed -n 's/.*version \([0-9]*\).*/\1/p')
	[ "$version" = 14 ] && break
done
if [ "$version" != 14 ]; then
	echo 'SKIP clang-format: version 14 is not installed'
	exit 0
fi
files=$(find cmd data lib tests -name '*.[ch]' | LC_ALL=C sort)
n=$(echo "$files" | wc -l)
cores=$(nproc 2>/dev/null || echo 1)
# Each process prints once, at its end, so that lines do not mix.
bad=$(echo "$files" | xargs -n 40 -P "$cores" sh -c '
	said=$("$0" --dry-run -Werror "$@" 2>&1) && exit
	echo "$said" | sed -n "s/^\([^: ]*\):[0-9:]* error: .*/\1/p" | sort -u |
	    grep . || echo "$said"' "$tool" | LC_ALL=C sort)
if [ -z "$bad" ]; then
	echo "clang-format: clean, $n files"
	exit 0
fi
echo "$bad"
echo "clang-format: findings in $(echo "$bad" | wc -l) of $n files" >&2
exit 1
