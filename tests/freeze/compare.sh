#!/bin/sh
# compare.sh OLD NEW [NAME]... - compare the results of two builds
#
# Runs each pipeline of pipelines.txt (or those named) with the tools in the
# directories OLD and NEW; unpacks the results, drops histories and compares byte
# for byte.  Options are translated by renames.tsv, unless the tools say that they
# are of version 1.
# Ends with "N equal, N different"; the status is 1 if any is different.
#
#   git worktree add ../old 44a3004 && make -C ../old
#   sh tests/freeze/compare.sh ../old/build build
#   make CC=clang BUILD=build-clang && sh tests/freeze/compare.sh build build-clang
#
# KEEP=DIRECTORY keeps the results there; CSCG_ISA chooses the kernel [c].
set -u
FREEZE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools.sh
. "$FREEZE/tools.sh"
: "${RENAMES:=$FREEZE/renames.tsv}"
[ $# -ge 2 ] || { echo "usage: compare.sh OLD_BUILD NEW_BUILD [NAME]..." >&2; exit 2; }
old=$(cd "$1" && pwd) || exit 2
new=$(cd "$2" && pwd) || exit 2
shift 2
# shellcheck disable=SC2046 # names are words
[ $# -gt 0 ] || set -- $(freeze_names)

if [ -n "${KEEP-}" ]; then
	mkdir -p "$KEEP" || exit 2
	dir=$(cd "$KEEP" && pwd) || exit 2
	rm -rf "$dir/old" "$dir/new" "$dir"/wrap-*
else
	dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-freeze.XXXXXX") || exit 2
	trap 'rm -rf "$dir"' EXIT
fi
mkdir "$dir/old" "$dir/new"

# The PATH for a build, with wrappers in DIR where options are translated.
path_of() { # BUILD DIR
	case $("$1/roomgen" --version) in
	*' 1.'*) echo "$1" ;;
	*) freeze_wrap "$2" "$1" "$RENAMES" && echo "$2:$1" ;;
	esac
}
path_old=$(path_of "$old" "$dir/wrap-old") || exit 2
path_new=$(path_of "$new" "$dir/wrap-new") || exit 2

# What differs between the results of one pipeline; nothing if they are equal.
differ() { # NAME OLD-STATUS NEW-STATUS
	a=$dir/old/$1 b=$dir/new/$1
	[ "$2" = 0 ] || { echo "old build: status $2"; sed 's/^/  /' "$a.err" | tail -3; }
	[ "$3" = 0 ] || { echo "new build: status $3"; sed 's/^/  /' "$b.err" | tail -3; }
	[ "$2$3" = 00 ] || return 0
	if ! freeze_unpack "$a" || ! freeze_unpack "$b"; then
		echo "cannot unpack"
		return 0
	fi
	[ "$path_old" != "$old" ] || for f in "$a"/*; do
		case $f in *.npy | *.ppm) continue ;; esac
		freeze_words "$RENAMES" <"$f" >"$a.words" && mv "$a.words" "$f"
	done
	for f in $(for g in "$a"/* "$b"/*; do echo "${g##*/}"; done | sort -u); do
		if [ ! -f "$a/$f" ]; then
			echo "$f: only of the new build"
		elif [ ! -f "$b/$f" ]; then
			echo "$f: only of the old build"
		else
			cmp "$a/$f" "$b/$f" 2>&1 | sed "s|$dir/||g"
		fi
	done
}

n=0 equal=0 different=0
for name; do
	n=$((n + 1))
	freeze_names | grep -qx -e "$name" || { echo "compare.sh: no pipeline $name" >&2; exit 2; }
	freeze_run "$name" "$dir/old/$name" "$path_old" &
	p=$!
	freeze_run "$name" "$dir/new/$name" "$path_new"
	rc_new=$?
	wait $p
	rc_old=$?
	said=$(differ "$name" $rc_old $rc_new)
	if [ -z "$said" ]; then
		echo "ok $n - $name"
		equal=$((equal + 1))
	else
		echo "not ok $n - $name"
		printf '%s\n' "$said" | sed 's/^/# /'
		different=$((different + 1))
	fi
done
echo "1..$n"
echo "$equal equal, $different different"
[ $different = 0 ]
