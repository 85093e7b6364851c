# Threads that cannot be created: fewer are used, with the same bytes, or status
# 4 in one line; never status 1, which means "the answer is no", nor a signal.
. "$(dirname "$0")/../tap.sh"

if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'threads and limits # SKIP a sanitizer needs address space without limit'
	finish
fi
if ! ldd "$BUILD/cscg-learn" | grep -q -e libgomp -e libomp; then
	tap 0 'threads and limits # SKIP built without OpenMP'
	finish
fi

roomgen rectangle --size 4x5 -o room
roomgen room room --as model -o model
roomwalk -n 400 room -o walk
roomwalk -n 5000 room -o long
cscg-show --as schema model -o schema
roomgen rectangle --size 2x3 --door 0,2,right -o left.room
roomgen rectangle --size 2x2 --door 0,0,left -o right.room
for r in left right; do
	roomgen room --as model $r.room -o $r
done
roomgen join left.room right.room | roomwalk -n 200 -o joined
printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox
roomwalk -n 200 --render --frame 6x6 --noise 4 vox -o seen
vq-kmeans -j 1 -k 3 --codebook book seen -o symbols

# Every loop on threads: restarts, E-step, frames; binding; matching by EM, by
# tracking and as one model; stitching; k-means, mixture and labels.  The others
# have no -j, but compress long output on a thread.
cat >jobs <<'END'
cscg-learn --structure none --clones 2 --iterations 3 --restarts 3 walk
cscg-learn --structure none --clones 21 --iterations 2 --restarts 1 long
cscg-learn --structure none --low-memory --clones 21 --iterations 2 --restarts 1 long
cscg-learn --clones 2 --iterations 2 --restarts 1 --gaussian book seen
cscg-bind --restarts 5 --iterations 3 model -w walk
cscg-match --every 50 --restarts 2 --iterations 2 left right model -w walk
cscg-match --method track --calibrate 4 --every 50 left right model -w walk
cscg-match --method switching --iterations 3 left right -w joined
cscg-stitch --restarts 3 left right -w joined
cscg-plan --goal symbol:3 --json model -w walk
cscg-plan --goal start --explore-until 60 schema -- roomserve room
vq-kmeans -k 3 --restarts 2 seen
vq-kmeans -k 3 --gmm --restarts 2 seen
vq-kmeans --encode book seen
roomgen torus
roomwalk -n 300000 room
roomserve room
walkconv long
cscg-predict --each-action model -w walk
cscg-score --per-step model -w walk
cscg-show --as dot model
END

# A job on eight threads must have the status and bytes of one thread.
run() { # THREADS JOB: leaves got, $err and $rc
	set -- "$1" $2
	j=$1
	tool=$2
	shift 2
	rm -f got
	case $tool in room*|walkconv|cscg-score|cscg-predict|cscg-show) ;; *) set -- -j "$j" "$@" ;; esac
	$limit "$tool" -q -o got "$@" >"$out" 2>"$err" </dev/null
	rc=$?
}
is_good() {
	case $rc in
	"$want_rc") cmp -s got want && [ ! -s "$err" ] ;;
	4) [ "$(wc -l <"$err")" = 1 ] ;;
	*) false ;;
	esac
}
under() { # LIMIT...: each is a command that runs one under a limit
	n=0
	while read -r job; do
		n=$((n + 1))
		limit=''
		run 1 "$job"
		mv got want
		want_rc=$rc bad=0 full=0
		for limit; do
			run 8 "$job"
			if is_good; then
				[ $rc = 4 ] || full=$((full + 1))
				continue
			fi
			bad=$((bad + 1))
			echo "# $limit: status $rc"
			head -n 3 "$err" | sed 's/^/# /'
		done
		[ $bad = 0 ] && [ $full -gt 0 ]
		tap $? "$job: $full of $# as on one thread"
	done <jobs
}

# Address space, from where the tools can just be loaded.
# shellcheck disable=SC3045 # dash and bash have ulimit -v
as() { # MB COMMAND...
	(ulimit -v $(($1 * 1024)) && shift && exec "$@")
}
mb=20 limits='' step=${TEST_SHORT:+60}
while [ $mb -le 200 ]; do
	as $mb cscg-learn --version >/dev/null 2>&1 && limits="$limits $mb"
	mb=$((mb + ${step:-10}))
done
for mb in $limits 600 1000; do
	set -- "$@" "as $mb"
done
under "$@"
exits 0 'little address space' \
    'as 100 cscg-learn -j 8 --structure none --clones 2 --iterations 3 --restarts 3 walk -o got'
says 'a tool says that it has fewer threads' \
    'cscg-learn: runs on 1 thread, not 8: no more can be created (ulimit -u, ulimit -v); the result is the same'
exits 0 'without -j there is no message' \
    'export OMP_NUM_THREADS=8; as 100 cscg-learn --structure none --clones 2 --iterations 3 --restarts 3 walk -o got'
exactly 'then -v says so' ''
exits 0 'a small stack makes room for more' \
    'export OMP_STACKSIZE=1M; as 1000 cscg-bind -j 8 --restarts 8 model -w walk -o got'
exactly 'and there is no message' ''

roomwalk -n 100000 room --no-gzip -o plain
walkconv plain -o packed

# Processes of the user.  Root has no limit, so another user who has none yet.
user_ready
processes() { # N COMMAND...
	n_max=$1
	shift
	$as_user prlimit --nproc="$n_max" "$@"
}
if ! processes 1 cscg-learn --version >/dev/null 2>&1; then
	tap 0 'a limit of processes # SKIP cannot run as another user (setpriv, prlimit)'
	finish
fi
# A live environment is a process as well.
grep -v -e ' -- ' jobs >some && mv some jobs
holds 'each tool is among the jobs' 'for t in $(all_tools); do
    grep -q "^$t " jobs || { echo "$t"; no=1; }; done; [ -z "$no" ]'
# Long gzip output is compressed by a separate thread, if it can be created.
exits 0 'long output on one thread' 'processes 1 walkconv plain -o alone'
holds 'long output has the same bytes without a thread' 'cmp packed alone'
if [ "$as_user" ]; then
	under 'processes 1' 'processes 2' 'processes 3' 'processes 5'
	exits 0 'three processes' \
	    'processes 3 cscg-bind -j 8 --restarts 5 --iterations 3 model -w walk -o got'
	says 'there are three threads' 'cscg-bind: runs on 3 threads, not 8: '
else
	under 'processes 1'
fi
finish
