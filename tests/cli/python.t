# The Python package: its tests and doctests, the layout of its structs, the
# wheel, and the examples of cscg-python(7).
# all: needs NumPy
. "$(dirname "$0")/../tap.sh"
page=$TOP/man/cscg-python.7
package=$TOP/data/python

if ! has_python numpy; then
	tap 0 'the package # SKIP no NumPy'
	finish
fi
if ldd "$BUILD/libcscg.so" | grep -q 'lib[at]san'; then
	tap 0 'the package # SKIP a sanitizer must be linked first'
	finish
fi
export PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 CSCG_LIBRARY="$BUILD/libcscg.so"

# --- unit tests: one result each

python3 -W error "$package/tests/test_cscg.py" -v >unit.log 2>&1
awk '/ \.\.\. / { n = $1; bad = !/\.\.\. (ok|skipped)/
    if (!bad || /FAIL|ERROR/) print (bad ? "not ok " : "ok ") n }' unit.log >results
holds 'there are 100 unit tests' '[ "$(wc -l <results)" -ge 100 ]'
while read -r ok name; do
	case $ok in
	ok) tap 0 "$name" ;;
	*) tap 1 "${name#ok }"; sed -n "/^[A-Z]*: ${name#ok } /,/^---*\$/p" unit.log | sed 's/^/# /' ;;
	esac
done <results
holds 'all unit tests pass' 'tail -n 1 unit.log | grep -q "^OK"'
for m in cscg._walk cscg._model; do
	exits 0 "doctests of $m" "python3 -c 'import doctest, $m as m
r = doctest.testmod(m); assert r.attempted and not r.failed'"
done
exits 0 'warnings are none' "python3 -W error -c 'import cscg'"

# --- structs have the layout of the header

python3 -c 'from cscg._lib import STRUCTS
print("#include <stddef.h>\n#include \"cscg.h\"")
for name, s in STRUCTS.items():
    print("_Static_assert(sizeof(struct %s) == %d, \"\");" % (name, __import__("ctypes").sizeof(s)))
    for f in s._fields_:
        print("_Static_assert(offsetof(struct %s, %s) == %d, \"%s\");"
              % (name, f[0], getattr(s, f[0]).offset, f[0]))' >layout.c
holds 'all structs are compared' '[ "$(grep -c offsetof layout.c)" -ge 110 ]'
exits 0 'structs are those of cscg.h' "${CC:-cc} -I'$TOP/lib' -c layout.c -o layout.o"
holds 'functions are those of cscg.h' "! python3 -c 'from cscg._lib import FUNCTIONS
for f in sorted(FUNCTIONS): print(\"cscg_\" + f)' | grep -vxF -f '$TOP/tests/install/symbols.txt'"

# --- the wheel

exits 0 'a wheel is built' "CSCG_LIBRARY='$BUILD/libcscg.so' python3 '$package/cscg_build.py' wheel"
whl=$(echo wheel/cscg-*.whl)
exits 0 'the wheel is built again' "CSCG_LIBRARY='$BUILD/libcscg.so' python3 '$package/cscg_build.py' wheel2"
holds 'the wheel has the same bytes' 'cmp "$whl" "wheel2/${whl#wheel/}"'
if python3 -c 'import venv, ensurepip' 2>/dev/null; then
	exits 0 'the wheel installs offline' "python3 -m venv --system-site-packages v &&
	    v/bin/pip --no-cache-dir install -q --no-index --no-deps '$whl'"
	exits 0 'the installed package works' "cd v && env -u PYTHONPATH -u CSCG_LIBRARY bin/python3 -c '
import cscg, os
assert os.path.dirname(cscg.__file__).startswith(os.getcwd())
m = cscg.CSCG().fit([0, 1] * 30)
assert m.n_states == 2'"
else
	tap 0 'it installs # SKIP no venv'
fi

# --- the examples of the page and their output

blocks() { # N: literal block N of EXAMPLES
	awk -v n="$1" '/^\.Sh EXAMPLES/ { here = 1 } /^\.Bd -literal/ && here { k++; on = k == n; next }
	/^\.Ed/ { on = 0 } on' "$page" | sed 's/\\e/\\/g'
}
n=1
while [ -n "$(blocks $n)" ]; do
	blocks $n >"example$n.py"
	blocks $((n + 1)) >want
	exits 0 "example $(((n + 1) / 2)) runs" "python3 -W error example$n.py"
	cp "$out" got
	same '... and prints what the page says' 'cat got' 'cat want'
	n=$((n + 2))
done
holds 'the page has examples' '[ $n -ge 7 ]'
finish
