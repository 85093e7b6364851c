# The command cscg-score.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

tab=$(printf '\t')
rows() { sed 's/ /\t/g'; } # a table from words
walk() { # N_OBS X A [MORE]: a walk of one episode and one action, plain
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":$1}
{"episode":0,"x":[$2],"a":[$3],${4-}"last":true}
{"end":true,"episodes":1,"steps":$(echo "$2" | tr ',' '\n' | wc -l)}
END
}

# A deterministic ring of two states: the start is one bit, the rest is certain.
cat >ring <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":2,"n_actions":1,"n_obs":3,"clone":[0,1],"pseudocount":0,"counts":[{"from":[0,1],"to":[1,0],"count":[5,5]}],"history":[]}
END
walk 3 0,1,0,1 0,0,0 >w
same 'ln 2 in all, by hand' 'cscg-score --unseen 0 ring -w w' 'rows <<END
#episode steps nats nats_per_step perplexity
0 4 0.69314718056 0.17328679514 1.18920712
END'
same 'NLL of the start in bits' 'cscg-score --unseen 0 --bits ring <w' 'rows <<END
#episode steps bits bits_per_step perplexity
0 4 1 0.25 1.18920712
END'
same 'step by step' 'cscg-score --unseen 0 --per-step ring -w w' 'rows <<END
#episode t x a nats
0 0 0 0 0.693147181
0 1 1 0 0
0 2 0 0 0
0 3 1 - 0
END'
same 'rows as JSON' 'cscg-score --unseen 0 --json --bits ring -w w' 'cat <<END
{"episode":"0","steps":4,"bits":1,"bits_per_step":0.25,"perplexity":1.18920712}
END'
same 'decoded' 'cscg-score --unseen 0 --decode --json ring -w w | tail -n 1' 'cat <<END
{"episode":0,"t":3,"x":1,"a":null,"state":1,"node":null}
END'
same 'the posterior' 'cscg-score --unseen 0 --posterior --top 1 ring -w w' 'rows <<END
#episode t rank state p
0 0 0 0 1
0 1 0 1 1
0 2 0 0 1
0 3 0 1 1
END'
same 'two walks and their sum' 'cscg-score --unseen 0 --bits ring -w w -w w' 'rows <<END
#episode steps bits bits_per_step perplexity
0 4 1 0.25 1.18920712
1 4 1 0.25 1.18920712
all 8 2 0.25 1.18920712
END'
same 'a dropout is no evidence' 'walk 3 null,1,null 0,0 | cscg-score --unseen 0 --per-step --bits ring' 'rows <<END
#episode t x a bits
0 0 - 0 0
0 1 1 0 1
0 2 - - 0
END'
same 'a reset starts again' "walk 3 0,1,1 0,0 '\"reset\":[2],' | cscg-score --unseen 0 --per-step --bits ring" 'rows <<END
#episode t x a bits
0 0 0 0 1
0 1 1 0 0
0 2 1 - 1
END'

