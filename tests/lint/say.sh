#!/bin/sh
# say.sh TOOL NAME REPORT... - print one line if all reports are empty, else their
# contents, with status 1
tool=$1 name=$2
shift 2
command -v "$tool" >/dev/null || {
	echo "SKIP $name: $tool is not installed"
	exit 0
}
if [ -z "$(cat "$@")" ]; then
	echo "$name: clean, $# reports"
	exit 0
fi
cat "$@"
echo "$name: findings in $(for f in "$@"; do [ -s "$f" ] && echo; done | wc -l) of $# reports" >&2
exit 1
