# The cluster support, run on a private Slurm with two nodes: jobs and arrays,
# figures as jobs, and learning over ranks that are stopped, killed and started
# again. make check-cluster is this and, with CLUSTER=full, more of it.
# all: needs MPI, Slurm and root
. "$(dirname "$0")/../tap.sh"
sandbox=$TOP/tests/cluster/sandbox.sh
# The variables that make was given, for further calls of make.
case ${MAKEFLAGS:-} in
*' -- '*) given=${MAKEFLAGS#* -- } ;;
*) given= ;;
esac
unset SLURM_CONF SLURM_JOB_ID SLURM_RESTART_COUNT MAKEFLAGS MFLAGS MAKELEVEL || :

if ! why=$(sh "$sandbox" need); then
	tap 0 "cluster.t # SKIP $why"
	finish
fi
s=$(CPUS=8 sh "$sandbox" start 2) || { echo 'Bail out! no Slurm'; exit 1; }
# An interrupted test leaves no daemon.
trap 'sh "$sandbox" stop "$s"; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
eval "$(sh "$sandbox" env "$s")"

# ---- helpers ----

full() { [ "${CLUSTER:-}" = full ]; }

# wait until COMMAND succeeds; everything here takes less than a few minutes
await()
{
	n=3000
	until eval "$1" >/dev/null 2>&1; do
		n=$((n - 1))
		[ $n -gt 0 ] || { echo "# timeout: $1"; squeue -l; return 1; }
		sleep 0.1
	done
}
state() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
# status and signal of its script
status() { scontrol show job "$1" | sed -n 's/.*ExitCode=\([0-9:]*\).*/\1/p'; }
ended() { ! squeue -h -j "$1" -o %i | grep -q .; }
# submit ARGS: the number of the job in $job
submit() { job=$(sbatch --parsable "$@") && job=${job%;*}; }

# ---- jobs ----

roomgen rectangle --size 4x5 -o room.gz
roomwalk -n 3000 room.gz -o walk.gz
head -c 1000 walk.gz >cut.gz
submit -o log --wrap 'cscg-learn cut.gz'
await 'ended $job'
same 'a job ends with the status of the tool' 'state $job; status $job' \
    'echo FAILED; echo 3:0'
same 'the log has the message of the tool' 'cat log' \
    "echo \"cscg-learn: 'cut.gz': unexpected end of gzip data\""
cp "$TOP/data/slurm/"* .
cat >shows <<'END'
#!/bin/sh
echo "fence: ${SLURM_PMIX_FENCE:-}" >&2
END
chmod +x shows
env -u SLURM_PMIX_FENCE LEARN=./shows SLURM_MPI_TYPE=none \
    sbatch -Q --wait -n 1 -o shown.log learn.sbatch
same 'a learning job asks for a fence that waits' 'grep ^fence: shown.log' \
    'echo fence: ring'

# ---- the tools that use ranks ----

learn=$BUILD/cscg-learn
[ ! -x "$BUILD/mpi/cscg-learn" ] || learn=$BUILD/mpi/cscg-learn
mpi=$(dirname "$learn")
with_mpi=yes
if ! ldd "$learn" | grep -q libmpi; then
	with_mpi=no
	tap 0 'learning over ranks # SKIP no MPI (Debian: libopenmpi-dev, openmpi-bin)'
fi
# Leaks of MPI are suppressed.
ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export ASAN_OPTIONS

# ---- jobs that are stopped, killed and resumed: start ----

