#!/bin/sh
# coverage.sh [--all | NAME...] - lines and branches covered by the tests
#
# Runs the tests as tests/run.sh does, with the programs in $BUILD, which count, and
# prints the sums; $BUILD/coverage.txt has those of each file, $BUILD/coverage.json
# all lines.  Without arguments it runs no test and reads the counters that are there.
#
# A branch is one of the two directions of a jump in code that gcc -O0 made from a
# line of lib/ or cmd/, taken at least once.  gcovr leaves out the branches of lines
# without a statement (a closing brace).  A source that is compiled for several kinds
# of CPU counts once: a branch is covered if one of them takes it.  lib/dist/ranks.c
# is the version with MPI if there is one.
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build/covered}"
export BUILD
command -v gcovr >/dev/null || {
	echo 'SKIP coverage: gcovr is not installed'
	exit 1
}
cd "$top" || exit
if [ "${1-}" = --all ]; then
	# Not those that build and check sources only, or tools of their own.
	set -- $(sh tests/run.sh --list | cut -f 2 | sed 's,.*/,,' | grep -vx -e lint.t \
	    -e clang.t -e compilers.t -e mutate.t -e install.t -e build.t -e layers.t \
	    -e report-browser.t)
fi
if [ $# != 0 ]; then
	# Other users write counters as well, and a process that cannot must not
	# say so where a test reads its messages.
	chmod -R a+rwX "$BUILD"
	(
		umask 0
		GCOV_ERROR_FILE=$BUILD/gcov.err sh tests/run.sh "$@"
	) || echo 'coverage: not all tests passed; their counters are used'
fi
# gcovr refuses a function that is on two lines, as in the two versions of ranks.c.
plain=$BUILD/lib/dist/ranks
if [ -e "$BUILD/mpi/ranks.gcno" ]; then
	trap 'mv "$plain.gcno.plain" "$plain.gcno"' EXIT
	mv "$plain.gcno" "$plain.gcno.plain" && rm -f "$plain.gcda"
fi
gcovr -r . --object-directory "$BUILD" -f lib/ -f cmd/ -j "$(nproc)" \
    --exclude-unreachable-branches --gcov-ignore-parse-errors -s \
    --json "$BUILD/coverage.json" --branches --txt "$BUILD/coverage.txt" "$BUILD" || exit
echo "each file: $BUILD/coverage.txt"
