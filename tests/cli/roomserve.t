# The command roomserve, for a user and for an agent.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badroom.sh"

roomgen rectangle --size 2x3 -o r.gz
roomgen torus --size 4x4 --obs unique -o t.gz
roomgen hole -o h.gz

# Actions by number, for pipes.
acts() { printf '{"a":%s}\n' "$@"; }
# N random actions out of K.
random() { # N K
	awk -v n="$1" -v k="$2" 'BEGIN { srand(7); while (n-- > 0)
	    printf "{\"a\":%d}\n", int(rand() * k) }'
}
# An agent that leaves N episodes.
leave() { yes '{"a":null}' | head -n "$1"; }

# By hand:  0 1 2
#           3 4 5
cat >want <<'END'
{"x":0,"reward":0,"episode":0,"done":false}
{"x":1,"reward":0,"episode":0,"done":false}
{"x":4,"reward":0,"episode":0,"done":false}
{"x":4,"reward":0,"episode":0,"done":false}
{"x":3,"reward":0,"episode":0,"done":false}
END
same 'a path is walked' 'cat want' \
    'acts 3 1 1 2 | roomserve --start 0 r.gz | tail -n +2'
same 'actions by name' 'cat want' \
    'acts \"right\" \"down\" 1 \"left\" | roomserve --start 0 r.gz | tail -n +2'
same 'actions in other JSON spelling' 'cat want' \
    'printf " {\"a\" : %s }\r\n" 3 1 1 2 | roomserve --start 0 r.gz | tail -n +2'
same 'the header says what there is' \
    'roomserve r.gz </dev/null | head -n 1 | sed "s/,\"history.*//"' \
    "echo '{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":4,\"n_obs\":6,\"actions\":[\"up\",\"down\",\"left\",\"right\"],\"episodes\":1'"
same 'the header of the game has more keys' \
    'roomserve --task game --episodes 9 t.gz </dev/null | head -n 1 | sed "s/,\"history.*//"' \
    "echo '{\"format\":\"cscg-env\",\"version\":1,\"n_actions\":5,\"n_obs\":16,\"actions\":[\"up\",\"down\",\"left\",\"right\",\"collect\"],\"collect\":4,\"episodes\":9,\"steps\":100'"
same 'streets have 200 steps' \
    'roomserve --task street t.gz </dev/null | head -n 1 | grep -o "\"steps\":[0-9]*"' \
    "echo '\"steps\":200'"

# Live: the agent answers only after an observation.
mkfifo in out
cat >agent <<'END'
exec 3>in 4<out
read -r head <&4
while read -r obs <&4; do
	echo "$obs"
	case $obs in *'"done":true'*) ;; *) echo '{"a":3}' >&3 ;; esac
done
END
cat >want <<'END'
{"x":3,"reward":0,"episode":0,"done":false,"z":3}
{"x":4,"reward":0,"episode":0,"done":false,"z":4}
{"x":5,"reward":0,"episode":0,"done":true,"z":5}
{"x":3,"reward":0,"episode":1,"done":false,"z":3}
{"x":4,"reward":0,"episode":1,"done":false,"z":4}
{"x":5,"reward":0,"episode":1,"done":true,"z":5}
END
roomserve -n 2 --episodes 2 --start 3 --nodes r.gz <in >out &
same 'an agent that waits for its turn gets it' 'cat want' 'timeout 20 sh agent'
wait $!
tap $? 'the environment ends with status 0'

# Leaving.
same 'an agent may leave an episode' \
    'acts 3 null 1 null | roomserve --start 0 --episodes 3 r.gz --log l.gz | tail -n +2 | cut -d, -f1,3' \
    'printf "{\"x\":%s,\"episode\":%s\n" 0 0 1 0 0 1 3 1 0 2'
same 'the log has its episodes, but not one it never entered' \
    'walkconv --as tsv --numbers l.gz' \
    'printf "%s\t%s\t%s\t%s\n" episode x a z 0 0 3 0 0 1 "" 1 1 0 1 0 1 3 "" 3'
exits 0 'an agent may leave the environment' 'acts 3 3 | roomserve r.gz --log l.gz >got'
exits 0 'an agent may leave at once' 'roomserve --start 2 r.gz --log l.gz </dev/null >got'
same 'the log has the first step' 'walkconv --as tsv --numbers l.gz' \
    'printf "%s\t%s\t%s\t%s\n" episode x a z 0 2 "" 2'
# head closes the pipe; only the next line fails.
rm -f status
(random 100000 4 | roomserve --log l.gz r.gz; echo $? >status) | head -n 3 >got
holds 'an agent that closes its input ends it by SIGPIPE' \
    'wait_for "[ -s status ]"; [ "$(cat status)" = 141 ]'
