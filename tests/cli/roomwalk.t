# The command roomwalk.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badroom.sh"

roomgen rectangle --size 2x3 -o r.gz
roomgen torus -o t.gz
roomgen hole -o h.gz

# x, a and z of a plain walk as lines "episode x a z", "-" for the last action.
steps() {
	awk '
	function list(key, v,   s) {
		s = substr($0, index($0, "\"" key "\":[") + length(key) + 4)
		s = substr(s, 1, index(s, "]") - 1)
		return split(s, v, ",")
	}
	/^{"episode":/ {
		e = substr($0, 12) + 0
		n = list("x", x); m = list("a", a)
		has_z = index($0, "\"z\":") && list("z", z)
		for (i = 1; i <= n; i++)
			print e, x[i], i <= m ? a[i] : "-", has_z ? z[i] : "-"
	}'
}

# By hand:  0 1 2
#           3 4 5
cat >path.txt <<'END'
right
right
right
down

3
left
up
0
END
cat >want <<'END'
0 0 3 0
0 1 3 1
0 2 3 2
0 2 1 2
0 5 3 5
0 5 2 5
0 4 0 4
0 1 0 1
0 1 - 1
END
same 'a given path is walked' 'cat want' \
    'roomwalk --actions path.txt --start 0 --no-gzip r.gz | steps'
same 'the actions from standard input' 'cat want' \
    'roomwalk --actions - --start 0 --no-gzip r.gz <path.txt | steps'
same 'the room from standard input' 'cat want' \
    'roomwalk --actions path.txt --start 0 --no-gzip <r.gz | steps'
same 'Windows line ends' 'cat want' \
    "sed 's/\$/\r/' path.txt | roomwalk --actions - --start 0 --no-gzip r.gz | steps"
same 'no actions: one observation' 'echo "0 4 - 4"' \
    'roomwalk --actions /dev/null --start 4 --no-gzip r.gz | steps'
exits 3 'an unknown action' 'printf "up\nfly\n" | roomwalk --actions - r.gz >got'
exactly 'is shown' "roomwalk: standard input: line 2: 'fly' is not an action of the room, nor a number in 0..3"
exits 3 'an action out of range' 'echo 4 | roomwalk --actions - r.gz >got'
exactly 'is shown as well' "roomwalk: standard input: line 1: '4' is not an action of the room, nor a number in 0..3"
exits 3 'two actions on a line' 'echo up down | roomwalk --actions - r.gz >got'
says 'are none' "'up down' is not an action"
exits 3 'a missing file of actions' 'roomwalk --actions nowhere r.gz >got'
exactly 'is named' "roomwalk: 'nowhere': No such file or directory"
exits 3 'a cut file of actions' 'gzip -nc path.txt | head -c 30 >cut.gz; roomwalk --actions cut.gz r.gz >got'
says 'is cut' "'cut.gz': unexpected end"

# The file
roomwalk -n 2500 --no-gzip t.gz >w
same 'lines of 1000 steps, and header and end' 'echo 5' 'wc -l <w'
same 'the end counts' 'echo "{\"end\":true,\"episodes\":1,\"steps\":2500}"' 'tail -n 1 w'
holds 'the header has alphabet and history' "head -n 1 w | grep -q '^{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":4,\"n_obs\":31,\"actions\":\\[\"up\",\"down\",\"left\",\"right\"\\],\"history\":\\[{\"program\":\"roomgen\".*},{\"program\":\"roomwalk\",\"version\":\"[^\"]*\",\"args\":{\"steps\":\"2500\"},\"seed\":42}\\]}\$'"
same 'n observations, one action fewer' 'echo 2500 1' \
    "steps <w | awk '{ n++; d += \$3 == \"-\" } END { print n, d }'"
same 'the default is 10000' 'echo 10000' 'roomwalk --no-gzip t.gz | steps | wc -l'
same 'a walk of one observation' 'echo 1' 'roomwalk -n 1 --no-gzip t.gz | steps | wc -l'
same 'blind: the same without nodes' 'steps <w | cut -d" " -f 1-3' \
    'roomwalk -n 2500 --no-gzip --blind t.gz | steps | cut -d" " -f 1-3'
holds '--blind writes no nodes' '! roomwalk -n 2500 --no-gzip --blind t.gz | grep -q "\"z\""'
same 'compressed and plain are the same' 'cat w' 'roomwalk -n 2500 t.gz | gzip -dc'
same 'a seed fixes every byte' 'roomwalk -n 2500 t.gz' 'roomwalk -n 2500 -s 42 t.gz'
holds 'another seed gives another walk' 'roomwalk -n 2500 -s 1 --no-gzip t.gz | steps >a
    steps <w >b; ! cmp -s a b'
same 'a letter names its symbol' "echo '\"symbols\":[\"A\",\"B\"]'" \
    "printf 'AB\n' | roomgen map | roomwalk --no-gzip | head -n 1 | grep -o '\"symbols\":[^]]*]'"

# Nodes and transitions are those of the room file, step by step.
follows() { # ROOM: walk on stdin; every step must be one the room allows
	awk -v room="$(gzip -dc "$1")" '
	function list(key, v,   s) {
		s = substr(room, index(room, "\"" key "\":[") + length(key) + 4)
		gsub(/[^0-9]+/, " ", s)
		return split(s, v, " ")
	}
	BEGIN {
		s = substr(room, index(room, "\"n_nodes\":") + 10)
		n = s + 0
		list("obs", obs); list("next", to)
	}
	{
		if (obs[$4 + 1] != $2) bad++
		if (a != "-" && NR > 1 && to[a * n + z + 1] != $4) bad++
		a = $3; z = $4
	}
	END { print NR, bad + 0 }'
}
for room in t.gz h.gz; do
	for policy in random repeat:3 runs:4 bias:3 cover; do
		same "$policy stays in $room" 'echo 5000 0' \
		    "roomwalk -n 5000 --policy $policy --no-gzip $room | steps | follows $room"
	done
done

# Policies.  A symmetric random walk visits all nodes equally often: 500000
# steps, 8929 a node; sd is about 300, since visits of neighbours are
# correlated.
roomgen rectangle --size small -o s.gz
roomwalk -n 500000 --no-gzip s.gz | steps >w
holds 'a random walk is everywhere as often' "awk '{ n[\$4]++; a[\$3]++ }
    END { for (v = 0; v < 56; v++) if (n[v] < 7600 || n[v] > 10250) exit 1
	for (v = 0; v < 4; v++) if (a[v] < 123500 || a[v] > 126500) exit 1 }' w"
holds 'runs:3 takes each choice two or three times' "roomwalk -n 6001 --policy runs:3 --no-gzip t.gz |
    steps | awk '\$3 == a { n++; next } NR > 1 && n < 2 { bad = 1 } { a = \$3; n = 1 } END { exit bad }'"
holds 'bias:3 takes the first action half of the time' "roomwalk -n 6001 --policy bias:3 --no-gzip t.gz |
    steps | awk '\$3 == 0 { n++ } END { exit n < 2850 || n > 3150 }'"
roomgen rectangle --size 5x6 -o walled.gz
holds 'wall follows the wall' "roomwalk -n 5000 --policy wall --no-gzip walled.gz | steps |
    awk '\$2 > 0 { n++ } END { exit n < 3500 }'"
exits 0 'misread symbols' 'roomwalk -n 10000 --misread 0.1 --no-gzip walled.gz'
holds 'misread symbols are drawn from all' "roomwalk -n 10000 --misread 0.1 --no-gzip walled.gz | steps >a
    roomwalk -n 10000 --no-gzip walled.gz | steps >b
    paste a b | awk '\$2 != \$6 { n++ } \$3 != \$7 || \$4 != \$8 { bad = 1 } END { exit bad || n < 850 || n > 1050 }'"
holds 'repeat:3 takes each action three times' "roomwalk -n 3001 --policy repeat:3 --no-gzip t.gz |
    steps | awk '{ if ((NR - 1) % 3 && \$3 != \"-\" && \$3 != last) exit 1; last = \$3 }'"
# 288 pairs; the unit test measures 5 rooms
same 'cover tries everything in 400 steps' 'echo 288' \
    "roomwalk -n 401 --policy cover --no-gzip h.gz | steps |
    awk '\$3 != \"-\" { print \$4, \$3 }' | sort -u | wc -l"

# Slips: on a torus every action has another outcome, so outcomes can be
# counted.  Of 100000 steps 0.7 as chosen, 0.1 to stay, 0.1 to each side; sd is
# 0.0015.
roomgen torus --slip 0.3 --obs unique -o slip.gz
holds 'slips have the given probability' "roomwalk -n 100001 --no-gzip slip.gz | steps | awk '
    function go(v, a,   r, c) {
	r = int(v / 9); c = v % 9
	if (a == 0) r = (r + 7) % 8
	if (a == 1) r = (r + 1) % 8
	if (a == 2) c = (c + 8) % 9
	if (a == 3) c = (c + 1) % 9
	return 9 * r + c
    }
    NR > 1 {
	if (\$4 == go(z, a)) asked++
	else if (\$4 == z) stay++
	else if (\$4 == go(z, a < 2 ? 2 : 0)) one++
	else if (\$4 == go(z, a < 2 ? 3 : 1)) other++
	else wrong++
    }
    { z = \$4; a = \$3 }
    END {
	print asked, stay, one, other, wrong
	exit wrong || asked < 69300 || asked > 70700 || stay < 9400 ||
	    stay > 10600 || one < 9400 || one > 10600 || other < 9400 ||
	    other > 10600
    }'"

# Starts
same 'a start' 'echo 17' "roomwalk --start 17 --no-gzip t.gz | steps | head -n 1 | cut -d' ' -f 4"
same 'random starts are at many nodes' 'echo 72' \
    "roomwalk --episodes 1000 -n 1 --no-gzip t.gz | steps | cut -d' ' -f 4 | sort -u | wc -l"
exits 2 'a start outside' 'roomwalk --start 72 t.gz >got'
exactly 'is refused' "roomwalk: 't.gz': line 1: --start: node 72 is outside 0..71"

# Episodes
roomwalk -n 30 --episodes 4 --permute-episodes --no-gzip t.gz | steps >a
roomwalk -n 30 --episodes 7 --permute-episodes --no-gzip t.gz | steps >b
same 'episodes do not depend on their number' 'cat a' 'head -n 120 b'
same 'episodes differ' 'echo 7' "awk '{ s[\$1] = s[\$1] \" \" \$3 }
    END { for (e in s) print s[e] }' b | sort -u | wc -l"
roomwalk -n 20000 --episodes 2 --policy cover --permute-episodes --no-gzip t.gz | steps >a
roomwalk -n 20000 --episodes 2 --policy cover --no-gzip t.gz | steps >b
same 'new symbols, same nodes' 'cut -d" " -f 1,3,4 a' 'cut -d" " -f 1,3,4 b'
for e in 0 1; do
	same "symbols of episode $e are one-to-one" 'echo 31 31 31' "
	    paste -d' ' a b | awk '\$1 == $e { print \$2, \$6 }' | sort -u >pairs
	    echo \$(wc -l <pairs) \$(cut -d' ' -f 1 pairs | sort -u | wc -l) \
	    \$(cut -d' ' -f 2 pairs | sort -u | wc -l)"
	# One of 31 is a fixed point on average; more than 7 has probability
	# below 1e-5.
	holds "almost all are new in episode $e" \
	    "[ \$(awk '\$1 == \$2' pairs | wc -l) -le 7 ]"
done
holds '--permute-episodes permutes in each episode' "paste -d' ' a b | awk '{ print \$2, \$6 > \"map.\" \$1 }'
    sort -u map.0 >m0; sort -u map.1 >m1; ! cmp -s m0 m1"

# Several rooms
roomgen rectangle --size 1x2 --obs unique -o one.gz
roomgen rectangle --size 2x1 --obs unique -o two.gz
cat one.gz two.gz >both.gz
same 'rooms change with each episode' "printf '0 1\n1 0\n2 1\n3 0\n'" \
    "roomwalk -n 100 --episodes 4 --policy cover --no-gzip one.gz two.gz | steps |
    awk '\$1 == e && a == 3 && z == 0 && \$4 == 1 { m[e] = 1 }
    { e = \$1; a = \$3; z = \$4 } END { for (i = 0; i < 4; i++) print i, m[i] + 0 }'"
same 'the default is one each' 'roomwalk -n 100 --episodes 2 --no-gzip one.gz two.gz | steps' \
    'roomwalk -n 100 --no-gzip both.gz | steps'
exits 3 'rooms with other symbols' 'roomwalk t.gz h.gz >got'
exactly 'do not fit' "roomwalk: 'h.gz': line 1: 49 symbols, but the first room has 31"
sed 's/"go","stay"/"stay","go"/;s/\[\[1,0\],\(\[0.*\]\]\)\],"coords/[\1,[1,0]],"coords/' good.json >turned.json
same 'actions are matched by name' \
    'roomwalk --episodes 1 --start 0 -n 50 --no-gzip good.json | steps' \
    'roomwalk --start 0 -n 50 --no-gzip good.json turned.json | steps | head -n 50'
holds '--start in the second room' "roomwalk --start 0 -n 50 --no-gzip good.json turned.json | steps |
    awk '\$1 == 1 && a == 0 && \$1 == e && \$4 == z { exit 1 } { e = \$1; a = \$3; z = \$4 }'"
sed 's/"go","stay"/"go","wait"/' good.json >other.json
exits 3 'actions of another name' 'roomwalk good.json other.json >got'
says 'do not fit' "roomwalk: 'other.json': line 1: "
exits 2 'two rooms and given actions' 'roomwalk --actions /dev/null one.gz two.gz >got'
exactly 'is refused as well' 'roomwalk: --actions needs one room, not 2'

# Live: the first step is written before the second action is read.
mkfifo pipe
for how in --no-gzip ''; do
	roomwalk --live $how --actions pipe --start 0 r.gz >live &
	exec 9>pipe
	echo right >&9
	i=0
	while [ $i -lt 100 ]; do
		if [ "$how" ]; then cat live; else gzip -dc live 2>/dev/null; fi >seen
		grep -q '"x":\[0\],"a":\[3\],"z":\[0\]' seen && break
		sleep 0.02
		i=$((i + 1))
	done
	holds "a live step comes at once (${how:-gzip})" "[ $i -lt 100 ]"
	exec 9>&-
	wait $!
done

bad_rooms roomwalk roomwalk

# Usage errors
wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "roomwalk $2 </dev/null"
	exactly "$1: message" "roomwalk: $3 (try --help)"
}
wrong 'no steps' '-n 0 t.gz' '--steps: 0 is outside 1..1000000000000000'
wrong 'ten steps' '-n ten t.gz' "--steps: 'ten' is not a number"
wrong 'no episodes' '--episodes 0 t.gz' '--episodes: 0 is outside 1..2147483647'
wrong 'an unknown policy' '--policy brave t.gz' "--policy: 'brave' is not random, repeat:K, runs:K, bias:K, wall or cover"
wrong 'runs:1' '--policy runs:1 t.gz' "--policy: '1' is outside 2..2147483647"
wrong 'repeat:0' '--policy repeat:0 t.gz' "--policy: '0' is outside 1..2147483647"
wrong 'a start that does not exist' '--start here t.gz' "--start: 'here' is neither a node nor random"
wrong 'a negative start' '--start -1 t.gz' "--start: '-1' is neither a node nor random"
wrong 'a start that overflows' '--start 99999999999999999999 t.gz' "--start: '99999999999999999999' is neither a node nor random"
wrong 'actions and room from one pipe' '--actions -' 'standard input can be read only once'
wrong 'standard input as room and actions' '--actions - -' 'standard input can be read only once'
wrong 'actions and a policy' '--actions path.txt --policy cover t.gz' '--policy cannot be combined with --actions'
wrong 'actions and steps' '--actions path.txt -n 5 t.gz' '-n cannot be combined with --actions'
wrong 'actions and episodes' '--actions path.txt --episodes 2 t.gz' '--actions makes one episode'
wrong 'an unknown option' '--speed 3 t.gz' "unknown option '--speed'"
exits 3 'a walk is no room' 'roomwalk -n 5 t.gz | roomwalk >got'
exactly 'and the message says so' 'roomwalk: standard input: line 1: this is a cscg-walk file, not a cscg-room (roomgen makes rooms, cscg-learn a model of a walk)'
exits 3 'a failed walk' 'printf "up\nfly\n" | roomwalk --actions - t.gz >cut.gz'
holds 'looks truncated' '! gzip -t cut.gz'
exits 3 'a failed walk to a file' 'echo old >keep; printf "fly\n" | roomwalk --actions - t.gz -o keep'
same 'leaves the file as it was' 'echo old' 'cat keep'
exits 141 'a closed pipe ends it quietly' \
    '{ roomwalk -n 100000 --no-gzip t.gz; echo $? >rc; } | head -n 1 >got; exit $(cat rc)'
exits 0 'help' 'roomwalk --help'
prints 'help has defaults' 'observations per episode [10000]'

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/roomwalk.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}' >ex.sh
holds 'the examples of the page run unchanged' 'sh -e ex.sh >got'
same 'the examples write their walks' 'echo "\"x\":[0,1,2,5,4]"' "grep -o '\"x\":[^]]*]' got"
same 'six episodes' 'echo "{\"end\":true,\"episodes\":6,\"steps\":600}"' 'gzip -dc both.gz | tail -n 1'
finish
