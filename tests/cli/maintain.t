#!/bin/sh
# maintain.t - cscg-learn --init MODEL --forget P: a model kept up to date
. "$(dirname "$0")/../tap.sh"

# A room of four by four, all of whose places look different; then a wall stands
# between the first two cells of it, and only their neighbourhood is walked.
roomgen rectangle --rows 4 --cols 4 --obs unique -o room.gz
roomwalk -n 5000 room.gz -o old.walk
exits 0 'a room is learned' 'cscg-learn old.walk -o old.gz'
roomwalk -n 300 -s 2 room.gz -o more.walk
exits 0 'more of the same' 'cscg-learn --init old.gz --forget 0.001 more.walk -o same.gz'
exits 0 'leaves it right' 'cscg-show --truth room.gz -w old.walk same.gz'
prints 'exactly' 'isomorphic	yes'
same 'and adds what was seen' \
    'cscg-show --as tsv same.gz | awk "!/^#/ { n += \$5 } END { print n }"' 'echo 5298'
same 'a seed fixes every byte' 'cscg-learn --init old.gz --forget 0.001 more.walk' \
    'cscg-learn -j3 --init old.gz --forget 0.001 more.walk'

# One walks into the new wall: up from the second row of the first column.
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":4,"n_obs":16,"actions":["up","down","left","right"]}' \
    "$(awk 'BEGIN { printf "{\"episode\":0,\"x\":["; for (i = 0; i < 30; i++) printf "4,"; printf "4],\"a\":[";
    for (i = 0; i < 29; i++) printf "0,"; print "0],\"last\":true}" }')" \
    '{"end":true,"episodes":1,"steps":31}' >wall.walk
exits 0 'a wall that was not there' 'cscg-learn --init old.gz --forget 0.01 wall.walk -o new.gz'
cscg-show --as tsv --nodes old.gz >nodes
state=$(awk '$2 == 4 { print $1 }' nodes)
same 'is learned' "cscg-show --as tsv new.gz | awk '\$1 == \"up\" && \$2 == $state { print \$3, \$5 }'" \
    "echo $state 30"
same 'and all other moves stay' \
    "cscg-show --as tsv old.gz | awk '!(\$1 == \"up\" && \$2 == $state)' | cut -f 1-3,5" \
    "cscg-show --as tsv new.gz | awk '!(\$1 == \"up\" && \$2 == $state)' | cut -f 1-3,5"
exits 0 'without forgetting' 'cscg-learn --init old.gz --forget 0 wall.walk -o both.gz'
same 'there are both' "cscg-show --as tsv both.gz | awk '\$1 == \"up\" && \$2 == $state' | wc -l" 'echo 2'

exits 2 'forgetting nothing' 'cscg-learn --forget 0.1 more.walk'
says 'has no meaning' '--forget needs --init'
exits 2 'more than half' 'cscg-learn --init old.gz --forget 0.6 more.walk'
says 'is too much' '--forget'
exits 2 'with --raw' 'cscg-learn --init old.gz --raw --forget 0.1 more.walk'
says 'is refused' '--forget does not go with --raw'
finish
