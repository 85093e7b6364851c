#!/bin/sh
# The walk and model formats in other programs: the readers of cscg-walk(5) and
# cscg-model(5) in Python against the tools, and files that the tools refuse.
. "$(dirname "$0")/../tap.sh"

# Block N of a page's literal text.
block() { # PAGE N
	awk -v n="$2" '/^\.Bd/ { k++; on = k == n; next } /^\.Ed/ { on = 0 } on' \
	    "$TOP/man/$1" | sed 's/\\e/\\/g'
}
block cscg-walk.5 1 >page.walk
block cscg-walk.5 2 >walk_reader.py
block cscg-model.5 2 >page.model
block cscg-model.5 3 >model_reader.py

roomgen torus | roomwalk -n 2500 --episodes 3 -o a.gz
roomgen torus -s 7 | roomwalk -n 1000 -s 7 -o b.gz
cat a.gz b.gz >ab.gz
printf '%s\n' x,a 3,1 ,0 2,1 35, 0, | walkconv --a '' -o drop.gz
roomgen rectangle --size 3x4 -o room.gz
roomgen rectangle --size 3x4 --as model -o model.gz
roomwalk -n 300 --episodes 2 room.gz -o walk.gz

if has_python gzip json; then
	for f in page.walk a.gz ab.gz drop.gz; do
		same "the reader of cscg-walk(5) and walkconv agree on $f" \
		    "python3 walk_reader.py $f" \
		    "walkconv --as csv --numbers $f | tail -n +2 | cut -d, -f1-3"
	done
	# (1 + .5) / (8.5 + 1.5) and so on, by the formula of the page.
	cat >T <<'END'
0 0 0 0.150000
0 0 1 0.800000
0 0 2 0.050000
0 1 0 0.052632
0 1 1 0.052632
0 1 2 0.894737
0 2 0 0.894737
0 2 1 0.052632
0 2 2 0.052632
END
	same 'the reader of cscg-model(5) gives T of the example' \
	    'python3 model_reader.py page.model' 'cat T'
	# The likelihood of a walk, from the two pages alone.
	cat >score.py <<'END'
import math, sys
from model_reader import models
from walk_reader import walk

m, T = next(models(sys.argv[1]))
n = m["n_states"]
E = [[float(c == x) for x in range(m["n_obs"])] for c in m.get("clone", [])]
if "emissions" in m:
    E = [[0.0] * m["n_obs"] for j in range(n)]
    for j, row in enumerate(m["emissions"]):
        for x, p in zip(row[::2], row[1::2]):
            E[j][x] = p
pi = m.get("pi") or [1 / n] * n
last, total = None, {}
for e, x, a in walk(sys.argv[2]):
    if last is None:
        alpha = list(pi)
    else:
        alpha = [sum(alpha[j] * T[last][j][k] for j in range(n))
                 for k in range(n)]
    if x is not None:
        alpha = [p * E[k][x] for k, p in enumerate(alpha)]
    s = sum(alpha)
    alpha = [p / s for p in alpha]
    total[e] = total.get(e, 0) - math.log(s)
    last = a
for e in total:
    print(e, "%.7f" % total[e])
END
	same 'likelihoods from the pages alone are those of cscg-score' \
	    'python3 score.py model.gz walk.gz' \
	    'cscg-score --unseen 0 --double model.gz -w walk.gz | awk "!/^#/ { printf \"%d %.7f\n\", \$1, \$3 }" | head -2'
else
	tap 0 'readers in Python of the pages # SKIP no python3'
fi

holds 'the model of the page is read' 'cscg-show page.model'
holds 'the walk of the page is read' 'walkconv --as csv page.walk'
same 'a walk is written as it was read, except for the line of one step' \
    'walkconv --no-gzip page.walk | sed "1s/\"history\":.*/\"history\":[]}/"' \
    'sed -n 1,2p page.walk; echo "{\"episode\":1,\"x\":[1,0],\"a\":[1],\"last\":true}"; tail -1 page.walk'
same 'steps do not depend on how lines are spelt' 'walkconv --as csv a.gz' \
    'zcat a.gz | sed "s/:/ : /g; s/,/ , /g" | walkconv --as csv'
same 'lines of different lengths give the same walk' 'walkconv --as csv a.gz' \
    'roomgen torus | roomwalk -n 2500 --episodes 3 --live | walkconv --as csv'

# Some errors of files with their messages; tests/unit has all of them.

