# Over ranks: the same bytes as one process, also when something goes wrong.
#
# This needs Open MPI.  If the tools under test were built without, the ones
# that work over ranks are built once more, with it, in $BUILD/mpi.
. "$(dirname "$0")/../tap.sh"

skip() {
	tap 0 "over ranks # SKIP $1"
	finish
}
command -v mpirun >/dev/null || skip 'no mpirun'
mpi=$BUILD
if ! ldd "$BUILD/cscg-learn" | grep -q libmpi; then
	pkg-config --exists ompi-c mpi 2>/dev/null ||
	    pkg-config --exists ompi-c 2>/dev/null ||
	    pkg-config --exists mpi 2>/dev/null || skip 'pkg-config knows no MPI'
	mpi=$BUILD/mpi
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES make -C "$TOP" \
	    MPI=1 BUILD="$mpi" -j2 "$mpi/cscg-learn" "$mpi/cscg-match" \
	    "$mpi/vq-kmeans" "$mpi/tests/unit/ranks" >make.log 2>&1 || {
		tail -n 20 make.log | sed 's/^/# /'
		tap 1 'builds with MPI'
		finish
	}
fi
tap 0 'builds with MPI'
PATH=$mpi:$PATH
OMP_NUM_THREADS=1
# A container's root, few cores, and no network to look for.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl=self,vader,tcp
export OMP_NUM_THREADS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
ranks() { # N COMMAND
	n=$1
	shift
	timeout 300 mpirun --oversubscribe -n "$n" "$@"
}
# What we say, without what mpirun has to add.
ours() { grep '^[a-z-]*: ' "$1"; }

for n in 2 3; do
	exits 0 "the layer itself, $n ranks" "ranks $n $mpi/tests/unit/ranks"
	holds 'all of it' "! grep -q '^not ok' '$out'"
done

# Walks: 14 episodes in three files, of 4 units; one long one; some holes.
roomgen rectangle --rows 4 --cols 5 --obs random:5 -s 3 -o room.gz
roomwalk -n 15000 --episodes 4 room.gz -o a.gz
roomwalk -n 15000 --episodes 7 -s 1 room.gz -o b.gz
roomwalk -n 15000 --episodes 3 -s 2 room.gz -o c.gz
roomwalk -n 70000 -s 3 room.gz -o long.gz
roomwalk -n 200 -s 4 --no-gzip room.gz | awk 'NR == 2 { sub(/"x":\[[0-9]*/, "\"x\":[null") } 1' >holes

# One process, and so many ranks.
like_one() { # RANKS NAME COMMAND...
	sizes=$1 name=$2
	shift 2
	"$@" --no-gzip -o one || echo "# one process failed"
	for n in $sizes; do
		rm -f many
		ranks "$n" "$@" --no-gzip -o many 2>"$err"
		cmp -s one many
		rc=$?
		tap $rc "$name: $n ranks"
		[ $rc = 0 ] || sed 's/^/# /' "$err" | head -5
	done
}
few="--clones 4 --iterations 5 --restarts 2"
like_one '1 2 3 4' 'EM' cscg-learn $few --raw a.gz b.gz c.gz
like_one '2 3 4' 'all stages' cscg-learn $few a.gz b.gz c.gz
like_one 3 'a walk that folds' cscg-learn --iterations 3 a.gz b.gz
like_one '2 4' 'a long episode, whose starts are dealt out' cscg-learn --clones 3 \
    --iterations 3 --restarts 5 --raw long.gz
like_one 3 'dropouts' cscg-learn --clones 2 --iterations 4 --restarts 3 holes

cscg-learn $few --raw --learn-pi --no-gzip a.gz b.gz c.gz -o one
same 'threads within ranks' 'cat one' \
    'ranks 2 cscg-learn $few -j 2 --raw --learn-pi --no-gzip a.gz b.gz c.gz -o many; cat many'
same 'low memory' 'cat one' \
    'ranks 3 cscg-learn $few --low-memory --raw --learn-pi --no-gzip a.gz b.gz c.gz -o many; cat many'
