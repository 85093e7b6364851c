#!/bin/sh
# fuzz.t - readers refuse malformed input: seeds, inputs that once failed, and a
# short search on request
# all: replays the inputs of tests/fuzz
. "$(dirname "$0")/../tap.sh"

exits 0 'seeds are made' "sh '$TOP/tests/fuzz/seeds.sh' '$PWD/corpus'"
for t in codebook csv env map model npy options plan room stream street walk; do
	exits 0 "$t: seeds are read or refused" \
	    "find corpus/$t '$TOP/tests/fuzz/found/$t' -type f 2>/dev/null |
	    xargs '$BUILD/tests/fuzz/replay_$t'"
done

# The search is not deterministic: it is made for FUZZ_TIME seconds, if that is
# set.
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n)
    { return d && n ? 0 : 0; }' >tiny.c
if [ -z "${FUZZ_TIME-}" ]; then
	tap 0 'a short search # SKIP FUZZ_TIME is not set'
elif clang -fsanitize=fuzzer,address -o tiny tiny.c 2>/dev/null; then
	exits 0 'a short search finds nothing' \
	    "make -C '$TOP' BUILD='$BUILD' fuzz FUZZ_TIME=$FUZZ_TIME"
	cat "$out"
	same 'by twelve targets' "grep -c '	0$' '$out'" 'echo 12'
else
	tap 0 'a short search # SKIP clang or its fuzzer is not here'
fi

finish
