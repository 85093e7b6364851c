# The command cscg-plan.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

rows() { sed 's/ /\t/g'; } # a table from words

# Slips, by hand: from a to c by "dash" (.6), or through b by "walk" and "dash"
# (.9 each, .81). c has no successors.
cat >risk <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":3,"n_actions":2,"n_obs":3,"actions":["dash","walk"],"symbols":["a","b","c"],"clone":[0,1,2],"pseudocount":0.01,"counts":[{"from":[0,0,1,1],"to":[0,2,1,2],"count":[4,6,1,9]},{"from":[0,0],"to":[0,1],"count":[1,9]}],"history":[]}
END
p='cscg-plan risk --start state:0'
same 'the short path reaches the confidence' "$p --goal state:2" 'echo dash'
# Two states emit b: one that is near, but was never visited, and one after c.
cat >unseen <<END
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":4,"n_actions":2,"n_obs":3,"actions":["dash","walk"],"symbols":["a","b","c"],"clone":[0,1,2,3],"pseudocount":0,"counts":[{"from":[0,1,2,3],"to":[1,1,2,3],"count":[9,9,9,9]},{"from":[0,2,3],"to":[2,3,3],"count":[9,9,9]}],"emissions":[[0,1],[1,1],[2,1],[1,1]],"confidence":[0.9,0.3333,0.9,0.9],"history":[]}
END
same 'an emission that was never observed has low confidence' 'cscg-plan unseen --start state:0 --goal symbol:b --confidence .5' \
    'printf "walk\nwalk\n"'
sed 's/0.3333/0.6/' unseen >seen
same 'one visit is enough with a low confidence' 'cscg-plan seen --start state:0 --goal symbol:b --confidence .5' 'echo dash'
same 'a symbol by name' "$p --goal symbol:c" 'echo dash'
same 'a symbol by number' "$p --goal symbol:2" 'echo dash'
same 'more confidence takes longer' "$p --goal symbol:c --confidence .7" \
    'printf "walk\ndash\n"'
same 'the likeliest' "$p --goal symbol:c --best" 'printf "walk\ndash\n"'
same 'the nearest of two' "$p --goal symbol:c --goal symbol:b --confidence .7" \
    'echo walk'
exits 1 'no plan reaches the confidence' "$p --goal symbol:c --confidence .9"
exactly 'the largest probability is reported' \
    'cscg-plan: no plan: the best found succeeds with probability 0.81'
exits 1 'not that short' "$p --goal symbol:c --max-steps 1 --confidence .7"
exactly 'the best of those' \
    'cscg-plan: no plan: the best found succeeds with probability 0.6'
exits 1 'there is no path' 'cscg-plan risk --start state:2 --goal state:0'
exactly 'the pseudocount is no door' \
    'cscg-plan: no plan: the best found succeeds with probability 0, the goal cannot be reached'
exits 1 'a plan of 0 actions' "$p --goal symbol:c --max-steps 0"
exactly 'although there is a path' \
    'cscg-plan: no plan: the best found succeeds with probability 0, the goal cannot be reached within --max-steps actions'
exits 1 '-q gives no message' 'cscg-plan -q risk --start state:2 --goal state:0'
exactly 'no message' ''
exits 0 'the start is the goal' "$p --goal state:0 >got"
holds 'an empty plan' '[ ! -s got ]'
exits 0 '-v reports the empty plan' "$p --goal state:0 -v"
exactly 'as the empty plan' \
    'cscg-plan: plan: 0 actions from state 0 to state 0, probability 1: already there'
same 'all keys' "$p --goal symbol:c --best --json" 'cat <<END
{"length":2,"probability":0.81,"now_p":null,"actions":["walk","dash"],"states":[0,1,2],"p":[1,0.9,0.81],"x":["a","b","c"],"x_p":[1,1,1]}
END'
same 'the empty plan as JSON' "$p --goal state:0 --json" 'cat <<END
{"length":0,"probability":1.0,"now_p":null,"actions":[],"states":[0],"p":[1],"x":["a"],"x_p":[1]}
END'
exits 1 'no JSON without a plan' "$p --goal symbol:c --confidence 1 --json >got"
holds 'not a line' '[ ! -s got ]'
# The largest T is .9: each transition to another state has T / (1 + .5 * .9).
same 'smoothing' "$p --goal state:1 --smooth .5 --json | grep -o 'probability\":[0-9.]*'" \
    "echo 'probability\":0.620689655'"
