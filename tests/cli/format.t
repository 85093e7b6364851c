# The layout of the C sources is that of .clang-format (make lint-format).
. "$(dirname "$0")/../tap.sh"

format="sh '$TOP/tests/lint/format.sh'"
exits 0 'the sources are laid out as .clang-format says' "$format '$TOP'"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"
if grep -q '^SKIP' "$out"; then
	tap 0 "the layout of the sources # SKIP $(sed 's/^SKIP //' "$out")"
	finish
fi

mkdir -p tree/cmd tree/data tree/lib tree/tests
cp "$TOP/.clang-format" tree
printf 'int\nf(void)\n{\n\treturn 1;\n}\n' >tree/lib/a.c
exits 0 'a formatted file' "$format tree"
prints 'is counted' 'clang-format: clean, 1 files'
printf 'int f(void) {\n  return 1;\n}\n' >tree/lib/b.c
exits 1 'a file that clang-format would change' "$format tree"
same 'only this file is named' "cat '$out'" 'echo lib/b.c'
mkdir bin
printf '#!/bin/sh\necho clang-format version 99.0\n' >bin/clang-format
cp bin/clang-format bin/clang-format-14
chmod +x bin/*
exits 0 'another version of clang-format' "PATH=$dir/bin:$PATH $format tree"
prints 'is not used' 'SKIP clang-format: version 14 is not installed'
finish
