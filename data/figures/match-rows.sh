#!/bin/sh
# match-rows.sh TSV... - rows of results of match.sh, with the paper's: from
# match2d-tied.tsv, match2d-free.tsv, match2d-track.tsv and mnist.tsv, by name
#
# The value of a seed is that of its latest room; reported are median [least, most]
# over the seeds, and the room that is the latest in most seeds.
. "$(dirname "$0")/common.sh"

# latest COLUMN FILE: sets $spread, the range over seeds of the latest room and its
# name, and $most, the latest of all (1e9: never)
latest()
{
	spread=$(awk -F '\t' -v c="$1" "$(stats)"'
	{ v = $c ~ /^[0-9]+$/ ? $c : 1e9
	  if (!($1 in of) || v > of[$1]) { of[$1] = v; who[$1] = $2 } }
	END {
		for (s in of) { v2[++n] = of[s]; late[who[s]]++ }
		for (r in late) if (late[r] > late[worst] || late[r] == late[worst] && r < worst) worst = r
		s = spread(v2, n, 1e9)
		print v2[n] " " s " steps, latest " worst " on " late[worst] "/" n " seeds"
	}' "$2")
	most=${spread%% *}
	spread=${spread#* }
}

# by STEP COLUMN FILE: the number of seeds with all rooms identified by STEP, the
# fewest rooms of a seed, and the rooms that are later, with their steps (the first six)
by()
{
	awk -F '\t' -v at="$1" -v c="$2" '
	{ rooms[$1]++; ok = $c ~ /^[0-9]+$/ && $c <= at; in_time[$1] += ok
	  if (!ok && ++n_late <= 6) late = late (late == "" ? " (" : ", ") $2 " " $c " of seed " $1 }
	END {
		for (s in rooms) { n++; all += in_time[s] == rooms[s]
			if (fewest == "" || in_time[s] < fewest) { fewest = in_time[s]; total = rooms[s] } }
		if (n_late > 6) late = late " and " n_late - 6 " more"
		print all + 0 "/" n " " fewest "/" total (late == "" ? "" : late ")")
	}' "$3"
}

verdict() # CONDITION...: of test
{
	if [ "$@" ]; then echo yes; else echo no; fi
}

for f; do
	case $f in
	*match2d-tied.tsv)
		latest 3 "$f"
		row S4 'tied, EM: first identified, latest room' '95 steps' "$spread" 'most <= 95' "$(verdict "$most" -le 95)"
		v=$(by 95 4 "$f")
		all=${v%% *} v=${v#* }
		fewest=${v%%/*}
		row S4 'tied, EM: rooms identified for good by step 95, fewest of a seed' '-' "$v" '>= 14/15' "$(verdict "$fewest" -ge 14)"
		row S4 'tied, EM: seeds with all rooms identified for good by step 95' '-' "$all" '-' '-' ;;
	*match2d-track.tsv)
		latest 4 "$f"
		row S4 'tied, tracker: identified for good, latest room' '-' "$spread" '-' '-'
		v=$(by 95 4 "$f")
		all=${v%% *}
		row S4 'tied, tracker: seeds with all rooms identified for good by step 95' '-' "$all, fewest rooms ${v#* }" \
		    '>= 9/10' "$(verdict "$((10 * ${all%/*}))" -ge "$((9 * ${all#*/}))")" ;;
	*match2d-free.tsv)
		latest 4 "$f"
		row S4 'free, EM: identified for good, latest room' '255 steps' "$spread" 'most <= 255' "$(verdict "$most" -le 255)" ;;
	*mnist.tsv)
		latest 3 "$f"
		row S5 'digits: first identified, latest' '50 steps' "$spread" 'most <= 50' "$(verdict "$most" -le 50)"
		latest 4 "$f"
		row S5 'digits: identified for good, latest' '-' "$spread" 'most <= 50' "$(verdict "$most" -le 50)" ;;
	esac
done