exits 0 'the log is complete' 'walkconv l.gz >got'

# The game against a few lines of bookkeeping: nodes are 4 * row + column.
cat >rules.awk <<'END'
function wrong(what) { if (!bad++) print "line " NR ": " what }
function move(z, a,   r, c) {
	r = int(z / 4); c = z % 4
	if (a == 0) r = (r + 3) % 4
	if (a == 1) r = (r + 1) % 4
	if (a == 2) c = (c + 3) % 4
	if (a == 3) c = (c + 1) % 4
	return 4 * r + c
}
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; was_e = -1; next }
{
	e = $1; x = $2; a = $3; z = $4
	r = $(col["r"]); goal = $(col["goal"])
	reset = "reset" in col ? $(col["reset"]) : 0
	if (e != was_e) {		# a new episode
		if (e > 0 && n != steps) wrong("episode of " n)
		if (e != was_e + 1) wrong("episode " e)
		n = 0
		if (r != 0 || reset != 0) wrong("a reward for nothing")
		if (goal == x) wrong("goal on the spot")
		for (k in at) if (k in last && at[k] != last[k]) changed++
		for (k in at) last[k] = at[k]
		for (k in last) delete at[k]
	} else {
		n++
		won = was_a == 4 && was_x == was_goal
		if (r != won) wrong("reward")
		wins += won
		misses += was_a == 4 && !won
		if (reset != (won && respawn)) wrong("reset")
		if (won && goal == x) wrong("goal on the spot")
		if (!won && goal != was_goal) wrong("goal")
		if (!reset && z != (was_a == 4 ? was_z : move(was_z, was_a)))
			wrong("move")
		if (reset) spread[z]++
	}
	if (z in at && at[z] != x) wrong("symbol")
	at[z] = x
	was_e = e; was_a = a; was_x = x; was_z = z; was_goal = goal
}
END {
	if (n != steps) wrong("last episode of " n)
	for (k in spread) places++
	if (wins < 20 || misses < 100) wrong("only " wins " wins")
	if (respawn && places < 10) wrong("respawns at " places " places")
	if (permute ? changed < 100 : changed) wrong("symbols")
	exit bad > 0
}
END
rules() { # STEPS RESPAWN PERMUTE
	walkconv --as tsv --numbers l.gz |
	    awk -F '\t' -v steps="$1" -v respawn="$2" -v permute="$3" -f rules.awk
}
random 6000 5 >moves
exits 0 'a game is played' 'roomserve --task game --episodes 60 --log l.gz t.gz <moves >got'
holds 'the game follows its rules' 'rules 100 1 1'
exits 0 'streets are walked' 'roomserve --task street --episodes 30 --log l.gz t.gz <moves >got'
holds 'streets follow their rules' 'rules 200 1 0'
exits 0 'the game without respawn' 'roomserve --task game --respawn no --episodes 60 --log l.gz t.gz <moves >got'
holds 'the game without respawn follows its rules' 'rules 100 0 1'
exits 0 'goals of any length' 'roomserve --task goals --respawn yes -n 150 --permute-episodes --episodes 40 --log l.gz t.gz <moves >got'
holds 'goals follow the rules of the game' 'rules 150 1 1'
# The episode ends on time, after any action.
same 'an episode ends with its last step' \
    'roomserve --task game t.gz <moves | tail -n 1 | grep -o "\"done\":[a-z]*"' \
    "echo '\"done\":true'"
same 'an episode has 101 observations' 'roomserve --task game t.gz <moves | wc -l' 'echo 102'
# key KEY: its value on each line, "-" where it is absent.
key() { sed "s/.*\"$1\":\([0-9]*\).*/\1/; /{/s/.*/-/"; }
roomserve --task game --nodes --episodes 3 t.gz --log l.gz <moves | tail -n +2 >told
same 'observations are those of the log' \
    'for k in episode x z reward goal; do key $k <told >told.$k; done
    paste told.episode told.x told.z told.reward told.goal' \
    'walkconv --as tsv --numbers l.gz | tail -n +2 | cut -f1,2,4,6,7'
same 'a seed fixes every byte' 'roomserve -s 3 --task game --episodes 5 t.gz <moves' \
    'roomserve -s 3 --task game --episodes 5 t.gz <moves'
holds 'another seed gives another game' '
    roomserve -s 3 --task game t.gz <moves | tail -n +2 >1
    roomserve -s 4 --task game t.gz <moves | tail -n +2 >2
    ! cmp -s 1 2'
same 'episode 3 does not depend on the others' \
    'roomserve --task game --episodes 5 t.gz <moves | grep "episode\":3" | head -n 1' \
    'leave 3 | roomserve --task game --episodes 5 t.gz | grep "episode\":3" | head -n 1'
