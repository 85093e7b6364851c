# The command cscg-learn.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/cli/badinput.sh"

# One thread unless a test is about threads, as in a batch job.
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

bare() { sed 's/,"history":.*//'; } # a plain model without its history
states() { grep -o '"n_states":[0-9]*' | cut -d: -f 2; }
history() { grep -o '{"program":"cscg-learn".*' | sed 's/]}$//'; }

roomgen rectangle --size 4x5 -o room.gz
roomwalk -n 3000 room.gz -o w.gz
gzip -dc w.gz >w.json
head -n 1 w.json >head
roomgen rectangle --size 3x4 --obs random:3 --slip 0.15 -s 3 -o noisy.gz
roomwalk -n 1500 --episodes 2 noisy.gz -o n.gz
roomwalk -n 400 --episodes 2 --no-gzip noisy.gz -o n.json

exits 0 'learns from a pipe' 'cscg-learn -s 1 <w.gz >m.gz'
exactly 'without a message' ''
same 'a seed fixes every digit' 'gzip -dc m.gz' 'cscg-learn -s 1 w.gz | gzip -dc'
exits 3 'a cut file is refused' 'head -c 900 w.gz | cscg-learn >/dev/null'
says 'and the message says why' 'unexpected end'
exits 4 'a full disk is noticed' 'cscg-learn w.gz >/dev/full'
exits 2 'a bad number is refused' 'cscg-learn --iterations ten w.gz'
exactly 'by name' "cscg-learn: --iterations: 'ten' is not a number (try --help)"

# The graph: states are the nodes of the room, also on a test walk.
roomwalk -n 4000 -s 77 room.gz -o fresh.gz
holds 'every node has its state' "cscg-score --decode m.gz -w fresh.gz |
    awk '!/^#/ && \$2 >= 50 { p[\$5 \" \" \$6]; s[\$5]; z[\$6] }
    END { for (i in p) a++; for (i in s) b++; for (i in z) c++
	print a, b, c; exit !(a == 20 && b == 20 && c == 20) }'"
same 'the model has 20 states' 'gzip -dc m.gz | states' 'echo 20'
# The cost is that of the unknown start, ln 20 for all 4000 steps, and that of
# the pseudocount: 20 * 0.002 of about 37 counts per row at each step.
holds 'a fresh walk holds no surprise' "cscg-score m.gz -w fresh.gz |
    awk '!/^#/ { print \$3; exit !(\$3 < log(20) + 5) }'"

# The true nodes are not used for learning.
cscg-learn --no-gzip w.gz | bare >want
same 'without true nodes the model is the same' 'cat want' 'roomwalk -n 3000 --blind room.gz | cscg-learn --no-gzip | bare'
awk '{
	i = index($0, "\"z\":[")
	if (i) {
		rest = substr($0, i + 5)
		n = split(substr(rest, 1, index(rest, "]") - 1), z, ",")
		line = ""
		for (k = n; k >= 1; k--)
			line = line z[k] (k > 1 ? "," : "")
		$0 = substr($0, 1, i + 4) line substr(rest, index(rest, "]"))
	}
	print
}' w.json >turned.json
holds 'the walk with permuted nodes differs' '! cmp -s w.json turned.json'
same 'with permuted nodes the model is the same' 'cat want' 'cscg-learn --no-gzip turned.json | bare'
awk '{
	i = index($0, "\"z\":[")
	if (i) {
		rest = substr($0, i + 5)
		n = split(substr(rest, 1, index(rest, "]") - 1), z, ",")
		line = ""
		for (k = 1; k <= n; k++)
			line = line (z[k] * 7 + k) % 5 (k < n ? "," : "")
		$0 = substr($0, 1, i + 4) line substr(rest, index(rest, "]"))
	}
	print
}' n.json >nturned.json
same 'a stochastic walk: true nodes are not used' \
    'cscg-learn --no-gzip --restarts 2 n.json | bare' \
    'cscg-learn --no-gzip --restarts 2 nturned.json | bare'

# Threads
for how in '--clones 4 --iterations 20 n.gz' '--clones 4 --iterations 20 --double n.gz' \
    '--iterations 20 --restarts 3 n.json'; do
	cscg-learn -j 1 $how -o j1.gz
	for j in 2 3; do
		same "-j $j: the same bytes ($how)" 'cat j1.gz' "cscg-learn -j $j $how"
	done
done

