# badinput.sh - walks and models that every reader of them must refuse; sourced
# by tests.
#
#   bad_walks TOOL COMMAND    COMMAND with % in it, which stands for the file,
#   bad_models TOOL COMMAND   reads it and says "TOOL: ..." if it is at fault

. "$TOP/tests/cli/badfile.sh"
cat >good.walk <<'END'
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":["go","stay"],"symbols":["a","b","c"],"history":[]}
{"episode":0,"x":[0,1,2],"a":[0,1,0],"z":[0,1,2]}
{"episode":0,"x":[0,null],"a":[1],"r":[0.5,-2],"reset":[1],"last":true}
{"episode":1,"x":[1],"a":[],"goal":[2],"last":true}
{"end":true,"episodes":2,"steps":6}
END
cat >good.model <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":3,"n_actions":2,"n_obs":3,"actions":["go","stay"],"symbols":["a","b","c"],"clone":[0,1,2],"pi":[0.5,0.25,0.25],"pseudocount":0.5,"counts":[{"from":[0,1,2],"to":[1,2,0],"count":[8,7.5,8]},{"from":[0,1],"to":[0,1],"count":[3,3]}],"coords":[[0,0],[0,1],[1,0]],"history":[]}
END

bad() { # NAME LINE SED-COMMAND MESSAGE: the valid file, changed by sed, is refused
	sed "$3" "$bad_good" >bad.in
	cmp -s "$bad_good" bad.in && echo "# nothing was changed: $3"
	exits 3 "$1" "$(bad_run bad.in) >got"
	exactly "$1: message" "$bad_tool: 'bad.in': line $2: $4"
}

bad_says() { # NAME SED-COMMAND TEXT: refused by the parser, in its words
	sed "$2" "$bad_good" >bad.in
	exits 3 "$1" "$(bad_run bad.in) >got"
	says "$1: message" "$3"
}

# Errors in the header of any format.
bad_head() { # FORMAT ANOTHER HINT
	bad 'another format' 1 "s/$1/$2/" "this is a $2 file, not a $1 ($3)"
	bad 'no format' 1 "s/\"format\":\"$1\",//" '/format: missing'
	bad 'a newer version' 1 's/"version":1/"version":3/' \
	    "version 3 is newer than the latest supported ($([ "$1" = cscg-model ] && echo 2 || echo 1))"
	bad 'a missing key' 1 's/"n_obs":3,//' '/n_obs: missing'
	bad 'an unknown key' 1 's/"history"/"histery"/' '/histery: unknown key'
	bad 'a count that is no integer' 1 's/"n_obs":3/"n_obs":2.5/' \
	    '/n_obs: 2.5 is not an integer'
	bad 'a negative count' 1 's/"n_actions":2/"n_actions":-2/' \
	    '/n_actions: -2 is outside 1..10000'
	bad 'a count of nothing' 1 's/"n_obs":3/"n_obs":0/' \
	    '/n_obs: 0 is outside 1..10000000'
	bad 'an absurd count' 1 's/"n_obs":3/"n_obs":4611686018427387904/' \
	    '/n_obs: 4611686018427387904 is outside 1..10000000'
	bad 'too few names' 1 's/"go","stay"/"go"/' \
	    '/actions: has 1 items, not 2'
	bad 'a name twice' 1 's/"go","stay"/"go","go"/' \
	    "/actions: 'go' appears twice"
	bad 'a name that is a number' 1 's/"a","b","c"/"a",7,"c"/' \
	    '/symbols/1: an integer is not a string'
	bad_says 'a key twice' 's/"n_obs":3/"n_obs":3,"n_obs":3/' \
	    'duplicate object key'
	bad_says 'an array' '1s/.*/[1,2]/' \
	    "$bad_tool: 'bad.in': line 1: invalid JSON: not an object"
	bad_says 'text' '1s/^/hello /' \
	    "$bad_tool: 'bad.in': line 1: invalid JSON: "
}

