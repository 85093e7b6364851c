#!/bin/sh
# cscg-show: summaries, drawings, export and import, and a model against the
# true room
. "$(dirname "$0")/../tap.sh"

roomgen torus -s 7 --no-gzip >torus
roomgen torus -s 7 --as model --no-gzip >torus.m
roomgen rectangle --size 2x3 --no-gzip >r
roomgen rectangle --size 2x3 --as model --no-gzip >m
roomwalk -n 200 --no-gzip r >w

# --- summaries

exits 0 'a room is summarised' 'cscg-show r'
same 'the summary of a room has its symbols drawn' 'cscg-show r' 'cat <<-end
	room rectangle: 6 nodes, 4 actions, 6 symbols
	  actions      up down left right
	  nodes        by symbol: 6 have 1
	  edges        24, 10 self-transitions
	  components   1: every node can be reached from every other
	  grid         2 x 3
	  made by      roomgen rectangle --size 2x3
	  0 1 2
	  3 4 5
	end'
exits 0 'a torus' 'cscg-show torus'
prints 'wraps' 'rows and columns wrap'
prints 'and says so in the drawing' '~ 10  0  0  0  0  0  0  0 11 ~'
prints 'symbols are counted' 'by symbol: 30 have 1, 1 has 42'
prints 'a seed that is not the default is shown' 'roomgen torus -s 7'
same 'a model is summarised' 'cscg-show m' 'cat <<-end
	model, grounded: 6 states, 4 actions, 6 symbols, single precision
	  actions      up down left right
	  clones       by symbol: 6 have 1
	  counts       2400 in 24 entries, pseudocount 0.0001
	  edges        24 with T > 0.01, 10 self-transitions
	  components   1: every state can be reached from every other
	  made by      roomgen rectangle --size 2x3 --as model
	end'
cat >w1 <<'end'
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"symbols":["a","b","c"]}
{"episode":0,"x":[0,1,null,1],"a":[0,0,1],"z":[0,1,1,1],"reset":[2],"last":true}
{"episode":1,"x":[2,1],"a":[0],"z":[null,1],"r":[0,2.5],"last":true}
{"end":true,"episodes":2,"steps":6}
end
# x: b three times of five seen; a: 0 three times of four
same 'a walk is summarised' 'cscg-show <w1' 'cat <<-end
	walk: 2 episodes, 6 steps, 2 actions, 3 symbols
	  episodes     2 to 4 steps, 3.0 on average
	  symbols      b 60.0 %, a 20.0 %, c 20.0 %
	  actions      0 75.0 %, 1 25.0 %
	  dropouts     1 (16.7 %)
	  resets       1
	  true nodes   known at 5 steps, 2 of them visited
	  rewards      2.5 in all
	end'
exits 0 'history is a pipeline' 'cscg-show w'
prints 'of the commands that led here' \
    'made by      roomgen rectangle --size 2x3 | roomwalk --steps 200'
exits 0 'several objects are each summarised' 'cat r m torus | gzip | cscg-show'
holds 'names of symbols in their order' \
    'cat r m torus | cscg-show | grep -E "^(room|model)" | cut -c 1-9 |
     tr "\n" , | grep -qx "room rect,model, gr,room toru,"'
exits 0 'a file with its keys in another order' \
    "sed 's/^{\"format\":\"cscg-room\",/{/; s/}\$/,\"format\":\"cscg-room\"}/' r | cscg-show"
exits 0 'a last line without newline' 'printf %s "$(cat m)" | cscg-show'

# --- drawings and tables

# SVG: a circle for each node; a torus of 4 x 6 has 48 lines between two nodes,
# 10 of them across its borders, which become two stubs each.
roomgen torus --size 4x6 -o t46
exits 0 'svg' 'cscg-show --as svg t46 >t.svg'
same 'circles are nodes' 'grep -c "<circle" t.svg' 'echo 24'
same 'lines are pairs of nodes, stubs at borders' 'grep -c "^<g><title>[0-9]* to" t.svg' 'echo 58'
holds 'no arrows if all transitions have an inverse' '! grep -q "L.*L.*Z" t.svg'
printf 'x,a\nhall < way,on\nyard,on\nhall < way,on\nyard,\n' | walkconv --from csv | cscg-learn -o named.m
exits 0 'names that are long' 'cscg-show --as svg --title "a & b" named.m >named.svg'
holds 'long names are numbers, which the legend translates' 'grep -q ">0 hall &lt; way</text>" named.svg && grep -q ">1 yard</text>" named.svg'
holds 'the title is quoted' 'grep -q ">a &amp; b</text>" named.svg'
holds 'a node has one of these numbers' 'grep "<circle" named.svg | grep -q ">1</text>"'
roomgen rectangle --size 2x2 --no-gzip | sed 's/"next":\[\[0,1,0,1\]/"next":[[0,1,0,0]/' >oneway
exits 0 'a one-way edge' 'cscg-show --as svg oneway >o.svg'
same 'a one-way edge has an arrow' 'grep -c "<title>3 to 0: up 1</title>.*Z" o.svg' 'echo 1'
if command -v xmllint >/dev/null; then
	exits 0 'drawings are valid XML' 'xmllint --noout t.svg named.svg o.svg'
