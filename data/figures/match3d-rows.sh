#!/bin/sh
# match3d-rows.sh DIR ROOM... - rows of results of match3d.sh, with the paper's: from
# DIR/schemas-* of all $SETS, DIR/clean, DIR/noisy and DIR/scratch
. "$(dirname "$0")/common.sh"
home=$1
shift
scratch

verdict() # CONDITION, for awk
{
	awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"
}

# learned COLUMN least|most: of the rooms learned, followed by the first room that has
# it, if not all have
learned()
{
	for r in $rooms; do
		for i in $SETS; do sed "s/^/$r	/" "$home/schemas-$i/$r.tsv"; done
	done >"$dir/all"
	awk -F '\t' -v c="$1" -v how="$2" '
	{ x = $(c + 1); if (NR > 1 && x != was) differ = 1; was = x }
	NR == 1 || (how == "least" ? x < v : x > v) { v = x; at = $1 }
	END { print v (differ ? " " at : "") }' "$dir/all"
}

# latest HOW: the step from which on the right schema has the lowest mean NLL, of the
# latest room, and its name, if not all have the same
latest()
{
	for r in $rooms; do
		awk -F '\t' -v r="$r" '$1 == "#sustained" { print r "\t" $2 }' \
		    "$home/$1/$r.tsv"
	done >"$dir/all"
	awk -F '\t' '
	$2 == "-" { never = never " " $1; next }
	NR > 1 && $2 != was { differ = 1 }
	{ was = $2 }
	$2 > most { most = $2; at = $1 }
	END { print (never != "" ? "never:" never : most (differ ? " " at : "")) }' "$dir/all"
}

# single HOW FROM: the fraction of walks in which the right schema is best in all
# rows from step FROM on, and the worst room, if there are wrong ones
single()
{
	for r in $rooms; do
		awk -F '\t' -v r="$r" -v from="$2" '
		/^#/ || $2 < from || $3 != r { next }
		{ seen[$1]; if ($6 != 1) wrong[$1] }
		END { for (e in seen) print (e in wrong), r }' "$home/$1/$r.all"
	done >"$dir/all"
	awk '{ right += !$1; all += !n[$2]++; bad[$2] += $1; if (bad[$2] > most) { most = bad[$2]; at = $2 } }
	END { print right + 0 "/" NR (most && all > 1 ? " " at " " n[at] - most "/" n[at] : "") }' "$dir/all"
}

# enough HOW: the steps after which the mean purity of all rooms on another walk is
# .99
enough()
{
	for r in $rooms; do cat "$home/scratch/$r.tsv"; done >"$dir/all"
	awk -F '\t' -v how="$1" '$3 == how { n[$2]++; p[$2] += $6 }
	END { for (s in n) if (p[s] >= .99 * n[s]) print s }' "$dir/all" |
	    sort -n | sed -n 1p
}

rooms=$*
# shellcheck disable=SC2086 # lists
graphs=$(set -- $SETS; n=$#; set -- $rooms; echo $((n * $#)))
# "VALUE ROOM" as "VALUE, worst ROOM"
named() { echo "$1" | sed 's| |, worst |'; } # VALUE
v=$(learned 7 least)
row S1 "learned graphs: purity, least of $graphs" '-' "$(named "$v")" '>= .99' "$(verdict "${v%% *} >= .99")"
v=$(learned 9 most) missing=$(learned 8 most)
row S1 "learned graphs: spurious edges, most of $graphs" '-' "$(named "$v") (missing: $(named "$missing"))" '<= 15' \
    "$(verdict "${v%% *} <= 15")"
for how in clean noisy; do
	v=$(latest $how)
	case $v in
	never*) ok=no ;;
	*) ok=$(verdict "${v%% *} <= 2000") v="${v%% *} steps$(echo "$v" | sed -n 's/^[^ ]*\( .*\)/,\1/p')" ;;
	esac
	row 3A,S2 "$how: right in the mean from then on, latest room (codebooks of whole walks)" '2000 steps' "$v" '<= 2000, aim 1000' "$ok"
	for from in 1000 2000; do
		v=$(single $how $from) all=${v%% *}
		[ $from = 2000 ] && wanted='>= 57/60' ok=$(verdict "${all%/*} >= .95 * ${all#*/}") || wanted=- ok=-
		row 3A,S2 "$how: single walks right from step $from on" '-' "$(named "$v")" "$wanted" "$ok"
	done
done
a=$(enough schema) b=$(enough scratch)
row 3A 'steps to a purity of .99: right schema, from scratch' '2000, 50000' "${a:-never}, ${b:-never}" '-' '-'
