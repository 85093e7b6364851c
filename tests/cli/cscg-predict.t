# The command cscg-predict.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

rows() { sed 's/ /\t/g'; } # a table from words
walk() { # N_OBS X A [MORE]: a walk of one episode and one action, plain
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":$1}
{"episode":0,"x":[$2],"a":[$3],${4-}"last":true}
{"end":true,"episodes":1,"steps":$(echo "$2" | tr ',' '\n' | wc -l)}
END
}
sum() { # of column $1, unless missing
	awk -F '\t' -v c="$1" '!/^#/ && $c != "-" { s += $c } END { printf "%.9g\n", s }'
}

# 0 -> 1 -> 0, symbols 0 and 1 of 3.
cat >ring <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":2,"n_actions":1,"n_obs":3,"clone":[0,1],"pseudocount":0,"counts":[{"from":[0,1],"to":[1,0],"count":[5,5]}],"history":[]}
END
# One state that emits 0, 1, 2 with .2, .3, .5, and one state of symbol 1 only.
cat >dice <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":1,"n_actions":1,"n_obs":3,"clone":[0],"pseudocount":0,"counts":[{"from":[0],"to":[0],"count":[1]}],"emissions":[[0,0.2,1,0.3,2,0.5]],"history":[]}
END
walk 3 0,1,0,1 0,0,0 >w

same 'predictions of a ring by hand' 'cscg-predict --unseen 0 --bits --top 2 ring -w w' 'rows <<END
#episode t x bits state1 state_p1 a entropy next1 p1 next2 p2
0 0 0 1 0 1 0 0 1 1 - -
0 1 1 0 1 1 0 0 0 1 - -
0 2 0 0 0 1 0 0 1 1 - -
0 3 1 0 1 1 0 0 0 1 - -
END'
# With P = .2 each of 4 symbols, one of them unknown, has a floor of .05.
same 'predictions with an escape probability by hand' 'cscg-predict --unseen .2 --states 0 --top 3 ring -w w' "awk 'BEGIN {
    h = -.85 * log(.85) - 3 * .05 * log(.05)
    print \"#episode\tt\tx\tnats\ta\tentropy\tnext1\tp1\tnext2\tp2\tnext3\tp3\"
    for (t = 0; t < 4; t++)
	printf \"0\t%d\t%d\t%.9g\t0\t%.9g\t%d\t0.85\t%d\t0.05\t2\t0.05\n\", t, t % 2,
	    -log(t ? .85 : .45), h, 1 - t % 2, t % 2 }'"
same 'rows as JSON' 'cscg-predict --json --unseen 0 --bits --top 1 ring -w w | sed -n "1p;4p"' 'cat <<END
{"episode":0,"t":0,"x":0,"bits":1,"state1":0,"state_p1":1,"a":0,"entropy":0,"next1":1,"p1":1}
{"episode":0,"t":3,"x":1,"bits":0,"state1":1,"state_p1":1,"a":0,"entropy":0,"next1":0,"p1":1}
END'
same 'two steps ahead' 'cscg-predict --unseen 0 --states 0 --top 1 --ahead 2 ring -w w | head -n 3' 'rows <<END
#episode t x nats a ahead entropy next1 p1
0 0 0 0.693147181 0 1 0 1 1
0 0 0 0.693147181 0 2 0 0 1
END'
same 'the last step as well, for each action' 'cscg-predict --unseen 0 --states 0 --top 1 --each-action ring -w w | tail -n 1' \
    'echo "0 3 1 0 0 0 0 1" | rows'
same 'a missing observation has no surprise' 'walk 3 null,1 0 | cscg-predict --unseen 0 --bits --top 1 --states 0 ring' 'rows <<END
#episode t x bits a entropy next1 p1
0 0 - - 0 1 0 0.5
0 1 1 1 0 0 0 1
END'
same 'a reset starts again' "walk 3 0,1,1 0,0 '\"reset\":[2],' | cscg-predict --unseen 0 --bits ring | cut -f 4" \
    'printf "bits\n1\n0\n1\n"'
same 'an impossible step without escape' 'walk 3 0,0,1 0,0 | cscg-predict --unseen 0 --top 1 ring | tail -n 2' 'rows <<END
0 1 0 inf - - 0 - - -
0 2 1 inf - - 0 - - -
END'
# 1e-6 / 4; after it the state of symbol 0 is certain again.
same 'an impossible step with an escape probability' 'walk 3 0,0,1 0,0 | cscg-predict ring | cut -f 4-6 | tail -n 2' \
    "awk 'BEGIN { printf \"%.9g\t0\t1\n%.9g\t1\t1\n\", -log(1e-6 / 4), -log(1 - 1e-6 + 1e-6 / 4) }'"
