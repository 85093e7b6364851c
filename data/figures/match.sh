#!/bin/sh
# match.sh - which schema explains a walk? (fig-match2d, fig-mnist)
#
#   match.sh learn STEPS SEED ROOMGEN-ARGS...       a schema, learned from a walk
#   match.sh test clones|none STEPS SEED TRUTH DIR ROOMGEN-ARGS...
#       25 walks in the room with new looks, against all schemas in DIR, every 5
#       steps: cscg-match --as summary
#   match.sh found FILE...    a line for each summary: name, first, sustained
. "$(dirname "$0")/common.sh"
what=$1
shift
case $what in
learn)
	steps=$1 seed=$2
	shift 2
	roomgen "$@" | roomwalk -n "$steps" -s "$seed" |
	    cscg-learn -s "$seed" | cscg-show --as clones ;;
test)
	tie=$1 steps=$2 seed=$3 truth=$4 dir=$5
	shift 5
	# No winner at the last step is an answer, too.
	roomgen "$@" --permute -s "$seed" |
	    roomwalk -n "$steps" --episodes "${WALKS:-25}" --permute-episodes \
	    -s "$seed" |
	    cscg-match --tie "$tie" --warm-start --every 5 --as summary --truth "$truth" \
	    -s "$seed" "$dir"/*.gz || [ $? = 1 ] ;;
found)
	awk -F '\t' '
	FNR == 1 { name = FILENAME; gsub(/.*\/|\.tsv$/, "", name) }
	$1 == "#first" { first = $2 }
	$1 == "#sustained" { print name "\t" first "\t" $2 }' "$@" ;;
*) echo "match.sh: no '$what'" >&2; exit 2 ;;
esac
