#!/bin/sh
# words.sh [TOP] - the words of sources and pages: terms of the field, no others
#
# Prints each line of lib/, cmd/, man/ and the texts at the top that has a word or
# phrase for which the field has a term (STYLE: a quantity is named, not alluded
# to), and each term that no page has; status 1 if there is any.
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2

# Phrases that stand for a quantity, an error or a procedure with a name.
phrases='so many times|anew|now so and now so|it is told|at hand|by turns|of no more use|in vain|hopeless|foretold|rubbish|somebody|nobody|dealt out|has chance|have chance|poured|stroll|wonders|slip of the pen|mistrusts?|unsure|hardly any|as it should be|what became of'
set -- lib cmd man README.md NEWS SECURITY.md CONTRIBUTING.md
for f; do
	[ -e "$f" ] || { echo "words.sh: no $f in $top" >&2; exit 2; }
done
found=$(grep -rnwiE "$phrases|[a-z], too[.;,)]?\$|[a-z], too[.;)]" \
    --include='*.[ch]' --include='*.inc' --include='*.[157]' --include='*.md' \
    --include=NEWS --include=README "$@")

# Terms that a reader searches for.
missing=
for term in 'hidden Markov' HMM POMDP Baum emission posterior Viterbi deterministic \
    stochastic threshold heuristic hypothesis prior BIC isomorphi transition \
    'forward' 'softmax' 'pseudocount' 'perplexity'; do
	grep -rqi -- "$term" man || missing="$missing$term
"
done
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$missing" ] || printf '%s' "$missing" | sed 's/^/no page has: /'
[ -z "$found$missing" ] || exit 1
echo 'words: clean'