same 'a schema will do between states' \
    'sed "s/grounded/schema/;s/\"clone\":.0,1,2.,//;s/\"symbols\":[^]]*.,//" risk >s; cscg-plan s --start state:0 --goal state:2 --best' \
    'printf "walk\ndash\n"'
same 'actions without names are numbers' \
    "sed 's/\"actions\":[^]]*.,//' risk | cscg-plan --start state:0 --goal state:2 --best" \
    'printf "1\n0\n"'
same 'the model from standard input' 'cscg-plan - --start state:0 --goal state:2 <risk' 'echo dash'

# Walks: a cell with two doors, and the decoded state at each step.
walk() { # X A: an episode
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":["walk","dash"],"symbols":["c","b","a"]}
{"episode":0,"x":[$1],"a":[$2],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$1" | tr , '\n' | wc -l)}
END
}
walk 2,1 0 >w
same 'a walk is followed, by names' 'cscg-plan risk -w w --goal symbol:c' 'echo dash'
same 'the walk from standard input' 'cscg-plan risk --goal symbol:c <w' 'echo dash'
same '-v reports first and last state' 'cscg-plan risk -w w --goal symbol:c -v 2>&1 >/dev/null' 'cat <<END
cscg-plan: the walk goes from state 0 to state 1, its last state with probability 1
cscg-plan: plan: 1 actions from state 1 to state 2, probability 0.9
END'
exits 1 'no path back to the start' 'cscg-plan risk -w w --goal start'
same 'the start is here' 'walk 2,2 0 | cscg-plan risk --goal start' ':'
same 'the last episode counts' 'cat w w >ww; walk 2 "" >>ww; cscg-plan risk -w ww --goal symbol:b' 'echo walk'
# No observation: pi is uniform, and so is the belief.  From b it is .9 / 3.
walk null '' >none
exits 1 'no observation: one state of three' 'cscg-plan risk -w none --start posterior --goal symbol:c --confidence .34'
exactly 'the goal is one of three possible states' \
    'cscg-plan: no plan: the best found succeeds with probability 0.333333'
same 'a confidence of .3 is reached' 'cscg-plan risk -w none --start posterior --goal symbol:c --confidence .3 --json' 'cat <<END
{"length":0,"probability":0.333333333,"now_p":0.333333333,"actions":[],"states":[2],"p":[0.333333333],"x":["c"],"x_p":[1]}
END'
exits 3 'a walk that cannot be' "sed 's/0.01/0/' risk >hard; walk 2,0 0 | cscg-plan hard --goal symbol:c"
exactly 'is refused' 'cscg-plan: standard input: episode 0, step 1: the model cannot produce this walk'
exits 3 'a schema follows no walk' 'cscg-plan s -w w --goal state:1'
exactly 'it must be bound' "cscg-plan: 's': a walk requires a grounded model, but this is a schema: see cscg-bind(1)"
exits 3 'a schema has no emissions' 'cscg-plan s --start state:0 --goal symbol:1'
exactly 'it must be bound as well' 'cscg-plan: --goal: this model has no emissions, so its symbols are unknown'

# A plan is executed: the torus, true graph, from a corner to a distant cell and
# back.
roomgen torus --unique -o t.gz 2>/dev/null || roomgen torus -o t.gz
roomgen rectangle -o r.gz
roomgen rectangle --as model -o m.gz
nodes() { walkconv --as tsv "$1" | tail -n 1 | cut -f "$(walkconv --as tsv "$1" | head -n 1 | tr '\t' '\n' | grep -n '^z$' | cut -d : -f 1)"; }
roomwalk -n 100 -s 4 r.gz -o w100.gz
roomwalk -n 1 -s 4 r.gz -o w1.gz
holds 'roomwalk runs a plan, back to the start' "
    cscg-plan m.gz -w w100.gz --goal start >plan && [ -s plan ] &&
    roomwalk --actions plan --start \$(nodes w100.gz) r.gz -o back.gz &&
    [ \"\$(nodes back.gz)\" = \"\$(nodes w1.gz)\" ]"
same 'through a pipe' 'cscg-plan m.gz -w w100.gz --goal start |
    roomwalk --actions - --start $(nodes w100.gz) r.gz -o pipe.gz; nodes pipe.gz' 'nodes w1.gz'
same 'a seed fixes the plan' 'cscg-plan -s 7 m.gz -w w100.gz --goal start' \
    'cscg-plan -s 7 m.gz -w w100.gz --goal start'
holds 'another seed may choose another path' 'for s in 1 2 3 4 5 6 7 8; do
    cscg-plan -s $s m.gz --start state:0 --goal state:41 | tr "\n" " "; echo
    done | sort -u >all; [ $(wc -l <all) -gt 1 ] &&
    [ $(awk "{ print NF }" all | sort -u | wc -l) = 1 ]'

# Usage errors
exits 2 'no goal' 'cscg-plan risk'
exactly 'is missed' 'cscg-plan: --goal is required (try --help)'
exits 2 'a strange goal' 'cscg-plan risk --goal home'
exactly 'is shown' "cscg-plan: --goal: 'home' is not one of symbol:X, state:N, start, env, reward, match (try --help)"
exits 2 'a state that is no number' 'cscg-plan risk --goal state:x'
exactly 'is shown as well' "cscg-plan: --goal: 'x' is not the number of a state (try --help)"
exits 2 'a goal state out of range' "$p --goal state:3"
exactly 'is refused' 'cscg-plan: --goal: state 3 is outside 0..2'
exits 2 'a state to start from' 'cscg-plan risk --start state:7 --goal state:1'
exactly 'is refused as well' 'cscg-plan: --start: state 7 is outside 0..2'
exits 2 'a goal symbol out of range' "$p --goal symbol:d"
exactly 'is refused as well' "cscg-plan: --goal: 'd' is not the name of a symbol, nor the number of a symbol in 0..2"
exits 2 'a strange start' 'cscg-plan risk --start here --goal state:1'
exactly 'is shown' "cscg-plan: --start: 'here' is not one of walk, posterior, state:N (try --help)"
exits 2 'a goal of the environment without one' 'cscg-plan risk --goal env'
exactly 'is refused' 'cscg-plan: --goal env needs an environment: -- COMMAND... (try --help)'
exits 2 '--explore without an environment' 'cscg-plan risk --goal start --explore cover'
exactly 'without a world' 'cscg-plan: --explore needs an environment: -- COMMAND... (try --help)'
exits 2 'a walk in a world' 'cscg-plan -w w --goal start -- true'
exactly 'is made, not read' 'cscg-plan: --walk cannot be combined with an environment (try --help)'
exits 2 'two goals in a world' 'cscg-plan --goal start --goal env -- true'
exactly 'is refused' 'cscg-plan: --goal env cannot be combined with other goals (try --help)'
exits 2 'an empty command' 'cscg-plan --goal env --'
exactly 'is none' 'cscg-plan: no command after -- (try --help)'
exits 2 'a walk that is not needed' "$p --goal state:1 -w w"
exactly 'is not read' 'cscg-plan: -w: no walk is needed from state:N to such a goal (try --help)'
exits 2 'standard input twice' 'cscg-plan --goal start <risk'
exactly 'cannot be' 'cscg-plan: standard input can be read only once (try --help)'
exits 2 'a start in a world' 'cscg-plan --start state:0 --goal env -- true'
exactly 'is where the environment is' 'cscg-plan: --start cannot be combined with an environment (try --help)'
exits 2 'no steps in a world' 'cscg-plan --goal env --max-steps 0 -- true'
exactly 'is no run' 'cscg-plan: --max-steps: 0 cannot be combined with an environment (try --help)'
for v in -1 1.5 0x10 all 3,4 ''; do
	exits 2 "explore until '$v'" "cscg-plan --goal env --explore-until '$v' -- true"
	exactly 'is none' "cscg-plan: --explore-until: '$v' is not one of N, seen, tried (try --help)"
done
exits 2 'an --explore-until above its range' 'cscg-plan --goal env --explore-until 1e10 -- true'
exactly 'is out of range' 'cscg-plan: --explore-until: 1e10 is outside 0..1000000000 (try --help)'
exits 2 'steps are a number now' 'cscg-plan --goal env --explore-until steps -- true'
says 'as the message says' "'steps' is not one of N, seen, tried: did you mean --explore-until N?"
for o in '--from state:0|--start' '--max-length 3|--max-steps' '--explore-steps 3|--explore-until N' \
    '--pass-by|--explore-only' '--forget|--new-world' '--summary|--as summary'; do
	exits 2 "${o%|*} of 1.0.0" "cscg-plan risk --goal state:1 ${o%|*}"
	says 'has a new spelling' "did you mean ${o#*|}?"
done
exits 2 'an unknown exploration policy' 'cscg-plan --goal env --explore repeat:x -- true'
says 'is shown' "--explore: 'repeat:x' is not one of random, random:ACTION,..., repeat:K"
exits 2 'a confidence above 1' 'cscg-plan risk --goal start --confidence 1.5'
exactly 'is out of range' 'cscg-plan: --confidence: 1.5 is outside 0..1 (try --help)'

# --- in an environment

# An empty corridor of four cells, as lines of a shell script.
cat >corridor <<'END'
echo '{"format":"cscg-env","version":1,"n_actions":2,"n_obs":4,"actions":["back","forth"],"episodes":1}'
at=${1:-0}
while :; do
	echo "{\"x\":$at,\"goal\":3,\"distance\":$((3 - at)),\"episode\":0}"
	read -r line || exit 0
	case $line in
	'{"a":0}') [ $at = 0 ] || at=$((at - 1)) ;;
	'{"a":1}') [ $at = 3 ] || at=$((at + 1)) ;;
	*) exit 0 ;;
	esac
