# Several models in a live environment: identification and planning; small
# versions of the figures about them.
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures
rows() { sed 's/ /\t/g'; } # a table from words

# By hand: five cells in a line or a ring, each with a symbol of its own.
model() { # NAME FORTH BACK
	cat >"$1" <<END
{"format":"cscg-model","version":1,"kind":"clones","precision":"double","n_states":5,"n_actions":2,"n_obs":5,"actions":["forth","back"],"clone":[0,1,2,3,4],"pseudocount":0,"counts":[{"from":[0,1,2,3,4],"to":[$2],"count":[5,5,5,5,5]},{"from":[0,1,2,3,4],"to":[$3],"count":[5,5,5,5,5]}],"history":[]}
END
}
model line 1,2,3,4,4 0,0,1,2,3
model ring 1,2,3,4,0 4,0,1,2,3
cat >world <<'END'
# world line|ring START [FIRST]: symbols of the cells are FIRST (10) and up
looks=${3:-10}
echo '{"format":"cscg-env","version":1,"n_actions":2,"n_obs":50,"actions":["back","forth"],"episodes":1}'
at=$2
while :; do
	echo "{\"x\":$((looks + at)),\"goal\":$((looks + 4)),\"episode\":0}"
	read -r said || exit 0
	case $said in
	'{"a":0}') at=$((at - 1)) ;;
	'{"a":1}') at=$((at + 1)) ;;
	*) exit 0 ;;
	esac
	case $1 in
	ring) at=$(((at + 5) % 5)) ;;
	line) [ $at -ge 0 ] || at=0; [ $at -le 4 ] || at=4 ;;
	esac
done
END
for w in line ring; do
	exits 0 "$w: the model is identified" "cscg-plan --goal match line ring --as summary --save kept-$w -- sh world $w 2"
	cp "$out" got
	exactly 'without a message' ''
	same 'the summary has its name and verdict' 'tail -n 1 got | cut -f 4,8,10,11' "printf 'yes\t$w\tno\tfits\n'"
	# A line fits in one position, a ring in five: log 5; noise explains a
	# little more.
	fit=$([ $w = line ] && echo 0 || echo 1.6094)
	holds 'the posterior is above 0.95' "awk -F '\t' '!/^#/ { d = \$12 - $fit; exit !(\$9 >= .95 && d < .2 && d > -.01) }' got"
	holds 'exactly that without noise' "cscg-plan --goal match line ring --as summary --slip 0 --misread 0 -- sh world $w 2 |
	    awk -F '\t' '!/^#/ { d = \$12 - $fit; exit !(\$8 == \"$w\" && \$9 >= .95 && d < .01 && d > -.01) }'"
	same 'the model is saved with its emissions' "cscg-show --as nodes kept-$w | sed 1d | cut -f 2 | sort" \
	    'printf "%s\n" 10 11 12 13 14'
	exits 0 'the saved model has its history' "cscg-show kept-$w"
	prints 'the history has the goal' '--goal match'
done
same 'columns' 'head -n 1 got' \
    'echo "#episode steps plans reached rewards reward distance model posterior memory verdict margin" | rows'
exits 0 'a row for each step' 'cscg-plan --goal match line ring -- sh world ring 2'
cp "$out" got
same 'columns of a row' 'head -n 1 got' \
    'echo "#episode t x goal reward distance state p plan left a model posterior" | rows'
# At first all hypotheses are equal: two models, five states in each.
same 'the first row has equal posteriors' 'sed -n 2p got | cut -f 1-3,8,9,13' 'echo "0 0 12 0.2 0 0.5" | rows'
same 'rows as JSON' 'cscg-plan --goal match line ring --json -- sh world ring 2 | head -n 1 | grep -o "\"posterior\":.*"' \
    'echo "\"posterior\":0.5}"'
same 'a seed fixes every byte, for any -j' 'cscg-plan -j1 -s 7 --goal match line ring -- sh world ring 2' \
    'cscg-plan -j3 -s 7 --goal match line ring -- sh world ring 2'
