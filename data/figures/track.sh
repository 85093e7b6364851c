#!/bin/sh
# track.sh - identification of a room's schema, and of rooms without one, by tracking
# (fig-track, fig-unknown)
#
#   track.sh test SCORE SLIP SEED DIR ROOM ROOMGEN-ARGS...
#       25 walks of 150 steps in the room with permuted symbols and slip probability
#       SLIP, against all schemas in DIR, every 25 steps.  One line for each walk,
#       number of steps and schema: score slip room walk step schema nll rank margin
#       verdict ("-": EM has none); the walk is SEED-NUMBER
#   track.sh accuracy FILE...   score, slip, step, walks, walks right, their fraction,
#       its 95 % interval (low, high; by a bootstrap over seeds and walks), and the
#       worst room
#   track.sh unknown FILE...    with each schema left out of the library in turn:
#       score, step, AUC, and the numbers of walks with the verdicts fits, resembles
#       and unknown in rooms outside the library, of own size and of other sizes
#   track.sh rows ACCURACY UNKNOWN [UNKNOWN-OF-A-SEED...]   rows of results with
#       their targets
#
# WALKS and STEPS set the number and the length of the walks.
. "$(dirname "$0")/common.sh"
what=$1
shift
case $what in
test)
	score=$1 slip=$2 seed=$3 schemas=$4 room=$5
	shift 5
	how=--warm-start
	[ "$score" = em ] || how="--slip $slip"
	[ "$slip" = 0 ] || set -- "$@" --slip "$slip"
	# shellcheck disable=SC2086 # two words
	{ roomgen "$@" --permute -s "$seed" |
	    roomwalk -n "${STEPS:-150}" --episodes "${WALKS:-25}" \
	    --permute-episodes -s "$seed" |
	    cscg-match --method "$score" $how --every 25 -s "$seed" \
	    "$schemas"/*.gz || [ $? = 1 ]; } |
	    awk -F '\t' -v OFS='\t' -v score="$score" -v slip="$slip" -v room="$room" -v seed="$seed" '
	!/^#/ { print score, slip, room, seed "-" $1, $2, $3, $4, $6,
	    (score == "em" ? "-\t-" : $7 OFS $8) }' ;;
accuracy)
	printf '#score\tslip\tstep\twalks\tright\tshare\tlow\thigh\tworst\n'
	awk -F '\t' -v OFS='\t' "$(stats)"'
	$8 == 1 { split($3, f, "-"); k = $1 OFS $2 OFS $5; i = ++n[k]
	    ok[k, i] = $6 == f[1]; right[k] += ok[k, i]
	    seed[k, i] = $4; if (!sub(/-.*/, "", seed[k, i])) seed[k, i] = "-"
	    rooms[$3]; of[k, $3]++; hit[k, $3] += ok[k, i] }
	END { for (k in n) {
		for (i = 1; i <= n[k]; i++) { v[i] = ok[k, i]; g[i] = seed[k, i] }
		m = bootstrap(v, g, n[k])
		worst = ""
		for (r in rooms) if (of[k, r]) { s = hit[k, r] / of[k, r]
			if (worst == "" || s < least || s == least && r < worst) { worst = r; least = s } }
		print k, n[k], right[k] + 0, sprintf("%.3f", m), sprintf("%.3f", boot_low), sprintf("%.3f", boot_high),
		    worst sprintf(" %.2f", least) } }' "$@" |
	    sort -t '	' -k 1,1 -k 2,2n -k 3,3n ;;
