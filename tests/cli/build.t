# What make rebuilds.
. "$(dirname "$0")/../tap.sh"

# With the settings of its own, not of the make that runs us.
unset MAKEFLAGS MFLAGS MAKELEVEL
mk="make -s -C '$TOP' BUILD='$dir/b'"

# The flags file is what every object depends on: if it changes, all is rebuilt.
exits 0 'the flags of a build' "$mk '$dir/b/flags'"
cp b/flags before
exits 0 'an object of a test alone' "$mk '$dir/b/tests/brute/paths.o'"
same 'leaves the flags as they were' 'cat b/flags' 'cat before'
exits 0 'other flags' "$mk CFLAGS=-O1 '$dir/b/flags'"
holds 'are others' '! cmp -s b/flags before'
finish
