#!/bin/sh
# plan3d.sh - the path back in the four-room world with another theme (fig-plan3d)
#
#   plan3d.sh schema MODEL        a stitched model as a schema without pseudocount
#   plan3d.sh cover OUT SCHEMA THEME SEED STEPS    after a cover walk
#   plan3d.sh given OUT SCHEMA THEME SEED ACTIONS START    after a walk of these
#       actions: quantise its views to $K (80) symbols, bind the schema, plan the
#       shortest path back to the start, and execute it.  Prints a row; writes
#       OUT.room, OUT.walk and OUT.way.
#   plan3d.sh rows GIVEN COVER    rows of results, with the paper's
#   plan3d.sh draw OUT FROM       the world from above with the walk and the path
#       back, from the files FROM.* of cover or given and their row FROM.tsv
#
# $PLACE are the options of roomgen voxel for the world (--map compose4).
. "$(dirname "$0")/common.sh"
what=$1
shift

world() # OPTIONS
{
	# shellcheck disable=SC2086
	roomgen voxel ${PLACE:---map compose4} "$@"
}

nodes() # WALK: its true nodes
{
	walkconv --as tsv "$1" | awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "z") z = i; next } { print $z }'
}

# shortest FROM TO: distance in the true graph (states of an exact schema are nodes)
shortest()
{
	world --as model | cscg-plan --start "state:$1" --goal "state:$2" - | wc -l
}

# Quantise the views, bind the schema, and plan the path back: $dir/plan, which is
# empty if there is none.
plan_back() # SCHEMA SEED WALK
{
	cscg-bind -q --tie none --restarts "${RESTARTS:-40}" --jitter "${JITTER:-0.1}" \
	    -s "$2" -w "$3" "$1" -o "$dir/bound.gz"
	cscg-plan -q --goal start -s "$2" -w "$3" "$dir/bound.gz" >"$dir/plan" || [ $? = 1 ]
}

case $what in
schema)
	# The pseudocount allows for transitions that a short walk does not visit.
	scratch
	cscg-show --as schema --no-gzip "$1" -o "$dir/schema"
	sed 's/"pseudocount":[^,]*/"pseudocount":0.0001/' "$dir/schema" ;;
cover | given)
	out=$1 schema=$2 theme=$3 seed=$4
	scratch
	world --theme "$theme" -o "$out.room"
	case $what in
	cover) roomwalk --render --policy cover -s "$seed" -n "$5" "$out.room" ;;
	given) grep -v '^#' "$5" | roomwalk --render --actions - --start "$6" "$out.room" ;;
	esac | vq-kmeans -q -k "${K:-80}" -s "$seed" -o "$out.walk"
	plan_back "$schema" "$seed" "$out.walk"
	nodes "$out.walk" >"$dir/been"
	from=$(tail -n 1 "$dir/been") to=$(head -n 1 "$dir/been")
	roomwalk --actions "$dir/plan" --start "$from" "$out.room" -o "$out.way"
	all=$(cscg-show --as nodes "$out.room" | grep -vc '^#')
	# The nodes of a cell, one for each heading, have consecutive numbers.
	nodes "$out.way" | awk -v OFS='\t' -v to="$to" -v best="$(shortest "$from" "$to")" \
	    -v theme="$theme" -v seed="$seed" -v all="$all" '
	NR == FNR { steps++; cell[int($1 / 4)]; if (!($1 in been)) { been[$1]; visited++ } next }
	{ at = $1; moves++; new += !($1 in been); been[$1]; cells += !(int($1 / 4) in cell); cell[int($1 / 4)] }
	END { print theme, seed, steps, visited, all, moves - 1, best,
	    (at == to ? "yes" : "no"), new + 0, cells + 0 }' "$dir/been" - ;;
rows)
	# theme, seed, steps, visited, states, length, shortest, arrived, unvisited states
	# and cells on the path
	awk -F '\t' -v OFS='\t' '
	NR == FNR {
		name = "3D, path back after the given walk of " $3 " steps, " $4 " of " $5 " states visited: of shortest length, " $7 " actions"
		given++; same += $6 == $7 && $8 == "yes"
		if (NR == 1 || $10 < least) least = $10
		if ($10 > most) most = $10
		next
	}
	FNR == 1 {
		print "4A", name, "shortest", same + 0 "/" given " themes", ">= " int(.9 * given + .999), (same >= .9 * given ? "yes" : "no")
		print "4A", "3D, cells of that path never visited before", "some", least == most ? least : least " to " most, "> 0",
		    (least > 0 ? "yes" : "no")
	}
	{ n++; steps = $3; seen += $4; all = $5; right += $6 == $7 && $8 == "yes"; there += $8 == "yes"; fresh += $9 > 0 }
	END { print "4A", "3D, path back after cover walks of " steps " steps: of shortest length", "-",
		right "/" n " (" there " arrive, " fresh " by states not visited; " int(seen / n + .5) " of " all " visited)",
		">= " int(.8 * n + .999), (right >= .8 * n ? "yes" : "no") }' "$1" "$2" ;;
draw)
	out=$1 from=$2
	scratch
	cscg-show --as ppm --view top --scale 40 -w "$from.walk" "$from.room" >"$dir/walk.ppm"
	cscg-show --as ppm --view top --scale 40 -w "$from.way" "$from.room" >"$dir/way.ppm"
	head -c 40 "$dir/way.ppm" | awk 'NR <= 3 { skip += length($0) + 1 }
	NR == 2 { size = $0 } NR == 3 { print size, skip }' >"$dir/header"
	read -r w h skip <"$dir/header"
	{
		echo "unset key; unset border; unset tics; set size ratio -1
		set multiplot layout 1,2 margins .01,.99,.01,.92 spacing .02"
		for p in walk way; do
			case $p in
			walk) echo "set title 'the walk, $(nodes "$from.walk" | wc -l) steps'" ;;
			way) echo "set title 'the path back, $(awk -F '\t' '{ print $6 " actions, " $10 }' "$from.tsv") of its cells never visited before'" ;;
			esac
			echo "set xrange [-.5:$w-.5]; set yrange [-.5:$h-.5]
			plot '$dir/$p.ppm' binary array=($w,$h) skip=$skip format='%uchar' flip=y with rgbimage"
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" $((2 * w + 30)) $((h + 40)) <"$dir/commands" ;;
*) echo "plan3d.sh: no '$what'" >&2; exit 2 ;;
esac
