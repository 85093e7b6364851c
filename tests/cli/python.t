# cscg-python(7): its functions against our tools, and its examples.
# all: needs NumPy
. "$(dirname "$0")/../tap.sh"
page=$TOP/man/cscg-python.7
cp "$TOP/data/python/cscg_files.py" .

# Literal blocks N to M of the page, an empty line between two.
blocks() { # N M
	awk -v n="$1" -v m="$2" '/^\.Bd -literal/ { k++; on = k >= n && k <= m
	    if (on && k > n) printf "\n\n"; next }
	/^\.Ed/ { on = 0 } on' "$page" | sed 's/\\e/\\/g'
}
same 'the page and the file have the same functions' 'blocks 1 5' 'tail -n +2 cscg_files.py'
holds 'and examples' '[ "$(blocks 6 9 | grep -c python3)" = 3 ]'

if ! has_python numpy; then
	tap 0 'the functions # SKIP no NumPy'
	finish
fi
py() { # LINES: with all functions at hand
	{ echo 'from cscg_files import *'; printf '%s\n' "$1"; } >try.py
	PYTHONDONTWRITEBYTECODE=1 python3 -W error try.py
}

# --- walks

roomgen rectangle --size 4x5 -o room.gz
roomwalk -n 2300 --episodes 3 room.gz -o walk.gz
printf '%s\n' trial,seen,did 1,red,on 1,,back 1,blue, 2,blue, |
    walkconv --episode trial --x seen --a did -o names.gz
rows='for e, (x, a) in enumerate(read_walk(FILE)[1]):
    for t in range(len(x)):
        print(e, x[t], a[t] if t < len(a) else -1)'
for f in walk.gz names.gz; do
	same "$f is read as walkconv reads it" "py \"FILE = '$f'
$rows\"" "walkconv --as npy $f >rows.npy && py 'for e in np.load(\"rows.npy\"): print(e[2], e[0], e[1])'"
	# What is known of true nodes is not passed on.
	same "$f is written as walkconv writes it" "py \"h, e = read_walk('$f')
more = {k: h[k] for k in ('n_actions', 'n_obs', 'actions', 'symbols') if k in h}
write_walk('own.gz', e, **more)\" && walkconv --as csv own.gz" "walkconv --as csv $f | cut -d, -f1-3"
done
same 'a plain file is read, too' "gzip -dc walk.gz >plain && py \"FILE = 'plain'
$rows\"" "py \"FILE = 'walk.gz'
$rows\""
# 1000 steps are a line, 1001 two, and one step is an episode.
exits 0 'lines of any length' 'py "write_walk(\"len.gz\", [(np.zeros(n, int), np.zeros(n - 1, int)) for n in (1, 999, 1000, 1001, 2000)], n_actions=1, n_obs=1)"'
same 'are walks' 'walkconv --as csv len.gz | sed 1d | cut -d, -f1 | sort -n | uniq -c | awk "{ print \$1 }"' \
    'printf "%s\n" 1 999 1000 1001 2000'
exits 1 'a cut walk' "gzip -dc walk.gz | head -n 4 >cut; py 'read_walk(\"cut\")'"
cp "$err" talk
holds 'is found' "grep -q 'AssertionError: the walk was cut' talk"

# --- models

cscg-learn walk.gz -o model.gz
cscg-learn --clones 2 --structure none --learn-pi --pseudocount .01 walk.gz -o raw.gz
cscg-show --as clones model.gz -o clones.gz
roomgen rectangle --size 4x5 --permute -s 3 | roomwalk -n 300 -o other.gz
cscg-bind clones.gz -w other.gz -o bound.gz
for f in model.gz raw.gz bound.gz clones.gz; do
	exits 0 "$f: T" "cscg-show --as npy -o T.npy $f; py 'm, = objects(\"$f\")