# Impossible steps
same 'an impossible step' 'walk 3 0,0,1 0,0 | cscg-score --unseen 0 ring' 'rows <<END
#episode steps nats nats_per_step perplexity
0 3 inf inf inf
END'
same 'the belief is uniform after it' 'walk 3 0,0,1 0,0 | cscg-score --unseen 0 --per-step --bits ring' 'rows <<END
#episode t x a bits
0 0 0 0 1
0 1 0 0 inf
0 2 1 - inf
END'
same 'NLL after an impossible step, until the next reset' "walk 3 0,0,1,0,1 0,0,0,0 '\"reset\":[3],' | cscg-score --unseen 0 --per-step --bits ring" 'rows <<END
#episode t x a bits
0 0 0 0 1
0 1 0 0 inf
0 2 1 0 inf
0 3 0 0 1
0 4 1 - 0
END'
same 'NLL after an impossible step, until the next episode' 'walk 3 0,0 0 >i; cscg-score --unseen 0 --bits ring -w i -w w' 'rows <<END
#episode steps bits bits_per_step perplexity
0 2 inf inf inf
1 4 1 0.25 1.18920712
all 6 inf inf inf
END'
same 'a symbol without a clone' 'walk 3 0,2 0 | cscg-score --unseen 0 --per-step --bits ring' 'rows <<END
#episode t x a bits
0 0 0 0 1
0 1 2 - inf
END'
same 'infinite in JSON is a string' 'walk 3 2 "" | cscg-score --unseen 0 --json ring' 'cat <<END
{"episode":"0","steps":1,"nats":"inf","nats_per_step":"inf","perplexity":"inf"}
END'
same 'no states from there on' 'walk 3 0,0,1 0,0 | cscg-score --unseen 0 --decode ring' 'rows <<END
#episode t x a state node
0 0 0 0 0 -
0 1 0 0 - -
0 2 1 - - -
END'
same 'decoded states with an escape probability' 'walk 3 0,2,1 0,0 | cscg-score --decode ring' 'rows <<END
#episode t x a state node
0 0 0 0 0 -
0 1 2 0 - -
0 2 1 - - -
END'
exits 3 'posterior of an impossible walk' 'walk 3 0,0,1 0,0 | cscg-score --unseen 0 --posterior ring'
exactly 'which is reported' 'cscg-score: episode 0 cannot be produced by the model, so it has no posterior'
exits 3 'a symbol that the model does not know' 'walk 4 0,1,3 0,0 | cscg-score --unseen 0 ring'
exactly 'is named' "cscg-score: standard input: episode 0, step 2: symbol 3 is not one of the model's 0..2"
exits 3 'decoding as well' 'walk 4 0,1,3 0,0 | cscg-score --unseen 0 --decode ring'
exactly 'is named' "cscg-score: standard input: episode 0, step 2: symbol 3 is not one of the model's 0..2"
same 'an unseen symbol may be in the alphabet' 'walk 4 0,1 0 | cscg-score --unseen 0 ring' 'walk 3 0,1 0 | cscg-score --unseen 0 ring'
# With a pseudocount it is improbable instead: 0.5 of 5 + 2 * 0.5.
sed 's/"pseudocount":0/"pseudocount":0.5/' ring >soft
same 'a pseudocount makes the impossible unlikely' \
    'walk 3 0,0 0 | cscg-score --unseen 0 --per-step --double soft | tail -n 1 | cut -f 5' \
    'awk "BEGIN { printf \"%.9g\n\", -log(0.5 / 6) }"'

# The escape: P = .2 is .05 for each of four symbols, one of them unknown.
same 'an escape probability, by hand' 'cscg-score --unseen .2 --double ring -w w' "awk 'BEGIN {
    n = -log(.8 / 2 + .05) - 3 * log(.85)
    print \"#episode\tsteps\tnats\tnats_per_step\tperplexity\timpossible\"
    printf \"0\t4\t%.12g\t%.12g\t%.9g\t0\n\", n, n / 4, exp(n / 4) }'"
exits 0 'an impossible step is finite by default' 'walk 3 0,0,1 0,0 | cscg-score --double ring'
exactly 'and named' 'cscg-score: episode 0, step 1: symbol 0 has probability 0 after the steps before it'
same 'impossible steps are counted' 'walk 3 0,0,1 0,0 | cscg-score -q --double ring | tail -n 1 | cut -f 3,6' "awk 'BEGIN {
    P = 1e-6; f = P / 4
    printf \"%.12g\t1\n\", -log((1 - P) / 2 + f) - log(f) - log(1 - P + f) }'"
