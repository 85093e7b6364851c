#!/bin/sh
# live.sh - agents in environments that differ from their models (fig-live)
#
#   live.sh run CASE SEED   one line: case, seed, steps, reached, rewards, and the
#       optimum in steps or the rewards of the oracle (live-world.py).  Cases:
#       door     a map with two doors, the nearer of which is closed
#       unseen   both doors emit a symbol that the map does not have
#       slip     one schema, 5 % slips, goals for 400 steps
#       misread  one schema, 5 % misread symbols, goals for 400 steps
#       two      two rooms with a door between them, given as two schemas
#       new      three rooms of known schemas and one that is new, in a row, goals
#                for 6,000 steps: reached is whether the agent's map is the world,
#                and its library then has a schema isomorphic to the new room
#       turns    no model, four rooms seen by an agent that turns and goes forward,
#                eight episodes to one goal: one line for each; best is the optimum
#       arrival  a schema of 8x9 in a room of 12x13, 10 plans back to the start
#                (lambda .2): reached is the number of arrivals that the agent
#                claims, rewards the number of false ones
#       known    five schemas of 8x9 cells, an agent that identifies the room of one
#                of them, 5 % slips or 5 % misread symbols: two lines, reached is the
#                number of rooms called unknown, of ten, rewards the number of rooms
#                identified, best is 10
#   live.sh table TSV...    the lines of all cases and seeds, with a header
#   live.sh rows TABLE      the rows of the report
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
here=$(dirname "$0")
what=$1
shift
case $what in
run)
	case=$1 seed=$2
	scratch
	world() { # WHAT KIND [KEY=VALUE]...
		part=$1 kind=$2
		shift 2
		python3 "$here/live-world.py" "$part" "$kind" "$seed" "$@"
	}
	act() { # KIND KEYS BEST MODEL... - one episode, and its line
		kind=$1 keys=$2 best=$3
		shift 3
		# shellcheck disable=SC2086 # keys are several words
		cscg-plan -q "$@" --as summary -s "$seed" -- python3 "$here/live-world.py" \
		    serve "$kind" "$seed" $keys >"$dir/out" || [ $? = 1 ]
		awk -F '\t' -v head="$case	$seed" -v best="$best" '!/^#/ { print head "\t" $2 "\t" $4 "\t" $5 "\t" best }' "$dir/out"
	}
	case $case in
	door | unseen)
		[ "$case" = door ] && keys=close=1 || keys=unseen=1
		world map doors >"$dir/map"
		act doors $keys "$(world optimum doors $keys)" "$dir/map" --goal symbol:12 --max-steps 300 ;;
	slip | misread)
		keys="rows=8 cols=9 symbols=20 steps=400 goals=1 $case=.05"
		# shellcheck disable=SC2086
		world schema room $keys >"$dir/a"
		# shellcheck disable=SC2086
		act room "$keys" "$(world oracle room $keys)" "$dir/a" --goal env ;;
	two)
		keys='symbols=20 steps=400 goals=1'
		# shellcheck disable=SC2086
		world schema two room=0 $keys >"$dir/a"
		# shellcheck disable=SC2086
		world schema two room=1 $keys >"$dir/b"
		# shellcheck disable=SC2086
		act two "$keys" "$(world oracle two $keys)" "A=$dir/a" "B=$dir/b" --goal env ;;
	new)
		keys="symbols=24 steps=${STEPS:-6000} goals=1"
		for r in 0 1 2; do
			# shellcheck disable=SC2086
			world schema four room=$r $keys >"$dir/$r"
		done
		# shellcheck disable=SC2086
		world room four $keys >"$dir/world"
		# shellcheck disable=SC2086
		world room four room=3 alone=1 $keys >"$dir/room"
		# shellcheck disable=SC2086
		act four "$keys" "$(world oracle four $keys)" "A=$dir/0" "B=$dir/1" "C=$dir/2" --goal env \
		    --library "$dir/library" --save "$dir/map" >"$dir/line"
		isomorphic() { # ROOM MODEL [OPTION...]
			cscg-show --truth "$@" 2>/dev/null | awk '/^isomorphic/ { print $2 }'
		}
		exact=$(isomorphic "$dir/world" "$dir/map")
		for f in "$dir"/library/schema-*; do
			[ "$(isomorphic "$dir/room" --labels ignore "$f")" != yes ] || new=yes
		done
		awk -F '\t' -v OFS='\t' -v a="$exact" -v b="${new:-no}" '{ $4 = a == "yes" && b == "yes" ? "yes" : "no"; print }' "$dir/line" ;;
	turns)
		keys='symbols=12 episodes=8'
		# shellcheck disable=SC2086
		world optimum turns $keys | tr ' ' '\n' >"$dir/best"
		# shellcheck disable=SC2086
		cscg-plan -q --goal symbol:13 --episodes 0 --max-steps 3000 --as summary -s "$seed" -- \
		    python3 "$here/live-world.py" serve turns "$seed" $keys >"$dir/out" || [ $? = 1 ]
		grep -v '^#' "$dir/out" | paste - "$dir/best" |
			awk -F '\t' -v head="$case	$seed" '{ print head "\t" $2 "\t" $4 "\t" $1 "\t" $NF }' ;;
	arrival)
		roomgen rectangle --size 8x9 --as model | cscg-show --as clones -o "$dir/a"
		roomgen rectangle --size 12x13 -o "$dir/room"
		cscg-plan -q "$dir/a" --goal start --explore repeat:3 --explore-until 200 --best \
		    --replan end --max-plans 20 --smooth .2 --restarts 10 -s "$seed" --episodes 0 \
		    --new-world --as summary -- roomserve --task return --start unique \
		    --permute-episodes --episodes "${WALKS:-10}" -s "$seed" "$dir/room" >"$dir/out" || [ $? = 1 ]
		awk -F '\t' -v head="$case	$seed" '!/^#/ { n += $4 == "yes"; f += $4 == "yes" && $7 > 0; s += $2; all++ }
		END { print head "\t" s "\t" n "\t" f + 0 "\t" all }' "$dir/out" ;;
	known)
		first=$seed n=${WALKS:-10}
		keys='rows=8 cols=9 symbols=20 steps=200'
		for noise in slip misread; do
			for i in $(seq "$n"); do
				set --
				for k in 0 1 2 3 4; do
					seed=$((first + 1000 * i + 100 * k))
					# shellcheck disable=SC2086
					world schema room $keys >"$dir/$k"
					set -- "$@" "room$k=$dir/$k"
				done
				seed=$((first + 1000 * i))
				# shellcheck disable=SC2086
				cscg-plan -q "$@" --goal match --as summary -s "$seed" -- python3 "$here/live-world.py" \
				    serve room "$seed" $keys "$noise=.05" || [ $? = 1 ]
			done >"$dir/out"
			awk -F '\t' -v head="known_$noise	$first" '/^#/ { next }
			{ s += $2; n++; unknown += $11 == "unknown"; right += $8 == "room0" }
			END { print head "\t" s "\t" unknown + 0 "\t" right + 0 "\t" n }' "$dir/out"
		done ;;
	*) echo "live.sh: $case is no case" >&2; exit 2 ;;
	esac ;;
