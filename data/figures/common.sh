# common.sh - what the scripts of figures share; sourced, with the tools on PATH
# shellcheck shell=sh
set -eu

scratch() # sets $dir, gone at the end
{
	dir=$(mktemp -d "${TMPDIR:-/tmp}/cscg-figure.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	trap 'exit 1' HUP INT TERM
}

# plot OUT WIDTH HEIGHT: gnuplot's commands on standard input become OUT.svg
# and OUT.png.
plot()
{
	cat >"$1.gp"
	gnuplot -e "set terminal svg size $2,$3 dynamic enhanced background 'white' font 'sans,13'; set output '$1.svg.new'" "$1.gp"
	gnuplot -e "set terminal pngcairo size $2,$3 enhanced background 'white' font 'sans,10'; set output '$1.png.new'" "$1.gp"
	mv "$1.svg.new" "$1.svg"
	mv "$1.png.new" "$1.png"
	rm -f "$1.gp"
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
	cscg-show --as tsv --nodes "$1" | awk -F '\t' "$rgb"'
	!/^#/ { x[n + 0] = $5; y[n + 0] = -$4; s[n + 0] = $2; n++
	    if (++of[$2] > of[most]) most = $2 }
	END { for (i = 0; i < n; i++)
		print x[i], y[i], (s[i] == most && of[most] > 1 ? 15263976 : rgb(s[i])) }'
}

# row FIGURE WHAT PAPER OURS WANTED VERDICT: a line of the table that sets the
# paper beside us.
row()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"
}
