#!/bin/sh
# run.sh REPORT COMMAND... - write the findings of a checker to REPORT, empty if there
# are none.  Without the checker there is no report.
report=$1
shift
command -v "$1" >/dev/null || exit 0
mkdir -p "$(dirname "$report")"
"$@" >"$report.all" 2>&1
rc=$?
# clang-tidy counts what it does not show.
grep -v -E '^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$|^Suppressed |^Use -header' \
    "$report.all" >"$report.new"
rm "$report.all"
[ $rc = 0 ] || [ -s "$report.new" ] || echo "status $rc: $*" >"$report.new"
mv "$report.new" "$report"
