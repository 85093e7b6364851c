# The command roomgen.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badroom.sh"

# A room's wrapping, symbols and cells in the form of golden/rooms2d.txt, and
# "wrong" for each transition that disagrees with the cells.
layout() {
	awk '
	function after(key) {
		return substr($0, index($0, "\"" key "\":") + length(key) + 3)
	}
	function word(key,   s) {
		s = after(key)
		return substr(s, 1, match(s, /[,}]/) - 1)
	}
	function bring(i, n, wrap) {
		if (i >= 0 && i < n)
			return i
		return wrap == "true" ? (i + n) % n : -1
	}
	{
		n = word("n_nodes") + 0
		rows = word("rows") + 0; cols = word("cols") + 0
		wr = word("wrap_rows"); wc = word("wrap_cols")
		print wr, wc, word("n_obs")
		split(substr(after("obs"), 2), obs, /[],]/)
		s = after("coords"); gsub(/[^0-9]+/, " ", s); split(s, rc, " ")
		for (v = 1; v <= n; v++) {
			node[rc[2 * v - 1], rc[2 * v]] = v - 1
			sym[rc[2 * v - 1], rc[2 * v]] = obs[v]
		}
		for (r = 0; r < rows; r++) {
			line = ""
			for (c = 0; c < cols; c++)
				line = line (c ? " " : "") \
				    ((r, c) in sym ? sym[r, c] : ".")
			print line
		}
		s = after("next"); gsub(/[^0-9]+/, " ", s); split(s, next_, " ")
		split("-1 1 0 0", dr, " "); split("0 0 -1 1", dc, " ")
		for (a = 1; a <= 4; a++)
			for (v = 1; v <= n; v++) {
				r = bring(rc[2 * v - 1] + dr[a], rows, wr)
				c = bring(rc[2 * v] + dc[a], cols, wc)
				to = (r, c) in node ? node[r, c] : v - 1
				if (next_[(a - 1) * n + v] != to)
					print "wrong", a - 1, v - 1
			}
	}'
}

# Each room of the golden file in turn.
n=0
while read -r word rest; do
	case $word in
	'#'*) ;;
	room)
		n=$((n + 1))
		set -- $rest
		echo "$1 $2 $3" >want.$n
		shift 3
		echo "$*" >args.$n ;;
	*) echo "$word $rest" | sed 's/ $//' >>want.$n ;;
	esac
done <"$TOP/tests/golden/rooms2d.txt"
i=1
while [ $i -le $n ]; do
	same "roomgen $(cat args.$i)" "cat want.$i" \
	    "roomgen $(cat args.$i) --no-gzip | layout"
	i=$((i + 1))
done
holds 'the golden file has 16 rooms' "[ $n = 16 ]"
for f in "$TOP"/data/rooms/*-*.txt; do
	name=$(basename "$f" .txt)
	same "the map of $name is that room" \
	    "roomgen map $f --no-gzip | layout" \
	    "roomgen ${name%-*} --size ${name#*-} --no-gzip | layout"
done
# Corridors of other layouts: all cells are connected, and nothing wraps.
n=0
for f in "$TOP"/data/rooms/other/*.txt; do
	n=$((n + 1))
	same "${f##*/}: a node for each cell" "roomgen map '$f' | cscg-show --as nodes - | grep -vc '^#'" "tr -cd '#' <'$f' | wc -c | tr -d ' '"
	holds "${f##*/}: connected" "roomgen map '$f' | cscg-show - | grep -q 'every node can be reached from every other'"
done
holds 'ten layouts in three sizes' "[ $n = 30 ]"
exits 0 'medium is the default' 'roomgen torus --no-gzip'
prints '8x9' '"n_nodes":72,"n_actions":4,"n_obs":31'