# Clones
clones() { # HOW: how many each symbol got
	cscg-learn --structure none --iterations 1 --restarts 1 --no-gzip --clones "$1" four |
	    grep -o '"clone":\[[0-9,]*\]' | tr -dc '0-9,' | tr , '\n' |
	    awk '{ n[$1]++ } END { print n[0] + 0, n[1] + 0, n[2] + 0, n[3] + 0 }'
}
# 0 six times, 1 three times, 2 once; 3 never
cat >four <<'END'
{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":4}
{"episode":0,"x":[0,1,0,0,2,0,1,0,1,0],"a":[0,0,0,0,0,0,0,0,0],"last":true}
{"end":true,"episodes":1,"steps":10}
END
same '--clones N' 'clones 3' 'echo 3 3 3 3'
same '--clones N,N,...' 'clones 4,3,2,1' 'echo 4 3 2 1'
same '0 clones for an unseen symbol' 'clones 4,3,2,0' 'echo 4 3 2 0'
printf '4\n3 2\n1\n' >file
same '--clones FILE' 'clones file' 'echo 4 3 2 1'
same '--clones -' 'clones - <file' 'echo 4 3 2 1'
same 'a compressed file of clones' 'gzip -k file; clones file.gz' 'echo 4 3 2 1'
same '--clones proportional: 4 for each symbol' 'clones proportional' 'echo 10 5 2 0'
same 'clones in proportion to a total' 'clones proportional:100' 'echo 60 30 10 0'
same 'clones in proportion with a minimum' 'clones proportional:10,floor=4' 'echo 6 4 4 0'
same 'clones in proportion to a power' 'clones proportional:20,power=0.5' 'echo 9 7 4 0'
same 'clones in proportion with a minimum and a power' 'clones proportional:20,floor=5,power=0.5' 'echo 9 7 5 0'
exits 3 'a list with too few numbers' 'cscg-learn --clones 1,2 four'
exactly 'are counted' 'cscg-learn: --clones: 2 numbers of clones, but the walk has 4 symbols'
exits 3 'a file with too many numbers' 'echo 1 2 3 4 5 >five; cscg-learn --clones five four'
exactly 'are counted as well' 'cscg-learn: --clones: 5 numbers of clones, but the walk has 4 symbols'
exits 3 'a file with a word instead of a number' 'printf "1\n2 two\n" >words; cscg-learn --clones words four'
exactly 'is shown' "cscg-learn: --clones: 'words': line 2: 'two' is not a number of clones in 0..10000000"
exits 3 'a missing file of clones' 'cscg-learn --clones x3 four'
exactly 'is named, with the allowed forms' "cscg-learn: --clones: 'x3' is neither N nor N,N,... nor proportional[:TOTAL[,floor=F][,power=P]], and there is no such file"
exits 3 'an observed symbol without a clone' 'cscg-learn --clones 1,1,0,1 four'
exactly 'cannot be' 'cscg-learn: the model cannot produce this walk: a symbol has no clone, or a transition that is needed has probability zero'

wrong() { # NAME ARGUMENTS MESSAGE
	exits 2 "$1" "cscg-learn $2 </dev/null"
	exactly "$1: message" "cscg-learn: $3 (try --help)"
}
form='proportional[:TOTAL[,floor=F][,power=P]]'
wrong 'no clones' '--clones 0 four' "--clones: '0' gives no states"
wrong 'no words' "--clones '' four" "--clones: '' gives no states"
wrong 'a list of zeros' '--clones 0,0,0,0 four' "--clones: '0,0,0,0' gives no states"
for v in '4,' ',4' '4,,4' '1,2,3,4,'; do
	wrong "a comma too many: $v" "--clones $v four" "--clones: '$v' has a comma without a number beside it; use N or N,N,..."
done
wrong 'too many clones' '--clones 10000001 four' "--clones: '10000001' is not a number of clones in 0..10000000"
wrong 'a total of 0' '--clones proportional:0 four' "--clones: 'proportional:0' is not $form"
wrong 'a floor of 1.5' '--clones proportional:9,floor=1.5 four' "--clones: 'proportional:9,floor=1.5' is not $form"
wrong 'a power of -1' '--clones proportional:9,power=-1 four' "--clones: 'proportional:9,power=-1' is not $form"
wrong 'a misspelt word' '--clones proportionally four' "--clones: 'proportionally' is not $form"
for o in '--restarts 2' '--tolerance 0'; do
	wrong "--shared-graph and $o" "--shared-graph $o four" '--shared-graph cannot be combined with --restarts or --tolerance'
done
for o in '--own-rows|--untied-noise' '--soft book|--gaussian' '--rebind|--shared-graph' \
    '--forget 1e-4|--change-rate' '--raw|--structure none' '--split|--structure split' \
    '--draws 5|removed in 2.0.0'; do
	exits 2 "${o%|*} of 1.0.0 is refused" "cscg-learn ${o%|*} four"
	says 'with the new option' "${o#*|}"
done
wrong 'clones and a start' '--clones 3 --init m.gz four' '--clones and --init exclude each other'
wrong 'no restarts' '--restarts 0 four' '--restarts: 0 is outside 1..1000000'
wrong 'a negative number of updates' '--iterations -1 four' '--iterations: -1 is outside 0..1000000'
wrong 'a negative pseudocount' '--pseudocount -1 four' '--pseudocount: -1 is outside 0..1e+06'
wrong 'a pseudocount of NaN' '--pseudocount nan four' "--pseudocount: 'nan' is not a number"
wrong 'a tolerance of 2' '--tolerance 2 four' '--tolerance: 2 is outside 0..1'
wrong 'two walks from one pipe' '- -' 'standard input can be read only once'
wrong 'walk and start from one pipe' '--init -' 'standard input can be read only once'
wrong 'walk and clones from one pipe' '--clones - -' 'standard input can be read only once'
wrong 'statistics among the result' '--stats - four' '--stats: standard output is taken by the result'

# Statistics: every restart from its first E-step to its last.
exits 0 '--stats' 'cscg-learn --clones 4 --restarts 3 --iterations 25 --tolerance 0 --stats st n.gz -o n1.gz'
real='(-?[0-9.]+(e-?[0-9]+)?|null)'
same 'each line but the last is an object of one shape' 'echo 0' "grep -v learned st | grep -Evc '^\\{\"stage\":\"[a-z-]+\",\"restart\":[0-9]+,\"iteration\":[0-9]+,\"states\":[0-9]+,\"nats_per_step\":$real,\"bits_per_step\":$real,\"objective\":$real\\}\$'; true"
# stage restart iteration states nats bits objective
table() { sed '/"stage":"learned"/d; s/"[a-z_]*"://g; s/[{}"]//g; s/,/ /g' "$1"; }
table st >t
same 'three restarts of 25 updates' 'printf "0 26\n1 26\n2 26\n"' \
    "awk '\$1 == \"em\" { if (\$3 != n[\$2] + 0) exit 1; n[\$2]++ } END { for (r = 0; r < 3; r++) print r, n[r] }' t"
holds 'the objective does not fall' "awk '
    \$1 == \"em\" { if (\$3 && \$7 < o[\$2] - 1e-6 * (o[\$2] < 0 ? -o[\$2] : o[\$2]) - 2 * 3000 / 2 ^ 23) exit 1
	if (\$3 == 1 && \$7 < o[\$2] + 1) exit 1; o[\$2] = \$7 }' t"
