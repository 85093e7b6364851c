# link.sh - programs that use the installed library; sourced by tests, with
# PKG_CONFIG_PATH, LD_LIBRARY_PATH, DESTDIR, LIBDIR and INCDIR set, in a directory
# that has fresh.gz (a walk), map.gz (a model of it), schema.gz and steps.gz (a
# walk in a new place).  The programs of data/examples are compiled with strict
# flags, linked with the shared and the static library, and compared with the
# tools.
# shellcheck shell=sh

flags() { # OPTION...
	pkg-config "$@" cscg
}
text() { sed 's/,"history":.*//'; }

# The four examples, all linked in one way: BIN-HOW.
try_examples() { # HOW
	how=$1
	exits 0 "$how: learn_and_score runs" "./learn_and_score-$how fresh.gz steps.gz own.gz"
	cp "$out" said
	same "$how: it learns what cscg-learn learns" 'gzip -dc own.gz | text' 'text <learned'
	holds "$how: its score is that of cscg-score" 'for w in fresh steps; do
	    cscg-score --unseen 0 --double own.gz -w $w.gz | awk "END { printf \"%.6f nats per step\\n\", \$4 }"
	    done >want; sed -n "2,3s/.*, //p" said | cmp - want'
	exits 0 "$how: bind_and_plan runs" "./bind_and_plan-$how schema.gz steps.gz"
	same "$how: it plans what cscg-bind and cscg-plan do" "cut -f 1 <'$out'" 'cat plan'
	exits 0 "$how: track_stream runs with a model" "./track_stream-$how map.gz <fresh.gz"
	same "$how: its likelihood is that of cscg-score" \
	    "awk 'END { printf \"%.4f\\n\", -\$4 }' '$out'" \
	    "cscg-score --unseen 0 --double map.gz -w fresh.gz | awk 'END { printf \"%.4f\\n\", \$3 }'"
	exits 0 "$how: track_stream runs with a schema" "./track_stream-$how schema.gz <steps.gz"
	same "$how: its likelihood is that of cscg-match" \
	    "awk 'END { printf \"%.6f\\n\", -\$4 / (\$1 + 1) }' '$out'" \
	    "cscg-match --method track --json schema.gz -w steps.gz | tracked"
	exits 0 "$how: read_write runs" "./read_write-$how w.gz m.gz"
	cp "$out" said
	same "$how: its edges are those of cscg-show" 'sed -n "s/^edge.//p" said' \
	    'cscg-show --as tsv m.gz | sed 1d | cut -f 1-3,5'
	same "$how: and the likelihood that of cscg-score" \
	    'sed -n "s/^loglik.-\(.*\)/\1/p" said | cut -c 1-9' \
	    'cscg-score --unseen 0 --double m.gz -w w.gz | tail -n 1 | cut -f 3 | cut -c 1-9'
	exits 2 "$how: no operands" "./learn_and_score-$how"
	says "$how: are told" 'usage: ./learn_and_score'
	exits 3 "$how: a cut walk" "head -c 100 fresh.gz >cut.gz; ./learn_and_score-$how cut.gz steps.gz no.gz"
	exactly "$how: is told" "./learn_and_score-$how: 'cut.gz': unexpected end of gzip data"
	exits 3 "$how: a walk for a schema" "./bind_and_plan-$how steps.gz steps.gz"
	says "$how: is told" "'steps.gz': line 1: this is a cscg-walk file"
	exits 3 "$how: a stream that is cut" "gzip -dc fresh.gz | head -c 20000 | ./track_stream-$how map.gz"
	says "$how: is told" 'standard input'
	exits 2 "$how: a directory that is not there" "./read_write-$how no/w.gz m.gz"
	says "$how: is told" "'no/w.gz': No such file or directory"
}

# The nats per step of the last prefix in the rows of cscg-match --json.
tracked() {
	sed -n 's/.*"nll":{"schema":\([-0-9.e+]*\)}.*/\1/p' | tail -n 1 |
	    awk '{ printf "%.6f\n", $1 }'
}

: "${LINK:=yes}"
if [ "$LINK" = no ]; then
	tap 0 'linking # SKIP not asked for'
elif ! command -v "${CC%% *}" >/dev/null || ! command -v pkg-config >/dev/null; then
	tap 0 'linking # SKIP no compiler or no pkg-config'
elif ! pkg-config --exists cscg; then
	tap 0 'linking # SKIP pkg-config does not find cscg'
else
	same 'pkg-config tells the version' 'flags --modversion' "echo '$VERSION'"
	strict='-std=c11 -Wall -Wextra -Werror -pedantic'
	# shellcheck disable=SC2016
	for ex in learn_and_score bind_and_plan track_stream read_write; do
		exits 0 "$ex is compiled" "$CC $strict \$(flags --cflags) -c '$TOP/data/examples/$ex.c' -o $ex.o"
		exits 0 "$ex is linked with the shared library" "$CC $ex.o \$(flags --libs) -o $ex-so"
		exits 0 "$ex is linked with the static one" "$CC $ex.o '$DESTDIR$LIBDIR/libcscg.a' \
		    \$(flags --static --libs | sed 's/-lcscg//') -o $ex-a"
	done
	holds 'the first needs the library by its soname' \
	    "readelf -d read_write-so | grep -q 'NEEDED.*\[libcscg\.so\.${VERSION%%.*}\]'"
	holds 'the second does not' '! readelf -d read_write-a | grep -q libcscg'
	exits 0 'a wholly static one' "$CC -static read_write.o \$(flags --static --libs) -o read_write-static"
	exits 0 '... runs' './read_write-static ws.gz ms.gz'
	cscg-learn --no-gzip fresh.gz >learned
	cscg-bind schema.gz -w steps.gz | cscg-plan -w steps.gz --goal start >plan
	try_examples so
	try_examples a

	inc=$DESTDIR$INCDIR
	same 'one header is installed' "cat '$inc/cscg.h'" "cat '$TOP/lib/cscg.h'"
	holds 'and no other' "[ ! -e '$inc/cscg' ]"
	printf '#include <cscg.h>\n#include <cscg.h>\n' >twice.c
	exits 0 'it stands alone' "$CC $strict \$(flags --cflags) -fsyntax-only twice.c"
	if command -v "${CXX:=g++}" >/dev/null; then
		exits 0 'also in C++' "$CXX -std=c++11 -Wall -Wextra -Werror -pedantic \
		    \$(flags --cflags) -fsyntax-only -x c++ twice.c"
		cat >try.cc <<-'END'
		#include <cscg.h>
		#include <cstdio>

		int main(int, char **argv)
		{
			cscg_err err = {};
			cscg_model *m = cscg_model_read_file(argv[1], &err);
			if (!m)
				return std::fprintf(stderr, "%s\n", err.msg), 1;
			std::printf("%d\n", cscg_model_n_states(m));
			cscg_model_free(m);
		}
		END
		exits 0 'a program in C++' "$CXX try.cc \$(flags --cflags --libs) -o try"
		same '... reads models' './try learned' "grep -o '\"n_states\":[0-9]*' learned | tr -dc '0-9\n'"
	else
		tap 0 'a program in C++ # SKIP no g++'
	fi
fi
