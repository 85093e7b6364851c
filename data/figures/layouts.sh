#!/bin/sh
# layouts.sh - other layouts than those of the paper (data/rooms/other)
#
#   layouts.sh learn SEED DIR      schemas of the medium layouts and of the paper's
#       five rooms: DIR/five-1 and DIR/five-2 with five layouts each, DIR/fifteen
#       with all
#   layouts.sh match SEED DIR      $WALKS (3) walks of 100 steps in each layout and
#       size, matched to its five schemas by EM and by the tracker: lines as those
#       of track.sh test
#   layouts.sh unknown SEED DIR    these walks matched to all fifteen schemas, by the
#       tracker without slips
#   layouts.sh active SEED DIR     $WALKS walks of 25 actions chosen by the agent, in
#       each layout and size against its five schemas, in the medium size also
#       against all fifteen.  One line each: seed, layout, size, schemas, right
#   layouts.sh bind SEED DIR       the schema of each layout bound to 400 steps in
#       it.  One line each: seed, layout, purity of the decoded states, missing and
#       spurious edges
#   layouts.sh rows FIGURE FILE...  rows of results, from the output of match, active,
#       bind, discover.sh found or track.sh unknown
. "$(dirname "$0")/common.sh"
here=$(dirname "$0")
maps=$here/../rooms/other
first='plus L T H S' second='F Z spiral tworooms comb'
what=$1
shift

set_of() # LAYOUT: the five that it belongs to
{
	case " $first " in *" $1 "*) echo five-1 ;; *) echo five-2 ;; esac
}

# walks SEED SIZE LAYOUT STEPS: with permuted symbols
walks()
{
	roomgen map "$maps/$3-$2.txt" --permute -s "$1" |
	    roomwalk -n "$4" --episodes "${WALKS:-3}" --permute-episodes -s "$1"
}

