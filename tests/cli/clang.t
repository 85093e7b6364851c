# A build with clang and the OpenMP runtime of LLVM has no warnings, and the unit
# programs and threads.t pass.  The build is kept in $BUILD/clang.
# all: slow, needs clang and libomp
. "$(dirname "$0")/../tap.sh"

if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'a build by clang # SKIP in the plain build'
	finish
fi
if ! echo 'int main(void) { return 0; }' | clang -fopenmp -x c - 2>/dev/null; then
	tap 0 'a build by clang # SKIP no clang with libomp'
	finish
fi

# With its own settings, not those of the make that runs this test.
unset MAKEFLAGS MFLAGS MAKELEVEL
exits 0 'clang builds everything' \
    "make -s -j2 -C '$TOP' BUILD='$BUILD/clang' CC=clang CFLAGS=-O1 ready"
cat "$out" "$err" >said
same 'library and tools without a warning' 'grep -A3 "^\(lib\|cmd\)/.*warning:" said; :' :
BUILD=$BUILD/clang
holds 'the tools use the OpenMP runtime of LLVM' "ldd '$BUILD/cscg-learn' | grep libomp"

# Threads that cannot be created, and the unit programs.
TEST_SHORT=1 BUILD=$BUILD sh "$TOP/tests/cli/threads.t" >log 2>&1
exits 0 'threads.t passes' "cat log; ! grep -q '^not ok' log && grep -q '^1\.\.' log"
grep -A3 '^not ok' log | sed 's/^/# /'
bad=
for u in "$TOP"/tests/unit/*/*.c; do
	u=${u#"$TOP"/tests/unit/}
	(cd "$TOP" && TEST_SHORT=1 "$BUILD/tests/unit/${u%.c}") >log 2>&1 || bad="$bad $u"
done
same 'all unit programs pass' "echo '$bad'" echo
finish
