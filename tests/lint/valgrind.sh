#!/bin/sh
# valgrind.sh - each tool under memcheck: no invalid access, no undefined value,
# no leak.  BUILD says where the tools are.
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build}"
PATH=$BUILD:$PATH
export PATH LC_ALL=C
command -v valgrind >/dev/null || {
	echo 'SKIP check-valgrind: valgrind is not installed'
	exit 1
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-valgrind.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0 bad=0

check() { # TOOL ARGUMENT...
	tool=$1
	shift
	n=$((n + 1))
	# OpenMP keeps its threads: only definitely lost blocks are leaks.
	if valgrind -q --error-exitcode=99 --leak-check=full \
	    --errors-for-leak-kinds=definite --show-leak-kinds=definite \
	    "$BUILD/$tool" "$@" </dev/null >out 2>err; then
		echo "ok $n - $tool $*"
	else
		bad=$((bad + 1))
		echo "not ok $n - $tool $*"
		sed 's/^/# /' err | head -30
	fi
}

. "$top/tests/lint/jobs.sh"
echo "1..$n"
[ $bad = 0 ]
