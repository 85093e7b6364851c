#!/bin/sh
# stitch.sh - a place put together from schemas, or learned from scratch
# (fig-stitch2d)
#
#   stitch.sh world DIR       rooms with doors, their exact schemas (DIR/exact)
#                             and the place of three of them (DIR/place.room)
#   stitch.sh learn DIR SEED STEPS KIND    a learned schema, its doors marked
#                             where the room has them (DIR/learned)
#   stitch.sh walks DIR SEED  a cover walk of 30,000 steps, whose prefixes are
#                             learned from, and ten random ones to test by
#   stitch.sh run DIR SEED STEPS HOW       learn by exact (schemas), printed
#                             (the same by the paper's algorithm as printed),
#                             learned (schemas) or scratch; keeps the model in
#                             DIR/HOW-SEED-STEPS.gz; prints a row
#   stitch.sh wrong DIR SEED  libraries that are not right, a row each
#   stitch.sh table FILE...   means over seeds of what run printed
#   stitch.sh rows FILE...    the same beside the paper, of what table printed
. "$(dirname "$0")/common.sh"
what=$1
shift

# Doors are in the middle of each side, where there is a wall.
doors()
{
	case $1 in
	rectangle) echo 4,8,right 4,0,left 0,4,up 7,4,down ;;
	hole) echo 4,8,right 4,0,left 0,4,up 8,4,down ;;
	ushape) echo 4,8,right 4,0,left 0,1,up 9,4,down ;;
	cylinder) echo 4,8,right 4,0,left ;;
	rectangle-small) echo 3,7,right 3,0,left 0,4,up 6,4,down ;;
	hole-small) echo 3,7,right 3,0,left 0,4,up 7,4,down ;;
	ushape-small) echo 3,8,right 3,0,left 0,1,up 6,4,down ;;
	esac
}

make_room() # KIND[-SIZE]
{
	args=
	for d in $(doors "$1"); do args="$args --door $d"; done
	case $1 in *-*) args="--size ${1#*-} $args" ;; esac
	# shellcheck disable=SC2086
	roomgen "${1%-*}" $args --name "$1"
}

# errors MODEL ROOM WALK: states, purity, missing, spurious, isomorphic
errors()
{
	# 1 says that they are not isomorphic.
	{ cscg-show --truth "$2" -w "$3" "$1" || [ $? = 1 ]; } | awk '
	$1 == "states" { s = $2 } $1 == "purity" { p = $2 }
	$1 == "missing" { m = $2 } $1 == "spurious" { x = $2 }
	$1 == "isomorphic" { print s "\t" p "\t" m "\t" x "\t" $2 }'
}

fit() # REPORT: connections, jumps, odd looks
{
	awk 'NF == 0 { exit } { v[$1] = $2 }
	END { print v["connections"] "\t" v["jumps"] "\t" v["odd"] }' "$1"
}

# The cells with a door of a room among the states of a model placed in it.
mark() # DOORS MODEL ROOM WALK
{
	cscg-show --as tsv --nodes --truth "$3" -w "$4" "$2" | awk -F '\t' -v doors="$1" '
	BEGIN { n = split(doors, d, " "); split("up down left right", a, " ")
		for (i in a) number[a[i]] = i - 1 }
	/^#/ { for (i = 1; i <= NF; i++) { if ($i == "y") y = i; if ($i == "x") x = i }; next }
	{ for (i = 1; i <= n; i++) { split(d[i], f, ",")
		if (int($y + .5) == f[1] && int($x + .5) == f[2])
			print $1, number[f[3]] } }' | sort -n -k1,1 -k2,2 |
	    awk '{ printf "%s[%d,%d]", (NR > 1 ? "," : ""), $1, $2 }'
}

case $what in
world)
	dir=$1
	mkdir -p "$dir/rooms" "$dir/exact" "$dir/learned" "$dir/decoys"
	for k in rectangle hole ushape cylinder rectangle-small hole-small ushape-small; do
		make_room $k >"$dir/rooms/$k.room"
		case $k in *-*) to=decoys ;; *) to=exact ;; esac
		roomgen room --as model "$dir/rooms/$k.room" -o "$dir/$to/$k.gz"
	done
	roomgen join "$dir"/rooms/rectangle.room "$dir"/rooms/hole.room \
	    "$dir"/rooms/ushape.room -o "$dir/place.room"
	roomgen join --layout 2x2 "$dir"/rooms/rectangle.room "$dir"/rooms/hole.room \
	    "$dir"/rooms/rectangle.room "$dir"/rooms/ushape.room -o "$dir/twice.room" ;;
learn)
	dir=$1 seed=$2 steps=$3 kind=$4
	scratch_to=$dir
	scratch
	roomwalk -n "$steps" -s "$seed" "$scratch_to/rooms/$kind.room" -o "$dir/w.gz"
	cscg-learn -s "$seed" "$dir/w.gz" -o "$dir/m.gz"
	gates=$(mark "$(doors "$kind")" "$dir/m.gz" "$scratch_to/rooms/$kind.room" "$dir/w.gz")
	cscg-show --as schema "$dir/m.gz" --no-gzip |
	    sed "s/\"history\":/\"frontiers\":[$gates],&/" | gzip -n >"$dir/s.gz"
	mv "$dir/s.gz" "$scratch_to/learned/$kind.gz" ;;
walks)
	dir=$1 seed=$2
	roomwalk -n 30000 --policy cover -s "$seed" "$dir/place.room" -o "$dir/walk-$seed.gz"
	roomwalk -n 10000 --episodes 10 -s "1$seed" "$dir/place.room" -o "$dir/test-$seed.gz" ;;
