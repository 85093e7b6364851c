# cscg-show --as html: one self-contained page, with any contents of the input
. "$(dirname "$0")/../tap.sh"

roomgen rectangle --size 2x3 --no-gzip >r
roomgen rectangle --size 2x3 --as model --no-gzip >m
roomwalk -n 30 --no-gzip r >w
cscg-show --as schema --no-gzip m >s
cscg-show --as clones --no-gzip m >c

# The data of a page as a Python object: d.
see() { # PAGE EXPRESSION
	python3 -c '
import json, re, sys
t = open(sys.argv[1]).read()
d = json.loads(re.search(r"<script type=\"application/json\" id=\"data\">(.*?)</script>", t, re.S).group(1))
r = d["runs"]
print(eval(sys.argv[2]))' "$1" "$2"
}

# --- contents

for f in r m s c; do
	exits 0 "a page for $f" "cscg-show --as html -o $f.html $f"
	exactly 'prints no message' ''
done
exits 0 'a page with a walk and a plan' \
    'cscg-plan -w w --goal state:5 --json m >plan
     cscg-show --as html -w w --plan plan -o wp.html m'
for f in r m s c wp; do
	# The namespace of SVG is a name, no address that is opened.
	holds "$f: needs no other file" \
	    "! sed 's|http://www.w3.org/2000/svg||' $f.html |
	    grep -Ei 'https?://|src=|@import|[^a-z]url\\(|<link [^>]*href=\"[^d]|fetch\\(|XMLHttp|WebSocket'"
	holds "$f: the page is complete" "head -n 1 $f.html | grep -qx '<!DOCTYPE html>' && tail -n 1 $f.html | grep -qx '</html>'"
	holds "$f: no placeholder is left" "! grep -E '@[A-Z]+@' $f.html"
