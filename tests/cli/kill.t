# kill -9: the file that -o names is absent, old or complete.
#
# A few for each tool; make check-faults has a thousand.
# all: fault injection
. "$(dirname "$0")/../tap.sh"

so=$BUILD/tests/fault.so
if [ ! -e "$so" ]; then
	tap 0 'kill -9 # SKIP no tests/fault.so'
	finish
fi
if ldd "$BUILD/roomgen" | grep -q libasan; then
	tap 0 'kill -9 in the plain build # SKIP sanitizer'
	finish
fi

exits 0 'no kill leaves a file half written' "sh '$TOP/tests/fault/kill.sh' 70"
cp "$out" table
sed 's/^/# /' table
same 'all kills took place' "awk '/^all/ { print (\$2 >= 70) }' table" 'echo 1'
same 'a third between the first and the last byte' \
    "awk '/^all/ { print (\$6 * 3 >= \$2) }' table" 'echo 1'
same 'every tool was killed' "grep -v '^[a#]' table | cut -f 1 | sed 's/+.*//' | sort -u" \
    "all_tools | sort"
finish
