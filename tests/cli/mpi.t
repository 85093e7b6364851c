# Over ranks: the same bytes as one process, also after failures.
#
# This needs Open MPI.  If the tools under test were built without it, those with MPI
# are in $BUILD/mpi, see tests/cluster/cluster.mk.  Jobs of Slurm are tested by
# cluster.t.  With CLUSTER=full, as in make check-cluster, more numbers of ranks are
# tested.
# all: needs MPI
. "$(dirname "$0")/../tap.sh"

full() { [ "${CLUSTER:-}" = full ]; }

mpi=$BUILD
ldd "$BUILD/cscg-learn" | grep -q libmpi || mpi=$BUILD/mpi
if ! command -v mpirun >/dev/null || [ ! -x "$mpi/cscg-learn" ]; then
	tap 0 'over ranks # SKIP no MPI (Debian: libopenmpi-dev, openmpi-bin)'
	finish
fi
PATH=$mpi:$PATH
OMP_NUM_THREADS=1
# Root in a container, few cores, and no network.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1
# A directory of its own: otherwise one mpirun removes the directory of another.
OMPI_MCA_orte_tmpdir_base=$dir
# Leaks of MPI are suppressed.
ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export OMP_NUM_THREADS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
    OMPI_MCA_btl OMPI_MCA_pml OMPI_MCA_mpi_yield_when_idle \
    OMPI_MCA_orte_tmpdir_base ASAN_OPTIONS
ranks() { # N COMMAND
	n=$1
	shift
	timeout 300 mpirun --oversubscribe -n "$n" "$@"
}
# Messages of the tool, without those of mpirun.
ours() { grep '^[a-z-]*: ' "$1"; }

# Numbers of ranks: all with CLUSTER=full, otherwise a few.
all_or() { if full; then echo "$1"; else echo "$2"; fi; }

for n in $(all_or '2 3 4' 3); do
	exits 0 "the layer itself, $n ranks" "ranks $n $mpi/tests/unit/dist/ranks"
	holds 'all of it' "! grep -q '^not ok' '$out'"
done

# Walks: ten episodes in three files, of which the long ones make three units;
# one that cannot be divided; some dropouts.
roomgen rectangle --size 4x5 --obs random:5 -s 3 -o room.gz
roomwalk -n 33000 room.gz -o a.gz
roomwalk -n 100 --episodes 7 -s 1 room.gz -o b.gz
roomwalk -n 33000 --episodes 2 -s 2 room.gz -o c.gz
roomwalk -n 5000 -s 3 room.gz -o long.gz
roomwalk -n 200 -s 4 --no-gzip room.gz | awk 'NR == 2 { sub(/"x":\[[0-9]*/, "\"x\":[null") } 1' >holes

# One process, and this number of ranks.
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
like_one '1 2 3 4' 'EM' cscg-learn $few --structure none a.gz b.gz c.gz
like_one "$(all_or '2 3 4' 3)" 'all stages' cscg-learn $few a.gz b.gz c.gz
like_one 3 'a walk that folds' cscg-learn --iterations 3 a.gz b.gz c.gz
like_one "$(all_or '2 3 4' 4)" 'one episode, whose restarts are distributed' \
    cscg-learn --clones 3 --iterations 3 --restarts 5 --structure none long.gz
like_one 3 'dropouts' cscg-learn --clones 2 --iterations 4 --restarts 3 holes

cscg-learn $few --structure none --learn-pi --no-gzip a.gz b.gz c.gz -o one
same 'threads within ranks' 'cat one' \
    'ranks 2 cscg-learn $few -j 2 --structure none --learn-pi --no-gzip a.gz b.gz c.gz -o many && cat many'
same 'low memory' 'cat one' \
    'ranks 3 cscg-learn $few --low-memory --structure none --learn-pi --no-gzip a.gz b.gz c.gz -o many && cat many'
same 'learning from an initial model' 'cscg-learn --init one --iterations 2 --no-gzip a.gz b.gz' \
    'ranks 3 cscg-learn --init one --iterations 2 --no-gzip a.gz b.gz -o many && cat many'
same 'standard input' 'cat a.gz b.gz | cscg-learn $few --structure none --no-gzip' \
    'cat a.gz b.gz | ranks 3 cscg-learn $few --structure none --no-gzip -o many && cat many'
