# tap.sh - small helpers for tests in shell; source it first.
#
#   exits STATUS NAME COMMAND   run COMMAND; its status must be STATUS.
#                               stdout and stderr are kept in $out and $err
#   says NAME TEXT              the last command's stderr is one line that
#                               contains TEXT; the name follows that of exits
#   exactly NAME TEXT           ... and nothing but TEXT
#   prints NAME TEXT            the last command's stdout contains TEXT
#   same NAME COMMAND COMMAND   both print the same, and both succeed
#   holds NAME COMMAND          COMMAND succeeds
#   user_ready                  from here on $as_user runs a command as a user who
#                               is not root, and all files here are open to that
#                               user; status 1 if that is not possible
#   all_tools                   prints the names of the tools, one a line
#   has_python [MODULE...]      from here on python3 imports these; status 1 if no
#                               Python does
#   finish                      at the end
#
# Every test runs in a directory of its own, with the tools on PATH and the
# source tree in $TOP.  Loops over each cut of a file or each allocation advance
# by $stride: 1, or more if TEST_SHORT is set (make check).

TOP=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$TOP/build}"
PATH=$BUILD:$PATH
export PATH LC_ALL=C
dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-test.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
out=$dir/.out err=$dir/.err
tap_n=0 tap_bad=0 tap_last=output
stride=${TEST_SHORT:+17}
: "${stride:=1}"
. "$TOP/tests/python.sh"

# A source of cmd/ with a main() is a tool; the others are shared by all tools.
all_tools() {
	(cd "$TOP/cmd" && grep -l '^main(' ./*.c | sed 's,^\./,,; s/\.c$//')
}

tap() { # STATUS NAME
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
	else
		echo "not ok $tap_n - $2"
		tap_bad=$((tap_bad + 1))
	fi
}

# The name of a test of the last command's output, after that of the command.
tap_name() { # NAME
	name=$1
	case $name in "${tap_last%%: *}: "*) name=${name#*: } ;; esac
	echo "$tap_last: $name"
}

exits() { # STATUS NAME COMMAND
	(eval "$3") >"$out" 2>"$err"
	rc=$?
	tap_last=$2
	[ "$rc" = "$1" ]
	tap $? "$2"
	[ "$rc" = "$1" ] || { echo "# status $rc, not $1: $3"; sed 's/^/# /' "$err" | head -5; }
}

says() { # NAME TEXT
	[ "$(wc -l <"$err")" = 1 ] && grep -qF -- "$2" "$err"
	rc=$?
	tap $rc "$(tap_name "$1")"
	[ $rc = 0 ] || { echo "# wanted: $2"; sed 's/^/# /' "$err" | head -5; }
}

exactly() { # NAME TEXT
	[ "$(cat "$err")" = "$2" ]
	rc=$?
	tap $rc "$(tap_name "$1")"
	[ $rc = 0 ] || { echo "# wanted: $2"; sed 's/^/# /' "$err" | head -5; }
}

prints() { # NAME TEXT
	grep -qF -- "$2" "$out"
	rc=$?
	tap $rc "$(tap_name "$1")"
	[ $rc = 0 ] || { echo "# wanted: $2"; head -c 400 "$out" | sed 's/^/# /'; echo; }
}

same() { # NAME COMMAND COMMAND
	(eval "$2") >"$dir/.1" 2>"$err" && (eval "$3") >"$dir/.2" 2>>"$err" &&
	    cmp -s "$dir/.1" "$dir/.2"
	rc=$?
	tap $rc "$1"
	[ $rc = 0 ] || { cmp "$dir/.1" "$dir/.2" 2>&1 | sed 's/^/# /'; sed 's/^/# /' "$err" | head -5; }
}

holds() { # NAME COMMAND
	(eval "$2") >"$out" 2>"$err"
	rc=$?
	tap $rc "$1"
	[ $rc = 0 ] || { sed 's/^/# /' "$out" "$err" | head -8; }
}

# Wait until COMMAND succeeds, at most ten seconds: its status.  For an event in
# another process, whose delay depends on the load of the machine.
wait_for() { # COMMAND
	for waited in $(seq 200); do
		eval "$1" 2>/dev/null && return 0
		sleep .05
	done
	return 1
}

# Read the rest of FIFO 3, to which process $p writes, until it ends; sets $rc.
job_ended() {
	cat <&3 >/dev/null &
	c=$!
	wait "$p"
	rc=$?
	kill "$c" 2>/dev/null
	wait "$c" 2>/dev/null
}

user_ready() {
	as_user=
	[ "$(id -u)" = 0 ] || return 0
	# A user of its own for each run: limits count the processes of a user.
	uid=$((60000 + $$ % 5000))
	as_user="setpriv --reuid=$uid --regid=$uid --clear-groups"
	chmod -R a+rwX "$dir" && $as_user "$BUILD/roomgen" --version >/dev/null 2>&1
}

has_python() { # [MODULE...]
	tap_python=$(find_python "$@") || return
	[ "$tap_python" = "$(command -v python3)" ] && return
	# A script, not a link: Python looks for its modules beside its name.
	mkdir -p "$dir/.bin" &&
	    printf '#!/bin/sh\nexec "%s" "$@"\n' "$tap_python" >"$dir/.bin/python3" &&
	    chmod +x "$dir/.bin/python3" || return
	case $PATH in "$dir/.bin":*) ;; *) PATH=$dir/.bin:$PATH ;; esac
}

finish() {
	echo "1..$tap_n"
	[ "$tap_bad" = 0 ]
	exit
}