same 'a symbol that the model lacks' 'walk 9 0,8,0 0,0 | cscg-predict ring | cut -f 3-6 | tail -n 2' \
    "awk 'BEGIN { printf \"8\t%.9g\t1\t1\n0\t%.9g\t0\t1\n\", -log(1e-6 / 4), -log(1 - 1e-6 + 1e-6 / 4) }'"

# Rooms
roomgen rectangle --size 4x5 -o room.gz
roomgen room room.gz --as model -o exact.gz
roomgen torus --size 4x5 --as model -o torus.gz
roomwalk -n 2000 --episodes 2 -s 5 room.gz -o walk.gz
for how in --double '--double --bits' ''; do
	same "the sum is that of cscg-score $how" \
	    "cscg-predict $how exact.gz -w walk.gz | sum 4 | cut -c 1-7" \
	    "cscg-score $how exact.gz -w walk.gz | awk 'END { printf \"%.9g\n\", \$3 }' | cut -c 1-7"
done
sed 's/"version":1/"version":2,"misread":0.1/' ring >noisy
walk 9 0,1,1,8,0,0,8,8,1 0,0,0,0,0,0,0,0 >odd
for model in ring noisy dice; do
	same "unseen symbols and transitions cost as in cscg-score: $model" \
	    "cscg-predict $model -w odd | sum 4 | cut -c 1-8" \
	    "cscg-score -q $model -w odd | awk 'END { printf \"%.9g\n\", \$3 }' | cut -c 1-8"
done
# 1 after 1, symbol 8, 0 two steps after 1, 0 after 0, and 8 twice.
same 'six of nine steps are impossible' 'cscg-score -q ring -w odd | sed 1d | cut -f 6' 'echo 6'
same 'with misreading three symbols are impossible' 'cscg-score -q noisy -w odd | sed 1d | cut -f 6' 'echo 3'
holds 'probabilities sum to one' 'cscg-predict --double --top 33 --states 20 exact.gz -w walk.gz |
    awk -F "\t" "NR > 1 && \$45 != \"-\" { s = 0; q = 0
	for (i = 0; i < 33; i++) s += \$(48 + 2 * i)
	for (i = 0; i < 20; i++) q += \$(6 + 2 * i)
	if (s < 1 - 1e-6 || s > 1 + 1e-8 || q < 1 - 1e-7 || q > 1 + 1e-7) { print s, q; bad = 1 } }
	END { exit bad || NR < 4000 }"'
same 'predictions do not depend on what follows' \
    'cscg-predict exact.gz -w walk.gz | head -n 500' \
    'walkconv --head 1000 walk.gz | cscg-predict exact.gz | head -n 500'
same 'a mixture finds the model of the room' 'cscg-predict --states 0 --top 1 here=exact.gz torus.gz -w walk.gz | tail -n 1 | cut -f 5,6' \
    'printf "here\t1\n"'
same 'the last step has no action, so no prediction' 'cscg-predict --states 0 --top 1 exact.gz -w walk.gz | tail -n 1 | cut -f 5-' \
    'echo "- - - -" | rows'
same '--each-action predicts for all actions' 'cscg-predict --states 0 --top 1 --each-action exact.gz -w walk.gz | tail -n 4 | cut -f 5' \
    'printf "up\ndown\nleft\nright\n"'
# Live: a row is written before the next step is sent.
mkfifo in rows.pipe
cscg-predict --top 1 ring <in >rows.pipe &
pid=$!
exec 3>in 4<rows.pipe
walk 3 0,1 0 | head -n 1 >&3
read -r head <&4
echo '{"episode":0,"x":[0],"a":[0]}' >&3
read -r first <&4
echo '{"episode":0,"x":[1],"a":[],"last":true}' >&3
read -r second <&4
echo '{"end":true,"episodes":1,"steps":2}' >&3
exec 3>&-
wait "$pid"
exec 4<&-
holds 'a row is written for each line' '[ "$(echo "$first" | cut -f 2,3)" = "0	0" ] &&
    [ "$(echo "$second" | cut -f 2,3)" = "1	1" ]'

# Continuations
same '--continue by symbol' 'cscg-predict --continue 3 --by symbol ring -w w' 'rows <<END
#t a x nats state
1 0 0 0 0
2 0 1 0 1
3 0 0 0 0
END'
same '--continue by path' 'cscg-predict --continue 3 --by path ring -w w' 'cscg-predict --continue 3 --by symbol ring -w w'
same '--continue as a walk' 'cscg-predict --continue 3 --by path --as walk --no-gzip ring -w w | sed -n 2p' \
    'echo "{\"episode\":0,\"x\":[0,1,0],\"a\":[0,0],\"z\":[0,1,0],\"last\":true}"'
