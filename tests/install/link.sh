# link.sh - programs that use the installed library; sourced by tests, with
# PKG_CONFIG_PATH, LD_LIBRARY_PATH, DESTDIR, LIBDIR and INCDIR set, in a directory that
# has fresh.gz.  data/examples/learn.c is linked both ways and does what
# cscg-learn does.  With HEADERS set every header is tried, see headers.sh.
# shellcheck shell=sh

flags() { # OPTION...
	pkg-config "$@" cscg
}
text() { sed 's/,"history":.*//'; }

: "${LINK:=yes}"
if [ "$LINK" = no ]; then
	tap 0 'linking # SKIP not asked for'
elif ! command -v "${CC%% *}" >/dev/null || ! command -v pkg-config >/dev/null; then
	tap 0 'linking # SKIP no compiler or no pkg-config'
elif ! pkg-config --exists cscg; then
	tap 0 'linking # SKIP pkg-config does not find cscg'
else
	same 'pkg-config tells the version' 'flags --modversion' "echo '$VERSION'"
	ex=$TOP/data/examples/learn.c
	strict='-std=c11 -Wall -Wextra -Werror -pedantic'
	# shellcheck disable=SC2016
	exits 0 'a program is compiled' "$CC $strict \$(flags --cflags) -c '$ex' -o learn.o"
	exits 0 'and linked with the shared library' "$CC learn.o \$(flags --libs) -o learn-so"
	exits 0 'and with the static one' "$CC learn.o '$DESTDIR$LIBDIR/libcscg.a' \
	    \$(flags --static --libs | sed 's/-lcscg//') -o learn-a"
	holds 'the first needs the library by its soname' \
	    "readelf -d learn-so | grep -q 'NEEDED.*\[libcscg\.so\.${VERSION%%.*}\]'"
	holds 'the second does not' '! readelf -d learn-a | grep -q libcscg'
	exits 0 'a wholly static one' "$CC -static learn.o \$(flags --static --libs) -o learn-static"
	cscg-learn --no-gzip fresh.gz >ours
	for how in so a static; do
		[ -x learn-$how ] || continue
		exits 0 "learn-$how runs" "./learn-$how fresh.gz own.gz"
		prints "learn-$how: tells" "$(grep -o '"n_states":[0-9]*' ours | tr -dc 0-9) states, "
		same "learn-$how: learns what cscg-learn learns" 'gzip -dc own.gz | text' 'text <ours'
		exits 3 "learn-$how: a cut walk" "head -c 100 fresh.gz >cut.gz; ./learn-$how cut.gz no.gz"
		exactly "learn-$how: is told" "./learn-$how: 'cut.gz': unexpected end of gzip data"
	done

	inc=$DESTDIR${INCDIR%/cscg}
	holds 'headers are installed' "[ \$(ls '$inc'/cscg/*/*.h | wc -l) = \$(ls '$TOP'/lib/*/*.h | wc -l) ]"
	if [ "${HEADERS:-}" ]; then
		. "$TOP/tests/install/headers.sh"
	fi
	if command -v "${CXX:=g++}" >/dev/null; then
		cat >try.cc <<-'END'
		extern "C" {
		#include <cscg/core/model_io.h>
		}
		#include <cstdio>

		int main(int, char **argv)
		{
			cscg_err err = {};
			cscg_model *m = cscg_model_read_file(argv[1], &err);
			if (!m)
				return std::fprintf(stderr, "%s\n", err.msg), 1;
			std::printf("%d\n", m->n_states);
			cscg_model_free(m);
		}
		END
		exits 0 'a program in C++' "$CXX try.cc \$(flags --cflags --libs) -o try"
		same '... reads models' './try ours' "grep -o '\"n_states\":[0-9]*' ours | tr -dc '0-9\n'"
	else
		tap 0 'a program in C++ # SKIP no g++'
	fi
fi
