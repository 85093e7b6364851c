# make lint has no findings.
# all: slow (45 s), needs the packages of DEPS_LINT
. "$(dirname "$0")/../tap.sh"

if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'the source is clean # SKIP looked at in the plain build'
	finish
fi
# With its own settings, not those of the make that runs this test.
unset MAKEFLAGS MFLAGS MAKELEVEL
make -C "$TOP" --no-print-directory BUILD="$BUILD" lint >said 2>"$err"
rc=$?
for c in 'gcc warnings' cppcheck clang-format shellcheck 'mandoc -Tlint'; do
	if grep -q "^SKIP $c: " said; then
		tap 0 "$c # SKIP $(sed -n "s/^SKIP $c: //p" said)"
	else
		holds "$c: clean" "grep '^$c: clean, ' said || { grep -v ': clean' said; false; }"
	fi
done
holds 'make lint succeeds' "[ $rc = 0 ]"

# Each checker finds a fault that is inserted.
found() { # CHECKER FILE MESSAGE
	if ! command -v "$1" >/dev/null; then
		tap 0 "$1 detects a fault # SKIP not installed"
		return
	fi
	shift
	sh "$TOP/tests/lint/run.sh" report "$@"
	holds "$1 detects a fault" '[ -s report ]'
	holds 'say.sh reports the fault with status 1' \
	    "sh '$TOP/tests/lint/say.sh' sh it report >got 2>&1; [ \$? = 1 ] && grep -q '^it: findings in 1 of 1 reports' got"
}
printf 'int f(long n);\nint\nf(long n)\n{\n\treturn n;\n}\n' >narrow.c
found gcc gcc -Wconversion -c -o /dev/null narrow.c
printf 'int f(void);\nint\nf(void)\n{\n\tint a[2] = { 0, 0 };\n\treturn a[2];\n}\n' >past.c
found cppcheck cppcheck -q past.c
# shellcheck disable=SC2016 # the fault is in the script
printf 'echo $a >$b; rm -r "$c/"*\n' >bad.sh
found shellcheck shellcheck -s sh -f gcc bad.sh
printf '.Dd x\n.Dt A 1\n.Nosuch\n' >page.1
found mandoc mandoc -Tlint -W warning page.1
sh "$TOP/tests/lint/run.sh" none no-such-checker x
holds 'a checker that is missing leaves no report' '[ ! -e none ]'
same 'the missing checker is skipped by name' "sh '$TOP/tests/lint/say.sh' no-such-checker it none" \
    'echo "SKIP it: no-such-checker is not installed"'
finish
