#!/bin/sh
# shortcut.sh SCHEMA LAMBDA SEED ROOMGEN-ARGS... - the path back in a room of
# another size or shape (fig-shortcut)
#
# 50 walks ($WALKS): from a place with a symbol of its own 200 random steps, each
# action three times; then the schema is bound, the path back to the start is
# planned and walked, and planned again until the agent believes to be there, 20
# plans at most.  Prints a line for each walk: plans, believed to have arrived,
# Manhattan distance to the start.
. "$(dirname "$0")/common.sh"
schema=$1 lambda=$2 seed=$3
shift 3
scratch
roomgen "$@" -o "$dir/room"
# An agent that gives up is a valid answer.
cscg-plan "$schema" --goal start --explore repeat:3 --explore-until 200 --best \
    --replan end --max-plans 20 --smooth "$lambda" --restarts 10 -s "$seed" \
    --episodes 0 --new-world --as summary -- roomserve --task return --start unique \
    --permute-episodes --episodes "${WALKS:-50}" -s "$seed" "$dir/room" \
    >"$dir/out" || [ $? = 1 ]
awk -F '\t' '!/^#/ { print $3 "\t" $4 "\t" $7 }' "$dir/out"