fi
# --- pdf and png: by an installed program, or a message that names it

if command -v rsvg-convert >/dev/null || command -v cairosvg >/dev/null; then
	exits 0 'pdf' 'cscg-show --as pdf t46 >t.pdf'
	same '--as pdf writes PDF' 'head -c 5 t.pdf' 'printf %s %PDF-'
	same '--as pdf gives the same bytes again' 'cscg-show --as pdf t46' 'cat t.pdf'
	exits 0 'png' 'cscg-show --as png t46 -o t.png'
	width() { od -An -j 16 -N 4 -t u1 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4 }'; }
	svg_width=$(sed -n 's/.*<svg .* width="\([0-9]*\)".*/\1/p' t.svg)
	same 'PNG has 192 pixels per inch, SVG 96' 'width t.png' "echo $((2 * svg_width))"
	exits 0 '--dpi 96' 'cscg-show --as png --dpi 96 t46 -o t96.png'
	same 'PNG has 96 pixels per inch' 'width t96.png' "echo $svg_width"
else
	tap 0 'pdf and png # SKIP neither rsvg-convert nor cairosvg'
fi
if command -v cairosvg >/dev/null; then
	# A directory that has cairosvg, so that rsvg-convert is not found.
	mkdir cairo
	ln -s "$(command -v cairosvg)" cairo/cairosvg
	alone="PATH=cairo $(command -v cscg-show)"
	exits 0 'pdf by cairosvg' "$alone --as pdf t46 >c.pdf"
	same 'cairosvg writes PDF' 'head -c 5 c.pdf' 'printf %s %PDF-'
	exits 0 'png by cairosvg' "$alone --as png t46 -o c.png"
	same 'cairosvg writes PNG of the same size' 'width c.png' "echo $((2 * svg_width))"
else
	tap 0 'pdf and png by cairosvg # SKIP it is not installed'
fi
mkdir nothing
exits 2 '--as pdf without a drawing program' "PATH=nothing $(command -v cscg-show) --as pdf t46 -o none.pdf"
exactly 'names the program that is needed' 'cscg-show: conversion of SVG to pdf requires rsvg-convert (Debian: librsvg2-bin) or cairosvg, neither of which is installed (--as svg needs no program)'
holds 'no file is left' '[ ! -e none.pdf ]'
mkdir bad
printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >bad/rsvg-convert
chmod +x bad/rsvg-convert
exits 4 'a program that fails' "PATH=bad:/usr/bin:/bin $(command -v cscg-show) --as png t46 -o none.png"
exactly 'is named' 'cscg-show: rsvg-convert failed with status 3'
holds 'no file is left' '[ ! -e none.png ]'
show="PATH=bad:/usr/bin:/bin $(command -v cscg-show) --as png t46"
printf '#!/bin/sh\nkill -9 $$\n' >bad/rsvg-convert
exits 4 'a program that is killed' "$show -o none.png"
exactly 'is named with the status of a shell' 'cscg-show: rsvg-convert failed with status 137'
exits 4 'no directory for temporary files' "TMPDIR=/none $show -o none.png"
says 'is named' "cscg-show: '/none/cscg-"
printf '#!/bin/sh\ncat >/dev/null; echo "$SOURCE_DATE_EPOCH"\n' >bad/rsvg-convert
same 'the time of creation is fixed, in /tmp without TMPDIR' "TMPDIR= $show" 'echo 0'
same 'or given by SOURCE_DATE_EPOCH' "SOURCE_DATE_EPOCH=77 $show" 'echo 77'
exits 4 'an output that is full' "$show >/dev/full"
exactly 'is named, not the program' 'cscg-show: standard output: No space left on device'
printf '#!/bin/sh\nhead -c 400000 /dev/zero\n' >bad/rsvg-convert
exits 4 'a picture of many parts to an output that is full' "$show >/dev/full"
exactly 'is not written further' 'cscg-show: standard output: No space left on device'
printf '#!/none\n' >bad/rsvg-convert
chmod -x bad/rsvg-convert
PATH_BAD=$(pwd)/bad
exits 4 'a program that may not be run' "PATH=$PATH_BAD $(command -v cscg-show) --as png t46 -o none.png"
says 'cannot be started' 'cannot be started: Permission denied'
holds 'no file is left' '[ ! -e none.png ]'
exits 3 'a walk' 'cscg-show --as pdf w'
says 'is no drawing' '--as pdf requires a room or model, not a walk'

# --- place fields: two cells in a row, each with a symbol of its own

