# Large and hostile sizes: --max-memory, bombs, depth, counts near the limits of
# their types, and a large valid model.
# all: slow (10 s): large inputs
. "$(dirname "$0")/../tap.sh"

walk_head='{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":2}'
cat >schema <<'END'
{"format":"cscg-model","version":1,"kind":"schema","precision":"single","n_states":10000000,"n_actions":2,"n_obs":1,"pseudocount":1,"counts":[{"from":[],"to":[],"count":[]},{"from":[],"to":[],"count":[]}],"history":[]}
END
cat >good <<'END'
{"format":"cscg-model","version":1,"kind":"schema","precision":"single","n_states":2,"n_actions":2,"n_obs":1,"pseudocount":1,"counts":[{"from":[],"to":[],"count":[]},{"from":[],"to":[],"count":[]}],"history":[]}
END

# The option.
bad() { # SIZE MESSAGE
	exits 2 "--max-memory $1" "cscg-show --max-memory '$1' good"
	exactly "--max-memory $1: is refused" "cscg-show: --max-memory: $2 (try --help)"
}
for s in '' x G 4GB 4g -1 1e9 1.2.3 ' 4G' 0x10M nan inf none1; do
	bad "$s" "'$s' is not a size such as 500M or 4G, or none"
done
bad 1000 '1000 is outside 1M and up'
bad 1023K '1023K is outside 1M and up'
bad 99999999T '99999999T is too large'
for s in 0 none 1024K 1M 1.5M 1048576 500M 4G 1T; do
	same "--max-memory $s" "cscg-show --max-memory=$s good" 'cscg-show good'
done
same '--max-memory is not in the history' 'roomgen torus --max-memory 1G' 'roomgen torus'

# Claimed sizes. 2 * 10^7 rows of 8 bytes are 153 MiB.
exits 3 'a schema of ten million states, claimed in a line' \
    'cscg-show --max-memory 100M schema'
exactly 'is refused' "cscg-show: 'schema': line 1: /n_states: 10000000 states with 2 actions: would need 153M of memory, more than the 100M allowed (--max-memory)"
exits 3 'ulimit -m is the limit' 'ulimit -S -m 102400; cscg-show schema'
exactly 'in the same words' "cscg-show: 'schema': line 1: /n_states: 10000000 states with 2 actions: would need 153M of memory, more than the 100M allowed (--max-memory)"
exits 0 'the option has precedence' \
    'ulimit -S -m 102400; cscg-show --max-memory none good'
npy() { # SHAPE: an array of bytes that is not there
	text="{'descr': '|u1', 'fortran_order': ${2-False}, 'shape': $1, }"
	printf '\223NUMPY\001\000\166\000%-117s\n' "$text"
}
npy '(1000000000,)' >big.npy
exits 3 'an array of a billion items' 'walkconv --max-memory 1G big.npy'
exactly 'is refused' "walkconv: 'big.npy': an array of 1000000000 items: would need 7.45G of memory, more than the 1G allowed (--max-memory)"
npy '(4, 90000000)' >big.npy
exits 3 'frames of 90 million numbers' 'vq-kmeans -k 2 --max-memory 64M --frames big.npy'
exactly 'are refused' "vq-kmeans: 'big.npy': an array of 4 frames of 90000000 numbers: would need 85.8M of memory, more than the 64M allowed (--max-memory)"
npy '(400, 900000)' True >big.npy
exits 3 'an array to be turned' 'vq-kmeans -k 2 --max-memory 64M --frames big.npy'
exactly 'is refused' "vq-kmeans: 'big.npy': an array of 400 frames of 900000 numbers: would need 343M of memory, more than the 64M allowed (--max-memory)"
echo '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":1,"frame":[4096,4096,3]}' >frame
exits 3 'a frame of 16 million pixels' 'walkconv --max-memory 32M frame'
exactly 'is refused' "walkconv: 'frame': line 1: /frame: 4096 x 4096 pixels: would need 48M of memory, more than the 32M allowed (--max-memory)"

