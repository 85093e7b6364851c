#!/bin/sh
# pautomac.sh DATA PROBLEM... - perplexity on problems of the PAutomaC competition
#
# DATA is the directory of the competition sets: N.pautomac.train, N.pautomac.test
# and N.pautomac_solution.txt for each problem N.  A string is an episode with one
# action and an end symbol.  The perplexity of test strings x is
# 2^(-sum of P*(x) log2 P(x)), P* and P normalised over the test set, as in the
# competition.  Prints a row for each problem: its number, "tuned" if the number
# is divisible by 4 (those problems served to choose the constants), strings,
# symbols, states found, the perplexity of the true machine, of cscg-learn, of
# Alergia (tests/bench/alergia.py; "-" without Python), and the least of three
# heuristics of FlexFringe with its own settings (FLEXFRINGE=DIRECTORY, which has the
# program and ini/; "-" without), and CPU seconds of cscg-learn, which ends after LIMIT
# seconds (300).  The tools are found on PATH.
. "$(dirname "$0")/common.sh"
[ $# -ge 2 ] || { echo 'usage: pautomac.sh DATA PROBLEM...' >&2; exit 2; }
data=$1
peers=$(cd "$(dirname "$0")/../../tests/bench" && pwd)
shift
scratch

as_walk() # FILE of strings: a walk, the end of a string being one more symbol
{
	awk 'NR == 1 {
		end = $2
		printf "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,\"n_obs\":%d}\n", end + 1
		next
	}
	NF {
		x = a = ""
		for (i = 2; i <= NF; i++) {
			x = x $i ","
			a = a (i > 2 ? ",0" : "0")
		}
		printf "{\"episode\":%d,\"x\":[%s%d],\"a\":[%s],\"last\":true}\n", n++, x, end, a
		steps += NF
	}
	END { printf "{\"end\":true,\"episodes\":%d,\"steps\":%d}\n", n, steps }' "$1"
}

# SOLUTION LOGS: perplexity of the true machine, and of natural logarithms
perplexity()
{
	awk 'FNR == 1 { file++; if (file == 1) next }
	file == 1 { p[++n] = $1; sum += $1; next }
	{ q[++m] = $1; if (m == 1 || $1 > most) most = $1 }
	END {
		if (m != n) exit 1
		for (i = 1; i <= n; i++) all += exp(q[i] - most)
		for (i = 1; i <= n; i++) {
			w = p[i] / sum
			if (w > 0) own -= w * log(w)
			if (w > 0) other -= w * (q[i] - most - log(all))
		}
		printf "%.4f\t%.4f\n", exp(own), exp(other)
	}' "$1" "$2"
}

# NAME of a problem: the least perplexity of FlexFringe; a string ends with its own
# probability, and states of rare prefixes are written.
flexfringe()
{
	tr -d '\r' <"$1.train" | awk 'NR > 1 { printf "1 " } 1' >"$dir/strings"
	for how in alergia alergia94 likelihood; do
		(cd "$dir" && timeout 120 "$FLEXFRINGE/flexfringe" --ini "$FLEXFRINGE/ini/$how.ini" \
		    --finalprob 1 --printwhite 1 --printblue 1 --output json \
		    --outputfile fringe strings) >"$dir/fringe.out" 2>&1 &&
		    python3 "$peers/flexfringe.py" "$dir/fringe.final.json" "$1.test" >"$dir/peer" &&
		    perplexity "${1}_solution.txt" "$dir/peer" | cut -f 2
	done | awk 'NR == 1 || $1 < least { least = $1 } END { print NR ? least : "-" }'
}

printf '#problem\ttuned\tstrings\tsymbols\tstates\toptimum\tcscg\talergia\tflexfringe\tcpu\n'
for n; do
	name=$data/$n.pautomac
	as_walk "$name.train" >"$dir/walk"
	as_walk "$name.test" >"$dir/test"
	times >"$dir/before"
	cscg-learn -j 1 --no-gzip --max-time "${LIMIT:-300}" "$dir/walk" -o "$dir/model"
	times >"$dir/after"
	cpu=$(cat "$dir/before" "$dir/after" | awk '{ split($1, u, /[ms]/); t[NR] = 60 * u[1] + u[2] }
	    END { printf "%.1f", t[4] - t[2] }')
	cscg-score "$dir/model" -w "$dir/test" |
	    awk -F '\t' '/^[0-9]/ { printf "%.12g\n", -$3 }' >"$dir/logs"
	both=$(perplexity "${name}_solution.txt" "$dir/logs")
	peer=-
	if command -v python3 >/dev/null &&
	    python3 "$peers/alergia.py" "$name.train" "$name.test" \
	    >"$dir/peer" 2>/dev/null; then
		peer=$(perplexity "${name}_solution.txt" "$dir/peer" | cut -f 2)
	fi
	fringe=-
	[ -z "${FLEXFRINGE-}" ] || fringe=$(flexfringe "$name")
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$n" \
	    "$([ $((n % 4)) = 0 ] && echo tuned || echo new)" \
	    "$(head -n 1 "$name.train" | tr -d '\r' | awk -v OFS='\t' '{ print $1, $2 }')" \
	    "$(sed 's/.*"n_states":\([0-9]*\).*/\1/;q' "$dir/model" | head -n 1)" \
	    "$both" "$peer" "$fringe" "$cpu"
done
