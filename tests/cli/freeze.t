# Results that must not change: pipelines of tests/freeze/pipelines.txt,
# compared with the results of commit 44a3004.  Integers are compared exactly,
# reals to 1e-5.  Options are translated by tests/freeze/renames.tsv.
. "$(dirname "$0")/../tap.sh"
FREEZE=$TOP/tests/freeze
# shellcheck source=../freeze/tools.sh
. "$FREEZE/tools.sh"
BUILD=$(cd "$BUILD" && pwd)

# --- translation of options, with an "echo" for a tool
mkdir tools
printf '#!/bin/sh\nprintf "[%%s]" "$@"\n' >tools/one
cp tools/one tools/two
chmod +x tools/*
printf '%s\t%s\t%s\n' '# tool' old new one --forget --change-rate \
    one '--as ppm' '--image rgb' one --from-track '--init track' one --draws '' \
    one '--pi auto' '' one '--rows A --cols B' '--size AxB' \
    one '--as tsv --nodes' '--as nodes' output rival candidate >table
freeze_wrap "$dir/wrap" "$dir/tools" table
chmod +x wrap/*
became() { # NAME ARGUMENTS WANTED
	same "$1" "PATH=$dir/wrap:$dir/tools:\$PATH; $2" "printf %s '$3'"
}
became 'an option' 'one --forget 1 x' '[--change-rate][1][x]'
became 'an option with = and its value' 'one --forget=1' '[--change-rate=1]'
became 'whole words only' 'one --forgetful --forge "a --forget b"' '[--forgetful][--forge][a --forget b]'
became 'a rename is for one tool only' 'two --forget 1' '[--forget][1]'
became 'an option and a value' 'one --as ppm f' '[--image][rgb][f]'
became 'an option and its value in one word' 'one --as=ppm f' '[--image][rgb][f]'
became 'another value is not translated' 'one --as dot --as' '[--as][dot][--as]'
became 'one word becomes two' 'one --from-track s' '[--init][track][s]'
became 'a dropped option' 'one a --draws --pi auto b' '[a][b]'
became 'values in one' 'one --rows 3 --cols "4 5" AxB --rows 7' '[--size][3x4 5][AxB][--rows][7]'
became 'words in a row' 'one --as tsv --nodes --as tsv' '[--as][nodes][--as][tsv]'
became 'not after --' 'one --forget 1 -- one --forget 2' '[--change-rate][1][--][one][--forget][2]'
same 'a word of a result' 'echo "{\"rival\":1,\"arrival\":2,\"rival-x\":3}" | freeze_words table' \
    'echo "{\"candidate\":1,\"arrival\":2,\"rival-x\":3}"'

# --- comparison of numbers
near() { # NAME STATUS WANTED GOT
	printf '%s\n' "$3" >want
	printf '%s\n' "$4" >got
	exits "$2" "$1" "awk -f '$FREEZE/near.awk' want got"
}
near 'equal' 0 '{"x":[1,2.5e-3]}' '{"x":[1,2.5e-3]}'
near 'reals that are near' 0 '1	0.5 7e-12' '1.000001	0.500002 2e-12'
near 'reals that are not' 1 '1	0.5' '1	0.50001'
near 'integers' 1 '100000000' '100000001'
near 'words' 1 'torus 1.0' 'hole 1.0'
near 'separators' 1 '[1.0,2.0]' '[1.0 2.0]'
near 'a line more' 1 '1' "$(printf '1\n2')"

# --- the pipelines
freeze_wrap "$dir/new" "$BUILD" "$FREEZE/renames.tsv"
pipeline() { # NAME FILE...
	freeze_run "$1" "$dir/run/$1" "$dir/new:$BUILD" || {
		tail -n 3 "$dir/run/$1.err"
		return 1
	}
	freeze_unpack "$dir/run/$1" || return
	name=$1
	shift
	freeze_text "$dir/run/$name" "$@" >"$dir/run/$name.text"
	gzip -dc "$FREEZE/kept/$name.gz" | freeze_words "$FREEZE/renames.tsv" >"$dir/run/$name.want"
	awk -f "$FREEZE/near.awk" "$dir/run/$name.want" "$dir/run/$name.text"
}
mkdir run
while read -r name files; do
	holds "$name" "pipeline $name $files"
done <"$FREEZE/kept/list.txt"
finish
