#!/bin/sh
# coverage.sh - lines and branches covered by the tests, from the counters in $BUILD:
# $BUILD/coverage.txt for each file, and the sum on standard output
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build/covered}"
command -v gcovr >/dev/null || {
	echo 'SKIP coverage: gcovr is not installed'
	exit 1
}
cd "$top" || exit
# Objects built again with MPI have functions on other lines, which gcovr 5 refuses.
gcovr -r . --object-directory "$BUILD" -f lib/ -f cmd/ -j "$(nproc)" \
    --exclude-directories '.*/mpi$' \
    --exclude-unreachable-branches --gcov-ignore-parse-errors -s \
    -o "$BUILD/coverage.txt" "$BUILD" || exit
echo "each file: $BUILD/coverage.txt"
