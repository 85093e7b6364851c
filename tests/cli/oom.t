# Every allocation fails once: a message and status 4, or an unchanged result.
#
# A preloaded library (tests/oom.c) makes the n-th call of malloc, calloc or
# realloc fail.  Each run must end in status 4 with one line that says "out of
# memory", or in 0 with the output it would have had; never by a signal, and
# never with a file half written.
# all: slow (110 s of CPU time): an allocation fails in each of thousands of runs
. "$(dirname "$0")/../tap.sh"

oom=$BUILD/tests/oom.so
# The sanitizers have an allocator of their own, which must come first.
if ldd "$BUILD/roomgen" | grep -q libasan; then
	tap 0 'allocations fail in the plain build # SKIP sanitizer'
	finish
fi

roomgen rectangle --size 3x3 --no-gzip -o room
roomgen rectangle --size 3x3 --no-gzip --as model -o model
roomwalk -n 30 --no-gzip room -o walk
gzip -k walk
walkconv --as npy walk >f.npy
roomgen rectangle --size 2x3 --door 0,2,right --no-gzip -o left.room
roomgen rectangle --size 2x2 --door 0,0,left --no-gzip -o right.room
for r in left right; do
	roomgen room --as model --no-gzip $r.room -o $r
done
roomgen join left.room right.room --no-gzip -o joined.room
roomwalk -n 200 --no-gzip joined.room -o joined.walk
roomgen room --as model --no-gzip joined.room -o joined
printf '%s\n' 'ab.' 'c#d' '' 'block 0,0 right' >m.txt
printf '%s\n' '0>2' 002 | roomgen voxel --map - --no-gzip -o vox
roomwalk -n 30 --render --frame 6x6 --no-gzip vox -o seen
vq-kmeans -k 3 --codebook book --no-gzip seen -o symbols
roomgen room vox --as model --no-gzip | cscg-show --as schema --no-gzip -o schema
cscg-learn -q --clones 2 --iterations 2 --restarts 1 --gaussian book --no-gzip seen -o looks
printf '%s' '{"format":"cscg-model","version":1,"kind":"grounded","precision":"single",' \
    '"n_states":2,"n_actions":1,"n_obs":2,"clone":[0,1],"pseudocount":1,' \
    '"counts":[{"from":[],"to":[],"count":[]}]}' >blank
# Complete at the second episode, so that the status is 0: two states.
roomgen rectangle --size 1x2 --obs unique | \
    roomwalk -n 60 --episodes 4 --permute-episodes --no-gzip -o games

# Run it with allocation n failing (0: none).
run() { # N COMMAND
	rm -f got report
	LD_PRELOAD=$oom CSCG_OOM_AT=$1 CSCG_OOM_STICKY=$sticky \
	    CSCG_OOM_REPORT=report $2 -o got >"$out" 2>"$err" </dev/null
}

# The first allocation of each place in the program fails, a place being a call with
# its callers; then, with all allocations after it, every eighth of these.
try() { # NAME COMMAND
	command -v "${2%% *}" >/dev/null || { echo "# no ${2%% *}"; return; }
	sticky=0
	CSCG_OOM_SITES=sites run 0 "$2"
	if [ $? != 0 ] || [ ! -s report ]; then
		tap 1 "$1: runs untouched"
		sed 's/^/# /' "$err"
		return
	fi
	tap 0 "$1: runs untouched"
	total=$(cat report)
	mv got want
	for sticky in 0 1; do
		tries=0 hit=0 bad=0
		for n in $(awk -v every=$((1 + 7 * sticky)) 'NR % every == 0' sites); do
			run "$n" "$2"
			rc=$?
			tries=$((tries + 1))
			if [ $rc = 4 ] && [ ! -e got ] && [ "$(wc -l <"$err")" = 1 ] &&
			    grep -q 'out of memory' "$err"; then
				hit=$((hit + 1))
			elif [ $rc != 0 ] || ! cmp -s got want; then
				bad=$((bad + 1))
				[ $bad -gt 3 ] || { echo "# n = $n: status $rc"
				    head -3 "$err" | sed 's/^/# /'; }
			fi
		done
		[ $bad = 0 ] && [ $hit -gt 0 ]
		tap $? "$1: $tries of $total calls failed (sticky $sticky), $hit noticed"
	done
	holds "$1: no temporary stays" '[ -z "$(find . -name "*.tmp.*")" ]'
}

