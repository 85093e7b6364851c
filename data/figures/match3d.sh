#!/bin/sh
# match3d.sh - rooms learned from views, and identified (fig-match3d)
#
#   match3d.sh learn OUT ROOM THEME SEED
#       learn from a walk of $STEPS (100000) with views: OUT.room, OUT.gz; prints a
#       line of errors of the graph on another walk
#   match3d.sh test ROOM THEME SEED NOISE DIR...
#       cscg-match of $WALKS (10) walks of $STEPS (3000) against all schemas in a DIR
#       each, in turns, every $EVERY (500) steps.  Each walk has its own codebook, fitted to all its
#       steps, so early symbols are more accurate than they could be online
#   match3d.sh means TRUTH FILE
#       mean NLL and its interval for each step and schema of such rows, and the step
#       from which on TRUTH has the lowest mean
#   match3d.sh scratch ROOM THEME SEED SCHEMA STEPS...
#       NLL and purity on another walk after learning from walks of these lengths
#       without a schema, and after binding the right one (up to $BOUND, 10000 steps),
#       with SEED and SEED + 1
#
# ROOM is a layout of roomgen voxel, or a text map if it contains a slash.  $K is the
# number of centroids (50).
. "$(dirname "$0")/common.sh"
what=$1
shift

room() # ROOM THEME
{
	case $1 in
	*/*) roomgen voxel --map "$1" --theme "$2" ;;
	*) roomgen voxel --map "$1" --theme "$2" ;;
	esac
}

# seen STEPS SEED NOISE ROOM: a walk with views (larger views if NOISE is set)
seen()
{
	roomwalk -n "$1" -s "$2" --render --noise "$3" --no-gzip "$4"
}

# symbols SEED CODEBOOK: frames of a walk quantised by a new codebook
symbols()
{
	vq-kmeans -q -k "${K:-50}" -s "$1" --codebook "$2"
}

# compare ROOM WALK MODEL: states, purity, missing, spurious, isomorphic.
# Symbols are those of the codebook, not of the room.
compare()
{
	# Status 1: the graph is not isomorphic to the room's.
	{ cscg-show --labels ignore --truth "$1" -w "$2" "$3" || [ $? = 1 ]; } |
	    awk -F '\t' -v OFS='\t' '{ v[$1] = $2 }
	    END { print v["states"], v["purity"], v["missing"], v["spurious"], v["isomorphic"] }'
}

nats() # MODEL WALK
{
	cscg-score -w "$2" "$1" | awk -F '\t' '$1 == "0" { print $4 }'
}

case $what in
learn)
	out=$1 name=$2 theme=$3 seed=$4
	steps=${STEPS:-100000}
	scratch
	into "$out.room" room "$name" "$theme"
	seen "$steps" "$seed" 0 "$out.room" | symbols "$seed" "$dir/book" >"$dir/walk"
	seen "$steps" $((seed + 500000)) 0 "$out.room" |
	    vq-kmeans -q --encode "$dir/book" >"$dir/fresh"
	cscg-learn -q -s "$seed" "$dir/walk" >"$dir/model"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$theme" "$seed" "$steps" \
	    "$(cscg-show --as nodes "$out.room" | grep -vc '^#')" \
	    "$(compare "$out.room" "$dir/fresh" "$dir/model")" \
	    "$(nats "$dir/model" "$dir/fresh")"
	into "$out.gz" cat "$dir/model" ;;
test)
	name=$1 theme=$2 seed=$3 noise=$4
	shift 4
	scratch
	room "$name" "$theme" >"$dir/room"
	i=0
	while [ $i -lt "${WALKS:-10}" ]; do
		s=$((seed + i)) schemas=$1
		shift
		set -- "$@" "$schemas"
		seen "${STEPS:-3000}" $s "$noise" "$dir/room" | symbols $s "$dir/book" >"$dir/walk"
		# No winner at the last step is a valid answer.
		cscg-match --tie none --warm-start --restarts 2 --every "${EVERY:-500}" -s "$s" \
		    -w "$dir/walk" "$schemas"/*.gz >"$dir/match" || [ $? = 1 ]
		awk -F '\t' -v OFS='\t' -v i=$i '/^#/ { if (!i) print; next } { $1 = i } 1' "$dir/match"
		i=$((i + 1))
	done ;;
means)
	truth=$1
	awk -F '\t' -v truth="$truth" -v OFS='\t' '
	BEGIN { # Student: 97.5 % with 1, 2, ... degrees of freedom
		df = split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 " \
		    "2.262 2.228 2.201 2.179 2.160 2.145", t, " ")
		print "#step", "schema", "nll", "lo", "hi"
	}
	/^#/ { next }
	{
		if (!(($2, $3) in n)) key[++keys] = $2 SUBSEP $3
		n[$2, $3]++; sum[$2, $3] += $4; sq[$2, $3] += $4 * $4
	}
	END {
		for (i = 1; i <= keys; i++) {
			k = key[i]
			split(k, part, SUBSEP)
			mean = sum[k] / n[k]
			var = n[k] > 1 ? (sq[k] - n[k] * mean * mean) / (n[k] - 1) : 0
			half = var > 0 ? t[n[k] > df ? df : n[k] - 1] * sqrt(var / n[k]) : 0
			print part[1], part[2], mean, mean - half, mean + half
			if (!(part[1] in least) || mean < least[part[1]]) {
				least[part[1]] = mean
				best[part[1]] = part[2]
			}
			if (part[2] == truth) step[++steps] = part[1]
		}
		since = first = "-"
		for (i = 1; i <= steps; i++)
			if (best[step[i]] != truth) since = "-"
			else {
				if (since == "-") since = step[i]
				if (first == "-") first = step[i]
			}
		print "#first", first
		print "#sustained", since
	}' "$2" ;;
scratch)
	name=$1 theme=$2 seed=$3 schema=$4
	shift 4
	scratch
	room "$name" "$theme" >"$dir/room"
	for seed in "$seed" $((seed + 1)); do for n; do
		seen "$n" "$seed" 0 "$dir/room" | symbols "$seed" "$dir/book" >"$dir/walk"
		seen 5000 $((seed + 500000)) 0 "$dir/room" |
		    vq-kmeans -q --encode "$dir/book" >"$dir/fresh"
		for how in scratch schema; do
			case $how in
			scratch) cscg-learn -q -s "$seed" "$dir/walk" >"$dir/model" ;;
			schema)
				[ "$n" -le "${BOUND:-10000}" ] || continue
				cscg-bind -q -s "$seed" --tie none -w "$dir/walk" "$schema" >"$dir/model" ;;
			esac
			printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$n" "$how" \
			    "$(nats "$dir/model" "$dir/fresh")" \
			    "$(compare "$dir/room" "$dir/fresh" "$dir/model")"
		done
	done; done ;;
*) echo "match3d.sh: no '$what'" >&2; exit 2 ;;
esac
