# The command cscg-bind.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

# One thread unless a test is about threads, as in a batch job.
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

bare() { sed 's/,"history":.*//'; } # a plain model without its history
field() { grep -o "\"$1\":[^,}]*" | head -n 1 | cut -d: -f 2; }
nats() { cscg-score "$1" -w "$2" | awk '/^all/ { print $4 } !/^#/ { n++; v = $4 } END { if (n == 1) print v }'; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; print a, b; exit !(a != "" && b != "" && d <= t && -d <= t) }'; }

# A room of 20 cells, 6 of them interior, and the same with permuted symbols.
roomgen rectangle --size 4x5 -o room.gz
roomgen rectangle --size 4x5 --permute -s 7 -o other.gz
roomgen rectangle --size 4x5 --as model -o exact.gz
cscg-show --as clones exact.gz -o clones.gz
cscg-show --as schema exact.gz -o schema.gz
roomwalk -n 300 -s 5 other.gz -o w.gz
roomwalk -n 500 -s 6 other.gz -o fresh.gz
gzip -dc w.gz >w.json
head -n 1 w.json >head

exits 0 'binds to a walk from a pipe' 'cscg-bind clones.gz <w.gz >b.gz'
exactly 'without a message' ''
same 'the walk may be an operand of -w' 'gzip -dc b.gz' 'cscg-bind clones.gz -w w.gz --no-gzip'
same 'several -w are one walk' 'cscg-bind clones.gz -w w.gz -w fresh.gz --no-gzip | bare' 'cat w.gz fresh.gz | cscg-bind clones.gz --no-gzip | bare'
same 'schema from standard input' 'gzip -dc b.gz' 'cscg-bind - -w w.gz --no-gzip <clones.gz'
same 'a seed fixes every digit' 'cscg-bind -s 3 clones.gz -w w.gz --no-gzip' 'cscg-bind -s 3 clones.gz -w w.gz --no-gzip'
for j in 2 3; do
	same "$j threads change nothing" 'gzip -dc b.gz' "cscg-bind -j $j clones.gz -w w.gz --no-gzip"
done
# The walk begins in one of 20 states; the rest is certain.
holds 'the NLL is that of the start state only' "near \$(gzip -dc b.gz | field nats_per_step) 0 0.001"
holds 'NLL of another walk' "n=\$(nats b.gz fresh.gz); awk -v n=\$n 'BEGIN { exit !(n < 1) }'"
gzip -dc b.gz >b.json
holds 'every state is one node' "cscg-score --decode b.gz -w w.gz |
    awk '!/^#/ { p[\$5 \" \" \$6]; s[\$5]; z[\$6] }
    END { for (i in p) a++; for (i in s) b++; for (i in z) c++
	print a, b, c; exit !(a >= 18 && a == b && b == c) }'"
holds 'the fit is that of cscg-score' "near \$(field nats_per_step <b.json) \$(nats b.gz w.gz) 2e-6"
same 'steps are counted' 'field steps <b.json' 'echo 300'
same 'the result is grounded' 'field kind <b.json' 'echo \"grounded\"'
holds 'the result has its clones' 'grep -q "\"clone\":\\[0,0,0,0,0,0,1" b.json'
same 'transitions are unchanged' 'cscg-show --as npy exact.gz' 'cscg-show --as npy b.gz'
holds 'there is a confidence for each state' "[ \$(grep -o '\"confidence\":\\[[^]]*' b.json | tr ',' '\n' | wc -l) = 20 ]"
exits 0 'the model can be shown' 'cscg-show b.gz'
prints 'with its fit' 'nats a step in 300 steps'
prints 'its confidence' '  confidence   above 0.5 in '
prints 'and its groups' '  clones       by group: '
exits 0 'a bound model as DOT' 'cscg-show --as dot b.gz'
exits 0 'the graph of the bound model is the room' 'cscg-show --labels ignore --truth other.gz b.gz'
prints 'by shape' 'isomorphic'
# With enough steps all emissions are known, so that decoded states compare as
# symbols.
roomwalk -n 3000 -s 8 other.gz -o long.gz
cscg-bind clones.gz -w long.gz -o long.m
exits 0 'with symbols the bound model is the room' 'cscg-show --labels symbols --truth other.gz long.m'