bad_steps() {
	bad 'a symbol out of range' 2 's/"x":\[0,1,2\]/"x":[0,1,3]/' \
	    '/x/2: symbol 3 is outside 0..2'
	bad 'a negative symbol' 2 's/"x":\[0,1,2\]/"x":[0,-1,2]/' \
	    '/x/1: symbol -1 is outside 0..2'
	bad 'a symbol that overflows' 2 's/"x":\[0,1,2\]/"x":[4294967296,1,2]/' \
	    '/x/0: symbol 4294967296 is outside 0..2'
	bad 'a symbol of 1.0' 2 's/"x":\[0,1,2\]/"x":[0,1.0,2]/' \
	    '/x/1: symbol is not an integer'
	bad 'an action out of range' 2 's/"a":\[0,1,0\]/"a":[0,2,0]/' \
	    '/a/1: action 2 is outside 0..1'
	bad 'an action that is null' 2 's/"a":\[0,1,0\]/"a":[0,null,0]/' \
	    '/a/1: action is not an integer'
	bad 'an action too few' 2 's/"a":\[0,1,0\]/"a":[0,1]/' \
	    '/a: 2 items, but /x has 3'
	bad 'an action too many' 3 's/"a":\[1\]/"a":[1,1]/' \
	    '/a: 2 items, but /x has 2 on the last line of an episode, where 1 are needed'
	bad 'too few nodes' 2 's/"z":\[0,1,2\]/"z":[0,1]/' \
	    '/z: 2 items, but /x has 3'
	bad 'a negative node' 2 's/"z":\[0,1,2\]/"z":[0,1,-2]/' \
	    '/z/2: node -2 is outside 0..9999999'
	bad 'no steps' 4 's/"x":\[1\]/"x":[]/' '/x: no steps'
	bad 'a missing x' 2 's/"x":\[0,1,2\],//' '/x: missing'
	bad 'x that is text' 2 's/"x":\[0,1,2\]/"x":"012"/' \
	    '/x: a string is not an array'
	bad 'a reset outside' 3 's/"reset":\[1\]/"reset":[2]/' \
	    '/reset/0: position 2 is outside 0..1'
	bad 'a goal outside' 4 's/"goal":\[2\]/"goal":[3]/' \
	    '/goal/0: goal 3 is outside 0..2'
	bad 'a reward that is text' 3 's/"r":\[0.5/"r":["x"/' \
	    '/r/0: reward is not a number'
	bad_says 'a reward of NaN' 's/"r":\[0.5/"r":[NaN/' \
	    "$bad_tool: 'bad.in': line 3: invalid JSON: "
	bad_says 'an infinite reward' 's/"r":\[0.5/"r":[1e999/' \
	    "$bad_tool: 'bad.in': line 3: invalid JSON: "
	bad 'an unknown key in a line' 2 's/"z"/"y"/' '/y: unknown key'
	bad 'an episode too early' 3 '3s/"episode":0/"episode":1/' \
	    '/episode: 1, but episode 0 has not ended'
	bad 'an episode left out' 4 's/"episode":1/"episode":2/' \
	    '/episode: 2, but 1 is next'
	bad 'an end that counts steps wrong' 5 's/"steps":6/"steps":7/' \
	    '/steps: 7, but 6 were read'
	bad 'an end that counts episodes wrong' 5 's/"episodes":2/"episodes":3/' \
	    '/episodes: 3, but 2 were read'
	bad 'an end in an episode' 4 '4d' \
	    '/episodes: 2, but 1 were read'
	bad 'steps after the end' 6 '$a\
{"episode":2,"x":[1],"a":[],"last":true}' 'only a header may follow the end line'
	sed '$d' good.walk >bad.in
	exits 3 'no end line' "$(bad_run bad.in) >got"
	says 'no end: message' "$bad_tool: 'bad.in': unexpected end"
	{ cat good.walk; sed 's/"n_obs":3/"n_obs":2/;s/,"c"//' good.walk; } >bad.in
	exits 3 'two walks that do not fit' "$(bad_run bad.in) >got"
	says 'two walks: message' "$bad_tool: 'bad.in': line 6: "
}

