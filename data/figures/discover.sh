#!/bin/sh
# discover.sh - rooms found by partition, used as schemas (fig-discover)
#
#   discover.sh world SEED OUT   a random world of four rooms with doors of one
#                             cell, in a row or in a square: OUT.room, and the
#                             kinds of the rooms in OUT.parts.  $LAYOUTS, if set,
#                             is a directory of text maps to choose rooms from
#   discover.sh found SEED STEPS DIR   learn this world from a walk, partition the
#                             model, compare with the true rooms: one row; with
#                             $LAYOUTS its last column names the maps
#   discover.sh place DIR     two worlds of the same rooms in different arrangements
#                             and with different symbols: DIR/old.room, DIR/new.room
#   discover.sh learn DIR SEED STEPS   DIR/old.gz, from a walk
#   discover.sh walks DIR SEED   a cover walk in the new world, whose prefixes are
#                             the training data, and ten random test walks
#   discover.sh run DIR SEED STEPS HOW   learn the new world; HOW is discovered
#                             (with the schemas found in the old one), walls (these
#                             schemas, with doors at any wall), exact (with the
#                             schemas of the rooms) or scratch; prints a row
#   discover.sh table FILE...  means over seeds of the rows of run
#   discover.sh rows FOUND TABLE   rows of results with their targets
#   discover.sh draw OUT TABLE DIR   the rooms of the old world, and NLL curves
. "$(dirname "$0")/common.sh"
what=$1
shift

# awk's rand() differs between implementations.
random='
function below(n) { x = (x * 16807) % 2147483647; return int(x / 2147483647 * n) }
function between(a, b) { return a + below(b - a + 1) }
BEGIN { x = seed * 7919 + 1; for (i = 0; i < 10; i++) below(2) }'

# Four rooms of three kinds, two of which are nearly the same, or four medium maps
# of $LAYOUTS; one line each, arguments of roomgen.  (tworooms has a door itself.)
kinds()
{
	if [ "${LAYOUTS:-}" ]; then
		awk -v seed="$1" -v maps="$LAYOUTS" "$random"'
		BEGIN {
			n = split("plus L T H S F Z spiral comb", name, " ")
			for (i = 0; i < 4; i++) print "map " maps "/" name[1 + below(n)] "-medium.txt"
			print below(2) ? "1x4" : "2x2"
		}'
		return
	fi
	awk -v seed="$1" "$random"'
	function rectangle(r, c) { return "rectangle --size " r "x" c }
	function hole(r, c, at) {
		return "hole --size " r "x" c " --hole 2x2@" at ",2" }
	function ushape(r, c, d) {
		return "ushape --size " r "x" c " --notch " d "x" (c - 6) }
	BEGIN {
		r = between(5, 8); c = between(5, 8)
		which = below(3)
		if (which == 0) {	# the same on its side, or a row more
			kind[0] = rectangle(r, c)
			kind[1] = r == c ? rectangle(r + 1, c) : rectangle(c, r)
		} else if (which == 1) {	# the hole a row lower
			r += 2; if (c < 6) c = 6
			kind[0] = hole(r, c, 2); kind[1] = hole(r, c, 3)
		} else {	# arms of other lengths
			kind[0] = ushape(r + 1, 8, r - 3); kind[1] = ushape(r + 1, 8, r - 2)
		}
		kind[2] = below(2) ? rectangle(between(5, 9), between(5, 9)) : \
		    hole(between(7, 9), between(7, 9), 2)
		n = 0
		for (i = 0; i < 4; i++) print kind[below(3)]
		print below(2) ? "1x4" : "2x2"
	}'
}

# errors MODEL ROOM WALK: states, purity, missing, spurious, isomorphic
errors()
{
	{ cscg-show --truth "$2" -w "$3" "$1" || [ $? = 1 ]; } | awk '
	$1 == "states" { s = $2 } $1 == "purity" { p = $2 }
	$1 == "missing" { m = $2 } $1 == "spurious" { x = $2 }
	$1 == "isomorphic" { print s "\t" p "\t" m "\t" x "\t" $2 }'
}

