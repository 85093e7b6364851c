#!/bin/sh
# figures.sh - make figures SUBMIT=slurm: parts of figures as jobs of Slurm
#
#	make figures SUBMIT=slurm
#	make fig-mnist SUBMIT=slurm PARTS_AT_ONCE=20 SBATCH_PARTITION=short
#
# The targets of the makefiles that are out of date become tasks of job arrays, one
# array for each figure and stage, which depends on the arrays that make its
# prerequisites.  A last job reports failures, or makes the table.
# After a failure, a second submission makes what is missing.
#
# The directory must be shared by all nodes, with the tools built in it.
# Settings are variables of the environment or of make, or are changed here;
# sbatch has its own (SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_QOS ...).

: "${PART_CPUS:=1}"		# threads of a part
: "${PART_TIME:=04:00:00}"	# its time at most
: "${PART_MEMORY=2G}"		# for each of its threads; empty: as the site has it
: "${PARTS_AT_ONCE:=100}"	# of one array
: "${ARRAY_MOST:=1000}"		# tasks of one array; MaxArraySize is above it
: "${WAIT:=yes}"		# no: submit, and say what to wait for
: "${EVERY:=5}"			# seconds between two looks at the queue

set -eu
: "${BUILD:=build}" "${FIG:=$BUILD/figures}" "${MAKE:=make}"
export LC_ALL=C

# Only the variables given to make, not its other flags: jobs do not use its job
# server.
case ${MAKEFLAGS:-} in
*' -- '*) MAKEFLAGS=" -- ${MAKEFLAGS#* -- }" ;;
*) MAKEFLAGS= ;;
esac
export MAKEFLAGS
unset MFLAGS MAKELEVEL || :
# The tools are built; -o keeps make from checking the compile line again.
fig_make()
{
	"$MAKE" --no-print-directory SUBMIT= BUILD="$BUILD" FIG="$FIG" \
	    -o force -o "$BUILD/flags" "$@"
}

# ---- targets ----

# The files of figures that GOAL needs and that are out of date, in topological order:
# group, target, prerequisites.  A group is a figure and a stage, the depth of the
# target in the graph of prerequisites.  $dir/files lists the direct prerequisites of
# the goal or of a figure.
plan() # GOAL
{
	fig_make -npr --debug=b "$1" >"$dir/rules"
	awk -v root="$FIG/" -v goal="$1" -v q="'" -v files_of="$dir/files" '
	/^ *Must remake target/ { split($0, w, q); must[w[2]] = 1 }
	/^# Files$/ { files = 1 }
	/^# Not a target/ { getline; next }
	files && /^[^#\t ][^=]*:/ && !/ [:+?]?= / {
		at = index($0, ":")
		t = substr($0, 1, at - 1)
		rest = substr($0, at + 1)
		sub(/^:/, "", rest)
		sub(/ \| /, " ", rest)
		needs[t] = rest
	}
	# The stage of t, computed from the stages of its prerequisites.
	function visit(t, fig,   n, w, i, s, k) {
		if (t in stage)
			return stage[t]
		stage[t] = s = 0
		n = split(needs[t], w, " ")
		for (i = 1; i <= n; i++) {
			k = visit(w[i], t ~ /^fig-/ ? t : fig)
			if (index(w[i], root) == 1 && index(t, root) != 1)
				print w[i] >files_of
			if (w[i] == "force" || is_part(w[i]))
				must[t] = 1
			k += is_part(w[i])
			s = k > s ? k : s
		}
		stage[t] = s
		if (is_part(t))
			print fig "." s "\t" t "\t" needs[t]
		return s
	}
	function is_part(t) { return (t in must) && index(t, root) == 1 }
	END { visit(goal, goal) }' "$dir/rules" >"$dir/plan"
	rm "$dir/rules"
}

# ---- jobs ----

# Arrays are submitted in the order of stages, prerequisites first.
groups() { cut -f 1 "$dir/plan" | sort -u | sort -t . -k 2,2n; }

# job ids that make the prerequisites of the targets in this list
after() # LIST
{
	awk -F '\t' 'FILENAME ~ /made$/ { job[$1] = $2; next }
	{ n = split($3, w, " "); for (i = 1; i <= n; i++)
	    if (w[i] in job) is[job[w[i]]] = 1 }
	END { for (j in is) printf ":%s", j }' "$dir/made" "$1"
}

