# Options: how they are written, and those of cscg-show and walkconv that require or
# exclude each other.  Status 2 and one message for each, before any file is read.
. "$(dirname "$0")/../tap.sh"

refuses() { # MESSAGE OPTIONS...
	message=$1
	shift
	for options; do
		exits 2 "cscg-show $options" "cscg-show $options none </dev/null"
		exactly 'message' "cscg-show: $message (try --help)"
	done
}

refuses '--view requires --as ppm' '--view top' '--view top --as svg' \
    '--view 3 --scale 4'
refuses '--scale requires --as ppm' '--scale 4' '--scale 4 --as dot'
refuses '--scale requires --view top or --view iso' '--as ppm --scale 4' \
    '--as ppm --scale 4 --view 3'
refuses '-w requires --truth, --view top or --view iso' '--as ppm -w walk' \
    '--as ppm --view 3 -w walk'
refuses '-w requires --truth, --view top, --view iso or --as html' '-w walk' \
    '--as svg -w walk'
refuses '--as library requires --partition' '--as library'
refuses '--partition cannot be combined with --frontiers, --truth or --from-npy' \
    '--partition --frontiers given' '--partition --truth room' \
    '--partition --from-npy T'
refuses '--partition requires --as dot, svg, pdf, png, nodes, schema, library, clones or model' \
    '--partition --as tsv' '--partition --as html' '--partition --as ppm' \
    '--partition --as npy'
refuses '--frontiers cannot be combined with --as or --truth' \
    '--frontiers given --truth room' '--frontiers boundary --as dot'
for as in text dot svg pdf png graphml npy npy-counts ppm html schema clones; do
	refuses '--json requires --as tsv, --as nodes, --truth, --frontiers, --partition, --fields or a library' \
	    "--json --as $as"
done
refuses '--json requires --as tsv, --as nodes, --truth, --frontiers, --partition, --fields or a library' \
    '--json --truth room --as dot' '--json --partition --as svg'
for as in text npy npy-counts ppm schema clones; do
	refuses '--min-prob requires --as dot, svg, pdf, png, graphml, tsv, nodes, html, --truth, --partition or --frontiers bottleneck' \
	    "--min-prob .1 --as $as"
done
refuses '--min-prob requires --as dot, svg, pdf, png, graphml, tsv, nodes, html, --truth, --partition or --frontiers bottleneck' \
    '--min-prob .1 --frontiers given' '--min-prob .1 --frontiers boundary'
refuses '--fields and --xy require each other' '--fields walk' '--xy at.csv' \
    '--xy at.csv --raster walk --as svg'
refuses '--bins requires --fields' '--bins 4' '--bins 4 --raster walk --as svg'
refuses '--y-down requires --fields' '--y-down' '--y-down --bins 4'
for other in '--truth room' '--plan plan' --partition '--view 3' \
    '--frontiers given' '--from-npy T' '-w walk' '--min-prob .1'; do
	refuses '--fields cannot be combined with --truth, --plan, --partition, --frontiers, --from-npy, --view, --min-prob, -w or --raster' \
	    "--fields walk --xy at.csv $other"
	refuses '--raster cannot be combined with --truth, --plan, --partition, --frontiers, --from-npy, --view, --min-prob, -w or --fields' \
	    "--raster walk --as svg $other"
done
refuses '--fields cannot be combined with --truth, --plan, --partition, --frontiers, --from-npy, --view, --min-prob, -w or --raster' \
    '--fields walk --xy at.csv --raster walk'
for as in dot graphml nodes npy ppm html schema; do
	refuses '--fields requires --as tsv, svg, pdf or png' \
	    "--fields walk --xy at.csv --as $as"
done
refuses '--raster requires --as svg, pdf or png; cscg-score --posterior writes the numbers' \
    '--raster walk' '--raster walk --as tsv' '--raster walk --as html'
for as in npy npy-counts ppm html schema library clones model; do
	refuses '--truth requires --as dot, svg, pdf, png, graphml, tsv or nodes' \
	    "--truth room --as $as"
done
for as in text graphml tsv nodes npy ppm schema; do
	refuses '--title requires --as dot, svg, pdf, png or html' \
	    "--title T --as $as"
done
refuses '--dpi requires --as png' '--dpi 100' '--dpi 100 --as svg' '--dpi 100 --as pdf'
refuses '--from-npy and --as model require each other' '--from-npy T' '--as model' \
    '--from-npy C --as npy'
