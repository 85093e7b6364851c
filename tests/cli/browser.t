# The page of cscg-show --as html in a real browser, where there is one.
. "$(dirname "$0")/../tap.sh"

for p in ${BROWSER-} chromium chromium-browser google-chrome; do
	browser=$(command -v "$p") && break
done
if [ ! "${browser:-}" ]; then
	tap 0 'a page is clicked, pointed at and played # SKIP no chromium'
	finish
fi
if ! command -v node >/dev/null; then
	tap 0 'a page is clicked, pointed at and played # SKIP no node'
	finish
fi
sh "$TOP/tests/browser/run.sh"
