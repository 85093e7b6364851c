# cscg-learn --change-rate: a model is updated.
. "$(dirname "$0")/../tap.sh"

OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# map ROWS: 6 by 6 cells with a wall down the middle and doors in these rows;
# the 16 interior cells have one symbol.
map()
{
	for r in 0 1 2 3 4 5; do echo '######'; done
	echo
	for r in 0 1 2 3 4 5; do
		case " $1 " in
		*" $r "*) ;;
		*) printf 'block %d,2 right\nblock %d,3 left\n' $r $r ;;
		esac
	done
}
map 1 | roomgen map -o old.room
map '1 4' | roomgen map -o door.room
map 4 | roomgen map -o moved.room
map '0 1 2 3 4 5' | roomgen map -o open.room
roomgen room old.room --as model -o old.gz

isomorphic() { # ROOM MODEL: with states known by what they show
	cscg-show --truth "$1" "$2" | grep '^isomorphic'
}
cp old.gz before.gz
for r in old door moved open; do
	roomwalk -n 2000 -s 7 $r.room -o $r.walk
	exits 0 "$r: the model is updated" "cscg-learn --init before.gz --change-rate 1e-4 $r.walk -o $r.gz"
	exactly "$r: without a message" ''
	same "$r: the model is the present room" "isomorphic $r.room $r.gz" 'printf "isomorphic\tyes\n"'
done
same 'the old model is not' 'isomorphic open.room old.gz' 'printf "isomorphic\tno\n"'

# With a change rate of 0 no count is discarded: 100 counts of a wall stay
# beside those of the door.
cscg-learn --init old.gz --change-rate 0 door.walk -o all.gz
same '--change-rate 0: the old counts of the door are kept' \
    "cscg-show --as tsv all.gz | awk '!/^#/ && \$5 >= 100' | wc -l" 'echo 144'
holds 'new counts are added' \
    "test \$(cscg-show --as tsv all.gz | wc -l) -gt \$(cscg-show --as tsv old.gz | wc -l)"

# Without aliasing the path is known, and so are the counts.
roomgen rectangle --size 2x3 --obs unique -o unique.room
roomgen room unique.room --as model --no-gzip -o unique
roomwalk -n 40 -s 3 unique.room -o unique.walk
cscg-learn --init unique --change-rate 1e-4 unique.walk -o more.gz
# A step leads from its node by its action to the next node.
walkconv --as tsv unique.walk | awk 'NR > 1 { if (a != "") n[a, z, $NF]++; a = $3; z = $NF }
    END { for (k in n) { split(k, p, SUBSEP); printf "%s\t%d\t%d\t%d\n", p[1], p[2], p[3], n[k] + 100 } }' |
    sort >want
same 'the transitions of the walk are added to 100 counts each' \
    "cscg-show --as tsv more.gz | awk '!/^#/ && \$5 > 100 { printf \"%s\t%d\t%d\t%d\n\", \$1, \$2, \$3, \$5 }' | sort" 'cat want'
same 'all others are unchanged' \
    "cscg-show --as tsv more.gz | awk '!/^#/ && \$5 == 100' | wc -l" \
    "echo \$((24 - \$(wc -l <want)))"
cscg-learn --init unique --change-rate 1e-4 unique.walk --no-gzip -o one
same 'two walks one after the other: all counts' \
    "cscg-learn --init one --change-rate 1e-4 unique.walk | cscg-show --as tsv | awk '!/^#/ { n += \$5 } END { print n }'" \
    'echo $((24 * 100 + 2 * 39))'

# A new wall: up from the second row.
roomgen rectangle --size 4x4 --obs unique --as model -o four.gz
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":16,"actions":["up","down","left","right"]}' \
    "$(awk 'BEGIN { printf "{\"episode\":0,\"x\":["; for (i = 0; i < 30; i++) printf "4,"; printf "4],\"a\":[";
    for (i = 0; i < 29; i++) printf "0,"; print "0],\"last\":true}" }')" \
    '{"end":true,"episodes":1,"steps":31}' >wall.walk
