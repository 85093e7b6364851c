# Mutation testing: a few mutants, to test the target.  make mutate has more.
# all: slow, a build of its own
. "$(dirname "$0")/../tap.sh"

if ! has_python; then
	tap 0 'mutants # SKIP no python3'
	finish
fi
if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'mutants # SKIP in the plain build'
	finish
fi
mutate="python3 '$TOP/tests/mutate/mutate.py' -d '$BUILD/mutate'"

exits 0 'all mutants of a file' "$mutate --list -n 100000 lib/base/utf8.c"
same 'mutants are of six kinds' "sed -n 's/^lib.*: //p' '$out' | sort -u | tr '\n' ' '" \
    'printf "boundary compare constant drop logic swap "'
exits 0 'a seed fixes which are drawn' "$mutate --list -n 5 -s 7 lib/io/csv.c"
cp "$out" first
same 'a seed gives the same mutants' 'cat first' "$mutate --list -n 5 -s 7 lib/io/csv.c"

# Only unit programs, so that no tool is built; without a mutation they pass.
exits 0 'twenty mutants' "$mutate --units -n 20 -s 1 lib/base/utf8.c lib/io/csv.c lib/plan/plan.c"
cp "$out" table
sed 's/^/# /' table
same 'others replace those that do not count' \
    "awk -F '\t' '\$1 == \"all\" { print \$3 + \$4 + \$5, (\$7 > 0) }' table" 'echo 20 1'
same 'those that do not count are counted besides' \
    "awk -F '\t' '\$1 == \"all\" { print \$2 - \$6 - \$7 }' table" 'echo 20'
same 'a test notices at least ten' \
    "awk -F '\t' '\$1 == \"all\" { print (\$3 + \$4 >= 10) }' table" 'echo 1'
finish
