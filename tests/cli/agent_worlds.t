# Agents of cscg-plan in several rooms: what their library holds afterwards, and
# first goals without a model.
. "$(dirname "$0")/../tap.sh"

if ! command -v python3 >/dev/null; then
	tap 0 'environments in Python # SKIP no python3'
	finish
fi
OMP_NUM_THREADS=1
export OMP_NUM_THREADS TOP
rooms="python3 '$TOP/tests/cli/agent_worlds.py'"
live="python3 '$TOP/data/figures/live-world.py'"

# --- a map that noise refutes, where a room of an earlier world is known
exits 0 'the second of two noisy worlds' \
    "cscg-plan --goal env --new-world --episodes 0 --as summary -s 1 -- $rooms 4x5x12 100,101 3000,1500 .02 >got"
holds 'both are played to the end' '[ "$(cut -f 1,2 got | tail -n 2 | tr "\t\n" "  ")" = "0 3000 1 1500 " ]'

# --- one room in two worlds
exits 0 'one room twice' \
    "cscg-plan -q --goal env --new-world --episodes 0 --library same -s 1 -- $rooms 4x5x12 100,100 2000,2000"
same 'its schema and its memory were met twice' 'cscg-show same | cut -f 3,6 | tail -n +2' 'printf "20\t2\n20\t2\n"'
holds 'each step counts once at most' \
    'cscg-show same | awk "NR > 1 && (\$9 > 4000 || \$9 < 2000) { exit 1 }"'
# 42 cells are more than 1,000 steps show: rows of the first map have no counts.
exits 0 'a room that is not explored to the end' \
    "cscg-plan -q --goal env --new-world --episodes 0 --library part -s 2 -- $rooms 6x7x20 100,100 1000,1200"
holds 'is no schema, not in the second world either' '[ "$(cscg-show part | grep -c schema-)" = 0 ]'

# --- a memory that the limit removes while the agent knows it
exits 0 'a first world' "cscg-plan -q --goal env --library full -s 1 -- $rooms 4x5x12 100 1500"
holds 'is remembered' 'cscg-show full | grep -q "^memory-2	-	20	4	0	1	"'
roomgen rectangle --size 3x3 --as model -o small
for i in $(seq 10 40); do
	cp small full/memory-$i.gz
	printf '{"kind":"memory","id":%d,"version":1,"states":9,"met":5,"first_run":1,"last_run":1,"steps":100}\n' "$i"
done >>full/index
sed '1s/"next_id":[0-9]*/"next_id":50/' full/index >index
mv index full/index
exits 0 'another world, then the first one' \
    "cscg-plan -q --goal env --new-world --episodes 0 --library full --as summary -s 1 -- $rooms 4x5x12 101,100 1500,900 >got"
same 'which is recognised' 'tail -n 1 got | cut -f 1,2,8' 'printf "1\t900\tmemory-2\n"'
holds 'although it was removed' '! cscg-show full | grep -q "^memory-2	"'
holds 'and is added as a new one' 'cscg-show full | grep -q "^memory-51	-	20	4	0	1	"'

# --- schemas whose actions have different orders
keys='symbols=20 steps=1500 goals=1'
for k in 0 1; do
	eval "$live schema two 3 room=$k $keys" >room$k
done
python3 - <<'END'
import json
m = json.load(open("room1"))
for key in "actions", "counts":
    m[key] = m[key][1:] + m[key][:1]
json.dump(m, open("turned", "w"))
END
exits 0 'two rooms, the actions of one in another order' \
    "cscg-plan --goal env --library two -s 3 room0 turned -- $live serve two 3 $keys >steps"
# The room in the west is left to the east, the other one to the west.
same 'each schema has the door as its only frontier' \
    'for m in two/schema-*; do cscg-show --frontiers given $m; done | awk "!/^#/ { print \$2, \$1 == \$3 }" | sort' \
    'printf "east 1\nwest 1\n"'
# The columns: t, goal, plan, left.  Behind the door one action less is left.
holds 'a plan through the door is one plan' \
    'awk -F "\t" "!/^#/ { if (plan > 0 && \$9 > plan && \$4 == goal && \$10 == left - 1 && \$2 > 600) n++
     plan = \$9; left = \$10; goal = \$4 } END { exit n > 0 }" steps'

# --- a library that the agent cannot use
exits 0 'a library of rooms with other actions' \
    "cscg-plan --goal symbol:11 --library two --as summary -- python3 '$TOP/data/examples/gym_env.py' --own --steps 2000"
exactly 'is reported' "cscg-plan: --library: 'two': no item can be used: they have other actions or no clone structure"

# --- a goal that is a state: at first all states of its symbol are equally likely
roomgen rectangle -o room.gz
roomgen rectangle --as model -o map.gz
for agent in '' '--agent plan'; do
	for seed in 4 5 6; do
		exits 0 "state 0, seed $seed $agent" \
		    "cscg-plan map.gz $agent --goal state:0 -s $seed -- roomserve -s $seed -n 500 room.gz >got"
		holds 'is reached with a probability above 1/2' \
		    'tail -n 1 got | awk "{ exit !(\$7 == 0 && \$8 > .5) }"'
	done
done

# --- without a model
# A uniform random walk from the first cell needs 42.1 steps in the mean: the solution
# of the linear equations of its 12 cells, 3 x 4, with steps into walls.
exits 0 'a first goal, eight seeds' \
    "for s in 1 2 3 4 5 6 7 8; do cscg-plan -q -s \$s --goal symbol:11 --as summary -- \
     python3 '$TOP/data/examples/gym_env.py' --own --steps 2000; done >got"
holds 'is found nearly as soon as by a random walk' \
    'awk "!/^#/ { n += \$2 } END { exit !(n / 8 < 90) }" got'
exits 1 '--max-time ends the run' \
    "cscg-plan --max-time 1 --as summary --goal symbol:69 -- $live serve room 1 rows=8 cols=8 symbols=70"
exactly 'which is the reason' 'cscg-plan: the goal was not reached in 1 of 1 episodes: the run was ended'
finish
