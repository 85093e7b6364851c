#!/bin/sh
# stitch.sh - a world composed of schemas, or learned from scratch (fig-stitch2d)
#
#   stitch.sh world DIR       rooms with doors, their exact schemas (DIR/exact)
#                             and the world of three of them (DIR/place.room)
#   stitch.sh learn DIR SEED STEPS KIND    a learned schema, with frontiers at the
#                             doors of the room (DIR/learned)
#   stitch.sh walks DIR SEED  a cover walk of 30,000 steps, whose prefixes are the
#                             training data, and ten random test walks
#   stitch.sh run DIR SEED STEPS HOW       learn by exact (exact schemas), printed
#                             (exact schemas, the paper's algorithm as printed),
#                             learned (learned schemas), scratch, or plain (scratch
#                             by EM alone, from a random start, with $CLONES); the
#                             model is DIR/HOW-SEED-STEPS.gz; prints a row
#   stitch.sh wrong DIR SEED  libraries with missing, additional or repeated schemas,
#                             one row each, walks of $STEPS (5,000)
#   stitch.sh table FILE...   means over seeds of the rows of run
#   stitch.sh rows FIGURE NAME FILE        rows of results with the paper's, from the
#                             output of table
#
# fig-stitch3d uses run, table and rows as well; stitch3d.sh makes its world.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/stitch-parts.sh"
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

# The states of a model that are decoded at cells with a door.
mark() # DOORS MODEL ROOM WALK
{
	cscg-show --as nodes --truth "$3" -w "$4" "$2" | awk -F '\t' -v doors="$1" '
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
		into "$dir/rooms/$k.room" make_room $k
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
	into "$scratch_to/learned/$kind.gz" cat "$dir/s.gz" ;;
walks)
	dir=$1 seed=$2
	roomwalk -n 30000 --policy cover -s "$seed" "$dir/place.room" -o "$dir/walk-$seed.gz"
	roomwalk -n 10000 --episodes 10 -s "1$seed" "$dir/place.room" -o "$dir/test-$seed.gz" ;;