holds 'bits are nats by ln 2' "awk '\$5 != \"null\" { d = \$5 / \$6 / log(2) - 1; if (d > 1e-12 || d < -1e-12) exit 1 }' t"
holds 'each restart is reported at its end' "awk '\$1 == \"em\" { last[\$2] = \$5 }
    \$1 == \"restart\" { n++; if (\$5 != last[\$2] || \$3 != 25) exit 1 } END { exit n != 3 }' t"
holds 'the best restart is taken' "awk '\$1 == \"restart\" && (!n++ || \$5 < least) { least = \$5; r = \$2 }
    \$1 == \"best\" { b++; if (\$5 != least || \$2 != r) exit 1 } END { exit b != 1 }' t"
holds 'the last line is about what is written' "
    nats=\$(cscg-score n1.gz -w n.gz | awk '/^all/ { print \$4 }')
    tail -n 1 t | awk -v n=\$nats '{ print n, \$5; d = \$5 / n - 1; exit !(\$1 == \"final\" && d < 1e-6 && d > -1e-6) }'"
cscg-learn --clones 4 --restarts 1 --iterations 25 --tolerance 0 --double --stats st n.gz -o n2.gz
table st >t
holds 'in double precision the decrease is smaller' "awk '
    \$1 == \"em\" { if (\$3 && \$7 < o - 1e-11 * (o < 0 ? -o : o) - 2 * 3000 / 2 ^ 52) exit 1; o = \$7; n++ } END { exit n != 26 }' t"
exits 0 'statistics of state merging (EDSM)' 'cscg-learn --stats st w.gz -o m.gz'
same 'stages of a deterministic walk' 'echo edsm em best viterbi final' 'table st | cut -d" " -f 1 | uniq | xargs'
cscg-learn --iterations 20 --restarts 2 --stats st n.gz -o m2.gz
holds 'stages of model selection' "table st | cut -d' ' -f 1 | sort -u | xargs | grep -q '^best em final.* restart.* select.* viterbi\$'"
same 'no updates: one line' 'echo 1' 'cscg-learn --structure none --clones 2 --restarts 1 --iterations 0 --stats st n.gz -o m2.gz; grep -c \"em\" st'
same 'a tolerance of 1 stops at once' 'echo 2' 'cscg-learn --structure none --clones 2 --restarts 1 --tolerance 1 --stats st n.gz -o m2.gz; grep -c \"em\" st'
exits 2 'statistics to a missing directory' 'cscg-learn --stats nowhere/st w.gz -o m2.gz'
exactly 'cannot be' "cscg-learn: 'nowhere/st': No such file or directory"
exits 4 'statistics to a full disk' 'echo old >keep; cscg-learn --stats /dev/full w.gz -o keep'
exactly 'are missed' "cscg-learn: '/dev/full': No space left on device"
same 'the output file is unchanged' 'echo old' 'cat keep'

# State merging fails in a maze of aliased corridors, but actions have inverses.
# The learned graph is that of the maze.
cat >maze <<'END'
Kkkkk.Bbb
k...k.b.b
kkCkkkbbb
.k...k...
kkkTkkkkS
END
roomgen map maze -o maze.gz
roomwalk -n 400 --episodes 24 -s 3 maze.gz -o mw.gz
exits 0 'a maze is learned' 'cscg-learn --stats st mw.gz -o mm.gz'
exactly 'without a warning' ''
holds 'the maze is learned by inverse-action merging' "grep -q '\"stage\":\"inverse\"' st && ! grep -q '\"stage\":\"edsm\"' st"
exits 0 'the graph of the maze is exact' 'cscg-show --truth maze.gz mm.gz'
# A quarter of the steps: the map is right, but that of half of them is not.
roomwalk -n 400 --episodes 6 -s 3 maze.gz -o part.gz
exits 0 'a quarter of this walk' 'cscg-learn part.gz -o mm.gz'
says 'is doubted: the graph of its first half is refuted' 'cscg-learn: the map is likely wrong: half the walk gives another graph, 128 of 128 transitions are supported '
exits 0 'though its graph is exact' 'cscg-show --truth maze.gz mm.gz'
# A short walk: nodes are merged wrongly, and the model is stochastic.
roomwalk -n 60 --episodes 10 -s 3 maze.gz -o short.gz
exits 0 'a short walk in it' 'cscg-learn short.gz -o ms.gz'
says 'gives a warning' 'cscg-learn: the map is likely wrong: '
holds 'the model of a short walk is stochastic' "cscg-show ms.gz | grep -Eq '; [1-9][0-9]* rows? with several successors'"
exits 0 '-q gives no warning' 'cscg-learn -q short.gz -o ms.gz'
exactly 'with --quiet' ''
exits 0 'given clones give no warning' 'cscg-learn --clones 6 short.gz -o ms.gz'
exactly 'by oneself' ''

