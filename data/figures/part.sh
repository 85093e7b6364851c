#!/bin/sh
# part.sh FIG TARGET [NAME=VALUE...] COMMAND [ARG...] - make a part of a figure
#
# Runs the command and appends to FIG/times.tsv: target, seconds, CPU seconds, bytes
# of its largest process, time of its end ("-": not known; $MEASURE is the program
# that measures).  If FIG/plan exists, prints the number of parts left and an estimate
# of the remaining time.  The plan is a line "#began SECONDS", then one target per
# line.
set -u
LC_ALL=C
export LC_ALL
fig=$1 target=$2
shift 2

# The estimate for a part is its previous time, or the mean of parts whose names
# differ only in numbers, of parts in the same directory, or of all parts.  Parts run
# in parallel as they did so far.
left()
{
	awk -F '\t' -v now="$1" '
	function kind(t) { gsub(/[0-9]+/, "#", t); return t }
	function place(t) { sub(/[^\/]*$/, "", t); return t }
	function guess(t) {
		if (t in took) return took[t]
		if (kind(t) in kinds) return kinds[kind(t)] / n[kind(t)]
		if (place(t) in places) return places[place(t)] / m[place(t)]
		return all ? sum / all : 0
	}
	function clock(s) {
		s = int(s + .5)
		return sprintf("%d:%02d:%02d", s / 3600, s % 3600 / 60, s % 60)
	}
	FNR == 1 { file++ }
	file == 1 && /^#began / { split($0, w, " "); began = w[2]; next }
	file == 1 { want[$1]; next }
	{ took[$1] = $2; sum += $2; all++
	  kinds[kind($1)] += $2; n[kind($1)]++
	  places[place($1)] += $2; m[place($1)]++
	  if ($5 >= began) { done[$1]; busy += $2 } }
	END {
		for (t in want) { total++; if (!(t in done)) rest += guess(t) }
		for (t in done) { made++; total += !(t in want) }
		spent = now - began
		side = spent > 0 && busy > spent ? busy / spent : 1
		printf "  %d of %d parts made in %s", made, total, clock(spent)
		if (made < total) printf ", about %s to go", clock(rest / side)
		print ""
	}' "$fig/plan" "$fig/times.tsv"
}

began=$(date +%s)
if [ -x "${MEASURE:-}" ]; then
	# The measurement is printed on standard output, the command writes to 3.
	exec 3>&1
	# shellcheck disable=SC2016 # expanded by the inner shell
	use=$("$MEASURE" 1 sh -c 'exec env "$@" >&3' sh "$@") || exit 1
	exec 3>&-
else
	env "$@" || exit
	use="$(($(date +%s) - began)) - -"
fi
ended=$(date +%s)
# shellcheck disable=SC2086 # three words
printf '%s\t%s\t%s\t%s\t%s\n' "${target#"$fig"/}" $use "$ended" >>"$fig/times.tsv" || exit 1
[ ! -e "$fig/plan" ] || left "$ended" >&2
