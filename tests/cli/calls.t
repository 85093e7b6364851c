# Every call that can fail, made to fail one at a time: the tool succeeds, or
# ends with status 4 and one line; the file of -o is unchanged or complete, and
# no temporary file is left.  "malloc" stands for all functions that allocate
# (tests/oom.c); oom.t makes more of these calls fail, in more jobs.
#
# The table goes to $BUILD/tests/calls.tsv; tests/fault/calls.tsv is kept from one run:
# for each job and call, how often the job makes it, how many of these were made to
# fail, and how often that had no effect, status 4 with the old file, or status 4
# with the new one.
# all: fault injection
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/fault/jobs.sh"

so=$BUILD/tests/fault.so oom=$BUILD/tests/oom.so
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
more='plan-live learn-threads learn-checkpoint kmeans-codebook stitch-library
match-library walkconv-text'
command -v rsvg-convert >/dev/null && more="$more show-png"
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
	stitch-library) echo 'cat joined.gz | $pre cscg-stitch -j1 --restarts 1
	    --library books left.model right.model' ;;
	match-library) echo 'cat joined.gz | $pre cscg-match -j1 --every 100
	    --restarts 1 --library kept' ;;
	walkconv-text) echo 'cat words | $pre walkconv --text words' ;;
	show-png) echo 'cat model.gz | $pre cscg-show --as png' ;;
	esac
}
cscg-stitch -q -j1 --restarts 1 --library kept left.model right.model -w joined.gz \
    -o /dev/null
echo 'the cat sat on the mat the cat ran' >words
after() { # what goes behind -o
	case $1 in plan-live) echo '-- env -u LD_PRELOAD roomserve live.room' ;; esac
}

# The files that the run has left, as one word.
state() {
	if [ -n "$(find . -name '.*.tmp.*')" ]; then
		echo litter
	elif [ -e books/index ] && ! cscg-show books >/dev/null 2>&1; then
		echo wrong
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
	rm -rf also books
	exits 0 "$t: runs untouched" "$line -o want $tail"
	pre="env LD_PRELOAD=$so CSCG_FAULT_REPORT=$dir/report"
	rm -rf also books
	(eval "$line -o got $tail") >/dev/null 2>&1
	cp report counts
	# libgomp ends the process with status 1 if it has no memory, and the
	# program that draws has allocations of its own.
	case $t in learn-threads|show-png) ;; *)
		pre="env LD_PRELOAD=$oom CSCG_OOM_REPORT=$dir/report"
		rm -rf also books
		(eval "$line -o got $tail") >/dev/null 2>&1
		echo "malloc $(cat report)" >>counts
	esac
	tried=0 bad=0
	while read -r call n; do
		case $call in [0-9]*) continue ;; esac
		# OpenMP creates the threads that were just tried, and cannot fail.
		made=$n
		[ "$call" != pthread_create ] || [ "$n" -le 3 ] || n=3
		# The program that draws has calls of its own, with the same library.
		case $t:$call in show-png:posix_spawnp|show-png:pipe2) ;; show-png:*) continue ;; esac
		i=1 step=$(((n + 39) / 40))
		while [ $i -le "$n" ]; do
			cp old got
			rm -rf also books
			case $call in
			malloc) pre="env LD_PRELOAD=$oom CSCG_OOM_AT=$i" ;;
			*) pre="env LD_PRELOAD=$so CSCG_FAIL=$call:$i" ;;
			esac
			(eval "$line -o got $tail") >"$out" 2>"$err"
			rc=$?
			is=$(state)
			tried=$((tried + 1))
			echo "$t $call $made $rc $is" >>table
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
{
	printf '#job\tcall\tmade\tfailed\tno effect\told file\tnew file\tother\n'
	sort -k1,2 table | awk '{
		k = $1 "\t" $2
		if (k != last)
			row[n++] = last = k
		made[k] = $3; failed[k]++
		what = 4
		if ($4 == 0 && $5 == "new")
			what = 1
		else if ($4 == 4)
			what = $5 == "old" ? 2 : $5 == "new" ? 3 : 4
		is[k, what]++
	} END {
		for (i = 0; i < n; i++) {
			k = row[i]
			printf "%s\t%d\t%d", k, made[k], failed[k]
			for (j = 1; j <= 4; j++)
				printf "\t%d", is[k, j]
			print ""
		}
	}'
} >"$BUILD/tests/calls.tsv"
sed 's/^/# /' "$BUILD/tests/calls.tsv"
pairs() { grep -v -e '^#' -e '^show-png' "$1" | cut -f 1,2; }
same 'the kept table has the same jobs and calls' "pairs '$BUILD/tests/calls.tsv'" \
    "pairs '$TOP/tests/fault/calls.tsv'"
holds 'each tool is in it' 'for t in $(all_tools); do
    cut -f 1 "$TOP/tests/fault/calls.tsv" | grep -qx "$t" || { echo "$t"; no=1; }; done
    [ ! "$no" ]'
finish
