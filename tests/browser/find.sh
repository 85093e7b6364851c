# find.sh - what pages are looked at with, to be sourced: sets $browser, and
# $missing to what is not there
# shellcheck shell=sh disable=SC2034
missing=
for p in ${BROWSER-} chromium chromium-browser google-chrome; do
	browser=$(command -v "$p") && break
done
[ "${browser:-}" ] || missing=chromium
command -v node >/dev/null || missing=${missing:-node}
