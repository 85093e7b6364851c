# Faults of figures: every script of data/figures when a program that it calls
# fails or is killed, and make figures when it is killed, when there is no
# space, and in unusual environments.  A script fails then, and a part is
# absent, old or complete; what is resumed ends with the same bytes.
#
# FAULTS is the number of calls of each script that fail [1]; all: every one.
# KILLS is how many times a make is killed [4].
# all: slow (20 s), needs gnuplot and Graphviz
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/fault/figures.sh"
fig=$TOP/data/figures
unset MAKEFLAGS MFLAGS MAKELEVEL CALLS FAULT HOW DRAW STEPS WALKS || :
OMP_NUM_THREADS=1
export OMP_NUM_THREADS TOP
if ldd "$BUILD/roomgen" | grep -q libasan; then
	tap 0 'faults of figures in the plain build # SKIP sanitizer'
	finish
fi
missing=
for p in gnuplot dot neato make setsid; do command -v $p >/dev/null || missing="$missing $p"; done
if [ "$missing" ]; then
	tap 0 "faults of figures # SKIP no$missing"
	finish
fi

# A file that no rule makes would end make figures after an hour.
for how in QUICK=0 QUICK=1 SEED=7; do
	exits 0 "all figures have rules, $how" \
	    "make -n -C '$TOP' COUNTED=1 BUILD='$BUILD' $how figures >listed 2>&1"
	holds 'they have hundreds of parts' '[ "$(grep -c part.sh listed)" -gt 400 ]'
done

figures_bin
mkdir at calls want
(cd at && figures_start)

# --- every script
# run: the job, with its calls counted
run()
{
	rm -rf calls
	mkdir calls
	(cd at && export CALLS="$dir/calls" PATH="$dir/bin:$PATH" && eval "$job") >"$out" 2>"$err" </dev/null
}

# which: those calls that are to fail, each with its kind of failure
which()
{
	ls calls | awk -v n="${FAULTS:-1}" -v seed="$jobs" '
	{ call[NR] = $0 }
	END {
		srand(seed)
		if (n == "all" || n > NR) n = NR
		for (i = 1; i <= n; i++) {
			j = i + int(rand() * (NR - i + 1))
			x = call[j]; call[j] = call[i]
			print x, (rand() < .5 ? "status" : "cut")
		}
	}'
}

# files: all complete files
files() { (cd at && find . -type f ! -name '*.new.*' ! -name '.*.tmp.*' | sort); }

# spoil: one fault; prints what is wrong.  Every second time old files exist of
# everything that the job makes.
spoil()
{
	while read -r f; do
		if [ $((spoiled % 2)) = 1 ]; then echo old >"at/$f"; else rm -f "at/$f"; fi
	done <made
	run && echo "$FAULT $HOW goes unnoticed"
	while read -r f; do
		[ ! -e "at/$f" ] || cmp -s "at/$f" "want/$f" || [ "$(cat "at/$f")" = old ] ||
		    echo "$FAULT $HOW spoils $f"
	done <made
}

jobs=0 spoiled=0
figures_jobs >jobs
while IFS='	' read -r to job; do
	name=$(echo "$job" | sed 's|.*figures/\([^"]*\)" *\([a-z]*\).*|\1 \2|')
	jobs=$((jobs + 1))
	files >before
	run
	rc=$?
	tap $rc "$name: runs"
	[ $rc = 0 ] || { sed 's/^/# /' "$err" | head -3; continue; }
	files | comm -13 before - >made
	[ "$to" = - ] || cp "$out" "at/$to"
	rm -rf want
	while read -r f; do mkdir -p "want/${f%/*}"; cp "at/$f" "want/$f"; done <made
	which >faults
	: >bad
	while read -r FAULT HOW; do
		export FAULT HOW
		spoil >>bad
		spoiled=$((spoiled + 1))
	done <faults
	unset FAULT HOW
	while read -r f; do cp "want/$f" "at/$f"; done <made
	[ ! -s bad ]
	tap $? "$name: fails when a program does, and no file is half made"
	sed 's/^/# /' bad
