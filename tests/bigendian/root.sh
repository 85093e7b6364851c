#!/bin/sh
# root.sh DIR - Jansson and zlib for s390x, unpacked in DIR
#
# apt-get downloads them from the sources of this machine, with its own package lists:
# nothing is installed, and root is not needed.  Status 1 and one line if the cross
# compiler, qemu-user or the packages are missing.
dir=${1?}
for p in s390x-linux-gnu-gcc qemu-s390x apt-get dpkg-deb; do
	command -v $p >/dev/null || {
		echo "SKIP check-bigendian: $p is not installed (make deps-bigendian)"
		exit 1
	}
done
[ ! -e "$dir/done" ] || exit 0
mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial" || exit 1
cd "$dir/apt" || exit 1
: >status
set -- -o APT::Architecture=s390x -o APT::Architectures::=s390x \
    -o Dir::State="$PWD/state" -o Dir::State::status="$PWD/status" \
    -o Dir::Cache="$PWD/cache"
if ! { apt-get "$@" -qq update &&
    apt-get "$@" -qq download libjansson-dev zlib1g-dev; } >log 2>&1; then
	echo "SKIP check-bigendian: no packages for s390x"
	sed 's/^/# /' log | tail -3
	exit 1
fi
for f in *.deb; do
	dpkg-deb -x "$f" .. || exit 1
done
: >../done
