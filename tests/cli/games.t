# The Memory & Planning Game and One-Shot StreetLearn, small: actions of the
# agents, from the log of the environment; and the scripts of their figures.
# all: figures in small, slow (4 s)
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures
. "$fig/games.sh"
rows() { sed 's/ /\t/g'; } # a table from words

# tasks.sh, by hand.  A corridor of three cells (forth, back), the walk as
# roomserve would log it: to the end with one blocked action, collect there;
# moved back to the first cell, and no further reward.
cat >corridor <<'END'
{"format":"cscg-room","version":1,"n_nodes":3,"n_actions":2,"n_obs":3,"actions":["forth","back"],"obs":[0,1,2],"next":[[1,2,2],[0,0,1]],"history":[]}
END
cat >log <<'END'
{"format":"cscg-walk","version":1,"n_actions":3,"n_obs":3,"actions":["forth","back","collect"]}
{"episode":0,"x":[0,0,1,2,2,0,1],"a":[1,0,0,0,2,0],"z":[0,0,1,2,2,0,1],"r":[0,0,0,0,0,1,0],"reset":[5],"last":true}
{"episode":1,"x":[1],"a":[],"z":[1],"r":[0],"last":true}
{"end":true,"episodes":2,"steps":8}
END
# Two steps and one to collect are optimal; five were made.  Then three nodes
# were visited, and of their six actions back at 0 and forth at all three were
# tried.
same 'tasks' "sh '$fig/tasks.sh' corridor log" 'rows <<END
#episode task begin steps optimum seen untried
0 1 0 5 3 1 2
0 2 5 1 - 3 2
1 1 0 0 - 1 2
END'
printf '#\n0\t1\t0\t5\t3\t1\t2\n0\t2\t5\t3\t3\t3\t0\n0\t3\t8\t1\t-\t3\t0\n1\t1\t0\t7\t2\t1\t2\n1\t2\t7\t4\t3\t3\t0\n' >some
# Two episodes with two rewards each; first tasks of 5 and 7 steps.
same 'rewards' 'rewards some' 'echo 2.00 0.00'
same 'an interval' 'interval 10 1' 'echo "10.00 [8.04, 11.96]"'
same 'the first task' 'first_task some' 'echo 6.00 1.00'
same 'tasks when all is tried: one of two is late' 'late 7 0 some' 'echo 2 1 3.50 3.00'
same 'late without such tasks' 'late 7 9 some' 'echo 0 0 0.00 0.00'
# Task 2: 3 and 4 steps, standard error .5.
same 'means by number of the task' 'by_task some' 'printf "1 6 1.96 2.5\n2 3.5 0.98 3\n"'

# The game: the schema from a few games of random actions, and agents that use
# it.
exits 0 'schemas' "sh '$fig/mpg.sh' learn 301 3 0 --reversible >learn-1.tsv"
exits 0 'schemas, inverse actions not told' "sh '$fig/mpg.sh' learn 301 3 0 >plain-1.tsv"
exits 0 'schemas, inverse actions not told, with slips' "sh '$fig/mpg.sh' learn 301 3 .02 >slips-1.tsv"
for f in learn plain slips; do
	same "$f: all are complete within five games, and right" \
	    "awk '\$2 <= 5 && \$3 == \"yes\"' $f-1.tsv | cut -f 1" 'seq 301 303'
done
exits 0 'a schema' "sh '$fig/mpg.sh' schema 301 >schema.gz"
roomgen game -o game.gz
for a in cover tracker oracle eager; do
	exits 0 "$a plays" "sh '$fig/mpg.sh' play $a schema.gz 302 5 $a.log >$a.tsv"
	same "$a: five games" "sed 1d $a.tsv | cut -f 1 | sort -u" 'seq 0 4'
done
# Tasks after the first begin when all symbols were observed; the oracle knows
# them before.
holds 'cover takes the shortest path when all symbols are known' \
    "set -- \$(late 6 16 cover.tsv); [ \$1 -gt 100 ] && [ \$2 = 0 ]"
holds 'the tracker takes shortest paths' "set -- \$(late 6 16 tracker.tsv); [ \$1 -gt 80 ] && [ \$2 = 0 ]"
same 'the oracle does always' "awk -F '\t' '!/^#/ && \$5 != \"-\" && \$4 != \$5' oracle.tsv" ':'
# At least 15 steps, and one to collect.
holds 'cover visits all nodes first' "awk -F '\t' '\$2 == 1 && \$4 < 16 { exit 1 }' cover.tsv"
holds 'more knowledge gives more reward' '
    c=$(rewards cover.tsv) t=$(rewards tracker.tsv) o=$(rewards oracle.tsv)
    awk "BEGIN { exit !(${c% *} > 24 && ${c% *} < ${t% *} && ${t% *} < ${o% *}) }"'
