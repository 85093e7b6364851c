# Usage errors: exact messages and exit statuses.
. "$(dirname "$0")/../tap.sh"

roomgen rectangle --size 3x3 -o room.gz
roomwalk -n 200 room.gz -o walk.gz
roomgen rectangle --size 3x3 --as model -o schema.gz

no() { # STATUS NAME COMMAND MESSAGE
	exits "$1" "$2" "$3"
	exactly "$2: message" "$4"
}
asked() { # NAME COMMAND MESSAGE: of the command line
	no 2 "$1" "$2 </dev/null" "${2%% *}: $3 (try --help)"
}

# Numbers

for v in 1e1 0x10 ' 5' 5abc -1 .5 5,x 1e99; do
	asked "--clones '$v'" "cscg-learn --clones '$v' walk.gz" \
	    "--clones: '$v' is neither a plain number nor a file"
done
asked '--clones of an empty text' "cscg-learn --clones '' walk.gz" "--clones: '' gives no states"
asked '--clones of too many' 'cscg-learn --clones 99999999999999999999 walk.gz' \
    "--clones: '99999999999999999999' is not a number of clones in 0..10000000"
asked 'cscg-show has them as well' 'cscg-show --from-npy T --as model --clones 0x2 t.npy' \
    "--clones: '0x2' is neither a plain number nor a file"
echo 1 1 1 1 1 1 1 1 1 >1e1
exits 0 'a file may be called like a number' \
    'cscg-learn -j1 --iterations 2 --restarts 1 --clones 1e1 walk.gz >/dev/null'
clones='is neither N nor N,N,... nor proportional[:TOTAL[,floor=F][,power=P]], and there is no such file'
no 3 'a word as --clones is a file' 'cscg-learn --clones nine walk.gz' \
    "cscg-learn: --clones: 'nine' $clones"
no 3 '--clones with a path is a file' 'cscg-learn --clones ./5 walk.gz' \
    "cscg-learn: --clones: './5' $clones"

# All tools parse numbers in the same way, so one tool is enough for each kind.
for v in 0x10 ' 5' 5abc '' five 1,5 1e 0x nan inf; do
	asked "whole numbers: '$v'" "cscg-learn --restarts '$v' walk.gz" \
	    "--restarts: '$v' is not a number"
	asked "real numbers: '$v'" "cscg-learn --tolerance '$v' walk.gz" \
	    "--tolerance: '$v' is not a number"
done
asked 'an integer below the range' 'cscg-learn --restarts -1 walk.gz' '--restarts: -1 is outside 1..1000000'
asked 'an integer above the range' 'cscg-learn --restarts 99999999999999999999 walk.gz' \
    '--restarts: 99999999999999999999 is outside 1..1000000'
asked 'an integer far above the range' 'cscg-learn --restarts 1e400 walk.gz' '--restarts: 1e400 is outside 1..1000000'
asked 'a number that is not an integer' 'cscg-learn --restarts 1e-1 walk.gz' "--restarts: '1e-1' is not a whole number"
asked 'a real number below' 'cscg-learn --tolerance -1 walk.gz' '--tolerance: -1 is outside 0..1'
asked 'a real above the range' 'cscg-learn --tolerance 1e400 walk.gz' '--tolerance: 1e400 is outside 0..1'
asked 'a seed beyond all' 'roomgen torus -s 1e30' '--seed: 1e30 is too large'
asked 'memory beyond all' 'roomgen torus --max-memory 99999999999999999999' \
    '--max-memory: 99999999999999999999 is too large'
no 2 'episodes beyond all' 'walkconv --select 0-99999999999999999999 walk.gz' \
    'walkconv: --select 0-99999999999999999999: the input has 1 episodes'
for v in 1e1 0x10 ' 5' 5abc '' -1 99999999999999999999; do
	asked "--select '$v'" "walkconv --select '$v' walk.gz" \
	    "--select: '$v' is not a list such as 3,7-9,20-"
	asked "a state '$v'" "cscg-plan --start 'state:$v' --goal state:0 schema.gz" \
	    "--start: '$v' is not the number of a state"
done

# Similar words