# beside ROOM WALK MODEL PARTS: compare the rooms of the model with those of the
# world.  The node of a state is the one it is most often decoded at; rooms are exact
# if the rooms found and the true ones are the same sets of nodes.
beside()
{
	cscg-show --as nodes "$1" >"$dir/nodes"
	cscg-show --frontiers given "$1" >"$dir/doors"
	cscg-show --as nodes --truth "$1" -w "$2" "$3" >"$dir/states"
	cscg-show --partition "$3" >"$dir/rooms"
	awk -F '\t' '
	function key(y, x) { return int(y + .5) "," int(x + .5) }
	FNR == 1 { file++ }
	file == 1 { spec[FNR - 1] = $0; next }
	FNR == 1 { for (i = 1; i <= NF; i++) { h = $i; sub(/^#/, "", h); col[file, h] = i } }
	/^#/ { table = $1; next } NF == 0 { next }
	file == 2 { at[key($col[2, "y"], $col[2, "x"])] = $1; part[$1] = $col[2, "part"]; next }
	file == 3 { true[$1, $2, $3]; doors++; next }
	file == 4 { node[$1] = $col[4, "y"] == "-" ? -1 : at[key($col[4, "y"], $col[4, "x"])]; next }
	table == "#room" { class[$1] = $2; rooms++ }
	table == "#from_room" { if ((node[$2], $3, node[$5]) in true) hit++; else false++ }
	table == "#state" { z = node[$1]; p = z < 0 ? -1 : part[z]
		if (p < 0 || ($2 in of && of[$2] != p) || (p in back && back[p] != $2)) bad++
		of[$2] = p; back[p] = $2 }
	END {
		for (i = 0; i < rooms; i++) for (j = 0; j < i; j++) {
			same = spec[of[i]] == spec[of[j]]; said = class[i] == class[j]
			equal += same; told += same && said; confused += said && !same }
		print rooms + 0 "\t" (bad ? "no" : "yes") "\t" doors + 0 "\t" hit + 0 "\t" \
		    false + 0 "\t" equal + 0 "\t" told + 0 "\t" confused + 0
	}' "$4" "$dir/nodes" "$dir/doors" "$dir/states" "$dir/rooms"
}

# known ROOM WALK MODEL REPORT: the fraction of steps in a schema of the right kind.
# The number of states identifies the kind: it differs between kinds.
known()
{
	cscg-show --as nodes "$1" >"$dir/nodes"
	cscg-show --as nodes --truth "$1" -w "$2" "$3" >"$dir/states"
	awk -F '\t' '
	function key(y, x) { return int(y + .5) "," int(x + .5) }
	FNR == 1 { file++ }
	FNR == 1 && file < 3 { for (i = 1; i <= NF; i++) { h = $i; sub(/^#/, "", h); col[file, h] = i } }
	/^#/ { table = $1; next } NF == 0 { table = ""; next }
	file == 1 { part[key($col[1, "y"], $col[1, "x"])] = $col[1, "part"]; size[$col[1, "part"]]++; next }
	file == 2 { of[$1] = $col[2, "y"] == "-" ? -1 : part[key($col[2, "y"], $col[2, "x"])]; next }
	table == "#block" { states[$1] = $3 }
	table == "#state" { all += $4; if (of[$1] >= 0 && size[of[$1]] == states[$2]) right += $4 }
	END { printf "%.4f\n", right / all }' "$dir/nodes" "$dir/states" "$4"
}

# The rooms of the two worlds, with a door in the middle of each side.
make_room()
{
	case $1 in
	rectangle) set -- "$1" 3,7,right 3,0,left 0,4,up 6,4,down ;;
	hole) set -- "$1" 3,7,right 3,0,left 0,4,up 7,4,down ;;
	ushape) set -- "$1" 3,8,right 3,0,left 0,1,up 6,4,down ;;
	esac
	roomgen "$1" --size small --door "$2" --door "$3" --door "$4" --door "$5"
}

case $what in
world)
	seed=$1 out=$2
	kinds "$seed" >"$out.parts"
	layout=$(sed -n '$p' "$out.parts")
	sed '$d' "$out.parts" >"$out.parts.new"
	while read -r spec; do
		# shellcheck disable=SC2086
		roomgen $spec
	done <"$out.parts.new" >"$out.rooms"
	roomgen join --layout "$layout" --door-at random -s "$seed" -o "$out.room" <"$out.rooms"
	mv "$out.parts.new" "$out.parts" ;;
found)
	seed=$1 steps=$2 home=$3
	scratch
	mkdir -p "$home"
	sh "$0" world "$seed" "$dir/w"
	roomwalk -n "$steps" -s "$seed" "$dir/w.room" -o "$dir/w.walk"
	cscg-learn -s "$seed" "$dir/w.walk" -o "$home/world-$seed.gz"
	beside=$(beside "$dir/w.room" "$dir/w.walk" "$home/world-$seed.gz" "$dir/w.parts")
	maps=$(sed -n 's,^map .*/\(.*\)-medium.txt$,\1,p' "$dir/w.parts" | paste -s -d , -)
	printf '%s\t%s\t%s\t%s\n' "$seed" "$(cscg-show --as nodes "$dir/w.room" | grep -vc '^#')" \
	    "$(errors "$home/world-$seed.gz" "$dir/w.room" "$dir/w.walk")" "$beside${maps:+	$maps}" ;;
place)
	dir=$1
	mkdir -p "$dir/exact"
	for k in rectangle hole ushape; do
		into "$dir/$k.room" make_room $k
		roomgen room --as model "$dir/$k.room" | cscg-show --as schema -o "$dir/exact/$k.gz"
	done
	r=$dir/rectangle.room h=$dir/hole.room u=$dir/ushape.room
	roomgen join --layout 2x3 "$r" "$h" "$u" "$u" "$r" "$h" -o "$dir/old.room"
	roomgen join --layout 3x2 "$h" "$r" "$r" "$u" "$u" "$h" |
	    roomgen room --permute -s 1 -o "$dir/new.room" ;;
