#!/bin/sh
# count.sh - make bench-count: instructions of fixed small jobs
#
# Times vary with the load of the machine; instructions counted by callgrind
# repeat to a part in a million, so that a small change can be seen. counts.tsv
# has the previous counts; the run fails and names each row that is more than 3
# % above.  UPDATE=1 replaces the counts of counts.tsv.

set -eu
here=$(dirname "$0")
known=$here/counts.tsv
tmp=$BUILD/bench/count
rm -rf "$tmp"
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
export OMP_NUM_THREADS=1

if ! command -v valgrind >/dev/null; then
	echo "no valgrind here (make deps)" >&2
	exit 1
fi
"$BUILD/roomgen" rectangle --size 5x6 --obs random:8 -s 1 \
    -o "$tmp/room.gz"
"$BUILD/roomwalk" -n 3000 -s 1 -o "$tmp/walk.gz" "$tmp/room.gz"
"$BUILD/roomwalk" -n 20000 -s 1 -o "$tmp/long.gz" "$tmp/room.gz"
"$BUILD/cscg-learn" --isa sse2 -j1 -q --clones 8 --restarts 1 \
    --iterations 20 --structure none -o "$tmp/model.gz" "$tmp/walk.gz" 2>/dev/null ||
"$BUILD/cscg-learn" --isa c -j1 -q --clones 8 --restarts 1 \
    --iterations 20 --structure none -o "$tmp/model.gz" "$tmp/walk.gz"

"$BUILD/walkconv" "$tmp/long.gz" --as csv -o "$tmp/long.csv"
for k in rectangle torus; do
	"$BUILD/roomgen" $k --size 5x6 --as model -o "$tmp/$k.gz"
done
"$BUILD/walkconv" --head 200 "$tmp/walk.gz" -o "$tmp/short.gz"

# count NAME COMMAND...: a line of name and instructions; skipped if the machine
# cannot run it at all.  Status 1 of a tool is a valid result.
count()
{
	name=$1
	shift
	rc=0
	"$@" >/dev/null 2>&1 || rc=$?
	[ $rc -le 1 ] || return 0
	LD_PRELOAD=$BUILD/tests/bench/seed.so valgrind --tool=callgrind \
	    --callgrind-out-file=/dev/null "$@" >/dev/null 2>"$tmp/talk" || rc=$?
	if [ $rc -gt 1 ]; then
		cat "$tmp/talk" >&2
		exit 1
	fi
	awk -v name="$name" '/Collected :/ { printf "%s\t%s\n", name, $NF }' \
	    "$tmp/talk" >>"$tmp/now"
}

learn="$BUILD/cscg-learn -j1 -q --clones 8 --restarts 1 --tolerance 0 --structure none"
for isa in plain c sse2 avx2; do
	count learn-$isa $learn --isa $isa --iterations 10 -o /dev/null \
	    "$tmp/walk.gz"
done
count learn-low-memory $learn --isa c --low-memory --iterations 10 \
    -o /dev/null "$tmp/walk.gz"
count learn-default "$BUILD/cscg-learn" --isa c -j1 -q -o /dev/null \
    "$tmp/walk.gz"
count score-raw "$BUILD/cscg-score" --isa c -w "$tmp/walk.gz" "$tmp/model.gz"
count decode "$BUILD/cscg-score" --isa c --decode -w "$tmp/walk.gz" "$tmp/model.gz"
count match "$BUILD/cscg-match" --isa c -j1 -w "$tmp/short.gz" \
    "$tmp/rectangle.gz" "$tmp/torus.gz"
count roomgen "$BUILD/roomgen" torus
count roomwalk "$BUILD/roomwalk" -n 20000 "$tmp/room.gz"
count read-walk "$BUILD/cscg-show" "$tmp/long.gz"
count read-model "$BUILD/cscg-show" "$tmp/model.gz"
count csv-to-walk "$BUILD/walkconv" --as walk "$tmp/long.csv"
count walk-to-csv "$BUILD/walkconv" --as csv "$tmp/long.gz"

rc=0
awk -F '\t' -v known="$known" '
	BEGIN {
		while ((getline <known) > 0)
			old[$1] = $2
	}
	{
		change = old[$1] ? 100 * ($2 / old[$1] - 1) : 0
		more = old[$1] && change > 3
		bad += more
		printf "%-18s %14d  %s%s\n", $1, $2, old[$1] ? \
		    sprintf("%+.2f %%", change) : "new", more ? "  MORE" : ""
		if (more)
			print $1 ": more than 3 % above " known >"/dev/stderr"
	}
	END { exit bad > 0 }' "$tmp/now" || rc=1
if [ "${UPDATE:-}" = 1 ]; then
	cp "$tmp/now" "$known"
	rc=0
fi
exit $rc