same 'standard input among files' 'cat b.gz | cscg-learn $few --structure none --no-gzip a.gz - c.gz' \
    'cat b.gz | ranks 2 cscg-learn $few --structure none --no-gzip a.gz - c.gz -o many && cat many'
same 'double precision' 'cscg-learn --clones 2 --iterations 2 --double --structure none --no-gzip holes' \
    'ranks 2 cscg-learn --clones 2 --iterations 2 --double --structure none --no-gzip holes -o many && cat many'

# A single process does not start MPI, which would fail with this setting.
same 'an MPI build runs alone' 'cat one' \
    'OMPI_MCA_pml=none cscg-learn $few --structure none --learn-pi --no-gzip a.gz b.gz c.gz'
exits 0 '--version over three ranks' 'ranks 3 cscg-learn --version'
same '--version is printed by one rank' 'wc -l <"$out"' 'echo 1'

# Every episode belongs to one rank: those of 100 steps are in the first unit.
exits 0 'the distribution over ranks' 'ranks 3 cscg-learn $few --structure none -v a.gz b.gz c.gz -o many 2>said'
same 'episodes and steps of each rank are reported' 'grep -o "rank .*" said' 'cat <<.
rank 0: 8 episodes of 33700 steps in all
rank 1: 1 episodes of 33000 steps in all
rank 2: 1 episodes of 33000 steps in all
.'
roomwalk -n 50 room.gz -o short.gz
exits 0 'fewer episodes than ranks' 'ranks 4 cscg-learn --clones 2 -v short.gz -o many 2>said'
same 'leave only one rank with data' 'sed -n "s/.*rank [0-3]: //p" said | sort' 'cat <<.
0 episodes of 0 steps in all
0 episodes of 0 steps in all
0 episodes of 0 steps in all
1 episodes of 50 steps in all
.'
{ head -n 1 holes; echo '{"end":true,"episodes":0,"steps":0}'; } >none
cscg-learn none 2>want
exits 3 'no episode at all' 'ranks 3 cscg-learn none -o many 2>said'
same 'an error is that of one process' 'ours said' 'cat want'

# One truncated file among many: one message, and the same status for all.
head -c 900 b.gz >cut.gz
exits 3 'one truncated file' 'ranks 4 cscg-learn $few a.gz c.gz a.gz cut.gz c.gz -o none.gz 2>said'
same 'the file is named once' 'ours said' "echo \"cscg-learn: 'cut.gz': unexpected end of gzip data\""
# mpirun ends all ranks when the first has failed: here no status shows a
# failure.
exits 0 'the same with the status of each rank' 'ranks 4 sh -c "cscg-learn $few a.gz c.gz a.gz cut.gz c.gz -o none.gz; echo \$? >status.\$OMPI_COMM_WORLD_RANK" 2>said'
same 'every one has status 3' 'cat status.[0-3]' 'printf "3\n3\n3\n3\n"'
holds 'no file is written' '[ ! -e none.gz ]'
exits 3 'the first of several faults' 'ranks 4 cscg-learn $few a.gz missing.gz c.gz cut.gz -o none.gz 2>said'
same 'a missing file is reported once' 'ours said' "echo \"cscg-learn: 'missing.gz': No such file or directory\""
roomgen rectangle --size 2x2 --obs random:3 | roomwalk -n 9 -o other.gz
cscg-learn a.gz other.gz 2>want
exits 3 'walks that do not fit each other' 'ranks 2 cscg-learn a.gz other.gz -o none.gz 2>said'
same 'an error is that of one process' 'ours said' 'cat want'
exits 2 'a usage error' 'ranks 3 cscg-learn --clones 4 --init x a.gz 2>said'
same 'a usage error is reported once' 'ours said' 'echo "cscg-learn: --clones and --init exclude each other (try --help)"'
exits 2 'an output that cannot be' 'ranks 3 cscg-learn a.gz -o nodir/x 2>said'
same 'an unwritable output is reported once' 'ours said' "echo \"cscg-learn: 'nodir/x': No such file or directory\""

# Schemas, frames and restarts are distributed.
for k in torus cylinder rectangle; do
	roomgen $k --size 4x4 --as model -o $k.gz
