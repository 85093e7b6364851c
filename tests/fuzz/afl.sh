#!/bin/sh
# afl.sh - make fuzz-cli: whole tools that read standard input, by AFL++, each
# for FUZZ_TIME seconds
#
# $BUILD is where the tools are built for it, $CORPUS has the corpora of make
# fuzz, AFL_JOBS chooses some.  Prints a line for each: job, executions, seconds,
# files of the corpus, edges covered, findings (crashes and hangs).  Status 1 if
# there are any; they stay in $BUILD/out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
command -v afl-fuzz >/dev/null ||
    { echo 'afl.sh: afl-fuzz is not here (Debian: afl++)' >&2; exit 1; }

# The fast compiler if its plugin works, else the classic one.
echo 'int main(void) { return 0; }' >"${TMPDIR:-/tmp}/afl-try.$$.c"
cc=
for c in afl-clang-fast afl-gcc-fast afl-clang afl-gcc; do
	AFL_QUIET=1 $c -o "${TMPDIR:-/tmp}/afl-try.$$" \
	    "${TMPDIR:-/tmp}/afl-try.$$.c" >/dev/null 2>&1 && cc=$c && break
done
rm -f "${TMPDIR:-/tmp}/afl-try.$$" "${TMPDIR:-/tmp}/afl-try.$$.c"
[ -n "$cc" ] || { echo 'afl.sh: no compiler of AFL++ works' >&2; exit 1; }

mkdir -p "$BUILD"
export AFL_QUIET=1
(cd "$root" && $MAKE --no-print-directory BUILD="$BUILD" CC="$cc" OPENMP=0 \
    SIMD=0 HARDEN=0 CFLAGS='-O1 -g' \
    SAN='-fsanitize=undefined -fno-sanitize-recover=all' all) >"$BUILD.log" 2>&1 ||
    { echo "afl.sh: the build failed, see $BUILD.log" >&2; exit 1; }

# Job, corpus, command that reads standard input.  m and w stand for a model
# and a walk.
jobs='cscg-show	model	cscg-show
cscg-show-room	room	cscg-show --as dot
cscg-show-walk	walk	cscg-show
cscg-show-book	codebook	cscg-show
cscg-predict	walk	cscg-predict m
cscg-score	walk	cscg-score m
cscg-learn	walk	cscg-learn -q -j1 --clones 2 --iterations 2 --restarts 1
cscg-bind	walk	cscg-bind -q -j1 --restarts 1 --iterations 2 m
cscg-match	walk	cscg-match -j1 --every 5 --restarts 1 --iterations 2 m
cscg-stitch	walk	cscg-stitch -j1 --restarts 1 m
cscg-plan	model	cscg-plan --start state:0 --goal state:0 -
roomwalk	room	roomwalk -n 20
roomserve	env	roomserve r
roomgen-map	map	roomgen map
roomgen-voxel	map	roomgen voxel --map -
roomgen-room	room	roomgen room --as model -
walkconv	walk	walkconv --as csv
walkconv-csv	csv	walkconv --from csv
walkconv-npy	npy	walkconv --from npy
vq-kmeans	walk	vq-kmeans -j1 -k 2 --restarts 1'
mkdir -p "$BUILD/in" "$BUILD/out"
cd "$BUILD" || exit 1
cp "$CORPUS/model/gates" m && cp "$CORPUS/room/rectangle" r || exit 1

# A few small seeds of each kind.
seeds() { # KIND
	rm -rf "in/$1"
	mkdir -p "in/$1"
	find "$CORPUS/$1" -maxdepth 1 -type f -size -5k -name '[a-z]*' |
	    sort | grep -v '/[0-9a-f]\{40\}$' | head -n 40 | while read -r f; do
		cp "$f" "in/$1"
	done
}

export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 \
    AFL_NO_AFFINITY=1 AFL_SKIP_CRASHES=1
bad=0
printf '#job\texecutions\tseconds\tcorpus\tedges\tfound\n'
tab=$(printf '\t')
echo "$jobs" >jobs
while IFS=$tab read -r job kind command; do
	case " ${AFL_JOBS:-$job} " in *" $job "*) ;; *) continue ;; esac
	seeds "$kind"
	dict=$here/$kind.dict
	[ -e "$dict" ] || dict=$here/json.dict
	rm -rf "out/$job"
	began=$(date +%s)
	# shellcheck disable=SC2086
	UBSAN_OPTIONS=abort_on_error=1:symbolize=0 afl-fuzz -i "in/$kind" \
	    -o "out/$job" -V "$FUZZ_TIME" -m none -t 2000+ -x "$dict" -- \
	    "$BUILD"/$command >"out/$job.log" 2>&1 </dev/null
	stats=$(find "out/$job" -name fuzzer_stats 2>/dev/null | head -n 1)
	[ -n "$stats" ] || { echo "afl.sh: $job did not run, see $BUILD/out/$job.log" >&2
	    bad=1; continue; }
	get() { sed -n "s/^$1 *: *//p" "$stats"; }
	found=$(find "out/$job" -path '*/crashes/id*' -o -path '*/hangs/id*' |
	    wc -l)
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$job" "$(get execs_done)" \
	    "$(($(date +%s) - began))" "$(get corpus_count)" \
	    "$(get edges_found)" "$found"
	[ "$found" = 0 ] || bad=1
done <jobs
exit $bad
