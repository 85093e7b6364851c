#!/bin/sh
# run.sh TARGET... - make fuzz: each target for FUZZ_TIME seconds
#
# Prints a line for each: target, executions, seconds, files of the corpus,
# crashes.  A crash is kept in $BUILD/crash and makes the status 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bad=0
mkdir -p "$BUILD/crash" "$BUILD/log"
printf '#target\texecutions\tseconds\tcorpus\tfound\n'
for t; do
	corpus=$BUILD/corpus/$t
	mkdir -p "$corpus" "$here/found/$t"
	log=$BUILD/log/$t
	dict=
	[ ! -e "$here/$t.dict" ] || dict="-dict=$here/$t.dict"
	[ -n "$dict" ] || dict="-dict=$here/json.dict"
	# Messages of the tools go nowhere; those of the fuzzer to the log.
	began=$(date +%s)
	"$BUILD/fuzz_$t" -max_total_time="$FUZZ_TIME" -runs="$FUZZ_RUNS" \
	    -close_fd_mask=3 -print_final_stats=1 -rss_limit_mb=2560 \
	    -timeout=25 -max_len=65536 -artifact_prefix="$BUILD/crash/$t-" \
	    "$dict" "$corpus" "$here/found/$t" >"$log" 2>&1
	status=$?
	n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	found=$(find "$BUILD/crash" -name "$t-*" | wc -l)
	printf '%s\t%s\t%s\t%s\t%s\n' "$t" "${n:--}" \
	    "$(($(date +%s) - began))" "$(ls "$corpus" | wc -l)" "$found"
	if [ $status != 0 ]; then
		bad=1
		echo "run.sh: $t ended with $status, see $log" >&2
	fi
	rmdir "$here/found/$t" 2>/dev/null
done
exit $bad