printf '%s\n' x,y 1,0 11,0 2,0 19,0 1,0 12,0 >steps.csv
printf '%s\n' x,a 0,0 1,0 0,0 1,0 0,0 1,0 | walkconv --from csv -o two.w
cscg-learn -q two.w -o two.m
# States are those of the symbols: cells 1..9 and 10..19 of the longer side 18.
same 'place fields' 'cscg-show --fields two.w --xy steps.csv --bins 2 two.m' 'printf "%s\t%s\t%s\t%s\t%s\n" "#state" x y occupancy p 0 5.5 4.5 3 1 0 14.5 4.5 3 0 1 5.5 4.5 3 0 1 14.5 4.5 3 1'
same 'place fields as JSON' 'cscg-show --fields two.w --xy steps.csv --bins 1 --json two.m | head -n 1' \
    "echo '{\"state\":0,\"x\":10,\"y\":9,\"occupancy\":6,\"p\":0.5}'"
exits 0 'place fields as panels' 'cscg-show --fields two.w --xy steps.csv --as svg --title "A & B" two.m >f.svg'
same 'one panel for each state' 'grep -c "<title>state" f.svg' 'echo 2'
holds 'the panels have a title' 'grep -q ">A &amp; B</text>" f.svg'
holds 'each panel has its largest value' '[ "$(grep -c ">1.00</text>" f.svg)" = 2 ]'
exits 0 'states over time' 'cscg-show --raster two.w --as svg two.m >ra.svg'
same 'a rectangle for each step' 'grep -o fill-opacity=.1.00 ra.svg | wc -l' 'echo 6'
# 29 / 200 * 200 is 28.999...: every step must have a column of its own.
awk 'BEGIN { print "x,a"; for (t = 0; t < 200; t++) print t % 2 ",0" }' | walkconv --from csv -o many.w
same 'a raster of many steps has a column for each' 'cscg-show --raster many.w --as svg two.m | grep -o fill-opacity=.1.00 | wc -l' 'echo 200'
exits 3 'a table with other rows' 'head -n 4 steps.csv >few.csv; cscg-show --fields two.w --xy few.csv two.m'
exactly 'is named' "cscg-show: 'few.csv': 3 rows, but the walk has 6 steps; a column 'step' must give the step of each row"
exits 3 'fields of a room' 'cscg-show --fields two.w --xy steps.csv t46'
says 'need a model' '--fields requires a model, not a room'
exits 3 'place fields of a schema' 'cscg-show --as schema two.m -o two.s; cscg-show --fields two.w --xy steps.csv two.s'
exits 3 'a raster of a codebook' "printf '%s\n' u,v 1,2 3,4 5,6 | vq-kmeans -k 2 --columns u,v --codebook two.c >/dev/null; cscg-show --raster two.w --as svg two.c"
exactly 'needs a model' "cscg-show: 'two.c': line 1: --raster requires a model, not a codebook"
exits 3 'a room instead of a walk' 'cscg-show --raster t46 --as svg two.m'

exits 0 'rooms of a partition' 'cscg-show --partition --as svg t46 >p.svg'
exits 0 'a model at the coordinates of a room' 'roomwalk -n 2000 t46 | cscg-learn -o t46.m && roomwalk -n 200 t46 | cscg-show --as svg --truth t46 -w - t46.m >placed.svg'

exits 0 'dot' 'cscg-show --as dot torus >t.dot'
if command -v dot >/dev/null; then
	for f in torus m torus.m; do
		holds "Graphviz draws $f without a warning" \
		    "cscg-show --as dot $f | dot -Tsvg 2>&1 >$f.svg | (! grep .)
		     test -s $f.svg"
	done
	cscg-show --as schema torus.m | zcat | sed 's/"coords":.*"history"/"history"/' >bare
	holds 'Graphviz draws a model without coordinates' \
	    'cscg-show --as dot bare | dot -Tsvg 2>&1 >bare.svg | (! grep .)
	     test $(grep -c "<ellipse" bare.svg) = 72'
fi
# 72 nodes, each with a neighbour right and below; 8 + 9 of those 144 edges
# cross a rim and are two stubs
holds 'opposite transitions are one line' 'test $(grep -c -e "->" t.dot) = 161'
holds 'a rare edge is left out' \
    'roomgen rectangle --slip 0.06 | cscg-show --as dot --min-prob 0.05 | grep -c -e "->" | grep -qx 127'
holds '--min-prob 0.01 keeps a rare edge' \
    'roomgen rectangle --slip 0.06 | cscg-show --as dot --min-prob 0.01 | grep -q "d55e00:#0072b2\|0072b2:#d55e00"'
same 'tsv' 'cscg-show --as tsv m | head -n 3' 'cat <<-end
	#action	from	to	p	count
	up	0	0	0.999995	100
	up	1	1	0.999995	100
	end'