done
END
cat >hall <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":4,"n_actions":2,"n_obs":4,"actions":["forth","back"],"clone":[0,1,2,3],"pseudocount":0,"counts":[{"from":[0,1,2,3],"to":[1,2,3,3],"count":[5,5,5,5]},{"from":[0,1,2,3],"to":[0,0,1,2],"count":[5,5,5,5]}],"history":[]}
END
same 'a known corridor' 'cscg-plan hall --goal env --confidence .5 -- sh corridor' 'rows <<END
#episode t x goal reward distance state p plan left a
0 0 0 3 0 3 0 1 1 2 forth
0 1 1 3 0 2 1 1 1 1 forth
0 2 2 3 0 1 2 1 1 0 forth
0 3 3 3 0 0 3 1 0 0 -
END'
same 'rows as JSON' 'cscg-plan hall --goal env --confidence .5 --json -- sh corridor 3' 'cat <<END
{"episode":0,"t":0,"x":3,"goal":3,"reward":0,"distance":0,"state":3,"p":1,"plan":0,"left":0,"a":null}
END'
same 'the summary' 'cscg-plan hall --goal env --as summary -- sh corridor 1' 'rows <<END
#episode steps plans reached rewards reward distance
0 2 1 yes 0 0 0
END'
same 'a goal state' 'cscg-plan hall --goal state:0 --as summary -- sh corridor 2 | tail -n 1 | cut -f 1-4' \
    'printf "0\t2\t1\tyes\n"'
