# near.awk - compare two texts: integers and words exactly, reals to 1e-5
#
#   awk -f near.awk WANTED GOT
#
# A number that has a point or an exponent on either side is a real; two reals
# are equal if they differ by at most 1e-5 of the larger, or by 1e-7, which is the
# resolution of probabilities near 1 in single precision.  Lines
# "=== NAME" name the files that the texts are made of.  Prints the first three
# differences; the status is 1 if there are any.
function difference(what) {
	if (++n_bad <= 3)
		printf "%s: line %d: %s\n", name, line, substr(what, 1, 200)
}
function abs(x) { return x < 0 ? -x : x }
function near(a, b,    d, m) {
	if (a !~ number || b !~ number || (a !~ /[.eE]/ && b !~ /[.eE]/))
		return 0
	d = abs(a - b)
	m = abs(a) > abs(b) ? abs(a) : abs(b)
	return d <= 1e-5 * m || d <= 1e-7
}
function compare(want, got,    i, n, v, w, a, b) {
	a = want
	b = got
	gsub(/[^][(){}<>,:;="\t ]+/, "", a)
	gsub(/[^][(){}<>,:;="\t ]+/, "", b)
	n = split(want, v, /[][(){}<>,:;="\t ]/)
	if (a != b || split(got, w, /[][(){}<>,:;="\t ]/) != n) {
		difference("wanted " substr(want, 1, 80) ", got " substr(got, 1, 80))
		return
	}
	for (i = 1; i <= n; i++)
		if (v[i] "" != w[i] "" && !near(v[i], w[i])) {
			difference("field " i ": wanted " v[i] ", got " w[i])
			return
		}
}
BEGIN {
	number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
	name = ARGV[2]
	for (;;) {
		more_want = (getline want <ARGV[1]) > 0
		more_got = (getline got <ARGV[2]) > 0
		if (!more_want || !more_got)
			break
		line++
		if (want ~ /^=== / && want == got) {
			name = substr(want, 5)
			line = 0
		} else if (want != got)
			compare(want, got)
	}
	line++
	if (more_want)
		difference("missing: " want)
	if (more_got)
		difference("unexpected: " got)
	exit n_bad > 0
}
