# jobs.sh - a job for each tool, for fault injection; sourced.
#
#   fault_setup         make the files that the jobs read, here
#   fault_jobs          their names
#   fault_job NAME      the pipeline, whose last command begins with $pre and
#                       may be given more options at its end

fault_setup() {
	roomgen torus --size 3x3 -o room.gz
	roomgen torus --size 3x3 --as model -o model.gz
	roomgen cylinder --size 3x3 --as model -o other.gz
	roomwalk -n 400 room.gz -o walk.gz
	printf '%s\n' '0>2' 002 | roomgen voxel --map - -o vox.gz
	roomwalk -n 60 --render --frame 4x4 vox.gz -o seen.gz
	awk 'BEGIN { while (n++ < 100) print "{\"a\":" n % 4 "}" }' >moves
	roomgen rectangle --size 2x3 --door 0,2,right -o left.gz
	roomgen rectangle --size 2x2 --door 0,0,left -o right.gz
	roomgen join left.gz right.gz | roomwalk -n 200 -o joined.gz
	for r in left right; do
		roomgen room --as model $r.gz -o $r.model
	done
}

fault_jobs='roomgen roomwalk roomserve vq-kmeans cscg-learn cscg-bind cscg-match
cscg-stitch cscg-plan cscg-predict cscg-score cscg-show walkconv'

fault_job() {
	case $1 in
	roomgen) echo '$pre roomgen torus' ;;
	roomwalk) echo 'roomgen torus | $pre roomwalk -n 3000' ;;
	roomserve) echo 'cat moves | $pre roomserve room.gz' ;;
	vq-kmeans) echo 'roomwalk -n 60 --render --frame 4x4 vox.gz |
	    $pre vq-kmeans -j1 -k 3 --restarts 1' ;;
	cscg-learn) echo 'roomgen torus --size 3x3 | roomwalk -n 1000 |
	    $pre cscg-learn -j1 --clones 2 --iterations 3 --restarts 1' ;;
	cscg-bind) echo 'roomwalk -n 400 room.gz |
	    $pre cscg-bind -j1 --restarts 1 --iterations 3 model.gz' ;;
	cscg-match) echo 'roomwalk -n 300 room.gz |
	    $pre cscg-match -j1 --every 50 --restarts 1 model.gz other.gz' ;;
	cscg-stitch) echo 'cat joined.gz |
	    $pre cscg-stitch -j1 --restarts 1 left.model right.model' ;;
	cscg-plan) echo 'cat model.gz |
	    $pre cscg-plan --start state:0 --goal state:8 -' ;;
	cscg-predict) echo 'roomwalk -n 1000 room.gz |
	    $pre cscg-predict model.gz' ;;
	cscg-score) echo 'roomwalk -n 1000 room.gz |
	    $pre cscg-score --per-step model.gz' ;;
	cscg-show) echo 'roomgen torus --as model | $pre cscg-show --as dot' ;;
	walkconv) echo 'roomwalk -n 2000 room.gz | $pre walkconv --as csv' ;;
	esac
}