unknown)
	# Each schema is left out once.  The statistic of the AUC is the margin of the best
	# remaining schema, or its log-likelihood if there is no margin.
	awk -F '\t' -v OFS='\t' '
	$2 != 0 { next }
	{ split($3, f, "-"); v = $9 == "-" ? -$7 * $5 : $9
	  w = $10 == "fits" ? 0 : $10 == "resembles" ? 1 : 2
	  key = $1 OFS $3 OFS $4 OFS $5
	  if (!(key in kind)) { keys[++n] = key; kind[key] = f[1]; size[key] = f[2] }
	  if (!($6 in known)) { known[$6]; name[++m] = $6 }
	  value[key, $6] = v; word[key, $6] = w }
	END {
		for (i = 1; i <= n; i++) for (out = 1; out <= m; out++) {
			key = keys[i]; best = ""; as = 2
			for (j = 1; j <= m; j++) {
				if (j == out) continue
				v = value[key, name[j]]
				if (best == "" || v > best) best = v
				if (word[key, name[j]] < as) as = word[key, name[j]]
			}
			split(key, f, OFS)
			print f[1], f[4], (kind[key] == name[out] ? "outside" : \
			    size[key] == "medium" ? "own" : "other"), best, as
		}
	}' "$@" | sort -t '	' -k 1,1 -k 2,2n -k 4,4g |
	    awk -F '\t' -v OFS='\t' '
	function tell(  i, j, auc, w, s) {
		if (!n["own"]) return
		for (i = 1; i <= n["outside"]; i++)
			for (j = 1; j <= n["own"]; j++)
				auc += v["outside", i] < v["own", j] ? 1 : v["outside", i] == v["own", j] ? .5 : 0
		s = key OFS sprintf("%.3f", auc / n["outside"] / n["own"])
		for (i = 1; i <= 3; i++) for (j = 0; j < 3; j++)
			s = s OFS (score == "em" ? "-" : sprintf("%.3f", of[which[i], j] / n[which[i]]))
		print s
		split("", n); split("", v); split("", of)
	}
	BEGIN { split("outside own other", which, " "); line = "#score" OFS "step" OFS "auc"
		for (i = 1; i <= 3; i++) line = line OFS which[i] ".fits" OFS which[i] ".resembles" OFS which[i] ".unknown"
		print line }
	{ if ($1 OFS $2 != key) { tell(); key = $1 OFS $2; score = $1 }
	  v[$3, ++n[$3]] = $4; of[$3, $5]++ }
	END { tell() }' ;;
rows)
	share() { # SCORE SLIP STEP
		awk -F '\t' -v s="$1" -v p="$2" -v n="$3" '$1 == s && $2 == p && $3 == n { print $6, "[" $7 ", " $8 "], worst", $9 }' "$accuracy"
	}
	of() { # COLUMN STEP [SCORE]
		awk -F '\t' -v c="$1" -v n="$2" -v s="${3:-track}" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
		    $1 == s && $2 == n { print $k }' "$unknown"
	}
	least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a != "" && a >= b ? "yes" : "no") }'; }
	most() { awk -v a="$1" -v b="$2" 'BEGIN { print (a != "" && a <= b ? "yes" : "no") }'; }
	accuracy=$1 unknown=$2
	shift 2
	# spread_of COLUMN COMPLEMENT SIGN FILE...: the 95 % interval over the seeds after 100
	# steps, of 1 - the column if COMPLEMENT is 1, and the worst seed: the least, or the
	# most if SIGN is -1; empty for one seed
	spread_of() {
		column=$1 complement=$2 sign=$3
		shift 3
		[ $# -gt 1 ] || return 0
		awk -F '\t' -v c="$column" -v complement="$complement" -v sign="$sign" "$(stats)"'
		FNR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
		$1 == "track" && $2 == 100 { v[++m] = complement ? 1 - $k : $k; seed[m] = m
			if (m == 1 || sign * v[m] < sign * worst) worst = v[m] }
		END { bootstrap(v, seed, m); printf " [%.3f, %.3f], worst seed %.3f", boot_low, boot_high, worst }' "$@"
	}
	while read -r step want; do
		v=$(share track 0 "$step")
		row track "walks whose room is known after $step steps" \
		    "- (EM $(share em 0 "$step"))" "$v" "low end >= $want" "$(low_end "$v" "$want")"
	done <<-END
	50 .72
	100 .83
	150 .87
	END
	v=$(share track 0.05 50)
	row track 'walks whose room is known after 50 steps, 5 % slips' \
	    "- (EM $(share em 0.05 50))" "$v" 'low end >= .70' "$(low_end "$v" .70)"
	# The verdict is on the end of the interval.
	end() { printf '%s\n' "$2" | awk -v most="$1" '{ if (match($0, /\[.*\]/)) { split(substr($0, RSTART + 1, RLENGTH - 2), w, ", ")
		print w[1 + most] } else print $1 }'; }
	v="$(of auc 100)$(spread_of auc 0 1 "$@")"
	row unknown 'rooms outside the library after 100 steps, AUC' \
	    "- (EM $(of auc 100 em))" "$v" 'low end >= .90' "$(least "$(end 0 "$v")" .90)"
	v="$(of own.fits 100 | awk '{ printf "%.3f", 1 - $1 }')$(spread_of own.fits 1 -1 "$@")"
	row unknown 'rooms of own size that do not fit after 100 steps' - "$v" 'high end <= .02' "$(most "$(end 1 "$v")" .02)"
	v="$(of outside.fits 100 | awk '{ printf "%.3f", 1 - $1 }')$(spread_of outside.fits 1 1 "$@")"
	row unknown 'rooms outside the library that do not fit after 100 steps' - "$v" 'low end >= .80' "$(least "$(end 0 "$v")" .80)" ;;
*) echo "track.sh: no '$what'" >&2; exit 2 ;;
esac
