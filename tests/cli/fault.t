# Faults of the system: closed pipes, full disks, read errors, little memory,
# other locales, permissions, and closed descriptors.  Every tool ends with the
# right status and one line; the file of -o is complete or unchanged.
# all: fault injection
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/fault/jobs.sh"

so=$BUILD/tests/fault.so
asan=
if ldd "$BUILD/roomgen" | grep -q libasan; then
	asan=1
	tap 0 'faults of calls and memory in the plain build # SKIP sanitizer'
fi

pre=
holds 'the jobs can be set up' fault_setup
echo old >old

# The target is unchanged, and there is no temporary file.
untouched() { # NAME
	holds "$1: the target is unchanged, no temporary file" \
	    'cmp got old && [ -z "$(find . -name ".got.tmp.*")" ]'
}

# With an environment for the last command of the job.
faulty() { # STATUS NAME VARIABLE...
	want=$1 name=$2
	shift 2
	cp old got
	pre="env LD_PRELOAD=$so $*"
	exits "$want" "$name" "$line -o got"
	pre=
}

# A command with this many KiB of memory.
printf '%s\n' '#!/bin/sh' 'ulimit -v "$1" && shift && exec "$@"' >little
chmod +x little

# A pipe without a reader: descriptor 4.
mkfifo pipe
exec 3<>pipe 4>pipe 3<&-

# A file system with no space left, if this user may mount one.
mkdir small
full=
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
	trap 'umount "$dir/small"; rm -rf "$dir"' EXIT
	echo old >small/got
	dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
	full=1
fi

# German numbers have commas.
locale=
mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1 &&
    [ "$(LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ]; then
	locale="env LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8"
fi

for t in $fault_jobs; do
	line=$(fault_job "$t" | tr '\n' ' ')
	exits 0 "$t: runs untouched" "$line -o want"
	exactly "$t: without a message" ''

	# --- readers and output
	exits 141 "$t: a reader that has left" "$line >&4"
	exactly "$t: without a message" ''
	if [ "$full" ]; then
		exits 4 "$t: a file system without space" "$line -o small/got"
		exactly "$t: is named" "$t: 'small/got': No space left on device"
		holds "$t: the old file is there" 'cmp small/got old &&
		    [ "$(ls -A small | wc -l)" = 2 ]'
	else
		tap 0 "$t: a file system without space # SKIP no tmpfs"
	fi
	cp old got
	chmod 640 got
	exits 0 "$t: an old file is replaced" "(umask 077; $line -o got)"
	same "$t: the mode of the target is kept" 'stat -c %a got' 'echo 640'
	for u in 000:666 027:640 077:600; do
		rm -f got
		(umask ${u%:*}; eval "$line -o got") >/dev/null 2>&1
		same "$t: umask ${u%:*}" 'stat -c %a got; cat got' "echo ${u#*:}; cat want"
	done

	# --- descriptors: neither data nor messages may go to the wrong file
	rm -f got
	exits 0 "$t: nothing but its input" "($line -o got) >&- 2>&-"
	holds "$t: the output is complete" 'cmp got want'
	rm -f got
	exits 0 "$t: many messages, standard error closed" "($line -v -o got) 2>&-"
	holds "$t: the output is complete again" 'cmp got want'
	cp old got
	exits 2 "$t: a usage error, standard error closed" "($line -o got --none) >&- 2>&-"
	untouched "$t: a mistake"

	# --- names
	odd="a name
with 'all' "
	exits 0 "$t: blanks and newlines in a name" "$line -o \"\$odd\""
	holds "$t: unusual names are kept" 'cmp "$odd" want; rm "$odd"'
	exits 2 "$t: a directory of such a name" "$line -o \"\$odd/x\""
	exactly "$t: is reported in one line" \
	    "$t: 'a name?with 'all' /x': No such file or directory"

	# --- environment
	pre="env TMPDIR=/none HOME=/none TZ=Pacific/Apia SOURCE_DATE_EPOCH=1"
	same "$t: time zone and TMPDIR have no influence" "$line" 'cat want'
	pre=$locale
	[ ! "$locale" ] || same "$t: decimal commas" "$line" 'cat want'
	pre=

	[ ! "$asan" ] || continue
	# --- calls that fail
	faulty 4 "$t: no space in the middle of a write" CSCG_WRITE_FAIL=1
	exactly "$t: no space: is reported" "$t: 'got': No space left on device"
	untouched "$t: no space: unchanged"
	faulty 4 "$t: fsync() of the file fails" CSCG_FAIL=fsync:1
	exactly "$t: fsync() of the file: is reported" "$t: 'got': Input/output error"
	untouched "$t: fsync() of the file: unchanged"
	faulty 4 "$t: fsync() of the directory fails" CSCG_FAIL=fsync:2
	exactly "$t: fsync() of the directory: is reported" "$t: 'got': Input/output error"
	holds "$t: no sync: the new file is complete, no temporary file" \
	    'cmp got want && [ -z "$(find . -name ".got.tmp.*")" ]'
	faulty 2 "$t: stat() of the target fails" CSCG_STAT_FAIL=got
	exactly "$t: a failing stat(): is reported" "$t: 'got': Permission denied"
	untouched "$t: stat() of the target: unchanged"
	faulty 4 "$t: rename() fails" CSCG_FAIL=rename:1
	exactly "$t: rename() fails: is reported" "$t: 'got': No space left on device"
	untouched "$t: no name"
	[ "$t" = roomgen ] || for n in 1 2; do
		faulty 4 "$t: error in read $n" CSCG_FAIL=read:$n
		says "$t: error in read $n: is reported" ': Input/output error'
		untouched "$t: error in read $n"
	done

	# --- little memory: enough, or too little to work, or to begin
	bad=0 few=0 enough=0
	for k in 2048 4096 6144 8192 12288 16384 24576 32768 65536; do
		cp old got
		pre="./little $k"
		(eval "$line -o got") >"$out" 2>"$err"
		case $? in
		0) cmp -s got want && enough=1 || bad=$k ;;
		4) [ "$(wc -l <"$err")" = 1 ] && grep -q 'memory' "$err" &&
		    cmp -s got old && few=1 || bad=$k ;;
		# The loader, or the shell, had too little memory.
		126|127|2) cmp -s got old || bad=$k ;;
		# libgomp fails before main: the tool cannot report this.
		1) ! ./little $k "$t" -V >/dev/null 2>&1 && cmp -s got old || bad=$k ;;
		*) bad=$k ;;
		esac
		[ $bad != $k ] || { echo "# $k KiB"; sed 's/^/# /' "$err"; }
	done
	pre=
	[ $bad = 0 ] && [ $enough = 1 ]
	tap $? "$t: ulimit -v: works, or says that memory is out"
