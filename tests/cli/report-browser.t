# The page of make report in a real browser, if one is installed.
# all: needs Chromium and Node.js
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser/find.sh"

if [ "$missing" ]; then
	tap 0 'the report is whole on desktop and phone # SKIP no '"$missing"
	finish
fi
sh "$TOP/tests/browser/report.sh"