exits 0 'three are named' 'walk 9 0,0,0,8,1,1,2 0,0,0,0,0,0 | cscg-score ring | tail -n 1 | cut -f 6'
cp "$err" talk
prints 'all are counted' 6
holds 'further impossible steps are summarised' 'tail -n 2 talk >rest; diff rest - <<END
cscg-score: episode 0, step 3: symbol 8 is not one of the model'"'"'s 3
cscg-score: 3 more steps with probability 0
END
[ "$(wc -l <talk)" = 4 ]'
# Every sequence of two symbols, symbol 3 being unknown: an episode each.
for isa in plain auto; do
	same "the probabilities of all sequences sum to one: $isa" "{
	    echo '{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,\"n_obs\":4}'
	    for i in 0 1 2 3; do for j in 0 1 2 3; do
		echo \"{\\\"episode\\\":\$((4 * i + j)),\\\"x\\\":[\$i,\$j],\\\"a\\\":[0],\\\"last\\\":true}\"
	    done; done
	    echo '{\"end\":true,\"episodes\":16,\"steps\":32}'; } |
	    cscg-score -q --isa $isa --unseen .3 ring |
	    awk '!/^#/ && \$1 != \"all\" { s += exp(-\$3); n++ } END { printf \"%d %.6f\n\", n, s }'" \
	    'echo 16 1.000000'
done
same 'kernels agree on impossible steps' 'walk 9 0,0,0,8,1,1,2,null,1 0,0,0,0,0,0,0,0 | cscg-score -q ring --isa plain | cut -c 1-12' \
    'walk 9 0,0,0,8,1,1,2,null,1 0,0,0,0,0,0,0,0 | cscg-score -q ring | cut -c 1-12'
same '--unseen 0 names the first impossible step' 'walk 3 0,0,1 0,0 | cscg-score --unseen 0 ring 2>&1 >/dev/null' \
    'echo "cscg-score: episode 0, step 1: symbol 0 has probability 0 after the steps before it"'
exits 2 'no escape for paths' 'cscg-score --unseen .1 --decode ring -w w'
exactly 'which is reported' 'cscg-score: --unseen is for likelihoods, not for --decode, --posterior or --sample (try --help)'