learn)
	dir=$1 seed=$2 steps=$3
	roomwalk -n "$steps" -s "$seed" "$dir/old.room" -o "$dir/old.walk"
	cscg-learn -s "$seed" "$dir/old.walk" -o "$dir/old.gz" ;;
walks)
	dir=$1 seed=$2
	roomwalk -n 30000 --policy cover -s "$seed" "$dir/new.room" -o "$dir/walk-$seed.gz"
	roomwalk -n 10000 --episodes 10 -s "1$seed" "$dir/new.room" -o "$dir/test-$seed.gz" ;;
run)
	home=$1 seed=$2 steps=$3 how=$4
	scratch
	w=$dir/walk.gz m=$home/$how-$seed-$steps.gz
	walkconv --head "$steps" "$home/walk-$seed.gz" -o "$w"
	case $how in
	discovered) cscg-stitch -q -s "$seed" --partition "$home/old.gz" -w "$w" --report "$dir/report" -o "$m" ;;
	walls) cscg-stitch -q -s "$seed" --partition --frontiers boundary "$home/old.gz" -w "$w" \
	    --report "$dir/report" -o "$m" ;;
	exact) cscg-stitch -q -s "$seed" "$home/exact/rectangle.gz*2" "$home/exact/hole.gz*2" \
	    "$home/exact/ushape.gz*2" -w "$w" --report "$dir/report" -o "$m" ;;
	scratch) cscg-learn -s "$seed" "$w" -o "$m" ;;
	esac
	known=-
	[ "$how" = scratch ] || known=$(known "$home/new.room" "$w" "$m" "$dir/report")
	nll=$(cscg-score "$m" -w "$home/test-$seed.gz" | awk -F '\t' '$1 == "all" { print $4 }')
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$how" "$seed" "$steps" "$nll" \
	    "$(errors "$m" "$home/new.room" "$w")" "$known" ;;
table)
	# An infinite NLL (unseen symbol) makes the mean infinite.
	awk -F '\t' '
	{ k = $1 "\t" $3; if (!(k in n)) order[++keys] = k
	  n[k]++; if ($4 == "inf") inf[k]++; else { s[k] += $4; q[k] += $4 * $4 }
	  missing[k] += $7; spurious[k] += $8; perfect[k] += $9 == "yes"; known[k] += $10 }
	END {
		print "#how\tsteps\tseeds\tnll\tsem\tperfect\tmissing\tspurious\tknown"
		for (i = 1; i <= keys; i++) { k = order[i]
			m = s[k] / n[k]; v = n[k] > 1 ? (q[k] - n[k] * m * m) / (n[k] - 1) : 0
			printf "%s\t%d\t%s\t%s\t%d\t%.1f\t%.1f\t%s\n", k, n[k],
			    inf[k] ? "inf" : sprintf("%.4f", m), inf[k] ? "-" : \
			    sprintf("%.4f", sqrt(v > 0 ? v / n[k] : 0)), perfect[k],
			    missing[k] / n[k], spurious[k] / n[k],
			    k ~ /^scratch/ ? "-" : sprintf("%.4f", known[k] / n[k]) } }' "$@" |
	    sort -t "$(printf '\t')" -k 1,1 -k 2,2n ;;