done
holds 'the page forbids loading anything' "grep -q \"default-src 'none'\" m.html"
same 'the page has the same bytes again' 'cat wp.html' 'cscg-show --as html -w w --plan plan m'
same 'threads do not change the page' 'cat wp.html' 'OMP_NUM_THREADS=7 cscg-show --as html -w w --plan plan m'
same 'the page of a model from a pipe' 'gzip -c m | cscg-show --as html' 'cat m.html'
if has_python; then
	same 'a model has its states' "see m.html 'd[\"what\"], d[\"n\"], d[\"grounded\"], d[\"label\"]'" \
	    "echo \"('state', 6, True, [0, 1, 2, 3, 4, 5])\""
	# 24 transitions, of which 10 are self-loops
	same 'the page has the transitions' "see m.html 'len(d[\"a\"]), sum(u == v for u, v in zip(d[\"from\"], d[\"to\"])), set(d[\"count\"]), d[\"actions\"]'" \
	    "echo \"(24, 10, {100}, ['up', 'down', 'left', 'right'])\""
	# (100 + 0.0001) / (100 + 6 * 0.0001)
	same 'the page has probabilities' "see m.html 'set(d[\"p\"])'" 'echo "{0.999995}"'
	same 'coordinates are those of the file' "see m.html 'd[\"given\"], d[\"flat\"]'" \
	    'echo "(True, [0, 0, 100, 0, 200, 0, 0, 100, 100, 100, 200, 100])"'
	sed 's/"coords":.*"history"/"history"/' m >bare
	cscg-show --as html -o bare.html bare
	same 'positions are computed without coordinates' "see bare.html 'd[\"given\"], [100 * round(x / 100) for x in d[\"flat\"]]'" \
	    'echo "(False, [0, 0, 100, 0, 200, 0, 0, 100, 100, 100, 200, 100])"'
	same 'a schema has no labels' "see s.html '\"label\" in d, d[\"grounded\"]'" 'echo "(False, False)"'
	same 'a schema with clones has groups' "see c.html 'd[\"label\"], d[\"grounded\"]'" \
	    'echo "([0, 1, 2, 3, 4, 5], False)"'
	same 'a room has nodes, but no counts' "see r.html 'd[\"what\"], \"count\" in d'" "echo \"('node', False)\""
	# Each node has a symbol of its own: the belief is the true node from
	# the first step.
	z=$(sed -n 's/.*"z":\(\[[0-9,]*\]\).*/\1/p' w)
	same 'a walk is decoded' "see wp.html 'r[0][\"name\"], r[0][\"z\"] == $z, r[0][\"x\"] == $z, set(map(str, r[0][\"p\"]))'" \
	    "echo \"('walk', True, True, {'1'})\""
	same 'beliefs are in thousandths' "see wp.html '[b for b in r[0][\"belief\"]] == [[v, 1000] for v in $z]'" 'echo True'
	same 'a plan is the plan' "see wp.html 'len(r), r[1][\"name\"], r[1][\"plan\"], r[1][\"z\"]'" \
	    'sed "s/.*\"states\":\(\[[0-9,]*\]\).*/\1/; s/,/, /g; s/.*/(2, '"'plan'"', True, &)/" plan'
	# The same actions from the last state of the walk.
	cscg-plan -w w --goal state:5 m >lines
	same 'a plan as lines of actions' 'cscg-show --as html -w w --plan lines m' 'cat wp.html'
	same 'a plan may come from a pipe' 'cscg-show --as html -w w --plan - m <lines' 'cat wp.html'
	: >none
	exits 0 'a plan to stay' 'cscg-show --as html -w w --plan none -o stay.html m'
	same 'an empty plan has one state' "see stay.html 'r[1][\"z\"] == r[0][\"z\"][-1:], r[1][\"a\"]'" 'echo "(True, [-1])"'
	# Two nodes have symbol 0 and differ in their right neighbours:
	# probability one half each, then one.
	printf '%s\n' '{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":4,"n_actions":1,"n_obs":3,"clone":[0,0,1,2],"pseudocount":0,"counts":[{"from":[0,1],"to":[2,3],"count":[1,1]}]}' >two
	printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":3}' '{"episode":0,"x":[0,2],"a":[0],"last":true}' \
	    '{"episode":1,"x":[0,null],"a":[0],"last":true}' '{"end":true,"episodes":2,"steps":4}' >w2
	cscg-show --as html -w w2 -o two.html two
	same 'an ambiguous state is a distribution' "see two.html '[(e[\"name\"], e[\"belief\"], e[\"z\"]) for e in r][0]'" \
	    "echo \"('episode 0', [[0, 500, 1, 500], [3, 1000]], [1, 3])\""
	same 'a belief without an observation' "see two.html 'r[1][\"belief\"], r[1][\"x\"]'" \
	    'echo "([[0, 500, 1, 500], [2, 500, 3, 500]], [0, -1])"'
	printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":3}' '{"episode":0,"x":[0,0],"a":[0],"last":true}' \
	    '{"end":true,"episodes":1,"steps":2}' >lost
	# No state of symbol 0 leads to a state of symbol 0.
	cscg-show --as html -w lost -o lost.html two
	same 'an impossible step is marked as lost' "see lost.html 'r[0][\"z\"], r[0][\"belief\"][1], r[0][\"p\"]'" 'echo "([0, -1], [], [0.5, 0])"'
	exits 0 'a walk in a room' 'cscg-show --as html -w w -o rw.html r'
	same 'a walk in a room has its nodes' "see rw.html 'r[0][\"z\"] == $z, \"belief\" in r[0]'" 'echo "(True, False)"'
	exits 0 'a rare transition' 'roomgen rectangle --size 2x3 --slip 0.06 | cscg-show --as html -o slip.html'
	# a third of 0.06 is below 0.05
	same 'a rare edge is left out' "see slip.html 'min(d[\"p\"]) > 0.05'" 'echo True'
	same '--min-prob 0.01 keeps a rare edge' "roomgen rectangle --size 2x3 --slip 0.06 | cscg-show --as html --min-prob 0.01 -o slip.html; see slip.html 'min(d[\"p\"])'" 'echo 0.02'
	exits 0 'a long walk' 'roomwalk -n 6000 r | cscg-show --as html -w - -o long.html m'
	says 'is truncated, with a message' 'cscg-show: the page has the first 5000 steps of the walk; 1000 more are omitted'
	same 'the page has 5000 steps and a note' "see long.html 'len(r[0][\"z\"]), \"first steps\" in d[\"note\"]'" 'echo "(5000, True)"'
	exits 0 'a doughnut' 'roomgen torus --size 6x16 --as model --no-gzip | sed "s/\"coords\":.*\"history\"/\"history\"/" | cscg-show --as html -o torus.html'
	same 'a torus is shown in 3D' "see torus.html 'd[\"view\"]'" 'echo solid'
	same 'a sheet is flat' "see bare.html 'd[\"view\"]'" 'echo flat'