same 'a row per step is the default' 'cscg-plan hall --goal env --as steps -- sh corridor' 'cscg-plan hall --goal env -- sh corridor'
same 'a number in another form' 'cscg-plan hall --goal start --explore forth --explore-until 2e0 -- sh corridor' 'cscg-plan hall --goal start --explore forth --explore-until 2 -- sh corridor'
same 'exploration, then a plan back to the start' 'cscg-plan hall --goal start --explore forth,back,forth --explore-until 3 -- sh corridor | cut -f 3,7,9,11' 'rows <<END
x state plan a
0 0 0 forth
1 1 0 back
0 0 0 forth
1 1 1 back
0 0 0 -
END'
exits 1 'a limit of steps' 'cscg-plan hall --goal env --max-steps 2 -- sh corridor'
exactly 'is reported' 'cscg-plan: the goal was not reached in 1 of 1 episodes: the limit of steps was reached'
exits 0 '-v in an environment' 'cscg-plan hall --goal env -v -- sh corridor >got'
exactly 'of episodes' 'cscg-plan: episode 0: 3 steps, 1 plans, reward 0, goal reached'
exits 3 'an environment with another action' "sed 's/\"forth\",\"back\"/\"forth\",\"jump\"/' hall >m2; cscg-plan m2 --goal env -- sh corridor"
exactly 'do not fit' "cscg-plan: 'm2': the model lacks the action 'back'"
exits 2 'an action that does not exist' 'cscg-plan hall --goal env --explore forth,fly -- sh corridor'
exactly 'cannot be taken' "cscg-plan: --explore: 'fly' is not an action of the environment, nor a number in 0..1"
sed 's/"n_obs":4/"n_obs":99/;s/x\\":/x\\":5/' corridor >c9
exits 1 'symbols that the model lacks: the agent continues' 'cscg-plan hall --goal symbol:3 --max-steps 9 -- sh c9'
same 'the last step is written' "tail -n 1 '$out' | cut -f 2,3" "printf '9\t5[0-3]\n' | sed 's/.0-3./$(tail -n 1 "$out" | cut -f 3 | cut -c 2)/'"
exits 1 'planned by probabilities' 'cscg-plan hall --goal symbol:3 --confidence .9 --max-steps 9 -- sh c9'