# Names
named() { # ACTIONS SYMBOLS X A
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":[$1],"symbols":[$2]}
{"episode":0,"x":[$3],"a":[$4],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$3" | tr ',' '\n' | wc -l)}
END
}
named '"go","stay"' '"a","b","c"' 0,1,1,2,0 0,1,0,0 >n1
named '"stay","go"' '"c","a","b"' 1,2,2,0,1 1,0,1,1 >n2
for how in '' --per-step --decode --posterior; do
	same "names are matched $how" "cscg-score $how good.model -w n1" \
	    "cscg-score $how good.model -w n2"
done
same 'a walk is decoded in the words of the model' \
    'cscg-score --decode --as walk --no-gzip good.model -w n1 | grep episode' \
    'cscg-score --decode --as walk --no-gzip good.model -w n2 | grep episode'
named '"go","fly"' '"a","b","c"' 0,1 0 >n3
exits 3 'an unknown action' 'cscg-score good.model -w n3'
says 'is named' "cscg-score: 'n3': action 'fly' does not occur in the other input"
exits 3 'another number of actions' 'cscg-score ring -w n1'
exactly 'do not fit' "cscg-score: 'n1': 2 actions do not fit 1"

# A room and its exact model
roomgen hole --size 6x7 --hole 2x2 -o room.gz
roomgen room room.gz --as model -o exact.gz
roomwalk -n 3000 --episodes 3 -s 5 room.gz -o walk.gz
cscg-score --decode exact.gz -w walk.gz >path
# From an unknown start the state may be ambiguous at first; later each state is
# one node and each node one state.
holds 'states are nodes, one to one' "awk -F'$tab' '/^#/ { next }
    \$2 >= 100 { n++; a[\$5 \" \" \$6]; s[\$5]; z[\$6] }
    END { for (i in a) p++; for (i in s) q++; for (i in z) r++
	print n, p, q, r; exit !(n == 8700 && p == q && q == r && r == 38) }' path"
same 'the table has the walk' "awk -F'$tab' '!/^#/ { print \$1, \$2, \$3, \$4 }' path" \
    "cscg-score --per-step exact.gz -w walk.gz | awk -F'$tab' '!/^#/ { print \$1, \$2, \$3, \$4 }'"
cscg-score --decode --as walk exact.gz -w walk.gz -o states.gz
same 'decoded states as a walk' "cut -f 1-3,5 path | tail -n +2" \
    "cscg-score --decode exact.gz -w states.gz | cut -f 1-3,6 | tail -n +2"
same 'the walk of decoded states has the same score' 'cscg-score exact.gz -w walk.gz' 'cscg-score exact.gz <states.gz'
holds 'the walk of decoded states has its history' "gzip -dc states.gz | head -n 1 | grep -q '\"program\":\"roomwalk\".*\"program\":\"cscg-score\".*\"decode\":\"true\"'"

cscg-score --unseen 0 --double exact.gz -w walk.gz >total
holds 'steps sum to their episode' "cscg-score --unseen 0 --double --per-step exact.gz -w walk.gz |
    awk -F'$tab' '!/^#/ { s[\$1] += \$5 } END { for (e = 0; e < 3; e++) print e, s[e] }' >sums
    awk 'NR == FNR { s[\$1] = \$2; next } !/^#/ && \$1 != \"all\" { n++
	d = \$3 - s[\$1]; if (d > 1e-3 || d < -1e-3) exit 1 } END { exit n != 3 }' sums total"
holds 'episodes sum to all' "awk '/^all/ { exit !(\$2 == 9000 && (\$3 - s) ^ 2 < 1e-12) }
    !/^#/ { s += \$3 }' total"
# Each step is a sum and a logarithm of numbers with 24 bits.
holds 'single precision is near' "cscg-score --unseen 0 exact.gz -w walk.gz | paste - total |
    awk '!/^#/ { n++; d = (\$3 - \$8) / \$2; if (d > 1.2e-7 || d < -1.2e-7) exit 1 } END { exit n != 4 }'"
holds 'bits are nats by ln 2' "cscg-score --unseen 0 --bits --double exact.gz -w walk.gz | paste - total |
    awk '!/^#/ { n++; d = \$3 * log(2) / \$8 - 1; if (d > 1e-9 || d < -1e-9) exit 1 } END { exit n != 4 }'"
holds 'the posterior sums to one' "roomwalk -n 300 -s 8 room.gz | cscg-score --posterior --top 1000 exact.gz |
    awk '!/^#/ { s[\$2] += \$5; n[\$2]++; if (n[\$2] > m) m = n[\$2]; if (\$3 && \$5 > last) bad = 1; last = \$5 }
    END { for (t = 0; t < 300; t++) if (s[t] < 0.9999 || s[t] > 1.0001) exit 1; exit bad || m < 4 }'"
same 'the most probable states are the first of the posterior' "roomwalk -n 300 -s 8 room.gz | cscg-score --posterior --top 1000 exact.gz |
    awk '/^#/ || \$3 < 3'" 'roomwalk -n 300 -s 8 room.gz | cscg-score --posterior exact.gz'
same 'the walk from standard input' 'cscg-score exact.gz -w walk.gz' 'cscg-score exact.gz <walk.gz'
same 'the model from standard input' 'cscg-score exact.gz -w walk.gz' 'cscg-score - -w walk.gz <exact.gz'
same 'plain or compressed' 'cscg-score exact.gz -w walk.gz' \
    'gzip -dc exact.gz >exact; gzip -dc walk.gz >plain; cscg-score exact -w plain'

# Sampling.  Two states, 3:1 to change and 1:3: the entropy is 0.5623 nats a
# step; that of 100000 has a standard deviation of 0.0015.
cat >coin <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":2,"n_actions":2,"n_obs":2,"clone":[0,1],"pseudocount":0,"counts":[{"from":[0,0,1,1],"to":[0,1,0,1],"count":[1,3,3,1]},{"from":[0,0,1,1],"to":[0,1,0,1],"count":[3,1,1,3]}],"history":[]}
END
cscg-score --sample 100000 coin -o s.gz
cscg-score --decode coin -w s.gz >path
holds 'the score of a sample is the entropy' "cscg-score coin -w s.gz |
    awk '!/^#/ { print \$4; exit !(\$4 > 0.5563 && \$4 < 0.5683) }'"
holds 'sampled steps have their entropy' "awk '/^#/ { next }
    NR > 2 { n[a]++; change[a] += s != \$5 } { a = \$4; s = \$5 }
    END { print n[0], n[1], change[0], change[1]
	exit !(n[0] > 49300 && n[0] < 50700 && change[0] / n[0] > 0.742 &&
	change[0] / n[0] < 0.758 && change[1] / n[1] > 0.242 && change[1] / n[1] < 0.258) }' path"
holds 'nodes of a sample are its states' "awk -F'$tab' '!/^#/ && \$5 != \$6 { exit 1 }' path"
same 'N steps' 'echo 100000 1' "cscg-score coin -w s.gz | awk '!/^#/ { print \$2, NR - 1 }'"
# Several episodes: a seed each.  Of 1000 starts half are at each state, with a
# standard deviation of 16.
samples() { # N STEPS MODEL: N walks, joined
	for s in $(seq "$1"); do cscg-score --sample "$2" -s "$s" --no-gzip "$3" >"e.$s"; done
	walkconv --no-gzip $(seq -f e.%g "$1")
	rm -f e.[0-9]*
}
samples 1000 50 coin >many
holds 'samples start anywhere' "cscg-score --per-step coin -w many | awk '\$2 == 0 { n++; z += \$3 }
    END { print n, z; exit !(n == 1000 && z > 420 && z < 580) }'"
same 'a sample does not depend on those it is joined with' \
    'samples 3 50 coin | cscg-score --per-step coin' \
    'cscg-score --per-step coin -w many | head -n 151'
same 'a seed fixes every byte' 'cscg-score --sample 100 -s 42 coin' 'cscg-score --sample 100 coin'
holds 'another seed gives another sample' 'cscg-score --sample 100 -s 1 --no-gzip coin >a
    cscg-score --sample 100 --no-gzip coin >b; ! cmp -s a b'
# A known initial state, and emissions of 3:1.
cat >blur <<'END'
{"format":"cscg-model","version":1,"kind":"grounded","precision":"single","n_states":2,"n_actions":1,"n_obs":3,"clone":[0,1],"emissions":[[0,0.75,2,0.25],[1,1]],"pi":[1,0],"pseudocount":0,"counts":[{"from":[0,1],"to":[1,0],"count":[1,1]}],"history":[]}
END
holds 'emissions are drawn' "cscg-score --sample 40000 --no-gzip blur >s
    cscg-score --per-step blur -w s | awk '!/^#/ { n[\$3]++ } END { print n[0], n[1], n[2]
	exit !(n[1] == 20000 && n[0] > 14750 && n[0] < 15250) }'"
same 'samples start by pi' 'echo 500 0' "samples 500 2 blur |
    grep -o '\"z\":\\[[01],' | sort | uniq -c | awk '{ n[\$2] = \$1 } END { print n[\"\\\"z\\\":[0,\"] + 0, n[\"\\\"z\\\":[1,\"] + 0 }'"
same 'the names of the model are those of the walk' "echo '\"actions\":[\"go\",\"stay\"],\"symbols\":[\"a\",\"b\",\"c\"]'" \
    "cscg-score --sample 2 --no-gzip good.model | head -n 1 | grep -o '\"actions\".*\"c\"]'"

# Live: roomwalk gets one action after the other, and each step is scored before
# the next is sent.
mkfifo acts rows
cat >live.sh <<'END'
roomwalk --live $1 --actions acts --start 0 room.gz |
    cscg-score --per-step --live exact.gz >rows &
exec 9>acts 8<rows
read -r head <&8
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo right >&9
	read -r row <&8
	case $row in "0	$((i - 1))	"*) ;; *) echo "row $i: $row"; exit 1 ;; esac