# Each job writes its statistics to a FIFO with one free page, which holds some
# 25 of its 2 x 61 lines: it cannot end before its signal or kill, however fast
# the machine is.  Jobs run in parallel with each other and with the following
# tests; they wait most of the time.
roomgen rectangle --size 2x3 --obs random:3 --slip .1 -o tiny.gz
roomwalk -n 33000 --episodes 3 tiny.gz -o tiny-walk.gz
tiny='--clones 1 --restarts 2 --tolerance 0 --iterations 60 -j 1 --structure none --no-gzip'
helpers=
trap 'kill $helpers 2>/dev/null; sh "$sandbox" stop "$s"; rm -rf "$dir"' EXIT
nearly_full() # FIFO: make it, and keep it so
{
	mkfifo "$1"
	exec 3<>"$1"
	dd if=/dev/zero of="$1" oflag=nonblock bs=4096 2>/dev/null
	dd bs=4096 count=1 of=/dev/null <&3 2>/dev/null
	sleep 1000 <&3 &
	helpers="$helpers $!"
	exec 3<&-
}
begin() # NAME ARG...: learn.sbatch; its number is in $job_NAME
{
	name=$1
	shift
	rm -f "$name.stats"
	nearly_full "$name.stats"
	LEARN=$learn WALKS=tiny-walk.gz EVERY=5 MAP=$name \
	    OPTIONS="$tiny --stats $name.stats" \
	    submit -o "$name.log" "$@" learn.sbatch
	eval "job_$name=$job"
}
met() # NAME: the job is at work, and there is a checkpoint; $job is its number
{
	name=$1
	eval "job=\$job_$name"
	await '[ -e "$name.checkpoint" ]'
	holds "$name: a job at work" '[ "$(state $job)" = RUNNING ] && [ ! -e "$name" ]'
}
go_on() # NAME: what the job has to say is read from now on
{
	cat <"$1.stats" >/dev/null &
	helpers="$helpers $!"
}
# Processes of a job, or those of one rank.
pids() # JOB [RANK]
{
	for p in $(grep -lzx "SLURM_JOB_ID=$1" /proc/[0-9]*/environ 2>/dev/null); do
		p=${p%/environ}
		if [ -z "${2:-}" ] || { grep -qzx "SLURM_PROCID=$2" "$p/environ" &&
		    grep -qx cscg-learn "$p/comm"; } 2>/dev/null; then
			echo "${p#/proc/}"
		fi
	done
}
done_so() # NAME WHAT: the job has ended well, and so
{
	eval "job=\$job_$1"
	await 'ended $job'
	same "$2: done in the end" 'state $job' 'echo COMPLETED'
	same '... with the same bytes' 'cat whole' "cat $1"
	holds '... and no checkpoint' "[ ! -e $1.checkpoint ]"
	sed 's/^/# /' "$1.log" | cut -c 1-150
}

if [ $with_mpi = yes ]; then
# shellcheck disable=SC2086
cscg-learn $tiny -o whole tiny-walk.gz
begin time
begin rank

# Permanent failures are not retried; others are, up to the limit.
head -c 1000 tiny-walk.gz >cut-walk.gz
LEARN=$learn WALKS='tiny-walk.gz cut-walk.gz' OPTIONS="$tiny" MAP=never \
    submit -o never.log learn.sbatch
job_never=$job
LEARN=$learn WALKS=tiny-walk.gz RETRIES=1 OPTIONS='--iterations 0 --clones 2' \
    MAP=/dev/full CHECKPOINT=full submit -o full.log learn.sbatch
job_full=$job

met time
exits 0 'time runs out' 'scancel --batch --signal=USR1 $job'
go_on time
met rank
exits 0 'a rank is killed' 'kill -9 $(pids $job 1)'
go_on rank
fi

# ---- a sweep ----

export WALKS=walk.gz SEEDS='1 2' CLONES='2 3' OPTIONS='--restarts 1 --structure none --iterations 5'
submit --array=0-3 sweep.sbatch
submit --dependency=afterok:"$job" -o table --wrap 'sh sweep.sbatch table'
await 'ended $job'
same 'a sweep: a row for each, the best first' \
    "grep -v '^#' table | cut -f 1,2 | sort; grep -v '^#' table | cut -f 3 | sort -cg" \
    "printf '2\t1\n2\t2\n3\t1\n3\t2\n'"
same 'the map of a sweep is that of cscg-learn' \
    "zcat sweep/clones-3-seed-2.gz" \
    "cscg-learn $OPTIONS --clones 3 -s 2 walk.gz | zcat"
same 'its row has its score' "awk '\$1 == 3 && \$2 == 2 { print \$3 }' table" \
    "cscg-score -w walk.gz sweep/clones-3-seed-2.gz | tail -n 1 | cut -f 4"
