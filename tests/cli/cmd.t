# Common behaviour of all tools: help, options, exit status and signals.
. "$(dirname "$0")/../tap.sh"

version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")
roomgen rectangle --size 3x3 -o room.gz
roomwalk -n 200 room.gz -o walk.gz
roomgen rectangle --size 3x3 --as model -o model.gz

# A command for each tool that writes output.
job() {
	case $1 in
	roomgen) echo 'roomgen torus' ;;
	roomwalk) echo 'roomwalk -n 50 room.gz' ;;
	roomserve) echo "sh -c 'exec roomserve \"\$@\" room.gz </dev/null' -" ;;
	cscg-bind) echo 'cscg-bind -j1 --restarts 1 model.gz -w walk.gz' ;;
	cscg-learn) echo 'cscg-learn -j1 --clones 1 --iterations 2 --restarts 1 walk.gz' ;;
	cscg-match) echo 'cscg-match -j1 --every 100 model.gz -w walk.gz' ;;
	cscg-plan) echo 'cscg-plan model.gz --start state:0 --goal state:8' ;;
	cscg-predict) echo 'cscg-predict model.gz -w walk.gz' ;;
	cscg-score) echo 'cscg-score model.gz -w walk.gz' ;;
	cscg-show) echo 'cscg-show model.gz' ;;
	cscg-stitch) echo 'cscg-stitch -j1 --restarts 1 model.gz -w walk.gz' ;;
	vq-kmeans) echo 'walkconv --as npy walk.gz >f.npy; vq-kmeans -j1 -k 2 --frames f.npy' ;;
	walkconv) echo 'walkconv walk.gz' ;;
	*) echo "echo 'cmd.t does not know how to run $1' >&2; false" ;;
	esac
}

tools=
for t in $(all_tools); do
	[ -x "$BUILD/$t" ] && tools="$tools $t"
done