# Work that needs too much memory: status 4.
roomgen rectangle --size 40x40 --as model -o wide
exits 4 'a dense matrix that is too large' 'cscg-show --max-memory 64M --as npy wide >got'
says 'is out of memory' 'cscg-show: out of memory: would need 78.1M of memory, more than the 64M allowed (--max-memory)'
holds 'a higher limit is enough' 'cscg-show --max-memory 128M --as npy wide >got'

# Decompression bombs: a small gzip file of one endless line.
head -c 100000000 /dev/zero | tr '\0' ' ' | gzip -1 >bomb.gz
for t in 'cscg-show' 'walkconv' 'cscg-learn' 'vq-kmeans -k 2' 'roomwalk' \
    'cscg-plan --goal state:0' 'cscg-score -w good'; do
	tool=${t%% *}
	exits 3 "$tool: a gzip bomb" "$t --max-memory 64M bomb.gz >got"
	exactly "$tool: is refused" "$tool: 'bomb.gz': line 1: more than 16M of text in one line, too much for the 64M of memory allowed (--max-memory)"
done
for t in cscg-bind cscg-match cscg-stitch cscg-score; do
	exits 3 "$t: a bomb as walk" "$t --max-memory 64M good -w bomb.gz >got"
done
# A small gzip file of newlines only, or of blank lines.
head -c 10000000 /dev/zero | tr "\0" "\n" | gzip -1 >newlines.gz
awk 'BEGIN { while (n++ < 1100000) print " " }' | gzip -1 >blanks.gz
for t in 'cscg-show' 'walkconv --from walk' 'cscg-learn' 'vq-kmeans -k 2' 'roomwalk' \
    'cscg-plan --goal state:0' 'cscg-score -w good' 'roomgen map' 'roomgen room'; do
	exits 3 "$t: a bomb of newlines" "$t newlines.gz >got"
	says "$t: is refused" "'newlines.gz': line 1000001: more than 1000000 blank lines in a row"
done
exits 3 'a bomb of blank lines' 'cscg-show blanks.gz'
says 'is refused' "'blanks.gz': line 1000001: more than 1000000 blank lines in a row"
(gzip -c good; cat newlines.gz) >behind.gz
exits 3 'newlines behind a model' 'cscg-show behind.gz >got'
says 'are refused' 'blank lines in a row'
(echo; echo; cat good; echo ' ') >spaced
same 'a few blank lines are ignored' 'cscg-show spaced' 'cscg-show good'
printf '1\t' >csv
head -c 40000000 /dev/zero | tr '\0' '7' >>csv
exits 3 'a long line of a table' 'walkconv --max-memory 64M --from tsv csv >got'
exactly 'is refused' "walkconv: 'csv': line 1: more than 16M of text in one line, too much for the 64M of memory allowed (--max-memory)"
# Any number of short lines is accepted.
(echo "$walk_head"; awk 'BEGIN { for (i = 0; i < 200000; i++)
    printf "{\"episode\":%d,\"x\":[0],\"a\":[],\"last\":true}\n", i
    print "{\"end\":true,\"episodes\":200000,\"steps\":200000}" }') >many
holds 'many short lines are accepted' 'cscg-show --max-memory 16M many >got'

# A line within a quarter of the limit whose values need far more memory than
# its text: malloc() meets the limit (RLIMIT_DATA, which sanitizers do not
# support).
(printf '{"a":['; head -c 12000000 /dev/zero | tr '\0' x | sed 's/xxx/[],/g'
echo '[]]}') >values
if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'four million empty arrays # SKIP sanitizer'
else
	exits 4 'four million empty arrays' 'cscg-show --max-memory 64M values'
	exactly 'end with "out of memory"' "cscg-show: 'values': line 1: out of memory (JSON) (--max-memory: 64M)"
fi

# Deeply nested brackets.
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "["; print "" }' >tower
for t in cscg-show cscg-learn roomwalk 'cscg-plan --goal state:0'; do
	exits 3 "${t%% *}: a tower of brackets" "$t tower >got"
	says "${t%% *}: is refused" 'maximum parsing depth reached'
done

