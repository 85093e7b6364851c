# spoil.awk - variants of a valid JSON file with one error each
#
#   awk -v dir=DIRECTORY -v name=NAME -f spoil.awk FILE
#
# Each key is renamed once, and its value is replaced by values of other types; an
# array also gets one item more, and loses all.  One numbered file for each.

# The position after the value that begins at i.
function ends(s, i,    c, depth, quoted) {
	for (; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (quoted) {
			if (c == "\\")
				i++
			else if (c == "\"")
				quoted = 0
		} else if (c == "\"") {
			quoted = 1
		} else if (c ~ /[[{]/) {
			depth++
		} else if (c ~ /[]}]/) {
			if (!depth)
				return i
			depth--
		} else if (c == "," && !depth) {
			return i
		}
	}
	return i
}

function put(text,    file) {
	file = dir "/" name "-" ++n
	printf "%s", text >file
	close(file)
}

{ s = s $0 "\n" }

END {
	n_other = split("null \"x\" -1 1e99 2.5 [] {} true 99999999999 " \
	    "\"\\u0007\"", other, " ")
	for (at = 1; match(substr(s, at), /"[a-z_0-9]+":/); at = i) {
		key = at + RSTART - 1
		i = key + RLENGTH
		before = substr(s, 1, i - 1)
		j = ends(s, i)
		put(substr(s, 1, key) "zz_" substr(s, key + 1))
		for (k = 1; k <= n_other; k++)
			put(before other[k] substr(s, j))
		if (substr(s, i, 1) != "[")
			continue
		for (k = 1; k <= n_other; k++)
			put(before "[" other[k] \
			    (substr(s, i + 1, 1) == "]" ? "" : ",") \
			    substr(s, i + 1))
		for (k = 1; k <= n_other; k++) {
			put(before "[" other[k] \
			    substr(s, ends(s, i + 1)))
		}
	}
}