unknown() { # NAME OPTION MEANT
	asked "$1" "cscg-learn $2 walk.gz" \
	    "unknown option '${2%%=*}'${3:+: did you mean $3?}"
}
unknown 'a letter is missing' --restart --restarts
unknown 'a letter too many' --seeed --seed
unknown 'another letter' --restorts --restarts
unknown 'two letters changed places' --restrats --restarts
unknown 'an underscore' --low_memory --low-memory
unknown 'capitals' --Restarts --restarts
unknown 'a beginning' --rest --restarts
unknown 'a misspelt option with a value' --iteration=5 --iterations
unknown 'a typing error has precedence over an abbreviation' --restart=3 --restarts
unknown 'the beginning of several' --re ''
unknown 'two slips' --rostorts ''
unknown 'another word' --speed ''
unknown 'no similar option' --colour ''
unknown 'more than one' --seeds --seed
asked 'one dash too few' 'cscg-learn -restarts 5 walk.gz' "unknown option '-r': did you mean --restarts?"
asked 'an unknown letter' 'cscg-learn -r walk.gz' "unknown option '-r'"
for o in -w --walk; do
	asked "walks are operands: $o" "cscg-learn $o walk.gz" "unknown option '$o': files are operands here, [WALK...]"
done
asked 'a letter has no =' 'cscg-learn -o=m.gz walk.gz' "-o takes its value without '='"
holds 'no file of that name is written' '[ ! -e =m.gz ]'
asked 'a flag with a value by =' 'cscg-learn -v=1 walk.gz' '-v takes no value'
for d in '\342\200\223' '\342\200\224' '\342\210\222'; do
	d=$(printf %b "$d")
	asked 'a dash from a page' "cscg-learn ${d}o m.gz walk.gz" "'${d}o' begins with a dash that is not '-': type '-'"
done
# --x and --a are one letter apart from anything as short.
asked 'short words are not guessed at' 'walkconv --k' "unknown option '--k'"
asked 'a method' 'cscg-match --method trakc schema.gz' \
    "--method: 'trakc' is not one of em|track|switching|switching-online: did you mean track?"
asked 'a task' 'roomserve --task goal room.gz' \
    "--task: 'goal' is not one of none|return|goals|game|street: did you mean goals?"
asked 'a task that may be two' 'roomserve --task g room.gz' \
    "--task: 'g' is not one of none|return|goals|game|street"
asked 'a misspelt choice' 'cscg-match --as onerow schema.gz' \
    "--as: 'onerow' is not one of rows|one-row|summary|segments: did you mean one-row?"
asked 'a form' 'cscg-show --as HTML schema.gz' \
    "--as: 'HTML' is not one of text|dot|svg|pdf|png|graphml|tsv|nodes|npy|npy-counts|ppm|html|schema|library|clones|model: did you mean html?"

# Files of other programs

printf 'x,a\nred,up\nblue,down\nred,\n' >c.csv
tr , '\t' <c.csv >c.tsv
tr , ';' <c.csv >semi.csv
printf '\211PNG\r\n\032\n\0\0' >p.png
printf '\377\330\377\340\0' >p.jpg
walkconv --as npy walk.gz -o f.npy
gzip -c walk.gz >twice.gz
printf '####\n#..#\n####\n' >map.txt
printf 'up\ndown\n' >plan.txt
printf '# episode\tsteps\n0\t5\n' >table.tsv
printf '\0\001\002\n' >binary
printf '\376\377\0{\0}\0\n' >u16
printf '\357\273\277{"format":"cscg-walk"}\n' >bom
csv='line 1: this looks like CSV, not JSON; walkconv makes a walk of it'
for c in 'cscg-learn c.csv' 'cscg-score c.csv -w walk.gz' 'cscg-show c.csv' \
    'cscg-bind c.csv -w walk.gz' 'cscg-match c.csv -w walk.gz' 'roomwalk c.csv' \
    'roomserve c.csv' 'vq-kmeans -k 2 c.csv' 'vq-kmeans --encode c.csv walk.gz' \
    'cscg-stitch c.csv -w walk.gz' 'walkconv --alphabet-from c.csv walk.gz' \
    'walkconv --from walk c.csv' 'cscg-plan --goal state:1 c.csv -w walk.gz' \
    'cscg-match schema.gz -w c.csv' 'cscg-bind schema.gz -w c.csv'; do
	no 3 "CSV: $c" "$c" "${c%% *}: 'c.csv': $csv"
