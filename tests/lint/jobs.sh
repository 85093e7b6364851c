# jobs.sh - one small job for each mode of a tool; sourced by tsan.sh and
# valgrind.sh
#
#   check TOOL ARGUMENT...   is the caller's; it runs the tool

roomgen rectangle --size 3x3 -o room
roomgen room room --as model -o model
roomwalk -n 300 room -o walk
roomwalk -n 40 --episodes 6 room -o episodes
roomgen rectangle --size 2x3 --door 0,2,right -o left.room
roomgen rectangle --size 2x2 --door 0,0,left -o right.room
for r in left right; do
	roomgen room --as model $r.room -o $r
done
roomgen join left.room right.room | roomwalk -n 200 -o joined
printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox
roomwalk -n 60 --render --frame 6x6 vox -o seen
vq-kmeans -j1 -k 3 --codebook book seen -o symbols
walkconv --as npy walk >f.npy

check roomgen torus
check roomgen join left.room right.room
check roomgen street --count 2
check roomwalk -n 50 room
check roomwalk -n 20 --render --frame 8x8 vox
check roomserve --task goals room
check walkconv --as csv walk
check cscg-show model
check cscg-show --as dot room
check cscg-show --truth room model -w walk
check cscg-show --partition model
check cscg-predict --ahead 2 --each-action model -w walk
check cscg-predict --continue 20 --by path --as walk model -w walk
check cscg-score model -w walk
check cscg-score --decode model -w walk
check cscg-score --posterior model -w walk
check cscg-score --sample 50 model
check cscg-learn -j2 --clones 2 --iterations 3 --restarts 2 walk
check cscg-learn -j2 --isa plain --clones 2 --iterations 2 --restarts 2 episodes
check cscg-learn -j2 --structure split --clones 1 --iterations 3 --restarts 1 joined
check cscg-learn -j2 --clones 2 --iterations 2 --restarts 1 --gaussian book seen
check cscg-bind -j2 --restarts 3 --iterations 3 model -w walk
check cscg-bind -j2 --tie none --restarts 2 --iterations 2 model -w episodes
check cscg-match -j2 --every 50 left right model -w walk
check cscg-match -j2 --method em --every 50 --restarts 2 --iterations 2 left right -w walk
check cscg-match -j2 --method switching left right -w joined
check cscg-stitch -j2 --restarts 2 left right -w joined
check cscg-plan -j2 model --start state:0 --goal state:8
check cscg-plan -j2 model -w walk --goal symbol:8 --json
check cscg-plan -j2 model --goal symbol:8 -- "$BUILD/roomserve" room
check vq-kmeans -j2 -k 3 --restarts 2 seen
check vq-kmeans -j2 -k 2 --frames f.npy