same 'names' 'cscg-plan --goal match a=line b=ring --as summary -- sh world ring 2 | tail -n 1 | cut -f 8' 'echo b'
same 'several models in one file' 'cat line ring >both; cscg-plan --goal match both --as summary -- sh world ring 2 | tail -n 1 | cut -f 8' 'echo both-2'
exits 1 'one step is too short' 'cscg-plan --goal match line ring --max-steps 1 -- sh world ring 2'
exactly 'to identify a model' 'cscg-plan: no model was identified in 1 of 1 episodes'
# Three symbols in an order that no graph of five nodes gives.
sed 's/^	echo .*x.*/	echo "{\\"x\\":$((n * n % 7 % 3)),\\"episode\\":0}"; n=$((n + 1))/;s/^at=/n=0 at=/' world >mad
exits 1 'an environment that no model explains' 'cscg-plan -q --goal match line ring --as summary --max-steps 60 -- sh mad ring 2'
same 'the verdict is unknown' "tail -n 1 '$out' | cut -f 4,11" 'printf "no\tunknown\n"'
exits 0 'one model alone' 'cscg-plan --goal match ring --verify 0 --as summary -- sh world ring 0 >got'
# Ten pairs (state, action) to try; each step tries one at most.
holds 'every action is tried' "awk -F '\t' '!/^#/ { exit !(\$2 >= 10 && \$2 < 30 && \$8 == \"ring\") }' got"
exits 0 '--explore forth takes given actions' 'cscg-plan --goal match line ring --explore forth --max-steps 7 -- sh world ring 2'
same 'only the given actions are taken' "cut -f 11 '$out' | sed 1d | sort -u" 'printf "%s\n" - forth'

# Grounded models.  Two of 50 symbols at their known states are no coincidence:
# after one step the grounded model has likelihood .2 and a schema 1 / (50 * 49)
# at most.
exits 0 'a goal, schemas alone' 'cscg-plan line ring --goal env -- sh world line 1'
same 'the goal is reached' "tail -n 1 '$out' | cut -f 3,12" 'printf "14\tline\n"'
exits 0 'a goal with a grounded model and schemas' 'cscg-plan line ring old=kept-line --goal env -- sh world line 1'
cp "$out" got
same 'the grounded model is identified' 'tail -n 1 got | cut -f 3,12' 'printf "14\told\n"'
same 'after one step there is a plan on the grounded model' "awk -F '\t' '\$2 == 1 { print \$9, (\$13 > .98) }' got" 'echo 1 1'
holds 'the plan leads to the goal' "awk -F '\t' 'END { exit !(\$2 == 3 || \$2 == 5) }' got"
same 'a grounded model of the same graph with other symbols is not used' 'cscg-plan line ring old=kept-line --goal env --as summary -- sh world line 1 13 | tail -n 1 | cut -f 4,10' \
    'printf "yes\tno\n"'
same 'without noise not even if four of five symbols are the same' \
    'cscg-plan line ring old=kept-line --slip 0 --misread 0 --goal env --as summary -- sh world line 1 11 | tail -n 1 | cut -f 4,8,10' \
    'printf "yes\tline\tno\n"'
# Symbols that the grounded model lacks are misread, with probability .02 +
# 1e-4, and one of 70; the schema binds any.
sed 's/"n_obs":50/"n_obs":70/' world >large
same 'a grounded model with other symbols is not used' 'cscg-plan line old=kept-line --goal env -- sh large line 1 60 | sed -n 2p | cut -f 12,13' \
    'printf "line\t0.980296\n"'
same 'without noise with the probability of a rebound symbol, 1e-4' 'cscg-plan line old=kept-line --slip 0 --misread 0 --goal env -- sh large line 1 60 | sed -n 2p | cut -f 12,13' \
    'printf "line\t0.9999\n"'
exits 0 'a symbol is a goal' 'cscg-plan line ring --goal symbol:14 --as summary -- sh world ring 1'
exits 0 'the start is a goal' 'cscg-plan line ring --goal start --as summary -- sh world line 2'