try 'a room read and walked in'    'roomwalk -n 30 room'
try 'a room made'                  'roomgen hole'
try 'a model read'                 'cscg-show model'
try 'a model read and written'     'cscg-show --as schema model'
try 'a walk and a model read'      'cscg-score model -w walk.gz'
try 'a model without counts' 'cscg-score --sample 3 blank'
try 'a walk read'                  'cscg-show walk'
try 'a walk converted'             'walkconv walk'
try 'a model learned'              'cscg-learn -j1 --clones 2 --iterations 3 --restarts 1 walk.gz'
try 'one graph for several emissions'         'cscg-learn --shared-graph --until-complete games'
try 'a schema bound'               'cscg-bind -j1 --restarts 2 --iterations 3 model -w walk.gz'
try 'a schema bound by plain loops' 'cscg-bind -j1 --isa plain --tie none --restarts 1 --iterations 2 model -w walk.gz'
try 'a schema bound from its emissions' 'cscg-bind -j1 --init schema --iterations 1 model -w walk.gz'
try 'a walk matched'               'cscg-match -j1 --every 10 --restarts 1 --iterations 3 model -w walk.gz'
try 'a street'                     'roomgen street --count 2'
try 'rooms joined'                 'roomgen join room room'
try 'a room served'                'roomserve --task goals room'
try 'a plan'                       'cscg-plan model -w walk.gz --goal symbol:8 --json'
try 'a rendered 3D walk'               'roomwalk -n 30 --render --frame 8x8 vox'
try 'a 3D room drawn'              'cscg-show --as ppm --view iso --scale 8 vox'
try 'frames quantized'             'vq-kmeans -j1 -k 2 --restarts 1 --frames f.npy'
try 'schemas stitched'             'cscg-stitch -j1 --restarts 1 left right -w joined.walk'
try 'a schema bound by frames'     'cscg-bind -j1 --restarts 1 --iterations 2 --gaussian book schema -w seen'
try 'a model learned by frames'    'cscg-learn -j1 --clones 2 --iterations 2 --restarts 1 --gaussian book seen'
try 'emissions removed'              'cscg-show --as clones looks'
try 'a codebook shown'             'cscg-show book'
try 'a codebook drawn'             'cscg-show --as ppm book'
try 'a model learned and split'    'cscg-learn -j1 --structure split --clones 1 --iterations 3 --restarts 1 joined.walk'
try 'a model learned, raw'         'cscg-learn -j1 --structure none --clones 2 --iterations 3 --restarts 1 walk.gz'
try 'a track'                      'cscg-match -j1 --method track --min-posterior 0 --calibrate 2 model -w walk'
try 'a schema bound from a track'  'cscg-bind -j1 --init track --no-gzip model -w walk'

walkconv --as csv walk >t.csv
try 'frames set aside'             'roomwalk -n 5 --render --frame 4x4 --frames f2.npy vox'
try 'frames as a mixture'          'vq-kmeans -j1 -k 2 --gmm --restarts 1 --frames f.npy'
try 'frames encoded'               'vq-kmeans -j1 --encode book seen'
try 'a table read'                 'walkconv t.csv'
try 'a table written'              'walkconv --as csv walk'
try 'an array read'                'walkconv f.npy'
try 'a walk predicted'             'cscg-predict --ahead 2 model -w walk'
try 'a walk continued'             'cscg-predict --continue 3 --by path model -w walk'
try 'a walk decoded'               'cscg-score --decode model -w walk'
try 'posteriors'                   'cscg-score --posterior model -w walk'
try 'steps dreamt'                 'cscg-score --sample 20 model'
try 'a graph as GraphML'           'cscg-show --as graphml model'
try 'a partition'       'cscg-show --partition joined'
try 'a model and the truth'        'cscg-show --truth room model'
try 'a walk through several'       'cscg-match -j1 --method switching left right -w joined.walk'
try 'schemas discovered'           'cscg-stitch -j1 --partition joined -w joined.walk'
try 'two rooms as one'             'roomgen compose room room'
try 'a digit'                      'roomgen digit 3'
try 'a 3D room made'               'roomgen voxel --map room3'
try 'a map read'                   'roomgen map m.txt'