same 'from a model' 'cscg-learn --init one --iterations 2 --no-gzip a.gz b.gz' \
    'ranks 3 cscg-learn --init one --iterations 2 --no-gzip a.gz b.gz -o many; cat many'
same 'standard input' 'cat a.gz b.gz | cscg-learn $few --raw --no-gzip' \
    'cat a.gz b.gz | ranks 3 cscg-learn $few --raw --no-gzip -o many; cat many'
same 'and files' 'cat b.gz | cscg-learn $few --raw --no-gzip a.gz - c.gz' \
    'cat b.gz | ranks 2 cscg-learn $few --raw --no-gzip a.gz - c.gz -o many; cat many'
same 'double precision' 'cscg-learn --clones 2 --iterations 2 --double --raw --no-gzip holes' \
    'ranks 2 cscg-learn --clones 2 --iterations 2 --double --raw --no-gzip holes -o many; cat many'

# Alone, MPI is not asked: with this setting it could not begin.
same 'an MPI build runs alone' 'cat one' \
    'OMPI_MCA_pml=none cscg-learn $few --raw --learn-pi --no-gzip a.gz b.gz c.gz'
exits 0 'with one answer to a question' 'ranks 3 cscg-learn --version'
same 'from one rank' 'wc -l <"$out"' 'echo 1'

# Every episode is with one rank: 4 + 7 + 3 of 15000 steps, and units of four.
exits 0 'who has what' 'ranks 3 cscg-learn $few --raw -v a.gz b.gz c.gz -o many 2>said'
same 'is counted' 'grep -o "rank .*" said' 'cat <<.
rank 0: 4 episodes of 60000 steps in all
rank 1: 4 episodes of 60000 steps in all
rank 2: 6 episodes of 90000 steps in all
.'
roomwalk -n 50 room.gz -o short.gz
exits 0 'fewer episodes than ranks' 'ranks 4 cscg-learn --clones 2 -v short.gz -o many 2>said'
same 'leave all but one without' 'sed -n "s/.*rank [0-3]: //p" said | sort' 'cat <<.
0 episodes of 0 steps in all
0 episodes of 0 steps in all
0 episodes of 0 steps in all
1 episodes of 50 steps in all
.'
{ head -n 1 holes; echo '{"end":true,"episodes":0,"steps":0}'; } >none
cscg-learn none 2>want
exits 3 'no episode at all' 'ranks 3 cscg-learn none -o many 2>said'
same 'is refused as by one process' 'ours said' 'cat want'

# One cut file among many: one message, and the same status for all.
head -c 9000 b.gz >cut.gz
exits 3 'one file is cut' 'ranks 4 cscg-learn $few a.gz c.gz a.gz cut.gz c.gz -o none.gz 2>said'
same 'it is named once' 'ours said' "echo \"cscg-learn: 'cut.gz': unexpected end of gzip data\""
# mpirun ends all when the first has failed: here nobody seems to.
exits 0 'once more, to ask each rank' 'ranks 4 sh -c "cscg-learn $few a.gz c.gz a.gz cut.gz c.gz -o none.gz; echo \$? >status.\$OMPI_COMM_WORLD_RANK" 2>said'
same 'every one has status 3' 'cat status.[0-3]' 'printf "3\n3\n3\n3\n"'
holds 'and nothing is written' '[ ! -e none.gz ]'
exits 3 'the first of several faults' 'ranks 4 cscg-learn $few a.gz missing.gz c.gz cut.gz -o none.gz 2>said'
same 'is told' 'ours said' "echo \"cscg-learn: 'missing.gz': No such file or directory\""
roomgen rectangle --rows 2 --cols 2 --obs random:3 | roomwalk -n 9 -o other.gz
cscg-learn a.gz other.gz 2>want
exits 3 'walks that do not fit each other' 'ranks 2 cscg-learn a.gz other.gz -o none.gz 2>said'
same 'as in one process' 'ours said' 'cat want'
exits 2 'asked wrongly' 'ranks 3 cscg-learn --clones 4 --init x a.gz 2>said'
same 'once' 'ours said' 'echo "cscg-learn: --clones and --init exclude each other (try --help)"'
exits 2 'an output that cannot be' 'ranks 3 cscg-learn a.gz -o nodir/x 2>said'
same 'once, too' 'ours said' "echo \"cscg-learn: 'nodir/x': No such file or directory\""