else
	tap 0 'what is in the page # SKIP no python3'
fi

# --- untrusted names

printf '%s\n' '{"format":"cscg-room","version":1,"name":"</title><b>&","n_nodes":2,"n_actions":2,"n_obs":2,"actions":["</script><img src=x onerror=alert(1)>","<!--<script>"],"symbols":["\u2028 & \u2029","\"\\"],"obs":[0,1],"next":[[1,0],[0,1]]}' >odd
exits 0 'hostile names' 'cscg-show --as html -o odd.html odd'
holds 'end no script' '[ $(grep -c "</script>" odd.html) = 2 ] && [ $(grep -c "<script" odd.html) = 2 ]'
holds 'names contain no markup' '! grep -e "<img" -e "<b>" -e "</title><" odd.html'
holds 'names contain no comments' '! sed 1d odd.html | grep "<!"'
holds 'names contain no line separators' "! grep -q \$(printf '\\342\\200[\\250\\251]') odd.html"
holds 'the title is escaped' 'grep -q "<title>&lt;/title&gt;&lt;b&gt;&amp;</title>" odd.html'
if has_python; then
	same 'escaped names are unchanged in the data' "see odd.html 'd[\"actions\"][0], d[\"symbols\"], d[\"title\"]'" \
	    "python3 -c 'import json; d = json.load(open(\"odd\")); print((d[\"actions\"][0], d[\"symbols\"], d[\"name\"]))'"
fi

# --- bad input

usage() { # NAME OPTIONS MESSAGE
	exits 2 "$1" "cscg-show $2"
	exactly '... says why' "cscg-show: $3 (try --help)"
}
usage 'a plan without a page' '--plan plan m' '--plan requires --as html'
usage 'a plan in a drawing' '--as dot --plan plan m' '--plan requires --as html'
usage 'a walk in a drawing' '--as dot -w w m' '-w requires --truth, --view top, --view iso or --as html'
usage 'a truth' '--as html --truth r m' '--truth requires --as dot, svg, pdf, png, graphml, tsv or nodes'
usage 'rooms' '--as html --partition m' '--partition requires --as dot, svg, pdf, png, nodes, schema, library, clones or model'
usage 'one input for two' '--as html --plan -' 'standard input can be read only once'
usage 'a library' '--as library m' '--as library requires --partition'

