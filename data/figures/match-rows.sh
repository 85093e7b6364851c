#!/bin/sh
# match-rows.sh TSV... - what match.sh found, as rows beside the paper: of
# match2d-tied.tsv, match2d-free.tsv and mnist.tsv, by name
. "$(dirname "$0")/common.sh"

# worst COLUMN FILE: the latest step, or the name of a room that never was
worst()
{
	awk -F '\t' -v c="$1" '
	$c !~ /^[0-9]+$/ { never = never " " $1; next }
	$c > most { most = $c }
	END { print (never != "" ? "never:" never : most " steps") }' "$2"
}

# by STEP COLUMN FILE: how many rooms until then
by()
{
	awk -F '\t' -v at="$1" -v c="$2" '
	$c ~ /^[0-9]+$/ && $c <= at { n++ } END { print n + 0 "/" NR }' "$3"
}

# late STEP COLUMN FILE: rooms that are later, with their steps
late()
{
	awk -F '\t' -v at="$1" -v c="$2" '
	$c !~ /^[0-9]+$/ || $c > at { s = s " " $1 "@" $c }
	END { print s }' "$3"
}

# at_most A B: the verdict
at_most()
{
	case $1 in
	never*) echo no ;;
	*) if [ "${1% steps}" -le "$2" ]; then echo yes; else echo no; fi ;;
	esac
}

enough() # N/M WANTED
{
	if [ "${1%/*}" -ge "$2" ]; then echo yes; else echo no; fi
}

for f; do
	case $f in
	*match2d-tied.tsv)
		v=$(worst 2 "$f")
		row S4 'tied: first identified, latest room' '95 steps' "$v" '<= 95' "$(at_most "$v" 95)"
		v=$(by 95 3 "$f")
		row S4 'tied: rooms identified for good by step 95' '-' "$v$(late 95 3 "$f")" '>= 14/15' "$(enough "$v" 14)"
		v=$(by 130 3 "$f")
		row S4 'tied: rooms identified for good by step 130' '-' "$v" '15/15' "$(enough "$v" 15)" ;;
	*match2d-free.tsv)
		v=$(worst 3 "$f")
		row S4 'free: identified for good, latest room' '255 steps' "$v" '<= 255' "$(at_most "$v" 255)" ;;
	*mnist.tsv)
		v=$(worst 2 "$f")
		row S5 'digits: first identified, latest' '50 steps' "$v" '<= 50' "$(at_most "$v" 50)"
		v=$(worst 3 "$f")
		row S5 'digits: identified for good, latest' '-' "$v" '<= 50' "$(at_most "$v" 50)" ;;
	esac
done
