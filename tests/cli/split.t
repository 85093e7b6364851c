# cscg-learn --structure split: states that stand for several nodes are split.
# tests/unit/learn/split.c tests the algorithm.
. "$(dirname "$0")/../tap.sh"
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
states() { cscg-show "$1" | sed -n 's/.*grounded: \([0-9]*\) states.*/\1/p'; }

# A torus with six interior cells of one symbol, and one clone for them.
roomgen torus --size 4x5 -o room.gz
roomwalk -n 5000 -s 3 room.gz -o w.gz
exits 0 'one clone of each symbol' 'cscg-learn --clones 1 --restarts 1 w.gz -o one.gz'
same 'one clone gives a state of each symbol' 'states one.gz' 'echo 15'
exits 0 'split' 'cscg-learn --clones 1 --restarts 1 --structure split --stats st w.gz -o split.gz'
exactly 'without a message' ''
exits 0 'the split model is the room' 'cscg-show --truth room.gz split.gz'
prints 'all of it' 'isomorphic	yes'
holds 'splits are reported' 'grep -q "{\"stage\":\"split\",\"restart\":0,\"iteration\":[1-9][0-9]*,\"states\":[0-9]*,\"nats_per_step\":0.[0-9e-]*,\"bits_per_step\":0.[0-9e-]*,\"objective\":null}" st'
holds 'each makes the walk likelier' "grep '\"split\"' st | sed 's/.*nats_per_step\":\\([^,]*\\),.*/\\1/' |
    awk 'NR > 1 && \$1 >= v { bad = 1 } { v = \$1 } END { exit bad || !NR }'"
holds 'history says so' 'gzip -dc split.gz | grep -q "\"structure\":\"split\""'
same 'a seed fixes every digit' 'gzip -dc split.gz' 'cscg-learn --clones 1 --restarts 1 --structure split --no-gzip w.gz'
same 'threads change nothing' 'gzip -dc split.gz' 'cscg-learn -j 3 --clones 1 --restarts 1 --structure split --no-gzip w.gz'
exits 0 'double' 'cscg-learn --double --clones 1 --restarts 1 --structure split w.gz | cscg-show --truth room.gz'
exits 0 'splitting an initial model' 'cscg-learn --init one.gz --structure split w.gz | cscg-show --truth room.gz'
exits 0 '-v' 'cscg-learn -v --clones 1 --restarts 1 --structure split w.gz -o split.gz 2>talk'
holds 'prints them as well' 'grep -Eq "^cscg-learn: split: [0-9]+ states, 0.[0-9]+ nats a step\$" talk'

# Independent random symbols: three values, 3000 steps.
awk 'BEGIN { srand(7); printf "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,\"n_obs\":3}\n"
	for (t = 0; t < 3000; t++) { x = x (t ? "," : "") int(3 * rand()); if (t) a = a (t > 1 ? "," : "") 0 }
	printf "{\"episode\":0,\"x\":[%s],\"a\":[%s],\"last\":true}\n{\"end\":true,\"episodes\":1,\"steps\":3000}\n", x, a }' >die
exits 0 'independent random symbols' 'cscg-learn --clones 1 --restarts 1 --structure split --stats st die -o die.gz'
same 'random symbols have three states' 'states die.gz' 'echo 3'
holds 'random symbols are not split' '! grep -q "\"split\"" st'
same 'are not split: the model is the same' 'cscg-learn --clones 1 --restarts 1 --no-gzip die | sed "s/,\"history\".*//"' \
    'gzip -dc die.gz | sed "s/,\"history\".*//"'

# A room in images: far fewer clones than nodes.
printf '0>>2\n0002\n0002\n' | roomgen voxel --map - --theme 5 -o ledge.gz
roomwalk -n 20000 -s 6 --render --frame 16x16 ledge.gz | vq-kmeans -k 10 -o seen.gz
holds 'a 3D room' 'cscg-learn --clones proportional:20,floor=1 --restarts 1 --structure split seen.gz |
    cscg-show --labels ignore --truth ledge.gz -w seen.gz | grep "^purity" | awk "{ exit !(\$2 >= .99) }"'

same 'the last --structure counts' 'cscg-learn --structure none --no-gzip --clones 1 w.gz' \
    'cscg-learn --structure split --structure none --no-gzip --clones 1 w.gz'
exits 2 'another structure' 'cscg-learn --structure raw --clones 1 w.gz >got'
exactly 'is refused' "cscg-learn: --structure: 'raw' is not one of auto|split|none (try --help)"
exits 2 '--shared-graph with --structure split' 'cscg-learn --shared-graph --structure split w.gz >got'
exactly 'is refused' 'cscg-learn: --shared-graph cannot be combined with --clones, --init, --structure, --learn-pi or --double (try --help)'
finish