same 'tsv of a room has no counts' 'cscg-show --as tsv r | sed -n 24,25p' \
    'printf "right\t4\t5\t1\t-\nright\t5\t5\t1\t-\n"'
same 'nodes' 'cscg-show --as nodes r | tail -n 1' 'printf "5\t5\t-\t1\t2\n"'
same 'nodes as JSON' 'cscg-show --as nodes --json r | head -n 1' \
    'echo "{\"node\":0,\"symbol\":0,\"name\":null,\"y\":0,\"x\":0}"'
exits 0 'graphml' 'cscg-show --as graphml m >g.xml'
holds 'GraphML has an edge for each count' 'test $(grep -c "<edge " g.xml) = 24'
if has_python; then
	holds 'GraphML with markup in names is well-formed' 'printf "{\"format\":\"cscg-room\",\"version\":1,\"n_nodes\":1,\"n_actions\":1,\"n_obs\":1,\"actions\":[\"<&>\"],\"obs\":[0],\"next\":[[0]]}\n" |
	    cscg-show --as graphml | python3 -c "
import sys, xml.etree.ElementTree as e
t = e.parse(sys.stdin).getroot()
assert [d.text for d in t.iter() if d.get(\"key\") == \"a\"] == [\"<&>\"]"'
else
	tap 0 'and is well-formed # SKIP no python3'
fi

# --- codebooks

# That of cscg-codebook(5): two colours, (200, 20, 0) and (25, 30, 85).
awk '/^\.Bd/ { k++; on = k == 1; next } /^\.Ed/ { on = 0 } on' "$TOP/man/cscg-codebook.5" >book
same 'a codebook is summarised' 'cscg-show book' 'cat <<-end
	codebook, k-means: 2 centroids of 1 x 1 x 3 bytes
	  numbers      3 in a frame
	  sigma2       2.5, of each number about its centroid'"'"'s
	  fit          inertia 30 in 4 frames
	  priors       1 75.0 %, 0 25.0 %
	end'
same 'its priors are a table' 'cscg-show --as tsv book' 'printf "#symbol\tprior\tcount\n0\t0.25\t1\n1\t0.75\t3\n"'
same 'priors of a codebook as JSON' 'cscg-show --as tsv --json book' 'printf "{\"symbol\":%s,\"prior\":%s,\"count\":%s}\n" 0 0.25 1 1 0.75 3'
same 'its centroids are an array of single floats' 'cscg-show --as npy book | tail -c +129 | base64' \
    'sed "s/.*\"centroids\":\"//; s/\".*//" book'
holds 'centroids have the shape of the frames' "cscg-show --as npy book | head -c 128 | grep -aq \"'<f4', 'fortran_order': False, 'shape': (2, 1, 1, 3)\""
# Two pixels in a frame of grey, two wide: 5 rows, 8 columns.
dark() { awk -v n="$1" 'BEGIN { while (n-- > 0) printf "\\030\\030\\030" }' | xargs -0 printf; }
same 'centroids of a codebook as images' 'cscg-show --as ppm book' \
    '{ printf "P6\n8 5\n255\n"; dark 18; printf "\310\024\000"; dark 2; printf "\031\036\125"; dark 18; }'
same 'one centroid as an image' 'cscg-show --as ppm --view 1 book' 'printf "P6\n1 1\n255\n\031\036\125"'
same 'several files in one' 'cat book r | cscg-show | grep -c -e ^codebook -e ^room' 'echo 2'
# 0, 1, 2 and 5: a fifth of the way is 51 of 255.
zero='\000\000\000\000\000\000'
sed 's/"shape":\[1,1,3\]/"shape":[1,2]/; s/"byte"/"real"/; s/"centroids":"[^"]*"/"centroids":"'"$(printf "$zero\000\000$zero\360\077$zero\000\100$zero\024\100" | base64 | tr -d '\n')"'"/' book >real
same 'numbers that are no bytes are stretched' 'for i in 0 1; do cscg-show --as ppm --view $i real | tail -c 6 | od -An -tu1; done | xargs' \
    'echo 0 0 0 51 51 51 102 102 102 255 255 255'
exits 0 'a mixture' 'sed s/kmeans/mixture/ book | cscg-show'
prints 'says so' 'codebook, mixture: 2'

# --- schemas, and matrices of other programs

exits 0 '--as clones: without emissions' 'cscg-show --as clones m >c.gz && cscg-show c.gz'
prints 'keeps the clones' 'schema with clone structure: 6 states, 4 actions, 6 groups'
exits 0 '--as schema: without clone structure' 'cscg-show --as schema --no-gzip m >s && cscg-show s'
prints 'keeps the transitions' 'counts       2400 in 24 entries, pseudocount 0.0001'
holds 'a schema has no clones and symbols' '! grep -q -e clone -e symbols s'
exits 0 'T as npy' 'cscg-show --as npy m -o T.npy'
# a header of 128 bytes, then 4 * 6 * 6 doubles
holds 'T as .npy has its size' 'test $(wc -c <T.npy) = $((128 + 8 * 144))'
exits 0 'T from .npy' 'cscg-show --as model --from-npy T --clones 1,1,1,1,1,1 --pseudocount 1e-4 T.npy >m2.gz'
same 'T from .npy is the same' 'cscg-show --as tsv m2.gz | sed 1d | cut -f 2- | awk "{printf \"%s %s %.6f %.6f\n\", \$1, \$2, \$3, \$4}"' \
    'cscg-show --as tsv m | sed 1d | cut -f 2- | awk "{printf \"%s %s %.6f %.6f\n\", \$1, \$2, \$3, \$4}"'
exits 0 'counts as well' 'cscg-show --as npy-counts m | cscg-show --as model --from-npy C --no-gzip >s2'
same 'counts from .npy are the same' 'cscg-show --as npy-counts s2' 'cscg-show --as npy-counts m'
exits 0 'a room has a T' 'cscg-show --as npy r | cscg-show --as model --from-npy T | cscg-show --truth r'

# --- a model against the truth

same 'the exact schema is isomorphic' 'cscg-show --truth torus torus.m' \
    'printf "#key\tvalue\nstates\t72\nnodes\t72\nstates_used\t-\nnodes_visited\t-\nsteps\t-\npurity\t-\nmissing\t0\nspurious\t0\nisomorphic\tyes\n"'
same '--truth with a walk' 'roomwalk -n 2000 torus | cscg-show --truth torus -w - --json torus.m' \
    'echo "{\"states\":72,\"nodes\":72,\"states_used\":72,\"nodes_visited\":72,\"steps\":2000,\"purity\":1,\"missing\":0,\"spurious\":0,\"isomorphic\":true}"'
exits 1 'a cylinder is no torus' 'roomgen cylinder | cscg-show --truth - torus.m'
prints 'and says so' 'isomorphic	no'
exits 1 'a schema is not isomorphic by symbol' \
    'cscg-show --as schema torus.m >ts.gz; roomgen cylinder | cscg-show --truth - ts.gz'
exits 1 'another torus of 72 nodes is not isomorphic' 'roomgen torus --size 6x12 | cscg-show --truth - ts.gz'
exits 0 'a schema fits its own' 'cscg-show --truth torus ts.gz'
exits 1 'new symbols are not the old ones' 'roomgen torus --permute -s 3 | cscg-show --truth - torus.m'
exits 0 'permuted symbols are isomorphic by group' 'roomgen torus --permute -s 3 | cscg-show --truth - --labels groups torus.m'
# A wall right of node 0: the action stays there.
sed 's/"next":\[\[0,1,2,0,1,2\],\[3,4,5,3,4,5\],\[0,0,1,3,3,4\],\[1/"next":[[0,1,2,0,1,2],[3,4,5,3,4,5],[0,0,1,3,3,4],[0/' r >wall
exits 1 'one wall that the model lacks' 'cscg-show --truth wall -w w m'
prints 'is a missing edge' 'missing	1'
prints 'and a spurious one' 'spurious	1'
prints 'though decoding is pure' 'purity	1'
exits 0 'stochastic transitions are compared as well' \
    'roomgen torus --slip 0.3 >slip; roomgen torus --slip 0.3 --as model | cscg-show --as schema | cscg-show --truth slip'

# --- a model drawn at the coordinates of the room

# No coordinates in the model: they can only come from the room.
sed 's/"coords":.*"history"/"history"/' m >bare.m
same 'states are drawn at the coordinates of their nodes' 'cscg-show --as nodes --truth r bare.m' \
    'cscg-show --as nodes r'
same 'coordinates of the room by a walk' 'cscg-show --as nodes --truth r -w w bare.m' \
    'cscg-show --as nodes r'
holds 'a drawing at the coordinates of the room' \
    'cscg-show --as dot --truth r bare.m | grep -q "5 .pos=\"84.00,-42.00!\""'
same 'a rim is a rim' \
    'cscg-show --as dot --truth torus torus.m | grep -c style=invis' 'echo 34'
# Two states of node 0, which differ in their predecessors: drawn left and right
# of it by a quarter of the distance to the next.
printf '%s\n' '{"format":"cscg-room","version":1,"n_nodes":2,"n_actions":1,"n_obs":2,"obs":[0,1],"next":[[1,0]],"coords":[[0,0],[0,2]]}' >two
printf '%s\n' '{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":4,"n_actions":1,"n_obs":2,"clone":[0,0,1,1],"pseudocount":0,"counts":[{"from":[0,1,2],"to":[2,2,1],"count":[1,1,1]}]}' >twice
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":2}' '{"episode":0,"x":[0,1,0],"a":[0,0],"z":[0,1,0],"last":true}' '{"end":true,"episodes":1,"steps":3}' >w2
same 'states of one node are side by side, unvisited ones absent' \
    'cscg-show --as nodes --truth two -w w2 twice | cut -f 1,4- | sed s,[-0-9.]*e-1.,0,' \
    'printf "%s\t%s\t%s\n" "#node" y x 0 0 -0.5 1 0 0.5 2 0 2 3 - -'
holds 'states without a node have no position in DOT' \
    'cscg-show --as dot --truth two -w w2 twice | grep -q "	3 . fillcolor"'
holds 'states without a node have no position in GraphML' \
    'cscg-show --as graphml --truth two -w w2 twice | grep -c key=.x. | grep -qx 3'

# --- bad input

gzip -nc m >m.gz
n=$(wc -c <m.gz)
bad=
for i in $(seq 1 23 $((n - 1))) $((n - 8)) $((n - 1)); do
	head -c "$i" m.gz | cscg-show >.o 2>.e
	[ $? = 3 ] && grep -qx 'cscg-show: standard input: unexpected end of gzip data' .e || bad="$bad $i"
done
tap "$([ -z "$bad" ]; echo $?)" 'cut gzip, at many places'
[ -z "$bad" ] || echo "# accepted or misnamed at:$bad"
{ head -c $((n - 8)) m.gz; printf 'XXXX'; tail -c 4 m.gz; } >crc.gz
exits 3 'a wrong checksum' 'cscg-show crc.gz'
exactly 'is reported' "cscg-show: 'crc.gz': damaged gzip data (incorrect data check)"
exits 3 'trailing data after gzip' '{ cat m.gz; echo x; } | cscg-show'
exactly 'is reported as well' 'cscg-show: standard input: trailing garbage after gzip data'
exits 3 'a cut line' 'head -c 20 m | cscg-show'
says 'is no JSON' 'cscg-show: standard input: line 1: invalid JSON: column 20: premature end of input'
exits 3 'a cut walk' 'head -n 2 w | cscg-show'
exactly 'has no end' 'cscg-show: standard input: unexpected end of walk (no end line)'
exits 3 'nothing' 'cscg-show </dev/null'
exactly 'is nothing' 'cscg-show: standard input: unexpected end: no room, walk, model or codebook'
exits 3 'no object' 'echo "[]" | cscg-show'
exactly 'is refused' 'cscg-show: standard input: line 1: invalid JSON: not an object'
exits 3 'no format' 'echo "{}" | cscg-show'
exactly 'is missing' 'cscg-show: standard input: line 1: /format: missing'
exits 3 'an unknown format' 'echo "{\"format\":\"cscg-pie\"}" | cscg-show'
exactly 'is named' 'cscg-show: standard input: line 1: this is a cscg-pie file, not a room, walk, model or codebook'
for f in r m w; do
	exits 3 "a newer version of $f" "sed 's/\"version\":1/\"version\":3/' $f | cscg-show"
	says 'is not understood' \
	    'cscg-show: standard input: line 1: version 3 is newer than the latest supported'
done

# Every edit of the model (or room, walk) must be refused with this message.
refuse() { # NAME FILE SED MESSAGE
	sed "$3" "$2" >edited
	cmp -s "$2" edited && echo "# $1: the edit changes nothing"
	exits 3 "$1" 'cscg-show edited'
	says '... says why' "cscg-show: 'edited': line $4"
}
refuse 'a missing key' m 's/"n_states":6,//' '1: /n_states: missing'
refuse 'a duplicate key' m 's/{/{"n_states":6,/' '1: invalid JSON: column 97: duplicate object key'
refuse 'an unknown key' m 's/{/{"colour":6,/' '1: /colour: unknown key'
refuse 'not a number' m 's/"pseudocount":[^,]*/"pseudocount":NaN/' '1: invalid JSON: column 189: invalid token near'
refuse 'an infinite number' m 's/"pseudocount":[^,]*/"pseudocount":1e999/' '1: invalid JSON: column 191: real number overflow'
refuse 'a negative number' m 's/"pseudocount":[^,]*/"pseudocount":-1/' '1: /pseudocount: -1 is below 0'
refuse 'a fraction' m 's/"n_states":6/"n_states":6.5/' '1: /n_states: 6.5 is not an integer'
refuse 'an absurd size' m 's/"n_states":6/"n_states":6000000000000/' '1: /n_states: 6000000000000 is outside 1..10000000'
refuse 'a length that does not fit' m 's/"n_states":6/"n_states":7/' '1: /clone: has 6 items, not 7'
refuse 'a clone out of range' m 's/"clone":\[0/"clone":[9/' '1: /clone/0: 9 is outside 0..5'
refuse 'a symbol out of range' r 's/"obs":\[0/"obs":[6/' '1: /obs/0: 6 is outside 0..5'
refuse 'a symbol of a walk out of range' w '2s/"x":\[[0-9]*/"x":[6/' '2: /x/0: symbol 6 is outside 0..5'
refuse 'an action out of range' w '2s/"a":\[[0-9]*/"a":[4/' '2: /a/0: action 4 is outside 0..3'

exits 3 'a file that is not there' 'cscg-show nowhere'
exactly 'is named' "cscg-show: 'nowhere': No such file or directory"
exits 3 'a directory' 'cscg-show .'
exactly 'is no file' "cscg-show: '.': is a directory, not a library"
if user_ready; then
	cp m locked && chmod 0 locked
	exits 3 'a locked file' '$as_user cscg-show locked'
	exactly 'is not read' "cscg-show: 'locked': Permission denied"
else
	tap 0 'a locked file # SKIP no other user (setpriv)'
fi
exits 4 'a full disk' 'cscg-show m >/dev/full'
exactly 'is noticed' 'cscg-show: standard output: No space left on device'
exits 4 'closed output' 'cscg-show m >&-'
exactly 'is noticed' 'cscg-show: standard output: Bad file descriptor'
exits 2 'an output that cannot be' 'cscg-show m -o no/where'
exactly 'is named' "cscg-show: 'no/where': No such file or directory"
echo old >kept
exits 3 'a fault' 'head -c 100 m.gz | cscg-show --as schema -o kept'
holds 'leaves the old file' 'test "$(cat kept)" = old'
holds 'no partial file is left' '! ls -A | grep -q tmp'

usage() { # NAME OPTIONS MESSAGE
	exits 2 "$1" "cscg-show $2"
	exactly '... says why' "cscg-show: $3 (try --help)"
}
usage 'an unknown option' '--pie m' "unknown option '--pie'"
usage 'an unknown form' '--as pie m' "--as: 'pie' is not one of text|dot|svg|pdf|png|graphml|tsv|nodes|npy|npy-counts|ppm|html|schema|library|clones|model"
usage 'no value' 'm --as' '--as needs a value'
usage 'a number that is none' '--min-prob ten m' "--min-prob: 'ten' is not a number"
usage 'a number too large' '--min-prob 2 m' '--min-prob: 2 is outside 0..1'
usage 'two operands' 'm r' "unexpected operand 'r'; a walk goes after -w"
usage 'one input for two' '--truth - -' 'standard input can be read only once'
usage 'standard input without an operand, twice' '--truth -' 'standard input can be read only once'
usage 'standard input as room and walk' '--truth r -w -' 'standard input can be read only once'
usage 'loops' '--loops m' "unknown option '--loops': removed in 2.0.0: --as tsv lists self-transitions"
usage 'nodes that are a form' '--nodes m' "unknown option '--nodes': did you mean --as nodes?"
usage 'counts that are a form' '--counts m' "unknown option '--counts': did you mean --as npy-counts?"
usage '--as library without --partition' '--as library m' '--as library requires --partition'
usage 'JSON of a picture' '--json --as dot m' '--json requires --as tsv, --as nodes, --truth, --frontiers, --partition, --fields or a library'
usage 'labels without a truth' '--labels groups m' '--labels requires --truth'
usage 'a walk without a truth' '-w w m' '-w requires --truth, --view top, --view iso or --as html'
usage 'fields without positions' '--fields w m' '--fields and --xy require each other'
usage 'positions without fields' '--xy w m' '--fields and --xy require each other'
usage 'bins of a map' '--bins 3 --as svg m' '--bins requires --fields'
usage 'fields as a graph' '--fields w --xy t --as dot m' '--fields requires --as tsv, svg, pdf or png'
usage 'a raster as text' '--raster w m' '--raster requires --as svg, pdf or png; cscg-score --posterior writes the numbers'
usage '--raster and --fields' '--raster w --fields w --xy t --as svg m' '--fields cannot be combined with --truth, --plan, --partition, --frontiers, --from-npy, --view, --min-prob, -w or --raster'
usage 'a resolution of SVG' '--dpi 300 --as svg m' '--dpi requires --as png'
usage 'a title of a table' '--title t --as tsv m' '--title requires --as dot, svg, pdf, png or html'
usage '--min-prob without edges' '--min-prob 0.1 m' '--min-prob requires --as dot, svg, pdf, png, graphml, tsv, nodes, html, --truth, --partition or --frontiers bottleneck'
usage 'two forms' '--truth r --as npy m' '--truth requires --as dot, svg, pdf, png, graphml, tsv or nodes'
usage 'JSON of a picture with a truth' '--json --truth r --as dot m' '--json requires --as tsv, --as nodes, --truth, --frontiers, --partition, --fields or a library'
usage '--as model without --from-npy' '--as model m' '--from-npy and --as model require each other'
usage '--clones without --from-npy' '--clones 1 m' '--clones requires --from-npy'

unfit() { # NAME COMMAND MESSAGE
	exits 3 "$1" "$2"
	exactly '... says why' "cscg-show: $3"
}
unfit 'a walk has no graph' 'cscg-show --as dot w' "'w': --as dot requires a room or model, not a walk"
unfit 'a walk cannot forget' 'cscg-show --as schema w' "'w': --as schema requires a model, not a walk"
unfit 'clones of a room' 'cscg-show --as clones r' "'r': line 1: --as clones requires a model, not a room"
unfit 'clones of a schema without clone structure' 'cscg-show --as clones s' "'s': line 1: the model is a schema without clone structure"
unfit 'a room has no counts' 'cscg-show --as npy-counts r' "'r': line 1: --as npy-counts requires a model, not a room"
unfit 'two graphs in one document' 'cat r m | cscg-show --as graphml' 'standard input: more than one room, model or codebook, but --as graphml writes one'
unfit 'a walk is no truth' 'cscg-show --truth w m' "'w': line 1: this is a cscg-walk file, not a cscg-room (roomgen makes rooms, cscg-learn a model of a walk)"
unfit 'a room is no model' 'cscg-show --truth r r' "'r': line 1: this is a cscg-room file, not a cscg-model (roomwalk makes a walk in a room, cscg-learn a model of that)"
unfit 'a schema cannot be decoded' 'cscg-show --truth r -w w s' "'s': a grounded model is needed, this is a schema (cscg-bind learns its emissions)"
unfit 'a blind walk' 'roomwalk -n 9 --blind r | cscg-show --truth r -w - m' 'standard input: the walk has no true nodes'
unfit 'a walk with other actions' 'cscg-show --truth r -w w1 m' "'w1': 2 actions do not fit 4"
unfit 'symbols of a schema' 'cscg-show --truth r --labels symbols s' "'s': the model is not grounded: its states have no symbols"
unfit 'groups of a schema' 'cscg-show --truth r --labels groups s' "'s': the model is a schema without clone structure"
unfit 'coordinates of a room that does not match' 'cscg-show --as dot --truth two twice' \
    "'twice': the model is not isomorphic to the room: a walk (-w) is required to map its states to nodes"
sed 's/,"coords".*]]//' two >nowhere.r
unfit 'coordinates of a room without coordinates' 'cscg-show --as dot --truth nowhere.r -w w2 twice' "'nowhere.r': the room has no coordinates"
unfit 'no array' 'cscg-show --as model --from-npy T m' "'m': this is not a .npy file"
unfit 'counts taken for T' 'cscg-show --as npy-counts m >C.npy; cscg-show --as model --from-npy T C.npy' \
    "'C.npy': action 0, from 0, to 0: 100 is not a probability"
unfit 'clones that do not add up' 'cscg-show --as model --from-npy T --clones 1,2 T.npy' \
    "'T.npy': the clones add up to 3, but there are 6 states"
unfit 'a cut array' 'head -c 500 T.npy | cscg-show --as model --from-npy T' \
    "standard input: unexpected end: 46 of 144 items"
exits 2 'clones that are no list' 'cscg-show --as model --from-npy T --clones , T.npy'
exactly '... says why' 'cscg-show: --clones: no numbers of clones'

unfit 'a codebook has no graph' 'cscg-show --as dot book' "'book': line 1: --as dot requires a room or model, not a codebook"
unfit 'a schema of a codebook' 'cscg-show --as schema book' "'book': line 1: --as schema requires a model, not a codebook"
unfit 'nodes of a codebook' 'cscg-show --as nodes book' "'book': line 1: --as nodes requires a room or model, not a codebook"
unfit 'counts of a codebook' 'cscg-show --as npy-counts book' "'book': line 1: --as npy-counts requires a model, not a codebook"
unfit 'frontiers of a codebook' 'cscg-show --frontiers given book' "'book': line 1: --frontiers requires a room or model, not a codebook"
unfit 'a codebook from above' 'cscg-show --as ppm --view top book' "'book': line 1: --view top requires a room, not a codebook"
unfit 'two codebooks in one array' 'cat book book | cscg-show --as npy' 'standard input: more than one room, model or codebook, but --as npy writes one'
sed 's/"shape":\[1,1,3\]/"shape":[3]/' book >line
unfit 'numbers that are no picture' 'cscg-show --as ppm line' "'line': line 1: --as ppm: frames of 3 are not pictures (H x W x 3, H x W or H x W x 1 are)"
exits 2 'a centroid that does not exist' 'cscg-show --as ppm --view 2 book'
exactly '... says why' "cscg-show: --view: '2' is not the number of a centroid in 0..1"
refuse 'a codebook without priors' book 's/"priors":[^]]*],//' '1: /priors: missing'
refuse 'priors that do not sum to one' book 's/0.75/0.5/' '1: priors sum to 0.75, not 1'
exits 3 'a cut codebook' 'head -c 150 book | cscg-show'
says 'is refused' 'cscg-show: standard input: line 1: invalid JSON: column 150: '

finish
