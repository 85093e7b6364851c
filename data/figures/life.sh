#!/bin/sh
# life.sh - an agent and its library in a sequence of worlds (fig-life)
#
#   life.sh run LIFE NOISE [WORLDS] [STEPS]   one line for each world of a life
#       (life-world.py); a step slips with probability NOISE/2 and its symbol is
#       misread with probability NOISE/2.  In the last world an agent without the
#       library acts as well, which takes as long as several worlds with it
#   life.sh table TSV...   the lines of all lives, with a header
#   life.sh rows TABLE     the rows of the report
#   life.sh draw OUT TABLE   the figure: for each world the rewards as a fraction of
#       the oracle's, the kinds of rooms met and in the library, and the step of the
#       first correct plan; median and range over lives
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
here=$(dirname "$0")
what=$1
shift
case $what in
run)
	life=$1 noise=$2 worlds=${WORLDS:-${3:-12}} steps=${STEPS:-${4:-4000}}
	scratch
	half=$(awk -v n="$noise" 'BEGIN { print n / 2 }')
	keys="steps=$steps slip=$half misread=$half"
	live() { # LIBRARY WORLD: rewards, steps of the first correct and first possible plan
		# shellcheck disable=SC2086 # keys are several words
		cscg-plan -q --goal env --library "$1" -s "$life" -- python3 "$here/life-world.py" serve "$life" "$2" $keys >"$dir/out"
		awk -F '\t' '!/^#/ { n += $5 } END { printf "%d\t", n }' "$dir/out"
		python3 "$here/life-world.py" first "$life" "$2" <"$dir/out"
	}
	world=0
	while [ $world -lt "$worlds" ]; do
		world=$((world + 1))
		# shellcheck disable=SC2086
		oracle=$(python3 "$here/life-world.py" oracle "$life" $world $keys)
		with=$(live "$dir/library" $world)
		without='-	-	-'
		[ $world -lt "$worlds" ] || without=$(live "$dir/none" $world)
		kinds=$(python3 "$here/life-world.py" held "$life" $world "$dir/library")
		held=$(cscg-show "$dir/library" | awk '/^schema/ { s++ } /^memory/ { m++ } END { print s + 0 "\t" m + 0 }')
		new=$([ $((world % 3)) = 1 ] && echo yes || echo no)
		explorer=$(python3 "$here/life-world.py" explorer "$life" $world)
		printf '%s\t%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\t%d\n' "$life" "$noise" $world "$new" "$oracle" "$with" "$without" "$kinds" "$held" "$explorer"
	done ;;
table)
	printf '#life\tnoise\tworld\tnew\toracle\trewards\tfirst\tpossible\trewards_without\tfirst_without\tpossible_without\tkinds\tonce\tschemas\tmemories\tfirst_explorer\n'
	cat "$@" ;;