# Usage errors
wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "cscg-plan $2"
	exactly "$1: message" "cscg-plan: $3 (try --help)"
}
w='-- sh world ring 2'
wrong 'no environment' '--goal match line ring' '--goal match needs an environment: -- COMMAND...'
wrong 'several models without an environment' 'line ring --goal state:1' 'several models need an environment: -- COMMAND...; a walk goes after -w'
wrong 'no models' "--goal match $w" '--goal match requires models'
wrong 'two goals' "--goal match --goal env line ring $w" '--goal match cannot be combined with other goals'
wrong 'a goal state with several models' "--goal state:1 line ring $w" '--goal state:N requires a single model'
wrong 'no goal' "line ring $w" '--goal is required'
wrong 'a file twice' "--goal match line b=line $w" "'line' is given twice"
wrong 'standard input twice' "--goal match a=- b=- $w" "'-' is given twice"
wrong 'another agent' "--goal match --agent tracker line $w" '--agent cannot be combined with several models, --library, --goal reward or match'
wrong 'EM' "--goal env --restarts 3 line ring $w" '--restarts cannot be combined with several models, --library, --goal reward or match'
wrong '--verify with another goal' "--goal env --verify 3 line ring $w" '--verify requires --goal match'
wrong '--verify with one model' "--goal env --verify 3 line $w" '--verify requires --goal match'
wrong 'a slip with EM' "--goal env --slip .1 --restarts 3 line $w" '--slip cannot be combined with options of --agent plan'
wrong 'noise with the agent that plans' "--goal env --misread .1 --agent plan $w" '--misread cannot be combined with options of --agent plan'
wrong 'no such goal' "--goal find line $w" "--goal: 'find' is not one of symbol:X, state:N, start, env, reward, match"
wrong 'a confidence with several models' "--goal match --confidence .9 line ring $w" '--confidence cannot be combined with several models, --library, --goal reward or match'
exits 2 'the option of 1.0.0' "cscg-plan --task match line ring $w"
says 'has a new spelling' 'did you mean --goal match?'
wrong 'a slip probability of 1' "--goal match --slip 1 line $w" '--slip: 1 is outside 0..0.9'
exits 2 'an exploration policy that depends on the state' "cscg-plan --goal match --explore cover line ring $w"
exactly 'needs one model' "cscg-plan: --explore: 'cover' requires a single model"
exits 2 'two models of one name' "cscg-plan --goal match a=line a=ring $w"
exactly 'are refused' "cscg-plan: two schemas are called 'a'"
exits 3 'no clones' "cscg-show --as schema ring -o bare; cscg-plan --goal match line bare $w"
exactly 'cannot be distinguished' "cscg-plan: 'bare': no clone structure, which tracking bindings requires"
exits 3 'other actions' "sed s/forth/jump/ ring >jump; cscg-plan --goal match line jump $w"
exactly 'do not fit' "cscg-plan: 'jump': the model lacks the action 'forth'"
exits 3 'a missing file' "cscg-plan --goal match line nowhere $w"
exactly 'is named' "cscg-plan: 'nowhere': No such file or directory"

# fig-active: two schemas, exact, in small rooms.
mkdir schemas
for r in torus rectangle; do
	roomgen $r --size 4x5 --as model | cscg-show --as clones -o schemas/$r.gz
done
export WALKS=4 STEPS=60
for how in active random; do
	exits 0 "$how walks" "sh '$fig/active.sh' walk $how 3 schemas $how.gz torus --size 4x5 >$how.tsv"
	same 'a row for each step' "wc -l <$how.tsv" 'echo 244'
	exits 0 'their results' "sh '$fig/active.sh' told torus $how.tsv >$how.told"
	same 'a line for each walk' "wc -l <$how.told" 'echo 4'
	exits 0 'the criterion of the paper' "sh '$fig/active.sh' paper 3 torus schemas $how.gz 3 >$how-paper.tsv"
	holds 'there is a verdict by it' "grep -q '^#sustained' $how-paper.tsv"
	same 'three episodes are compared' "grep '^#episodes' $how-paper.tsv | cut -f 2" 'echo 3'
done
same 'all are right at the end' 'cut -f 4 active.told' 'printf "1\n1\n1\n1\n"'
# Walk 0 is wrong at 0, below at 1; 1 is wrong at the end; 2 is right from 0.
printf '%s\n' '0 0 b .9' '0 1 a .8' '0 2 a .9' '1 0 a 1' '1 1 a 1' '1 2 b 1' \
    '2 0 a .9' '2 1 a 1' '2 2 a 1' | rows >by-hand
same 'first step of a posterior of .9' "sh '$fig/active.sh' told a by-hand | cut -f 1" 'printf "2\n-\n0\n"'
same 'fraction of walks by step' "sh '$fig/active.sh' told a by-hand | STEPS=2 sh '$fig/active.sh' curve" \
    'printf "0 0.333333\n1 0.333333\n2 0.666667\n"'