for t in $tools; do
	exits 0 "$t --help" "$t --help"
	prints "$t: --help starts with its usage" "usage: $t [OPTION]..."
	exactly "$t: --help writes nothing to standard error" ''
	cp "$out" help
	same "$t -h is the same" "$t -h" 'cat help'
	same "$t: --help does not depend on other options" "$t -q -h" 'cat help'

	# The page has every option of --help, and --help every option of the
	# page.
	sed -n 's/^  .... *--\([a-z0-9-]*\).*/\1/p; s/^  -., --\([a-z0-9-]*\).*/\1/p' \
	    help | sort -u >words
	holds "$t: --help has options" '[ $(wc -l <words) -ge 5 ]'
	holds "$t: all options of --help are in its page" "for w in \$(cat words); do
	    grep -Eq -- \"Fl -\$w( |\\\$)\" '$TOP/man/$t.1' ||
	    { echo \"--\$w\"; no=1; }; done; [ ! \"\$no\" ]"
	holds "$t: all options of its page are in --help" "for w in \$(grep '^\\.It Fl' \\
	    '$TOP/man/$t.1' | grep -o -- 'Fl -[a-z0-9-]*' | cut -c5-); do
	    grep -qx -- \"\$w\" words || { echo \"--\$w\"; no=1; }; done
	    [ ! \"\$no\" ]"
	holds "$t: all letters of --help are in its page" "for l in \$(sed -n \\
	    's/^  -\\(.\\), --.*/\\1/p' help); do
	    grep -Eq -- \"Fl \$l( |\\\$)\" '$TOP/man/$t.1' ||
	    { echo \"-\$l\"; no=1; }; done; [ ! \"\$no\" ]"

	exits 0 "$t -V" "$t -V"
	same "$t -V names tool and version" "$t -V" "echo '$t (cscg) $version'"
	same "$t --version is the same" "$t --version" "$t -V"

	exits 2 "$t: an unknown long option" "$t --no-such-option </dev/null"
	exactly "$t: is named" "$t: unknown option '--no-such-option' (try --help)"
	exits 2 "$t: an unknown letter" "$t -% </dev/null"
	exactly "$t: is named as well" "$t: unknown option '-%' (try --help)"
	exits 2 "$t: an abbreviated option" "$t --hel </dev/null"
	exactly "$t: is refused, with a suggestion" "$t: unknown option '--hel': did you mean --help? (try --help)"
	exits 2 "$t: a misspelt option" "$t --verbise </dev/null"
	exactly "$t: is refused, with a suggestion" "$t: unknown option '--verbise': did you mean --verbose? (try --help)"
	exits 2 "$t: a flag with a value" "$t --quiet=1 </dev/null"
	exactly "$t: is refused" "$t: --quiet takes no value (try --help)"
	exits 2 "$t: a missing value of a long option" "$t --output </dev/null"
	exactly "$t: is asked for" "$t: --output needs a value (try --help)"
	exits 2 "$t: a missing value of a letter" "$t -qo </dev/null"
	exactly "$t: is asked for as well" "$t: -o needs a value (try --help)"
	if grep -q -- '--seed' help; then
		exits 2 "$t: seed ten" "$t --seed ten </dev/null"
		exactly "$t: is no number" "$t: --seed: 'ten' is not a number (try --help)"
		exits 2 "$t: seed -1" "$t -s-1 </dev/null"
		exactly "$t: is too low" "$t: --seed: -1 is outside 0 and up (try --help)"
		exits 2 "$t: seed 1.5" "$t -s 1.5 </dev/null"
		exactly "$t: is not whole" "$t: --seed: '1.5' is not a whole number (try --help)"
		exits 2 "$t: a seed too large" "$t -s 99999999999999999999 </dev/null"
		exactly "$t: is called so" "$t: --seed: 99999999999999999999 is too large (try --help)"
		exits 2 "$t: seed ''" "$t --seed= </dev/null"
	fi
	if grep -q -- '--threads' help; then
		exits 2 "$t: 0 threads" "$t -j 0 </dev/null"
		exactly "$t: are refused" "$t: --threads: 0 is outside 1..4096 (try --help)"
	fi
	exits 2 "$t: standard input twice" "$t - - </dev/null"

	exits 4 "$t: --help on a full disk" "$t --help >/dev/full"
	exactly "$t: is an error" "$t: standard output: No space left on device"
	exits 4 "$t: --help with stdout closed" "$t --help >&-"
	exactly "$t: is an error" "$t: standard output: Bad file descriptor"

	j=$(job "$t")
	exits 0 "$t: a job succeeds" "$j >/dev/null"
	exactly "$t: without a message" ''
	exits 4 "$t: output to a full disk" "$j >/dev/full"
	says "$t: is an error" "$t: standard output: No space left on device"
	exits 4 "$t: output to a closed stdout" "$j >&-"
	says "$t: is an error" "$t: standard output: Bad file descriptor"
	exits 4 "$t: a full device by name" "$j -o /dev/full"
	says "$t: is named" "$t: '/dev/full': No space left on device"
	exits 2 "$t: an output that cannot be created" "$j -o none/x"
	exactly "$t: is named" "$t: 'none/x': No such file or directory"
	exits 2 "$t: a directory as output" "$j -o ."
	exactly "$t: is named" "$t: '.': Is a directory"
	same "$t: -o is standard output" "$j" "$j -o f; cat f"
	# Opened files must not get the numbers of closed standard descriptors.
	same "$t: stdin and stderr closed" "$j <&- 2>&-" "$j"
	holds "$t: no temporary file is left" '[ -z "$(find . -name "*.tmp.*")" ]'
	rm -f status
	holds "$t: a closed reader ends the tool" "($j; echo \$? >status) | true; wait_for '[ -s status ]'
	    case \$(cat status) in 0|141) ;; *) false ;; esac"
	exactly "$t: a closed reader gives no message" ''
done