done
exec 4>&-

[ "$locale" ] || tap 0 'decimal commas # SKIP localedef has no de_DE'

# --- decimal points in a locale with decimal commas
if [ "$locale" ]; then
	printf 'x,a,r\n1,0,0.5\n2,0,-1.25e-3\n' >r.csv
	for c in 'roomgen torus --size 3x3 --slip 0.125 --no-gzip' \
	    'roomgen torus --size 3x3 --as model --slip 0.125 --no-gzip' \
	    'walkconv r.csv --no-gzip' 'walkconv r.csv --as csv' \
	    'cscg-learn -j1 --pseudocount 0.002 --clones 1 --no-gzip walk.gz' \
	    'cscg-score --bits model.gz -w walk.gz' \
	    'cscg-show model.gz' 'cscg-show --as graphml model.gz' \
	    'cscg-show --as npy model.gz' 'roomgen street -s 3 --no-gzip'; do
		same "decimal commas: $c" "$locale $c" "$c"
	done
	exits 2 'a comma is no point' "$locale roomgen torus --slip 0,125"
	exactly 'anywhere' "roomgen: --slip: '0,125' is not a number (try --help)"
fi

# --- read errors
for c in 'cscg-show .' 'roomwalk .' 'roomserve .' 'walkconv .' 'cscg-learn .' \
    'vq-kmeans -k 2 .' 'cscg-plan --goal state:0 .' 'cscg-score . -w walk.gz' \
    'cscg-bind . -w walk.gz' 'cscg-match . -w walk.gz' \
    'cscg-stitch . -w walk.gz' 'cscg-score model.gz -w .' \
    'cscg-bind model.gz -w .' 'cscg-match model.gz -w .' \
    'cscg-stitch model.gz -w .' 'roomgen map .' 'roomgen room .' \
    'roomgen voxel --map .'; do
	# cscg-show reads a library, which is a directory with an index.
	what='is a directory'
	[ "${c%% *}" = cscg-show ] && what="$what, not a library"
	exits 3 "$c: a directory" "$c >/dev/null </dev/null"
	exactly "$c: is named" "${c%% *}: '.': $what"
done
for c in cscg-show roomwalk walkconv cscg-learn 'vq-kmeans -k 2' 'roomgen map' \
    'cscg-score model.gz'; do
	exits 3 "$c: a directory as standard input" "$c >/dev/null <."
	exactly "$c: is named" "${c%% *}: standard input: is a directory"
	exits 3 "$c: no standard input at all" "$c <&- >/dev/null"
	exactly "$c: is reported" "${c%% *}: standard input: Bad file descriptor"
done

# --- names of 10^5 characters on the line (the kernel takes 131,071 in one
# argument), and of 10^6 in files
long=$(awk 'BEGIN { while (n++ < 10000) printf "0123456789" }')
part=$(awk 'BEGIN { while (n++ < 20) printf "0123456789" }')
exits 3 'a long name' 'roomwalk "$long" >/dev/null'
exactly 'is refused, shortened in the message' \
    "roomwalk: '$part...$part': File name too long"
exits 2 'a long name to write' 'roomgen torus -o "$long"'
exactly 'is refused before any work' \
    "roomgen: '$part...$part': File name too long"
name=$(printf '%s' "$part$part" | head -c 256)
exits 2 'a name longer by one byte' 'roomgen torus -o "$name"'
exactly 'is printed in full' "roomgen: '$name': File name too long"
name=${name#?}
exits 0 'the longest name' 'roomgen torus -o "$name"'
holds 'a name of the maximum length is written' '[ -s "$name" ]'
exits 2 'a long option' 'roomgen torus "--$long"'
says 'is unknown' "roomgen: unknown option '--0123456789"
exits 2 'a long number' 'roomwalk -n "$long" room.gz'
says 'is no number' 'roomwalk: --steps: '
million=$long$long$long$long$long$long$long$long$long$long
printf '%s\n' "x,a" "$million,0" "1,$million" >long.csv
exits 0 'names of a million characters' 'walkconv long.csv -o long.gz'
same 'are read back' 'walkconv --as csv long.gz' 'walkconv --as csv long.csv'
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":1,"'"$million"'":1}' >long.walk
exits 3 'a key of a million characters' 'walkconv long.walk'
says 'is unknown' "'long.walk': line 1: /0123456789"
holds 'long names are shortened in the message' '[ $(wc -c <"$err") -lt 3000 ]'
finish