# Schemas are shared out, and frames, and starts.
for k in torus cylinder rectangle; do
	roomgen $k --rows 4 --cols 4 --as model -o $k.gz
done
roomgen torus --rows 4 --cols 4 --permute | roomwalk -n 60 --episodes 3 -o m.gz
schemas='torus.gz cylinder.gz rectangle.gz'
for n in 2 3 4; do
	same "matching by $n ranks" 'cscg-match --every 20 $schemas -w m.gz' \
	    "ranks $n cscg-match --every 20 \$schemas -w m.gz -o many; cat many"
done
same 'with bindings that are kept' 'cscg-match --every 10 --keep $schemas -w m.gz' \
    'ranks 2 cscg-match --every 10 --keep $schemas -w m.gz -o many; cat many'
same 'windows, from standard input' 'cscg-match --window 30 $schemas <m.gz' \
    'ranks 2 cscg-match --window 30 $schemas -o many <m.gz; cat many'
gzip -dc m.gz | head -n 3 >cut
exits 3 'a cut walk' 'ranks 3 cscg-match $schemas -w m.gz -w cut -o none.tsv 2>said'
same 'is named once' 'ours said' "echo \"cscg-match: 'cut': unexpected end of walk (no end line)\""
printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox.gz
roomwalk -n 60 --render --frame 8x8 vox.gz -o seen.gz
for r in 1 2 5; do
	same "k-means of $r starts" "vq-kmeans -k 4 --restarts $r --no-gzip seen.gz" \
	    "ranks 3 vq-kmeans -k 4 --restarts $r --no-gzip seen.gz -o many; cat many"
done
same 'frames from standard input' 'vq-kmeans -k 4 --gmm --no-gzip <seen.gz' \
    'ranks 2 vq-kmeans -k 4 --gmm --no-gzip -o many <seen.gz; cat many'

# Ranks that are killed.  The FIFO keeps the job from being done too soon, as
# in checkpoint.t: 2 x 701 lines, and four units for the ranks.
roomgen rectangle --rows 2 --cols 3 --obs random:3 --slip .1 -o tiny.gz
roomwalk -n 33000 --episodes 3 tiny.gz -o t.gz
job="cscg-learn --clones 1 --iterations 700 --tolerance 0 --restarts 2 --raw --no-gzip"
$job t.gz -o want
start() { # RANKS LINES OPTION...
	size=$1 lines=$2
	shift 2
	rm -f stats pid.*
	mkfifo stats
	exec 3<>stats
	ranks "$size" sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' \
	    sh $job --checkpoint c "$@" --stats stats t.gz -o got 2>said &
	p=$!
	while [ "$lines" -gt 0 ]; do
		read -r line <&3
		lines=$((lines - 1))
	done
}
ended() {
	cat <&3 >/dev/null &
	c=$!
	wait "$p"
	rc=$?
	kill "$c" 2>/dev/null
	wait "$c" 2>/dev/null
}
rm -f c got
start 3 60 --checkpoint-every 10
kill -9 "$(cat pid.1)"
ended
holds 'a rank is killed: the job fails' "[ $rc != 0 ] && [ ! -e got ]"
holds 'and leaves a whole checkpoint' 'gzip -t <c'
start 2 30 --checkpoint-every 10 --resume
kill -9 "$(cat pid.0)"
ended
holds 'so does rank 0' "[ $rc != 0 ] && [ ! -e got ] && gzip -t <c"
start 2 30 --resume
kill -TERM "$(cat pid.1)"
ended
holds 'SIGTERM for one rank ends all' "[ $rc != 0 ] && [ ! -e got ] && gzip -t <c"
start 4 1 --resume -v
kill -USR1 "$(cat pid.3)"
ended
same 'SIGUSR1 for one rank' 'grep -c "checkpoint written" said' 'echo 1'
same 'is heard, and the job ends with the same bytes' 'cat got' 'cat want'
finish
