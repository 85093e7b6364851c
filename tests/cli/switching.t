# The command cscg-match --method switching.
. "$(dirname "$0")/../tap.sh"

OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# Two rooms with a door between them, and a third schema that does not occur.
roomgen rectangle --size 4x5 --door 1,4,right -o a.room
roomgen rectangle --size 6x3 --door 1,0,left -o b.room
roomgen join a.room b.room --permute -s 3 -o room
for r in a b; do
	roomgen room --as model $r.room -o $r.gz
done
roomgen rectangle --size 9x11 --as model -o large.gz
roomwalk -n 2000 -s 5 room -o w.gz
cscg-show --as nodes room | awk '!/^#/ { print $1, $6 }' >parts
S='a.gz b.gz large.gz'

exits 0 'a walk from a pipe' "cscg-match --method switching $S <w.gz >long"
exactly 'without a message' ''
same 'a header' 'head -n 1 long' \
    'printf "#episode\tstep\tnode\tswitch\tschema\tposterior\n"'
walkconv --as tsv w.gz | awk 'NR > 1 { print $NF }' >nodes
same 'a line for each step and schema, with the true node' \
    'grep -v "^#" long | cut -f 1-3,5' \
    "awk '{ for (i = 0; i < 3; i++) printf \"0\t%d\t%d\t%s\n\", NR, \$1,
    i == 0 ? \"a\" : i == 1 ? \"b\" : \"large\" }' nodes"
holds 'posteriors of a step sum to one' \
    "awk '!/^#/ { p[\$2] += \$6 } END { for (t in p) { n++; d = p[t] - 1
    if (d > 1e-5 || d < -1e-5) exit 1 }; exit n != 2000 }' long"

# The truth: a step in room a should be in schema a.
cat >right.awk <<'END'
NR == FNR { part[$1] = $2; next }
!/^#/ { n++; right += part[$3] == 0 && $5 == "a" || part[$3] == 1 && $5 == "b" }
END { printf "%d of %d\n", right, n; exit n < 1500 || right < (most ? most : .9) * n }
END
cscg-match --method switching --as one-row $S -w w.gz >wide
same '--as one-row: a line for each step' 'head -n 1 wide' \
    'printf "#episode\tstep\tnode\tswitch\tbest\tposterior.a\tposterior.b\tposterior.large\n"'
same 'one row per step has the same numbers' 'grep -v "^#" wide | cut -f 1-4,6' \
    "awk '!/^#/ && \$5 == \"a\"' long | cut -f 1-4,6"
holds 'the best is the likeliest' \
    "awk '!/^#/ { p = \$5 == \"a\" ? \$6 : \$5 == \"b\" ? \$7 : \$8
    if (p < \$6 || p < \$7 || p < \$8) { print; exit 1 } }' wide"
holds 'each step is in the schema of its room' 'awk -f right.awk parts wide'
cscg-match --method switching --json $S -w w.gz >json
holds '--json: an object for each step' \
    'test $(wc -l <json) = 2000 && head -n 1 json | grep -q "^{\"episode\":0,\"step\":1,\"node\":[0-9]*,\"switch\":0,\"best\":\"[a-z]*\",\"posterior\":{\"a\":[^,]*,\"b\":[^,]*,\"large\":[^,]*}}$"'

same '--every' "cscg-match --method switching --as one-row --every 300 $S -w w.gz" \
    "awk '/^#/ || \$2 % 300 == 0 || \$2 == 2000' wide"
cat >segments.awk <<'END'
BEGIN { OFS = "\t"; print "#episode", "first", "last", "schema" }
/^#/ { next }
$5 != is { if (is) print 0, first, last, is; is = $5; first = $2 }
{ last = $2 }
END { print 0, first, last, is }
END
cscg-match --method switching --as segments $S -w w.gz >segments
same '--as segments: stretches in which one schema is the likeliest' \
    'cut -f 1-4 segments' 'awk -f segments.awk wide'
same 'has the probability of a switch at each step' \
    'grep -v "^#" segments | cut -f 2,6' \
    "awk 'NR == FNR { turn[\$2] = \$4; next } !/^#/ { print \$2 \"\t\" turn[\$2] }' wide segments"
holds '--as segments --json' \
    "cscg-match --method switching --as segments --json $S -w w.gz | head -n 1 | grep -q '^{\"episode\":0,\"first\":1,\"last\":[0-9]*,\"schema\":\"[a-z]*\",\"posterior\":[^,]*,\"switch\":0}$'"

same 'a seed fixes every byte' 'cat wide' "cscg-match --method switching --as one-row -s 42 $S -w w.gz"
same 'threads change none' 'cat wide' "cscg-match --method switching --as one-row -j 3 $S -w w.gz"
holds 'another seed gives other results' "! cscg-match --method switching --as one-row -s 1 $S -w w.gz | cmp -s - wide"
walkconv --head 500 w.gz -o head.gz
cscg-match --method switching --as one-row $S -w head.gz >head
same 'a truncated walk gives the rows before the cut' \
    "walkconv --head 500 w.gz | cscg-match --method switching --as one-row $S -w -" 'cat head'
same 'episodes are bound each by itself' \
    "walkconv --head 500 w.gz | cscg-match --method switching --as one-row $S -w - -w head.gz | awk '\$1 != 1'" 'cat head'
holds 'a schema of which few states are visited is left out' \
    "cscg-match --method switching --as one-row --min-visited .5 $S -w w.gz >cover
    awk '!/^#/ { n++; bad += \$8 != 0 } END { exit bad || n != 2000 }' cover && awk -f right.awk parts cover"
same '--min-visited keeps the only schema' "cscg-match --method switching --as one-row --min-visited 1 large.gz -w head.gz" \
    "cscg-match --method switching --as one-row large.gz -w head.gz"
