#!/bin/sh
# draws.sh - no expression of lib/ or cmd/ draws two random numbers in an order
# that C leaves open: f(draw(rng), draw(rng)) differs between compilers.
# Looks for two calls with a generator (a name that ends in "rng") among their
# arguments, neither within the other, with no sequence point between them.
# Prints each place; status 1 if there is any.
#
#   sh tests/lint/draws.sh [TOP]
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2
find lib cmd -name '*.[ch]' -o -name '*.inc' | LC_ALL=C sort |
xargs awk '
# A call without generators of its own counts for those in its arguments; draws[d]
# are the calls with a generator that are complete at depth d of parentheses since
# the last sequence point there.
function statement_end() { depth = 0; draws[0] = direct[0] = 0 }
function open_paren() { depth++; draws[depth] = direct[depth] = 0 }
function close_paren(    n) {
	n = draws[depth] > 0 || direct[depth]
	if (depth > 0)
		depth--
	draws[depth] += n
	if (n && draws[depth] == 2) {
		print FILENAME ":" FNR ": two random numbers in one expression"
		bad++
	}
}
FNR == 1 { comment = 0; statement_end() }
/^#/ { next }
{
	line = $0
	while (line != "") {
		if (comment) {
			i = index(line, "*/")
			if (!i)
				next
			line = substr(line, i + 2)
			comment = 0
			continue
		}
		if (!match(line, /"([^"\\]|\\.)*"|\047(\\.|[^\\])[^\047]*\047|\/\*|&&|\|\||[][(){};,?:]|[A-Za-z_][A-Za-z_0-9]*/))
			next
		t = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (t == "/*")
			comment = 1
		else if (t ~ /^[;{}]$/)
			statement_end()
		else if (t == "(" || t == "[")
			open_paren()
		else if (t == ")" || t == "]")
			close_paren()
		else if (t == "&&" || t == "||" || t == "?" || t == ":" ||
		    (t == "," && depth == 0))
			draws[depth] = 0
		else if (t ~ /rng$/ && depth > 0)
			direct[depth] = 1
	}
}
END { exit bad > 0 }' || exit 1