done <jobs
echo "# $spoiled calls spoiled in $jobs runs"
same 'no script is left out' "sed -n 's|.*figures/\([a-z0-9-]*\.sh\).*|\1|p' jobs | sort -u" \
    "cd '$fig' && ls *.sh | grep -vx 'common.sh\|games.sh\|part.sh\|plan.sh\|stitch-parts.sh\|tasks.sh\|learn.*\.sh\|live.sh\|life.sh\|layouts.sh\|pautomac.sh\|text.sh'"

# --- make: a figure of two rooms, by the makefile of figures alone
cat >fig.mk <<'END'
Q = @printf '  %s\n' '$@';
all:
force:
include data/figures.mk
.SECONDARY:
END
# figure [VARIABLE...]: in G
figure()
{
	WALKS=2 make -C "$TOP" -f "$dir/fig.mk" --no-print-directory COUNTED=1 BINS= \
	    BUILD="$dir/bin" MEASURE= FIG="$dir/G" KINDS='rectangle torus' SIZES=small \
	    STEPS_tied=10 MATCH2D_LEARN=300 MATCH2D_SEEDS=7001 "$@" \
	    "$dir/G/match2d-tied.tsv" "$dir/G/match2d-tied.svg"
}

# Recorded times are not compared.
apart="-x times.tsv -x *.new.* -x .*.tmp.*"
parts() { diff -rq $apart whole G | grep -v '^Only in whole' || :; }
rm -rf calls
mkdir calls
exits 0 'a figure' 'CALLS=$dir/calls figure'
mv G whole
mv calls all-calls
holds 'the figure has parts and pictures' '[ -s whole/match2d-tied.tsv ] && [ -s whole/match2d-tied.png ] && [ -s whole/match2d/schemas-7001/torus.gz ]'
holds 'no partial file is left' '[ -z "$(find whole -name "*.new*")" ]'
exits 0 'the figure is made again' figure
same 'the second figure has the same bytes' "diff -rq $apart whole G" :

# kill -9, at calls drawn from all: of make, of the script that calls, of the
# program, of all at once.  Every second time there is an old figure that is
# made again.  Processes that a killed make leaves are not waited for.
old() # a figure of other days
{
	rm -rf G
	cp -R whole G
	find G -type f -exec sh -c 'for f; do echo old >"$f"; done' sh {} +
}
killed() # FAULT HOW [-B]
{
	rm -rf calls
	mkdir calls
	cat gone >/dev/null &
	(export CALLS="$dir/calls" FAULT="$1" HOW="$2" TOP dir
	exec 8>gone
	setsid -w sh -c 'echo $$ >"$CALLS/make"; . "$0"; figure $1' "$dir/figure.sh" "${3-}") >"$out" 2>"$err" 8>&-
}
mkfifo gone
{
	sed -n '/^figure()/,/^}/p' "$TOP/tests/cli/figfaults.t" | sed 's/WALKS=2 make/WALKS=2 exec make/'
} >figure.sh
ls all-calls | awk -v n="${KILLS:-4}" 'BEGIN { split("make script cut all", how, " ") }
{ call[NR] = $0 }
END { srand(11); for (i = 0; i < n; i++) print call[1 + int(rand() * NR)], how[1 + i % 4] }' >faults
kills=0
: >bad
while read -r f how; do
	kills=$((kills + 1))
	rm -rf G
	again=
	[ $((kills % 2)) = 1 ] || { old; again=-B; }
	{ killed "$f" "$how" $again </dev/null; rc=$?; } 2>/dev/null
	[ $rc != 0 ] || echo "$f $how: goes unnoticed" >>bad
	# Old, or complete.
	diff -rq $apart whole G | sed -n 's/^Files .* and \(.*\) differ$/\1/p; s/^Only in \(G[^:]*\): /\1\//p' |
	    while read -r g; do [ "$(cat "$g")" = old ] || echo "$f $how: $g is spoiled"; done >>bad
	figure $again >"$out" 2>"$err" </dev/null || { echo "$f $how: is not resumed"; cat "$err"; } >>bad
	wait
	diff -rq $apart whole G >differ || { echo "$f $how: ends otherwise"; cat differ; } >>bad
done <faults
[ ! -s bad ]
tap $? "kill -9: parts are absent, old or complete, and what is resumed ends the same ($kills)"
sed 's/^/# /' bad | head -20