table)
	printf '#case\tseed\tsteps\treached\trewards\tbest\n'
	cat "$@" ;;
rows)
	awk -F '\t' "$(stats)"'
	/^#/ { next }
	$1 == "turns" {
		# of each episode, the sums of all seeds and the ratio of each
		k = ++n_turns[$5]
		taken[$5] += $3
		optimum[$5] += $6
		ratio[$5, k] = $3 / $6
		n_late += $5 >= 3
		near += $5 >= 3 && $3 <= 1.5 * $6 && $4 == "yes"
		next
	}
	$1 ~ /^known_/ { n_unknown[$1] += $4; n_right[$1] += $5; n_rooms[$1] += $6; next }
	$1 == "arrival" { n_claimed += $4 }
	{ n[$1]++; yes[$1] += $4 == "yes"; steps[$1, n[$1]] = $3 - $6; rewards[$1] += $5; best[$1] += $6
	  share_of[$1, n[$1]] = $5 / ($6 ? $6 : 1); seed_of[$1, n[$1]] = $2 }
	# "median [least, most]" of the steps of case c above the optimum
	function more(c,   i, v) {
		for (i = 1; i <= n[c]; i++) v[i] = steps[c, i]
		return spread(v, n[c], 1e9)
	}
	# Mean fraction of the rewards of the oracle, its interval, and the worst seed
	function share(c,   i, v, g, m, worst) {
		worst = 1
		for (i = 1; i <= n[c]; i++) {
			v[i] = share_of[c, i]; g[i] = i
			if (v[i] < v[worst]) worst = i
		}
		m = bootstrap(v, g, n[c])
		return sprintf("%.2f [%.2f, %.2f], worst seed %s %.2f", m, boot_low, boot_high, seed_of[c, worst], v[worst])
	}
	function reach(c, name) {
		if (n[c]) print "live", name, "-", sprintf("%d of %d arrive, %s steps more than the optimum",
		    yes[c], n[c], more(c)), "all, at most 20 more", (yes[c] == n[c] && median(steps, c, n[c]) <= 20 ? "yes" : "no")
	}
	function earn(c, name, least,   fraction) {
		if (!n[c]) return
		fraction = share(c)
		print "live", name, "-", sprintf("%.1f rewards, the oracle %.1f: %s", rewards[c] / n[c],
		    best[c] / n[c], fraction), sprintf("low end at least %.2f of the oracle", least),
		    (boot_low >= least ? "yes" : "no")
	}
	function name_known(c, name) {
		if (n_rooms[c]) print "live", "known rooms called unknown, " name, "-",
		    sprintf("%d of %d, %d identified", n_unknown[c], n_rooms[c], n_right[c]), "at most 5 %",
		    (n_unknown[c] <= .05 * n_rooms[c] ? "yes" : "no")
	}
	END {
		OFS = "\t"
		reach("door", "a closed door")
		reach("unseen", "a symbol never seen")
		earn("slip", "one schema, 5 % slips", .88)
		earn("misread", "one schema, 5 % misread symbols", .75)
		name_known("known_slip", "5 % slips")
		name_known("known_misread", "5 % misread symbols")
		earn("two", "two rooms as two schemas", .75)
		if (n["new"]) print "live", "a new room among three known ones: map exact, new schema isomorphic", "-",
		    yes["new"] " of " n["new"] ", rewards of the oracle " share("new"),
		    "at least 70 %", (yes["new"] >= .7 * n["new"] ? "yes" : "no")
		for (e = 3; e in n_turns; e++) {
			r = median(ratio, e, n_turns[e])
			worst = r > worst ? r : worst
			late += taken[e]
			best_late += optimum[e]
			list = list sprintf("%s%.2f", e > 3 ? " " : "", r)
		}
		if (n_late) print "live", "four rooms, no model: steps of the 4th episode and later ones / optimum", "-",
		    sprintf("medians %s; all %.2f; %d of %d at most 1.5", list, late / best_late, near, n_late),
		    "at most 1.5", (worst <= 1.5 && late <= 1.5 * best_late ? "yes" : "no")
		if (n["arrival"]) print "live", "false arrivals in a larger room", "-",
		    sprintf("%d of %d claimed, %d ways back", rewards["arrival"], n_claimed, best["arrival"]), "none",
		    (rewards["arrival"] || !n_claimed ? "no" : "yes")
	}' "$1" ;;
esac
