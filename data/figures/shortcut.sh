#!/bin/sh
# shortcut.sh SCHEMA LAMBDA SEED ROOMGEN-ARGS... - the path back in a room of
# another size or shape (fig-shortcut)
#
# 50 walks ($WALKS) of 200 random steps, each action repeated three times, from a node
# with a unique symbol.  Then the agent binds the schema, plans the path back to the
# start and follows it, and plans again until its belief says that it has arrived, 20
# times at most.  Prints a line for each walk: plans, arrival claimed, Manhattan
# distance to the start.
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
