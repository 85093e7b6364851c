# A job that is killed at any moment and resumed ends with the same bytes.
#
# A job writes its statistics into a FIFO. The FIFO holds fewer lines than the
# job writes, so that the job cannot end before the test reads: it is killed in
# the middle, however fast the machine is.
. "$(dirname "$0")/../tap.sh"

OMP_NUM_THREADS=1
export OMP_NUM_THREADS

roomgen rectangle --size 3x4 --obs random:4 --slip 0.1 -o room.gz
roomwalk -n 300 --episodes 4 room.gz -o w.gz
roomwalk -n 300 --episodes 4 -s 1 room.gz -o v.gz
# 2 x 1501 lines of some 180 bytes.  A job may be as far ahead of its reader as
# the FIFO holds, about 364 lines, at each of the five kills below.
job="cscg-learn --clones 4 --iterations 1500 --tolerance 0 --restarts 2 --no-gzip"
$job --structure none w.gz -o want
$job w.gz -o clean

# Start a job and wait for this number of lines; $p is its process.
start() { # LINES COMMAND
	n=$1
	shift
	rm -f stats
	mkfifo stats
	exec 3<>stats
	"$@" --stats stats 2>said &
	p=$!
	while [ "$n" -gt 0 ]; do
		read -r line <&3
		n=$((n - 1))
	done
}

# Kill -9 repeatedly, each time later.
rm -f c got
k=0
for lines in 5 40 200 350 500; do
	start $lines $job --structure none --checkpoint c --checkpoint-every 20 --resume w.gz -o got
	kill -9 "$p"
	job_ended 2>/dev/null
	[ "$rc" = 137 ] && [ ! -e got ] && k=$((k + 1))
done
same 'a job is killed five times' "echo $k" 'echo 5'
holds 'kill -9 leaves a complete checkpoint' 'gzip -t <c'
exits 0 'the resumed job runs to its end' '$job --structure none --checkpoint c --resume -v w.gz -o got 2>said'
holds '-v reports that it was resumed' 'grep -q "^cscg-learn: resumed$" said'
same 'the resumed job gives the same bytes' 'cat got' 'cat want'
exits 0 'the job is resumed again, with no work left' '$job --structure none --checkpoint c --resume w.gz -o again'
same 'the result is the same' 'cat again' 'cat want'

# Signals: the checkpoint is written first.  Kill -9 may leave a temporary file.
rm -f c got .*.tmp.*
start 10 $job --structure none --checkpoint c w.gz -o got
kill -TERM "$p"
job_ended 2>/dev/null
same 'SIGTERM ends the job' "echo $rc" 'echo 143'
holds 'SIGTERM leaves a checkpoint and no result' 'gzip -t <c && [ ! -e got ]'
same 'no other file is left' 'ls -A | grep tmp; :' ':'
exits 0 'the job is resumed after SIGTERM' '$job --structure none --checkpoint c --resume w.gz -o got'
same 'the resumed job gives the same bytes' 'cat got' 'cat want'

rm -f c got
start 10 $job --structure none --checkpoint c -v w.gz -o got
kill -USR1 "$p"
job_ended
same 'SIGUSR1 does not end the job' "echo $rc" 'echo 0'
same 'SIGUSR1 writes one checkpoint' 'grep -c "checkpoint written" said' 'echo 1'
same 'the result is the same' 'cat got' 'cat want'
start 10 $job --structure none --checkpoint c --resume -v w.gz -o got
job_ended
holds 'a job is resumed from the checkpoint of SIGUSR1' 'grep -q resumed said && cmp got want'

# With threads both restarts are in progress; the other stages come after.
rm -f c got
for lines in 100 300; do
	start $lines $job -j 2 --checkpoint c --checkpoint-every 10 --resume w.gz -o got
	kill -9 "$p"
	job_ended 2>/dev/null
done
exits 0 'all stages are resumed with threads' '$job -j 2 --checkpoint c --resume w.gz -o got'
same 'threads: the same bytes' 'cat got' 'cat clean'
exits 0 'all stages are resumed with another number of threads' '$job -j 1 --checkpoint c --resume w.gz -o got'
same 'another number of threads: the same bytes' 'cat got' 'cat clean'

