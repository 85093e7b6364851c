# How make figures works: parts that are measured, counted and not made twice;
# and QUICK=1.
# all: figures in small
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures
unset MAKEFLAGS MFLAGS MAKELEVEL MEASURE || :
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# --- a part: its output is kept
mkdir F bin
exits 0 'a part' "sh '$fig/part.sh' F F/a/1.tsv WORD='two words' sh -c 'echo \"\$WORD\"'"
exactly 'without a message, without a plan' ''
same 'the output of the part' "cat '$out'" 'echo two words'
same 'the time of the part is recorded' "awk -F '\t' '{ print NF, \$1, (\$2 ~ /^[0-9.]+\$/), (\$5 > 1e9) }' F/times.tsv" 'echo 5 a/1.tsv 1 1'
exits 1 'a part that fails' "sh '$fig/part.sh' F F/a/2.tsv false"
same 'a failed part is not recorded' 'wc -l <F/times.tsv' 'echo 1'

# A clock that is always 1000, and a measurement that is always 5 seconds.
cat >bin/date <<'END'
#!/bin/sh
echo 1000
END
cat >bin/measure <<'END'
#!/bin/sh
shift
"$@" >/dev/null || { echo 'measure: failed' >&2; exit 3; }
echo '5.000000 4.000000 1048576'
END
chmod +x bin/*
part() { PATH=$dir/bin:$PATH MEASURE=$dir/bin/measure sh "$fig/part.sh" F "$@"; }
# x/2 took 20 s before; y has no similar part, so its estimate is the mean of 20
# and 5: 32.5 s are left.
printf 'x/2\t20\t20\t9\t100\n' >F/times.tsv
printf '#began 900\nx/1\nx/2\ny\n' >F/plan
exits 0 'a part of a plan' 'part F/x/1 echo hello'
exactly 'prints the remaining time' '  1 of 3 parts made in 0:01:40, about 0:00:33 to go'
same 'the output of the part follows' "cat '$out'" 'echo hello'
same 'the measurement' 'tail -n 1 F/times.tsv' 'printf "x/1\t5.000000\t4.000000\t1048576\t1000\n"'
# Similar to x/7 are x/1 and x/2: 12.5 s each. 290 + 5 + 5 s of work in 100 s:
# three at a time, so (20 + 12.5 + 12.5) / 3.
printf 'z\t290\t9\t9\t950\n' >>F/times.tsv
printf '#began 900\nx/1\nx/2\nx/7\nx/8\ny\n' >F/plan
exits 0 'parts side by side' 'part F/y true'
exactly 'and so on' '  3 of 6 parts made in 0:01:40, about 0:00:15 to go'
printf '#began 900\ny\n' >F/plan
printf 'y\t5\t5\t5\t1000\n' >F/times.tsv
exits 0 'the last' 'part F/y true'
exactly 'and nothing is left' '  1 of 1 parts made in 0:01:40'
exits 1 'a part of a plan fails' 'part F/y false'

# --- a figure, by make; the tools are built
build() # VARIABLE... GOAL
{
	make -C "$TOP" --no-print-directory BINS= BUILD="$BUILD" FIG="$dir/G" \
	    MEASURE="$dir/bin/measure" "$@"
}
exits 0 'a figure' 'build SYMMETRIC_WALKS=1 fig-symmetric'
prints 'its rows' '	1/1	>= 96 %	yes'
cp "$err" told
holds 'the parts of a figure are counted' "grep -q '^  1 of 1 parts made in ' told"
exits 0 'the figure is made again' 'build SYMMETRIC_WALKS=1 fig-symmetric'
same 'its parts are not made twice' 'wc -l <G/times.tsv; cat G/plan | grep -vc "^#" || :' 'printf "1\n0\n"'
exits 0 'a quick one' 'build QUICK=1 FIG="$dir/Q" fig-symmetric'
prints 'has rows' 'clones tied	-	5/5	>= 96 %'
same 'rows have no verdict' 'cut -f 6 Q/symmetric.rows' 'printf -- "-\n-\n"'
same 'no partial file is left' 'ls Q | grep new || :' :

# --- all figures: a dry run of make
commands() { build -n V=1 COUNTED=1 "$@" figures | grep 'data/figures/part.sh '; }
names() { sed 's|.*part\.sh [^ ]*/G [^ ]*/G/\([a-z0-9]*\).*|\1|' "$1" | sort -u; }
exits 0 'all commands of make figures' 'commands >full'
exits 0 'quick' 'commands QUICK=1 >quick'
same 'a quick run has parts of all figures' 'names quick' 'names full'
holds 'a quick run has fewer parts' '[ $(wc -l <quick) -lt $(($(wc -l <full) / 2)) ]'
holds 'a quick run has fewer walks' "grep -q 'match2d/tied-7001/[^ ]* WALKS=[0-9] sh' quick && ! grep -q 'match2d/[^ ]* WALKS=' full"
holds 'all settings of quick.mk exist' "for v in \$(sed -n 's/^override \([A-Z0-9_a-z-]*\) .*/\1/p' '$fig/quick.mk'); do
    cat '$TOP/data/figures.mk' \$(ls '$fig'/*.mk | grep -v quick) | grep -q \"^\$v *:*=\" || { echo \$v; exit 1; }; done"
# --- SEED: every seed is another one, and nothing else changes
joined() { sed -e ':a' -e '/\\$/{N' -e 's/\\\n//' -e 'ba' -e '}' | sed -n 's|.*data/figures/part\.sh ||p'; }
whole() { build -n V=1 COUNTED=1 "$@" figures | joined; }
exits 0 'the default seeds' 'whole >seed0'
exits 0 'commands with SEED=3' 'whole SEED=3 >seed3'
same 'seeds are those of the default plus 3 million' "sed -E 's/30{1,2}([1-9][0-9]{3,4})/\\1/g' seed3" 'cat seed0'
# Parts that are the same with any seed draw or make a room, without a walk.
sort seed0 >a
sort seed3 | comm -12 a - | grep -vE '(rooms|panels|neato|match3d-draw|heat)\.sh|roomgen [^|]* -o [^ ]*$|cscg-show|\.sh (world|place|mark|draw|size) ' >unshifted || :
same 'every random part has its seed' 'cat unshifted' :
same 'the default is 0' 'whole SEED=0' 'cat seed0'
for n in -1 x 2001 '1 2' 01; do
	exits 2 "SEED=$n is refused" "make -C '$TOP' -n SEED='$n' fig-symmetric"
	says 'in words' "SEED=$n: a number from 0 to 2000 is needed"
done
same 'results of another seed have their own directory' "make -C '$TOP' --no-print-directory -n SEED=12 BUILD=B report | grep -o '^mkdir.*'" \
    'echo mkdir -p B/figures-seed12'

same 'a quick run has its own directory' "make -C '$TOP' --no-print-directory -n QUICK=1 BUILD=B report | grep -o '^mkdir.*'" \
    'echo mkdir -p B/figures-quick'

# --- rows of results
printf '#room\tsteps\nhole\t50000\t72\t10\t9\t9\tyes\ntorus\t50000\t72\t10\t8\t9\tno\ndigit-3\t100000\t9\t10\t10\t8\tyes\n' >recover.tsv
printf '#room\nslip\t50000\t1\t30\t30\t1\t.01\t.02\t.04\t.01\t.05\nslip\t50000\t2\t30\t31\t1\t.01\t.03\t.03\t.01\t.06\n' >recover-slip.tsv
printf '#seed\n# clones: the torus is best in 47 of 50\n# none: the torus is best in 48 of 50\n' >symmetric.tsv
exits 0 'rows' "sh '$fig/recover-rows.sh' recover.tsv recover-slip.tsv symmetric.tsv"
cp "$out" rows
same 'results and verdicts of the rows' 'cut -f 4,6 rows' 'cat <<END2
17/20, short: torus	no
10/10	yes
1/2; .03 (walk itself .04, EM from the true model .06)	no
47/50	no
48/50	yes
END2'
finish
