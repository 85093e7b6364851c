#!/bin/sh
# predict.sh - make bench-predict: predictions per second
#
# Through the library (predict_bench.c), on one thread: a room of 72 nodes, and
# 2000 states whose transition matrix is dense: 20 symbols of 100 clones each
# after one iteration of EM on random characters.  Then the lines per second of
# cscg-predict for the room, and the latency from an input line to its output line.
# Rows: what, value, unit, must.

here=$(dirname "$0")
. "$here/work.sh"

tries=5
[ -z "$quick" ] || tries=2
steps=200000

"$BUILD/roomgen" rectangle --size 6x12 -o "$tmp/room.gz"
"$BUILD/roomgen" rectangle --size 6x12 --as model -o "$tmp/model.gz"
"$BUILD/roomwalk" -n $steps "$tmp/room.gz" -o "$tmp/walk.gz"
if [ ! -s "$dir/predict-dense.gz" ]; then
	awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) printf "%c", 97 + int(20 * rand()) }' |
	    "$BUILD/walkconv" --text chars --lines -o "$dir/predict-text.gz"
	"$BUILD/cscg-learn" -q --clones 100 --structure none --restarts 1 --iterations 1 \
	    -o "$dir/predict-dense.gz" "$dir/predict-text.gz"
fi

row() # WHAT VALUE UNIT MUST
{
	awk -v OFS='\t' -v what="$1" -v v="$2" -v unit="$3" -v must="$4" 'BEGIN {
		split(must, m, " ")
		bad = m[1] == ">=" ? v < m[2] : v > m[2]
		print what, v, unit, must (bad ? " !" : "") }'
}

printf 'what\tvalue\tunit\tmust\n'
"$bin/predict_bench" "$tmp/model.gz" "$tmp/walk.gz" $tries >"$tmp/got"
read -r n _ <"$tmp/got"
row 'library, 72 states' "$n" 'predictions a second' '>= 1000000'
"$bin/predict_bench" "$dir/predict-dense.gz" "$dir/predict-text.gz" $tries >"$tmp/got"
read -r n _ <"$tmp/got"
row 'library, 2000 dense states' "$n" 'predictions a second' '>= 20000'
use $tries "$BUILD/cscg-predict" "$tmp/model.gz" -w "$tmp/walk.gz" -o /dev/null
row 'cscg-predict, 72 states' "$(calc "$steps / $cpu")" 'lines a second' '>= 200000'

# The latency from an input line to its output line, the first and the best of 50.
mkfifo "$tmp/in" "$tmp/said"
"$BUILD/cscg-predict" "$tmp/model.gz" <"$tmp/in" >"$tmp/said" &
exec 9>"$tmp/in" 8<"$tmp/said"
gzip -dc "$tmp/walk.gz" | head -n 1 >&9
read -r line <&8
i=0
best=''
first=''
while [ $i -lt 50 ]; do
	a=$(date +%s%N)
	echo '{"episode":0,"x":[0],"a":[0]}' >&9
	read -r line <&8
	b=$(($(date +%s%N) - a))
	[ -n "$first" ] || first=$b
	if [ -z "$best" ] || [ $b -lt "$best" ]; then best=$b; fi
	i=$((i + 1))
done
printf '%s\n' '{"episode":0,"x":[0],"a":[],"last":true}' '{"end":true,"episodes":1,"steps":51}' >&9
exec 9>&-
cat <&8 >/dev/null
exec 8<&-
wait
row 'first line in to first line out' "$(calc "$first / 1e6")" ms '<= 10'
row 'line in to line out, best of 50' "$(calc "$best / 1e6")" ms '<= 10'