# Other agents.  By hand: two cells, forth and back; take collects.  The goal is
# the other cell: the agent goes there and collects.
cat >two <<'END'
echo '{"format":"cscg-env","version":1,"n_actions":3,"n_obs":2,"actions":["take","back","forth"],"collect":0,"episodes":1,"steps":4}'
at=0 goal=1 reward=0 t=0
while :; do
	if [ $t = 4 ]; then done=true; else done=false; fi
	echo "{\"x\":$at,\"goal\":$goal,\"reward\":$reward,\"episode\":0,\"done\":$done}"
	[ $t != 4 ] || exit 0
	read -r line || exit 0
	t=$((t + 1)) reward=0
	case $line in
	'{"a":0}') [ $at != $goal ] || reward=1 goal=$((1 - goal)) ;;
	'{"a":1}') at=0 ;;
	'{"a":2}') at=1 ;;
	esac
done
END
cat >pair <<'END'
{"format":"cscg-model","version":1,"kind":"schema","precision":"double","n_states":2,"n_actions":2,"n_obs":1,"actions":["forth","back"],"pseudocount":0,"counts":[{"from":[0,1],"to":[1,1],"count":[5,5]},{"from":[0,1],"to":[0,0],"count":[5,5]}],"history":[]}
END
# Both states are possible at first; after one step the state is known, and
# after two both symbols are.
exits 0 'the tracker' 'cscg-plan pair --agent tracker --goal env --save laid.gz -- sh two >got'
same 'knows its state after one step' 'awk "!/^#/ && \$2 > 0 { print \$8 }" got' 'printf "1\n1\n1\n1\n"'
holds 'the agent collects' 'awk "{ s += \$5 } END { exit s < 1 }" got'
same 'the saved model has the observed emissions' 'cscg-show --as nodes laid.gz | sed 1d | cut -f 1,2 | sort' \
    'printf "0\t0\n1\t1\n"'
# back stays, so that only forth is untried.
same 'the informed agent' 'cscg-plan --agent informed --goal env -- sh two | cut -f 2-5,9,11' 'rows <<END
t x goal reward plan a
0 0 1 0 0 back
1 0 1 0 0 forth
2 1 1 0 0 take
3 1 0 1 0 back
4 0 0 0 0 -
END'
# back stays, which does not imply that forth does. --inverse implies it, but
# then the goal cannot be reached, and the agent discards the inverse.
same 'discards a wrong inverse' 'cscg-plan --agent informed --inverse forth,back --goal env --save known.gz -- sh two | cut -f 2-5,9,11' 'rows <<END
t x goal reward plan a
0 0 1 0 0 back
1 0 1 0 0 forth
2 1 1 0 0 take
3 1 0 1 0 back
4 0 0 0 0 -
END'
same 'the saved model has the learned transitions' 'cscg-show --as tsv known.gz | sed 1d | cut -f 1-3 | sort' 'rows <<END
back 0 0
back 1 0
forth 0 1
END'
# A ring of three: forth is the inverse of back, and the path to the goal is
# known.
sed -e 's/n_obs":2/n_obs":3/' -e 's/goal=1 r/goal=2 r/' -e 's/goal=$((1 - goal))/goal=0/' \
    -e 's/at=0 ;;/at=$(((at + 2) % 3)) ;;/' -e 's/at=1 ;;/at=$(((at + 1) % 3)) ;;/' two >ring