exits 0 'a new wall' 'cscg-learn --init four.gz --change-rate 0.01 wall.walk -o new.gz'
same 'the new wall is learned' "cscg-show --as tsv new.gz | awk '\$1 == \"up\" && \$2 == 4 { print \$3, \$5 }'" 'echo 4 30'
same 'all other transitions are unchanged' \
    "cscg-show --as tsv four.gz | awk '!(\$1 == \"up\" && \$2 == 4)' | cut -f 1-3,5" \
    "cscg-show --as tsv new.gz | awk '!(\$1 == \"up\" && \$2 == 4)' | cut -f 1-3,5"
cscg-learn --init four.gz --change-rate 0 wall.walk -o both.gz
same 'with a change rate of 0 both counts are kept' \
    "cscg-show --as tsv both.gz | awk '\$1 == \"up\" && \$2 == 4 { print \$3, \$5 }'" 'printf "0 100\n4 30\n"'

# A bound schema can be updated as well.
cscg-show --as schema unique -o schema.gz
cscg-bind --restarts 20 schema.gz -w unique.walk -o bound.gz
exits 0 'a bound schema' 'cscg-learn --init bound.gz --change-rate 1e-4 unique.walk -o kept.gz'
holds 'unvisited transitions of a bound schema are kept' "test \$(cscg-show --as tsv kept.gz | awk '!/^#/ && \$5 >= 99.9' | wc -l) = 24"

same 'threads and kernels give the same bytes' \
    'gzip -dc open.gz | sed "s/\"history\".*//"' \
    'cscg-learn -s 9 -j 2 --isa plain --init before.gz --change-rate 1e-4 open.walk --no-gzip | sed "s/\"history\".*//"'
holds 'the history has it' 'gzip -dc open.gz | grep -q "\"change-rate\":\"*0*.*0001\|\"change-rate\":\"*1e-0*4"'
exits 0 'statistics' 'cscg-learn --init old.gz --change-rate 1e-4 --stats st open.walk -o got.gz'
holds 'statistics have EM and the result' 'grep -q "\"stage\":\"em\"" st && tail -n 1 st | grep -q "\"stage\":\"final\",.*\"states\":36"'
exits 0 '--change-rate with -v' 'cscg-learn -v --init unique --change-rate 1e-4 unique.walk -o got.gz 2>talk'
holds 'changes are reported' 'grep -q "update: [0-9]* rows visited, 0 of them for the first time, 0 have changed; " talk'

# Errors
wrong() { # STATUS NAME ARGUMENTS MESSAGE
	exits $1 "$2" "cscg-learn $3"
	exactly "$2: message" "cscg-learn: $4"
}
wrong 2 '--change-rate without --init' '--change-rate .1 open.walk' '--change-rate needs --init (try --help)'
wrong 2 'more than half' '--init old.gz --change-rate .6 open.walk' '--change-rate: .6 is outside 0..0.5 (try --help)'
wrong 2 'a negative rate' '--init old.gz --change-rate -1 open.walk' '--change-rate: -1 is outside 0..0.5 (try --help)'
for o in 'structure none' 'structure split' untied-noise learn-pi 'gaussian book' 'checkpoint ck'; do
	wrong 2 "--change-rate with --$o" "--init old.gz --change-rate .1 --$o open.walk" \
	    '--change-rate cannot be combined with --structure, --untied-noise, --learn-pi, --gaussian or --checkpoint (try --help)'
done
wrong 2 '--change-rate without a pseudocount' '--init old.gz --change-rate .1 --pseudocount 0 open.walk' \
    '--change-rate needs a --pseudocount above 0 (try --help)'
wrong 3 'a schema' '--init schema.gz --change-rate .1 unique.walk' 'only a grounded model can be updated'
exits 3 'a symbol that the model lacks' 'cscg-learn --init unique --change-rate .1 open.walk'
finish
