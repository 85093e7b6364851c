#!/bin/sh
# run.sh - the tests of make check-bigendian
#
# BUILD has programs for s390x, NATIVE those of this machine.  Runs the unit programs
# of readers, writers and kernels, pipelines with the tools of both, and the tests of
# files of 1.0.0.  exp() and log() of another libm may differ in the last digit, so
# results of a pipeline are equal, or equal up to the tolerance of
# tests/freeze/near.awk.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
export TEST_SHORT=1 OMP_NUM_THREADS=2
log=$BUILD/log
tools=$BUILD/tools
rm -rf "$tools"
mkdir -p "$log" "$tools"
for t in cmd/*.c; do
	t=$(basename "$t" .c)
	[ -x "$BUILD/$t" ] || continue
	printf '#!/bin/sh\nexec qemu-s390x "%s" "$@"\n' "$BUILD/$t" >"$tools/$t"
	chmod +x "$tools/$t"
done
n=0 bad=0
say() { # STATUS NAME
	n=$((n + 1))
	[ "$1" = 0 ] || { bad=$((bad + 1)); printf 'not '; }
	echo "ok $n - $2"
}

case $(qemu-s390x "$BUILD/roomgen" --version) in cscg\ *|roomgen\ *) ;; *) false ;; esac
say $? 'the tools run'

# Not the longest ones, which take minutes under qemu.
for u in tests/unit/base/*.c tests/unit/io/*.c tests/unit/core/*.c tests/unit/world/*.c \
    tests/unit/show/*.c tests/unit/api/*.c tests/unit/kernel/[dfps]*.c tests/unit/plan/plan.c \
    tests/unit/schema/bind.c tests/unit/schema/stitch.c tests/unit/schema/track_exact.c \
    tests/unit/learn/em.c tests/unit/learn/kmeans.c tests/unit/learn/merge.c; do
	name=$(basename "$u" .c)
	timeout 600 qemu-s390x "$BUILD/${u%.c}" >"$log/$name" 2>&1 &&
	    grep -q '^1\.\.' "$log/$name"
	rc=$?
	say $rc "$u"
	[ $rc = 0 ] || grep -A2 '^not ok' "$log/$name" | sed 's/^/# /' | head -8
done

KEEP=$BUILD/results sh tests/freeze/compare.sh "$NATIVE" "$tools" >"$log/pipelines" 2>&1
tail -n 1 "$log/pipelines" | sed 's/^/# pipelines: /'
for p in $(sed -n 's/^ok [0-9]* - //p' "$log/pipelines"); do
	say 0 "$p: the same bytes"
done
for p in $(sed -n 's/^not ok [0-9]* - //p' "$log/pipelines"); do
	(
		for f in "$BUILD/results/old/$p"/*; do
			case $f in *.npy|*.ppm) continue ;; esac
			awk -f tests/freeze/near.awk "$f" \
			    "$BUILD/results/new/$p/${f##*/}" || exit
		done
	) >"$log/near" 2>&1
	rc=$?
	say $rc "$p: the same up to the last digits"
	[ $rc = 0 ] || sed 's/^/# /' "$log/near" | head -5
done

BUILD=$tools sh tests/cli/compat.t >"$log/compat" 2>&1 && ! grep -q '^not ok' "$log/compat"
say $? "files of 1.0.0: $(grep -c '^ok' "$log/compat") tests"
grep -A2 '^not ok' "$log/compat" | sed 's/^/# /' | head -20
echo "1..$n"
[ $bad = 0 ]