same 'the table is the same outside of a job' 'sh sweep.sbatch table' 'cat table'
mv table all
rm sweep/clones-2-seed-1.* sweep/clones-3-seed-1.tsv
touch -d 2001-01-01 sweep/*
exits 1 'what is missing' 'sh sweep.sbatch table'
exactly 'is named' 'sweep: clones 2, seed 1: no result
sweep: clones 3, seed 1: no result'
# Three tasks share four jobs, all of which are done.
submit --array=5-9:2 sweep.sbatch
await 'ended $job'
same 'a second submission makes what is missing' 'sh sweep.sbatch table' 'cat all'
same 'a second submission makes nothing else' 'find sweep -newermt 2002-01-01 | sed -n /seed-2/p' :
exits 2 'no sweep without an array' 'sh sweep.sbatch'
exactly 'is refused' 'sweep: not a task of an array; submit it with sbatch'
unset WALKS SEEDS CLONES OPTIONS

# ---- figures ----

# Two figures that share a part; every part reports that it was made.
mkdir figs
cat >figs/Makefile <<'END'
figures: fig-a fig-b
	@sort $(FIG)/*.rows >$(FIG)/table.tsv && cat $(FIG)/table.tsv
fig-a: $(FIG)/a.rows $(FIG)/draw/a
fig-b: $(FIG)/b.rows
PARTS := 1 2 3 4 5
$(FIG)/part/%: $(BUILD)/tool
	@mkdir -p $(@D)
	@echo $@ >>made
	echo $(WORD) $* >$@.new && mv $@.new $@
$(FIG)/a.tsv: $(PARTS:%=$(FIG)/part/%)
	@echo $@ >>made
	cat $^ >$@
$(FIG)/a.rows $(FIG)/draw/a: $(FIG)/a.tsv
	@echo $@ >>made
	mkdir -p $(@D)
	sed 's/^/a /' $< >$@
$(FIG)/b.rows: $(FIG)/part/1 $(FIG)/part/9 force
	@echo $@ >>made
	$(BREAK)
	sed 's/^/b /' $(FIG)/part/1 >$@
$(BUILD)/tool: $(BUILD)/flags
	touch $@
$(BUILD)/flags: force
	@echo built >>made
	@[ -e $@ ] || touch $@
force:
.PHONY: figures fig-a fig-b
END
cat >figs/wanted <<'END'
F/a.rows
F/a.tsv
F/b.rows
F/draw/a
F/part/1
F/part/2
F/part/3
F/part/4
F/part/5
F/part/9
END
figures() # GOAL VARIABLE...
{
	(cd figs && goal=$1 && shift && MAKEFLAGS=" -- $*" BUILD=B FIG=F EVERY=0.2 \
	    sh "$TOP/data/slurm/figures.sh" "$goal")
}
mkdir figs/B && touch figs/B/flags figs/B/tool
exits 1 'a part that fails' 'figures figures WORD=the\\ part BREAK=false'
same 'the failed part is named, with its log' 'sed "s/[A-Za-z0-9]*.log-.*/LOG/" "$out"' \
    'echo "figures: F/b.rows failed: see F/slurm/figures.LOG"
     echo "figures: 1 of 10 parts are missing"'
same 'other parts are made, each once' 'sort figs/made' 'cat figs/wanted'
rm figs/made
exits 0 'made again' 'figures figures WORD=the\\ part'
same 'the second submission makes what is missing' 'cat figs/made' 'echo F/b.rows'
same 'the second submission prints the rows' 'cat "$out"' "printf 'a the part %d\n' 1 2 3 4 5; echo 'b the part 1'"
same 'a part waits for those it is made from' \
    "grep -c . figs/F/a.tsv; cmp figs/F/draw/a figs/F/a.rows" 'echo 5'
if full; then
rm figs/made figs/F/part/1
exits 0 'one figure with a lost part' 'figures fig-a WORD=that'
same 'makes what depends on the part' 'sort figs/made' 'printf "F/%s\n" a.rows a.tsv draw/a part/1'
same 'the variables of make reach the jobs' 'head -n 1 figs/F/a.rows' 'echo a that 1'
fi
holds 'no logs are left' '[ "$(ls figs/F/slurm | wc -l)" = 1 ]'

# ---- learning over ranks ----

[ $with_mpi = yes ] || finish

# Six files, of 1, 2, ... 5 episodes and 1.  Ranks get shares of 65536 steps at most, of
# which there are four: an episode of 33000 steps each, the short ones with those
# before them.
roomgen rectangle --size 10x12 --obs random:20 -s 1 -o big.gz
mkdir walks
for i in 1 2 3 4 5; do
	n=100
	[ $i -gt 2 ] || n=33000
	roomwalk -n $n --episodes $i -s $i --blind big.gz -o walks/$i.gz
