#!/bin/sh
# Control characters in an input do not reach a terminal: C0, DEL and C1, the latter
# as characters and as bytes, from names, keys, histories, formats and file names.
. "$(dirname "$0")/../tap.sh"

# ESC [, BEL, DEL, CSI as a character; in JSON the first three are escaped.
evil=$(printf '\033[31m\007\177\302\233x')
json='\\u001b[31m\\u0007\\u007f\\u009bx' # for sed
raw=$(printf '\302\233x')     # what JSON allows unescaped
byte=$(printf '\233')

# None of these bytes may be in data or messages: C0 except tab and newline,
# DEL, and 0x80..0x9f, which are C1 or a part of it outside of other text.
clean() { # NAME
	cp "$out" .o
	cp "$err" .e
	same "$1: no control character" \
	    "cat .o .e | tr -cd '\000-\010\013-\037\177-\237' | od -An -c" :
	cp .o "$out"
	cp .e "$err"
}

run() { # STATUS NAME COMMAND
	exits "$@"
	clean "$2"
}

roomgen rectangle --size 2x3 --no-gzip >r
roomgen rectangle --size 2x3 --as model --no-gzip >m
roomwalk -n 50 --no-gzip r >w

sed "s/\"name\":\"[^\"]*\"/\"name\":\"$json\"/" r >r.name
run 0 'the name of a room, shown' 'cscg-show r.name'
prints 'is shown in part' 'room ?[31m???x: 6 nodes'
run 0 'as DOT' 'cscg-show --as dot r.name'
run 0 'as GraphML' 'cscg-show --as graphml r.name'
run 0 'as a table in JSON' 'cscg-show --as tsv --json r.name'
run 0 'in a room' 'roomgen room --no-gzip r.name'
sed "s/\"name\":\"[^\"]*\"/\"name\":\"$raw\"/" r >r.raw
run 0 'a C1 control of a name that JSON had as it is' 'roomgen room --no-gzip r.raw'
prints 'is escaped' '"name":"\u009bx"'

for f in r m w; do
	sed "1s/\"program\":\"[a-z]*\"/\"program\":\"$json\"/" $f >$f.prog
	run 0 "$f: the program of a history" "cscg-show $f.prog"
	prints 'is shown in part' '?[31m???x'
	sed "1s/\"args\":{/\"args\":{\"$json\":\"$json\",/" $f >$f.args
	run 0 "$f: the arguments of a history" "cscg-show $f.args"
	prints 'are shown in part' "--?[31m???x '?[31m???x'"
	sed "1s/{/{\"$json\":1,/" $f >$f.key
	run 3 "$f: an unknown key" "cscg-show $f.key"
	says 'is named in part' '?[31m???x: unknown key'
	sed "1s/{/{\"$json\":1,\"$json\":2,/" $f >$f.twice
	run 3 "$f: a key twice" "cscg-show $f.twice"
	sed "1s/\"format\":\"[a-z-]*\"/\"format\":\"$json\"/" $f >$f.format
	run 3 "$f: a format" "cscg-show $f.format"
	sed "1s/\"actions\":\[\"[a-z]*\"/\"actions\":[\"$raw\"/" $f >$f.action
	run 3 "$f: the name of an action" "cscg-show $f.action"
	says 'is refused' 'a name holds a control character'
done
for t in $(all_tools); do
	run 2 "$t: an unknown option" "$t --'$evil'"
	run 2 "$t: a byte in one" "$t --'$byte'"
done
for t in cscg-show roomwalk roomserve walkconv cscg-learn 'vq-kmeans -k 2' \
    'cscg-plan --goal state:0' 'cscg-score -w w' 'cscg-bind -w w' 'cscg-match -w w' \
    'cscg-stitch -w w' 'roomgen room'; do
	run 3 "$t: a file that is not there" "$t '$evil'"
	says 'is named in part' '?[31m???x'
	run 3 "$t: a byte in its name" "$t '$byte'"
done
printf 'x,a\n%s,0\n1,0\n' "$raw" >c1.csv
run 3 'a table with a name' 'walkconv c1.csv --no-gzip'
says 'is refused' 'a name holds a control character'
cp m "$evil"
run 3 'the name of a file as that of a schema' "cscg-match -w w '$evil' m"
printf '{"format":"cscg-env","%s":1}\n' "$raw" >env
run 3 'an environment' 'cscg-plan m --goal state:0 -- cat env'

# Text beyond ASCII stays.
sed 's/"name":"[^"]*"/"name":"Straße 通り"/' r >r.utf8
exits 0 'text beyond ASCII' 'cscg-show r.utf8'
prints 'stays' 'room Straße 通り: '

# Characters that XML 1.0 does not have.
name=$(printf 'a\357\277\276b\357\277\277c')
sed "s/\"actions\":\[\"up\"/\"actions\":[\"$name<>\"/" r >r.xml
exits 0 'U+FFFE and U+FFFF in GraphML' 'cscg-show --as graphml r.xml'
cp "$out" got.xml
prints 'are replaced' "$(printf 'a\357\277\275b\357\277\275c&lt;&gt;')"
if has_python; then
	exits 0 'and an XML parser reads it' \
	    'python3 -c "import xml.dom.minidom as m; m.parse(\"got.xml\")"'
else
	tap 0 'and an XML parser reads it # SKIP no python3'
fi
finish
