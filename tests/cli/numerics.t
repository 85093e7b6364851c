# Numerical limits: impossible, rare, tiny, huge and equal values have a defined
# result, and no tool writes NaN. The results are defined in cscg-tuning(7),
# "Numerical limits".
. "$(dirname "$0")/../tap.sh"

model() { # STATES ACTIONS SYMBOLS CLONES PSEUDOCOUNT COUNTS [PRECISION]
	echo "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\",\"precision\":\"${7-double}\",\"n_states\":$1,\"n_actions\":$2,\"n_obs\":$3,\"clone\":[$4],\"pseudocount\":$5,\"counts\":[$6],\"history\":[]}"
}
walk() { # ACTIONS SYMBOLS X A
	cat <<END
{"format":"cscg-walk","version":1,"n_actions":$1,"n_obs":$2}
{"episode":0,"x":[$3],"a":[$4],"last":true}
{"end":true,"episodes":1,"steps":$(echo "$3" | tr ',' '\n' | wc -l)}
END
}
# Output, compressed or not, has neither NaN nor infinity.
clean() { # STATUS NAME COMMAND
	exits "$1" "$2" "$3"
	(gzip -dc <"$out" 2>/dev/null || cat "$out") >text
	holds "$2: all numbers are finite" "! grep -aEiw -- 'nan|inf|infinity' text"
}
nats() { # ARGUMENTS: of the first episode
	cscg-score --unseen 0 "$@" | awk 'NR == 2 { printf "%.6f\n", $3 }'
}
is() { # NAME EXPRESSION ARGUMENTS: cscg-score gives these nats
	same "$1" "nats $3" "awk 'BEGIN { printf \"%.6f\\n\", $2 }'"
}

# One state, and walks of one step.
model 1 1 1 0 0 '{"from":[0],"to":[0],"count":[3]}' >one
walk 1 1 0 '' >w1
walk 1 1 0,0,0,0,0,0 0,0,0,0,0 >w6
for w in w1 w6; do
	is "$w: a deterministic step has NLL 0" 0 "one -w $w"
	for o in --per-step --decode --posterior; do
		clean 0 "$w: cscg-score $o" "cscg-score $o one -w $w"
	done
	clean 0 "$w: cscg-bind" "cscg-bind -j1 one -w $w"
	for o in '' '--clones 3' '--isa plain --double --clones 2' '--structure split' \
	    '--init one' '--pseudocount 0'; do
		clean 0 "$w: cscg-learn $o" "cscg-learn -j1 $o $w"
	done
	clean 0 "$w: cscg-show" "cscg-show $w"
	clean 0 "$w: walkconv" "walkconv --as csv $w"
	clean 0 "$w: cscg-plan" "cscg-plan one -w $w --goal symbol:0"
	same "$w: the plan to the current state is empty" "cscg-plan one -w $w --goal symbol:0" :
done
for f in text dot graphml tsv schema; do
	clean 0 "one state as $f" "cscg-show --as $f one"
done
clean 0 'one state is a room' 'cscg-show --partition one'
clean 0 'one state is sampled' 'cscg-score --sample 5 one'
roomgen rectangle --size 1x1 -o cell.room
clean 0 'a room of one node' 'cscg-show cell.room'
clean 0 'a room of one cell is walked in' 'roomwalk -n 5 cell.room'
clean 0 'a room of one cell is served' 'roomserve cell.room </dev/null'
roomgen room cell.room --as model -o cell
roomgen rectangle --size 1x2 --as model -o pair
roomwalk -n 1 cell.room -o c1
roomwalk -n 1 --episodes 3 cell.room -o c3
for w in c1 c3; do
	clean 0 "$w: cscg-stitch" "cscg-stitch -j1 --frontiers boundary pair -w $w"
done