bad() { # NAME SED-SCRIPT MESSAGE
	sed "$2" page.walk >bad.json
	exits 3 "refused: $1" 'walkconv bad.json -o never.gz'
	exactly '  saying so' "walkconv: 'bad.json': $3"
}
bad 'a symbol out of range' '3s/\[1\],"a"/[3],"a"/' 'line 3: /x/0: symbol 3 is outside 0..2'
bad 'an action out of range' '2s/\[1,0\]/[1,2]/' 'line 2: /a/1: action 2 is outside 0..1'
bad 'lengths that do not fit' '2s/\[1,0\]/[1]/' \
    'line 2: /a: 1 items, but /x has 3 on the last line of an episode, where 2 are needed'
bad 'a missing key' '1s/"n_obs":3,//' 'line 1: /n_obs: missing'
bad 'a duplicate key' '1s/"n_obs":3,/&&/' \
    "line 1: invalid JSON: column 65: duplicate object key near '\"n_obs\"'"
bad 'an unknown key' '3s/"a"/"b":[],"a"/' 'line 3: /b: unknown key'
bad 'NaN' '2s/null/NaN/' "line 2: invalid JSON: column 23: invalid token near 'NaN'"
bad 'infinity' '2s/"z":\[4/"r":[1e999/' \
    "line 2: invalid JSON: column 48: real number overflow near '1e999'"
bad 'a negative symbol' '3s/\[1\],"a"/[-1],"a"/' 'line 3: /x/0: symbol -1 is outside 0..2'
bad 'a symbol that is no integer' '3s/\[1\],"a"/[1.5],"a"/' 'line 3: /x/0: symbol is not an integer'
bad 'a size that overflows' '1s/"n_obs":3/"n_obs":4294967297/' \
    'line 1: /n_obs: 4294967297 is outside 1..10000000'
bad 'a newer version' '1s/"version":1/"version":2/' \
    'line 1: version 2 is newer than the latest supported (1)'
bad 'an unknown format' '1s/cscg-walk/cscg-talk/' \
    'line 1: this is a cscg-talk file, not a cscg-walk'
bad 'no end line' '$d' 'unexpected end of walk (no end line)'
bad 'wrong totals' '$s/5/6/' 'line 5: /steps: 6, but 5 were read'
bad 'lines lost' 2d 'line 2: /episode: 1, but 0 is next'
bad 'text behind the end' '$a\
x' "line 6: invalid JSON: column 1: '[' or '{' expected near 'x'"

n=$(wc -c <a.gz) i=0 bad=0
while [ $i -lt "$n" ]; do
	head -c $i a.gz | walkconv -o never.gz 2>msg
	[ $? = 3 ] && grep -q 'unexpected end' msg || bad=$((bad + 1))
	i=$((i + n / 40))
done
holds 'a walk cut anywhere is refused as cut' "[ $bad = 0 ]"
head -c $((n - 1)) a.gz >cut.gz
exits 3 'a file truncated by one byte' 'walkconv cut.gz -o never.gz'
exactly 'is cut' "walkconv: 'cut.gz': unexpected end of gzip data"
{ head -c $((n - 8)) a.gz; printf '\0\0\0\0\0\0\0\0'; } >crc.gz
exits 3 'a wrong checksum' 'walkconv crc.gz -o never.gz'
exactly 'is damage' "walkconv: 'crc.gz': damaged gzip data (incorrect data check)"
exits 3 'trailing data after gzip data' 'echo x | cat a.gz - | walkconv -o never.gz'
exactly 'is refused' 'walkconv: standard input: trailing garbage after gzip data'
same 'nothing is left of the refused' 'ls never.gz .never* 2>/dev/null || true' 'true'

bad_model() { # NAME SED-SCRIPT MESSAGE
	sed "$2" page.model >bad.json
	exits 3 "refused: $1" 'cscg-score bad.json -w walk.gz'
	exactly '  saying so' "cscg-score: 'bad.json': $3"
}
bad_model 'a state out of range' 's/"to":\[0,1/"to":[0,3/' \
    'line 1: /counts/0/to/1: 3 is outside 0..2'
bad_model 'unsorted counts' 's/"from":\[0,0,1,2/"from":[0,1,0,2/' \
    'line 1: /counts/0/from/2: 0 comes after 1: counts must be sorted by from, then to'
bad_model 'a negative count' 's/7.5/-7.5/' \
    'line 1: /counts/0/count/1: a count must be finite and above 0'
bad_model 'clones out of order' 's/\[0,0,1\]/[0,1,0]/' \
    'line 1: /clone/2: group 0 comes after group 1: states must be sorted by group'
bad_model 'a cut line' 's/"history".*//' \
    "line 1: invalid JSON: column 255: string or '}' expected near end of file"
bad_model 'nothing' d 'unexpected end: no cscg-model'
finish