# compare METHOD LAYOUT SIZE SET OPTION...: lines as those of track.sh test
compare()
{
	score=$1 room=$2-$3 schemas=$home/$4
	walks "$seed" "$3" "$2" 100 >"$dir/walks"
	shift 4
	{ cscg-match --method "$score" "$@" --every 50 -s "$seed" -w "$dir/walks" "$schemas"/*.gz || [ $? = 1 ]; } |
	    awk -F '\t' -v OFS='\t' -v score="$score" -v room="$room" -v seed="$seed" '
	!/^#/ { print score, 0, room, seed "-" $1, $2, $3, $4, $6, (score == "em" ? "-\t-" : $7 OFS $8) }'
}

# choose SEED SIZE LAYOUT SET: is it the most probable schema after 25 actions?
choose()
{
	roomgen map "$maps/$3-$2.txt" -o "$dir/room"
	# An agent that identifies no model is a valid answer.
	cscg-plan -q --goal match "$home/$4"/*.gz --verify 0 --max-steps 26 --episodes 0 \
	    --new-world -s "$1" -- roomserve --episodes "${WALKS:-3}" --permute-episodes \
	    -s "$1" "$dir/room" >"$dir/steps" || [ $? = 1 ]
	awk -F '\t' -v OFS='\t' -v seed="$1" -v size="$2" -v name="$3" -v set="$4" '
	NR == 1 { sub(/^#/, ""); for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ if ($c["t"] <= 25) right[$c["episode"]] = $c["model"] == name; n = $c["episode"] + 1 }
	END { for (e = 0; e < n; e++) print seed, name, size, set, right[e] + 0 }' "$dir/steps"
}

case $what in
learn)
	seed=$1 home=$2
	mkdir -p "$home/five-1" "$home/five-2" "$home/fifteen"
	for k in $first $second; do
		to=$home/$(set_of "$k")/$k.gz
		into "$to" sh "$here/match.sh" learn "${STEPS:-50000}" "$seed" map "$maps/$k-medium.txt"
		into "$home/fifteen/$k.gz" cat "$to"
	done
	for k in rectangle hole ushape cylinder torus; do
		into "$home/fifteen/$k.gz" sh "$here/match.sh" learn "${STEPS:-50000}" "$seed" "$k"
	done ;;
match)
	seed=$1 home=$2
	scratch
	for k in $first $second; do for size in small medium large; do
		compare track "$k" $size "$(set_of "$k")" --slip 0.4 --rebind 0.3
		compare em "$k" $size "$(set_of "$k")" --warm-start
	done; done ;;
unknown)
	seed=$1 home=$2
	scratch
	for k in $first $second; do for size in small medium large; do
		compare track "$k" $size fifteen
	done; done ;;
active)
	seed=$1 home=$2
	scratch
	for k in $first $second; do
		for size in medium small large; do
			choose "$seed" $size "$k" "$(set_of "$k")"
		done
		choose "$seed" medium "$k" fifteen
	done ;;
bind)
	seed=$1 home=$2
	scratch
	for k in $first $second; do
		roomgen map "$maps/$k-medium.txt" --permute -s "$seed" -o "$dir/room"
		roomwalk -n 400 -s "$seed" "$dir/room" -o "$dir/walk"
		cscg-bind -q -s "$seed" "$home/fifteen/$k.gz" -w "$dir/walk" -o "$dir/bound"
		# Status 1: the graph is not the true one.
		{ cscg-show --truth "$dir/room" -w "$dir/walk" --labels ignore "$dir/bound" || [ $? = 1 ]; } |
		    awk -F '\t' -v OFS='\t' -v seed="$seed" -v name="$k" '{ v[$1] = $2 }
		    END { print seed, name, v["purity"], v["missing"], v["spurious"] }'
	done ;;
rows)
	scratch
	figure=$1
	shift
	case $figure in
	match2d)
		for step in 50 100; do for score in track em; do
			awk -F '\t' -v OFS='\t' -v score=$score -v step=$step '
			$1 == score && $5 == step && $8 == 1 { split($3, f, "-")
				seed = $4; sub(/-.*/, "", seed)
				print seed, f[1], ($6 == f[1]) }' "$@" >"$dir/v"
			share=$(share <"$dir/v")
			row S4 "other layouts, three sizes, five schemas: walks right after $step steps, $([ $score = em ] && echo EM || echo tracker)" \
			    - "$share" - -
		done; done ;;
	bind)
		cat "$@" | awk -F '\t' -v OFS='\t' '{ print $1, $2, ($3 >= .99) }' >"$dir/v"
		share=$(share <"$dir/v")
		row S4 'other layouts: walks of 400 steps bound by their schema, with all states decoded right' - "$share" - - ;;
	active)
		while IFS=: read -r sizes set want text; do
			cat "$@" | awk -F '\t' -v OFS='\t' -v sizes="$sizes" -v set="$set" '
			index(sizes, $3) && index($4, set) == 1 { print $1, $2, $5 }' >"$dir/v"
			share=$(share <"$dir/v")
			if [ "$want" = - ]; then
				row active "other layouts, $text: right at 25 steps" - "$share" - -
			else
				row active "other layouts, $text: right at 25 steps" - "$share" "low end >= $want" "$(low_end "$share" "$want")"
			fi
		done <<-END
		medium:five:.95:five schemas
		medium:fifteen:.85:fifteen schemas
		small large:five:-:five schemas, other sizes
		END
		;;
	unknown)
		# lines of track.sh unknown, score step auc outside.fits ...: of all seeds, then
		# of each
		awk -F '\t' -v OFS='\t' "$(stats)"'
		FNR == 1 { file++ }
		$1 != "track" || $2 != 100 { next }
		file == 1 { auc = $3; shares = sprintf("%.3f; %.3f; %s", 1 - $4, 1 - $7, $12); next }
		{ v[++n] = $3 + 0; w[n] = sprintf("%.3f", 1 - $4) + 0 }
		END {
			print "unknown", "other layouts: layouts outside the library after 100 steps, AUC", "-",
			    auc ", of the seeds " spread(v, n, 1e9), "-", "-"
			print "unknown", "other layouts: outside the library that do not fit; own size that does not fit; other sizes called unknown", "-",
			    shares "; the first of the seeds " spread(w, n, 1e9), "-", "-" }' "$@" ;;
	discover)
		# The passage of the spiral, two cells wide between halves of 44 nodes, is as
		# narrow as a door of two cells: worlds with and without one apart.
		awk -F '\t' -v OFS='\t' '!/^#/ { k = $16 ~ /spiral/; n[k]++; whole[k] += $7 == "yes"; exact[k] += $9 == "yes"
			doors[k] += $10; hit[k] += $11; false[k] += $12 }
		END { name[0] = "without a spiral"; name[1] = "with a spiral, whose passage of two cells is as narrow as a door"
			for (k = 0; k < 2; k++) print "discover",
			    "other layouts, learned worlds " name[k] ": exact partitions (graphs learned exactly); doors found, false ones", "-",
			    exact[k] + 0 "/" n[k] + 0 " (" whole[k] + 0 "); " hit[k] + 0 "/" doors[k] + 0 ", " false[k] + 0, "-", "-" }' "$@" ;;
	esac ;;
*) echo "layouts.sh: no '$what'" >&2; exit 2 ;;
esac