# Two at once, in one directory.
rm -rf G
figure >first 2>&1 &
exits 0 'two at once: one' figure
wait $!
tap $? 'and the other'
same 'two at once: the same bytes' "diff -rq $apart whole G" :

# A closed pipe.
rm -rf G
figure 2>/dev/null | head -n 1 >/dev/null
same 'a closed reader: no partial file' parts :
exits 0 'continues' figure
same 'after a closed reader the figure is completed' "diff -rq $apart whole G" :

# No space, in the directory of parts and in the temporary one.
rm -rf G
mkdir G small
if mount -t tmpfs -o size=16k none G 2>/dev/null; then
	trap 'umount "$dir/G" "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
	for k in 16 32 48; do
		mount -o remount,size=${k}k G
		exits 2 "no space, $k KiB" figure
		cp "$err" said
		holds 'a full disk is reported' "grep -q 'No space left\|is there space\|I/O error' said"
		same 'no part is half made' parts :
	done
	mount -o remount,size=8m G
	exits 0 'with space the figure is continued' figure
	same 'the continued figure has the same bytes' "diff -rq $apart whole G" :
	umount G
	mount -t tmpfs -o size=4k none small
	for s in 'panels.sh p 2 a=torus.tsv' 'rooms.sh p 1 a=room.gz' 'neato.sh town.dot' \
	    'symmetric.sh 1' 'compose.sh 1 7 1 digits p'; do
		exits 0 "no space to work in: ${s%% *}" "cd at && ! STEPS=400 TMPDIR=$dir/small sh '$fig'/$s >p.out"
		holds 'no figure is made' '[ ! -e at/p.svg ] && [ ! -e at/p.png ] && [ ! -e at/p.end ]'
	done
	umount small
else
	tap 0 'no space # SKIP no tmpfs'
fi
rm -rf G

# --- environments
exits 2 'no TMPDIR' 'TMPDIR=/none/such figure'
cp "$err" said
holds 'a missing TMPDIR is reported' "grep -q /none/such/cscg-figure said"
same 'no part is half made' parts :
: >file
exits 2 'a directory that cannot be created' 'make -C "$TOP" -f "$dir/fig.mk" BINS= BUILD="$dir/bin" MEASURE= FIG="$dir/file/G" fig-match2d'
cp "$err" said
holds 'an unwritable directory is reported' "grep -q \"\*\*\* figures: '$dir/file/G' cannot be written\" said"
exits 2 'blanks in the name' 'figure FIG="$dir/a b"'
says 'are refused at once' "'$dir/a b': a directory without blanks in its name is needed, for make"

mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1 &&
    [ "$(LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ]; then
	rm -rf G
	exits 0 'decimal commas' 'LOCPATH=$dir/locales LC_ALL=de_DE.UTF-8 figure'
	same 'give the same bytes' "diff -rq $apart whole G" :
else
	tap 0 'decimal commas # SKIP localedef has no de_DE'
fi
rm -rf G
exits 0 'umask 077' '(umask 077; figure)'
same 'give the same bytes' "diff -rq $apart whole G" :
same 'files keep the umask' 'find G -type f ! -perm 600' :

# --- the drawing programs are missing
mkdir few
for p in sh awk basename cat chmod cut date dirname env find grep gzip head ls make mkdir mktemp \
    mv nproc paste printf rm sed seq sort tail touch tr wc; do
	ln -s "$(command -v $p)" few/$p 2>/dev/null || :
done
rm -rf G
exits 2 'no gnuplot' 'PATH=$dir/few figure BUILD="$BUILD"'
cp "$err" said
same 'missing gnuplot is reported in one line' "grep gnuplot said" \
    "echo 'panels.sh: gnuplot is needed to draw, and is not there (Debian: gnuplot-nox)'"
exits 1 'no graphviz' "cd at && PATH=$dir/few sh '$fig/neato.sh' town.dot"
exactly 'is reported in one line' 'neato.sh: neato is needed to draw, and is not there (Debian: graphviz)'
exits 2 'no drawing programs, and all figures requested' \
    'PATH=$dir/few make -C "$TOP" -f "$dir/fig.mk" --no-print-directory BINS= BUILD="$dir/bin" FIG="$dir/G" figures'
says 'is reported before work begins' 'figures: no gnuplot dot neato, needed to draw (make deps gets it)'
finish