# Termination by signals.
big='roomwalk -n 1000000000 room.gz'
rm -f status
holds 'a closed reader ends the tool by SIGPIPE' "($big; echo \$? >status) 2>talk |
    head -c 100 >/dev/null; wait_for '[ -s status ]'; [ \"\$(cat status)\" = 141 ] && [ ! -s talk ]"
# All signals that end a process, but KILL; in a shell without core files.
for s in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 ALRM TERM XCPU VTALRM PROF IO \
    PWR SYS RTMIN RTMAX; do
	echo old >kept
	holds "$s: target unchanged, temporary file removed, ended by the signal" "
	ulimit -c 0
	env --default-signal=$s $big -o kept & p=\$!
	wait_for '[ \"\$(find . -name \".kept.tmp.*\")\" ]'; was=\$?
	kill -$s \$p; wait \$p; rc=\$?
	[ \$was = 0 ] && [ \"\$(kill -l \$((rc - 128)))\" = $s ] && [ \"\$(cat kept)\" = old ] &&
	    [ -z \"\$(find . -name '*.tmp.*')\" ]"
done
holds 'KILL: the target is unchanged' "
	$big -o kept & p=\$!
	sleep .2; kill -KILL \$p; wait \$p; [ \"\$(cat kept)\" = old ]"
rm -f .kept.tmp.*
(ulimit -f 1; exec roomwalk -n 1000000 room.gz -o limited) 2>talk
rc=$?
cp talk "$err"
exits 4 'a limit on file size' "cat talk >&2; exit $rc"
says 'is a system failure' "'limited': File too large"
holds 'no file is left' '[ ! -e limited ] && [ -z "$(find . -name "*.tmp.*")" ]'

# Permissions, as a user who is not root.
if user_ready; then
	echo old >readonly && chmod 444 readonly
	mkdir closed blind && chmod 555 closed && chmod 333 blind
	exits 2 'a file that may not be written' '$as_user roomgen torus -o readonly'
	exactly 'is not replaced' "roomgen: 'readonly': Permission denied"
	same 'the file without write permission is unchanged' 'cat readonly' 'echo old'
	exits 2 'a directory without write permission' '$as_user roomgen torus -o closed/x'
	exactly 'is reported' "roomgen: 'closed/x': Permission denied"
	exits 0 'a directory with write but without read permission' '$as_user roomgen torus -o blind/x'
	same 'gets the new file' 'cat blind/x' 'roomgen torus'
	chmod 600 closed && mkfifo pipe.closed && chmod 400 pipe.closed
	exits 2 'a directory without search permission' '$as_user roomgen torus -o closed/x'
	exactly 'is reported' "roomgen: 'closed/x': Permission denied"
	exits 2 'a FIFO without write permission' '$as_user roomgen torus -o pipe.closed'
	exactly 'is reported' "roomgen: 'pipe.closed': Permission denied"
	holds 'no file is left' '[ -z "$(find . -name "*.tmp.*")" ]'
else
	tap 0 'permissions # SKIP no other user (setpriv)'
fi

# A terminal, provided by script(1).
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec 'roomgen torus; echo status $?' /dev/null </dev/null >term
	holds 'no gzip on a terminal' "grep -q 'refusing to write compressed data to a terminal (use -o FILE, a pipe, --no-gzip or -f)' term && grep -q 'status 2' term"
	script -qec 'roomgen torus --no-gzip; echo status $?' /dev/null </dev/null >term
	holds 'plain text is written to a terminal' 'grep -q "cscg-room" term && grep -q "status 0" term'
	script -qec 'roomgen torus -f; echo status $?' /dev/null </dev/null >term
	holds '-f writes gzip to a terminal' 'grep -q "status 0" term && ! grep -q refusing term'
else
	tap 0 'a terminal # SKIP script(1) has none'
fi

# Options in every spelling.
roomgen torus -s 7 --slip 0.1 -o a
for o in '-s7 --slip=0.1' '--slip 0.1 --seed=7' '-qs 7 --slip=+.1'; do
	same "roomgen $o" "roomgen torus $o" 'cat a'
done
same 'an integer may have an exponent' 'roomwalk -n 2e2 --no-gzip room.gz' \
    'roomwalk -n 200 --no-gzip room.gz'
exits 2 'a fraction as an integer' 'roomwalk -n 2.5e-1 room.gz'
exactly 'is refused' "roomwalk: --steps: '2.5e-1' is not a whole number (try --help)"
exits 2 'an integer out of range' 'roomwalk -n 1e30 room.gz'
says 'is refused' '--steps: 1e30 is '
same 'operands behind --' 'roomgen -s 7 --slip 0.1 -- torus' 'cat a'
same 'history has what differs from the default' \
    "roomwalk -n 10 --policy repeat:3 -s 5 --blind --no-gzip -q room.gz | head -n 1 | grep -o '{\"program\":\"roomwalk\".*}\\]' " \
    "echo '{\"program\":\"roomwalk\",\"version\":\"$version\",\"args\":{\"policy\":\"repeat:3\",\"steps\":\"10\",\"blind\":\"true\"},\"seed\":5}]'"

# A message is one line, with any bytes in a name.
exits 3 'a name with a newline' 'roomwalk "no
such"'
exactly 'is printed on one line' "roomwalk: 'no?such': No such file or directory"

# Completion.
if command -v bash >/dev/null && [ -f "$BUILD/completion/cscg" ]; then
	cat >try <<'END'
. "$1"
COMP_WORDS=($2 "$3") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_cscg "${COMP_WORDS[0]}" "$3" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[*]}"
END
	c="bash try '$BUILD/completion/cscg'"
	same 'completes options' "$c roomgen --no-" 'echo --no-gzip'
	same 'completes choices' "$c 'roomgen --size' m" 'echo medium'
	same 'completes choices after =' "$c 'roomgen --size =' l" 'echo large'
	same 'leaves files to the shell' "$c 'roomgen -o' m" 'echo'
fi
if command -v zsh >/dev/null && [ -f "$BUILD/completion/_cscg" ]; then
	exits 0 'zsh reads its file' "zsh -fn '$BUILD/completion/_cscg'"
	# The tab key on a pseudo-terminal.
	if zsh -f -c 'zmodload zsh/zpty && zpty z true' 2>/dev/null; then
		mkdir typed
		: >typed/walk.gz
		tab() { (cd typed && zsh -f "$TOP/tests/cli/complete.zsh" "$BUILD/completion" "$1"); }
		same 'zsh completes options' 'tab "roomgen --no-"' 'echo --no-gzip'
		same 'choices' 'tab "walkconv --derive-actions comp"' 'printf "%s\n" compass4 compass8'
		same 'zsh completes files' 'tab "cscg-learn wa"' 'echo walk.gz'
	else
		tap 0 'zsh completes # SKIP no pseudo-terminal'
	fi
	# The arguments of _arguments(), instead of the completion itself.
	printf '%s\n' '_arguments() { print -rl -- "$@" }' '. "$1"' >try.zsh
	for t in $tools; do
		same "$t: zsh has the options of --help" \
		    "zsh -f -c 'service=$t; . ./try.zsh' try '$BUILD/completion/_cscg' | sed -n 's/^\\((.*)\\|\\*\\)*\\(--[a-z-]*\\)\\[.*/\\2/p' | sort" \
		    "$t --help | sed -n 's/^  \\(-., \\|    \\)\\(--[a-z-]*\\).*/\\2/p' | sort"
	done
	same 'a choice, with its help' "zsh -f -c 'service=walkconv; . ./try.zsh' try '$BUILD/completion/_cscg' | grep derive" \
	    "echo '--derive-actions[actions from the displacement to the next cell \[column\]]:choice:(column none compass4 compass8 egocentric turns)'"
fi
if command -v fish >/dev/null && [ -f "$BUILD/completion/walkconv.fish" ]; then
	fishes="HOME=$dir fish --no-config -c"
	same 'fish completes options' "$fishes 'source $BUILD/completion/roomgen.fish; complete -C \"roomgen --no-\"' | cut -f 1" 'echo --no-gzip'
	same 'fish completes choices' "$fishes 'source $BUILD/completion/walkconv.fish; complete -C \"walkconv --derive-actions comp\"' | cut -f 1" 'printf "%s\n" compass4 compass8'
fi

# Options that a tool adds to messages of the library exist in this tool.
for t in $tools; do "$t" --help; done >helps
sed -n '/^} remedies/,/^};/p' "$TOP/cmd/suggest.c" | grep -o -e '--[a-z][a-z-]*' |
    sort -u >named
tr -c 'a-z-' '\n' <helps | grep -e '^--' | sort -u >have
same 'options in suggestions exist' 'comm -23 named have' 'test -s named'
finish
