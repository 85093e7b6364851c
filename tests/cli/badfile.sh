# badfile.sh - files that cannot be read or written, for badinput.sh and badroom.sh;
# sourced
#
# $bad_cmd is a command in which % stands for a file that it reads, $bad_tool its tool,
# $bad_good a valid file.

bad_run() { # FILE: the command that reads it
	echo "${bad_cmd%\%*}$1${bad_cmd#*\%}"
}

# Every prefix of the compressed file, every third (or STEP-th) prefix of a plain one.
bad_cuts() { # FORMAT [STEP]
	gzip -n <"$bad_good" >good.gz
	size=$(wc -c <good.gz) n=0 wrong=
	while [ $n -lt "$size" ]; do
		head -c $n good.gz >bad.gz
		$(bad_run bad.gz) -o never >got 2>msg
		[ $? = 3 ] && [ "$(wc -l <msg)" = 1 ] &&
		    grep -q "^$bad_tool: 'bad.gz': " msg &&
		    { [ $n -lt 2 ] || grep -q 'unexpected end' msg; } ||
		    wrong="$wrong $n"
		n=$((n + stride))
	done
	holds "cuts of a compressed $1 are refused" \
	    "[ -z '$wrong' ] || { echo wrong at $wrong; false; }"
	size=$(($(wc -c <"$bad_good") - 1)) n=0 wrong=
	while [ $n -lt "$size" ]; do
		head -c $n "$bad_good" >bad.in
		$(bad_run bad.in) -o never >got 2>msg
		[ $? = 3 ] && [ "$(wc -l <msg)" = 1 ] || wrong="$wrong $n"
		n=$((n + ${2:-3} * stride))
	done
	holds "cuts of a plain $1 are refused" \
	    "[ -z '$wrong' ] || { echo wrong at $wrong; false; }"
	holds 'refused input leaves no output' '[ ! -e never ] && ! ls .never*'
	exits 3 'an empty file is refused' "$(bad_run /dev/null) >got"
	exactly 'empty: message' \
	    "$bad_tool: '/dev/null': unexpected end: no $1"
	cp good.gz bad.gz
	printf '\377' | dd of=bad.gz bs=1 seek=$(($(wc -c <good.gz) - 6)) \
	    conv=notrunc 2>/dev/null
	exits 3 'a wrong checksum is refused' "$(bad_run bad.gz) >got"
	says 'checksum: message' "$bad_tool: 'bad.gz': "
	{ cat good.gz; echo garbage; } >bad.gz
	exits 3 'garbage after the end is refused' "$(bad_run bad.gz) >got"
	says 'garbage: message' "$bad_tool: 'bad.gz': "
}

bad_files() {
	exits 3 'a missing file' "$(bad_run nowhere.gz) >got"
	exactly 'missing: message' \
	    "$bad_tool: 'nowhere.gz': No such file or directory"
	exits 3 'a directory' "$(bad_run .) >got"
	says 'directory: message' "$bad_tool: '.': "
	if user_ready; then
		cp "$bad_good" secret
		chmod 000 secret
		cmd="$(bad_run secret) >got"
		exits 3 'an unreadable file' '$as_user sh -c "$cmd"'
		exactly 'unreadable: message' \
		    "$bad_tool: 'secret': Permission denied"
	else
		tap 0 'an unreadable file # SKIP no other user (setpriv)'
	fi
	exits 2 'an unwritable output' "$(bad_run "$bad_good") -o nowhere/x"
	exactly 'unwritable: message' \
	    "$bad_tool: 'nowhere/x': No such file or directory"
	exits 4 'a full disk' "$(bad_run "$bad_good") >/dev/full"
	exactly 'full: message' \
	    "$bad_tool: standard output: No space left on device"
	exits 4 'a full disk by name' "$(bad_run "$bad_good") -o /dev/full"
	exactly 'full by name: message' \
	    "$bad_tool: '/dev/full': No space left on device"
	exits 4 'stdout closed' "$(bad_run "$bad_good") >&-"
	exactly 'closed: message' \
	    "$bad_tool: standard output: Bad file descriptor"
}