run)
	dir=$1 seed=$2 steps=$3 how=$4
	out=$dir/$how-$seed-$steps
	walkconv --head "$steps" "$dir/walk-$seed.gz" -o "$out.walk"
	case $how in
	exact) cscg-stitch -q -s "$seed" "$dir"/exact/*.gz -w "$out.walk" \
	    --report "$out.report" -o "$out.gz" ;;
	printed) cscg-stitch -q -s "$seed" --trust 0 "$dir"/exact/*.gz -w "$out.walk" \
	    --report "$out.report" -o "$out.gz" ;;
	learned) cscg-stitch -q -s "$seed" "$dir"/learned/*.gz -w "$out.walk" \
	    --report "$out.report" -o "$out.gz" ;;
	scratch) cscg-learn -s "$seed" "$out.walk" -o "$out.gz"
		printf 'connections -\njumps -\nodd -\n' >"$out.report" ;;
	esac
	nll=$(cscg-score "$out.gz" -w "$dir/test-$seed.gz" | awk -F '\t' '$1 == "all" { print $4 }')
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$how" "$seed" "$steps" "$nll" \
	    "$(errors "$out.gz" "$dir/place.room" "$out.walk")" "$(fit "$out.report")"
	rm -f "$out.report" ;;
wrong)
	home=$1 seed=$2
	scratch
	for world in place twice; do
		roomwalk -n 5000 --policy cover -s "$seed" "$home/$world.room" -o "$dir/$world.gz"
	done
	e=$home/exact d=$home/decoys
	try() # NAME WORLD SCHEMA...
	{
		name=$1 world=$2
		shift 2
		cscg-stitch -q -s "$seed" "$@" -w "$dir/$world.gz" --report "$dir/report" -o "$dir/m.gz"
		blocks=$(awk '/^#block/ { on = 1; next } NF == 0 { on = 0 }
		on && $5 { printf "%s%s %.0f%%, %.1f%% bad", (n++ ? "; " : ""), $2, 100 * $6, 100 * ($7 + $8) / $5 }' "$dir/report")
		printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$seed" \
		    "$(errors "$dir/m.gz" "$home/$world.room" "$dir/$world.gz")" \
		    "$(fit "$dir/report")" "$blocks"
	}
	try right place "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz"
	try 'decoys added' place "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz" "$e/cylinder.gz" "$d"/*.gz
	try 'one missing' place "$e/rectangle.gz" "$e/hole.gz"
	try 'two missing' place "$e/rectangle.gz"
	try 'two missing, decoys' place "$e/rectangle.gz" "$e/cylinder.gz" "$d"/*.gz
	try 'one needed twice, there' twice "$e/rectangle.gz*2" "$e/hole.gz" "$e/ushape.gz"
	try 'one needed twice, once there' twice "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz"
	try 'all three twice' twice "$e/rectangle.gz*2" "$e/hole.gz*2" "$e/ushape.gz*2" ;;
table)
	# An infinite NLL (a symbol never seen before) makes an infinite mean.
	awk -F '\t' '
	{ k = $1 "\t" $3; if (!(k in n)) order[++keys] = k
	  n[k]++; if ($4 == "inf") inf[k]++; else { s[k] += $4; q[k] += $4 * $4 }
	  missing[k] += $7; spurious[k] += $8; perfect[k] += $9 == "yes"
	  if ($9 == "yes") states = $5 }
	END {
		print "#how\tsteps\tseeds\tnll\tsem\tperfect\tmissing\tspurious"
		for (i = 1; i <= keys; i++) { k = order[i]
			m = s[k] / n[k]; v = n[k] > 1 ? (q[k] - n[k] * m * m) / (n[k] - 1) : 0
			printf "%s\t%d\t%s\t%s\t%d\t%.1f\t%.1f\n", k, n[k],
			    inf[k] ? "inf" : sprintf("%.4f", m), inf[k] ? "-" : \
			    sprintf("%.4f", sqrt(v > 0 ? v / n[k] : 0)), perfect[k],
			    missing[k] / n[k], spurious[k] / n[k] } }' "$@" |
	    sort -t "$(printf '\t')" -k 1,1 -k 2,2n ;;
rows)
	awk -F '\t' '
	/^#/ || $3 + 0 == 0 { next }
	{ nll[$1, $2] = $4; sem[$1, $2] = $5; perfect[$1, $2] = $6 "/" $3
	  wrong[$1, $2] = $7 " missing, " $8 " spurious"
	  if ($1 == "scratch") lengths[$2] }
	function is(ok) { return ok ? "yes" : "no" }
	function show(h, l) { return nll[h, l] " +- " sem[h, l] ", " wrong[h, l] }
	END {
		OFS = "\t"
		split("3000 5000 10000", at, " ")
		for (i = 1; i <= 3; i++) {
			split(perfect["exact", at[i]], p, "/")
			print "S7", "2D, schemas: perfect graphs at " at[i], (at[i] == 10000 ? "yes" : "-"),
			    p[1] "/" p[2], "all", is(p[1] == p[2] && p[2] > 0) }
		for (l = 1; l <= 30; l++) if ((l * 1000) in lengths) {
			a = nll["exact", l * 1000]; b = nll["scratch", l * 1000]
			print "S7", "2D, test NLL at " l * 1000 " steps, schemas (scratch)", "-",
			    show("exact", l * 1000) " (" show("scratch", l * 1000) ")",
			    (l < 3 ? "-" : "below"), (l < 3 ? "-" : is(b == "inf" || a + 0 < b + 0)) } }' "$@" ;;
*) echo "stitch.sh: no '$what'" >&2; exit 2 ;;
esac