# Equal schemas: the first step is no evidence, so posteriors are equal, and the
# first has rank 1; none is identified.
for o in '--method em' '--method track'; do
	clean 1 "cscg-match $o: two schemas are equal" "cscg-match -j1 $o cell pair -w c1"
	same "cscg-match $o: half and half" \
	    "cscg-match -j1 $o cell pair -w c1 | awk '!/^#/ { print \$3, \$5, \$6 }'" \
	    'printf "%s\n" "cell 0.5 1" "pair 0.5 2"'
done
clean 1 'cscg-match --method switching' 'cscg-match -j1 --method switching cell pair -w c1'
# No counts and no pseudocount: uniform.
model 4 1 4 0,1,2,3 0 '{"from":[],"to":[],"count":[]}' >even
walk 1 4 0,1,2,3,0 0,0,0,0 >w
is 'NLL of five steps among four equal states' '5 * log(4)' 'even -w w'
is 'NLL of five steps in single precision' '5 * log(4)' 'even -w w'
clean 0 'a uniform model is learned from' 'cscg-learn -j1 --init even w'
model 2 1 1 0,0 0 '{"from":[],"to":[],"count":[]}' >twins
same 'a posterior of twins: the lower number first' \
    'cscg-score --posterior twins -w w1' \
    'printf "#episode\tt\trank\tstate\tp\n0\t0\t0\t0\t0.5\n0\t0\t1\t1\t0.5\n"'

# Actions never taken, symbols never observed.
walk 3 5 0,1,0,1,0,1,0,1 0,0,0,0,0,0,0 >rare
for o in '' '--pseudocount 0' '--isa plain --double' '--structure split'; do
	clean 0 "cscg-learn $o: one action of three, two symbols of five" \
	    "cscg-learn -j1 $o rare"
done
cscg-learn -j1 --double --pseudocount 0 rare -o rare.gz
same 'an unseen symbol has no state' \
    'cscg-show --as tsv rare.gz | cut -f 1-3 | tail -n +2' \
    'printf "%s\t%s\t%s\n" 0 0 1 0 1 0'
walk 3 5 0,1 2 >taken
is 'an action that was never taken may lead anywhere' '2 * log(2)' 'rare.gz -w taken'
walk 3 5 0,4 0 >seen
same 'an unseen symbol is impossible' \
    'cscg-score --unseen 0 rare.gz -w seen | tail -n 1' 'printf "0\t2\tinf\tinf\tinf\n"'
for t in 'cscg-bind -j1 rare.gz' 'cscg-match -j1 rare.gz'; do
	clean 0 "${t%% *}: one action of three, two symbols of five" "$t -w rare"
done
clean 1 'no path by actions that were never taken' 'cscg-plan rare.gz --start state:0 --goal state:0 --max-steps 1 >/dev/null; cscg-plan rare.gz --start state:0 --goal symbol:4'

# Steps of probability zero.
model 2 1 2 0,1 0 '{"from":[0,1],"to":[0,1],"count":[5,5]}' >stay
walk 1 2 0,1,0,1,0,1 0,0,0,0,0 >flips
same 'an impossible walk' 'cscg-score --unseen 0 stay -w flips | tail -n 1' \
    'printf "0\t6\tinf\tinf\tinf\n"'
exits 3 'an impossible walk is refused' 'cscg-learn -j1 --init stay --pseudocount 0 flips'
exactly 'which is reported' 'cscg-learn: the model cannot produce this walk: a symbol has no clone, or a transition that is needed has probability zero'
clean 0 'a pseudocount makes the walk possible' 'cscg-learn -j1 --init stay flips'
clean 1 'no path to another state' 'cscg-plan stay --start state:0 --goal state:1'
clean 0 'the emissions alone explain the walk' 'cscg-match -j1 stay -w flips'

