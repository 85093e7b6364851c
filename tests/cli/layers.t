# The folders of lib/ are layers (CONTRIBUTING.md): no include points upward,
# and no header includes itself through others.
. "$(dirname "$0")/../tap.sh"

exits 0 'no include of lib/ points upward' "sh '$TOP/tests/lint/layers.sh' '$TOP'"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"

mkdir -p tree/lib/core tree/lib/plan
echo '#include "core/model.h"' >tree/lib/plan/plan.c
echo '#include "core/model.h"' >tree/lib/core/model.c
exits 0 'a plan may use the core' "sh '$TOP/tests/lint/layers.sh' tree"
prints 'and includes are counted' '2 includes, 0 point upward'
echo '#include "plan/plan.h"' >tree/lib/core/model.c
exits 1 'the core may not use a plan' "sh '$TOP/tests/lint/layers.sh' tree"
prints 'the line is named' 'lib/core/model.c:1: core includes "plan/plan.h"'
echo '#include "plan.h"' >tree/lib/core/model.c
exits 1 'an include names its folder' "sh '$TOP/tests/lint/layers.sh' tree"
prints 'and says so' 'lib/core/model.c:1: "plan.h" names no layer'
echo '#include "api.h"' >tree/lib/core/model.c
exits 1 'a layer that uses lib/ itself' "sh '$TOP/tests/lint/layers.sh' tree"
rm -r tree/lib/core/model.c
printf '#include "%s"\n' plan/plan.h api.h cscg.h >tree/lib/api.c
exits 0 'files of lib/ may use all layers' "sh '$TOP/tests/lint/layers.sh' tree"
echo '#include "plan/goal.h"' >tree/lib/plan/plan.h
echo '#include "plan/plan.h"' >tree/lib/plan/goal.h
exits 1 'two headers may not include each other' "sh '$TOP/tests/lint/layers.sh' tree"
prints 'the cycle is named' 'include cycle: plan/goal.h plan/plan.h'

# base/parallel is the one place for threads. tests/bench/roofline.c measures
# the machine, not the library, and tests/fault/fault.c makes the call fail.
same 'OpenMP and pthread_create are in base/parallel alone' \
    "cd '$TOP' && grep -rlE '^ *# *pragma +omp|[<\"]omp\.h[>\"]|\<omp_[a-z]|pthread_create|thrd_create' \
	--include='*.[ch]' --include='*.inc' lib cmd tests data | sort" \
    "printf '%s\n' lib/base/parallel.c tests/bench/roofline.c tests/fault/fault.c"

# Each folder has a README with a line for every module.
for d in "$TOP"/lib/*/; do
	holds "lib/$(basename "$d")/README lists its modules, and no other" \
	    "{ sed -n 's/^    \([a-z][a-z0-9_]*\)  *[^ ].*/\1/p' '$d/README' | sort >listed
	    (cd '$d' && ls *.c *.h | sed 's/\.[ch]\$//' | sort -u) >there
	    diff listed there; }"
done

# Only programs name options and tools, and only one module each uses Jansson
# and zlib.
exits 0 'lib/ names no option and no tool' "sh '$TOP/tests/lint/library.sh' '$TOP'"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"
rm -r tree/lib
mkdir -p tree/lib/core
cat >tree/lib/core/model.c <<'END'
#include <jansson.h>
/* "--goal" in a comment, and '"' alone, --x outside a string, a -- b. */
const char *a = "a--b", *b = "cscg-model", *c = "--", *d = "\"--goal\"";
char q = '"'; const char *e = "make one (cscg-learn)";
END
exits 1 'a text in lib/ that does' "sh '$TOP/tests/lint/library.sh' tree"
cat >want <<'END'
lib/core/model.c:1: includes <jansson.h>
lib/core/model.c:3: names an option: "\"--goal\""
lib/core/model.c:4: names a tool: "make one (cscg-learn)"
END
same 'is reported with its position' "cat '$out'" 'cat want'

# The order of evaluation of arguments is unspecified in C.
exits 0 'no expression draws two random numbers' "sh '$TOP/tests/lint/draws.sh' '$TOP'"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"
mkdir -p tree/cmd
cat >tree/lib/core/model.c <<'END'
double a = f(draw(rng, 1), /* rng) */ draw(&m->rng, 2));
double b = draw(rng, 1) +
    g(t, draw(&rng, 2));
double c = draw(rng, draw(rng, 1)), d = draw(rng, 1);
double e = draw(rng, 1) < 1 && draw(rng, 2) < 1 ? draw(rng, 3) : draw(rng, 4);
for (i = draw(rng, 1); i < draw(rng, 2); i++)
	draw(rng, "rng)");
END
exits 1 'two in one are found' "sh '$TOP/tests/lint/draws.sh' tree"
cat >want <<'END'
lib/core/model.c:1: two random numbers in one expression
lib/core/model.c:3: two random numbers in one expression
END
same 'no other expression is reported' "cat '$out'" 'cat want'

# The words of sources and pages are terms of the field; a phrase that hides one,
# and a term that no page has, are found.
exits 0 'sources and pages use the terms of the field' "sh '$TOP/tests/lint/words.sh' '$TOP'"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"
mkdir -p said/lib said/cmd said/man said/tests said/data
cp "$TOP"/man/*.[157] said/man/
cp "$TOP/README.md" "$TOP/NEWS" "$TOP/SECURITY.md" "$TOP/CONTRIBUTING.md" "$TOP/Makefile" said/
exits 0 'a copy of the pages' "sh '$TOP/tests/lint/words.sh' said"
echo '/* Estimate the emissions anew. */' >said/lib/a.c
exits 1 'a phrase of the list' "sh '$TOP/tests/lint/words.sh' said"
prints 'is named with its line' 'lib/a.c:1:'
printf '%s\n' '/*' ' * The emissions are kept, too.' ' */' >said/lib/a.c
exits 1 'a sentence that ends in "too"' "sh '$TOP/tests/lint/words.sh' said"
prints 'is named with its line as well' 'lib/a.c:2:'
printf '%s\n' '/* --top goes with --posterior. */' >said/cmd/a.c
rm said/lib/a.c
exits 1 'a phrase that sources avoid' "sh '$TOP/tests/lint/words.sh' said"
prints 'is named with its line in cmd' 'cmd/a.c:1:'
mv said/cmd/a.c said/tests/a.c
exits 0 'but may be in a test' "sh '$TOP/tests/lint/words.sh' said"
rm said/tests/a.c
for f in tests/a.t data/a.sh; do
	echo '# What came of it.' >said/$f
	exits 1 "a phrase in $f" "sh '$TOP/tests/lint/words.sh' said"
	prints 'is named with its line' "$f:1:"
	rm said/$f
done
sed -i 's/POMDP/process/g' said/man/*
exits 1 'a term that is in no page' "sh '$TOP/tests/lint/words.sh' said"
prints 'is named' 'no page has: POMDP'

finish
