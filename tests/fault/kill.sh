#!/bin/sh
# kill.sh [KILLS [JOB...]] - kill -9 pipelines that write a file [1000, all jobs]
#
# Four of ten kills are at a random time of the run, all processes at once; four after
# a random number of bytes was written to the file; two in a call that creates, writes,
# syncs or renames it (fault.c).  In every second run an old file exists.  Afterwards
# the file must be absent (if it was), old, or complete, byte for byte.
#
# Prints a line for each job: kills; those by time, byte and call; those between the
# first and the last byte; states of the file afterwards; temporary files left.  Status
# 1 if a file was in another state, or kills are missing.  $BUILD has the tools and
# tests/fault.so, SEED selects the moments.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PATH=$BUILD:$PATH
so=$BUILD/tests/fault.so
kills=${1:-1000}
[ $# = 0 ] || shift
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-kill.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
. "$here/jobs.sh"
fault_setup || exit 1
[ $# -gt 0 ] || set -- $fault_jobs vq-kmeans+codebook cscg-learn+checkpoint
each=$(((kills + $# - 1) / $#))

# The pipeline of a job, with its second output.
pipeline() { # JOB FILE
	fault_job "${1%+*}"
	case $1 in
	*+codebook) echo "--codebook $2.too" ;;
	*+checkpoint) echo "--checkpoint $2.too --checkpoint-every 1" ;;
	esac
	echo "-o $2"
}

# Moments: a kind and a number each; more than are needed, since one drawn from
# the whole run may come when it is over.
plan() { # SECONDS BYTES CALLS
	awk -v n=$((each * 3)) -v seed="${SEED:-1}" -v t="$1" -v b="$2" -v c="$3" '
	BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			u = rand()
			if (i % 5 < 2)
				printf "time %.5f\n", u * t
			else if (i % 5 < 4)
				printf "byte %d\n", 1 + int(u * (b - 1))
			else
				printf "call %d\n", 1 + int(u * c)
		}
	}'
}

strike() { # KIND NUMBER: the status
	case $1 in
	time) timeout -s KILL "$2" sh -c "pre=; $line" ;;
	byte) pre="env LD_PRELOAD=$so CSCG_KILL_BYTE=$2"; (eval "$line") ;;
	call) pre="env LD_PRELOAD=$so CSCG_KILL_CALL=$2"; (eval "$line") ;;
	esac >/dev/null 2>&1 </dev/null
}

# The state of FILE: absent, old, complete or wrong.
state() { # FILE WANT
	if [ ! -e "$1" ]; then
		echo absent
	elif cmp -s "$1" old; then
		echo old
	elif cmp -s "$1" "$2"; then
		echo complete
	else
		echo wrong
	fi
}

# Count the states after the kill.
look() {
	set -- .got.tmp.*
	if [ -e "$1" ]; then
		left=$((left + 1))
		n=$(wc -c <"$1")
		[ "$n" -eq 0 ] || [ "$n" -ge "$size" ] ||
		    between=$((between + 1))
	fi
	is=$(state got want)
	case $is in
	absent) [ $there = 1 ] && is=wrong ;;
	old) [ $there = 0 ] && is=wrong ;;
	esac
	case $job in
	*+codebook) [ "$(state got.too want.too)" != wrong ] || is=wrong ;;
	*+checkpoint)
		# Another run succeeds from any such state.
		pre=
		(eval "$line --resume") >/dev/null 2>&1 && cmp -s got want ||
		    is=wrong
		;;
	esac
	eval "$is=\$(($is + 1))"
	[ $is != wrong ] || echo "kill.sh: $job: $kind $number" >&2
}

run_job() {
	line=$(pipeline "$job" want | tr '\n' ' ')
	pre="env LD_PRELOAD=$so CSCG_FAULT_REPORT=$dir/report"
	(eval "$line") >/dev/null || return 1
	read -r calls bytes <report
	size=$(wc -c <want)
	pre=
	began=$(date +%s%N)
	(eval "$line") >/dev/null || return 1
	span=$(awk -v a="$began" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')
	line=$(pipeline "$job" got | tr '\n' ' ')
	plan "$span" "$bytes" "$calls" >moments
	done=0 time=0 byte=0 call=0 between=0 left=0
	absent=0 old=0 complete=0 wrong=0
	while [ $done -lt $each ] && read -r kind number <&3; do
		rm -f got got.too .got*.tmp.*
		there=$((done % 2))
		[ $there = 0 ] || cp old got
		strike "$kind" "$number"
		[ $? = 137 ] || continue
		done=$((done + 1))
		eval "$kind=\$(($kind + 1))"
		look
	done 3<moments
	rm -f got got.too want want.too .got*.tmp.*
	printf '%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n' "$job" $done \
	    $time $byte $call $between $absent $old $complete $wrong $left
}

echo 'an old file' >old
printf '#job\tkills\ttime\tbyte\tcall\tbetween\tabsent\told\tcomplete\twrong\tleft\n'
for job; do
	run_job || { printf '%s\t0\t0\t0\t0\t0\t0\t0\t0\t1\t0\n' "$job"
	    echo "kill.sh: $job does not run" >&2; }
done | tee table
awk -F '\t' -v kills="$kills" '/^#/ { next }
	{ for (i = 2; i <= NF; i++) sum[i] += $i }
	END {
		printf "all"
		for (i = 2; i <= 11; i++)
			printf "\t%d", sum[i]
		print ""
		exit sum[10] > 0 || sum[2] < kills
	}' table