while read -r d nodes interior sum; do
	[ "$d" = '#' ] && continue
	holds "digit $d has its pixels" "roomgen digit $d --no-gzip | awk '{
		n = split(substr(\$0, index(\$0, \"\\\"obs\\\":[\") + 7), o, /,|\\]/)
		for (i = 1; i <= $nodes; i++) zero += o[i] == 0
		s = substr(\$0, index(\$0, \"coords\"))
		gsub(/[^0-9]+/, \" \", s); split(s, rc, \" \")
		for (i = 1; i <= $nodes; i++)
			sum += (28 * rc[2 * i - 1] + rc[2 * i]) ^ 2
		print zero, sum
		exit !(zero == $interior && sum == $sum)
	}' && roomgen digit $d --no-gzip | grep -q '\"name\":\"digit-$d\",\"n_nodes\":$nodes,'"
done <"$TOP/tests/golden/digits.txt"

# Shapes by number
same 'an explicit size is that size' \
    'roomgen hole --size small --no-gzip | layout' \
    'roomgen hole --size 8x8 --hole 2x2@3,3 --no-gzip | layout'
same 'a large U' 'roomgen ushape --size large --no-gzip | layout' \
    'roomgen ushape --size 13x9 --notch 10x3 --no-gzip | layout'
cat >want <<'END'
false false 14
0 1 2 3
4 . . 5
6 7 8 9
10 11 12 13
END
same 'a hole at 1,1' 'cat want' \
    'roomgen hole --size 4x4 --hole 1x2@1,1 --no-gzip | layout'

# Symbols of cells
obs_of() { sed 's/.*"obs":\[\([^]]*\).*/\1/' | tr , '\n'; }
same 'unique symbols' 'echo "0,1,2,3,4,5"' \
    "roomgen rectangle --size 2x3 --obs unique --no-gzip | obs_of |
    paste -sd,"
same 'wall patterns: up 1, down 2, left 4, right 8' 'echo 5 1 9 6 2 10' \
    "roomgen rectangle --size 2x3 --obs walls --no-gzip | obs_of | xargs"
exits 0 'random symbols' 'roomgen torus --size 40x50 --obs random:5 --no-gzip'
prints 'there are 5' '"n_obs":5,'
# 2000 cells, 400 of each expected, sd is 18
obs_of <"$out" | sort | uniq -c >counts
holds 'all as likely' "[ \$(wc -l <counts) = 5 ] &&
    awk '\$1 < 310 || \$1 > 490 { exit 1 }' counts"
holds 'another seed gives other symbols' '
    roomgen torus --obs random:5 -s 1 --no-gzip >a
    roomgen torus --obs random:5 -s 2 --no-gzip >b
    ! cmp -s a b'
same 'a seed fixes every byte' 'roomgen torus --obs random:5 -s 1' \
    'roomgen torus --obs random:5 -s 1'
roomgen torus --no-gzip | obs_of >a
roomgen torus --permute -s 1 --no-gzip | obs_of >b
roomgen torus --permute -s 2 --no-gzip | obs_of >c
holds 'permuted symbols are others' '! cmp -s a b && ! cmp -s b c'
holds 'permuting is one-to-one' "
    [ \$(paste a b | sort -u | wc -l) = 31 ] &&
    [ \$(sort -u a | wc -l) = 31 ] && [ \$(sort -u b | wc -l) = 31 ]"
# One of 31 is a fixed point on average; more than 7 has probability below 1e-5.
holds 'almost all symbols are new' \
    "[ \$(paste a b | sort -u | awk '\$1 == \$2' | wc -l) -le 7 ]"
same 'permuting a room later is the same' \
    "roomgen torus | roomgen room --permute -s 1 --no-gzip | obs_of" 'cat b'

# Maps
cat >map.txt <<'END'
AB
#.

oneway 0,0 right
END
same 'a map with letters' "echo '"'{"format":"cscg-room","version":1,"name":"m","n_nodes":3,"n_actions":4,"n_obs":3,"actions":["up","down","left","right"],"symbols":["1,0","A","B"],"obs":[1,2,0],"next":[[0,1,0],[2,1,2],[0,1,2],[1,1,2]],"coords":[[0,0],[0,1],[1,0]],"grid":{"rows":2,"cols":2,"wrap_rows":false,"wrap_cols":false},"history":[{"program":"roomgen","version":"V","args":{"kind":"map","name":"m"},"seed":42}]}'"'" \
    "roomgen map map.txt --name m --no-gzip |
    sed 's/\"roomgen\",\"version\":\"[^\"]*\"/\"roomgen\",\"version\":\"V\"/'"
same 'a compressed map from standard input' 'roomgen map map.txt | gzip -dc' \
    'gzip -c map.txt | roomgen map - | gzip -dc'
exits 0 'letters can be left out' 'roomgen map map.txt --obs border --no-gzip'
prints 'no names' '"obs":[0,1,2],'
exits 0 'the map with a ledge' "roomgen map '$TOP/data/rooms/ledge.txt'"
printf '##\n#?\n' >bad.txt
exits 3 'a bad cell' 'roomgen map bad.txt'
exactly 'is shown by line and column' "roomgen: 'bad.txt': line 2, column 2: a cell is '#', '.', a space, a letter or a digit"
exits 3 'a map without accessible cells' 'printf "..\n  \n" | roomgen map'
exactly 'is refused' 'roomgen: standard input: no accessible cell'
exits 3 'an empty map' 'roomgen map /dev/null'
exactly 'is refused' "roomgen: '/dev/null': no accessible cell"
printf '##\n\nblock 0,1 right\n' >bad.txt
exits 3 'a rule for a wall' 'roomgen map bad.txt'
exactly 'is shown' "roomgen: 'bad.txt': line 3, column 7: right of 0,1 leads to no cell"
exits 3 'a missing map' 'roomgen map nowhere.txt'
exactly 'is named' "roomgen: 'nowhere.txt': No such file or directory"
head -c 1100000 /dev/zero | tr '\0' '#' >bad.txt
exits 3 'a map that is too large' 'roomgen map bad.txt'
exactly 'is too large' "roomgen: 'bad.txt': line 1, column 1: the map has more than 1000000 cells"
# Walls of '#', as other programs draw them: accepted with a warning.
walls="'#' is floor and '.' is not; if '#' should be a wall here, exchange them (tr '#. ' '.##')"
printf '%s\n' '#####' '#..##' '#A#.#' '#####' >walls.txt
exits 0 'a map with a wall all around' 'roomgen map walls.txt -o walls.gz'
exactly 'is wondered at' "roomgen: 'walls.txt': $walls"
exits 0 '-q gives no warning' 'roomgen -q map walls.txt -o walls.gz'
exactly 'so' ''
# Floor: row 1 has columns 1, 2; row 2 has 1 and 3; A stays.
same 'converted, it is the maze' 'echo "\"coords\":[[1,1],[1,2],[2,1],[2,3]]"' \
    "tr '#. ' '.##' <walls.txt | roomgen map --no-gzip | grep -o '\"coords\":[^a-z]*]]'"
for f in "$TOP"/data/rooms/*.txt; do
	case $f in */voxel-*) continue ;; esac
	exits 0 "no warning: ${f##*/}" "roomgen map '$f' -o ours.gz"
	exactly 'prints no message' ''
done
printf '###\n###\n###\n' >solid.txt
exits 0 'a map of floor only gives no warning' 'roomgen map solid.txt -o solid.gz'
exactly 'is silent as well' ''
same 'a byte order mark and empty lines before a map are ignored' 'roomgen map --no-gzip solid.txt' \
    "printf '\\357\\273\\277\\n\\r\\n###\\r\\n###\\n###\\n' | roomgen map --no-gzip"
gzip -nc map.txt | head -c 30 >bad.gz
exits 3 'a cut map' 'roomgen map bad.gz'
says 'is cut' 'unexpected end'

# Rooms in, rooms or models out
same 'a room is copied unchanged' 'roomgen room good.json --no-gzip | sed "s/\"history.*//"' \
    'sed "s/\"history.*//" good.json'
roomgen torus >a.gz
roomgen hole >b.gz
cat a.gz b.gz >ab.gz
holds 'several rooms in one file' '[ $(roomgen room ab.gz --no-gzip | wc -l) = 2 ]'
same 'rooms in one or several files' 'roomgen room ab.gz --no-gzip' 'roomgen room a.gz b.gz --no-gzip'
same 'each has its own permutation' 'echo 2' "roomgen torus >a2.gz
    cat a.gz a2.gz | roomgen room --permute --no-gzip | sed 's/.*\"obs\"//' | sort -u | wc -l"
exits 0 'a model' 'roomgen torus --as model --no-gzip'
prints 'is grounded' '{"format":"cscg-model","version":1,"kind":"grounded"'
prints 'has the states' '"n_states":72,"n_actions":4,"n_obs":31,'
prints 'has the pseudocount' '"pseudocount":0.0001'
prints 'has coordinates' '"coords":[['
grep -o '"count":[^]]*' "$out" | sed 's/.*\[//' | tr , '\n' >counts
same 'has 100 counts for each transition, no others' 'echo "    288 100"' 'sort counts | uniq -c'
exits 0 'a model of two cells' 'roomgen rectangle --size 1x2 --as model --no-gzip'
prints 'right from 0 leads to 1, from 1 to 1' '{"from":[0,1],"to":[1,1],"count":[100,100]}'
same 'a room becomes the same model' \
    "roomgen torus | roomgen room --as model --no-gzip | sed 's/\"history.*//'" \
    "roomgen torus --as model --no-gzip | sed 's/\"history.*//'"
exits 3 'slips need directions' 'roomgen room good.json --slip 0.1'
exactly 'and have a message' "roomgen: 'good.json': line 1: slips need the actions up, down, left and right"
exits 0 'slips of 0.3' 'roomgen rectangle --size 1x2 --slip 0.3 --no-gzip'
# right of node 0: 0.7 gets there; a slip, up or down stays; at node 1 all stay.
sed 's/.*\],\[\(\[.*\)\]\],"coords.*/\1/' "$out" | tr '[],' '   ' |
    awk '{ printf "%d %.6f %d %.6f %d\n", $1, $2, $3, $4, $5 }' >got
same 'right is 0.7 right, else stays' 'echo "0 0.300000 1 0.700000 1"' 'cat got'

bad_rooms roomgen 'roomgen room'

# Usage errors
wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "roomgen $2 </dev/null"
	exactly "$1: message" "roomgen: $3 (try --help)"
}
wrong 'no kind' '' 'too few operands, expected: KIND [OPERAND]...'
exits 2 'an unknown kind' 'roomgen pentagon'
says 'the message lists the choices' "roomgen: 'pentagon' is not a kind of room: rectangle, hole, "
wrong 'an extra operand' 'torus x' "'torus' takes no operand"
wrong 'two maps' 'map a b' "'map' takes one file"
wrong 'digit 12' 'digit 12' "'digit' takes one operand, 0..9"
wrong 'digit x' 'digit x' "'digit' takes one operand, 0..9"
wrong 'no digit' 'digit' "'digit' takes one operand, 0..9"
size='small, medium, large or ROWSxCOLS'
wrong 'an unknown size' 'torus --size huge' "--size: 'huge' is not $size"
wrong 'a misspelled size' 'torus --size lage' "--size: 'lage' is not $size: did you mean large?"
wrong 'rows alone' 'torus --size 3' "--size: '3' is not $size"
wrong 'no columns' 'torus --size 3x' "--size: '3x' is not $size"
wrong 'a third dimension' 'torus --size 3x3x3' "--size: '3x3x3' is not $size"
wrong 'a size and more' 'torus --size smallx3' "--size: 'smallx3' is not $size"
wrong 'no rows' 'torus --size 0x3' '--size: 0 is outside 1..2147483647'
wrong 'a negative number' 'torus --size 3x-3' "--size: '3x-3' is not $size"
wrong 'not a number' 'torus --size tenx3' "--size: 'tenx3' is not $size"
wrong 'half a row' 'torus --size 2.5x3' "--size: '2.5x3' is not $size"
wrong 'too many cells' 'torus --size 100000x100000' '100000x100000 is 10000000000 cells, more than 1000000'
wrong 'as many as fit in an int' 'torus --size 2147483647x2147483647' '2147483647x2147483647 is 4611686014132420609 cells, more than 1000000'
wrong 'more than fit in a long' 'torus --size 99999999999999999999x3' '--size: 99999999999999999999 is outside 1..2147483647'
wrong 'a hole in a torus' 'torus --hole 2x2' "--hole cannot be combined with 'torus'"
wrong 'a notch in a hole' 'hole --notch 2x2' "--notch cannot be combined with 'hole'"
wrong 'a size of a digit' 'digit 3 --size 3x3' "--size cannot be combined with 'digit'"
wrong 'a hole of 2' 'hole --hole 2' "--hole: '2' is not two numbers like 3x4"
wrong 'a hole of 0x2' 'hole --hole 0x2' "--hole: '0x2' is not two numbers like 3x4"
wrong 'a hole at x' 'hole --hole 2x2@1x2' "--hole: '1x2' is not two numbers like 3,4"
wrong 'a hole without a position' 'hole --hole 2x2@' "--hole: '' is not two numbers like 3,4"
wrong 'a hole without a size' 'hole --hole @1,2' "--hole: '@1,2' is not two numbers like 3x4"
wrong 'a hole too large' 'hole --hole 9x2' 'a 9x2 hole at 0,3 is not inside a 9x9 room'
wrong 'no room for a hole' 'hole --size 6x7' 'a 6x7 room is too small for a hole with passages three cells wide: give --hole'
wrong 'a notch too deep' 'ushape --notch 10x3' 'a 10x3 notch leaves no bottom or no sides in a 10x9 room'
wrong 'unknown symbols' 'torus --obs nice' "--obs: 'nice' is not border, random:K, unique, walls, apart or shared"
wrong 'no random symbols' 'torus --obs random:0' "--obs: '0' is outside 1..10000000"
wrong 'random garbage' 'torus --obs random:3x' "--obs: '3x' is outside 1..10000000"
wrong 'a border for a room' 'room --obs border' "--obs border cannot be combined with 'room'"
wrong 'a slip of 2' 'torus --slip 2' '--slip: 2 is outside 0..1'
wrong 'a slip of nan' 'torus --slip nan' "--slip: 'nan' is not a number"
wrong 'a count' 'torus --edge-count 7' "unknown option '--edge-count': removed in 2.0.0 (fixed at 100)"
wrong 'an unknown form' 'torus --as cake' "--as: 'cake' is not one of room|model"
wrong 'an unknown option' 'torus --colour' "unknown option '--colour'"
wrong 'a name that is no text' "torus --name '$(printf 'a\377')'" '--name: a name is not valid UTF-8'
exits 2 'a bad option is refused before the input is read' 'roomgen map nowhere.txt --slip 2'
says 'and named' '--slip: 2'
exits 141 'a closed pipe ends it quietly' \
    '{ roomgen torus --size 300x300 --no-gzip; echo $? >rc; } | true; exit $(cat rc)'
exits 0 'help' 'roomgen --help'
prints 'help names an option' '--hole HxW[@R,C]'

# The pages
page_examples() { # PAGE: its displayed commands
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$1" |
	    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}'
}
page_examples "$TOP/man/roomgen.1" >ex.sh
holds 'the examples of the page run unchanged' 'sh -e ex.sh'
holds 'the examples write their files' '[ $(gzip -dc schemas.gz | wc -l) = 3 ] &&
    [ $(gzip -dc slippery.gz | wc -l) = 1 ] && gzip -t mine.gz test.gz torus.gz'
page_examples "$TOP/man/cscg-room.5" | sed '/^import/,$d' | tr -d '\n' >page.json
exits 0 'the example of cscg-room(5) is a room' 'roomgen room page.json --no-gzip'
prints 'transitions are copied unchanged' '"next":[[0,1,2],[0,1,2],[0,[0,0.90000000000000002,1,0.10000000000000001]'
if has_python; then
	page_examples "$TOP/man/cscg-room.5" | sed -n '/^import/,$p' >reader.py
	echo 'import sys
for r in rooms(sys.argv[1]): print(r["n_nodes"], targets(r, 3, 0))' >>reader.py
	roomgen rectangle --size 2x2 >one.gz
	cat one.gz one.gz >two.gz
	same 'the reader of the page reads rooms' \
	    "printf '4 [(1, 1.0)]\n4 [(1, 1.0)]\n'" 'python3 reader.py two.gz'
else
	tap 0 'its reader in Python reads rooms # SKIP no python3'
fi
finish
