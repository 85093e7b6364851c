# Stochastic sources and short walks: cscg-learn compared with EM alone, and the
# scripts that measure it, small.
. "$(dirname "$0")/../tap.sh"
fig=$TOP/data/figures

# 3000 strings of two symbols, .4 each, that end with probability .2; seven test
# strings: the empty one, two of one symbol, four of two.
mkdir pa
awk 'BEGIN {
	train = "pa/3.pautomac.train"; test = "pa/3.pautomac.test"
	print 3000, 2 >train; print 7, 2 >test; print 7 >"pa/3.pautomac_solution.txt"
	srand(5)
	for (i = 0; i < 3000; i++) {
		s = ""
		for (n = 0; rand() < .8; n++) s = s " " (rand() < .5)
		print n s >train
	}
	split("|0|1|0 0|0 1|1 0|1 1", t, "|")
	for (i = 1; i <= 7; i++) {
		n = split(t[i], u, " ")
		print n " " t[i] >test
		print (.2 * .4 ^ n) >"pa/3.pautomac_solution.txt"
	}
}'
exits 0 'a problem of PAutomaC' "sh '$fig/pautomac.sh' pa 3 >row"
same 'number of the problem, tuned or new, strings, symbols' "printf '3\tnew\t3000\t2\n'" \
    'tail -n 1 row | cut -f 1-4'
# Weights .2, .08 and .032 over their sum, .488: H = 1.6731 nats.
same 'perplexity of the source' 'echo 5.33' "tail -n 1 row | awk '{ printf \"%.2f\n\", \$6 }'"
holds 'cscg-learn is within 1 % of it' "tail -n 1 row | awk '{ exit !(\$7 >= \$6 && \$7 < 1.01 * \$6) }'"
same 'FlexFringe is not here' 'echo -' 'tail -n 1 row | cut -f 9'
exits 2 'no problem' "sh '$fig/pautomac.sh' pa"
# A program in its place that writes the source as an automaton of one state.
mkdir fringe
cat >fringe/flexfringe <<'END'
#!/bin/sh
[ "$(sed -n '1p;2s/ .*//p' strings | xargs)" = '3000 2 1' ] || exit 1
case $2 in */ini/likelihood.ini) ends=2000 ;; *) ends=500 ;; esac
echo '{"nodes": [{"id": -1, "data": {"trans_counts": {"0": "4000", "1": "4000"}, "total_final": '$ends'}}],
"edges": [{"source": "-1", "target": "-1", "name": "0"}, {"source": "-1", "target": "-1", "name": "1"}]}' >fringe.final.json
END
chmod +x fringe/flexfringe
if has_python; then
	exits 0 'a problem with FlexFringe' "FLEXFRINGE=\$PWD/fringe sh '$fig/pautomac.sh' pa 3 >row"
	same 'the best of its automata has the perplexity of the source' 'tail -n 1 row | cut -f 6' 'tail -n 1 row | cut -f 9'
fi

# On test steps the NLL of the default is at most that of EM alone.
exits 0 'short walks' "sh '$fig/learn-stochastic.sh' short 300 3902 3904 >rows"
holds 'short walks are predicted at least as well as by EM alone' \
    "awk 'NR > 1 { n++; bad += \$4 > \$5 } END { exit !(n == 2 && !bad) }' rows"

# Text has many clones; a word after each of which another follows.
awk 'BEGIN { srand(3); split("the cat sat on a mat with his hat and that bat", w, " ")
    for (i = 0; i < 600; i++) printf "%s ", w[1 + int(11 * rand())] }' >words
exits 0 'text' "sh '$fig/learn-stochastic.sh' text words 1 >rows"
holds 'within 1 % of the best of 1, 2, 4, 8 and 16 clones' \
    "awk 'NR > 1 { best = \$6; for (i = 7; i <= 10; i++) if (\$i < best) best = \$i
    exit !(\$4 <= 1.01 * best) }' rows"
exits 2 'no seed' "sh '$fig/learn-stochastic.sh' short 300"
# Graphs without and with noise: found or not, and failures of the search.
exits 0 'a walk without noise' "EM=no sh '$fig/learn-clean.sh' debruijn-3 7 >clean"
same 'finds its graph' "printf '8\t8\tyes\t-\n'" 'tail -n 1 clean | cut -f 3-6'
mkdir busy
printf '#!/bin/sh\nwhile :; do :; done\n' >busy/cscg-learn
chmod +x busy/cscg-learn
exits 0 'a walk that needs more than the limit of CPU time' \
    "PATH=\$PWD/busy:\$PATH LIMIT=1 EM=no sh '$fig/learn-clean.sh' debruijn-3 8 >late"
