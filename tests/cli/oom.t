# Every allocation fails once: a message and status 4, or an unchanged result.
#
# A preloaded library (tests/oom.c) makes the n-th call of malloc, calloc or
# realloc fail.  Each run must end in status 4 with one line that says "out of
# memory", or in 0 with the output it would have had; never by a signal, and
# never with a file half written.
# all: slow (50 s of CPU time): an allocation fails in each of thousands of runs
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

# Small n one by one, where start-up and readers are; then with growing steps so
# that a run of any length takes about as many tries.  Further jobs of a tool
# that was tested already take fewer runs: thin.
thin=1
try() { # NAME COMMAND
	command -v "${2%% *}" >/dev/null || { echo "# no ${2%% *}"; return; }
	sticky=0
	run 0 "$2"
	if [ $? != 0 ] || [ ! -s report ]; then
		tap 1 "$1: runs untouched"
		sed 's/^/# /' "$err"
		return
	fi
	tap 0 "$1: runs untouched"
	total=$(cat report)
	mv got want
	for sticky in 0 1; do
		n=1 tries=0 hit=0 bad=0
		few=$(((200 - 160 * sticky) / thin)) more=$(((60 - 30 * sticky) / thin))
		while [ $n -le "$total" ]; do
			run $n "$2"
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
			n=$((n + 1 + (n > few ? (total - few) / more : 0)))
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

thin=4
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
finish