# Clones and names
exits 0 'a schema without clones' 'cscg-bind schema.gz -w w.gz --no-gzip >free'
holds 'the bound model has no clones' '! grep -q "\"clone\"" free'
holds 'the bound model is grounded' "grep -q '\"kind\":\"grounded\"' free"
holds 'the bound model has no pi' '! grep -q "\"pi\"" free'
exits 0 'cscg-score reads it' 'cscg-score free -w w.gz'
exits 0 'cscg-score decodes it' 'cscg-score --decode free -w w.gz'
exits 0 'a sample' 'cscg-score --sample 20 free'
exits 0 'cscg-show reads it' 'cscg-show free'
exits 0 'cscg-show draws it' 'cscg-show --as dot free'
exits 0 'cscg-show lists its nodes' 'cscg-show --as nodes free'
exits 0 'cscg-show compares it with the room' 'cscg-show --labels ignore --truth other.gz free'
same '--as schema removes emissions' 'cscg-show --as schema --no-gzip free | bare' 'cscg-show --no-gzip --as schema schema.gz | bare'
exits 3 '--as clones of a model without clones' 'cscg-show --as clones free'
exactly 'which is reported' "cscg-show: 'free': line 1: the model is a schema without clone structure"
same 'a bound model without emissions is the schema' 'cscg-show --as clones --no-gzip b.gz | bare' 'gzip -dc clones.gz | bare'
same 'clones can be left free' 'cscg-bind --tie none clones.gz -w w.gz --no-gzip | grep -o "\"emissions\":[^]]*"' 'grep -o "\"emissions\":[^]]*" free'
exits 3 'a schema without clones, tied' 'cscg-bind --tie clones schema.gz -w w.gz'
exactly 'is refused' "cscg-bind: 'schema.gz': tied emissions need clone structure, which the schema lacks"
same 'tied, a group has one row' 'echo 1' "grep -o '\"emissions\":.*\"confidence\"' b.json | sed 's/^[^[]*\\[//' | tr ']' '\n' | sed 's/^,//' | head -n 6 | sort -u | wc -l"
holds 'pi is learned' 'grep -q "\"pi\":\[" b.json'
holds 'pi is not learned if clones are free' '! cscg-bind --tie none clones.gz -w w.gz --no-gzip | grep -q "\"pi\":\["'

# A grounded model as the schema: its emissions are not used.
same 'a grounded model is used as a schema' 'cscg-bind exact.gz -w w.gz --no-gzip | bare' 'bare <b.json'
exits 0 '-v reports that its emissions are not used' 'cscg-bind -v exact.gz -w w.gz -o x.gz 2>talk'
holds '-v reports that emissions are not used' "grep -q '^cscg-bind: the schema is a grounded model: its emissions are not used\$' talk"
same 'a bound model is used as a schema' 'cscg-bind b.gz -w w.gz --no-gzip | bare' 'bare <b.json'

# From given emissions
roomwalk -n 300 -s 5 room.gz -o own.gz
exits 0 'a warm start' 'cscg-bind --init schema --iterations 0 --double exact.gz -w own.gz --no-gzip >warm'
# ln 20 nats for the start, and 299 almost deterministic steps.
holds 'explains its own room' 'near $(field nats_per_step <warm) 0.01 0.0005'
same '--init FILE is the same' 'bare <warm' 'cscg-bind --init exact.gz --iterations 0 --double clones.gz -w own.gz --no-gzip | bare'
exits 0 'a bound model is the start for another walk' 'cscg-bind --init schema b.gz -w fresh.gz -o x.gz'
exits 3 'a schema has no emissions to start from' 'cscg-bind --init schema clones.gz -w w.gz'
exactly 'is refused' "cscg-bind: 'clones.gz': a grounded model is needed to start from, this is a schema with clones"
exits 3 'a schema as initial emissions of another' 'cscg-bind --init schema.gz clones.gz -w w.gz'
exactly 'is refused' "cscg-bind: 'schema.gz': a grounded model is needed to start from, this is a schema"
roomgen rectangle --size 3x5 --as model -o small.gz
exits 3 'initial emissions of other states' 'cscg-bind --init small.gz clones.gz -w w.gz'
exactly 'do not fit' "cscg-bind: 'small.gz': 15 states to start from do not fit the 20 of the schema"
# The walk has symbols that the initial emissions do not have there; without a
# pseudocount it would be impossible (tests/unit/schema/bind.c).
exits 0 'initial emissions of another room' 'cscg-bind --init schema --tie none small.gz -w w.gz -o x.gz'

