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

# Files whose values change inside their ranges: most are accepted (values.py).
if has_python; then
	values="python3 '$TOP/tests/fuzz/values.py'"
	for t in model:model walk:walk room:room codebook:book csv:table; do
		exits 0 "${t%:*}: 500 files are accepted" "$values read -n 500 ${t%:*} \
		    '$BUILD/tests/fuzz/replay_${t%:*}' corpus/set/${t#*:}-*"
	done
	exits 0 '500 jobs of all tools are accepted' "$values run -n 500 '$BUILD' corpus/set"
	cp "$out" table
	sed 's/^/# /' table
	holds 'accepted jobs of each tool' "for t in \$(all_tools); do awk -v t=\"\$t\" \
	    -F '\t' 'index(\$1, t) == 1 { n += \$3 } END { exit !n }' table || echo \"\$t\"
	    done | { ! grep .; }"
else
	tap 0 'files that are accepted # SKIP no python3'
fi

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
	same 'twelve targets find nothing' "grep -c '	0$' '$out'" 'echo 12'
else
	tap 0 'a short search # SKIP clang or its fuzzer is not here'
fi

finish
