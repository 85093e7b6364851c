#!/bin/sh
# compose.sh A B TRIAL DIR OUT - locations of two overlapping digits, identified by
# windows (fig-compose)
#
# A walk of 20,000 steps in the composed room; windows of 200 steps are matched to
# the schemas DIR/digit-A.gz and DIR/digit-B.gz.  A location is assigned to the digit
# with the higher mean posterior of its windows; locations of both digits are not
# scored.  Prints a line: pair, trial, fraction of locations right with windows at the
# location of their end and of their centre, windows, locations.  OUT.end and
# OUT.centre get a line for each location: x y probability part.
# $FIRST_SEED (7201), $STRIDE (10), $STEPS (20000) and $WINDOW (200) may be set.
. "$(dirname "$0")/common.sh"
a=$1 b=$2 trial=$3 schemas=$4 out=$5
seed=$((${FIRST_SEED:-7201} + trial * 100 + a * 10 + b))
window=${WINDOW:-200}
scratch
roomgen digit "$a" -o "$dir/a"
roomgen digit "$b" -o "$dir/b"
roomgen compose "$dir/a" "$dir/b" --permute -s "$seed" -o "$dir/room"
roomwalk -n "${STEPS:-20000}" -s "$seed" "$dir/room" -o "$dir/walk"
walkconv --as tsv "$dir/walk" >"$dir/steps"
cscg-show --as nodes "$dir/room" >"$dir/nodes"
# No winner in the last window is a valid answer.
cscg-match --tie none --restarts "${RESTARTS:-1}" --window "$window" \
    --every "${STRIDE:-10}" -s "$seed" -w "$dir/walk" \
    one="$schemas/digit-$a.gz" two="$schemas/digit-$b.gz" \
    >"$dir/match" || [ $? = 1 ]

# where SHIFT: mean posterior of the first digit at each location, with each window
# at the step SHIFT before its end
where()
{
	awk -F '\t' -v shift="$1" '
	/^#/ { next }
	FNR == 1 || last != FILENAME { file += last != FILENAME; last = FILENAME }
	file == 1 { x[$1] = $5; y[$1] = -$4; part[$1] = $6; next }
	file == 2 { if ($1 == "episode") next; z[t++] = $4; next }
	$4 == "one" { v = z[$2 - 1 - shift]; sum[v] += $6; n[v]++ }
	END { for (v in n) printf "%s\t%s\t%.4f\t%s\n", x[v], y[v], sum[v] / n[v], part[v] }
	' "$dir/nodes" "$dir/steps" "$dir/match" | sort
}

# right FILE: the percentage of locations assigned right
right()
{
	awk -F '\t' '$4 >= 0 { n++; ok += ($3 > 0.5) == ($4 == 0) }
	END { printf "%.2f", 100 * ok / n }' "$1"
}

into "$out.end" where 0
into "$out.centre" where $((window / 2))
printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$a,$b" "$trial" "$(right "$out.end")" \
    "$(right "$out.centre")" "$(grep -c one "$dir/match")" \
    "$(wc -l <"$out.end")"