# 700 steps in a room with one symbol inside: the beam leaves some of them without a
# state, and its graph is right, while searches with guesses end with another.
roomgen rectangle --size 6x7 -s 1 -o few.gz
roomwalk -n 700 -s 1 few.gz -o fw.gz
exits 0 '700 steps in 42 nodes' 'cscg-learn -q fw.gz -o mf.gz'
holds 'give the graph of what was visited' "cscg-show --truth few.gz -w fw.gz mf.gz >shown; grep -q '^purity	1\$' shown && grep -q '^spurious	0\$' shown && grep -q '^states	42\$' shown"
# 200 steps: a graph of 40 states explains them, but lacks most rows, and has 1.33 nats
# per step on other walks; plain EM has 1.06.
roomgen rectangle --size 6x7 -s 2 -o few.gz
roomwalk -n 200 -s 2 few.gz -o fw.gz
roomwalk -n 4000 -s 12 few.gz -o ft.gz
exits 0 '200 steps in 42 nodes' 'cscg-learn -q fw.gz -o mf.gz'
holds 'are compared with EM' "cscg-score mf.gz -w ft.gz | awk 'END { exit !(\$4 < 1.2) }'"

# 110 nodes with three symbols: a wrong merge ends state merging of the whole walk, and
# not that of its first 31/32.
roomgen rectangle --size 10x11 --obs random:3 -s 6 -o few.gz
roomwalk -n 12000 -s 6 few.gz -o fw.gz
exits 0 '110 nodes with three symbols' 'cscg-learn -q --stats st fw.gz -o mf.gz'
holds 'are found by merging states of most of the walk' "grep -q '\"stage\":\"edsm\"' st && ! grep -q '\"stage\":\"select\"' st"
exits 0 'and are the true graph' 'cscg-show --truth few.gz mf.gz'

# Messages of -v
exits 0 '-v' 'cscg-learn -v w.gz -o m2.gz 2>talk'
holds 'prints each stage' "grep -q '^cscg-learn: edsm: 20 states\$' talk && grep -Eq '^cscg-learn: final: 20 states, 0.00[0-9]* nats a step\$' talk"
exits 0 '-v of restarts' 'cscg-learn -v --clones 3 --restarts 2 --iterations 5 n.gz -o m2.gz 2>talk'
holds 'prints the end of each restart' "[ \$(grep -Ec '^cscg-learn: restart [01]: [0-9]+ states, [0-9]+ updates, [0-9.]+ nats a step\$' talk) = 2 ]"
exits 0 'progress' 'cscg-learn --progress=always --clones 3 --iterations 5 n.gz -o m2.gz 2>talk'
holds '--progress shows EM' "grep -q '^EM, [0-9]* states \\[' talk"
exits 0 'quiet' 'cscg-learn -q -v --progress=always --clones 3 --iterations 5 n.gz -o m2.gz'
exactly 'is quiet' ''

# Output
exits 0 'raw' 'cscg-learn --structure none --clones 4 --restarts 1 --iterations 30 --no-gzip n.gz >raw'
same '--structure none keeps every clone' 'states <raw' 'echo 12'
holds 'counts that are not integers' "grep -q '\"count\":\\[[0-9]*\\.[0-9]' raw"
exits 0 'refined' 'cscg-learn --no-gzip w.gz >clean'
holds 'counts are whole' "! grep -q '\"count\":\\[[0-9,]*\\.' clean"
holds 'precision is single' "grep -q '\"precision\":\"single\"' clean"
exits 0 'double' 'cscg-learn --double --structure none --clones 2 --restarts 1 --iterations 3 --no-gzip n.gz >dbl'
holds '--double is in the model' "grep -q '\"precision\":\"double\"' dbl"
holds '--double has more digits' "grep -Eq '\"count\":\\[[0-9.]{15,}' dbl"
same 'the pseudocount is kept' "echo '\"pseudocount\":0.25'" \
    "cscg-learn --pseudocount 0.25 --no-gzip w.gz | bare | grep -o '\"pseudocount\":[0-9.]*'"
exits 0 'no pseudocount' 'cscg-learn --pseudocount 0 w.gz -o p0.gz'
same '--pseudocount 0 gives NLL of the start only' "awk 'BEGIN { printf \"%.6f\n\", log(20) }'" \
    "cscg-score --unseen 0 --double p0.gz -w w.gz | awk '!/^#/ { printf \"%.6f\n\", \$3 }'"
