# badroom.sh - rooms that every reader of rooms must refuse; sourced by tests.
#
#   bad_rooms TOOL COMMAND   COMMAND reads the room whose name follows it and
#                            says "TOOL: ..." if it is at fault

. "$TOP/tests/cli/badfile.sh"
cat >good.json <<'END'
{"format":"cscg-room","version":1,"name":"two","n_nodes":2,"n_actions":2,"n_obs":2,"actions":["go","stay"],"symbols":["a","b"],"obs":[0,1],"next":[[1,0],[0,[0,0.25,1,0.75]]],"coords":[[0,0],[0,1]],"grid":{"rows":1,"cols":2,"wrap_rows":false,"wrap_cols":false},"history":[]}
END

bad() { # NAME SED-COMMAND MESSAGE: the valid room, changed by sed, is refused
	sed "$2" good.json >bad.json
	cmp -s good.json bad.json && echo "# nothing was changed: $2"
	exits 3 "$1" "$(bad_run bad.json) >got"
	exactly "$1: message" "$bad_tool: 'bad.json': line 1: $3"
}

bad_values() {
	bad 'another format' 's/cscg-room/cscg-walk/' \
	    'this is a cscg-walk file, not a cscg-room (roomgen makes rooms, cscg-learn a model of a walk)'
	bad 'no format' 's/"format":"cscg-room",//' '/format: missing'
	bad 'a newer version' 's/"version":1/"version":2/' \
	    'version 2 is newer than the latest supported (1)'
	bad 'version 0' 's/"version":1/"version":0/' \
	    '/version: 0 is outside 1..2147483647'
	bad 'a missing key' 's/"n_obs":2,//' '/n_obs: missing'
	bad 'no observations' 's/"obs":\[0,1\],//' '/obs: missing'
	bad 'no edges' 's/"next".*"coords"/"coords"/' '/next: missing'
	bad 'an unknown key' 's/"name"/"nome"/' '/nome: unknown key'
	bad 'a node count that is no integer' 's/"n_nodes":2/"n_nodes":2.5/' \
	    '/n_nodes: 2.5 is not an integer'
	bad 'a negative node count' 's/"n_nodes":2/"n_nodes":-2/' \
	    '/n_nodes: -2 is outside 1..1000000'
	bad 'no nodes' 's/"n_nodes":2/"n_nodes":0/' \
	    '/n_nodes: 0 is outside 1..1000000'
	bad 'an absurd node count' 's/"n_nodes":2/"n_nodes":4611686018427387904/' \
	    '/n_nodes: 4611686018427387904 is outside 1..1000000'
	bad 'a node count that lies' 's/"n_nodes":2/"n_nodes":1000000/' \
	    '/obs: has 2 items, not 1000000'
	bad 'an action count that lies' 's/"n_actions":2/"n_actions":10000/' \
	    '/next: has 2 items, not 10000'
	bad 'a symbol count that lies' 's/"n_obs":2/"n_obs":10000000/' \
	    '/symbols: has 2 items, not 10000000'
	bad 'too few observations' 's/"obs":\[0,1\]/"obs":[0]/' \
	    '/obs: has 1 items, not 2'
	bad 'a symbol out of range' 's/"obs":\[0,1\]/"obs":[0,2]/' \
	    '/obs/1: 2 is outside 0..1'
	bad 'a negative symbol' 's/"obs":\[0,1\]/"obs":[0,-1]/' \
	    '/obs/1: -1 is outside 0..1'
	bad 'no symbol' 's/"obs":\[0,1\]/"obs":[0,null]/' \
	    '/obs/1: null is not an integer'
	bad 'a name that is no string' 's/"name":"two"/"name":2/' \
	    '/name: an integer is not a string'
	bad 'too few names' 's/"go","stay"/"go"/' '/actions: has 1 items, not 2'
	bad 'a name twice' 's/"go","stay"/"go","go"/' \
	    "/actions: 'go' appears twice"
}