done
roomgen torus --size 4x4 --permute | roomwalk -n 60 --episodes 3 -o m.gz
schemas='torus.gz cylinder.gz rectangle.gz'
for n in $(all_or '2 3 4' 4); do
	same "matching by $n ranks" 'cscg-match --every 20 $schemas -w m.gz' \
	    "ranks $n cscg-match --every 20 \$schemas -w m.gz -o many && cat many"
done
same 'matching with --warm-start' 'cscg-match --every 10 --warm-start $schemas -w m.gz' \
    'ranks 2 cscg-match --every 10 --warm-start $schemas -w m.gz -o many && cat many'
same 'windows, from standard input' 'cscg-match --window 30 $schemas <m.gz' \
    'ranks 2 cscg-match --window 30 $schemas -o many <m.gz && cat many'
gzip -dc m.gz | head -n 3 >cut
exits 3 'a cut walk' 'ranks 3 cscg-match $schemas -w m.gz -w cut -o none.tsv 2>said'
same 'a truncated walk is named once' 'ours said' "echo \"cscg-match: 'cut': unexpected end of walk (no end line)\""
printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox.gz
roomwalk -n 60 --render --frame 8x8 vox.gz -o seen.gz
for r in $(all_or '1 2 5' '1 5'); do
	same "k-means of $r starts" "vq-kmeans -k 4 --restarts $r --no-gzip seen.gz" \
	    "ranks 3 vq-kmeans -k 4 --restarts $r --no-gzip seen.gz -o many && cat many"
done
same 'frames from standard input' 'vq-kmeans -k 4 --gmm --no-gzip <seen.gz' \
    'ranks 2 vq-kmeans -k 4 --gmm --no-gzip -o many <seen.gz && cat many'

# Ranks that are killed.  The job writes its statistics to a FIFO with one free
# page, which holds some 25 of its 2 x 61 lines: it waits there until the test
# reads, and is killed in the middle, however fast the machine is.
roomgen rectangle --size 2x3 --obs random:3 --slip .1 -o tiny.gz
roomwalk -n 33000 --episodes 3 tiny.gz -o t.gz
job="cscg-learn --clones 1 --iterations 60 --tolerance 0 --restarts 2 --structure none --no-gzip"
$job t.gz -o want
start() { # RANKS COMMAND OPTION...: until COMMAND holds
	size=$1 until=$2
	shift 2
	rm -f stats said pid.*
	mkfifo stats
	exec 3<>stats
	dd if=/dev/zero of=stats oflag=nonblock bs=4096 2>/dev/null
	dd bs=4096 count=1 of=/dev/null <&3 2>/dev/null
	ranks "$size" sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' \
	    sh $job --checkpoint c "$@" --stats stats t.gz -o got 2>said &
	p=$!
	n=600
	until eval "$until" || [ $n = 0 ]; do
		sleep .1
		n=$((n - 1))
	done
}
rm -f c got
start 3 '[ -e c ]' --checkpoint-every 5
kill -9 "$(cat pid.1)"
job_ended
holds 'a rank is killed: the job fails' "[ $rc != 0 ] && [ ! -e got ]"
holds 'a killed rank leaves a complete checkpoint' 'gzip -t <c'
cp c early
start 2 '! cmp -s c early' --checkpoint-every 5 --resume
kill -9 "$(cat pid.0)"
job_ended
holds 'a killed rank 0 leaves a complete checkpoint' "[ $rc != 0 ] && [ ! -e got ] && gzip -t <c"
cp early c
start 2 'grep -q resumed said && [ -s pid.1 ]' --resume -v
kill -TERM "$(cat pid.1)"
job_ended
holds 'SIGTERM for one rank ends all' "[ $rc != 0 ] && [ ! -e got ]"
holds 'SIGTERM writes a checkpoint first' 'gzip -t <c && ! cmp -s c early'
cp early c
start 4 'grep -q resumed said && [ -s pid.3 ]' --resume -v
kill -USR1 "$(cat pid.3)"
job_ended
holds 'SIGUSR1 to one rank is handled once' '[ "$(grep -c "checkpoint written" said)" = 1 ]'
same 'the resumed job gives the same bytes' 'cat got' 'cat want'
finish
