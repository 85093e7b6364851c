# learn-common.sh - functions shared by learn-clean.sh and learn-noise.sh; sourced
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables of the scripts that source it
. "$(dirname "$0")/common.sh"

learn() # WALK: $dir/model by default; sets $cpu and $warning; false after $LIMIT CPU
        # seconds
{
	times >"$dir/before"
	status=0
	# shellcheck disable=SC3045 # sh of Debian and of the BSDs has -t
	(ulimit -t "${LIMIT:-60}" && exec env cscg-learn -q -j 1 --no-gzip --stats "$dir/stats" \
	    "$1" -o "$dir/model") || status=$?
	times >"$dir/after"
	cpu=$(cat "$dir/before" "$dir/after" | awk '{ split($1, u, /[ms]/); t[NR] = 60 * u[1] + u[2] }
	    END { printf "%.2f", t[4] - t[2] }')
	warning=-
	# SIGXCPU; SIGKILL if that is ignored
	[ $status != 152 ] && [ $status != 137 ] || return 1
	[ $status = 0 ] || fault 1 $status cscg-learn || true
	warning=no
	! grep -q '"doubtful":true' "$dir/stats" || warning=yes
}

read_show() # sets $nodes and $states from the comparison in $dir/show
{
	nodes=$(awk '$1 ~ /^nodes/ && $2 != "-" { n = $2 } END { print n }' "$dir/show")
	states=$(awk '$1 == "states" { print $2 }' "$dir/show")
}

nats() # MODEL WALK COLUMN: of the whole walk (3) or per step (4)
{
	cscg-score "$1" -w "$2" | tail -n 1 | cut -f "$3"
}

fresh() # MODEL: nats per step on other steps
{
	nats "$1" "$dir/test" 4
}

misread_of() # MODEL
{
	cscg-show "$1" | awk '$1 == "misreading" { p = $2 } END { print p + 0 }'
}

bic() # MODEL: of $dir/walk; a state costs as much as a transition besides the first
      # of a row, as in the learner.  Without smoothing: the counts of the true model
      # are not those of the walk, so that a pseudocount would cost it less.
{
	sed 's/"pseudocount":[^,]*/"pseudocount":1e-9/' "$1" >"$dir/scored"
	sed 's/[{}]/&\n/g' "$1" | awk -v nats="$(nats "$dir/scored" "$dir/walk" 3)" \
	    -v steps="$(nats "$dir/scored" "$dir/walk" 2)" '
	function list(key,   s) {
		if (!match($0, "\"" key "\":\\[[^]]*")) return ""
		s = substr($0, RSTART, RLENGTH)
		sub(/.*\[/, "", s)
		return s
	}
	match($0, /"n_states":[0-9]+/) { edges += substr($0, RSTART + 11, RLENGTH - 11) }
	/"from":\[[0-9]/ {
		split("", seen)
		n = split(list("from"), from, ",")
		split(list("count"), count, ",")
		for (i = 1; i <= n; i++)
			if (count[i] >= .5 && seen[from[i]]++) edges++
	}
	END { printf "%.3f\n", -nats - edges * log(steps) / 2 }'
}

search_failed() # RIGHT: yes if the true model $dir/true has the higher BIC on the walk
{
	[ "$1" = no ] || { echo -; return; }
	echo "$(bic "$dir/true") $(bic "$dir/model")" | awk '{ print ($1 > $2 + .001) ? "yes" : "no" }'
}
