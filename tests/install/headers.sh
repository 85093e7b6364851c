# headers.sh - each installed header stands alone, and may be included twice, in C
# and within extern "C" in C++; sourced by link.sh.
# shellcheck shell=sh

# Not in C++: complex numbers of C.
NOT_C=
NOT_CXX='directions.h'

cat >each.sh <<'END'
# each.sh INC NOT COMPILER...
inc=$1 not=$2; shift 2; bad=0
for h in "$inc"/cscg/*/*.h; do
	case " $not " in *" ${h##*/} "*) continue ;; esac
	{
		echo '#ifdef __cplusplus'; echo 'extern "C" {'; echo '#endif'
		echo "#include <${h#"$inc"/}>"; echo "#include <${h#"$inc"/}>"
		echo '#ifdef __cplusplus'; echo '}'; echo '#endif'
	} >one.h
	"$@" - <one.h || { echo "${h##*/}"; bad=1; }
done
exit $bad
END
exits 0 'each header stands alone' "sh each.sh '$inc' '$NOT_C' $CC $strict \
    \$(flags --cflags) -fsyntax-only -x c"
[ "$rc" = 0 ] || sed 's/^/# /' "$out"
if command -v "${CXX:=g++}" >/dev/null; then
	exits 0 'also in C++' "sh each.sh '$inc' '$NOT_CXX' $CXX -std=c++17 -Wall -Werror \
	    \$(flags --cflags) -fsyntax-only -x c++"
	[ "$rc" = 0 ] || sed 's/^/# /' "$out"
fi