# Checkpoints of other runs.
exits 3 'other input is refused' '$job --checkpoint c --resume v.gz -o got2'
exactly 'with the reason' "cscg-learn: 'c': the checkpoint belongs to other input"
exits 3 'another seed is refused' '$job -s 7 --checkpoint c --resume w.gz -o got2'
says 'with the options that it was made with' "cscg-learn: 'c': the checkpoint belongs to other options: {\"program\":\"cscg-learn\""
exits 3 'other clones are refused' 'cscg-learn --clones 5 --iterations 1500 --tolerance 0 --restarts 2 --checkpoint c --resume w.gz -o got2'
holds 'nothing is written' '[ ! -e got2 ]'
head -c 300 c >cut
exits 3 'a cut checkpoint is refused' '$job --checkpoint cut --resume w.gz -o got2'
exactly 'by its name' "cscg-learn: 'cut': unexpected end of gzip data"
exits 3 'another kind of file is refused' 'cp w.gz other; $job --checkpoint other --resume w.gz -o got2'
exactly 'by its name as well' "cscg-learn: 'other': not a checkpoint of this version"
exits 0 'without --resume a checkpoint is written again' 'cscg-learn --clones 2 --iterations 9 --checkpoint cut --checkpoint-every 3 w.gz -o small'
holds 'the new checkpoint is complete' 'gzip -t <cut'
same 'an old checkpoint does not influence the result' 'gzip -dc small' 'cscg-learn --clones 2 --iterations 9 w.gz | gzip -dc'
exits 0 '--resume without a checkpoint begins' 'cscg-learn --clones 2 --iterations 9 --checkpoint new --resume w.gz -o small2'
same 'the result is that of a new job' 'gzip -dc small' 'gzip -dc small2'

exits 2 '--resume alone' 'cscg-learn --resume w.gz'
exactly 'needs --checkpoint' 'cscg-learn: --resume requires --checkpoint (try --help)'
exits 2 '--checkpoint-every alone' 'cscg-learn --checkpoint-every 5 w.gz'
exactly 'needs --checkpoint' 'cscg-learn: --checkpoint-every requires --checkpoint (try --help)'
exits 2 'a checkpoint on standard output' 'cscg-learn --checkpoint - w.gz'
exactly 'is refused' 'cscg-learn: --checkpoint requires a separate file (try --help)'
exits 2 'a checkpoint with the name of the model' 'cscg-learn --checkpoint x -o x w.gz'
exactly 'is refused' 'cscg-learn: --checkpoint and --output are the same file, which would be overwritten'
exits 2 'a checkpoint that cannot be written' 'cscg-learn --clones 2 --checkpoint none/c --checkpoint-every 1 w.gz -o got2'
exactly 'is reported when it is written' "cscg-learn: --checkpoint: 'none/c': No such file or directory"
exits 2 '--shared-graph with a checkpoint' 'cscg-learn --shared-graph --checkpoint c w.gz'
exactly 'is refused' 'cscg-learn: --shared-graph cannot be combined with --checkpoint (try --help)'

# vq-kmeans keeps the starts that are done.
printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox.gz
roomwalk -n 60 --render --frame 8x8 vox.gz -o seen.gz
vq-kmeans -k 4 --restarts 6 --no-gzip seen.gz -o want
exits 0 'k-means writes a checkpoint' 'vq-kmeans -k 4 --restarts 6 --no-gzip --checkpoint k --stats s seen.gz -o got'
same 'k-means with a checkpoint gives the same result' 'cat got' 'cat want'
exits 0 'k-means is resumed' 'vq-kmeans -k 4 --restarts 6 --no-gzip --checkpoint k --resume --stats s seen.gz -o got'
same 'no start is made again' 'grep -c lloyd s; :' 'echo 0'
same 'the result is the same' 'cat got' 'cat want'
exits 3 'other frames are refused' 'roomwalk -n 50 -s 4 --render --frame 8x8 vox.gz | vq-kmeans -k 4 --restarts 6 --checkpoint k --resume -o got2'
exactly 'with the reason' "vq-kmeans: 'k': the checkpoint belongs to other input"
exits 2 'a checkpoint without fitting' 'vq-kmeans --encode k --checkpoint k seen.gz -o got2'
says 'is refused' '--encode does not fit a codebook'
finish
