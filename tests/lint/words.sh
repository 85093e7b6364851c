#!/bin/sh
# words.sh [TOP] - find words in sources and pages for which the field has a term
#
# Prints each line of lib/, cmd/, man/, tests/, data/ and the texts at the top
# that has a word or phrase for which the field has a term (CONTRIBUTING.md: a
# quantity is named, not alluded to), and each term that no page has; status 1 if
# there is any.  tests/lint/WORDS.md has the counts of these phrases.
top=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$top" || exit 2

# Phrases that stand for a quantity, an error or a procedure with a name, and
# words of modules that were renamed.
phrases='so many|anew|now so and now so|it is told|all told|at hand|by turns|of no more use|in vain|hopeless|foretold|rubbish|somebody|nobody|strangers?|dealt out|has chance|have chance|worlds? of chance|poured|stroll|wonders|slip of the pen|mistrusts?|unsure|hardly any|as it should be|what became of|what came of|asked wrongly|in silence|its looks|new looks|other looks|who knows all|put together from|goes astray|rivals?|an answer, too|processor time|processor seconds|goes wrong|go wrong|what pays|for sure|chance that|as is told|in pictures'
# Phrases of comments and messages: a condition or a requirement is stated.
sources='go(es)? with|does not tell|do not tell|wants (a|an|the|one|two)|asked for|asks for|told apart|how sure|look at|nothing is known|not known|(and|also) empties it|of no use|it pays|brings along|where it stands'
# Sentences in which these words stand for themselves.
not_these='so many$|so many files are better|rival of cscg-match is'
set -- lib cmd man tests data README.md NEWS SECURITY.md CONTRIBUTING.md Makefile
for f; do
	[ -e "$f" ] || { echo "words.sh: no $f in $top" >&2; exit 2; }
done
found=$(grep -rniE "\\<($phrases)\\>|[a-z], too([.;)'\"]|,?\$)" \
    --include='*.[ch]' --include='*.inc' --include='*.[157]' --include='*.md' \
    --include='*.sh' --include='*.t' --include='*.mk' --include='*.awk' \
    --include='*.js' --include='*.py' --include=NEWS --include=README \
    --include=Makefile "$@" | grep -vE "^tests/lint/(words\.sh|WORDS\.md):|^tests/cli/(layers|freeze)\.t:|$not_these"
    grep -rniE "\\<($sources)\\>" --include='*.[ch]' --include='*.inc' lib cmd |
	grep -vE ' is not known \(%d')

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
