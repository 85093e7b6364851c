# A seed and a kernel fix every byte, with any compiler and optimisation.
# all: builds the tools a second time (40 s)
. "$(dirname "$0")/../tap.sh"

# Another compiler than cc where there is one; OPENMP=0 needs no library of its own.
other=clang
command -v clang >/dev/null && echo 'int main(void) { return 0; }' >t.c &&
    clang -o t t.c 2>/dev/null || other=cc
case $(cc --version 2>/dev/null) in *clang*) command -v gcc >/dev/null && other=gcc ;; esac
unset MAKEFLAGS MFLAGS MAKELEVEL
exits 0 "$other -O1 builds the tools" \
    "make -C '$TOP' -s -j2 CC=$other CFLAGS=-O1 OPENMP=0 BUILD='$dir/b' all"

kernels=c
case $(cscg-learn --isa no /dev/null 2>&1) in *avx2*) kernels='c avx2' ;; esac
for isa in $kernels; do
	for p in gen-street walk-render learn-slip bind-clones match-em match-switching \
	    stitch-given vq-real; do
		exits 0 "--isa $isa: $p is the same as of the build" \
		    "CSCG_ISA=$isa sh '$TOP/tests/freeze/compare.sh' '$BUILD' b $p"
		[ "$rc" = 0 ] || sed 's/^/# /' "$out"
	done
done
finish