rows)
	awk -F '\t' "$(stats)"'
	function range(t, c, n,   i, w) { # median [least, most]
		for (i = 1; i <= n; i++) w[i] = t[c, i]
		return spread(w, n, 1e9)
	}
	/^#/ { next }
	$4 == "no" {
		seen[$2] = 1
		plans[$2]++
		v[$2, plans[$2]] = $7 == "-" ? 1e9 : $7 + 0
		d[$2, plans[$2]] = $7 == "-" ? 1e9 : $7 - $8
		u[$2, plans[$2]] = $16 + 0
		best[$2] += $5; with[$2] += $6
		if ($9 != "-") { beside[$2] += $5; without[$2] += $9 }
		share[$2, plans[$2]] = sprintf("%.2f", $6 / $5) + 0
	}
	{ is_once[$2, $1] = $12 == $13 && $12 == $14; lives[$2, $1] = 1 }
	END {
		OFS = "\t"
		for (k in lives) {
			split(k, p, SUBSEP)
			all[p[1]]++
			once[p[1]] += is_once[k]
		}
		for (c in seen) {
			noise = sprintf("%g %% noise", 100 * c)
			print "life", "steps from the first goal that was seen before to the first correct plan in a world of known rooms, " noise, "-",
			    range(d, c, plans[c]), "at most 25", (median(d, c, plans[c]) <= 25 ? "yes" : "no")
			print "life", "step of the first correct plan in a world of known rooms, " noise, "-", range(v, c, plans[c]) "; " range(u, c, plans[c]) \
			    " by an agent that knows its cell", "at most 25", (median(v, c, plans[c]) <= 25 ? "yes" : "no")
			print "life", "rewards in a world of known rooms, " noise, "-",
			    sprintf("%.2f of the oracle, %s; %s without the library", with[c] / best[c],
			    range(share, c, plans[c]), beside[c] ? sprintf("%.2f", without[c] / beside[c]) : "-"), "at least .8", (with[c] >= .8 * best[c] ? "yes" : "no")
			print "life", "each kind of room once in the library, " noise, "-", sprintf("in %d of %d lives", once[c], all[c]),
			    "in all", (once[c] == all[c] ? "yes" : "no")
		}
	}' "$1" | sort ;;
draw)
	out=$1 table=$2
	scratch
	panels=0
	rates=$(awk -F '\t' '!/^#/ { print $2 }' "$table" | sort -un)
	for noise in $rates; do
		panels=$((panels + 1))
		# world, then median, least and most of five columns
		awk -F '\t' -v noise="$noise" "$(stats)"'
		function columns(v, w,   i, u, none) {
			for (i = 1; i <= n[w]; i++) { u[i] = v[w, i]; none += u[i] == "NaN" }
			if (none == n[w]) return " NaN NaN NaN"
			sort_values(u, n[w])
			return " " quantile(u, n[w], .5) " " u[1] " " u[n[w]]
		}
		/^#/ || $2 != noise { next }
		{ w = $3; if (w > last) last = w
		  i = ++n[w]; a[w, i] = $6 / $5; b[w, i] = $9 == "-" ? "NaN" : $9 / $5; k[w, i] = $12; s[w, i] = $14
		  f[w, i] = $7 == "-" ? "NaN" : $7 + 1 }
		END { for (w = 1; w <= last; w++)
			print w columns(a, w) columns(b, w) columns(k, w) columns(s, w) columns(f, w) }' "$table" >"$dir/$panels"
		last=$(tail -n 1 "$dir/$panels" | cut -d ' ' -f 1)
		echo "set xrange [.5:$last.5]; set xtics 1; set grid ytics; set key below samplen 2; set lmargin 10
		set title '$(awk -v p="$noise" 'BEGIN { print 100 * p }') % noise'
		set yrange [0:1.05]; set ylabel 'rewards, fraction of the oracle'
		plot '$dir/$panels' using (\$1 - .06):2:3:4 with yerrorlines lt 1 pt 7 title 'with the library', \
		    '' using (\$1 + .06):5:6:7 with yerrorbars lt 2 pt 6 title 'without, last world'
		unset title; set yrange [0:7.5]; set ylabel 'kinds of rooms'
		plot '$dir/$panels' using (\$1 - .06):11:12:13 with yerrorlines lt 1 pt 7 title 'in the library', \
		    '' using (\$1 + .06):8:9:10 with yerrorlines lt 2 pt 6 title 'met so far'
		set logscale y; set yrange [1:*]; set xlabel 'world'; set ylabel 'step of the first correct plan'
		plot '$dir/$panels' using 1:14:15:16 with yerrorlines lt 1 pt 7 title 'with the library'
		unset logscale; unset xlabel"
	done >"$dir/commands"
	{
		echo "set multiplot layout 3,$panels columnsfirst"
		cat "$dir/commands"
		echo 'unset multiplot'
	} | plot "$out" $((600 * panels)) 1000 ;;
esac
