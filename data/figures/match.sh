#!/bin/sh
# match.sh - identification of the schema of a walk (fig-match2d, fig-mnist)
#
#   match.sh learn STEPS SEED ROOMGEN-ARGS...       a schema, learned from a walk
#   match.sh test OPTIONS STEPS SEED TRUTH DIR ROOMGEN-ARGS...
#       cscg-match --as summary OPTIONS of $WALKS (25) walks in the room with permuted
#       symbols, against all schemas in DIR: every 5 steps to 50, every 10 to 100,
#       every 20 to 200, then every 50
#   match.sh found FILE...    one line for each summary: seed, room (from the file name
#       DIR-SEED/ROOM.tsv), first, sustained
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
	options=$1 steps=$2 seed=$3 truth=$4 dir=$5
	shift 5
	# No winner at the last step is a valid answer.
	# shellcheck disable=SC2086 # options
	roomgen "$@" --permute -s "$seed" |
	    roomwalk -n "$steps" --episodes "${WALKS:-25}" --permute-episodes \
	    -s "$seed" |
	    cscg-match $options --as summary --truth "$truth" -s "$seed" "$dir"/*.gz || [ $? = 1 ] ;;
found)
	awk -F '\t' '
	FNR == 1 { name = seed = FILENAME; gsub(/.*\/|\.tsv$/, "", name)
	  sub(/\/[^\/]*$/, "", seed); if (!sub(/.*-/, "", seed)) seed = "-" }
	$1 == "#first" { first = $2 }
	$1 == "#sustained" { print seed "\t" name "\t" first "\t" $2 }' "$@" ;;
*) echo "match.sh: no '$what'" >&2; exit 2 ;;
esac