refuses '--clones requires --from-npy' '--clones 1,2'
refuses '--labels requires --truth' '--labels groups'
refuses '--plan requires --as html' '--plan plan' '--plan plan --as svg'
for twice in '--truth - -w -' '--as html --plan - -w -' '--truth - -w walk -w - --as dot' \
    '--fields - --xy -' '--as html -w - -w -'; do
	refuses 'standard input can be read only once' "$twice"
done
exits 2 'a model and a walk from standard input' 'cscg-show --as html -w - - </dev/null'
exactly 'message' 'cscg-show: standard input can be read only once (try --help)'

# How options and their values are written.
written() { # MESSAGE COMMAND
	exits 2 "$2" "$2 </dev/null"
	exactly 'message' "${2%% *}: $1 (try --help)"
}
written '-q takes no value' 'cscg-learn -q=1'
written '--quiet takes no value' 'cscg-learn --quiet=1'
written "-s takes its value without '='" 'cscg-learn -s=1'
written '-s needs a value' 'cscg-learn -qs'
written '--seed needs a value' 'cscg-learn --seed'
written "unknown option '-Z'" 'cscg-learn -Z'
written "unknown option '-w': files are operands here, [WALK...]" 'cscg-learn -w walk'
written "unknown option '--walk': files are operands here, [WALK...]" 'cscg-learn --walk=walk'
written "unknown option '--epochs': did you mean --iterations?" 'cscg-learn --epochs 3'
written "unknown option '--colour'" 'cscg-show --colour'
written "--seed: 'nan' is not a number" 'cscg-learn --seed nan'
written "--seed: '1.5' is not a whole number" 'cscg-learn --seed 1.5'
written '--seed: 1e17 is too large' 'cscg-learn --seed 1e17'
written '--seed: 99999999999999999999 is too large' 'cscg-learn --seed 99999999999999999999'
written '--restarts: 0 is outside 1..1000000' 'cscg-learn --restarts 0'
written '--tolerance: 1e999 is outside 0..1' 'cscg-learn --tolerance 1e999'
written '--tolerance: -1e999 is outside 0..1' 'cscg-learn --tolerance -1e999'
for word in +3x -3x .5 1e2 ' 3 x'; do
	written "--clones: '$word' is neither a plain number nor a file" \
	    "cscg-learn --clones '$word'"
done
for size in M 1x 1MM 1e9 -1M ''; do
	written "--max-memory: '$size' is not a size such as 500M or 4G, or none" \
	    "cscg-learn --max-memory '$size'"
done
written '--max-memory: 9999999999999999T is too large' 'cscg-learn --max-memory 9999999999999999T'
written '--max-memory: 1000 is outside 1M and up' 'cscg-learn --max-memory 1000'
written '--stats: standard output is taken by the result' 'cscg-learn --stats -'
# U+2010, U+2015 and U+2212 for the dash of a keyboard; not U+200F, U+2016, U+2292.
for dash in '\342\200\220' '\342\200\225' '\342\210\222'; do
	word=$(printf "$dash"s)
	written "'$word' begins with a dash that is not '-': type '-'" "cscg-learn $word"
done
for other in '\342\200\217' '\342\200\226' '\342\212\222'; do
	word=$(printf "$other"s)
	exits 3 'another character is the name of a file' "cscg-learn $word"
	exactly 'message' "cscg-learn: '$word': No such file or directory"
done
printf '3\n' >3x
exits 3 'a file whose name begins with a digit' 'cscg-learn --clones 3x none'
exactly 'message' "cscg-learn: 'none': No such file or directory"
exits 3 'a number below the least one is 0' 'cscg-learn --pseudocount 1e-999 none'
exactly 'message' "cscg-learn: 'none': No such file or directory"
exits 3 'any memory' 'cscg-learn --max-memory none none'
exactly 'message' "cscg-learn: 'none': No such file or directory"

# Options of walkconv.
roomgen rectangle --size 2x2 | roomwalk -n 5 -o a.walk
for option in '--bin x,y --cell 1' '--see y' '--thin 2' '--thin-time 1' --moves \
    '--derive-actions none' '--gap 1' '--episode-gap 1' '--episode-length 3' --no-header \
    '--x y' '--a y' '--episode y' '--delimiter ,' '--missing NA'; do
	word=${option%% *}
	exits 2 "walkconv $option of a walk" "walkconv $option a.walk"
	exactly 'message' "walkconv: 'a.walk': this is a walk, but $word is for tables"
	written "--text cannot be combined with $word, which is for tables" \
	    "walkconv --text words $option"