done
no 3 'CSV by a pipe' 'cscg-learn <c.csv' "cscg-learn: standard input: $csv"
no 3 'CSV that is compressed' 'gzip -c c.csv | cscg-learn' "cscg-learn: standard input: $csv"
npy='vq-kmeans --frames takes pictures as the rows of a .npy array'
while IFS='|' read -r f text; do
	no 3 "$f" "cscg-learn $f" "cscg-learn: '$f': line 1: $text"
done <<END
c.tsv|this looks like TSV, not JSON; walkconv makes a walk of it
semi.csv|this looks like CSV with semicolons, not JSON; walkconv makes a walk of it
p.png|this is a PNG picture, not JSON; $npy
p.jpg|this is a JPEG picture, not JSON; $npy
f.npy|this is a .npy array, not JSON; walkconv makes a walk of symbols, vq-kmeans --frames symbols of frames, cscg-show --from-npy a model of T
twice.gz|this was compressed twice; unpack it once
map.txt|this looks like a text map, not JSON; roomgen map makes a room of it
plan.txt|this looks like text, not JSON; walkconv makes a walk of CSV, with --text of text, and roomgen map a room of a text map
table.tsv|this looks like a table of results, not JSON
binary|this is binary, not JSON
u16|this is UTF-16, not UTF-8; convert it (iconv -f UTF-16 -t UTF-8)
bom|this begins with a byte order mark, which JSON does not allow; remove the first three bytes
END
no 3 'walkconv tells a picture from a table' 'walkconv p.png' \
    "walkconv: 'p.png': line 1: this is a PNG picture, not JSON; $npy"
no 3 'an image from a pipe' 'walkconv <p.jpg' \
    "walkconv: standard input: line 1: this is a JPEG picture, not JSON; $npy"
exits 3 'a cut picture in gzip' 'gzip -c p.png | head -c 20 | cscg-learn'
says 'is cut in the first place' 'unexpected end'
exits 3 'text before JSON' '{ printf "note, "; gzip -dc walk.gz; } | cscg-learn'
says 'is invalid JSON' "cscg-learn: standard input: line 1: invalid JSON: column 4: '[' or '{' expected near 'note'"
no 3 'a later line as well' "{ gzip -dc walk.gz | head -n 1; cat c.csv; } | cscg-learn" \
    "cscg-learn: standard input: line 2: invalid JSON: column 1: '[' or '{' expected near 'x'"
no 3 'a lone number' 'echo 7 | cscg-learn' \
    "cscg-learn: standard input: line 1: invalid JSON: column 1: '[' or '{' expected near '7'"

# Files of another format of cscg

cscg-show --as clones schema.gz -o clones.gz
roomgen voxel | roomwalk -n 20 --render --frame 4x4 | tee seen.gz | vq-kmeans -k 2 --codebook book.gz >/dev/null
room='roomgen makes rooms' walk='roomwalk makes a walk in a room' code='vq-kmeans --encode reads a codebook'
while IFS='|' read -r c file is not hint; do
	no 3 "a $is is no $not: $c" "$c" \
	    "${c%% *}: '$file': line 1: this is a cscg-$is file, not a cscg-$not ($hint)"
