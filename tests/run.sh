#!/bin/sh
# Run the unit programs and the shell tests, or those whose name contains one
# of the arguments; end with "N passed, N failed, N skipped".  BUILD says where
# the tools are.
top=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=$top/build}"
export BUILD
log=$BUILD/tests/log
mkdir -p "$log"
passed=0 failed=0 skipped=0
for t in "$top"/tests/unit/*.c "$top"/tests/cli/*.t; do
	name=$(basename "$t")
	if [ $# -gt 0 ]; then
		want=
		for a; do case $name in *"$a"*) want=1 ;; esac; done
		[ "$want" ] || continue
	fi
	began=$(date +%s%N)
	case $t in
	*.c) "$BUILD/tests/unit/${name%.c}" >"$log/$name" 2>"$log/$name.err" ;;
	*.t) sh "$t" >"$log/$name" 2>"$log/$name.err" ;;
	esac
	rc=$?
	ms=$((($(date +%s%N) - began) / 1000000))
	p=$(grep -c '^ok ' "$log/$name")
	f=$(grep -c '^not ok ' "$log/$name")
	s=$(grep -c '^ok .* # SKIP ' "$log/$name")
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log/$name")
	# A program that dies, or runs fewer tests than it planned, has failed.
	if [ "$f" = 0 ] && { [ $rc != 0 ] || [ "${plan:-x}" != "$p" ]; }; then
		f=1
		echo "# $name: status $rc, plan ${plan:-none}" >>"$log/$name"
	fi
	passed=$((passed + p - s)) skipped=$((skipped + s)) failed=$((failed + f))
	printf '%-28s %4d ok %4d.%d s' "$name" $((p - s)) $((ms / 1000)) \
	    $((ms % 1000 / 100))
	[ "$f" = 0 ] || printf ' %4d NOT OK' "$f"
	echo
	sed -n 's/^ok [0-9]* - \(.*\) # SKIP /  SKIP \1: /p' "$log/$name"
	if [ "$f" != 0 ]; then
		grep -A6 -e '^not ok' -e '^# ' "$log/$name" | head -40
		head -20 "$log/$name.err"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