# From the binding of the tracker
exits 0 'a start from the tracked binding' 'cscg-bind --init track clones.gz -w w.gz --no-gzip >tracked'
holds 'reaches the NLL of several restarts' "near \$(field nats_per_step <tracked) \$(field nats_per_step <b.json) 1e-4"
same '--init track does not depend on seed and threads' 'bare <tracked' 'cscg-bind --init track -s 8 -j 2 clones.gz -w w.gz --no-gzip | bare'
exits 0 '--init track with -v' 'cscg-bind -v --init track clones.gz -w w.gz -o x.gz 2>talk'
holds '-v reports the tracked binding' "grep -Eq '^cscg-bind: track: [0-9.]+ nats a step\$' talk && [ \$(grep -c 'restart' talk) = 1 ]"
# After 40 steps there is less evidence, but the same result.
walkconv --head 40 w.gz -o short.gz
holds 'a start from the binding after 40 steps' "a=\$(cscg-bind --init track clones.gz -w short.gz --no-gzip | field nats_per_step)
    b=\$(cscg-bind --restarts 40 clones.gz -w short.gz --no-gzip | field nats_per_step); echo \$a \$b
    awk \"BEGIN { exit !(\$a <= \$b + 1e-3) }\""
exits 3 '--init track without clones' 'cscg-bind --init track schema.gz -w w.gz'
exactly 'is refused' "cscg-bind: 'schema.gz': no clone structure, which tracking bindings requires"
exits 3 '--init track without steps' '{ cat head; echo "{\"end\":true,\"episodes\":0,\"steps\":0}"; } | cscg-bind --init track clones.gz'
exactly 'is refused' 'cscg-bind: the walk has no steps: binding needs at least one'

# Rebinding: emissions stay where they predict.

exits 0 'a walk that the model expects' 'cscg-bind -v --rebind 0.001 exact.gz -w own.gz -o kept.gz 2>talk'
holds 'changes no slot' 'grep -q "^cscg-bind: rebound 0 of the clone groups\$" talk'
rows() { cscg-show --as nodes "$1" | cut -f 1,2; }
same 'no emission has changed' 'rows exact.gz' 'rows kept.gz'
# Symbol 0 is that of the six inner cells, symbol 14 one of the edge: 15 is new.
swap() { # FROM TO
	gzip -dc own.gz | awk -v from="$1" -v to="$2" 'NR == 1 { sub(/"n_obs":15/, "\"n_obs\":16") }
	match($0, /"x":\[[0-9,]*\]/) {
		n = split(substr($0, RSTART + 5, RLENGTH - 6), v, ",")
		for (i = 1; i <= n; i++)
			x = x (i > 1 ? "," : "") (v[i] == from ? to : v[i])
		$0 = substr($0, 1, RSTART + 4) x substr($0, RSTART + RLENGTH - 1) } 1'
}
swap 0 15 >inner
exits 0 'a replaced symbol' 'cscg-bind -v --rebind 0.001 exact.gz -w inner -o inner.gz 2>talk'
holds 'changes its slot' 'grep -q "^cscg-bind: rebound 1 of the clone groups\$" talk'
same 'six clones emit the new symbol, other states are unchanged' 'rows exact.gz | sed "s/	0\$/	15/"' 'rows inner.gz'
holds 'every step of the walk is predicted' "near \$(nats inner.gz inner) \$(nats exact.gz own.gz) 1e-4"
swap 14 0 >edge
exits 0 'a known symbol' 'cscg-bind --rebind 0.001 exact.gz -w edge -o edge.gz'
same 'only the state of the other symbol is rebound' 'rows exact.gz | sed "s/	14\$/	0/"' 'rows edge.gz'
exits 0 'rebinding by state' 'cscg-bind -v --tie none --rebind 0.001 exact.gz -w inner -o each.gz 2>talk'
holds 'each visited cell is rebound separately' "grep -q '^cscg-bind: rebound 6 of the states\$' talk"
same 'rebinding does not depend on seed and threads' 'gzip -dc inner.gz' 'cscg-bind --rebind 0.001 -j 2 exact.gz -w inner --no-gzip'
exits 0 'a symbol that is likelier an exception' 'cscg-bind -v --rebind 1e-12 --unseen 0.01 exact.gz -w edge -o x.gz 2>talk'
holds 'changes nothing' 'grep -q "^cscg-bind: rebound 0 of" talk'
exits 3 'a schema' 'cscg-bind --rebind 0.001 clones.gz -w w.gz'
exactly 'has no emissions to keep' "cscg-bind: 'clones.gz': a grounded model is needed to rebind, this is a schema with clones"
exits 3 '--rebind without steps' '{ cat head; echo "{\"end\":true,\"episodes\":0,\"steps\":0}"; } | cscg-bind --rebind 0.1 exact.gz'
exactly 'is refused' 'cscg-bind: the walk has no steps: binding needs at least one'
# Names: a novel word joins the alphabet.
words() { tr ' ' '\n' | walkconv --no-header --x 1 --a ''; }
for i in 1 2 3 4 5 6; do
	echo 'the cat drinks milk . the dog chews bones . the dog chews bones . the cat drinks milk .'