same 'a correct inverse is used' 'cscg-plan --agent informed --inverse forth,back --goal env -- sh ring | cut -f 2-5,9,11' 'rows <<END
t x goal reward plan a
0 0 2 0 0 back
1 2 2 0 0 take
2 2 0 1 1 forth
3 0 0 0 0 take
4 0 0 1 0 -
END'
wrong_agent() { # NAME OPTIONS MESSAGE
	exits 2 "$1" "cscg-plan $2 -- sh two"
	exactly "$1: message" "cscg-plan: $3 (try --help)"
}
wrong_agent 'no such agent' '--agent spy --goal env' "--agent: 'spy' is not one of plan|tracker|informed"
wrong_agent 'a tracker without a graph' '--agent tracker --goal env' '--agent tracker requires a model'
wrong_agent 'a tracker that explores' 'pair --agent tracker --goal env --explore cover' '--explore requires --agent plan'
wrong_agent 'a tracker that returns' 'pair --agent tracker --goal start' '--agent tracker requires --goal env'
wrong_agent 'an informed one with a model' 'pair --agent informed --goal env' '--agent informed takes no model'
wrong_agent 'a planner that undoes' 'pair --goal env --inverse forth,back' '--inverse requires --agent informed'
exits 2 'an agent without a world' 'cscg-plan pair --start state:0 --goal state:1 --agent plan'
exactly 'has no goal to collect' 'cscg-plan: --agent needs an environment: -- COMMAND... (try --help)'
exits 2 'half a pair' 'cscg-plan --agent informed --goal env --inverse forth -- sh two'
exactly 'is none' "cscg-plan: --inverse: 'forth' is not a pair of actions"
exits 3 'an environment without collect' 'cscg-plan --agent informed --goal env -- sh corridor'
exactly 'no game' 'cscg-plan: the environment has no action that collects goals'
exits 3 'a graph with a choice' 'cscg-show --as clones risk -o choice; sed "s/dash/forth/;s/walk/back/" risk >r2; cscg-show --as clones r2 -o choice; cscg-plan choice --agent tracker --goal env -- sh two'
exactly 'is no board' "cscg-plan: 'choice': state 2: action 0 has no counts"
exits 3 'a model with emissions' 'cscg-plan r2 --agent tracker --goal env -- sh two'
exactly 'is refused: symbols are fixed' "cscg-plan: 'r2': a schema is required, but this model is grounded: see cscg-show --as clones"
# --explore-until seen: the corridor has four symbols.
same '--explore-until seen' 'cscg-plan hall --goal symbol:1 --explore forth --explore-until seen -- sh corridor | cut -f 3,9,11' 'rows <<END
x plan a
0 0 forth
1 0 forth
2 0 forth
3 1 back
2 1 back
1 0 -
END'
# --explore-until tried: the last cell is reached, and both actions are tried in
# each.
exits 0 '--explore-until tried' 'cscg-plan --goal symbol:0 --explore cover --explore-until tried -- sh corridor 1 >got'
same 'every pair of symbol and action is tried once' 'awk "!/^#/ && \$9 == 0 && \$11 != \"-\" { print \$3, \$11 }" got | sort -u' \
    'for x in 0 1 2 3; do echo $x back; echo $x forth; done'

# Rooms
roomgen rectangle --permute -s 5 -o new.gz
cscg-show --as clones m.gz -o schema.gz
live="--goal start --explore repeat:3 --explore-until 150 --best --replan end --restarts 6 -- roomserve --task return --start unique -s 4 new.gz"
exits 0 'a schema is bound to new symbols and the agent returns' "cscg-plan schema.gz --as summary $live >got"
same 'truly: reached, and at distance 0' 'tail -n 1 got | cut -f 4,7' "printf 'yes\t0\n'"
same 'a seed fixes every byte, for any -j' "cscg-plan -j1 schema.gz $live" "cscg-plan -j3 schema.gz $live"
exits 0 'the model is kept' "cscg-plan schema.gz --save bound.gz $live"
exits 0 'the saved model is used in the next run' 'cscg-plan bound.gz --goal symbol:3 --as summary -- roomserve --start unique -s 9 new.gz'
exits 0 'no model: explore, learn, plan' 'cscg-plan --goal env --explore cover --as summary --save learned.gz -- roomserve --task goals -n 400 -s 2 t.gz >got'
holds 'rewards are found' '[ $(tail -n 1 got | cut -f 5) -ge 5 ]'
exits 0 'the learned model is saved' 'cscg-show learned.gz'
prints 'with its history' 'roomserve --task goals'
exits 0 'all episodes' 'cscg-plan m.gz --goal env --episodes 0 --as summary -- roomserve --task goals --episodes 3 -n 50 r.gz >got'
same 'episodes are reported' 'cut -f 1 got' 'printf "#episode\n0\n1\n2\n"'
exits 1 'a hundred thousand steps without a goal' 'cscg-plan --goal env --explore-until 100000 --max-steps 100000 --as summary -q -- roomserve --task return r.gz >got'
same 'all steps are made' 'tail -n 1 got | cut -f 2' 'echo 100000'