same 'a seed fixes every byte' 'cscg-predict --continue 50 -s 3 exact.gz -w walk.gz' \
    'cscg-predict --continue 50 -s 3 exact.gz -w walk.gz'
same 'the likeliest symbol of a die' 'walk 3 0 "" | cscg-predict --continue 2 --by symbol dice | cut -f 3' 'printf "x\n2\n2\n"'
holds 'samples are from the prediction: 4 sigma' 'walk 3 0 "" | cscg-predict --continue 40000 dice |
    awk -F "\t" "NR > 1 { n[\$3]++; m++ } function off(k, p) {
	return (n[k] - m * p) ^ 2 > 16 * m * p * (1 - p) }
	END { exit m != 40000 || off(0, .2) || off(1, .3) || off(2, .5) }"'
# A chain: 0 -> 0 with 1/4, 0 -> 1 with 3/4, 1 -> 0 always.
cat >chain <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":2,"n_actions":1,"n_obs":2,"clone":[0,1],"pseudocount":0,"counts":[{"from":[0,0,1],"to":[0,1,0],"count":[1,3,4]}],"history":[]}
END
holds 'frequencies after each symbol' 'walk 2 0 "" | cscg-predict --continue 40000 chain |
    awk -F "\t" "NR == 1 { was = 0; next } { n[was \$3]++; was = \$3 }
	END { m = n[\"00\"] + n[\"01\"]
	exit n[\"11\"] > 0 || (n[\"01\"] - m * 3 / 4) ^ 2 > 16 * m * 3 / 16 }"'
same 'given actions, repeated' 'cscg-predict --continue 5 --actions right,0 exact.gz -w walk.gz | cut -f 2' \
    'printf "a\nright\nup\nright\nup\nright\n"'
holds 'random actions are all of them' '[ $(cscg-predict --continue 200 exact.gz -w walk.gz | cut -f 2 | sort -u | wc -l) = 5 ]'
exits 2 'an action that does not exist' 'cscg-predict --continue 5 --actions sideways exact.gz -w walk.gz'
exactly 'is named' "cscg-predict: --actions: 'sideways' is not one of the 4 actions"
exits 2 'a number that does not exist' 'cscg-predict --continue 5 --actions 4 exact.gz -w walk.gz'
exits 2 'no action at all' 'cscg-predict --continue 5 --actions , exact.gz -w walk.gz'
exactly 'is reported' 'cscg-predict: --actions: an empty list'
exits 2 'a negative number' 'cscg-predict --continue 5 --actions -1 exact.gz -w walk.gz'
exits 3 'a walk that cannot be has no continuation' 'walk 3 0,0 0 | cscg-predict --unseen 0 --continue 3 ring'
exactly 'which is reported' 'cscg-predict: the models cannot produce the walk: it has no continuation'
exits 3 'no continuation of an impossible walk by path' 'walk 3 0,0 0 | cscg-predict --unseen 0 --continue 3 --by path ring'
exactly 'which is reported as well' 'cscg-predict: the models cannot produce the walk: it has no continuation'
exits 0 'with an escape probability a walk is continued' 'walk 3 0,0 0 | cscg-predict --continue 3 ring'

# Rebinding: a novel symbol takes the slot of the one that was expected.
cat >ring3 <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":3,"n_actions":1,"n_obs":3,"symbols":["a","b","c"],"clone":[0,1,2],"pseudocount":0,"counts":[{"from":[0,1,2],"to":[1,2,0],"count":[1,1,1]}],"history":[]}
END
printf '%s\n' a X c a X c a >novel
walkconv --no-header --x 1 --a '' novel -o novel.gz
exits 0 'rebinding' 'cscg-predict --rebind 0.01 --unseen 0.001 --top 1 ring3 -w novel.gz'
cscg-predict --rebind 0.01 --unseen 0.001 --top 1 ring3 -w novel.gz >rows
same 'the columns show it' 'echo rebound rebound_p' "awk 'NR == 1 { print \$7, \$8 }' rows"
# The alphabet has 4 symbols.  A step keeps its symbol with .99 * .999.
holds 'the first symbol is one of three states' "awk 'NR == 2 { k = .99 * .999; p = k / 3 + (1 - k) / 4; d = \$4 + log(p); exit !(d * d < 1e-15) }' rows"
holds 'a novel symbol is drawn' "awk 'NR == 3 { k = .99 * .999; d = \$4 + log((1 - k) / 4); exit !(d * d < 1e-15) }' rows"
holds 'the slot is rebound' "awk 'NR == 3 { exit !(\$7 == 1 && \$8 > .9) }' rows"
same 'the expected symbol is now the novel one' 'echo X' "awk 'NR == 5 { print \$11 }' rows"
holds 'uncertain after one presentation, certain after two' "awk 'NR == 5 { p = \$12 } NR == 6 { exit !(p > .88 && p < .95 && \$8 > .995) }' rows"
same 'each episode starts with the emissions of the model' 'cut -f 2- rows | sed 1d' \
    'walkconv --as tsv --numbers novel.gz >/dev/null; { gzip -dc novel.gz | sed "\$d"; gzip -dc novel.gz | sed -n "2s/\"episode\":0/\"episode\":1/p"; echo "{\"end\":true,\"episodes\":2,\"steps\":14}"; } | cscg-predict --rebind 0.01 --unseen 0.001 --top 1 ring3 | sed 1,8d | cut -f 2-'
same 'the continuation has the novel symbol' 'printf "X\nc\na\nX\n"' \
    'cscg-predict --rebind 0.01 --continue 4 --by symbol ring3 -w novel.gz | sed 1d | cut -f 3'
same 'without novel symbols rebinding changes nothing' 'printf "b\nc\na\n"' \
    'printf "a\nb\nc\n" | walkconv --no-header --x 1 --a "" | cscg-predict --rebind 1e-3 --top 1 ring3 | sed 1d | cut -f 11'
exits 2 'two models' 'cscg-predict --rebind .1 ring3 ring -w novel.gz'
says 'cannot be rebound' '--rebind takes one model, not 2'
for o in '--ahead 2' '--continue 3 --by path'; do
	exits 2 "$o and --rebind" "cscg-predict --rebind .1 $o ring3 -w novel.gz"
	exactly 'do not go together' 'cscg-predict: --ahead and --by path cannot be combined with --rebind (try --help)'
done
exits 2 'an --unseen of 0' 'cscg-predict --rebind .1 --unseen 0 ring3 -w novel.gz'
exactly 'cannot be distinguished from novelty' 'cscg-predict: --rebind needs an --unseen above 0 (try --help)'
exits 2 'a rebinding probability of 1' 'cscg-predict --rebind 1 ring3 -w novel.gz'

# Options
for o in '--by path' '--actions 0' '--as walk'; do
	exits 2 "$o alone" "cscg-predict $o ring -w w"
	says 'requires --continue' 'requires --continue (try --help)'
done
for o in '--ahead 2' --each-action '--top 2' '--states 2'; do
	exits 2 "$o and --continue" "cscg-predict --continue 3 $o ring -w w"
done
exits 2 'an escape probability of 1' 'cscg-predict --unseen 1 ring -w w'
exactly 'is refused' 'cscg-predict: --unseen: 1 is outside 0..0.999999 (try --help)'

# Inputs
cscg-show --as clones exact.gz -o schema.gz
exits 3 'a schema' 'cscg-predict schema.gz -w walk.gz'
says 'is none' "cscg-predict: 'schema.gz': a grounded model is needed, this is a schema with clones"
exits 3 'a walk with other actions' 'cscg-predict exact.gz -w w'
exactly 'do not fit' "cscg-predict: 'w': 1 actions do not fit 4"
exits 3 'models of other actions' 'cscg-predict exact.gz ring -w walk.gz'
says 'are named' 'cscg-predict: model 1: '
exits 3 'a cut walk' 'head -n 2 w | cscg-predict ring'
says 'is cut' 'cscg-predict: standard input: '
holds 'memory does not grow' '(ulimit -v 200000
    roomwalk -n 300000 room.gz | cscg-predict exact.gz >/dev/null)'
holds 'memory does not grow with the length of a continuation' '(ulimit -v 200000
    cscg-predict --continue 1000000000 exact.gz -w walk.gz | head -n 3 | cut -f 1 | xargs) >got; [ "$(cat got)" = "#t 1 2" ]'


sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-predict.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}' >ex.sh
holds 'the page has examples' '[ $(wc -l <ex.sh) -ge 4 ]'
holds 'the examples run unchanged' 'sh -e ex.sh >got'

# Two rooms with the same graph: only the first one explains the walk.
roomgen rectangle --size 3x3 --obs unique -o first.room
roomgen rectangle --size 3x3 --obs unique --permute -s 5 -o second.room
for r in first second; do roomgen room $r.room --as model -o $r.model; done
roomwalk -n 30 first.room -o first.walk
for by in path symbol; do
	for models in 'a=first.model b=second.model' 'b=second.model a=first.model'; do
		same "$models: continued by $by as by the model that explains the walk" \
		    "cscg-predict --continue 3 --by $by $models -w first.walk | cut -f 1-3,5" \
		    "cscg-predict --continue 3 --by $by first.model -w first.walk | cut -f 1-3,5"
	done
done
finish