done
roomwalk -n 33000 -s 6 --blind big.gz -o walks/6.gz
how='--clones 4 --restarts 1 --tolerance 0 --iterations 8 -j 1 --structure none'
# shellcheck disable=SC2086
cscg-learn $how --no-gzip -o alone walks/*.gz
ranks() { n=$1; shift; srun -Q --mpi=pmix -n "$n" "$@"; }
# Otherwise ranks would sometimes fail when MPI starts.
if pkg-config --exists pmix; then
	# shellcheck disable=SC2046
	${CC:-cc} $(pkg-config --cflags pmix) -o fence "$TOP/tests/cluster/fence.c" \
	    $(pkg-config --libs pmix)
	exits 0 'a fence without data waits for the other node' \
	    'ranks 3 -N 2 ./fence there'
else
	tap 0 'a fence without data # SKIP no PMIx to build with (Debian: libpmix-dev)'
fi
same 'an MPI build alone is like any other' 'cat alone' "'$learn' $how --no-gzip walks/*.gz"
on_one=3 on_two='2 4'
! full || on_one='1 2 3 4' on_two='2 3 4 8'
for n in $on_one; do
	same "$n ranks on one node: the same bytes" 'cat alone' \
	    "ranks $n -N 1 '$learn' $how --no-gzip walks/*.gz"
done
for n in $on_two; do
	same "$n ranks on two nodes" 'cat alone' \
	    "ranks $n -N 2 '$learn' $how --no-gzip walks/*.gz"
done
same 'threads in ranks' 'cat alone' \
    "ranks 2 -N 2 -c 2 '$learn' $how -j 2 --no-gzip walks/*.gz"
same 'standard input is that of the first rank' 'cat alone' \
    "cat walks/*.gz | ranks 3 -N 2 '$learn' $how --no-gzip"

# The other tools that use ranks.
roomgen torus --size 4x5 --as model -o torus.gz
roomgen rectangle --size 4x5 --as model -o rectangle.gz
roomgen torus --size 4x5 --permute -s 7 | roomwalk -n 100 -o met.gz
same 'schemas matched on two nodes' 'cscg-match -w met.gz torus.gz rectangle.gz' \
    "ranks 3 -N 2 '$mpi/cscg-match' -w met.gz torus.gz rectangle.gz"
cat >seen.json <<'END'
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":4,"frame":[1,1,3]}
{"views":[{"id":0,"rgb":"/wAA"},{"id":1,"rgb":"+gAA"}]}
{"views":[{"id":2,"rgb":"AAD/"},{"id":3,"rgb":"AAr/"}]}
{"episode":0,"x":[0,1,2,3,0],"a":[0,0,0,0],"v":[0,1,2,3,0],"last":true}
{"end":true,"episodes":1,"steps":5}
END
same 'pictures to symbols on two nodes' 'vq-kmeans -k 2 --no-gzip seen.json' \
    "ranks 3 -N 2 '$mpi/vq-kmeans' -k 2 --no-gzip seen.json"

# With one clone a state is its symbol, and counts are those of the table.
moves() # WALK...
{
	walkconv --as tsv "$@" | awk -F '\t' 'NR > 1 { if (e == $1 && a != "")
	    n[a "\t" x "\t" $2]++; e = $1; x = $2; a = $3 }
	    END { for (m in n) print m "\t" n[m] }' | sort
}
counts() # WALK...
{
	ranks 3 -N 2 "$learn" --clones 1 --restarts 1 --structure none "$@" |
	    cscg-show --as tsv - | awk -F '\t' -v OFS='\t' '!/^#/ {
	    print $1, $2, $3, sprintf("%.0f", $5) }' | sort
}
same 'no episode is lost or read twice' 'moves walks/*.gz' 'counts walks/*.gz'
same 'no episode is lost with fewer episodes than ranks' 'moves walks/2.gz' 'counts walks/2.gz'
same 'no episode is lost with files for some ranks only' 'moves walks/3.gz walks/2.gz' \
    'counts walks/3.gz walks/2.gz'
mkdir cut
cp walks/*.gz cut
head -c 1000 walks/5.gz >cut/5.gz
exits 3 'one truncated file among many' "ranks 4 -N 2 '$learn' $how -o not cut/*.gz"
cp "$err" said
same 'the truncated file is named once' 'grep -v ^srun: said' \
    "echo \"cscg-learn: 'cut/5.gz': unexpected end of gzip data\""
holds 'every rank has the same status' \
    'grep -q "^srun: error: .*: Exited with exit code 3$" said && ! grep "exit code [^3]" said'
holds 'no file is written' '[ ! -e not ]'
exits 3 'no walk at all' "printf '' | ranks 3 -N 2 '$learn' $how -o not"
cp "$err" said
same 'says so, once' 'grep -v ^srun: said' \
    "echo 'cscg-learn: standard input: unexpected end: no cscg-walk'"

# ---- jobs that were stopped, killed and resumed: results ----

done_so time 'time ran out'
holds '... it was requeued and continued from its checkpoint' \
    "grep -q 'stopped in time; back to the queue' time.log &&
    grep -q 'restart 1, from time.checkpoint' time.log"
done_so rank 'a rank was killed'
holds '... which the log reports' "grep -q 'status 137; back to the queue' rank.log &&
    grep -q 'task 1: Killed' rank.log"

job=$job_never
await 'ended $job'
same 'a cut file: the job ends with 3' 'state $job; status $job' 'echo FAILED; echo 3:0'
holds '... at the first try' "grep -q 'cscg-learn ended with status 3' never.log &&
    ! grep -q queue never.log"
job=$job_full
await 'ended $job'
same 'a full disk: it ends with 4' 'state $job; status $job' 'echo FAILED; echo 4:0'
holds '... after another try' "grep -q 'status 4; back to the queue' full.log &&
    grep -q 'status 4 after 1 restarts, and no further than before: given up' full.log"

# ---- in full ----

full || finish

begin job
begin gone
met job
exits 0 'a job is killed, all of it' 'kill -9 $(pids $job)'
go_on job
met gone
exits 0 'a job is cancelled' 'scancel $job'
go_on gone
for name in job gone; do
	eval "job=\$job_$name"
	await 'ended $job'
	exits 0 "$name: its checkpoint is complete" 'gzip -t <$name.checkpoint'
	holds '... and nothing is written' '[ ! -e $name ]'
done
same 'a job that was killed: its status' \
    'state $job_job; status $job_job' 'echo FAILED; echo 0:9'
same 'a job that was cancelled: its status' 'state $job_gone' 'echo CANCELLED'
# Submitted again they continue.
for name in job gone; do
	mv $name.log $name.old
	begin $name
	go_on $name
	done_so $name "$name, submitted again"
	holds '... from its checkpoint' "grep -q 'restart 0, from $name.checkpoint' $name.log"
done

# A sweep also keeps its results when time runs out.
nearly_full sweep.stats
LEARN=$learn WALKS=tiny-walk.gz SEEDS=42 CLONES=1 DIR=swept EVERY=5 \
    OPTIONS="${tiny#--clones 1} --stats sweep.stats" \
    submit --array=0 -o sweep.log sweep.sbatch
await '[ -e swept/clones-1-seed-42.checkpoint ]'
exits 0 'a sweep runs out of time' 'scancel --batch --signal=USR1 ${job}_0'
go_on sweep
await 'ended $job'
same '... and is completed' 'state $job' 'echo COMPLETED'
holds '... after a requeue' 'grep -q "time is short; back to the queue" sweep.log'
same '... with the same bytes' 'cat whole' 'cat swept/clones-1-seed-42.gz'
same '... and no checkpoint' 'ls swept' 'printf "clones-1-seed-42.%s\n" gz tsv'

# Its processes make no progress and report nothing.
begin node
met node
exits 0 'a node is lost' 'kill -STOP $(pids $job 1); sh "$sandbox" lose "$s" n2'
go_on node
await '[ "$(state $job)" = PENDING ] || ended $job'
same 'Slurm queues the job again' 'state $job' 'echo PENDING'
exits 0 'its checkpoint is complete' 'gzip -t <node.checkpoint'
exits 0 'the node is back' 'sh "$sandbox" node "$s" n2'
done_so node 'a node was lost'
holds '... from its checkpoint' "grep -q 'restart 1, from node.checkpoint' node.log"

# Without its daemon a step may succeed or fail; its output is right in both
# cases.
begin daemon
met daemon
exits 0 'the daemon of a node is killed during a step' 'sh "$sandbox" lose "$s" n2'
await 'sinfo -h -n n2 -o %t | grep -q down || ended $job'
go_on daemon
sh "$sandbox" node "$s" n2
done_so daemon 'the daemon was killed'

# Slurm itself signals the time limit.
LEARN=$learn WALKS='walks/*.gz' MAP=limit \
    OPTIONS='--clones 4 --restarts 1 --tolerance 0 --iterations 1000000' \
    submit -o limit.log --time=1 --signal=B:USR1@45 learn.sbatch
await '[ "$(state $job)" = PENDING ] && grep -q "time is short" limit.log'
holds 'a time limit: signalled in time, and queued again' \
    "grep -q 'stopped in time; back to the queue' limit.log && gzip -t <limit.checkpoint"
scancel "$job"

# 256 episodes of 5000 steps, 400 states.  Each update is made from the counts
# of the one before, so that a few updates show any difference.
roomwalk -n 5000 --episodes 256 -s 1 --blind big.gz -o long.gz
how='--clones 20 --restarts 1 --tolerance 0 --iterations 4 --structure none --no-gzip'
# shellcheck disable=SC2086
cscg-learn $how -j 1 -o alone long.gz
same '256 episodes, two threads' 'cat alone' "cscg-learn $how -j 2 long.gz"
for n in 1 2 3 4; do
	same "256 episodes, $n ranks" 'cat alone' \
	    "ranks $n -N 1 '$learn' $how -j 1 long.gz"
done
same '256 episodes, two threads in each of two ranks' 'cat alone' \
    "ranks 2 -N 1 -c 2 '$learn' $how -j 2 long.gz"
LEARN=$learn WALKS=long.gz OPTIONS="$how -j 1" MAP=long submit -o long.log learn.sbatch
await 'ended $job'
same '256 episodes, a job on two nodes' 'cat alone' 'cat long'
holds '... on two nodes' "grep -q '2 ranks on n\[1-2\], restart 0' long.log"

# The make that runs this test.
make_again() { MAKEFLAGS=" -- $given" make -C "$TOP" --no-print-directory "$@"; }
exits 0 'make MPI=1' \
    "make_again -j2 MPI=1 CFLAGS=-O1 BUILD='$dir/B' '$dir/B/cscg-learn'"
same '... works over ranks as alone' "OMPI_MCA_pml=none '$dir/B/cscg-learn' $tiny tiny-walk.gz" \
    "ranks 2 -N 2 '$dir/B/cscg-learn' $tiny tiny-walk.gz"

# A figure of the paper, cut down to two small rooms, as jobs and without.  The
# tools exist already, built with any flags.
few_figures()
{
	make_again -o force -o "$BUILD/flags" BUILD="$BUILD" FIGURES=fig-match2d \
	    KINDS='torus rectangle' SIZES=small STEPS_tied=40 STEPS_free=40 \
	    "$@" figures
}
if command -v gnuplot >/dev/null; then
	export WALKS=2
	exits 0 'make figures SUBMIT=slurm' "few_figures FIG='$dir/fig' SUBMIT=slurm"
	cp "$out" said
	cp "$err" told
	holds '... submits jobs' "grep -q 'figures: job [0-9]*, fig-match2d.0: 4 parts' told &&
	    grep -q 'figures: job [0-9]* gathers' told"
	holds '... shows its rows' '[ -s fig/match2d.rows ] && grep -qxFf fig/match2d.rows said'
	holds '... has drawings' 'grep -q "<svg" fig/match2d-tied.svg && grep -q "<svg" fig/match2d-rooms.svg'
	exits 0 'make figures without' "few_figures FIG='$dir/fig2'"
	same '... gives the same files' \
	    'cd fig && cat table.tsv match2d.rows match2d-*.tsv match2d/*/*.tsv' \
	    'cd fig2 && cat table.tsv match2d.rows match2d-*.tsv match2d/*/*.tsv'
	unset WALKS
else
	tap 0 'make figures SUBMIT=slurm # SKIP no gnuplot (Debian: gnuplot-nox)'
fi

# The examples of cscg-cluster(7).
mkdir page
ln -s "$TOP/data" page/data
awk '/^\.Sh/ { here = /EXAMPLES/ } /^\.Bd -literal/ && here { on = 1; next }
/^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print }' "$TOP/man/cscg-cluster.7" >page/run
PATH=$mpi:$PATH
exits 0 'the examples of cscg-cluster(7) run' 'cd page && sh -e ./run'
same '... a table of eight' "grep -c 'sweep/clones' '$out'" 'echo 8'
same '... and the job gives the same map' 'zcat page/map.gz' 'zcat page/again.gz'

finish