# Transitions seen once are impossible when they are left out.
printf 'the quick brown fox jumps over the lazy dog; the five boxing wizards jump quickly' |
    walkconv --text chars -o once.gz
exits 0 'no pseudocount, transitions seen once' 'cscg-learn -q --pseudocount 0 once.gz -o p0.gz'
holds 'pi is not written' "! grep -q '\"pi\"' clean"
roomwalk -n 200 --episodes 40 --start 7 room.gz -o start.gz
exits 0 'learned pi' 'cscg-learn --learn-pi --no-gzip start.gz >pi'
# Node 7 of 4x5 is interior, so its symbol is 0.
same 'pi is 1 at the start of the walks' 'echo 1 0' "grep -o '\"pi\":\\[[^]]*' pi | cut -d[ -f 2 | tr , '\n' |
    awk '\$1 > 0.999 { one++; if (NR > 6) exit 1 } \$1 > 0.001 && \$1 <= 0.999 { more++ } END { print one + 0, more + 0 }'"
holds 'names are kept' "grep -q '\"actions\":\\[\"up\",\"down\",\"left\",\"right\"\\]' clean"
version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")
same 'history has what was asked for' "cscg-learn --isa plain --clones file --restarts 1 --iterations 2 -s 9 -j 2 --no-gzip four | history" \
    "echo '{\"program\":\"cscg-learn\",\"version\":\"$version\",\"args\":{\"isa\":\"plain\",\"clones\":\"4,3,2,1\",\"iterations\":\"2\",\"restarts\":\"1\"},\"seed\":9}'"
holds 'the history follows that of the walk' "grep -q '\"history\":\\[{\"program\":\"roomgen\".*\"roomwalk\".*\"cscg-learn\"' clean"

# Degenerate walks
odd() { # X A [MORE]
	cat head
	cat <<END
{"episode":0,"x":[$1],"a":[$2],${3-}"last":true}
{"end":true,"episodes":1,"steps":$(echo "$1" | tr ',' '\n' | wc -l)}
END
}
same 'a walk of one step has one state' 'odd 3 "" | cscg-learn --no-gzip | states' 'echo 1'
same 'three steps, three states' 'odd 3,4,5 0,0 | cscg-learn --no-gzip | states' 'echo 3'
exits 3 'a walk of dropouts only' 'odd null,null 0 | cscg-learn >got'
exactly 'is refused' 'cscg-learn: the walk has no observation: there is nothing to learn from'
exits 3 'an empty walk' '{ cat head; echo "{\"end\":true,\"episodes\":0,\"steps\":0}"; } | cscg-learn >got'
exactly 'neither' 'cscg-learn: the walk has no observation: there is nothing to learn from'
# 3 4 5, then a reset to 3: there is no transition from 5 to 3.
x=3,4,5 a=0,0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do x=$x,3,4,5 a=$a,0,0,0; done
r=$(seq -s, 3 3 57)
# State 0 emits 3, and so on; the state of 5 has no successor.
same 'no transition is learned across a reset' "echo '{\"from\":[0,1],\"to\":[1,2],\"count\":[20,20]}'" \
    "odd $x $a '\"reset\":[$r],' | cscg-learn --no-gzip | grep -o '{\"from\":\\[0[^}]*}'"
same '--structure none counts no transition across a reset' "echo '{\"from\":[0,1],\"to\":[1,2]'" \
    "odd $x $a '\"reset\":[$r],' | cscg-learn --no-gzip --structure none | grep -o '{\"from\":\\[0[^]]*],\"to\":\\[[^]]*]'"
same 'without the reset the transition is counted' "echo '{\"from\":[0,1,2],\"to\":[1,2,0],\"count\":[20,20,19]}'" \
    "odd $x $a | cscg-learn --no-gzip | grep -o '{\"from\":\\[0[^}]*}'"
same 'dropouts in a room' "echo 20" \
    "sed '2,\$s/,\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),\\([0-9]*\\),/,null,\\2,\\3,\\4,\\5,\\6,\\7,\\8,\\9,0,/' w.json >holes
    grep -c null holes >/dev/null && cscg-learn --no-gzip holes | states"
same 'several walks are joined' 'roomwalk -n 3000 --episodes 2 room.gz | cscg-learn --no-gzip | bare' \
    'roomwalk -n 3000 --episodes 2 room.gz | cscg-learn --no-gzip - | bare'
roomwalk -n 1500 -s 11 room.gz -o a.gz
roomwalk -n 1500 -s 12 room.gz -o b.gz
same 'files and a concatenated stream give the same model' 'cscg-learn --no-gzip a.gz b.gz | bare' 'cat a.gz b.gz | cscg-learn --no-gzip | bare'
same 'two walks give one map' 'cscg-learn --no-gzip a.gz b.gz | states' 'echo 20'

