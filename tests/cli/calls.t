# Every call that can fail, made to fail one at a time: the tool succeeds, or
# ends with status 4 and one line; the file of -o is unchanged or complete, and
# no temporary file is left.  Allocations: oom.t.
# all: fault injection
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/fault/jobs.sh"

so=$BUILD/tests/fault.so
if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'calls that fail # SKIP in the plain build'
	finish
fi

pre=
holds 'the jobs can be set up' fault_setup
roomgen rectangle --size 2x3 -o live.room
roomgen room live.room --as model -o live.model
echo old >old

# More than the jobs of each tool: an environment, threads, files beside the result.
more='plan-live learn-threads learn-checkpoint kmeans-codebook'
more_job() {
	case $1 in
	plan-live) echo 'true | $pre cscg-plan --goal state:5 live.model' ;;
	learn-threads) echo 'cat walk.gz | $pre cscg-learn -j 4 --clones 2
	    --iterations 3 --restarts 4 --structure none' ;;
	learn-checkpoint) echo 'cat walk.gz | $pre cscg-learn -j 1 --clones 2
	    --iterations 3 --restarts 1 --structure none --checkpoint also
	    --checkpoint-every 1' ;;
	kmeans-codebook) echo 'cat seen.gz | $pre vq-kmeans -j 1 -k 3 --restarts 1
	    --codebook also' ;;
	esac
}
after() { # what goes behind -o
	case $1 in plan-live) echo '-- env -u LD_PRELOAD roomserve live.room' ;; esac
}

# The files that the run has left, as one word.
state() {
	if [ -n "$(find . -name '.*.tmp.*')" ]; then
		echo litter
	elif cmp -s got want; then
		echo new
	elif cmp -s got old; then
		echo old
	else
		echo wrong
	fi
}

# Allowed: success with the new file; a failure with a message of one line and
# the old file.  After rename() only the sync of the directory, or a file that
# is closed later, can fail.
allowed() { # CALL STATUS STATE LINES
	case $2:$3:$4 in
	0:new:*) ;;
	4:old:1) ;;
	4:new:1) [ "$1" = fsync ] ;;
	*) false ;;
	esac
}

: >table
for t in $fault_jobs $more; do
	line=$( (fault_job "$t"; more_job "$t") | tr '\n' ' ')
	tail=$(after "$t")
	rm -f also
	exits 0 "$t: runs untouched" "$line -o want $tail"
	pre="env LD_PRELOAD=$so CSCG_FAULT_REPORT=$dir/report"
	rm -f also
	(eval "$line -o got $tail") >/dev/null 2>&1
	cp report counts
	tried=0 bad=0
	while read -r call n; do
		case $call in [0-9]*) continue ;; esac
		# OpenMP creates the threads that were just tried, and cannot fail.
		[ "$call" != pthread_create ] || [ "$n" -le 3 ] || n=3
		i=1 step=$(((n + 39) / 40))
		while [ $i -le "$n" ]; do
			cp old got
			rm -f also
			pre="env LD_PRELOAD=$so CSCG_FAIL=$call:$i"
			(eval "$line -o got $tail") >"$out" 2>"$err"
			rc=$?
			is=$(state)
			tried=$((tried + 1))
			echo "$call $rc $is" >>table
			if ! allowed "$call" $rc "$is" "$(wc -l <"$err")"; then
				bad=$((bad + 1))
				echo "# $t: $call $i of $n: status $rc, $is"
				sed 's/^/# /' "$err" | head -3
				rm -f .*.tmp.*
			fi
			i=$((i + step))
		done
	done <counts
	pre=
	[ $bad = 0 ] && [ $tried -gt 0 ]
	tap $? "$t: $tried failures"
done
echo '# call, status, the file: how often'
sort table | uniq -c | sed 's/^/# /'
finish