same 'new symbols are those of roomwalk' \
    'acts 0 0 0 0 | roomserve --start 5 -n 1 --episodes 4 --permute-episodes t.gz | tail -n +2 | sed "n; d" | key x' \
    'roomwalk --start 5 -n 1 --episodes 4 --permute-episodes t.gz | walkconv --as tsv --numbers | tail -n +2 | cut -f2'
exits 0 'the log is a walk to learn from' 'cscg-learn -j1 --clones 1 --iterations 2 --restarts 1 l.gz >got'

# Distances: 3 rows and 3 columns from corner to corner, 1 and 1 on the torus.
same 'back to the start' \
    'acts 1 1 1 3 3 3 | roomserve --task return --start 0 t.gz | tail -n +2 | key distance' \
    'printf "%s\n" 0 1 2 1 2 3 2'
same 'the goal is the symbol observed there' \
    'acts 3 | roomserve --task return --start 1 r.gz | tail -n 1' \
    "echo '{\"x\":2,\"goal\":1,\"reward\":0,\"episode\":0,\"done\":false,\"distance\":1}'"
same 'distances can be kept back' \
    'acts 3 | roomserve --blind --task return --start 1 r.gz | tail -n 1' \
    "echo '{\"x\":2,\"goal\":1,\"reward\":0,\"episode\":0,\"done\":false}'"
# The symbol of each node, from the room itself.
zcat h.gz | grep -o '"obs":[^]]*' | tr -d '"obs:[' | tr , '\n' >obs
holds 'a return starts at a unique symbol' '
    leave 99 | roomserve --task return --episodes 99 --nodes h.gz | tail -n +2 >told
    key x <told >told.x; key z <told >told.z
    paste -d " " told.x told.z | awk "NR == FNR { at[NR - 1] = \$1; n[\$1]++; next }
    \$1 != at[\$2] || n[\$1] != 1 { bad++ } END { exit bad || FNR != 99 }" obs -'

# Several rooms.
roomgen torus --size 3x3 --obs unique -o t3.gz
cat t.gz t3.gz >two.gz
same 'the largest number of symbols is given, and an episode for each room' \
    'roomserve two.gz t.gz </dev/null | head -n 1 | key n_obs; roomserve two.gz t.gz </dev/null | head -n 1 | key episodes' \
    'echo 16; echo 3'
exits 2 'a start that one of them lacks' 'roomserve --start 8 two.gz r.gz </dev/null >got'
exactly 'is named' 'roomserve: room 2: the start 8 is outside 0..5'
holds 'rooms change with each episode' '
    leave 60 | roomserve --task goals --episodes 60 two.gz | tail -n +2 >told
    key x <told >told.x; key goal <told >told.goal
    paste -d "\n" told.x told.goal |
    awk "{ r = int((NR - 1) / 2) % 2; if (\$1 > most[r]) most[r] = \$1 }
    END { exit !(most[0] > 8 && most[0] < 16 && most[1] == 8 && NR == 120) }"'
sed 's/\["a","b"\]/["a","c"]/' good.json >other.json
exits 3 'rooms with other symbols' 'roomserve good.json other.json </dev/null >got'
says 'do not fit' "roomserve: room 1: symbol 'c' does not occur in the other input"
exits 3 'rooms with other actions' 'roomserve good.json r.gz </dev/null >got'
says 'do not fit either' 'roomserve: room 1: '

# Errors of agents.
agent() { # NAME TEXT MESSAGE: what the agent says, as printf spells it
	exits 3 "$1" "printf '$2' | roomserve --log l.gz r.gz >got"
	exactly "$1: message" "roomserve: standard input: $3"
}
echo old >l.gz
agent 'garbage' 'up\n' "line 1: 'up': invalid JSON: column 2: '[' or '{' expected near 'up'"
agent 'an action out of range' '{"a":1}\n{"a":4}\n' \
    "line 2: '{\"a\":4}': /a: 4 is outside 0..3"
agent 'an unknown action' '{"a":"fly"}\n' \
    "line 1: '{\"a\":\"fly\"}': /a: 'fly' is not the name of an action"
agent 'a negative action' '{"a":-1}\n' "line 1: '{\"a\":-1}': /a: -1 is outside 0..3"
agent 'another key' '{"b":1}\n' "line 1: '{\"b\":1}': /b: unknown key"
agent 'no key' '{}\n' "line 1: '{}': /a: missing"
agent 'half an action' '{"a":1.5}\n' "line 1: '{\"a\":1.5}': /a: 1.5 is not an integer"
agent 'half a line' '{"a":1}\n{"a":' \
    "line 2: unexpected end in the middle of a line: '{\"a\":'"
agent 'an action line without its newline' '{"a":1}' \
    "line 1: unexpected end in the middle of a line: '{\"a\":1}'"
