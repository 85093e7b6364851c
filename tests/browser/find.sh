# find.sh - find the browser; to be sourced: sets $browser, or $missing to the
# missing program
# shellcheck shell=sh disable=SC2034
missing=
for p in ${BROWSER-} chromium chromium-browser google-chrome; do
	browser=$(command -v "$p") && break
done
[ "${browser:-}" ] || missing=chromium
command -v node >/dev/null || missing=${missing:-node}