run)
	home=$1 seed=$2 steps=$3 how=$4
	out=$home/$how-$seed-$steps
	scratch
	walkconv --head "$steps" "$home/walk-$seed.gz" -o "$out.walk"
	case $how in
	exact) cscg-stitch -q -s "$seed" "$home"/exact/*.gz -w "$out.walk" \
	    --report "$dir/report" -o "$out.gz" ;;
	printed) cscg-stitch -q --jitter 0 --restarts 1 --reset-rounds 0 --prior-weight 0 \
	    "$home"/exact/*.gz -w "$out.walk" --report "$dir/report" -o "$out.gz" ;;
	learned) cscg-stitch -q -s "$seed" "$home"/learned/*.gz -w "$out.walk" \
	    --report "$dir/report" -o "$out.gz" ;;
	scratch) cscg-learn -s "$seed" "$out.walk" -o "$out.gz" ;;
	plain) cscg-learn -s "$seed" --structure none --restarts 1 --clones "${CLONES:?}" "$out.walk" -o "$out.gz" ;;
	esac
	[ -e "$dir/report" ] || printf 'connections -\njumps -\nunlikely -\n' >"$dir/report"
	nll=$(cscg-score "$out.gz" -w "$home/test-$seed.gz" | awk -F '\t' '$1 == "all" { print $4 }')
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$how" "$seed" "$steps" "$nll" \
	    "$(errors "$out.gz" "$home/place.room" "$out.walk")" "$(fit "$dir/report")" ;;
wrong)
	home=$1 seed=$2
	scratch
	for world in place twice; do
		roomwalk -n "${STEPS:-5000}" --policy cover -s "$seed" "$home/$world.room" -o "$dir/$world.gz"
	done
	e=$home/exact d=$home/decoys
	in_place() { n=$1; shift; try "$n" "$seed" "$home/place.room" "$dir/place.gz" "$@"; }
	in_twice() { n=$1; shift; try "$n" "$seed" "$home/twice.room" "$dir/twice.gz" "$@"; }
	in_place right "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz"
	in_place 'decoys added' "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz" "$e/cylinder.gz" "$d"/*.gz
	in_place 'one missing' "$e/rectangle.gz" "$e/hole.gz"
	in_place 'two missing' "$e/rectangle.gz"
	in_place 'two missing, decoys' "$e/rectangle.gz" "$e/cylinder.gz" "$d"/*.gz
	in_twice 'one needed twice, there' "$e/rectangle.gz*2" "$e/hole.gz" "$e/ushape.gz"
	in_twice 'one needed twice, once there' "$e/rectangle.gz" "$e/hole.gz" "$e/ushape.gz"
	in_twice 'all three twice' "$e/rectangle.gz*2" "$e/hole.gz*2" "$e/ushape.gz*2" ;;
table)
	# An infinite NLL (unseen symbol) makes the mean infinite.
	awk -F '\t' '
	{ k = $1 "\t" $3; if (!(k in n)) order[++keys] = k
	  n[k]++; if ($4 == "inf") inf[k]++; else { s[k] += $4; q[k] += $4 * $4 }
	  missing[k] += $7; spurious[k] += $8; perfect[k] += $9 == "yes"; states[k] += $5 }
	END {
		print "#how\tsteps\tseeds\tnll\tsem\tperfect\tmissing\tspurious\tstates"
		for (i = 1; i <= keys; i++) { k = order[i]
			m = s[k] / n[k]; v = n[k] > 1 ? (q[k] - n[k] * m * m) / (n[k] - 1) : 0
			printf "%s\t%d\t%s\t%s\t%d\t%.1f\t%.1f\t%.1f\n", k, n[k],
			    inf[k] ? "inf" : sprintf("%.4f", m), inf[k] ? "-" : \
			    sprintf("%.4f", sqrt(v > 0 ? v / n[k] : 0)), perfect[k],
			    missing[k] / n[k], spurious[k] / n[k], states[k] / n[k] } }' "$@" |
	    sort -t "$(printf '\t')" -k 1,1 -k 2,2n ;;
rows)
	figure=$1 name=$2
	shift 2
	# The paper has numbers for its 3D world only.
	awk -F '\t' -v figure="$figure" -v name="$name" '
	function is(ok) { return ok ? "yes" : "no" }
	function less(x, y) { return y == "inf" || x + 0 < y + 0 }
	function show(h, l) { return nll[h, l] " +- " sem[h, l] ", " wrong[h, l] }
	function row(what, paper, ours, wanted, verdict) {
		print figure, name ", " what, paper, ours, wanted, verdict
	}
	function perfect_at(h, title, l, paper, wanted, p) {
		if (!((h, l) in perfect)) return
		split(perfect[h, l], p, "/")
		row(title ": perfect graphs at " l, paper, p[1] "/" p[2] ", " wrong[h, l],
		    wanted, wanted == "-" ? "-" : is(p[1] >= (wanted ~ /^all/ ? 1 : .9) * p[2]))
	}
	function ratio(paper, ours) {
		if (ours == "inf") return "the paper is lower"
		paper += 0; ours += 0
		return sprintf("%.1f times %s than the paper", (ours < paper ? paper / ours : ours / paper), (ours < paper ? "lower" : "higher"))
	}
	function with(l) { return figure == "3B" && l in known ? known[l] : "-" }
	function without(l) { return figure == "3B" && l in learned ? learned[l] : "-" }
	BEGIN {
		OFS = "\t"
		known[5000] = "0.73"; known[10000] = "0.17"
		learned[10000] = "4.27"; learned[30000] = "1.21"
	}
	/^#/ { next }
	{ nll[$1, $2] = $4; sem[$1, $2] = $5; perfect[$1, $2] = $6 "/" $3
	  wrong[$1, $2] = $7 " missing, " $8 " spurious"
	  if ($1 == "scratch") lengths[++n] = $2 }
	END {
		perfect_at("exact", "schemas", 3000, "-", "all, aim")
		perfect_at("exact", "schemas", 5000, figure == "3B" ? "no, some spurious" : "-", "9 of 10")
		perfect_at("exact", "schemas", 10000, "yes", "all")
		perfect_at("learned", "learned schemas", 5000, "-", "-")
		for (i = 1; i <= n; i++) { l = lengths[i]
			a = nll["exact", l]; b = nll["scratch", l]
			c = (("plain", l) in nll) ? nll["plain", l] : "inf"
			row("test NLL at " l " steps, schemas (scratch), pseudocount 0.002",
			    with(l) " (" without(l) ")", show("exact", l) " (" show("scratch", l) ")",
			    (l < 3000 ? "-" : "below"), (l < 3000 ? "-" : is(less(a, b) && less(a, c))))
			row("from scratch over schemas, NLL at " l " steps",
			    (with(l) != "-" && without(l) != "-" ? sprintf("%.1f", without(l) / with(l)) : "-"),
			    (b == "inf" ? "inf" : sprintf("%.1f", b / a)), "-", "-")
		}
		# NLL without schemas, of the paper and ours.
		for (i = 1; i <= n; i++) { l = lengths[i]
			if (without(l) == "-") continue
			split("scratch plain", hows, " ")
			for (k = 1; k <= 2; k++) if ((hows[k], l) in nll) { b = nll[hows[k], l]
				row("NLL at " l " without schemas, " (k == 1 ? "cscg-learn as it is" : "EM alone, random start"),
				    without(l), show(hows[k], l) "; " ratio(without(l), b), "-",
				    (b != "inf" && b / without(l) < 1.2 && b / without(l) > 1 / 1.2 ? "reproduced" : "not reproduced")) }
		}
	}' "$@" ;;
*) echo "stitch.sh: no '$what'" >&2; exit 2 ;;
esac
