#!/bin/sh
# recover-rows.sh TSV... - rows of results of recover.sh and symmetric.sh: from
# recover.tsv, recover-slip.tsv and symmetric.tsv, by name
. "$(dirname "$0")/common.sh"

for f; do
	case $f in
	*recover.tsv)
		awk -F '\t' -v OFS='\t' '/^#/ { next }
		{ k = $2 == 50000 ? 1 : 2; n[k] += $4; found[k] += $5; rooms[k] = rooms[k] " " $1
		  if ($7 == "no") bad[k] = bad[k] " " $1
		  name[k] = $2 " steps" ; share[k] = $6 }
		END { for (k = 1; k <= 2; k++) if (n[k])
			print "recover", "graphs found from a walk of " name[k] ":" rooms[k], "-",
			    found[k] "/" n[k] (bad[k] ? ", short:" bad[k] : ""), share[k] " of 10 for each room",
			    (bad[k] ? "no" : "yes") }' "$f" ;;
	*recover-slip.tsv)
		# The frequencies of the walk, and EM initialised with the true model, as bounds.
		awk -F '\t' -v OFS='\t' '/^#/ { next }
		{ k = $2; if (!(k in n)) at[++keys] = k
		  n[k]++; same[k] += $4 == $5
		  if ($8 > off[k]) off[k] = $8
		  if ($9 > walk[k]) walk[k] = $9
		  if ($11 > told[k]) told[k] = $11 }
		END { for (i = 1; i <= keys; i++) { k = at[i]
			print "recover", "one action in ten slips, " k " steps: seeds with a state for each node; largest error of T", "-",
			    same[k] "/" n[k] "; " off[k] " (walk itself " walk[k] ", EM from the true model " told[k] ")",
			    "all; <= .03", (same[k] == n[k] && off[k] <= .03 ? "yes" : "no") } }' "$f" ;;
	*symmetric.tsv)
		# 48 of 50 walks
		awk -F '\t' -v OFS='\t' '/^# .*: the torus is best in / {
			tie = $0; sub(/^# /, "", tie); sub(/:.*/, "", tie)
			n = split($0, w, " ")
			print "symmetric", "walks of 400 steps in which the torus beats cylinder and rectangle, clones " \
			    (tie == "none" ? "free" : "tied"), "-", w[n - 2] "/" w[n], ">= 96 %",
			    (w[n - 2] >= .96 * w[n] ? "yes" : "no") }' "$f" ;;
	*) echo "recover-rows.sh: what is '$f'?" >&2; exit 2 ;;
	esac
done