agent 'an observation' '{"x":1}\n' "line 1: '{\"x\":1}': /x: unknown key"
exits 3 'a blank line' 'echo | roomserve r.gz >got'
says 'is not an action' "standard input: line 1: '': invalid JSON"
exits 3 'bytes' '{ head -c 4000 /dev/zero | tr "\0" "\377"; echo; } | roomserve r.gz >got'
says 'are quoted in print' "line 1: '????????????????????????????????????????????????????????????...': invalid JSON"
exits 3 'ten megabytes' '{ head -c 10000000 /dev/zero | tr "\0" x; echo; } | roomserve r.gz >got'
says 'are not read' "line 1: longer than 1048576 bytes: 'xxxx"
exits 3 'compressed actions' 'acts 1 | gzip | roomserve r.gz >got'
says 'are not either' "standard input: line 1: "
same 'the old log stays' 'cat l.gz' 'echo old'
exits 3 'a directory as actions' 'roomserve r.gz <. >got'
exactly 'is none' 'roomserve: standard input: Is a directory'
exits 3 'no standard input' 'roomserve r.gz <&- >got'
says 'is reported' 'roomserve: standard input: '

# The log is complete or absent.
holds 'TERM: the old log stays, the temporary goes' '
	sleep 100 >in & s=$!
	roomserve --log l.gz r.gz <in >got & p=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep .1
		[ "$(find . -name ".l.gz.tmp.*")" ] && break
	done
	[ "$(find . -name ".l.gz.tmp.*")" ]; there=$?
	kill -TERM $p; wait $p; rc=$?; kill $s
	[ $there = 0 ] && [ $rc = 143 ] && [ "$(cat l.gz)" = old ] &&
	    [ -z "$(find . -name "*.tmp.*")" ]'
exits 2 'a log that cannot be' 'roomserve --log none/x r.gz </dev/null >got'
exactly 'is named' "roomserve: 'none/x': No such file or directory"
exits 4 'a log on a full disk' 'roomserve --log /dev/full --task game t.gz <moves >got'
exactly 'is noticed' "roomserve: '/dev/full': No space left on device"

# Options.
exits 2 'no room' 'roomserve </dev/null'
says 'is too few' 'too few operands'
exits 2 'a room from standard input' 'roomserve - <r.gz'
says 'is refused' 'standard input is for the actions, not for a room'
exits 2 'an unknown task' 'roomserve --task win r.gz </dev/null'
exactly 'is refused as well' "roomserve: --task: 'win' is not one of none|return|goals|game|street (try --help)"
exits 2 'an unknown start' 'roomserve --start here r.gz </dev/null'
says 'is no node' "--start: 'here' is neither a node nor random nor unique"
exits 2 'respawn and not' 'roomserve --task game --respawn --no-respawn r.gz </dev/null'
says 'is one choice' "--respawn: '--no-respawn' is not one of auto|yes|no"
exits 2 'the option of 1.0.0' 'roomserve --task game --no-respawn r.gz </dev/null'
says 'has a new spelling' 'did you mean --respawn no?'
exits 2 'respawn without rewards' 'roomserve --task return --respawn no r.gz </dev/null'
says 'is refused' '--respawn no: --task return has no rewards'
exits 2 'respawn in a walk' 'roomserve --respawn yes r.gz </dev/null'
says 'is refused' '--respawn yes: --task none has no rewards'
same 'auto is the default' 'roomserve --task game --respawn auto --episodes 5 t.gz <moves | tail -n +2' \
    'roomserve --task game --episodes 5 t.gz <moves | tail -n +2'
exits 2 'the log on standard output' 'roomserve --log - r.gz </dev/null'
says 'is refused' '--log: standard output is used by the observations'
exits 2 'no unique node' 'roomgen torus --obs random:2 -o same.gz && roomserve --task return same.gz </dev/null >got'
says 'to start at' 'no start node: every symbol is emitted by several nodes'
exits 3 'one symbol everywhere' 'roomgen torus --obs random:1 -o same.gz && roomserve --task game same.gz </dev/null >got'
says 'is no game' 'no goals: all nodes emit the same symbol'

# Bad rooms.
printf '#!/bin/sh\nexec roomserve "$@" </dev/null\n' >alone
chmod +x alone
bad_tool=roomserve bad_cmd='./alone %' bad_good=good.json
exits 0 'the room without errors is accepted' './alone good.json >got'
bad_values
bad_edges
bad_cuts cscg-room 7
bad_files
bad_twice ./alone
sed 's/0.75/NaN/' good.json >bad.json
exits 3 'NaN is refused' './alone bad.json >got'
says 'NaN: message' "roomserve: 'bad.json': line 1: invalid JSON: "
finish
