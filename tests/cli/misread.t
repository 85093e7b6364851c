# The misreading probability of a model, in files and in all tools that use it.
. "$(dirname "$0")/../tap.sh"

walk() { # N_OBS X A: a walk of one episode and one action, plain
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":$1}
{"episode":0,"x":[$2],"a":[$3],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$2" | tr ',' '\n' | wc -l)}
END
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }'; }
nats() { cscg-score --unseen 0 "$@" | awk 'NR == 2 { print $3 }'; }

# A ring of two states and three symbols: the own symbol has .7 + .1, others .1.
cat >ring <<'END'
{"format":"cscg-model","version":2,"kind":"grounded","precision":"double","n_states":2,"n_actions":1,"n_obs":3,"clone":[0,1],"misread":0.3,"pseudocount":0,"counts":[{"from":[0,1],"to":[1,0],"count":[5,5]}],"history":[]}
END
sed 's/"version":2/"version":1/; s/"misread":0.3,//' ring >clean
walk 3 0,2,0,1 0,0,0 >w

# Paths 0101 and 1010, by hand: .5 * .8 * .1 * .8 * .8 and .5 * .1^4.
holds 'the likelihood sums both paths' \
    'near "$(nats ring -w w)" "$(awk "BEGIN { printf \"%.9f\", -log(.0256 + .00005) }")"'
holds 'misreading in single precision' \
    'near "$(sed s/double/single/ ring | nats - -w w)" "$(nats ring -w w)"'
same 'without misreading the walk is impossible' 'nats clean -w w' 'echo inf'
same 'Viterbi takes the likelier path' \
    'cscg-score --decode ring -w w | cut -f 5 | tail -n +2 | xargs' 'echo 0 1 0 1'
same 'the posterior is by Bayes rule' \
    'cscg-score --posterior --top 1 ring -w w | cut -f 4,5 | sed -n 2p' \
    'awk "BEGIN { printf \"0\t%.6g\n\", .0256 / .02565 }"'
cscg-score --sample 30000 ring -o s.gz
holds 'a sample shows another symbol in a fifth of the steps' \
    'cscg-score --decode ring -w s.gz | awk "NR > 1 && \$3 != \$6 { n++ } END { exit !(n > 5700 && n < 6300) }"'
holds 'decoding finds the states in spite of it' \
    'cscg-score --decode ring -w s.gz | awk "NR > 1 && \$5 != \$6 { n++ } END { exit !(n < 3) }"'

same 'cscg-show prints it' 'cscg-show ring | grep misread | xargs' 'echo misreading 0.3 of the symbols'
holds 'a schema keeps it, with version 2' \
    'cscg-show --as clones --no-gzip ring | grep -q "\"version\":2.*\"clone\":\[0,1\],\"misread\":0.29*,\"pseudocount\""'
holds 'a model without has version 1 and no key' \
    'cscg-show --as clones --no-gzip clean | grep -q "\"version\":1.*\"clone\":\[0,1\],\"pseudocount\""'
for bad in -0.1 1.5; do
	exits 3 "a misreading probability of $bad" "sed 's/0\.3/$bad/' ring | cscg-show"
	says 'is refused' '/misread: '
done
exits 3 'a word' "sed 's/0\.3/\"often\"/' ring | cscg-show"
says 'is refused' '/misread: '

# A ring of three states: after 0, 1, and a misread 0 the state is 2.
cat >three <<'END'
{"format":"cscg-model","version":2,"kind":"grounded","precision":"single","n_states":3,"n_actions":1,"n_obs":3,"clone":[0,1,2],"misread":0.1,"pseudocount":0.001,"counts":[{"from":[0,1,2],"to":[1,2,0],"count":[5,5,5]}],"history":[]}
END
walk 3 0,1,2,0,1,0 0,0,0,0,0 >w3
same 'a plan starts where the walk ended' \
    'cscg-plan three --goal symbol:1 -w w3 --json | grep -o "\"z\":\[[0-9,]*\]\|\"states\":\[[0-9,]*\]" | head -1 | grep -o "[0-9,]*" | head -1 | cut -d, -f1' 'echo 2'

# A room with unique symbols: binding learns E without the misread part.
roomgen rectangle --size 4x4 --obs unique -s 3 -o r.gz
roomwalk -n 3000 -s 1 r.gz -o clean.gz
roomwalk -n 3000 -s 2 --misread 0.2 r.gz -o noisy.gz
cscg-learn clean.gz --no-gzip -o m
cscg-show --as clones --no-gzip m -o c
sed 's/"version":1/"version":2/; s/"pseudocount"/"misread":0.2,&/' c >n
for s in c n; do
	cscg-bind --tie none --init track --no-gzip $s -w noisy.gz -o b$s
done
likeliest() { # the least of the largest emissions
	cscg-show --as nodes "$1" >/dev/null && tr '[' '\n' <"$1" | sed -n '/"emissions"/,/"confidence"/p' |
	    grep -o ',0\.[0-9]*\|,1\b' | tr -d , | awk '$1 > .5' | sort -g | head -1
}
holds 'binding without misreading: rows have .8 + .2/16 for their symbol' \
    'likeliest bc | awk "{ exit !(\$1 > .7 && \$1 < .87) }"'
holds 'binding with misreading: rows are nearly certain' \
    'likeliest bn | awk "{ exit !(\$1 > .9) }"'
holds 'the bound model keeps it' 'grep -q "\"misread\":0.2" bn'
holds 'the bound model has about the likelihood of emission rows' \
    'awk -v a="$(nats bn -w noisy.gz)" -v b="$(nats bc -w noisy.gz)" "BEGIN { exit !(a < 1.04 * b) }"'
finish
