#!/bin/sh
# compare.sh FIG... - the rows of several runs of make figures side by side
#
# Each FIG is a directory with rows, as made by make figures SEED=N.  Columns: figure,
# what, wanted, ours and verdict of each run, and the verdict over all runs: met,
# missed, "by seed" if runs differ, "-" without a verdict, or "not run" if a run lacks
# the row.  The last line counts these.
set -eu
export LC_ALL=C
[ $# -ge 2 ] || { echo 'usage: compare.sh FIG FIG...' >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-compare.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
n=0
for fig; do
	n=$((n + 1))
	sh "$(dirname "$0")/report.sh" "$fig" table | sed "1d; s/^/$n	/" >>"$dir/rows"
	[ -d "$fig" ] || exit 2
done
printf '#figure\twhat\twanted'
for fig; do printf '\t%s\tverdict' "${fig##*/}"; done
printf '\tall\n'
awk -F '\t' -v OFS='\t' -v runs=$n '
{ run = $1; k = $2 OFS $3; if (!(k in wanted)) { order[++keys] = k; wanted[k] = $6 }
  ours[k, run] = $5; verdict[k, run] = $7 }
END { for (i = 1; i <= keys; i++) { k = order[i]; line = k OFS wanted[k]; all = ""
	for (r = 1; r <= runs; r++) {
		there = (k, r) in ours
		line = line OFS (there ? ours[k, r] : "-") OFS (there ? verdict[k, r] : "-")
		v = !there ? "not run" : verdict[k, r] ~ /^(yes|reproduced)$/ ? "met" : verdict[k, r] == "-" ? "-" : "missed"
		all = all == "" || all == v ? v : all == "not run" || v == "not run" ? "not run" : "by seed"
	}
	print line, all; of[all]++ }
  printf "# met %d, missed %d, by seed %d, not run %d, without a target %d\n", of["met"], of["missed"],
      of["by seed"], of["not run"], of["-"] }' "$dir/rows"