# Counts near the limits of types.
count() { # VALUE: a model that counts so often
	cat <<END
{"format":"cscg-model","version":1,"kind":"grounded","precision":"double","n_states":2,"n_actions":1,"n_obs":2,"clone":[0,1],"pseudocount":0,"counts":[{"from":[0,1],"to":[1,0],"count":[$1,$1]}],"history":[]}
END
}
(echo "$walk_head"; cat <<'END'
{"episode":0,"x":[0,1,0],"a":[0,0],"last":true}
{"end":true,"episodes":1,"steps":3}
END
) >w
count 1 >one
for c in 2147483647 2147483648 4294967296 9007199254740993 9223372036854775807 1e300; do
	count $c >counted
	same "a count of $c weighs as one of 1" 'cscg-score counted -w w' \
	    'cscg-score one -w w'
	# The count is a double, and written as one.
	same "a count of $c is kept" "cscg-show --as tsv counted | awk 'NR == 2 { print \$5 + 0 }'" \
	    "awk 'BEGIN { print $c + 0 }'"
done
count 9223372036854775808 >counted
exits 3 'a count of 2^63 is no integer of JSON' 'cscg-score counted -w w'
for s in 2147483648 9223372036854775807; do
	sed "s/\"steps\":3/\"steps\":$s/" w >lies
	exits 3 "a walk that says it has $s steps" 'cscg-show lies'
	sed "s/\"n_states\":2/\"n_states\":$s/" one >lies
	exits 3 "a model that says it has $s states" 'cscg-show lies'
	exactly 'is refused' "cscg-show: 'lies': line 1: /n_states: $s is outside 1..10000000"
	sed "s/\"x\":\[0/\"x\":[$s/" w >lies
	exits 3 "a symbol $s" 'cscg-show lies'
done

# A large model: 10^5 states, 10^6 counts, each action a ring with another step
# size.
awk 'BEGIN {
	n = 100000; k = 10
	printf "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\",\"precision\":\"single\",\"n_states\":%d,\"n_actions\":%d,\"n_obs\":1000,\"clone\":[", n, k
	for (j = 0; j < n; j++) printf "%s%d", j ? "," : "", int(j / 100)
	printf "],\"pseudocount\":0,\"counts\":["
	for (a = 0; a < k; a++) {
		printf "%s{\"from\":[", a ? "," : ""
		for (j = 0; j < n; j++) printf "%s%d", j ? "," : "", j
		printf "],\"to\":["
		for (j = 0; j < n; j++) printf "%s%d", j ? "," : "", (j + a + 1) % n
		printf "],\"count\":["
		for (j = 0; j < n; j++) printf "%s1", j ? "," : ""
		printf "]}"
	}
	print "],\"history\":[]}"
}' >large
exits 0 'a large model is shown' 'cscg-show large'
prints 'with its states' '100000'
same 'written and read it is the same' \
    'cscg-show --as tsv large | md5sum' \
    'cscg-show --as clones large -o again.gz; cscg-show --as tsv again.gz | md5sum'
same '--max-memory none' 'cscg-show --max-memory none large' 'cscg-show large'
# Ten steps forward by action 9 leave a group of 100 after 100 states: only the
# position in the group is unknown.
(echo '{"format":"cscg-walk","version":1,"n_actions":10,"n_obs":1000}'
awk 'BEGIN { printf "{\"episode\":0,\"x\":["
	for (t = 0; t < 100; t++) printf "%s%d", t ? "," : "", int(t * 10 / 100)
	printf "],\"a\":["; for (t = 1; t < 100; t++) printf "%s9", (t > 1 ? "," : "")
	print "],\"last\":true}"
	print "{\"end\":true,\"episodes\":1,\"steps\":100}" }') >ring
# Ten of the 10^5 states begin so: 0 to 9.
same 'the NLL of the large model is ln 10^4' \
    'cscg-score --unseen 0 --double large -w ring | awk "NR == 2 { printf \"%.6f\n\", \$3 }"' \
    'awk "BEGIN { printf \"%.6f\n\", log(10000) }"'
holds 'the large model is learned from' \
    'cscg-learn -q --init large --iterations 2 --restarts 1 ring -o more.gz'
holds 'the large model is written unchanged' \
    'cscg-learn -q --structure none --init large --iterations 2 --restarts 1 ring -o more.gz'
finish
