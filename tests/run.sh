#!/bin/sh
# run.sh [--all | NAME...] - run the unit programs and the shell tests
#
# Without arguments (make check) the tests that belong to make check-all are left
# out: those that have a line
#
#	# all: REASON		in a shell test
#	/* all: REASON */	in a unit program
#
# because they are slow or need an optional package.  TEST_SHORT is set, with which
# tests leave out slow parts.  With --all (make check-all) all tests run completely,
# with NAMEs those whose file name contains one of them.  --list prints the target of
# each test and the reason.
#
# The last line is "N passed, N failed, N skipped".  BUILD is the build folder,
# JOBS the number of tests that run at a time [one for each core].  A test that
# takes longer than TEST_LIMIT seconds [1800] fails, so that a test that hangs does
# not stop the run.
top=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=$top/build}" "${JOBS:=$(nproc 2>/dev/null || echo 1)}"
# Tests share the cores, so a thread that waits must not spin.
: "${OMP_WAIT_POLICY:=passive}"
export BUILD OMP_WAIT_POLICY
log=$BUILD/tests/log
mkdir -p "$log"
limit=
command -v timeout >/dev/null && limit="timeout -k 10 ${TEST_LIMIT:-1800}"

# Run one test: keep its output, print its line, and write its counts to a file.
one() # TEST
{
	name=$(basename "$1")
	began=$(date +%s%N)
	case $1 in
	*.c) $limit "$BUILD/${1%.c}" >"$log/$name" 2>"$log/$name.err" ;;
	*.t) $limit sh "$1" >"$log/$name" 2>"$log/$name.err" ;;
	esac
	rc=$?
	ms=$((($(date +%s%N) - began) / 1000000))
	p=$(grep -c '^ok ' "$log/$name")
	f=$(grep -c '^not ok ' "$log/$name")
	s=$(grep -c '^ok .* # SKIP ' "$log/$name")
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log/$name")
	# A program that is killed, or runs fewer tests than it planned, has
	# failed.
	if [ "$f" = 0 ] && { [ $rc != 0 ] || [ "${plan:-x}" != "$p" ]; }; then
		f=1
		echo "# $name: status $rc, plan ${plan:-none}" >>"$log/$name"
	fi
	printf '%-28s %4d ok %4d.%d s' "$name" $((p - s)) $((ms / 1000)) \
	    $((ms % 1000 / 100))
	[ "$f" = 0 ] || printf ' %4d NOT OK' "$f"
	echo
	sed -n 's/^ok [0-9]* - \(.*\) # SKIP /  SKIP \1: /p' "$log/$name"
	if [ "$f" != 0 ]; then
		grep -A6 -e '^not ok' -e '^# ' "$log/$name" | head -40
		head -20 "$log/$name.err"
	fi
	echo "$((p - s)) $f $s" >"$log/$name.count"
}

if [ "${1-}" = --one ]; then
	said=$(one "$2")	# printed at once, since other tests print as well
	printf '%s\n' "$said"
	exit 0
fi

# Why a test belongs to make check-all only; empty if it does not.
reason() # TEST
{
	sed -n -e 's/^# all: //p' -e 's,^/\* all: \(.*\) \*/$,\1,p' "$1"
}

all=$#
if [ "${1-}" = --list ]; then
	cd "$top" || exit
	for t in tests/unit/*/*.c tests/cli/*.t; do
		why=$(reason "$t")
		printf '%s\t%s\t%s\n' "$([ "$why" ] && echo check-all || echo check)" \
		    "$t" "$why"
	done
	exit
fi
[ "${1-}" = --all ] && shift
[ "$all" != 0 ] || export TEST_SHORT=1
set -- $(for t in "$top"/tests/unit/*/*.c "$top"/tests/cli/*.t; do
	name=$(basename "$t")
	[ "$all" != 0 ] || [ -z "$(reason "$t")" ] || continue
	for a in "${@:-.}"; do
		case $name in *"$a"*) echo "tests/${t#"$top"/tests/}"; break ;; esac
	done
done)
cd "$top" || exit
for t; do rm -f "$log/$(basename "$t").count"; done
# Those that take minutes begin first, so that none of them runs alone at the end.
set -- $(printf '%s\n' "$@" | grep -E '/(oom|clang|figfaults|mutate)\.t$'
	printf '%s\n' "$@" | grep -vE '/(oom|clang|figfaults|mutate)\.t$')
[ $# = 0 ] || printf '%s\n' "$@" | xargs -n 1 -P "$JOBS" sh tests/run.sh --one
# A test without a file of counts has failed.
for t; do cat "$log/$(basename "$t").count" 2>/dev/null || echo 0 1 0; done |
awk '{ passed += $1; failed += $2; skipped += $3 }
END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit !(failed == 0 && passed > 0)
}'
