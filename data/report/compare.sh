#!/bin/sh
# compare.sh [TABLE] FIG FIG... - the rows of several runs of make figures side by side
#
# Each FIG is a directory with rows, as made by make figures SEED=N.  Columns: figure,
# what, wanted, the runs, ours and verdict of each run, and the verdict over all runs:
# met, missed, "by seed" if runs differ, "-" without a verdict, or "not run" if a run
# lacks the row.  The last line counts these.  TABLE is the output for as many other
# runs; its rows that the runs lack are kept.
set -eu
export LC_ALL=C
table=
[ ! -f "${1:-}" ] || { table=$1; shift; }
[ $# -ge 2 ] || { echo 'usage: compare.sh [TABLE] FIG FIG...' >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-compare.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
n=0 names=
for fig; do
	n=$((n + 1))
	name=${fig##*/}
	names="$names${names:+ }${name#figures-}"
	sh "$(dirname "$0")/report.sh" "$fig" table | sed "1d; s/^/$n	/" >>"$dir/rows"
	[ -d "$fig" ] || exit 2
done
if [ "$table" ] && ! awk -F '\t' -v n=$n '!/^# / && NF != 5 + 2 * n { exit 1 }' "$table"; then
	echo "compare.sh: '$table' is no table of $n runs" >&2
	exit 2
fi
awk -F '\t' -v OFS='\t' -v runs=$n -v names="$names" '
BEGIN {
	head = "#figure" OFS "what" OFS "wanted" OFS "runs"
	for (r = 1; r <= runs; r++) head = head OFS "ours " r OFS "verdict " r
	print head, "all"
}
function add(figure, k) {
	if (!(figure in size)) order[++figures] = figure
	row[figure, ++size[figure]] = k
}
# The rows of the runs precede those of the table.
FILENAME == ARGV[1] { run = $1; k = $2 OFS $3
	if (!(k in wanted)) { add($2, k); wanted[k] = $6 }
	ours[k, run] = $5; verdict[k, run] = $7; next }
!/^#/ { k = $1 OFS $2; if (!(k in wanted)) { add($1, k); kept[k] = $0; all_of[k] = $NF } }
END { for (f = 1; f <= figures; f++) for (i = 1; i <= size[order[f]]; i++) {
	k = row[order[f], i]
	if (k in kept) { print kept[k]; of[all_of[k]]++; continue }
	line = k OFS wanted[k] OFS names; all = ""
	for (r = 1; r <= runs; r++) {
		there = (k, r) in ours
		line = line OFS (there ? ours[k, r] : "-") OFS (there ? verdict[k, r] : "-")
		v = !there ? "not run" : verdict[k, r] ~ /^(yes|reproduced)$/ ? "met" : verdict[k, r] == "-" ? "-" : "missed"
		all = all == "" || all == v ? v : all == "not run" || v == "not run" ? "not run" : "by seed"
	}
	print line, all; of[all]++ }
  printf "# met %d, missed %d, by seed %d, not run %d, without a target %d\n", of["met"], of["missed"],
      of["by seed"], of["not run"], of["-"] }' "$dir/rows" ${table:+"$table"}