rows)
	awk -F '\t' '
	function is(ok) { return ok ? "yes" : "no" }
	/^#/ { next }
	FNR == NR { n++; whole += $7 == "yes"; exact += $9 == "yes"; doors += $10; hit += $11
	  false += $12; equal += $13; told += $14; confused += $15; next }
	{ nll[$1, $2] = $4; sem[$1, $2] = $5; perfect[$1, $2] = $6; seeds[$1, $2] = $3
	  wrong[$1, $2] = $7 " missing, " $8 " spurious"; known[$1, $2] = $9
	  if (!($2 in seen)) { seen[$2]; at[++lengths] = $2 } }
	function show(h, l) { return nll[h, l] " +- " sem[h, l] ", " wrong[h, l] }
	END {
		OFS = "\t"
		print "discover", "rooms of " n " learned worlds: exact partitions (graphs learned exactly)",
		    "-", exact "/" n " (" whole ")", ">= 18/20", is(exact >= .9 * n && n > 0)
		print "discover", "doors found, and false ones", "-", hit "/" doors ", " false + 0, "-", "-"
		print "discover", "pairs of equal rooms recognised; different ones taken for equal", "-",
		    told "/" equal "; " confused + 0, "none", is(confused == 0 && n > 0)
		for (i = 1; i <= lengths; i++) { l = at[i]
			a = nll["discovered", l]; b = nll["scratch", l]
			print "discover", "new world at " l " steps, schemas discovered in another (scratch)", "-",
			    show("discovered", l) " (" show("scratch", l) ")",
			    (l < 3000 ? "-" : "below"), (l < 3000 ? "-" : is(b == "inf" || a + 0 < b + 0))
			print "discover", "perfect graphs at " l " steps, and steps in a room of the right kind", "-",
			    perfect["discovered", l] "/" seeds["discovered", l] " (scratch " \
			    perfect["scratch", l] + 0 "), " known["discovered", l], (l < 5000 ? "-" : "all"),
			    (l < 5000 ? "-" : is(perfect["discovered", l] == seeds["discovered", l])) } }' "$@" ;;
draw)
	out=$1 table=$2 home=$3
	scratch
	cscg-show --as nodes --truth "$home/old.room" -w "$home/old.walk" "$home/old.gz" >"$dir/at"
	cscg-show --partition "$home/old.gz" >"$dir/rooms"
	awk -F '\t' '
	FNR == 1 { file++ } FNR == 1 && file == 1 { for (i = 1; i <= NF; i++) { h = $i; sub(/^#/, "", h); col[h] = i } }
	/^#/ { t = $1; next } NF == 0 { next }
	file == 1 { y[$1] = -$col["y"]; x[$1] = $col["x"]; next }
	t == "#room" { class[$1] = $2 }
	t == "#from_room" { print x[$2], y[$2], x[$5] - x[$2], y[$5] - y[$2] >doors }
	t == "#state" { if (!(class[$2] in hue)) hue[class[$2]] = n++; print x[$1], y[$1], hue[class[$2]] }' \
	    doors="$dir/doors" "$dir/at" "$dir/rooms" >"$dir/cells"
	{
		echo "set multiplot layout 1,2
		unset key; unset tics; unset border; set size ratio -1
		set title 'rooms found in a learned graph, coloured by kind; doors red'
		set palette maxcolors 6 defined (0 '#9ecae1', 1 '#a1d99b', 2 '#fdae6b', 3 '#bcbddc', 4 '#fbb4b9', 5 '#cccccc')
		set cbrange [-.5:5.5]; unset colorbox
		plot '$dir/cells' using 1:2:(.46):(.46):3 with boxxyerror fs solid .9 noborder lc palette, \\
		  '$dir/doors' using 1:2:3:4 with vectors nohead lc rgb '#d62728' lw 3
		set size noratio; set tics; set border; set key below samplen 2 height 1
		set title 'another world of such rooms'
		set logscale xy; set xlabel 'steps of the walk learned from'
		set ylabel 'nats per step, 10 test walks'; set grid lc rgb '#e0e0e0'"
		sep='plot '
		while IFS=: read -r how lt title; do
			curve "$table" "$how" "$lt" "$title" || continue
		done <<-LINES
		discovered:1:schemas discovered
		walls:2:schemas discovered, doors at any wall
		exact:4 dt 2:exact schemas
		scratch:7:from scratch
		LINES
		printf '\nunset multiplot\n'
	} >"$dir/commands"
	plot "$out" 1000 420 <"$dir/commands" ;;
*) echo "discover.sh: no '$what'" >&2; exit 2 ;;
esac