# Given initial counts
cscg-learn --structure none --clones 3 --restarts 1 --iterations 5 n.gz -o five.gz
cscg-learn --structure none --clones 3 --restarts 1 --iterations 9 --tolerance 0 --double n.gz -o nine.gz
cscg-learn --structure none --clones 3 --restarts 1 --iterations 4 --tolerance 0 --double n.gz -o four.gz
# 17 digits are exact: 4 and 5 updates equal 9.
same 'a second run continues from the first' 'gzip -dc nine.gz | bare' \
    'cscg-learn --structure none --init four.gz --iterations 5 --tolerance 0 --double --no-gzip n.gz | bare'
holds 'the history continues as well' "cscg-learn --structure none --init five.gz --iterations 1 --no-gzip n.gz |
    grep -q 'roomwalk.*cscg-learn.*\"iterations\":\"5\".*cscg-learn.*\"iterations\":\"1\"'"
# The same walk with other numbers of actions and symbols, and the same names.
named() { # ACTIONS SYMBOLS X A
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":2,"n_obs":3,"actions":[$1],"symbols":[$2]}
{"episode":0,"x":[$3],"a":[$4],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$3" | tr ',' '\n' | wc -l)}
END
}
named '"go","stay"' '"a","b","c"' 0,1,1,2,0,0,1,2,2,0 0,1,0,0,1,0,0,1,0 >n1
named '"stay","go"' '"c","a","b"' 1,2,2,0,1,1,2,0,0,1 1,0,1,1,0,1,1,0,1 >n2
same 'names are matched with those of the start' \
    'cscg-learn --init good.model --no-gzip n1 | bare' 'cscg-learn --init good.model --no-gzip n2 | bare'
sed 's/"actions":\["go","stay"\],"symbols":\["a","b","c"\],//' good.model >nameless
same 'a start without names gets those of the walk' \
    'cscg-learn --init good.model --no-gzip n1 | bare' 'cscg-learn --init nameless --no-gzip n1 | bare'
named '"go","fly"' '"a","b","c"' 0,1,2 0,1 >n3
exits 3 'an unknown action' 'cscg-learn --init good.model n3 >got'
says 'is named' "cscg-learn: --init: action 'fly' does not occur in the other input"
named '"go","stay"' '"a","b","d"' 0,1,2 0,1 >n4
exits 3 'an unknown symbol' 'cscg-learn --init good.model n4 >got'
exactly 'is named as well' "cscg-learn: --init: episode 0, step 2: symbol 'd' is not one of the model's 3, 'a' first"
exits 3 'another number of actions' 'cscg-learn --init nameless w.gz >got'
exactly 'do not fit' 'cscg-learn: --init: 4 actions do not fit 2'
for kind in clones schema; do
	cscg-show --as $kind good.model -o $kind.gz
	exits 3 "a start of kind $kind" "cscg-learn --init $kind.gz n1 >got"
	exactly 'is refused' 'cscg-learn: a grounded model with emissions by clone is needed to start from'
done
sed 's/"pi":/"emissions":[[0,0.5,1,0.5],[1,1],[2,1]],"pi":/' good.model >blur
exits 3 'a start with emissions of its own' 'cscg-learn --init blur n1 >got'
exactly 'is refused as well' 'cscg-learn: a grounded model with emissions by clone is needed to start from'
sed 's/"pseudocount":0.5/"pseudocount":0/' good.model >stiff
named '"go","stay"' '"a","b","c"' 0,2,1 0,0 >n5
exits 3 'a start that cannot be' 'cscg-learn --pseudocount 0 --init stiff n5 >got'
says 'is refused as well' 'cscg-learn: the model cannot produce this walk'
same 'the walk from standard input' 'cscg-learn --init good.model --no-gzip n1' 'cscg-learn --init good.model --no-gzip <n1'
same 'the initial model from standard input' 'cscg-learn --init good.model --no-gzip n1' 'cscg-learn --init - --no-gzip n1 <good.model'

# A bias keeps the walk at one side; cells at the other side have few visits.
for seed in 64002 64007; do
	roomgen rectangle --size 7x7 -s $seed -o biased.room
	roomwalk -n 20000 --policy bias:4 -s $seed biased.room -o biased.gz
	exits 0 "a walk with a bias ($seed)" 'cscg-learn -q biased.gz -o biased.model'
	cscg-show --truth biased.room -w biased.gz biased.model >biased.show || true
	holds 'has a state for each cell that it visits' "awk '{ v[\$1] = \$2 }
	END { exit !(v[\"states\"] == v[\"nodes_visited\"] && v[\"purity\"] == 1 && v[\"spurious\"] == 0) }' biased.show"
done

# One graph, other emissions in every episode: the graph of the board is the
# truth.
roomgen torus --size 4x4 --obs unique -o board.gz
roomwalk -n 100 --episodes 9 --permute-episodes -s 5 board.gz -o games.gz
exits 0 'a board from games' 'cscg-learn --shared-graph --reversible --stats games.json games.gz -o schema.gz'
holds 'the schema is the graph of the board' 'cscg-show --truth board.gz --labels ignore schema.gz | grep -q "^isomorphic.*yes"'
same 'a line for each game' 'wc -l <games.json' 'echo 9'
holds 'the first cannot complete it' 'head -n 1 games.json | grep -q "\"complete\":false"'
holds 'the last finds it complete' 'tail -n 1 games.json | grep -q "\"complete\":true"'
exits 0 '--until-complete with --reversible' 'cscg-learn --shared-graph --reversible --until-complete --stats less.json games.gz -o less.gz'
same 'the lines until then' 'cat less.json' 'sed "/\"complete\":true/q" games.json'
holds 'the complete schema is the graph of the board' 'cscg-show --truth board.gz --labels ignore less.gz | grep -q "^isomorphic.*yes"'
exits 0 'the games show which actions undo each other' 'cscg-learn --shared-graph --until-complete --stats plain.json games.gz -o plain.gz'
holds 'inverse actions found take at most one game more' '[ $(wc -l <plain.json) -le $(($(wc -l <less.json) + 1)) ]'
holds 'without --reversible the schema is the graph of the board' 'cscg-show --truth board.gz --labels ignore plain.gz | grep -q "^isomorphic.*yes"'
roomgen room board.gz --slip .03 | roomwalk -n 100 --episodes 6 --permute-episodes -s 5 -o slips.gz
exits 0 'actions may slip' 'cscg-learn --shared-graph --until-complete slips.gz -o slips.schema'
holds 'the board without slips' 'cscg-show --truth board.gz --labels ignore slips.schema | grep -q "^isomorphic.*yes"'
exits 1 'one game with --shared-graph' 'walkconv --select 0 games.gz | cscg-learn --shared-graph -o one.gz'
exactly 'says so' 'cscg-learn: the graph is not complete after 1 episode'
holds 'an incomplete schema is written' 'cscg-show one.gz | grep -q "16 states"'
exits 3 'aliasing' 'cscg-learn --shared-graph w.gz >got'
says 'is counted' ' transitions the same action after the same symbol usually led to another one; a new binding for each episode can be learned only if every symbol has one state and transitions are nearly deterministic'
for o in '--clones 2' '--init good.model' '--structure none' --learn-pi --double; do
	exits 2 "--shared-graph with $o" "cscg-learn --shared-graph $o games.gz >got"
	exactly 'is refused' 'cscg-learn: --shared-graph cannot be combined with --clones, --init, --structure, --learn-pi or --double (try --help)'
done
exits 2 '--reversible alone' 'cscg-learn --reversible games.gz >got'
exactly 'has no meaning' 'cscg-learn: --reversible and --until-complete require --shared-graph (try --help)'

# Termination by signals: the old file or the new one, and no temporary file.
for sig in INT TERM; do
	case $sig in INT) st=130 ;; TERM) st=143 ;; esac
	echo old >keep
	exits $st "SIG$sig" "timeout --preserve-status -k 20 -s $sig 0.7 env --default-signal=$sig \
	    cscg-learn --clones 30 --restarts 1 --tolerance 0 --iterations 1000000 n.gz -o keep &
	    sleep 0.4; ls .keep.tmp.* >during; wait \$!"
	holds 'a temporary file existed' '[ -s during ]'
	holds 'the temporary file is removed' '[ -z "$(find . -name "*.tmp.*")" ]'
	same 'the output file is unchanged' 'cat keep' 'echo old'
done

# Confidence: 20 cells, 4 actions each, in 3000 steps.
exits 0 'a run with confidence' 'cscg-learn -v --stats st w.gz --no-gzip >sure 2>verbose'
holds '-v reports the confidence' 'grep -q "^cscg-learn: learned: deterministic, 80 of 80 rows supported, .* noise 0.0000; " verbose'
holds '--stats has the confidence' "grep -q '^{\"stage\":\"learned\",\"states\":20,\"steps\":3000,.*\"rows\":80,\"rows_supported\":80,\"noise\":0,\"mixed\":0,\"memory\":0,\"deterministic\":true,' st"
holds 'the model has the confidence' "grep -q '\"version\":2,.*\"learned\":{\"steps\":3000,.*\"doubtful\":false,\"edges\":\[1,1,1,' sure"
same 'one number for each edge' "grep -o '\"edges\":.[^]]*' sure | tr , '\n' | wc -l" 'echo 80'
exits 0 'cscg-show' 'cscg-show sure >got'
holds 'prints it' "grep -q '  learned      deterministic, 80 of 80 rows supported, ' got"
holds '--structure none has no confidence' '! cscg-learn --structure none --clones 2 --iterations 2 w.gz --no-gzip | grep -q learned'
bad_learned() { # NAME SED MESSAGE
	sed "$2" sure >bad
	exits 3 "$1" 'cscg-show bad >got'
	says 'is refused' "$3"
}
bad_learned 'more supported rows than rows' 's/"rows_supported":80/"rows_supported":81/' '/learned/rows_supported: 81 is outside 0..80'
bad_learned 'one edge too few' 's/"edges":.1,/"edges":[/' '/learned/edges'
bad_learned 'a confidence above 1' 's/"edges":.1,/"edges":[1.5,/' '/learned/edges/0'
bad_learned 'no steps' 's/"learned":{"steps":3000/"learned":{"steps":0/' '/learned/steps'
bad_learned 'noise above 1' 's/"noise":0/"noise":2/' '/learned/noise'
bad_learned 'a list instead' 's/"learned":{[^}]*}/"learned":[1]/' '/learned: must be an object'
# One action, two states: 1 leads to 0 once, and 0 leads to 1 once in nine.
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":2}' \
    '{"episode":0,"x":[0,0,0,0,0,1,0,0,0,0,0],"a":[0,0,0,0,0,0,0,0,0,0],"last":true}' \
    '{"end":true,"episodes":1,"steps":11}' >tiny
exits 0 'eleven steps' 'cscg-learn -q tiny -o tiny.gz'
holds 'an edge of low confidence is dashed' 'cscg-show --as dot tiny.gz | grep -q "confidence 0.[0-9]*.* style=dashed"'
holds 'edges of low confidence are dashed in SVG' 'cscg-show --as svg tiny.gz | grep -q "stroke-dasharray"'
holds 'edges of high confidence are not dashed' '! cscg-show --as dot sure | grep -q dashed'

# A time limit and signals: the best model so far.
roomgen rectangle --size 24x24 --obs walls -o walls.gz
roomwalk -n 50000 walls.gz -o long.gz # takes minutes
exits 0 'a time limit' 'cscg-learn --max-time 0.3 long.gz --no-gzip >got'
says 'is reported' 'cscg-learn: ended after 0.3 seconds (--max-time): this is the best model so far'
holds '--max-time is in the history' 'history <got | grep -q "max-time.*0.3"'
exits 0 'the model' 'cscg-score got -w long.gz >/dev/null'
exits 0 'a limit that is not reached' 'cscg-learn --max-time 100 w.gz >got'
exactly 'is not mentioned' ''
same 'a time limit that is not reached changes no byte' 'gzip -dc got' 'cscg-learn w.gz | gzip -dc'
exits 2 'a limit below 0' 'cscg-learn --max-time -1 w.gz >got'
exits 0 '--max-time stops EM with given clones' 'cscg-learn --max-time 0.2 --clones 40 --structure none --tolerance 0 --iterations 1000000 n.gz >got'
says 'as well' '(--max-time)'
for sig in INT TERM; do
	case $sig in INT) st=130 ;; TERM) st=143 ;; esac
	rm -f best.gz st
	exits $st "SIG$sig with --write-on-signal" "env --default-signal=$sig cscg-learn --write-on-signal --clones 30 --structure none --restarts 1 --tolerance 0 --iterations 1000000 --stats st n.gz -o best.gz & p=\$!
	    wait_for '[ -s st ]'; kill -$sig \$p; wait \$p 2>/dev/null"
	says 'is reported' 'cscg-learn: ended by a signal: this is the best model so far'
	exits 0 'the best model so far is written' 'cscg-score best.gz -w n.gz >/dev/null'