T = transitions(m)
assert T.shape == np.load(\"T.npy\").shape
assert abs(T - np.load(\"T.npy\")).max() < 1e-12'"
done
echo '{"format":"cscg-model","version":1,"kind":"schema","precision":"double","n_states":2,"n_actions":1,"n_obs":1,"pseudocount":0,"counts":[{"from":[0],"to":[1],"count":[3]}]}' >empty
same 'a row without counts is uniform' 'py "print(transitions(objects(\"empty\")[0]).tolist())"' \
    'echo "[[[0.0, 1.0], [0.5, 0.5]]]"'
# The same things by the same names, counted in another order.
printf '%s\n' x,a hut,go wood,go hill,back wood,back hut,go wood, | walkconv --from csv |
    cscg-learn -o named.gz
printf '%s\n' x,a hill,back wood,back hut,go wood,go hill, | walkconv --from csv -o turned.gz
holds 'names are in another order' 'py "h, m = read_walk(\"turned.gz\")[0], objects(\"named.gz\")[0]
assert h[\"symbols\"] != m[\"symbols\"] and h[\"actions\"] != m[\"actions\"]"'
for p in 'model.gz walk.gz' 'raw.gz walk.gz' 'bound.gz other.gz' 'model.gz drop.gz' 'named.gz turned.gz'; do
	set -- $p
	# A walk of which every seventh observation is lost
	walkconv --as csv walk.gz | awk -F, -v OFS=, 'NR > 1 && NR % 7 == 0 { $2 = "" } 1' |
	    walkconv --alphabet-from walk.gz --from csv -o drop.gz
	exits 0 "$p: the likelihood" "cscg-score --double $1 -w $2 >score 2>/dev/null || cscg-score $1 -w $2 >score
py 'm, = objects(\"$1\")
head, walks = read_walk(\"$2\")
ours = sum(nats(m, *speak(m, head, x, a)) for x, a in walks)
theirs = sum(float(s.split(\"\\t\")[2]) for s in open(\"score\") if s[0] in \"012\")
assert abs(ours - theirs) < 1e-5 * abs(theirs) + 1e-4, (ours, theirs)'"
done

# --- models of one's own

exits 0 'counts become a model' 'py "m, = objects(\"model.gz\")
C = np.zeros((m[\"n_actions\"], m[\"n_states\"], m[\"n_states\"]))
for c, s in zip(C, m[\"counts\"]):
    c[s[\"from\"], s[\"to\"]] = s[\"count\"]
write(\"own.gz\", model(C, m[\"clone\"], actions=m[\"actions\"]))"'
same 'with the same edges' 'cscg-show --as tsv own.gz | cut -f 1-3' 'cscg-show --as tsv model.gz | cut -f 1-3'
same 'and looks' 'cscg-show --as nodes own.gz | cut -f 1-2' 'cscg-show --as nodes model.gz | cut -f 1-2'
exits 0 'it is the room' 'cscg-show --truth room.gz -w walk.gz own.gz'
for f in model.gz bound.gz clones.gz; do
	same "$f: forgotten as by cscg-show" "py 'write(\"forgot.gz\", forget(objects(\"$f\")[0]))'
	    cscg-show --as schema --no-gzip forgot.gz | sed 's/,\"history.*//'" \
	    "cscg-show --as schema --no-gzip $f | sed 's/,\"history.*//'"
	holds "$f: is a schema to every tool" 'gzip -dc forgot.gz | grep -q "\"kind\": \"schema\"" &&
	    cscg-bind --restarts 1 forgot.gz -w other.gz -o /dev/null'
done
exits 3 'clones that descend' 'py "write(\"bad.gz\", model(np.ones((1, 2, 2)), [1, 0]))"; cscg-show bad.gz'
says 'are refused by name of the place' "cscg-show: 'bad.gz': line 1: /clone/1: "

# --- codebooks

roomgen voxel | roomwalk -n 400 --render -o seen.gz
vq-kmeans -k 6 --codebook book.gz seen.gz -o symbols.gz
exits 0 'centroids are read' 'cscg-show --as npy -o c.npy book.gz; py "b = read_codebook(\"book.gz\")
assert b[\"centroids\"].shape == (6, 64, 64, 3)
assert (b[\"centroids\"] == np.load(\"c.npy\")).all()"'
# Four points about two centroids: distances 1 each, 4 in all, over 8 numbers.
exits 0 'and written' 'py "f = np.array([[0, 1], [0, -1], [9, 0], [11, 0.]])
np.save(\"f.npy\", f)
b = codebook(f, [[0, 0], [10, 0]])
assert b[\"inertia\"] == 4 and b[\"sigma2\"] == 0.5
assert b[\"counts\"] == [2, 2] and b[\"priors\"] == [.5, .5]
write(\"own.gz\", b)
c = read_codebook(\"own.gz\")[\"centroids\"]
assert c.tolist() == [[0, 0], [10, 0]]"'
exits 0 'so that it can be used' 'vq-kmeans --encode own.gz --frames f.npy -o s.npy'
same 'and says what is nearest' 'py "print(np.load(\"s.npy\").tolist())"' 'echo "[0, 0, 1, 1]"'

# --- its examples, and what they print

round() { # figures as far as any CPU gives the same
	awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++)
	    if ($i ~ /^-?[0-9]+\.[0-9]+$/) $i = sprintf("%.3g", $i) } 1'
}

export PYTHONPATH="$dir" PYTHONDONTWRITEBYTECODE=1
n=6
while [ $n -le 8 ]; do
	blocks $n $n >run
	blocks $((n + 1)) $((n + 1)) >want
	exits 0 "example $((n / 2 - 2)) runs" 'sh -e ./run'
	cp "$out" got
	same '... and prints what the page says' 'round <got' 'round <want'
	n=$((n + 2))
done
finish
