# Which files make rebuilds.
. "$(dirname "$0")/../tap.sh"

# With its own settings, not those of the make that runs this test.
unset MAKEFLAGS MFLAGS MAKELEVEL
mk="make -s -C '$TOP' BUILD='$dir/b'"

# Every object depends on the flags file: if it changes, all objects are
# rebuilt.
exits 0 'the flags of a build' "$mk '$dir/b/flags'"
cp b/flags before
exits 0 'an object of a test alone' "$mk '$dir/b/tests/brute/paths.o'"
same 'the flags file is unchanged' 'cat b/flags' 'cat before'
exits 0 'other flags in make' "$mk CFLAGS=-O1 '$dir/b/flags'"
holds 'the flags file has changed' '! cmp -s b/flags before'
finish