done | words | cscg-learn -q -o words.gz
echo 'the dax drinks milk .' | words >dax.w
exits 0 'a novel word' 'cscg-bind --rebind 0.001 words.gz -w dax.w --no-gzip >dax'
holds 'the novel word is a symbol of the model' "grep -q '\"symbols\":\\[\"the\",\"cat\",\"drinks\",\"milk\",\".\",\"dog\",\"chews\",\"bones\",\"dax\"\\]' dax"
same 'the state of the expected word emits the novel one' 'cscg-show --as nodes dax | cut -f 3' 'cscg-show --as nodes words.gz | cut -f 3 | sed s/cat/dax/'

# Other numbers of symbols
roomgen rectangle --size 7x8 | roomwalk -n 200 -o many.gz
exits 0 'more symbols than states' 'cscg-bind small.gz -w many.gz --no-gzip >many'
same 'all are known' 'field n_obs <many' 'gzip -dc many.gz | field n_obs'
roomgen rectangle --size 7x8 --as model -o large.gz
exits 0 'fewer symbols than groups' 'cscg-bind large.gz -w w.gz -o few.gz'
exits 0 'the result is a valid model' 'cscg-show few.gz'
prints 'of few symbols' 'grounded: 56 states, 4 actions, 15 symbols'
same 'the result keeps its groups' 'cscg-show --as clones few.gz | gzip -dc | field n_obs' 'gzip -dc large.gz | field n_obs'
# The smaller rooms cannot explain the larger one: their NLL is higher.
holds 'a wrong schema fits worse' "awk -v a=\$(field nats_per_step <many) 'BEGIN { exit !(a > 0.3) }'"