done
exits 2 '--checkpoint and --write-on-signal' 'cscg-learn --write-on-signal --checkpoint k w.gz >got'
exactly 'exclude each other' 'cscg-learn: --write-on-signal and --checkpoint exclude each other (try --help)'
exits 2 'a shared graph has no limit' 'cscg-learn --shared-graph --max-time 3 games.gz >got'
exactly 'the message' 'cscg-learn: --shared-graph cannot be combined with --max-time or --write-on-signal (try --help)'
exits 0 'a merge shows a bar' 'cscg-learn --max-time 1 --progress always long.gz 2>bar >got'
holds '--progress has the stage and the time left' 'grep -Eq "^(state merging|contexts|landmarks) .*left" bar'
# Strings: the hidden state is a function of the symbols so far.
awk 'function draw(m) { seed = (seed * 16807) % 2147483647; return seed % m }
BEGIN {
	seed = 7
	print "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,\"n_obs\":5}"
	for (e = 0; e < 1000; e++) {
		x = a = ""
		for (s = 0; draw(20); s = (2 * s + c + 1) % 37) {
			c = draw(10) < 7 ? s % 4 : draw(4)
			x = x c ","
			a = a (a == "" ? "" : ",") "0"
			steps++
		}
		print "{\"episode\":" e ",\"x\":[" x "4],\"a\":[" a "],\"last\":true}"
	}
	print "{\"end\":true,\"episodes\":1000,\"steps\":" steps + 1000 "}"
}' >strings
rm -f best.gz bar
exits 130 'SIGINT while prefix trees are merged' "env --default-signal=INT cscg-learn --write-on-signal --progress always strings -o best.gz 2>bar & p=\$!
    wait_for 'grep -q \"^prefix tree \" bar'; kill -INT \$p; wait \$p 2>/dev/null"
holds 'is reported' 'grep -q "ended by a signal: this is the best model so far" bar'
exits 0 'and the model is valid' 'cscg-score best.gz -w strings >/dev/null'

bad_walks cscg-learn 'cscg-learn --clones 1 --iterations 1 --restarts 1 %'
bad_models cscg-learn 'cscg-learn --iterations 1 --init % good.walk'
exits 3 'a room is no walk' 'cscg-learn room.gz >got'
exactly 'and the message says so' "cscg-learn: 'room.gz': line 1: this is a cscg-room file, not a cscg-walk (roomwalk makes a walk in a room)"
exits 3 'two walks that do not fit' 'cscg-learn w.gz four >got'
says 'are named' "cscg-learn: 'four': line 1: "

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$TOP/man/cscg-learn.1" |
    sed -n '/^\.Bd/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;p;}' >ex.sh
holds 'the page has examples' '[ $(wc -l <ex.sh) -ge 4 ]'
holds 'the examples run unchanged' 'sh -e ex.sh >got'
finish