# Recordings, text, streets, pages, and walks with slips.
awk 'BEGIN { print "t,x,y"; for (i = 0; i < 60; i++) print i "," i % 7 "," (i * i) % 5 }' >track.csv
printf 'the cat sat\non the mat\nthe cat ran\n' >text
roomgen join left.room right.room --slip .05 --no-gzip -o slippery
roomwalk -n 400 --no-gzip slippery -o slips.walk
walkconv -q --no-gzip --bin x,y --cell 2 --derive-actions compass4 --xy xy.csv track.csv -o binned
cscg-learn -q -j1 --restarts 1 --no-gzip binned -o seen.model 2>/dev/null
cscg-plan model -w walk.gz --goal symbol:8 --json -o plan.json
cscg-show -q --as npy-counts model -o counts.npy
roomgen rectangle --size 3x3 --obs unique --no-gzip -o unique
roomwalk -n 40 -s 9 --no-gzip unique -o new.walk
roomgen room unique --as model --no-gzip -o new
roomgen torus --size 3x4 --no-gzip -o round
mkdir models
cp left right models/
try 'positions as cells'      'walkconv -q --bin x,y --cell 2 --derive-actions compass4 --xy at.csv track.csv'
try 'positions as quantiles'  'walkconv -q --bin x,y --quantile 2 --derive-actions egocentric --moves track.csv'
try 'rows split'              'walkconv --x x --derive-actions none --episode-length 10 --test rest.walk --test-fraction .3 track.csv'
try 'text as words'           'walkconv --text words --lines --lower --min-count 2 text'
try 'text as characters'      'walkconv --text chars text'
try 'place fields'            'cscg-show --fields binned --xy xy.csv --bins 4 seen.model'
try 'place fields drawn'      'cscg-show --fields binned --xy xy.csv --bins 4 --as svg seen.model'
try 'states over time'        'cscg-show --raster walk --as svg model'
try 'a page'                  'cscg-show --as html model'
try 'a page with a walk and a plan' 'cscg-show --as html --plan plan.json -w walk model'
try 'a page of a room'        'cscg-show --as html -w walk room'
try 'a drawing at true places' 'cscg-show --as svg --truth room model'
try 'a drawing of a torus'    'cscg-show --as dot round'
try 'nodes'                   'cscg-show --as nodes --json model'
try 'edges'                   'cscg-show --as tsv model'
try 'rooms of a partition drawn' 'cscg-show --partition --as svg joined'
try 'rooms of a partition as schemas' 'cscg-show --partition --as library joined'
try 'frontiers at bottlenecks' 'cscg-show --frontiers bottleneck joined'
try 'a model as an array'     'cscg-show --as npy model'
try 'a model of an array'     'cscg-show --from-npy C --as model --clones 1,1,1,1,1,1,1,1,1 counts.npy'
try 'a model compared over a walk' 'cscg-show --truth room -w walk model'
try 'frames as images'        'cscg-show --as ppm --view 0 seen'
try 'a model updated'         'cscg-learn -j1 --init model --change-rate .01 --iterations 3 walk'
try 'a walk with slips learned' 'cscg-learn -j1 --restarts 1 --iterations 5 slips.walk'
try 'one clone for each symbol, learned pi' 'cscg-learn -j1 --clones proportional:20 --learn-pi --double --restarts 1 --iterations 3 --stats stats walk'
try 'slots rebound'           'cscg-bind -j1 --rebind .01 --iterations 3 new -w new.walk'
try 'predictions by two models' 'cscg-predict --states 2 --each-action --json a=model b=new -w new.walk'
try 'predictions while slots are rebound' 'cscg-predict --rebind .01 new -w new.walk'
try 'a walk with its states'  'cscg-score --decode --as walk model -w walk'
try 'nats of each step'       'cscg-score --per-step --json --bits model -w walk'
try 'rooms in two rows'       'roomgen join --layout 2x2 --door-at random --obs apart room room room'
try 'rooms with shared symbols' 'roomgen join --obs shared room room'
try 'rooms that slip'         'roomgen hole --slip .1 --obs random:3 --permute'
try 'a room learned beside a known one' 'cscg-stitch -j1 --restarts 1 --learn-rest always left -w joined.walk --report parts'
try 'a prior'                 'cscg-stitch -j1 --restarts 1 --prior all --frontiers boundary left right -w joined.walk'
try 'windows matched'         'cscg-match -j1 --window 20 --restarts 1 --iterations 2 --json left right -w joined.walk'
try 'a walk through several, step by step' 'cscg-match -j1 --method switching-online left right -w joined.walk'
try 'a plan to a state'       'cscg-plan --start state:0 --goal state:5 model'
finish