# Names
named() { # ACTIONS SYMBOLS X A
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":[$1],"symbols":[$2]}
{"episode":0,"x":[$3],"a":[$4],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$3" | tr ',' '\n' | wc -l)}
END
}
named '"go","stay"' '"p","q","r"' 0,1,1,2,0,0,1,2,2,0 0,1,0,0,1,0,0,1,0 >n1
named '"stay","go"' '"p","q","r"' 0,1,1,2,0,0,1,2,2,0 1,0,1,1,0,1,1,0,1 >n2
exits 0 'symbols of any name' 'cscg-bind good.model -w n1 --no-gzip >names'
holds 'the model has the symbols of the walk' "grep -q '\"symbols\":\\[\"p\",\"q\",\"r\"\\]' names"
same 'actions are matched by name' 'bare <names' 'cscg-bind good.model -w n2 --no-gzip | bare'
named '"go","fly"' '"p","q","r"' 0,1,2 0,1 >n3
exits 3 'an action that is not known' 'cscg-bind good.model -w n3'
says 'is named' "action 'fly' does not occur in the other input"
exits 3 'another number of actions' 'sed "s/\"actions\":[^]]*],//" good.model >nameless; cscg-bind nameless -w w.gz'
says 'do not fit' '4 actions do not fit 2'

# Usage errors
wrong() { # NAME ARGS MESSAGE
	exits 2 "$1" "cscg-bind $2"
	exactly "$1: message" "cscg-bind: $3 (try --help)"
}
wrong 'no schema' '' 'too few operands, expected: SCHEMA'
wrong 'two schemas' 'clones.gz schema.gz' "unexpected operand 'schema.gz'; a walk goes after -w"
wrong 'no starts' '--restarts 0 clones.gz' '--restarts: 0 is outside 1..1000000'
wrong 'negative jitter' '--jitter -1 clones.gz' '--jitter: -1 is outside 0..1e+06'
wrong 'jitter of NaN' '--jitter nan clones.gz' "--jitter: 'nan' is not a number"
wrong 'minus one updates' '--iterations -1 clones.gz' '--iterations: -1 is outside 0..1000000'
wrong 'an unknown value of --tie' '--tie all clones.gz' "--tie: 'all' is not one of auto|clones|none"
for init in schema track exact.gz; do
	for o in '--restarts 3' '--jitter 1'; do
		wrong "--init $init with $o" "--init $init $o exact.gz" '--restarts and --jitter require --init random'
	done
done
wrong 'a rebinding probability of 1' '--rebind 1 exact.gz' '--rebind: must be below 1'
wrong 'a rebinding probability above 1' '--rebind 1.5 exact.gz' '--rebind: 1.5 is outside 0..1'
wrong 'an --unseen of 0' '--rebind .1 --unseen 0 exact.gz' '--unseen: must be above 0 and below 1'
wrong '--unseen without --rebind' '--unseen .1 exact.gz' '--unseen requires --rebind'
for o in '--init track' '--restarts 2' '--jitter 1' '--gaussian book'; do
	wrong "--rebind with $o" "--rebind .1 $o exact.gz" '--rebind starts from the emissions of the model: it cannot be combined with --init, --restarts, --jitter or --gaussian'
done
wrong 'walk and schema from one pipe' '-' 'standard input can be read only once'
wrong 'walk and emissions from one pipe' '--init - clones.gz' 'standard input can be read only once'
exits 2 'no such kernel' 'cscg-bind --isa abacus clones.gz'
says 'is named' "cscg-bind: --isa: 'abacus' is not one of the kernels"
wrong 'statistics among the result' '--stats - clones.gz' '--stats: standard output is taken by the result'

# Statistics
exits 0 '--stats' 'cscg-bind --restarts 3 --iterations 3 --stats st --double clones.gz -w w.gz -o x.gz'
real='-?[0-9.]+(e-?[0-9]+)?'
same 'each line is an object of one shape' 'echo 0' "grep -Evc '^\\{\"stage\":\"(em|restart|best)\",\"restart\":[0-9]+,\"iteration\":[0-9]+,\"nats_per_step\":$real,\"bits_per_step\":$real,\"objective\":$real\\}\$' st; true"
sed 's/"[a-z_]*"://g; s/[{}"]//g; s/,/ /g' st >t
same 'three starts of four lines' 'printf "0 4\n1 4\n2 4\n"' \
    "awk '\$1 == \"em\" { if (\$3 != n[\$2] + 0) exit 1; n[\$2]++ } END { for (r = 0; r < 3; r++) print r, n[r] }' t"
holds 'the objective does not fall' "awk '\$1 == \"em\" { if (\$3 && \$6 < o - 1e-11 * (o < 0 ? -o : o) - 300 / 2 ^ 51) exit 1; o = \$6 }' t"
holds 'each ends as it ended' "awk '\$1 == \"em\" { last[\$2] = \$4 } \$1 == \"restart\" { n++; if (\$4 != last[\$2] || \$3 != 3) exit 1 } END { exit n != 3 }' t"
holds 'the best is the best, and the last line' "awk '\$1 == \"restart\" && (!n++ || \$6 > most) { most = \$6; r = \$2 }
    { stage = \$1 } \$1 == \"best\" { b++; if (\$6 != most || \$2 != r) exit 1 } END { exit b != 1 || stage != \"best\" }' t"
# Before any update all 15 symbols are equally likely.
holds 'the first NLL is that of uniform emissions' "near \$(awk 'NR == 1 { print \$5 }' t) \$(awk 'BEGIN { print log(15) / log(2) }') 0.001"
same 'threads change no line' 'cat st' 'cscg-bind -j 2 --restarts 3 --iterations 3 --stats st2 --double clones.gz -w w.gz -o x.gz; cat st2'
exits 4 'statistics to a full disk' 'echo old >keep; cscg-bind --stats /dev/full clones.gz -w w.gz -o keep'
exactly 'are an error' "cscg-bind: '/dev/full': No space left on device"
same 'the output file is unchanged' 'echo old' 'cat keep'
exits 0 '-v' 'cscg-bind -v --restarts 2 clones.gz -w w.gz -o x.gz 2>talk'
holds 'reports each start' "[ \$(grep -Ec '^cscg-bind: restart [01]: [0-9]+ updates, [0-9.]+ nats a step\$' talk) = 2 ] && grep -Eq '^cscg-bind: best [01]: ' talk"
exits 0 'quiet' 'cscg-bind -q -v clones.gz -w w.gz -o x.gz'
exactly 'is quiet' ''

# Output
version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")
same 'history has what was asked for' 'cscg-bind --isa plain --tie none --restarts 2 -s 9 -j 2 clones.gz -w w.gz --no-gzip | grep -o "{\"program\":\"cscg-bind\".*" | sed "s/]}\$//"' \
    "echo '{\"program\":\"cscg-bind\",\"version\":\"$version\",\"args\":{\"isa\":\"plain\",\"tie\":\"none\",\"restarts\":\"2\"},\"seed\":9}'"
holds 'the word of --init' 'cscg-bind --init track clones.gz -w w.gz --no-gzip | grep -q "\"init\":\"track\""'
holds 'the history has no file name for --init' 'cscg-bind --init exact.gz clones.gz -w w.gz --no-gzip | grep -q "\"init\":\"given\""'
exits 0 'a word is not a file' 'cp exact.gz track; cscg-bind --init track clones.gz -w w.gz -o track'
cp exact.gz random
exits 0 'a file that is called like one is ./random' 'cscg-bind --init ./random -s 3 clones.gz -w w.gz --no-gzip | bare >got'
same './random is read as a file' 'cat got' 'cscg-bind --init exact.gz clones.gz -w w.gz --no-gzip | bare'
exits 2 './random as input and output' 'cscg-bind --init ./random clones.gz -w w.gz -o random'
exactly 'is refused' 'cscg-bind: --output and --init are the same file, which would be overwritten'
holds 'the history follows that of schema and walk' 'grep -q "\"history\":\[{\"program\":\"roomgen\".*\"roomwalk\".*\"cscg-bind\"" b.json'
holds '--double is in the history' 'cscg-bind --double clones.gz -w w.gz --no-gzip | grep -q "\"precision\":\"double\""'
for isa in plain c; do
	holds "kernel $isa finds the same" "near \$(cscg-bind --isa $isa clones.gz -w w.gz --no-gzip | field nats_per_step) \$(field nats_per_step <b.json) 1e-5"
done

# Degenerate walks
odd() { # X A [MORE]
	cat head
	cat <<END
{"episode":0,"x":[$1],"a":[$2],${3-}"last":true}
{"end":true,"episodes":1,"steps":$(echo "$1" | tr ',' '\n' | wc -l)}
END
}
# One step: its symbol is certain in the end, in every state.
exits 0 'a walk of one step' 'odd 3 "" | cscg-bind clones.gz --no-gzip >one'
holds 'has an NLL of 0' 'near $(field nats_per_step <one) 0 0.001'
exits 0 'a walk of dropouts only' 'odd null,null 0 | cscg-bind schema.gz --no-gzip >none'
holds 'has an NLL of 0' 'near $(field nats_per_step <none) 0 1e-6'
holds 'confidence without observations is that of chance' "grep -q '\"confidence\":\\[0.0666666667,0.0666666667,' none"
exits 3 'no walk' '{ cat head; echo "{\"end\":true,\"episodes\":0,\"steps\":0}"; } | cscg-bind clones.gz'
exactly 'is refused' 'cscg-bind: the walk has no steps: binding needs at least one'
sed '2,$s/,\([0-9]*\),\([0-9]*\),\([0-9]*\),\([0-9]*\),\([0-9]*\),/,\1,null,\3,\4,\5,/' w.json >holes
exits 0 'dropouts' 'cscg-bind clones.gz -w holes -o holes.gz'
exits 0 'dropouts on a track' 'cscg-bind --init track clones.gz -w holes -o x.gz'
holds 'dropouts do not break the track' "near \$(nats holes.gz w.gz) 0 0.05"
exits 3 'a walk that ends inside an episode' 'sed "s/,\"last\":true//; s/\"a\":\\[/&0,/" w.json >open; cscg-bind clones.gz -w open'
says 'is cut' "cscg-bind: 'open': "
roomwalk -n 100 --episodes 4 -s 3 other.gz -o four.gz
exits 0 'four episodes' 'cscg-bind clones.gz -w four.gz --no-gzip >four'
holds 'are explained by one binding' "near \$(field nats_per_step <four) 0 0.06"

# Symmetric worlds: data/figures/symmetric.sh has more of them.
exits 0 'a torus is bound correctly' "sh '$TOP/data/figures/symmetric.sh' 3 901"
prints 'tied' '# clones: the torus is best in 3 of 3'
prints 'and free' '# none: the torus is best in 3 of 3'
roomgen torus --size 4x5 --permute -s 2 | roomwalk -n 400 -o torus.w
roomgen torus --size 4x5 --as model -o torus.m
# A torus without jitter: one row for all, so that a step costs its entropy.
holds 'without jitter the symmetry is not broken' "cscg-bind --tie none --jitter 0 --double torus.m -w torus.w --no-gzip | field nats_per_step >got
    gzip -dc torus.w | grep -o '\"x\":\\[[^]]*' | cut -d'[' -f 2 | tr ',' '\n' | sort | uniq -c |
    awk '{ n += \$1; s -= \$1 * log(\$1) } END { print (s + n * log(n)) / n }' >want; near \$(cat got) \$(cat want) 1e-5"
# There the first update reaches the optimum; the rest is rounding.
holds 'EM stops soon without jitter' 'cscg-bind --tie none --jitter 0 --restarts 1 --stats st torus.m -w torus.w -o x.gz; n=$(grep -c \"em\" st); [ $n -ge 4 -a $n -le 12 ]'

# A learned schema fits as well as the true one.
roomwalk -n 5000 room.gz | cscg-learn -o learned.gz
exits 0 'a learned schema' 'cscg-bind learned.gz -w w.gz --no-gzip >l'
holds 'explains the walk as well' 'near $(field nats_per_step <l) 0 0.002'

bad_walks cscg-bind 'cscg-bind --restarts 1 good.model -w %'
bad_models cscg-bind 'cscg-bind --restarts 1 % -w good.walk'
exits 3 'a room is no schema' 'cscg-bind room.gz -w w.gz'
exactly 'and the message says so' "cscg-bind: 'room.gz': line 1: this is a cscg-room file, not a cscg-model (roomwalk makes a walk in a room, cscg-learn a model of that)"
exits 3 'a model is no walk' 'cscg-bind clones.gz -w clones.gz'
exactly 'and the message says so as well' "cscg-bind: 'clones.gz': line 1: this is a cscg-model file, not a cscg-walk (cscg-score --sample makes a walk of a model)"

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-bind.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}' >ex.sh
holds 'the page has examples' '[ $(wc -l <ex.sh) -ge 4 ]'
holds 'the examples run unchanged' 'sh -e ex.sh >got'
finish