done
exec 9>&-
wait
END
holds 'each live step is scored (plain)' 'timeout 60 sh live.sh --no-gzip'
holds 'each live step is scored (gzip)' 'timeout 60 sh live.sh'

bad_walks cscg-score 'cscg-score good.model -w %'
bad_models cscg-score 'cscg-score % -w good.walk'
for kind in clones schema; do
	cscg-show --as $kind exact.gz -o $kind.gz
	exits 3 "a model of kind $kind" "cscg-score $kind.gz -w walk.gz"
	exactly 'is not grounded' "cscg-score: '$kind.gz': a grounded model is needed, this is a schema (cscg-bind learns its emissions)"
done
exits 3 'a schema from standard input' 'cscg-score - -w walk.gz <schema.gz'
exactly 'is not grounded' 'cscg-score: standard input: a grounded model is needed, this is a schema (cscg-bind learns its emissions)'
exits 3 'a room is no model' 'cscg-score room.gz -w walk.gz'
exactly 'and the message says so' "cscg-score: 'room.gz': line 1: this is a cscg-room file, not a cscg-model (roomwalk makes a walk in a room, cscg-learn a model of that)"
printf '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":3}\n{"end":true,"episodes":0,"steps":0}\n' >none
same 'a walk without episodes' 'cscg-score --unseen 0 ring -w none' "printf '#episode\tsteps\tnats\tnats_per_step\tperplexity\n'"
exits 0 '--decode without steps' 'cscg-score --decode ring -w none'
exits 0 '--posterior without steps' 'cscg-score --posterior ring -w none'

wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "cscg-score $2 </dev/null"
	exactly "$1: message" "cscg-score: $3 (try --help)"
}
wrong 'no model' '' 'too few operands, expected: MODEL'
wrong 'two models' 'ring ring' "unexpected operand 'ring'; a walk goes after -w"
wrong 'model and walk both -' '-' 'standard input can be read only once'
wrong 'standard input by name, twice' '- -w -' 'standard input can be read only once'
wrong 'two walks -' 'ring -w - -w -' 'standard input can be read only once'
wrong 'two things at once' '--per-step --decode ring' '--per-step, --decode, --posterior and --sample exclude each other'
wrong 'two others' '--sample 5 --posterior ring' '--per-step, --decode, --posterior and --sample exclude each other'
wrong 'an empty walk decoded' '--as walk ring' '--as walk needs --decode'
wrong 'the best path of an empty walk' '--top 5 ring' '--top requires --posterior'
wrong 'a sample without a length' '--decode --as what ring' "--as: 'what' is not one of table|walk"
wrong 'a sample of a walk' '--sample 5 ring -w w' '--sample reads no walk'
wrong 'a sample of 0 steps' '--sample 0 ring' '--sample: 0 is outside 1..1000000000'
wrong 'a sample of some' '--sample some ring' "--sample: 'some' is not a number"
wrong 'the top 0' '--posterior --top 0 ring' '--top: 0 is outside 1..1000'
exits 2 'several episodes at once' 'cscg-score --sample 5 --episodes 2 ring'
says 'are joined instead' 'sample once per seed (-s) and join the walks with walkconv'
exits 141 'a closed pipe ends it quietly' \
    '{ cscg-score --per-step exact.gz -w walk.gz; echo $? >rc; } | head -n 1 >got; exit $(cat rc)'
exactly 'and without a message' ''
exits 3 'a walk that fails halfway' "gzip -dc walk.gz | sed '\$d' >cut; echo old >keep; cscg-score exact.gz -w cut -o keep"
same 'leaves the file as it was' 'echo old' 'cat keep'

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-score.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}' >ex.sh
holds 'the page has examples' '[ $(wc -l <ex.sh) -ge 4 ]'
holds 'the examples run unchanged' 'sh -e ex.sh >got'
finish
