#!/bin/sh
# run.sh TARGET... - make fuzz: each target for FUZZ_TIME seconds or FUZZ_RUNS
# executions, whichever comes first
#
# Prints a line for each: target, executions, seconds, files of the corpus,
# edges covered, findings.  What was found is kept in $BUILD/crash and makes the
# status 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bad=0
mkdir -p "$BUILD/crash" "$BUILD/log"
# A small quarantine and short stacks of frees: twice as fast, and faults are
# still found.
export ASAN_OPTIONS="quarantine_size_mb=8:malloc_context_size=3${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
printf '#target\texecutions\tseconds\tcorpus\tedges\tfound\n'
for t; do
	corpus=$BUILD/corpus/$t
	mkdir -p "$corpus" "$here/found/$t"
	log=$BUILD/log/$t
	dict=$here/$t.dict
	[ -e "$dict" ] || dict=$here/json.dict
	# Messages of the tools are discarded; those of the fuzzer go to the
	# log.
	began=$(date +%s)
	"$BUILD/fuzz_$t" -max_total_time="$FUZZ_TIME" -runs="$FUZZ_RUNS" \
	    -close_fd_mask=3 -print_final_stats=1 -rss_limit_mb=2560 \
	    -timeout=25 -max_len="${FUZZ_LEN:-4096}" -reload=0 \
	    -artifact_prefix="$BUILD/crash/$t-" \
	    -dict="$dict" "$corpus" "$here/found/$t" >"$log" 2>&1
	status=$?
	n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	found=$(find "$BUILD/crash" -name "$t-*" | wc -l)
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$t" "${n:--}" \
	    "$(($(date +%s) - began))" "$(find "$corpus" -type f | wc -l)" \
	    "${edges:--}" "$found"
	if [ $status != 0 ]; then
		bad=1
		echo "run.sh: $t ended with $status, see $log" >&2
	fi
	rmdir "$here/found/$t" 2>/dev/null
done
exit $bad