# Tiny: 5e-324 is the smallest number above 0. (1 + 1) / 3 of it is two thirds,
# and 1e-310 is so much larger that it dominates.
model 2 1 2 0,1 5e-324 '{"from":[0,1],"to":[1,0],"count":[5e-324,1e-310]}' >tiny
is 'counts of the least numbers have shares' 'log(2) + 3 * log(1.5)' 'tiny -w flips'
for t in 'cscg-show' 'cscg-show --as tsv' 'cscg-show --as dot' \
    'cscg-bind -j1 -w flips' 'cscg-match -j1 -w flips' \
    'cscg-plan --start state:0 --goal state:1' 'cscg-score --sample 5'; do
	clean 0 "tiny: $t" "$t tiny"
done
for o in '' '--isa plain --double' '--change-rate 0.5' '--structure split'; do
	clean 0 "tiny: cscg-learn $o" "cscg-learn -j1 $o --init tiny flips"
done
# Single precision ends at 1e-45, double at 5e-324: below is zero.
model 2 1 2 0,1 0 '{"from":[0,0],"to":[0,1],"count":[1e-50,1]}' single >skewed
walk 1 2 0,0 0 >stays
same 'a probability of 1e-50 is 0 in single precision' \
    'cscg-score --unseen 0 skewed -w stays | tail -n 1' 'printf "0\t2\tinf\tinf\tinf\n"'
is 'a skewed model in double precision' 'log(2) + 50 * log(10)' '--double skewed -w stays'

# Huge: sums must be finite.
refused() { # COUNT PSEUDOCOUNT MESSAGE
	model 2 1 2 0,1 "$2" "{\"from\":[0,0],\"to\":[0,1],\"count\":[$1,$1]}" >huge
	exits 3 "count $1, pseudocount $2" 'cscg-score huge -w stays'
	exactly 'is refused' "cscg-score: 'huge': line 1: $3"
}
refused 1e308 0 '/counts/0/count/0: 1e+308 is above 1e+300'
refused 1 1e301 '/pseudocount: 1e+301 is above 1e+300'
model 2 1 2 0,1 0 '{"from":[0,0],"to":[0,1],"count":[1e300,1e300]}' >huge
is 'half and half' '2 * log(2)' 'huge -w stays'
for t in 'cscg-show' 'cscg-show --as tsv' 'cscg-bind -j1 -w stays' \
    'cscg-plan --start state:0 --goal state:1'; do
	clean 0 "huge: $t" "$t huge"
done

# Frames: one, all the same, the least and the largest numbers.
npy() { # TYPE SHAPE
	text="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
	printf '\223NUMPY\001\000\166\000%-117s\n' "$text"
}
(npy '|u1' '(5, 4)'; head -c 20 /dev/zero) >alike.npy
(npy '<f8' '(1, 4)'; head -c 32 /dev/zero) >single.npy
(npy '<f8' '(2, 1)'; printf '\001\0\0\0\0\0\0\0\003\0\0\0\0\0\0\0') >least.npy
for f in alike single least; do
	clean 0 "frames: $f" "vq-kmeans -j1 -k 1 --frames $f.npy --codebook book"
	clean 0 "frames: $f, the codebook" 'cat book'
	clean 0 "frames: $f, shown" 'cscg-show book'
done
exits 3 'two centroids of one frame' 'vq-kmeans -k 2 --frames alike.npy'
exactly 'are refused' 'vq-kmeans: 2 centroids are requested, but there are only 1 different frames'
(npy '<f8' '(1, 1)'; printf '\377\377\377\377\377\377\357\177') >most.npy
exits 3 'the largest number' 'vq-kmeans -k 1 --frames most.npy'
exactly 'is refused' "vq-kmeans: 'most.npy': frame 0: number 0 is 1.79769313e+308, beyond 1e+100"

# Ten million steps: all are scored.
roomgen torus --size 3x3 -o torus.room
roomgen room torus.room --as model -o torus
roomwalk -n 1e7 torus.room | cscg-score torus >scored
same 'a walk of 10^7 steps' 'awk "NR == 2 { print \$2 }" scored' 'echo 10000000'
holds 'ten million steps have a finite score' "! grep -Eiw 'nan|inf' scored"
finish