done <<END
roomserve schema.gz|schema.gz|model|room|$room, cscg-score --sample a walk of a model
roomwalk walk.gz|walk.gz|walk|room|$room, cscg-learn a model of a walk
roomwalk book.gz|book.gz|codebook|room|$room, $code
cscg-learn room.gz|room.gz|room|walk|$walk
cscg-score schema.gz -w clones.gz|clones.gz|model|walk|cscg-score --sample makes a walk of a model
cscg-learn book.gz|book.gz|codebook|walk|roomwalk makes walks, $code
cscg-bind room.gz -w walk.gz|room.gz|room|model|$walk, cscg-learn a model of that
cscg-match walk.gz -w walk.gz|walk.gz|walk|model|cscg-learn makes a model of a walk; -w takes walks
cscg-stitch book.gz -w walk.gz|book.gz|codebook|model|cscg-learn makes models, its --gaussian reads a codebook
vq-kmeans --encode room.gz seen.gz|room.gz|room|codebook|roomwalk --render makes a walk with frames in a room, vq-kmeans a codebook of that
vq-kmeans --encode seen.gz seen.gz|seen.gz|walk|codebook|vq-kmeans makes a codebook of a walk with frames
vq-kmeans --encode schema.gz seen.gz|schema.gz|model|codebook|vq-kmeans makes codebooks
END
exits 3 'a model instead of a room for roomserve' 'cscg-plan --goal state:3 schema.gz -- roomserve schema.gz'
cp "$err" said
holds 'roomserve reports the wrong file' "grep -qxF \"roomserve: 'schema.gz': line 1: this is a cscg-model file, not a cscg-room (roomgen makes rooms, cscg-score --sample a walk of a model)\" said"
cscg-learn -j1 --clones 1 --iterations 3 --restarts 1 --checkpoint kept --checkpoint-every 1 walk.gz -o m.gz
no 3 'a checkpoint is no walk' 'cscg-learn kept' \
    "cscg-learn: 'kept': line 1: this is a checkpoint, not JSON; the tool that wrote it continues from it with --checkpoint and --resume"
no 3 'a schema with clones has no emissions' 'cscg-plan --goal state:1 clones.gz -w walk.gz' \
    "cscg-plan: 'clones.gz': a walk requires a grounded model, but this is a schema with clones: see cscg-bind(1)"

# A result that would replace an input

lost='are the same file, which would be overwritten'
ln walk.gz hard.gz
ln -s walk.gz soft.gz
ln -s . here
for f in given plain 7 map; do
	ln -s walk.gz $f
done
while IFS='|' read -r c what; do
	exits 2 "is kept: $c" "cp walk.gz was.gz; cp schema.gz before.gz; $c"
	exactly 'is refused' "${c%% *}: $what $lost"
	holds 'no file has changed' 'cmp walk.gz was.gz && cmp schema.gz before.gz && [ -z "$(find . -name ".*.tmp.*")" ]'
done <<END
cscg-bind -o schema.gz schema.gz -w walk.gz|--output and operand 'schema.gz'
cscg-bind -o walk.gz schema.gz -w walk.gz|--output and --walk
cscg-bind -o walk.gz schema.gz -w room.gz -w walk.gz|--output and --walk
cscg-bind -o walk.gz schema.gz <walk.gz|--output and standard input
cscg-learn -o ./walk.gz walk.gz|--output and operand 'walk.gz'
cscg-learn -o hard.gz walk.gz|--output and operand 'walk.gz'
cscg-learn -o soft.gz walk.gz|--output and operand 'walk.gz'
cscg-learn -o schema.gz --init schema.gz walk.gz|--output and --init
cscg-learn --stats walk.gz walk.gz|--stats and operand 'walk.gz'
cscg-learn --checkpoint walk.gz walk.gz|--checkpoint and operand 'walk.gz'
cscg-learn -o new --stats new walk.gz|--output and --stats
cscg-learn -o new --stats ./new walk.gz|--output and --stats
cscg-learn -o new --stats here/new walk.gz|--output and --stats
cscg-learn --checkpoint ./new -o new walk.gz|--checkpoint and --output
cscg-learn --isa plain -o plain plain|--output and operand 'plain'
cscg-learn --clones 7 -o 7 7|--output and operand '7'
cscg-match -o schema.gz s=schema.gz -w walk.gz|--output and operand 's=schema.gz'
cscg-match --method track --save schema.gz schema.gz -w walk.gz|--save and operand 'schema.gz'
cscg-stitch -o schema.gz s=schema.gz*2 -w walk.gz|--output and operand 's=schema.gz*2'
cscg-plan --goal state:1 -o schema.gz schema.gz -w walk.gz|--output and operand 'schema.gz'
cscg-plan --goal env --save schema.gz schema.gz -- roomserve --task goals room.gz|--save and operand 'schema.gz'
cscg-score -o schema.gz schema.gz -w walk.gz|--output and operand 'schema.gz'
cscg-show --as schema -o schema.gz schema.gz|--output and operand 'schema.gz'
walkconv --head 5 -o walk.gz walk.gz|--output and operand 'walk.gz'
walkconv --head 5 -o walk.gz /dev/stdin <walk.gz|--output and operand '/dev/stdin'
walkconv --head 5 -o walk.gz /dev/fd/3 3<walk.gz|--output and operand '/dev/fd/3'
walkconv --test new.gz -o ./new.gz walk.gz|--test and --output
roomgen street --junctions 1 --streets walk.gz -o walk.gz|--output and --streets
roomgen street --streets schema.gz --streets walk.gz -o walk.gz|--output and --streets
roomgen map map -o map|--output and operand 'map'
roomwalk -o room.gz room.gz|--output and operand 'room.gz'
roomwalk --actions plan.txt -o given given|--output and operand 'given'
vq-kmeans -k 2 --codebook seen.gz seen.gz|--codebook and operand 'seen.gz'
vq-kmeans -k 2 --checkpoint new -o here/new seen.gz|--checkpoint and --output
END
if shm=$(mktemp -d /dev/shm/cscg-test.XXXXXX 2>/dev/null); then
	trap 'rm -rf "$dir" "$shm"' EXIT
	cp walk.gz "$shm/w.gz"
	exits 2 'a file below /dev is a file' 'walkconv --head 5 -o $shm/w.gz $shm/w.gz'
	exactly 'is refused' "walkconv: --output and operand '$shm/w.gz' $lost"
	holds 'the input has not changed' 'cmp walk.gz $shm/w.gz'