done
for option in --lower --lines '--min-count 2' '--lower --lines'; do
	written '--lower, --lines and --min-count require --text' "walkconv $option"
done
for from in walk csv tsv npy; do
	written "--text cannot be combined with --from $from" "walkconv --text words --from $from"
done
written '--from text requires --text with the kind of symbols, chars or words' \
    'walkconv --from text'
written '--min-count and --alphabet-from exclude each other' \
    'walkconv --text words --min-count 2 --alphabet-from a.walk'
written 'standard input can be read only once' 'walkconv --alphabet-from -'
written 'standard input can be read only once' 'walkconv --alphabet-from - a.walk -'
written '--test requires a separate file' 'walkconv --test -'
written '--test requires a separate file' 'walkconv --test a -o a'
for same in '--xy -' '--xy a -o a' '--xy a --test a'; do
	written '--xy requires a separate file' "walkconv $same"
done
written '--xy requires --bin' 'walkconv --xy at'
for part in '--head 3' '--select 0'; do
	written '--xy cannot be combined with --select or --head' \
	    "walkconv --bin x,y --cell 1 --xy at $part"
done
written '--test-fraction requires --test' 'walkconv --test-fraction .3'
for from in walk npy; do
	written "--delimiter cannot be combined with --from $from" \
	    "walkconv --delimiter , --from $from"
done
for word in ab a ''; do
	written "--delimiter: '$word' is not a character like ';', nor tab or space" \
	    "walkconv --delimiter '$word'"
done

# Options of cscg-show that a file of another kind cannot have.
roomgen rectangle --size 2x2 --no-gzip -o a.room
roomgen room a.room --as model -o a.model
printf '00\n' | roomgen voxel --map - | roomwalk -n 5 --render --frame 1x1 -o seen
vq-kmeans -q -k 2 --codebook book seen -o /dev/null
cscg-stitch -q -j1 --restarts 1 --library books a.model -w a.walk -o /dev/null
kind() { # MESSAGE COMMAND
	exits 3 "$2" "$2"
	exactly 'message' "cscg-show: $1"
}
fields='--fields a.walk --xy at.csv' raster='--raster a.walk --as svg'
kind "'book': line 1: --fields requires a model, not a codebook" "cscg-show $fields book"
kind "'book': line 1: --raster requires a model, not a codebook" "cscg-show $raster book"
kind "'book': line 1: --frontiers requires a room or model, not a codebook" \
    'cscg-show --frontiers given book'
kind "'book': line 1: --min-prob requires a room or model, not a codebook" \
    'cscg-show --min-prob .1 --as tsv book'
kind "'book': line 1: --partition requires a room or model, not a codebook" \
    'cscg-show --partition book'
kind "'a.room': line 1: --fields requires a model, not a room" "cscg-show $fields a.room"
kind "'a.room': line 1: --raster requires a model, not a room" "cscg-show $raster a.room"
kind "'a.walk': --fields requires a model, not a walk" "cscg-show $fields a.walk"
kind "'a.walk': --raster requires a model, not a walk" "cscg-show $raster a.walk"
kind "'a.walk': --frontiers requires a room or model, not a walk" \
    'cscg-show --frontiers given a.walk'
kind "'a.walk': --partition requires a room or model, not a walk" 'cscg-show --partition a.walk'
kind "'a.walk': --as schema requires a model, not a walk" 'cscg-show --as schema a.walk'
for option in --partition '--frontiers given' "$fields" "$raster" '--as ppm'; do
	word=${option%% *}
	[ "$word" != --as ] || word='--as ppm'
	kind "'books': $word requires a file, not a library" "cscg-show $option books"
done
same 'a library of one schema is drawn with its number' \
    'cscg-show --as dot books | grep -o "1 schema, 4 states"' 'echo 1 schema, 4 states'
same 'a title of its own' 'cscg-show --as dot --title Mine books | grep -o Mine' 'echo Mine'
same 'the schema of a library' 'cscg-show --as schema books | cscg-show --as tsv' \
    'cscg-show --as schema a.model | cscg-show --as tsv'
finish
