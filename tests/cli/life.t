# A library that an agent fills while it acts, and uses in the next world.
# all: takes half a minute
. "$(dirname "$0")/../tap.sh"

if ! command -v python3 >/dev/null; then
	tap 0 'life-world.py # SKIP no python3'
	finish
fi
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
world="$TOP/data/figures/life-world.py"
live() { # LIBRARY WORLD [KEY=VALUE]...: act in a world of life 1, without noise
	lib=$1 number=$2
	shift 2
	cscg-plan --goal env --library "$lib" --as summary -- python3 "$world" serve 1 "$number" slip=0 misread=0 "$@"
}
rewards() { awk -F '\t' '!/^#/ { print $5 }' "$1"; }
kinds() { cscg-show "$1" | awk '/^schema/ { print $3 }' | sort -n | tr '\n' ' '; }

# Worlds of two rooms.  World 1 has two new kinds of 27 and 24 cells, world 2 one of
# them twice.
same 'two new kinds' 'python3 "$world" kinds 1 1 | cut -f 2 | tr "\n" " "' 'printf "27 24 "'
exits 0 'a world without a model' 'live lib 1 >first'
same 'the rooms of the world are schemas of the library' 'kinds lib' 'printf "24 27 "'
same 'each equals one kind' 'python3 "$world" held 1 1 lib' 'printf "2\t2\n"'
holds 'the schemas have the door as a frontier' '[ "$(cscg-show lib | awk "/^schema/ { n += \$5 > 0 } END { print n }")" = 2 ]'
holds 'the world is a memory of the library' '[ "$(cscg-show lib | awk "/^memory/ { print \$3 }")" = 51 ]'
exits 0 'a second world of a known room' 'live lib 2 >second'
same 'no kind is new' 'kinds lib' 'printf "24 27 "'
holds 'the agent earns four fifths of what is possible' \
    '[ $((10 * $(rewards second))) -ge $((8 * $(python3 "$world" oracle 1 2 slip=0 misread=0))) ]'
# Without a library the agent learns a map while it acts.
holds 'without the library the rewards are less than two thirds' \
    'live empty 2 >none; [ $((3 * $(rewards none))) -lt $((2 * $(rewards second))) ]'
exits 0 'the second world again' \
    'cscg-plan --goal env --library lib -- python3 "$world" serve 1 2 slip=0 misread=0 steps=500 >again'
same 'the memory of the world is used' 'cscg-show lib | awk "/^memory/ { print \$6 }" | tr "\n" " "' 'printf "1 2 "'
holds 'without exploration: all but the first steps follow a plan, or collect' \
    "awk -F '\t' '!/^#/ && \$9 == 0 && \$11 != \"collect\" && \$11 != \"-\" { n++ } END { exit !(n <= 5) }' again"
holds 'runs are counted' 'head -n 1 lib/index | grep -q "\"runs\":3"'
holds 'the noise counts are stored and zero' \
    'head -n 1 lib/index | awk -F "[:,}]" "{ for (i = 1; i < NF; i++) v[\$i] = \$(i + 1) } END { exit !(v[\"\\\"slips\\\"\"] < 40) }"'
exits 0 'the library is drawn' 'cscg-show --as svg lib'

# Ended by a signal or a limit, killed, two at once.
rm -f got
holds 'SIGTERM: the library is written' "
    cscg-plan --goal env --library term -- python3 '$world' serve 1 2 steps=100000 >got & p=\$!
    wait_for '[ \$(wc -l <got) -gt 100 ]'; kill -TERM \$p; wait \$p; rc=\$?
    [ \$(kill -l \$((rc - 128))) = TERM ] && cscg-show term"
exits 0 '--max-time: the library is written' \
    'cscg-plan -q --goal env --library timed --max-time 1 -- python3 "$world" serve 1 2 steps=100000 >got; cscg-show timed'
cp -r lib mortal
exits 3 'an environment that dies' \
    'cscg-plan -q --goal env --library mortal -- sh -c "python3 \"$world\" serve 1 2 steps=100000 | sed -u 90q" >got'
holds 'its run is counted in the library' 'head -n 1 mortal/index | grep -q "\"runs\":4"'
for i in 1 2 3 4 5; do
	cscg-plan -q --goal env --library killed --as summary -- python3 "$world" serve 1 1 slip=0 misread=0 >got &
	pid=$!
	sleep "1.$i"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ ! -e killed/index ] || cscg-show killed >/dev/null 2>>faults
done
holds 'kill -9 leaves it whole' '[ ! -s faults ]'
cp -r lib both
live both 2 steps=600 >got1 &
live both 3 steps=600 >got2
wait
holds 'two agents at once' '[ "$(kinds both)" = "24 27 " ] && head -n 1 both/index | grep -q "\"runs\":5"'

# Usage errors and bad input.
e='python3 "$world" serve 1 1'
exits 2 '--library without an environment' 'cscg-plan --goal symbol:1 --library lib first'
exactly 'is refused' 'cscg-plan: --library needs an environment: -- COMMAND... (try --help)'
exits 2 '--library with --goal match' "cscg-plan --goal match --library lib -- $e"
exactly 'is for another tool' 'cscg-plan: --library cannot be combined with --goal match: see cscg-match(1) (try --help)'
exits 2 'a state of no model' "cscg-plan --goal state:3 --library lib -- $e"
exits 2 '--library with options of one model' "cscg-plan --goal env --best --library lib -- $e"
exits 3 'a file' "cscg-plan --goal env --library first -- $e"
exactly 'is no library' "cscg-plan: 'first': not a directory"
exits 2 'a library in a missing directory' "cscg-plan --goal env --library no/where -- $e >got"
exactly 'is refused' "cscg-plan: cannot create directory 'no/where': No such file or directory"
same 'before the first step' 'cat got' :
cp -r lib cut
head -c 40 lib/index >cut/index
exits 3 'a cut index' "cscg-plan --goal env --library cut -- $e"
says 'by its line' "cscg-plan: 'cut/index': line 1: "
cat >two <<'END'
echo '{"format":"cscg-env","version":1,"n_actions":2,"n_obs":3,"actions":["forth","back"]}'
echo '{"x":1,"done":true}'
END
exits 1 'a world of other actions' 'cscg-plan -q --goal symbol:2 --library lib -- sh two'
holds 'no item with other actions is used' 'cscg-plan -v --goal symbol:2 --library lib -- sh two 2>&1 | grep -q "library: 0 items are used; 4 are not"'
finish
