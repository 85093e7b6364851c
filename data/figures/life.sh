#!/bin/sh
# life.sh - an agent and its library in a sequence of worlds (fig-life)
#
#   life.sh run LIFE NOISE [WORLDS] [STEPS]   one line for each world of a life
#       (life-world.py); a step slips with probability NOISE/2 and its symbol is
#       misread with probability NOISE/2
#   life.sh table TSV...   the lines of all lives, with a header
#   life.sh rows TABLE     the rows of the report
#   life.sh draw TABLE     SVG: for each world, the rewards as a fraction of the
#       oracle's, and the kinds of rooms met and in the library
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
	live() { # LIBRARY WORLD: rewards, and the step of the first correct plan
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
		rm -rf "$dir/none"
		without=$(live "$dir/none" $world)
		kinds=$(seq $world | while read -r w; do python3 "$here/life-world.py" kinds "$life" "$w"; done | sort -u | wc -l)
		held=$(cscg-show "$dir/library" | awk '/^schema/ { s++ } /^memory/ { m++ } END { print s + 0 "\t" m + 0 }')
		new=$([ $((world % 3)) = 1 ] && echo yes || echo no)
		printf '%s\t%s\t%d\t%s\t%d\t%s\t%s\t%d\t%s\n' "$life" "$noise" $world "$new" "$oracle" "$with" "$without" "$kinds" "$held"
	done ;;
table)
	printf '#life\tnoise\tworld\tnew\toracle\trewards\tfirst\trewards_without\tfirst_without\tkinds\tschemas\tmemories\n'
	cat "$@" ;;
rows)
	awk -F '\t' "$(stats)"'
	/^#/ { next }
	$4 == "no" {
		seen[$2] = 1
		plans[$2]++
		v[$2, plans[$2]] = $7 == "-" ? 1e9 : $7 + 0
		best[$2] += $5; with[$2] += $6; without[$2] += $8
	}
	{ kinds[$2, $1] = $10; held[$2, $1] = $11; lives[$2, $1] = 1 }
	END {
		OFS = "\t"
		for (k in lives) {
			split(k, p, SUBSEP)
			all[p[1]]++
			once[p[1]] += kinds[k] == held[k]
		}
		for (c in seen) {
			noise = sprintf("%g %% noise", 100 * c)
			m = median(v, c, plans[c])
			print "life", "first correct plan in a world of known rooms, " noise, "-",
			    (2 * m < 1e9 ? sprintf("step %g (median of %d)", m, plans[c]) : "none (median)"), "at most 25", (m <= 25 ? "yes" : "no")
			print "life", "rewards in a world of known rooms, " noise, "-", sprintf("%.2f of the oracle; %.2f without the library",
			    with[c] / best[c], without[c] / best[c]), "at least .8", (with[c] >= .8 * best[c] ? "yes" : "no")
			print "life", "each kind of room once in the library, " noise, "-", sprintf("in %d of %d lives", once[c], all[c]),
			    "in all", (once[c] == all[c] ? "yes" : "no")
		}
	}' "$1" | sort ;;
draw)
	awk -F '\t' '/^#/ { next }
	{ w = $3; if (w > last) last = w
	  n[$2, w]++; a[$2, w] += $6 / $5; b[$2, w] += $8 / $5; s[$2, w] += $11; k[$2, w] += $10; noise[$2] = 1 }
	function height(c, what, w) {
		if (what == "with") return y(a[c, w] / n[c, w])
		if (what == "without") return y(b[c, w] / n[c, w])
		return z((what == "schemas" ? s[c, w] : k[c, w]) / n[c, w])
	}
	function line(c, what, name, dash,   w, d) {
		for (w = 1; w <= last; w++)
			d = d sprintf("%s%g %g ", (w == 1 ? "M" : "L"), x(w), height(c, what, w))
		printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", d, name, dash
	}
	function x(w) { return left + (w - 1) * 460 / (last > 1 ? last - 1 : 1) }
	function y(v) { return 190 - 160 * v }
	function z(v) { return 390 - 160 * v / 8 }
	function text(px, py, t, anchor) {
		printf "<text x=\"%g\" y=\"%g\" font-size=\"13\" font-family=\"sans-serif\" text-anchor=\"%s\" fill=\"currentColor\">%s</text>\n", px, py, anchor, t
	}
	END {
		most = 0
		for (c in noise) order[++most] = c
		if (most == 2 && order[1] + 0 > order[2] + 0) { t = order[1]; order[1] = order[2]; order[2] = t }
		width = 540 * most + 20
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"430\" viewBox=\"0 0 %d 430\" role=\"img\">\n", width, width
		print "<title>Rewards and library, world by world</title>"
		for (i = 1; i <= most; i++) {
			c = order[i]
			left = 60 + 540 * (i - 1)
			text(left, 16, sprintf("%g %% noise: rewards, share of the oracle", 100 * c), "start")
			text(left, 216, "kinds of rooms: met (dashed), in the library", "start")
			for (v = 0; v <= 1; v += .5) text(left - 8, y(v) + 4, v, "end")
			for (v = 0; v <= 8; v += 4) text(left - 8, z(v) + 4, v, "end")
			for (w = 1; w <= last; w++) text(x(w), 412, w, "middle")
			line(c, "with", "#0072b2", "")
			line(c, "without", "#d55e00", " stroke-dasharray=\"5 4\"")
			line(c, "kinds", "#999999", " stroke-dasharray=\"5 4\"")
			line(c, "schemas", "#0072b2", "")
		}
		print "</svg>"
	}' "$1" ;;
esac
