# common.sh - what the scripts of figures share; sourced, with the tools on PATH
# shellcheck shell=sh
set -eu
# Sorted, read and written alike everywhere: no decimal commas.
LC_ALL=C
export LC_ALL
trap 'exit "${ended:-1}"' HUP INT TERM

# A command that fails ends the script wherever it stands: sh does not look at
# those within a pipeline, nor within "$(...)" among arguments.  Status 1 of the
# tools and of grep is an answer, which the caller checks.
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

fault() # HIGHEST STATUS COMMAND: more than that is none to go on with
{
	[ "$2" -gt "$1" ] || return "$2"
	# Others have said why.
	[ "$2" -le 128 ] || echo "${0##*/}: $3 was killed (status $2)" >&2
	# Known in a subshell alone, it is 1.
	ended=$2
	kill -s TERM $$
	return "$2"
}

# Short walks make doubtful maps; this is what is measured.
alias cscg-learn='asked cscg-learn -q'
for name in cscg-bind cscg-match cscg-plan cscg-predict cscg-score cscg-show cscg-stitch \
    roomgen roomserve roomwalk vq-kmeans walkconv grep; do
	# shellcheck disable=SC2139 # this name
	alias "$name=asked $name"
done
for name in awk cat cut dot gnuplot gzip head neato sed sh sort tail tr wc; do
	# shellcheck disable=SC2139
	alias "$name=sure $name"
done

scratch() # sets $dir, gone at the end
{
	dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-figure.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
}

there() # PROGRAM: and not its name here alone
{
	(unalias "$1" && command -v "$1") >/dev/null 2>&1
}

need() # PROGRAM PACKAGE
{
	there "$1" && return
	echo "${0##*/}: $1 is needed to draw, and is not there (Debian: $2)" >&2
	exit 1
}

# into FILE COMMAND...: what it prints is FILE, as a whole or not at all;
# another process that makes it has another name for its partial file.
into()
{
	into=$1
	shift
	"$@" >"$into.new.$$"
	mv "$into.new.$$" "$into"
}

# whole FILE END: drawing programs do not report a full disk.
whole()
{
	tail -c 20 "$1" | grep -q "$2" && return
	echo "${0##*/}: '$1' was not drawn to its end; is there space?" >&2
	exit 1
}

# bare SVG: without names of files in $dir, which are others the next time
bare()
{
	awk -v at="$dir/" '{ while ((i = index($0, at)) > 0)
		$0 = substr($0, 1, i - 1) substr($0, i + length(at)); print }' "$1"
}

# plot OUT WIDTH HEIGHT: gnuplot's commands on standard input become OUT.svg
# and OUT.png, the former last: it is what make looks at.  Needs $dir.
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

# rgb: awk's function that gives symbol x of n a colour as a number; the symbol
# that most nodes share should be drawn grey instead.
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

# stats: awk's functions of random.awk and stats.awk, for its program
stats()
{
	cat "$(dirname "$0")/random.awk" "$(dirname "$0")/stats.awk"
}

# share: of lines of seed (or another group), room and value, "mean [low, high],
# worst ROOM mean", by a bootstrap over seeds and the walks in each; "-" of none
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

# low_end SHARE WANTED: yes if the low end of what share printed is that at least
low_end()
{
	printf '%s\n' "$1" | awk -v wanted="$2" '{ sub(/^[^[]*\[/, ""); print ($0 + 0 >= wanted + 0 && $0 != "-" ? "yes" : "no") }'
}

# row FIGURE WHAT PAPER OURS WANTED VERDICT: a line of the table that sets the
# paper beside us.
row()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"
}
