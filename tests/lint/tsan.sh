#!/bin/sh
# tsan.sh - threaded code under ThreadSanitizer: unit programs and tools with
# two threads.  BUILD says where a build with -fsanitize=thread is.
top=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$top/build/tsan}"
PATH=$BUILD:$PATH
export PATH LC_ALL=C
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-tsan.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# Archer tells the sanitizer what OpenMP's barriers and locks order; libomp
# itself is not instrumented.
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -n 1)
[ "$archer" ] && export OMP_TOOL_LIBRARIES="$archer"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66 report_signal_unsafe=0"
[ "$archer" ] || echo '# no libarcher: barriers may be taken for races'

# Few updates in the unit program that makes most of them.
export TEST_SHORT=1

check() { # TOOL ARGUMENT...
	n=$((n + 1))
	"$@" </dev/null >out 2>err
	rc=$?
	if [ $rc -le 1 ] && ! grep -q 'WARNING: ThreadSanitizer' err; then
		echo "ok $n - $*"
	else
		bad=$((bad + 1))
		echo "not ok $n - $* (status $rc)"
		sed 's/^/# /' err | head -40
	fi
}

# Tools take seconds, unit programs minutes.
cd "$dir" || exit 1
. "$top/tests/lint/jobs.sh"
cd "$top" || exit 1
for t in "$BUILD"/tests/unit/*/*; do
	[ -x "$t" ] && [ -f "$t" ] && case $t in *.o|*.d) ;; *)
		OMP_NUM_THREADS=2 "$t" >"$dir/out" 2>"$dir/err"
		rc=$?
		n=$((n + 1))
		if [ $rc = 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$dir/err"; then
			echo "ok $n - unit ${t##*/}"
		else
			bad=$((bad + 1))
			echo "not ok $n - unit ${t##*/} (status $rc)"
			grep '^not ok' "$dir/out" | head -5
			sed 's/^/# /' "$dir/err" | head -40
		fi ;;
	esac
done
echo "1..$n"
[ $bad = 0 ]