unfit() { # NAME COMMAND MESSAGE
	exits 3 "$1" "$2"
	exactly '... says why' "cscg-show: $3"
}
unfit 'a walk has no map' 'cscg-show --as html w' "'w': --as html requires a room or model, not a walk"
awk '/^\.Bd/ { k++; on = k == 1; next } /^\.Ed/ { on = 0 } on' "$TOP/man/cscg-codebook.5" >book
unfit 'the page of a codebook' 'cscg-show --as html book' "'book': line 1: --as html requires a room or model, not a codebook"
unfit 'two in one page' 'cat m r | cscg-show --as html' 'standard input: more than one room, model or codebook, but --as html writes one'
unfit 'a schema cannot be decoded' 'cscg-show --as html -w w s' "'s': line 1: a grounded model is needed, this is a schema (cscg-bind learns its emissions)"
unfit 'a room has no plan' 'cscg-show --as html --plan plan r' "'r': line 1: --plan requires a model, not a room"
unfit 'a blind walk in a room' 'roomwalk -n 9 --blind r | cscg-show --as html -w - r' "standard input: the walk has no true nodes"
unfit 'a walk with nodes outside the room' 'printf "%s\n" "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":4,\"n_obs\":6}" "{\"episode\":0,\"x\":[1],\"a\":[],\"z\":[65],\"last\":true}" "{\"end\":true,\"episodes\":1,\"steps\":1}" | cscg-show --as html -w - r' "standard input: node 65 is not one of the room's 6"
unfit 'a walk with unknown symbols in a room' 'sed "s/\"n_obs\":6/\"n_obs\":90/; s/\"x\":\[[0-9]*/\"x\":[77/" w | cscg-show --as html -w - r' "standard input: symbol 77 is not one of the room's 6"
unfit 'a walk with unknown symbols in a model' 'sed "s/\"n_obs\":6/\"n_obs\":90/; s/\"x\":\[[0-9]*/\"x\":[77/" w >w77; cscg-show --as html -w w77 m' "'w77': episode 0, step 0: symbol 77 is not one of the model's 0..5"
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":6}' '{"end":true,"episodes":0,"steps":0}' >w0
unfit 'a walk without steps as the start of a plan' 'cscg-show --as html -w w0 --plan lines m' \
    "'lines': the plan has no start state; give the walk before it (-w), or use cscg-plan --json"
unfit 'a walk that is none' 'cscg-show --as html -w r m' "'r': line 1: this is a cscg-room file, not a cscg-walk (roomwalk makes a walk in a room)"
unfit 'no such plan' 'cscg-show --as html --plan nowhere m' "'nowhere': No such file or directory"
unfit 'a plan without a start' 'cscg-show --as html --plan lines m' \
    "'lines': the plan has no start state; give the walk before it (-w), or use cscg-plan --json"
plan() { # NAME TEXT MESSAGE
	printf '%s\n' "$2" >p
	unfit "$1" 'cscg-show --as html -w w --plan p m' "'p': line $3"
}
plan 'an action that is none' up_ "1: 'up_' is neither the name of an action nor a number in 0..3"
plan 'a number that is none' 4 "1: '4' is neither the name of an action nor a number in 0..3"
plan 'a plan without states' '{"actions":["up"]}' '1: /states: missing'
plan 'one state too few' '{"actions":["up"],"states":[0]}' '1: /states: has 1 items, not 2'
plan 'a state that is none' '{"actions":["up"],"states":[0,6]}' '1: /states/1: 6 is outside 0..5'
plan 'a plan with unknown actions' '{"actions":["fly"],"states":[3,0]}' "1: /actions/0: the model has no action 'fly'"
plan 'a number of an action' '{"actions":[9],"states":[3,0]}' '1: /actions/0: 9 is outside 0..3'
plan 'neither name nor number' '{"actions":[true],"states":[3,0]}' '1: /actions/0: is neither a name nor a number'
# Up from 3 is 0; 5 is down of 2.
plan 'a plan with impossible transitions' '{"actions":["up","up"],"states":[3,0,5]}' \
    '1: /states/2: the model has no transition from state 0 to 5 by action 0'
plan 'two plans' '{"actions":["up"],"states":[3,0]}
{"actions":[],"states":[3]}' '2: more than one plan'
plan 'no JSON' '{"actions":' '1: invalid JSON: column 11: unexpected token near end of file'
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":3}' '{"episode":0,"x":[1],"a":[],"last":true}' '{"end":true,"episodes":1,"steps":1}' >w3
echo 0 >p
unfit 'a plan with an action that the model lacks' 'cscg-show --as html -w w3 --plan p two' \
    "'p': line 1: the model has no transition by '0' from state 2"
unfit 'more states than a page can show' 'roomgen rectangle --size 150x150 --as model | cscg-show --as html' \
    'standard input: line 1: 22500 states are too many for a page, which can show 20000'
echo old >kept
exits 3 'a fault' 'cscg-show --as html --plan nowhere -o kept m'
holds 'leaves the old file' 'test "$(cat kept)" = old'
exits 4 'a full disk' 'cscg-show --as html m >/dev/full'
exactly 'is noticed' 'cscg-show: standard output: No space left on device'
finish
