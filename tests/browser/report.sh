#!/bin/sh
# report.sh - the page of make report in a real browser, as TAP; of invented figures
# with very long rows and words
#
# Needs node and Chromium (or what BROWSER names).  SHOTS=DIR keeps pictures.
# PAGE, if set, is an existing page to test instead.
top=$(cd "$(dirname "$0")/../.." && pwd)
export LC_ALL=C
. "$top/tests/browser/find.sh"
[ ! "$missing" ] || { echo 'report.sh: no' "$missing" >&2; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-report.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/F" "$dir/F/recover" || exit 1

long='0.3074 +- 0.0010, 0.0 missing, 0.0 spurious (1.4439 +- 0.0524, 0.4 missing, 970.4 spurious)'
for f in mpg stitch3d recover maintain; do
	{
		printf '3B, Table S1\tno schemas, pseudocount 0.002\t4.27 (1.21)\t%s\t<= 0.5\tyes\n' "$long"
		printf '3B\tperfect graphs\t-\t19/20, %s\tall, aim\tno\n' "$long"
		printf '3B\tNLL\t4.27+-0.01\tanunbrokenwordthatislongerthananyphoneiswide0123456789\t-\tnot reproduced\n'
		printf '3B\tnothing\t-\tinf\t-\t-\n'
	} >"$dir/F/$f.rows"
done
echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1300 400"><text x="9" y="30">wide</text></svg>' \
    >"$dir/F/mpg.svg"
for f in a b c d e f; do
	cp "$dir/F/mpg.svg" "$dir/F/recover/$f.svg"
done
printf 'a\tlong\ttable\n%s\t%s\t%s\n' "$long" "$long" "$long" >"$dir/F/stitch3d.tsv"
printf 'mpg/x\t1\t1\t1048576\t1\n' >"$dir/F/times.tsv"
printf 'PATH=x sh data/figures/part.sh F F/mpg/x sh %s\n' "$long" >"$dir/F/commands"
QUICK='' sh "$top/data/report/report.sh" "$dir/F" >"$dir/page.html" || exit 1
[ ! "${SHOTS-}" ] || mkdir -p "$SHOTS"
node "$top/tests/browser/report.js" "${PAGE:-$dir/page.html}" "$browser"