bad_counts() {
	bad 'no states' 1 's/"n_states":3/"n_states":0/' \
	    '/n_states: 0 is outside 1..10000000'
	bad 'a state count that lies' 1 's/"n_states":3/"n_states":10000000/' \
	    '/clone: has 3 items, not 10000000'
	bad 'an action count that lies' 1 's/"n_actions":2/"n_actions":10000/' \
	    '/counts: has 2 items, not 10000'
	bad 'an unknown kind' 1 's/"grounded"/"flying"/' \
	    "/kind: 'flying' is not one of grounded, clones, schema"
	bad 'an unknown precision' 1 's/"single"/"half"/' \
	    "/precision: 'half' is not one of single, double"
	bad 'a clone out of range' 1 's/"clone":\[0,1,2\]/"clone":[0,1,3]/' \
	    '/clone/2: 3 is outside 0..2'
	bad 'clones that descend' 1 's/"clone":\[0,1,2\]/"clone":[0,2,1]/' \
	    '/clone/2: group 1 comes after group 2: states must be sorted by group'
	bad 'no clones' 1 's/"clone":\[0,1,2\],//' '/clone: missing'
	bad 'pi that sums to 1.5' 1 's/"pi":\[0.5/"pi":[1/' \
	    '/pi: sums to 1.5, not 1'
	bad 'a negative pi' 1 's/"pi":\[0.5,0.25/"pi":[1.25,-0.5/' \
	    '/pi/1: -0.5 is below 0'
	bad 'a negative pseudocount' 1 's/"pseudocount":0.5/"pseudocount":-1/' \
	    '/pseudocount: -1 is below 0'
	bad 'no counts' 1 's/"counts":.*"coords"/"coords"/' '/counts: missing'
	bad 'counts of one action' 1 's/,{"from":\[0,1\].*"coords"/],"coords"/' \
	    '/counts: has 1 items, not 2'
	bad 'from out of range' 1 's/"from":\[0,1,2\]/"from":[0,1,3]/' \
	    '/counts/0/from/2: 3 is outside 0..2'
	bad 'to out of range' 1 's/"to":\[1,2,0\]/"to":[1,-2,0]/' \
	    '/counts/0/to/1: -2 is outside 0..2'
	bad 'a count of zero' 1 's/7.5/0/' \
	    '/counts/0/count/1: a count must be finite and above 0'
	bad 'a negative count of moves' 1 's/7.5/-7.5/' \
	    '/counts/0/count/1: a count must be finite and above 0'
	bad 'counts of another length' 1 's/,7.5//' \
	    '/counts/0/count: has 2 items, not 3'
	bad 'counts out of order' 1 's/"from":\[0,1,2\]/"from":[1,0,2]/' \
	    '/counts/0/from/1: 0 comes after 1: counts must be sorted by from, then to'
	bad_says 'a count of NaN' 's/7.5/NaN/' \
	    "$bad_tool: 'bad.in': line 1: invalid JSON: "
	bad_says 'an infinite count' 's/7.5/1e999/' \
	    "$bad_tool: 'bad.in': line 1: invalid JSON: "
	bad 'coordinates that are no pair' 1 's/\[0,1\],\[1,0\]/[0,1],[1]/' \
	    '/coords/2: must be two numbers'
}

bad_walks() { # TOOL COMMAND
	bad_tool=$1 bad_cmd=$2 bad_good=good.walk
	exits 0 'the walk without errors is accepted' "$(bad_run good.walk) >got"
	bad_head cscg-walk cscg-room 'roomwalk makes a walk in a room'
	bad_steps
	bad_cuts cscg-walk
	bad_files
}

bad_models() { # TOOL COMMAND
	bad_tool=$1 bad_cmd=$2 bad_good=good.model
	exits 0 'the model without errors is accepted' "$(bad_run good.model) >got"
	bad_head cscg-model cscg-walk 'cscg-learn makes a model of a walk; -w takes walks'
	bad_counts
	bad_cuts cscg-model
	bad_files
}