else
	tap 0 'a file below /dev is a file # SKIP no /dev/shm to write to'
fi
mkdir apart
holds 'two results of one name, apart' 'cscg-learn -q -j1 --iterations 1 -o apart/new --stats new walk.gz && [ -s apart/new ] && [ -s new ]'
rm -r apart new
no 3 'an input that is the output and does not exist' 'cscg-bind -o new schema.gz -w new' \
    "cscg-bind: 'new': No such file or directory"
no 3 'an operand that is the output and does not exist' 'cscg-learn -o new new' "cscg-learn: 'new': No such file or directory"
holds 'a kind is no file' 'roomgen torus -o torus && roomgen torus -o torus'
holds 'a digit is not an input file' 'roomgen digit 3 -o 3 && roomgen digit 3 -o 3'
holds 'a number of clones is not an input file' 'cscg-learn -q -j1 --iterations 1 --clones 1 -o 1 walk.gz && cscg-learn -q -j1 --iterations 1 --clones 1 -o 1 walk.gz'
holds 'a word after -- is not an input file' 'cscg-plan --goal env --max-steps 3 -o room.table -- roomserve --task goals --seed 1 room.gz; [ $? -le 1 ]'
exits 0 'devices may be the same' 'cscg-learn -j1 --iterations 1 -o /dev/null --stats /dev/null walk.gz'
for f in /dev/null /dev/stdout; do
	exits 0 "devices are written: $f" "cscg-score -o $f schema.gz -w walk.gz </dev/null"
done
exits 0 'standard output is the shell'"'"'s' 'cscg-score schema.gz -w walk.gz >table'
exits 0 'a result may be replaced' 'cscg-score schema.gz -w walk.gz -o table'
mkfifo both
holds 'a pipe is no file' 'cat both >got & cscg-score schema.gz -w walk.gz -o both && wait && cmp got table'
rm both

# Nothing is written before the walks were checked

for c in cscg-score cscg-match 'cscg-match --method switching' 'cscg-match --method track' 'cscg-match --as one-row'; do
	no 3 "a walk that is not there: $c" "$c schema.gz -w none >told" "${c%% *}: 'none': No such file or directory"
	holds 'nothing is written' '[ ! -s told ]'
	exits 3 "a second one that does not exist: $c" "$c schema.gz -w walk.gz -w room.gz >told"
	holds 'nothing is written either' '[ ! -s told ]'
	exits 3 "standard input that does not exist: $c" "$c schema.gz <room.gz >told"
	holds 'no output is written' '[ ! -s told ]'
done

# The history records the commands