same 'has a row without results' "printf -- '-\tunfinished\t-\n'" 'tail -n 1 late | cut -f 4-6'
roomgen rectangle --size 5x6 --obs random:12 -s 5 --slip 0.05 -o slips.room
roomwalk -n 20000 -s 5 slips.room -o slips.gz
exits 0 'slips in a room of random symbols' 'cscg-learn -q -j 1 --stats slips.stats slips.gz -o slips.model'
holds 'need no cycles of contexts and EM' '! grep -q "\"context\"" slips.stats'
holds 'and give the graph' 'cscg-show --min-prob 0.5 --truth slips.room slips.model | grep -q "^isomorphic.*yes"'
# An egocentric walk, whose symbol is that of the cell ahead: 12 cells, four headings.
awk 'function draw(n) { seed = seed * 16807 % 2147483647; return int(seed % n) }
BEGIN {
	seed = 5
	split("0 1 0 -1", dx)
	split("-1 0 1 0", dy)
	for (i = 0; i < 12; i++) symbol[i] = draw(4)
	print "x,a"
	for (t = 0; t < 10000; t++) {
		u = x + dx[h + 1]
		v = y + dy[h + 1]
		inside = u >= 0 && u < 4 && v >= 0 && v < 3
		a = draw(4)
		printf "%s,%s\n", inside ? symbol[4 * v + u] : "wall", a < 2 ? "on" : a < 3 ? "left" : "right"
		if (draw(100) < 3) continue
		if (a >= 2) h = (h + (a < 3 ? 3 : 1)) % 4
		else if (inside) { x = u; y = v }
	}
}' >ego.csv
exits 0 'slips of a walk with headings' 'walkconv ego.csv | cscg-learn -q -j 1 --stats ego.stats -o ego.model'
holds 'need cycles of contexts and EM' 'grep -q "\"context\"" ego.stats'
holds 'and give a state for each cell and heading' 'cscg-show ego.model | grep -q "grounded: 48 states"'
exits 0 'misread symbols' "STEPS=10000 sh '$fig/learn-noise.sh' misread-0.05 12 >noise"
same 'a noisy walk has its graph' "printf '30\t30\tyes\t-\n'" 'tail -n 1 noise | cut -f 3-6'
holds 'a noisy walk has nearly the nats of the true model' \
    "tail -n 1 noise | awk '{ exit !(\$7 < 1.05 * \$8 && \$8 < 1.05 * \$7) }'"
exits 0 'more of them, in a room with one symbol inside' \
    "STEPS=12000 sh '$fig/learn-noise.sh' misread-0.1 3 >inside"
same 'a room with labelled border has its graph' "printf '30\t30\tyes\t-\n'" 'tail -n 1 inside | cut -f 3-6'
roomgen rectangle --size 3x4 -s 1 -o room.gz
roomgen room room.gz --as model --no-gzip -o true
roomwalk -n 2000 -s 1 room.gz -o walk
cscg-learn -q --clones 1 --no-gzip walk -o model
mkdir figures
cp "$fig/common.sh" "$fig/learn-common.sh" "$fig"/*.awk figures
printf '. figures/learn-common.sh\ndir=.\nsearch_failed "$1"\n' >figures/failed.sh
same 'a wrong graph with a lower BIC is a failure of the search' 'echo yes' 'sh figures/failed.sh no'
cp true model
same 'a wrong graph with the same BIC is not a failure of the search' 'echo no' 'sh figures/failed.sh no'
same 'a right graph is not a failure' 'echo -' 'sh figures/failed.sh yes'
exits 0 'the table' "sh '$fig/learn.sh' table clean late noise >table"
same 'the table has both cases' "printf 'debruijn-3\t2\t1\nmisread-0.05\t1\t1\n'" 'tail -n +2 table | cut -f 1-3'
same 'the table has failures and medians of the true model' \
    "tail -n 1 noise | awk '{ print 0, 0, 0, \$8, \$10 }'" "tail -n 1 table | cut -f 17-21 | tr '\t' ' '"
same 'the table counts unfinished walks' "printf '0\t1\n'" 'sed -n 2p table | cut -f 22-23'
same 'the table has the CPU time as a multiple of that without noise' \
    "tail -n 1 noise | awk '{ r = \$10 > 0 ? sprintf(\"%.1f\", \$9 / \$10) : \"-\"; print r, r, r }'" \
    "tail -n 1 table | cut -f 24- | tr '\t' ' '"
for ratio in 10 10.1; do
	awk -F '\t' -v OFS='\t' -v r=$ratio '/^misread/ { $24 = r } { print }' table >multiple
	exits 0 'the rows' "sh '$fig/learn.sh' rows multiple >judged.$ratio"
done
same 'the verdict: an unfinished walk is not right' "printf 'no\nyes\nyes\nyes\n'" 'cut -f 6 judged.10'
same 'names of rows are those of every run' \
    "printf '%s\n' 'debruijn-3: graphs found' 'misread-0.05: graphs found' 'misread-0.05: nats per step, median, against the true model' 'misread-0.05: CPU time, times that of the walk without noise, median'" \
    'cut -f 2 judged.10'
same 'nor is more than ten times the CPU time' "printf 'no\nyes\nyes\nno\n'" 'cut -f 6 judged.10.1'
finish