# The same tasks: the first start and goal of each game.
same 'the games are the same for all' "awk -F '\t' '\$2 == 1 { print \$5 }' oracle.tsv" \
    "awk -F '\t' '\$2 == 1 { print \$5 }' tracker.tsv"
same 'cscg-plan counts the same rewards' \
    "cscg-plan schema.gz --goal env --agent tracker --episodes 0 --new-world --as summary -s 302 -- roomserve --task game --episodes 5 -s 302 game.gz | sed 1d | cut -f 1,5" \
    "awk -F '\t' '!/^#/ { n[\$1] += \$5 != \"-\" } END { for (e = 0; e < 5; e++) print e \"\t\" n[e] }' tracker.tsv"
exits 0 'reward after learning' "sh '$fig/mpg.sh' curve 303 1 >curve-1.tsv"
same 'the curve has three agents and nine numbers of games' 'wc -l <curve-1.tsv' 'echo 27'
exits 0 'beside the paper' "sh '$fig/mpg-rows.sh' rows ."
cp "$out" table
holds 'all later tasks are optimal' "grep -q '^2C	later tasks .*	0 of .*	yes\$' table"
holds 'no schema was wrong' "grep -q '^2B	schemas reported complete that are wrong	0	0	0	yes\$' table"
same 'rows have six columns' "awk -F '\t' '{ print NF }' table | sort -u" 'echo 6'
holds 'too few seeds miss the target' "grep -q '^2B	games until.*	no\$' table"
exits 2 'no such agent' "sh '$fig/mpg.sh' play chess schema.gz 1 1"
says 'is named' "mpg.sh: no agent 'chess'"

# Streets
mkdir own
exits 0 'neighbourhoods' "sh '$fig/street.sh' rooms 4 304 >own/rooms.gz"
for a in cover informed plain oracle; do
	exits 0 "$a in the streets" "sh '$fig/street.sh' play $a own/rooms.gz 305 own/$a.log >own/$a.tsv"
	same "$a: four of them" "sed 1d own/$a.tsv | cut -f 1 | sort -u" 'seq 0 3'
done
holds 'after exploration all paths are shortest' \
    "set -- \$(late 7 0 own/cover.tsv); [ \$1 -gt 20 ] && [ \$2 = 0 ]"
same 'paths of the oracle are shortest' "awk -F '\t' '!/^#/ && \$5 != \"-\" && \$4 != \$5' own/oracle.tsv" ':'
holds 'more knowledge gives more reward there' '
    c=$(rewards own/cover.tsv) i=$(rewards own/informed.tsv) o=$(rewards own/oracle.tsv)
    awk "BEGIN { exit !(${c% *} < ${i% *} && ${i% *} < ${o% *}) }"'
exits 0 'what is learned' "sh '$fig/street.sh' graphs own/rooms.gz 2 306 >own/graphs"
same 'the learned graphs are exact' 'cat own/graphs' 'printf "yes\t0\t0\nyes\t0\t0\n"'
exits 0 'sizes' "sh '$fig/street.sh' size own/rooms.gz >own/size"
same 'views' "gzip -dc own/rooms.gz | grep -o '\"n_nodes\":[0-9]*' | awk -F : '{ s += \$2 } END { printf \"%.1f\n\", s / NR }'" \
    'cut -d " " -f 1 own/size'
# In a one-way ring of four, the distances to others are 1, 2 and 3.
echo '{"format":"cscg-room","version":1,"n_nodes":4,"n_actions":1,"n_obs":4,"obs":[0,1,2,3],"next":[[1,2,3,0]],"history":[]}' >ring
same 'distances in a ring' "sh '$fig/street.sh' size ring" 'echo 4.0 2.00'
exits 0 'a table' "sh '$fig/street-rows.sh' table own"
cp "$out" towns
same 'the table of towns has 16 columns' "awk -F '\t' '{ print NF }' towns" 'printf "16\n16\n"'
exits 0 'streets beside the paper' "sh '$fig/street-rows.sh' rows towns"
prints 'as they must be' 'own: learned graphs that are the true ones	-	2/2	all	yes'
if command -v gnuplot >/dev/null; then
	exits 0 'the game is drawn' "sh '$fig/mpg-rows.sh' draw mpg ."
	holds 'fig-mpg is SVG and PNG' 'grep -q "<svg" mpg.svg && head -c 4 mpg.png | grep -q PNG'
	exits 0 'streets are drawn' "sh '$fig/street-rows.sh' draw street own towns"
	holds 'fig-street is SVG and PNG' 'grep -q "<svg" street.svg && head -c 4 street.png | grep -q PNG'
fi
exits 0 'a learned graph' "sh '$fig/street.sh' graph own/rooms.gz 1 306"
prints 'as DOT' 'digraph'
finish
