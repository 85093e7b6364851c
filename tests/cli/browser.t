# The page of cscg-show --as html in a real browser, if one is installed.
# all: needs Chromium and Node.js
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/browser/find.sh"

if [ "$missing" ]; then
	tap 0 'a page is clicked, pointed at and played # SKIP no '"$missing"
	finish
fi
sh "$TOP/tests/browser/run.sh"