submit_list() # NAME LIST
{
	n=$(wc -l <"$2")
	needs=$(after "$2")
	id=$(sbatch --parsable --export=ALL --job-name="$1" --array="1-$n%$PARTS_AT_ONCE" \
	    --ntasks=1 --cpus-per-task="$PART_CPUS" --time="$PART_TIME" \
	    ${PART_MEMORY:+--mem-per-cpu="$PART_MEMORY"} --output="$dir/log-%A_%a" \
	    ${needs:+--dependency=afterok$needs --kill-on-invalid-dep=yes} \
	    "$0" part "$2")
	awk -F '\t' -v id="$id" '{ print $2 "\t" id "\t" NR }' "$2" >>"$dir/made"
	echo "$id" >>"$dir/jobs"
	echo "figures: job $id, $1: $n parts${needs:+, after$(echo "$needs" | tr : ' ')}" >&2
}

submit() # GOAL
{
	: >"$dir/made"
	: >"$dir/jobs"
	for g in $(groups); do
		awk -F '\t' -v g="$g" '$1 == g' "$dir/plan" >"$dir/$g"
		split -l "$ARRAY_MOST" -a 3 "$dir/$g" "$dir/$g."
		for l in "$dir/$g".???; do
			submit_list "$g" "$l"
		done
	done
	last=$(sbatch --parsable --export=ALL --job-name="$1.gather" --ntasks=1 \
	    --time="$PART_TIME" --output="$dir/log" \
	    --dependency="afterany$(sed 's/^/:/' "$dir/jobs" | tr -d '\n')" \
	    "$0" gather "$dir" "$1")
	echo "figures: job $last gathers" >&2
}

# ---- in a job ----

# Make one line of the list only: its prerequisites have been made by other jobs, or
# have failed there.
part() # LIST
{
	line=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1")
	target=$(echo "$line" | cut -f 2)
	set -- -B
	for p in $(echo "$line" | cut -f 3); do
		set -- "$@" -o "$p"
	done
	OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
	export OMP_NUM_THREADS
	mkdir -p "$(dirname "$target")"
	fig_make "$@" "$target"
	[ -e "$target" ] || { echo "figures: $target was not made" >&2; exit 4; }
	: >"$dir/done/$SLURM_ARRAY_JOB_ID.$SLURM_ARRAY_TASK_ID"
}

# Parts that are missing, and their logs.
missing()
{
	while IFS='	' read -r target id task; do
		log=$dir/log-${id}_$task
		if [ -e "$dir/done/$id.$task" ]; then
			continue
		elif [ -e "$log" ]; then
			echo "figures: $target failed: see $log"
		else
			echo "figures: $target was not begun"
		fi
	done <"$dir/made"
}

gather() # GOAL
{
	missing >"$dir/missing"
	if [ -s "$dir/missing" ]; then
		cat "$dir/missing"
		echo "figures: $(wc -l <"$dir/missing") of $(wc -l <"$dir/plan") parts are missing"
		exit 1
	fi
	# All files exist: the goal prints the results and makes nothing.
	goal=$1
	set --
	while read -r f; do
		set -- "$@" -o "$f"
	done <"$dir/files"
	fig_make "$@" "$goal"
}

# ---- waiting ----

# Ask again if the queue does not answer.
queued()
{
	q=$(squeue -h -j "$last" -o %T 2>&1) || case $q in
	*'Invalid job id'*) return 1 ;;
	esac
	[ "$q" ]
}

watch()
{
	seen=
	while queued; do
		now="$(find "$dir/done" -type f | wc -l) of $(wc -l <"$dir/plan") parts"
		[ "$now" = "$seen" ] || echo "figures: $now" >&2
		seen=$now
		sleep "$EVERY"
	done
	[ ! -e "$dir/log" ] || cat "$dir/log"
	[ -e "$dir/ok" ] || return 1
	rm -rf "$dir"
}

case $1 in
part)
	dir=$(dirname "$2")
	part "$2" ;;
gather)
	dir=$2
	gather "$3"
	: >"$dir/ok" ;;
*)
	mkdir -p "$FIG/slurm"
	dir=$(mktemp -d "$FIG/slurm/$1.XXXXXX")
	mkdir "$dir/done"
	plan "$1"
	if [ ! -s "$dir/plan" ]; then
		rm -rf "$dir"
		fig_make "$1"
		exit
	fi
	submit "$1"
	if [ "$WAIT" = no ]; then
		echo "figures: wait for job $last, then see $dir/log"
		exit
	fi
	watch ;;
esac
