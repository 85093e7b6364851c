#!/bin/sh
# isa.sh - make bench-isa: EM on T by each kernel, and peak performance of the machine
#
# Seconds of the first iteration from random counts on one thread, the best of two;
# plain: the mean.  Then GB/s read and GFLOP/s of the machine.
# CSCG_BENCH=quick leaves out W3.

here=$(dirname "$0")
. "$here/work.sh"

isas=
walk w1
for i in c sse2 avx2 avx512; do
	"$BUILD/cscg-learn" --isa $i -q --clones 2 --iterations 1 --restarts 1 \
	    --structure none -o /dev/null "$dir/w1.gz" 2>/dev/null && isas="$isas $i"
done
{
	echo "work plain$isas" | tr ' ' '\t'
	for w in w1 w2 $([ "$quick" ] || echo w3); do
		walk $w
		slow=1 some=1
		[ $w = w3 ] || slow=2 some=5
		em $w plain 1 $slow 2
		printf '%s\t%s' $w "$(get mean)"
		for i in $isas; do
			em $w $i 1 $some 2
			printf '\t%s' "$(get first)"
		done
		echo
	done
} | align
echo
for j in 1 2; do
	"$bin/roofline" $j >"$tmp/roof"
	[ $j = 2 ] || { printf 'threads\t'; cut -f 1 "$tmp/roof" | paste -s -; }
	printf '%s\t' $j
	cut -f 2 "$tmp/roof" | paste -s -
done | align