made() { # FILE: the last command that made it
	cscg-show "$1" | sed -n 's/^  made by  *//p' | sed 's/.* | //'
}
printf 'x,a\n0,l\n1,r\n1,l\n' >letters.csv
roomgen rectangle --size 3x3 --door 0,1,up --door 2,1,down -o doors.gz
same 'an empty word is a word' "walkconv --a '' letters.csv >h.gz; made h.gz" 'echo "walkconv --a '"''"'"'
same 'no word is none' 'walkconv letters.csv >h.gz; made h.gz' 'echo walkconv'
same 'an option that is repeated' 'made doors.gz' \
    'echo roomgen rectangle --size 3x3 --door 0,1,up --door 2,1,down'
same 'a repeated option is an array in the history' "gzip -dc doors.gz | grep -o '\"door\":[^]]*]'" \
    "echo '\"door\":[\"0,1,up\",\"2,1,down\"]'"
same 'an option given once is a word in the history' "roomgen rectangle --size 3x3 --door 0,1,up --no-gzip | grep -o '\"door\":[^,]*,.,up\"'" \
    "echo '\"door\":\"0,1,up\"'"
doors=$(yes -- '--door 0,1,up --door 0,2,up' | head -n 90 | tr '\n' ' ')
same 'a repeated option is repeated in the history' "roomgen rectangle --size 3x3 $doors >h.gz; made h.gz | grep -o -- --door | wc -l" \
    'echo 180'
same 'the history has the file, but not its name' "cscg-learn -q -j1 --isa plain --init schema.gz --iterations 1 walk.gz >h.gz; made h.gz" \
    'echo cscg-learn --isa plain --init given --iterations 1'
printf 'N,0,50,8\nN,1,50.001,8\nN,2,50,8.001\nN,3,49.999,8\nL,0,1\nL,0,2\nL,0,3\n' >st.txt
same 'a list of files is recorded once' "roomgen street --streets st.txt --junctions 1 >h.gz; made h.gz; roomgen street --streets /dev/null --streets st.txt --junctions 1 >h.gz; made h.gz" \
    "yes 'roomgen street --streets given --junctions 1' | head -n 2"
same 'a list of actions is recorded' "roomwalk --actions plan.txt room.gz >h.gz; made h.gz" \
    'echo roomwalk --actions given'
same 'pasted it does the same' "eval \"\$(made doors.gz)\" | gzip -dc" 'gzip -dc doors.gz'

# Names and numbers

walkconv c.csv -o names.gz
printf 'x,a\nred,up\ngreen,down\nred,up\nblue,\n' | walkconv -o more.gz
printf 'x,a\n0,0\n1,1\n0,\n' | walkconv -o numbers.gz
printf 'x,a\n0,0\n1,1\n2,0\n0,\n' | walkconv -o three.gz
for m in names numbers three; do
	cscg-learn -j1 --clones 1 --restarts 1 $m.gz -o $m.model
done
for c in "cscg-score --unseen 0 names.model -w more.gz" "cscg-score --decode names.model -w more.gz" \
    "cscg-plan --goal symbol:red names.model -w more.gz"; do
	exits 3 "another name: $c" "$c"
	says 'is reported' "episode 0, step 1: symbol 'green' is not one of the model's 2, 'red' first"
done
no 3 'names and a model of fewer numbers' 'cscg-score --unseen 0 numbers.model -w more.gz' \
    "cscg-score: 'more.gz': episode 0, step 3: symbol 2, 'blue', is not one of the model's 0..1, which have no names"
no 3 'numbers and a model of fewer names' 'cscg-score --unseen 0 names.model -w three.gz' \
    "cscg-score: 'three.gz': episode 0, step 2: symbol 2 is not one of the model's 2, 'red' first; the walk has no names"
no 3 'numbers and a model of fewer' 'cscg-score --unseen 0 numbers.model -w three.gz' \
    "cscg-score: 'three.gz': episode 0, step 2: symbol 2 is not one of the model's 0..1"
no 0 'names are taken for numbers where the model has none' 'cscg-score three.model -w more.gz' ''
no 3 'other actions' 'cscg-score names.model -w walk.gz' \
    "cscg-score: 'walk.gz': action 'left' does not occur in the other input (2 actions, 'up' first)"