for how in '--isa plain' --double; do
	holds "$how" "cscg-match --method switching --as one-row $how $S -w w.gz >got; awk -f right.awk parts got"
done

# Online
exits 0 'online' "cscg-match --method switching-online --as one-row $S -w w.gz >online"
holds 'most steps are right, without later observations' \
    "awk '/^#/ || \$2 > 200' online | awk -v most=.8 -f right.awk parts -"
same 'the row of a step does not depend on later steps' \
    "awk '/^#/ || \$2 <= 500' online" "cscg-match --method switching-online --as one-row $S -w head.gz"
same 'threads do not change online results' 'cat online' "cscg-match --method switching-online --as one-row -j 3 $S -w w.gz"
# Fewer steps stored than the walk has: tests/unit/schema/switch.c.
mkfifo steps rows
cat >live.sh <<'END'
cscg-match --method switching-online a.gz large.gz <steps >rows &
exec 9>steps 8<rows
echo '{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":19}' >&9
read -r row <&8
i=0
while [ $i -lt 30 ]; do
	echo '{"episode":0,"x":[1],"a":[0]}' >&9
	read -r row <&8
	read -r row <&8
	i=$((i + 1))
done
echo "$row" | cut -f 1-2
echo '{"episode":0,"x":[2],"a":[],"last":true}' >&9
echo '{"end":true,"episodes":1,"steps":31}' >&9
exec 9>&-
cat <&8 >/dev/null
wait
END
same 'a row is printed with its step' 'timeout 60 sh live.sh' 'printf "0\t30\n"'

# Missing observations, and resets.
gzip -dc head.gz | sed 's/"x":\[\([0-9]*\),[0-9]*,\([0-9]*\),[0-9]*,/"x":[\1,null,\2,null,/' >some
for how in switching switching-online; do
	exits 0 "dropouts, $how" "cscg-match --method $how $S -w some"
done
cat >moved <<'END'
{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":3}
{"episode":0,"x":[0,1,2,0],"a":[0,1,2],"reset":[2],"last":true}
{"end":true,"episodes":1,"steps":4}
END
same 'after a reset the switch probability is 0' \
    "cscg-match --method switching --min-posterior 0 --as one-row a.gz b.gz -w moved | awk '\$2 == 1 || \$2 == 3 { print \$4 }'" \
    'printf "0\n0\n"'

# Is a schema identified?
exits 1 'not a schema that does not occur' "cscg-match --method switching --truth large --min-visited .5 $S -w w.gz >got"
exits 0 'a schema that occurs' "cscg-match --method switching --truth b $S -w w.gz >got"
exits 0 'identification without --truth' "cscg-match --method switching --min-posterior 0 $S -w moved >got"

# Errors
wrong() { # STATUS NAME ARGUMENTS MESSAGE
	exits $1 "$2" "cscg-match $3"
	exactly "$2: message" "cscg-match: $4"
}
wrong 2 'segments of another method' '--as segments a.gz -w w.gz' '--as segments requires --method switching (try --help)'
wrong 2 'coverage of another method' '--min-visited .1 a.gz -w w.gz' '--min-visited requires --method switching (try --help)'
for m in switching switching-online; do
	wrong 2 "$m of a window" "--method $m --window 9 a.gz" "--window cannot be combined with --method $m (try --help)"
	for o in 'tie none' warm-start; do
		wrong 2 "$m and --$o" "--method $m --$o a.gz" "--${o%% *} requires --method em (try --help)"
	done
	for o in 'slip .1' 'calibrate 3' 'save x'; do
		wrong 2 "$m and --$o" "--method $m --$o a.gz" "--${o%% *} requires --method track (try --help)"
	done
	wrong 2 "a summary of $m" "--method $m --as summary a.gz" "--as summary cannot be combined with --method $m (try --help)"
	wrong 2 "$m: segments at every step" "--method $m --as segments --every 2 a.gz" '--as segments cannot be combined with --every (try --help)'
	wrong 2 "$m: no updates" "--method $m --iterations 0 a.gz" "--method $m needs --iterations of at least 1 (try --help)"
done
wrong 2 'coverage online' '--method switching-online --min-visited .5 a.gz' '--min-visited requires --method switching (try --help)'
wrong 2 'an unknown truth' '--method switching --truth c a.gz -w w.gz' "--truth: no schema is called 'c' (1 given, 'a' first)"
cp a.gz again.gz
wrong 3 'the same schema twice' '--method switching a.gz again.gz -w w.gz' "'a' and 'again' are the same schema"
gzip -dc a.gz | sed 's/"actions":\[[^]]*\]/"actions":["up","down","left","jump"]/' >jump
wrong 3 'other actions than the walk' '--method switching b.gz jump -w w.gz' \
    "'w.gz': schema 'jump': action 'right' does not occur in the other input (4 actions, 'up' first)"
gzip -dc w.gz | sed '1s/"n_obs":[0-9]*/"n_obs":10000000/; 1s/,"symbols":\[[^]]*\]//' >many
wrong 3 'too many symbols' '--method switching a.gz b.gz -w many' \
    "'many': 10000000 symbols are too many for the 38 states of all schemas (at most 3532045)"
gzip -dc w.gz | sed '2,$d' >none
echo '{"end":true,"episodes":0,"steps":0}' >>none
wrong 3 'no steps' '--method switching a.gz -w none' "'none': there are no steps to score"
gzip -dc w.gz | sed '$d' >cut
wrong 3 'a walk that is cut' '--method switching a.gz b.gz -w cut >got' "'cut': unexpected end of walk (no end line)"
exits 4 'a full disk' "cscg-match --method switching a.gz b.gz -w w.gz >/dev/full"
finish