# The example in Python: a grid of 3 * 4, from corner to corner in five steps.
if has_python argparse json; then
	exits 0 'an environment in Python' "cscg-plan --goal symbol:11 --explore cover --episodes 0 --as summary -- python3 '$TOP/data/examples/gym_env.py' --own --episodes 4 --steps 60 >got"
	same 'the grid is learned in one episode' 'tail -n 3 got | cut -f 2-6' \
	    "printf '5\t1\tyes\t1\t1\n%.0s' 1 2 3"
else
	tap 0 'an environment in Python # SKIP no python3'
fi

# Faulty environments: status 3, the line is quoted, and no process is left.
export HEAD='{"format":"cscg-env","version":1,"n_actions":2,"n_obs":4}'
gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }	# who wrote pid is
# If the tool ended first, the process may still wait for init.
ended() { gone || grep -q ') Z ' "/proc/$(cat pid)/stat"; }
bad_env() { # NAME SCRIPT MESSAGE
	exits 3 "$1" "cscg-plan hall --goal symbol:3 --explore 0 --timeout .5 -- sh -c 'echo \$\$ >pid; $2'"
	says "$1: message" "cscg-plan: environment 'sh': $3"
	holds "$1: no process is left" gone
}
bad_env 'it ends at once' 'exit 7' 'unexpected end before its header (exit status 7)'
bad_env 'it is killed' 'kill -9 $$' 'unexpected end before its header'
bad_env 'it is silent' 'exec sleep 60' 'line 1: timeout after 0.5 s'
bad_env 'it talks nonsense' 'echo hello; sleep 60' "line 1: 'hello': "
bad_env 'it sends half a line' "printf %s \"{\"; sleep 60" 'line 1: '
bad_env 'it sends a symbol out of range' "echo \"\$HEAD\"; echo \"{\\\"x\\\":4}\"; sleep 60" "line 2: '{\"x\":4}': /x: 4 is outside 0..3"
bad_env 'it closes early' "echo \"\$HEAD\"; echo \"{\\\"x\\\":0}\"" 'unexpected end'
bad_env 'it floods' "echo \"\$HEAD\"; while :; do echo \"{\\\"x\\\":0}\"; done" 'line '
exits 3 'the command does not exist' 'cscg-plan --goal env -- ./nothing'
exactly 'with the reason' "cscg-plan: environment './nothing': cannot be started: No such file or directory"
exits 3 'no model' 'cscg-plan nowhere.gz --goal env -- sh corridor'
exactly 'is named, and the environment is not started' "cscg-plan: 'nowhere.gz': No such file or directory"
exits 4 'a full disk' 'cscg-plan hall --goal env -- sh corridor >/dev/full'
says 'is noticed' 'standard output: No space left on device'
exits 2 'a model that cannot be kept' 'cscg-plan hall --goal env --save nodir/x -- sh corridor >got'
exactly 'is detected before any action' "cscg-plan: 'nodir/x': No such file or directory"
holds 'no output is written' '[ ! -s got ]'
cat >endless <<'END'
echo $$ >pid
echo '{"format":"cscg-env","version":1,"n_actions":2,"n_obs":4}'
while echo '{"x":0}' && read -r line; do :; done
END
holds 'a closed reader ends agent and environment' "
    cscg-plan hall --goal symbol:3 --explore 0 -- sh endless 2>talk | head -n 3 >/dev/null
    wait_for ended && [ ! -s talk ]"
rm -f pid
holds 'a signal ends agent and environment' "
    cscg-plan hall --goal symbol:3 --explore 0 -- sh endless >/dev/null & p=\$!
    wait_for '[ -s pid ]' && kill -0 \"\$(cat pid)\"; was=\$?
    kill -TERM \$p; wait \$p; rc=\$?
    [ \$was = 0 ] && [ \"\$(kill -l \$((rc - 128)))\" = TERM ] && wait_for ended"

# Bad input
bad_models cscg-plan 'cscg-plan % --start state:0 --goal state:1'
bad_walks cscg-plan 'cscg-plan good.model -w % --goal start --json'
finish