bad_edges() {
	bad 'moves that are no array' 's/\[1,0\],\[0,\[/7,[0,[/' \
	    '/next/0: not an array'
	bad 'too few moves' 's/\[\[1,0\]/[[1]/' '/next/0: 1 items, not 2'
	bad 'a move that is text' 's/\[\[1,0\]/[["x",0]/' \
	    '/next/0/0: neither a node nor an array of node, probability, ...'
	bad 'a move to 0.5' 's/\[\[1,0\]/[[0.5,0]/' \
	    '/next/0/0: neither a node nor an array of node, probability, ...'
	bad 'a node without successors' 's/0,0.25,1,0.75//' \
	    '/next/1/1: neither a node nor an array of node, probability, ...'
	bad 'half a pair' 's/,0.75//' \
	    '/next/1/1: neither a node nor an array of node, probability, ...'
	bad 'a target out of range' 's/\[\[1,0\]/[[2,0]/' \
	    '/next/0/0: target 2 is outside 0..1'
	bad 'a negative target' 's/0,0.25,1/-1,0.25,1/' \
	    '/next/1/1: target -1 is outside 0..1'
	bad 'a huge target' 's/\[\[1,0\]/[[4294967296,0]/' \
	    '/next/0/0: target 4294967296 is outside 0..1'
	bad 'a target of 0.0' 's/\[0,0.25/[0.0,0.25/' \
	    '/next/1/1: a target is not an integer'
	bad 'a target twice' 's/0.25,1,0.75/0.25,0,0.75/' \
	    '/next/1/1: targets must ascend, but 0 follows 0'
	bad 'probabilities that sum to 0.95' 's/0.75/0.7/' \
	    '/next/1/1: probabilities sum to 0.95, not 1'
	bad 'a negative probability' 's/0,0.25,1,0.75/0,-0.25,1,1.25/' \
	    '/next/1/1: probability -0.25 is not above 0 and at most 1'
	bad 'a probability of 0' 's/0,0.25,1,0.75/0,0,1,1/' \
	    '/next/1/1: probability 0 is not above 0 and at most 1'
	bad 'a probability that is text' 's/0.75/"x"/' \
	    '/next/1/1: a probability is not a number'
	bad 'coordinates that are no pair' 's/\[0,1\]\],"grid/[0]],"grid/' \
	    '/coords/1: not a pair of row and column'
	bad 'too few coordinates' 's/\[\[0,0\],\[0,1\]\],"grid/[[0,0]],"grid/' \
	    '/coords: has 1 items, not 2'
	bad 'a grid that is no object' 's/"grid":{[^}]*}/"grid":3/' \
	    '/grid: not an object'
	bad 'a grid without rows' 's/"rows":1,//' '/grid: /rows: missing'
	bad 'a grid that wraps maybe' 's/"wrap_rows":false/"wrap_rows":0/' \
	    '/grid: /wrap_rows: an integer is not true or false'
	more='"parts":["p","q"],"part":[0,-1],"frontiers":[[0,1],[1,0]],"history"'
	sed "s/\"history\"/$more/" good.json >parts.json
	exits 0 'parts and frontiers are read' "$(bad_run parts.json) >got"
	cp good.json plain.json
	cp parts.json good.json
	bad 'parts without nodes' 's/"part":\[0,-1\],//' \
	    '/part: part and parts require each other'
	bad 'nodes of no parts' 's/"parts":\["p","q"\],//' \
	    '/part: part and parts require each other'
	bad 'a part twice' 's/"p","q"/"p","p"/' "/parts: 'p' appears twice"
	bad 'too few nodes of parts' 's/\[0,-1\]/[0]/' \
	    '/part: has 1 items, not 2'
	bad 'a part out of range' 's/\[0,-1\]/[0,2]/' \
	    '/part/1: 2 is outside -1..1'
	bad 'a part below all' 's/\[0,-1\]/[0,-2]/' \
	    '/part/1: -2 is outside -1..2147483647'
	bad 'frontiers that are no list' 's/"frontiers":[^h]*,"/"frontiers":1,"/' \
	    '/frontiers: an integer is not an array'
	bad 'a frontier of one number' 's/\[1,0\]\],"history/[1]],"history/' \
	    '/frontiers/1: not a pair of node and action'
	bad 'a frontier of text' 's/\[1,0\]\],"history/["x",0]],"history/' \
	    '/frontiers/1/0: a string is not an integer'
	bad 'a frontier at no node' 's/\[1,0\]\],"history/[2,0]],"history/' \
	    '/frontiers/1: node 2 is outside 0..1'
	bad 'a frontier by no action' 's/\[1,0\]\],"history/[1,2]],"history/' \
	    '/frontiers/1: action 2 is outside 0..1'
	bad 'frontiers out of order' 's/\[1,0\]\],"history/[0,0]],"history/' \
	    '/frontiers/1: frontiers must ascend, by node, then action'
	cp plain.json good.json
	bad 'a history that is no list' 's/"history":\[\]/"history":3/' \
	    '/history: an integer is not an array'
}

bad_json() {
	sed 's/0.75/NaN/' good.json >bad.json
	exits 3 'NaN is refused' "$(bad_run bad.json) >got"
	says 'NaN: message' "$bad_tool: 'bad.json': line 1: invalid JSON: "
	sed 's/0.75/1e999/' good.json >bad.json
	exits 3 'an infinite number is refused' "$(bad_run bad.json) >got"
	says 'infinite: message' "$bad_tool: 'bad.json': line 1: invalid JSON: "
	sed 's/"n_obs":2/"n_obs":2,"n_obs":2/' good.json >bad.json
	exits 3 'a key twice is refused' "$(bad_run bad.json) >got"
	says 'twice: message' 'duplicate object key'
	echo '[1,2]' >bad.json
	exits 3 'an array is refused' "$(bad_run bad.json) >got"
	says 'array: message' 'not an object'
	{ cat good.json; echo '{"format":"cscg-room"}'; } >bad.json
	exits 3 'a bad second room is refused' "$(bad_run bad.json) >got"
	exactly 'second: the message has its line' \
	    "$bad_tool: 'bad.json': line 2: /version: missing"
	exits 3 'the same from standard input' "${bad_cmd% *} <bad.json >got"
	exactly 'stdin: message' \
	    "$bad_tool: standard input: line 2: /version: missing"
}

bad_twice() { # COMMAND
	exits 2 'standard input twice' "$1 - - <good.json >got"
	says 'is refused' 'standard input can be read only once'
}

bad_rooms() { # TOOL COMMAND
	bad_tool=$1 bad_cmd="$2 %" bad_good=good.json
	exits 0 'the room without errors is accepted' "$(bad_run good.json) >got"
	bad_values
	bad_edges
	bad_json
	bad_cuts cscg-room 7
	bad_files
	bad_twice "$2"
}