no 3 'another number of actions' 'cscg-bind schema.gz -w numbers.gz' \
    "cscg-bind: 'numbers.gz': 2 actions do not fit 4"

# Missing column of episodes

printf 'trial,step,x,a\n1,0,r,u\n1,1,r,u\n1,2,b,u\n2,0,r,u\n2,1,r,u\n' >e.csv
step="walkconv: 'e.csv': line 5: 'step' goes from 2 to 0"
begin='does another episode begin there?'
none='(--episode names its column)'
no 0 'steps that begin again' 'walkconv e.csv >w' "$step, and 'trial' changes: $begin (--episode trial)"
same 'the converted walk is the same' 'walkconv --no-gzip e.csv' \
    'cut -d, -f3- e.csv | walkconv --no-gzip'
no 0 '--episode gives no warning' 'walkconv --episode trial e.csv >w' ''
no 0 '-q gives no warning' 'walkconv -q e.csv >w' ''
sed 's/^trial/episode/' e.csv >told.csv
no 0 'the column of episodes is known' 'walkconv told.csv >w' ''
cut -d, -f2- e.csv >f.csv
no 0 'no column of episodes' 'walkconv f.csv >w' "walkconv: 'f.csv': line 5: 'step' goes from 2 to 0: $begin $none"
tr , '\t' <e.csv >e.tsv
no 0 'a table as TSV gives the same warning' 'walkconv e.tsv >w' "walkconv: 'e.tsv': line 5: 'step' goes from 2 to 0, and 'trial' changes: $begin (--episode trial)"
# The observation changes at the same row, but is no episode.
printf 't,x,a\n5,r,u\n6,r,u\n9,b,u\n10,r,u\n' >jump.csv
no 0 'steps that jump' 'walkconv jump.csv >w' "walkconv: 'jump.csv': line 4: 't' goes from 6 to 9: $begin $none"
printf 'T,x,a\n10,r,u\n20,r,u\n30,b,u\n' >stride.csv
no 0 'steps by tens are steps' 'walkconv stride.csv >w' ''
printf 'time,x,a\n10,r,u\n17,r,u\n19,b,u\n' >time.csv
no 0 'time continues as it likes' 'walkconv time.csv >w' ''
sed 's/^19/3/' time.csv >back.csv
no 0 'time that goes back gives a warning' 'walkconv back.csv >w' "walkconv: 'back.csv': line 4: 'time' goes from 17 to 3: $begin $none"
printf 'step,x,a\n1,r,u\n1,r,u\n3,b,u\n' >still.csv
no 0 'what does not count at first is no count' 'walkconv still.csv >w' ''
printf 'step,x,a\none,r,u\ntwo,r,u\none,b,u\n' >word.csv
no 0 'a column of words gives no warning' 'walkconv word.csv >w' ''
no 0 'the observation gives no warning' 'walkconv --x step f.csv >w' ''
mkfifo pipe
no 0 'a pipe is read once' 'cat e.csv >pipe & walkconv --from csv pipe >w' ''

# Options of other programs, and other commands of cscg

asked '--n-clones of other programs' 'cscg-learn --n-clones 3 walk.gz' \
    "unknown option '--n-clones': did you mean --clones?"
asked 'the number of states' 'cscg-learn --hidden-states 3 walk.gz' \
    "unknown option '--hidden-states': did you mean --clones? (clones per symbol; the number of states is their sum)"
asked 'a form of 1.0.0' 'cscg-match --as wide schema.gz schema.gz -w walk.gz' \
    "--as: 'wide' is not one of rows|one-row|summary|segments: did you mean --as one-row?"
asked 'threads' 'cscg-learn --n-jobs 3 walk.gz' \
    "unknown option '--n-jobs': did you mean -j, --threads?"
asked '--n-jobs for a tool without threads: no suggestion' 'walkconv --n-jobs 3 walk.gz' \
    "unknown option '--n-jobs'"
asked 'a column of observations' 'walkconv --obs seen walk.gz' \
    "unknown option '--obs': did you mean --x? (column of observations)"
exits 2 'a form that another program makes' 'cscg-show --as eps schema.gz'
says 'the command is named' ': convert it: cscg-show --as svg FILE | rsvg-convert -f eps -o out.eps (try --help)'
finish
