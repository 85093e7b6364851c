# common.sh - functions shared by the scripts of figures; sourced, tools on PATH
# shellcheck shell=sh
set -eu
# The same order and number format on every machine: no decimal commas.
LC_ALL=C
export LC_ALL
trap 'exit "${ended:-1}"' HUP INT TERM

# A command that fails ends the script, also within a pipeline or within "$(...)"
# among arguments, where sh ignores the status.  Status 1 of the tools and of grep
# is an answer, which the caller checks.
sure() # COMMAND ARG...
{
	"$@" && return
	fault 0 $? "$1"
}

asked() # TOOL ARG...
{
	"$@" && return
	fault 1 $? "$1"
}

fault() # HIGHEST STATUS COMMAND: a status above HIGHEST ends the script
{
	[ "$2" -gt "$1" ] || return "$2"
	# The command itself reports any other failure.
	[ "$2" -le 128 ] || echo "${0##*/}: $3 was killed (status $2)" >&2
	# Set in a subshell, it is lost, and the script ends with status 1.
	ended=$2
	kill -s TERM $$
	return "$2"
}

# -q: warnings on maps of short walks are expected here.
alias cscg-learn='asked cscg-learn -q'
for name in cscg-bind cscg-match cscg-plan cscg-predict cscg-score cscg-show cscg-stitch \
    roomgen roomserve roomwalk vq-kmeans walkconv grep; do
	# shellcheck disable=SC2139 # expanded now
	alias "$name=asked $name"
done
for name in awk cat cut dot gnuplot gzip head neato sed sh sort tail tr wc; do
	# shellcheck disable=SC2139
	alias "$name=sure $name"
done

scratch() # sets $dir, a temporary directory that is removed at exit
{
	dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-figure.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
}

there() # PROGRAM: is it installed?  Aliases above do not count.
{
	(unalias "$1" && command -v "$1") >/dev/null 2>&1
}

need() # PROGRAM PACKAGE
{
	there "$1" && return
	echo "${0##*/}: $1 is needed to draw, and is not there (Debian: $2)" >&2
	exit 1
}

# into FILE COMMAND...: write the output of COMMAND to FILE, completely or not at
# all; each process has its own name for the partial file.
into()
{
	into=$1
	shift
	"$@" >"$into.new.$$"
	mv "$into.new.$$" "$into"
}

# whole FILE END: fail if FILE does not end with END, since drawing programs do not
# report a full disk.
whole()
{
	tail -c 20 "$1" | grep -q "$2" && return
	echo "${0##*/}: '$1' was not drawn to its end; is there space?" >&2
	exit 1
}

# bare SVG: without the path of $dir, which differs between runs
bare()
{
	awk -v at="$dir/" '{ while ((i = index($0, at)) > 0)
		$0 = substr($0, 1, i - 1) substr($0, i + length(at)); print }' "$1"
}

# plot OUT WIDTH HEIGHT: draw OUT.png, then OUT.svg (the target of make) by the
# commands of gnuplot on standard input.  Needs $dir.
plot()
{
	need gnuplot gnuplot-nox
	cat >"$dir/plot.gp"
	gnuplot -e "set terminal svg size $2,$3 dynamic enhanced background 'white' font 'sans,13'; set output '$dir/plot.svg'" "$dir/plot.gp"
	gnuplot -e "set terminal pngcairo size $2,$3 enhanced background 'white' font 'sans,10'; set output '$dir/plot.png'" "$dir/plot.gp"
	whole "$dir/plot.svg" '</svg>'
	whole "$dir/plot.png" IEND
	into "$1.png" cat "$dir/plot.png"
	into "$1.svg" bare "$dir/plot.svg"
}

# curve TABLE HOW LINETYPE TITLE: a clause of gnuplot's plot, after $sep: the finite
# rows of HOW in TABLE, column 4 with error bars of column 5 against column 2.  Sets
# $sep for the next clause; status 1, and no clause, without such rows.  Needs $dir.
curve()
{
	awk -F '\t' -v how="$2" '$1 == how && !/inf/' "$1" >"$dir/$2"
	[ -s "$dir/$2" ] || return 1
	printf "%s'%s' using 2:4:5 with yerrorlines lt %s pt 7 ps .6 lw 1.5 title '%s'" \
	    "$sep" "$dir/$2" "$3" "$4"
	sep=', '
}

# rgb: awk function, the colour of symbol x of n as a number; the most frequent
# symbol should be drawn grey instead.
rgb='
function part(h) {
	h -= int(h)
	return h < 1/6 ? 6*h : h < 1/2 ? 1 : h < 2/3 ? 4 - 6*h : 0
}
function rgb(x, n, h, v, s) {
	h = x * 0.6180339887
	s = 0.45 + 0.4 * (x % 3) / 2
	v = 0.75 + 0.2 * (x % 2)
	return int(255 * v * (1 - s + s * part(h + 1/3))) * 65536 + \
	    int(255 * v * (1 - s + s * part(h))) * 256 + \
	    int(255 * v * (1 - s + s * part(h + 2/3)))
}'

# cells ROOM: x y colour of each node, for gnuplot's boxxyerror
cells()
{
	cscg-show --as nodes "$1" | awk -F '\t' "$rgb"'
	!/^#/ { x[n + 0] = $5; y[n + 0] = -$4; s[n + 0] = $2; n++
	    if (++of[$2] > of[most]) most = $2 }
	END { for (i = 0; i < n; i++)
		print x[i], y[i], (s[i] == most && of[most] > 1 ? 15263976 : rgb(s[i])) }'
}

# stats: the awk functions of random.awk and stats.awk
stats()
{
	cat "$(dirname "$0")/random.awk" "$(dirname "$0")/stats.awk"
}

# share: reads lines of seed (or another group), room and value; prints "mean [low,
# high], worst ROOM mean", the 95 % interval by a bootstrap over seeds and the walks
# of each; "-" if there are no lines
share()
{
	awk -F '\t' "$(stats)"'
	{ v[NR] = $3 + 0; g[NR] = $1; sum[$2] += $3; n[$2]++ }
	END {
		if (!NR) { print "-"; exit }
		m = bootstrap(v, g, NR)
		for (r in n) if (worst == "" || sum[r] / n[r] < least || sum[r] / n[r] == least && r < worst) {
			worst = r; least = sum[r] / n[r] }
		printf "%.3f [%.3f, %.3f], worst %s %.2f\n", m, boot_low, boot_high, worst, least
	}'
}

# low_end SHARE WANTED: yes if the low end of the interval that share printed is at
# least WANTED
low_end()
{
	printf '%s\n' "$1" | awk -v wanted="$2" '{ sub(/^[^[]*\[/, ""); print ($0 + 0 >= wanted + 0 && $0 != "-" ? "yes" : "no") }'
}

# row FIGURE WHAT PAPER OURS WANTED VERDICT: a line of the table of results
row()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"
}