sh "$fig/match.sh" found active-paper.tsv >active.paper
printf '1\ta\t40\t95\n1\tb\t5\t-\n' >random.paper
# Medians of the seeds: 3 and 9, 6; 15 and 61 for never, 38
printf '3\t1\t1\t1\t1\ta\n9\t0\t1\t1\t1\tb\n15\t1\t1\t1\t2\ta\n-\t1\t1\t0\t2\tb\n' >four.told
exits 0 'rows' "sh '$fig/active.sh' rows four.told random.told active.paper random.paper"
cp "$out" got
same 'medians of the seeds, and of all walks' 'sed -n 1p got | cut -f 4,6' 'printf "22 [6, 38] of the seeds, 12 of 4 walks\tno\n"'
same 'fraction right at 25 steps, with the worst room' 'sed -n 2p got | cut -f 4,6 | sed "s/ \[[^]]*\]//"' 'printf "0.750, worst b 0.50\tno\n"'
holds 'its interval' "sed -n 2p got | cut -f 4 | grep -q '^0.750 \[0.[0-9]*, 1.000\]'"
same 'the number of rooms by step 60 of one seed' 'sed -n 5p got | cut -f 4,6' 'printf "%s/1, latest %s\tyes\n" "$(awk -F "\t" "{ print \$4 <= 60 }" active.paper)" "$(awk -F "\t" "{ print \$4 }" active.paper)"'
same 'the same count for random walks, one never identified' 'sed -n 6p got | cut -f 4,6' 'printf "0/2, latest never\t-\n"'
# Seed 1 has both rooms by step 60, seed 2 one, seed 3 none.
printf '1\ta\t40\t60\n1\tb\t5\t20\n2\ta\t5\t30\n2\tb\t5\t65\n3\ta\t70\t80\n3\tb\t5\t-\n' >seeds.paper
same 'seeds with all rooms by step 60' "sh '$fig/active.sh' rows four.told random.told seeds.paper random.paper | sed -n 5p | cut -f 4,6" \
    'printf "1/3 seeds, fewest rooms 0/2, latest 65 [60, never]\tno\n"'
if command -v gnuplot >/dev/null; then
	exits 0 'curves are drawn' "sh '$fig/active.sh' draw active active.told random.told"
	holds 'the curves are SVG and PNG' 'grep -q "<svg" active.svg && head -c 4 active.png | grep -q PNG'
fi

# fig-memory: the known place is a torus.
export VISITS=4
roomgen torus --size 4x5 --permute -s 5 -o place.gz
exits 0 'a grounded model is saved' "KEEP=200 sh '$fig/active-memory.sh' keep 6 schemas place.gz >memory.gz"
holds 'the saved model is the torus, with its emissions' "cscg-show --truth place.gz memory.gz | grep -q '^isomorphic.*yes'"
for when in old new; do
	exits 0 "$when, with it" "sh '$fig/active-memory.sh' visit 7 place.gz $when schemas/*.gz old-torus=memory.gz >$when-with.tsv"
	exits 0 "$when, without" "sh '$fig/active-memory.sh' visit 7 place.gz $when schemas/*.gz >$when-without.tsv"
	same 'a line for each visit' "wc -l <$when-with.tsv" 'echo 4'
done
same 'the grounded model is identified in its room' 'cut -f 3 old-with.tsv | sort -u' 'echo old-torus'
same 'the grounded model is not identified in other rooms' 'cut -f 3 new-with.tsv new-without.tsv old-without.tsv | sort -u' 'echo torus'
exits 0 'rows' "sh '$fig/active-memory.sh' rows ."
cp "$out" got
same 'four' 'cut -f 1 got' 'printf "memory\n%.0s" 1 2 3 4'
exits 3 'a visit that fails' "sh '$fig/active-memory.sh' visit 7 place.gz old schemas/*.gz old-torus=nowhere.gz"
exits 1 'no visits' "mkdir none; for f in old new; do : >none/\$f-with.tsv; : >none/\$f-without.tsv; done; sh '$fig/active-memory.sh' rows none"
exactly 'are no result' 'active-memory.sh: no visits in none/old-with.tsv'
same 'a grounded model is identified sooner' 'sed -n 1p got | cut -f 6' 'echo yes'
finish
