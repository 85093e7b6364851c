#!/bin/sh
# maintain.sh - steps until the model of a room is right again after a change
# (fig-maintain)
#
# A room of 8 by 9 cells, most of which emit one symbol, with a wall down the middle
# and a door in it.  Its model is learned from 50,000 steps.  Then a second door is
# added (door), the door is moved (moved), or the wall is removed (open), and the walk
# continues.
#
#   maintain.sh learn DIR SEED      rooms and the old model
#   maintain.sh run DIR CHANGE SEED STEPS
#       one line for each method of learning from STEPS steps in the changed room:
#       change, seed, steps, method, edges of the room, right, wrong.  Methods:
#       forget: cscg-learn --init OLD --change-rate 1e-4; add: --change-rate 0;
#       walk: --init OLD only; scratch: without --init; old: the old model.
#       Right are edges of the room that the model has (with a probability of at
#       least 5 %), wrong are edges of the model that the room lacks.
#   maintain.sh table TSV...        means over seeds
#   maintain.sh rows TABLE          the rows of the report
#   maintain.sh draw OUT TABLE      the figure
. "$(dirname "$0")/common.sh"
what=$1
shift

# map ROWS: the room with doors in these rows of its wall
map()
{
	for r in 0 1 2 3 4 5 6 7; do echo '#########'; done
	echo
	for r in 0 1 2 3 4 5 6 7; do
		case " $1 " in
		*" $r "*) ;;
		*) printf 'block %d,3 right\nblock %d,4 left\n' $r $r ;;
		esac
	done
}

make_room() # NAME ROWS
{
	map "$2" >"$dir/map"
	roomgen map -o "$at/$1.room" <"$dir/map"
}

# judge METHOD MODEL: the line.  The node of a state is the one it is decoded at most
# often, on the walk and on a later one (up to a symbol that the model lacks).
judge()
{
	cscg-score --decode "$2" -w "$dir/walk" -w "$dir/later" >"$dir/decoded"
	cscg-show --as tsv --min-prob .05 "$2" >"$dir/edges"
	awk -F '\t' -v head="$change	$seed	$steps	$1" '
	/^#/ { file++; next }
	file == 1 && $5 != "-" { if (++n[$5, $6] > most[$5]) { most[$5] = n[$5, $6]; node[$5] = $6 } }
	file == 2 { edge[$1, $2, $3] = 1; all++ }
	file == 3 && ($2 in node) && ($3 in node) {
		e = $1 SUBSEP node[$2] SUBSEP node[$3]
		if (!(e in edge)) wrong++
		else if (!(e in found)) { found[e] = 1; right++ }
	}
	END { printf "%s\t%d\t%d\t%d\n", head, all, right, wrong }' \
	    "$dir/decoded" "$dir/room.tsv" "$dir/edges"
}

case $what in
learn)
	at=$1 seed=$2
	scratch
	make_room old 1
	make_room door '1 6'
	make_room moved 6
	make_room open '0 1 2 3 4 5 6 7'
	roomwalk -n 50000 -s "$seed" "$at/old.room" | cscg-learn -s "$seed" -o "$at/old.gz" ;;
run)
	at=$1 change=$2 seed=$3 steps=$4
	scratch
	roomwalk -n "$steps" -s "$seed" "$at/$change.room" -o "$dir/walk"
	roomwalk -n 5000 -s $((seed + 500)) "$at/$change.room" -o "$dir/later"
	cscg-show --as tsv "$at/$change.room" >"$dir/room.tsv"
	judge old "$at/old.gz"
	cscg-learn -s "$seed" --init "$at/old.gz" --change-rate 1e-4 "$dir/walk" -o "$dir/new"
	judge forget "$dir/new"
	cscg-learn -s "$seed" --init "$at/old.gz" --change-rate 0 "$dir/walk" -o "$dir/new"
	judge add "$dir/new"
	cscg-learn -s "$seed" --init "$at/old.gz" "$dir/walk" -o "$dir/new"
	judge walk "$dir/new"
	cscg-learn -s "$seed" "$dir/walk" -o "$dir/new"
	judge scratch "$dir/new" ;;
table)
	printf '#change\tsteps\tway\tedges\tright\twrong\tperfect\tseeds\n'
	cat "$@" | awk -F '\t' '{ k = $1 "\t" $3 "\t" $4
	    if (!(k in n)) key[++keys] = k
	    n[k]++; edges[k] = $5; right[k] += $6; wrong[k] += $7
	    perfect[k] += $6 == $5 && $7 == 0 }
	    END { for (i = 1; i <= keys; i++) { k = key[i]
		printf "%s\t%d\t%.1f\t%.1f\t%d\t%d\n", k, edges[k], right[k] / n[k],
		    wrong[k] / n[k], perfect[k], n[k] } }' ;;
rows)
	awk -F '\t' '/^#/ { next }
	{ k = $1 SUBSEP $2 SUBSEP $3; right[k] = $5; wrong[k] = $6; ok[k] = $7; n[k] = $8
	    if (!($1 in seen)) { seen[$1] = 1; change[++changes] = $1 }
	    if (!($2 in known)) { known[$2] = 1; step[++steps] = $2 }
	    edges = $4 }
	function first(c, way,   i, k) {
		for (i = 1; i <= steps; i++) {
			k = c SUBSEP step[i] SUBSEP way
			if (ok[k] == n[k]) return step[i]
		}
		return 0
	}
	function both(c, n, way,   k) {
		k = c SUBSEP n SUBSEP way
		return sprintf("%s %.1f/%.1f", way, right[k], wrong[k])
	}
	END {
		OFS = "\t"
		name["door"] = "a second door"; name["moved"] = "a door elsewhere"; name["open"] = "no wall"
		for (i = 1; i <= changes; i++) {
			c = change[i]; f = first(c, "forget"); s0 = first(c, "scratch"); a = first(c, "add")
			print "maintain", name[c] ": steps until the graph is right in all repeats", "-",
			    sprintf("%s with forgetting, %s without, %s from scratch", f ? f : "never", a ? a : "never",
			    s0 ? s0 : "never"), "sooner than from scratch", (f && (!s0 || f < s0) ? "yes" : "no")
			for (j = 1; j <= steps; j++)
				if (step[j] == 500 || step[j] == 2000)
					print "maintain", name[c] ": edges right/wrong of " edges " after " step[j] " steps", "-",
					    both(c, step[j], "old") ", " both(c, step[j], "forget") ", " \
					    both(c, step[j], "add") ", " both(c, step[j], "walk") ", " \
					    both(c, step[j], "scratch"), "-", "-"
		}
	}' "$1" ;;
draw)
	out=$1 table=$2
	scratch
	{
		echo "set multiplot layout 1,3
		set logscale xy; set xlabel 'new steps'; set yrange [.4:2000]
		set ylabel 'edges missing or wrong, + .5'; set key below samplen 2 height 1"
		for c in door moved open; do
			printf "set title '%s'\nplot" $c
			sep=
			for w in old forget add walk scratch; do
				awk -F '\t' -v c=$c -v w=$w '$1 == c && $3 == w { print $2, $4 - $5 + $6 + .5 }' \
				    "$table" >"$dir/$c.$w"
				as=linespoints
				[ $w != old ] || as="lines lc rgb '#808080' dt 2"
				printf "%s '%s' using 1:2 with %s title '%s'" "$sep" "$dir/$c.$w" "$as" $w
				sep=,
			done
			echo
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 1200 380 <"$dir/commands" ;;
*) echo "maintain.sh: no '$what'" >&2; exit 2 ;;
esac
