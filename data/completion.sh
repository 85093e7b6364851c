#!/bin/sh
# completion.sh BUILDDIR TOOL... - print a bash completion file for the tools.
#
# The options come from each tool's --help, whose rows look like
#   -o, --output FILE           help
#       --as dot|graphml        help
#       --start NODE|random     help
# A value with bars in it is a choice of words; one in capitals among others
# stands for a value.  Any other value, and every operand, is completed as a file
# name.
build=$1
shift
help=$(for t; do "$build/$t" --help || exit 1; done) || exit 1

cat <<'END'
# bash completion for the cscg tools
_cscg()
{
	local tool=${1##*/} cur=$2 opt=${COMP_WORDS[COMP_CWORD - 1]} words=
	COMPREPLY=()
	# --as=do arrives as three words
	[ "$cur" = = ] && cur=
	[ "$opt" = = ] && opt=${COMP_WORDS[COMP_CWORD - 2]}
	case $tool:$opt in
END
printf '%s\n' "$help" | awk '
/^usage: / { tool = $2 }
/^  (-., |    )--/ {
	row = substr($0, 3)
	letter = substr(row, 1, 1) == "-" ? substr(row, 1, 2) : ""
	row = substr(row, 5)
	sub(/  .*/, "", row)
	n = split(row, part, " ")
	words[tool] = words[tool] (letter ? " " letter : "") " " part[1]
	if (n < 2)
		next
	value = ""
	if (index(part[2], "|")) {
		n = split(part[2], word, "|")
		for (i = 1; i <= n; i++)
			if (part[2] !~ /[a-z]/ || word[i] ~ /[^A-Z]/)
				value = value (value == "" ? "" : " ") word[i]
	}
	pattern = tool ":" part[1] (letter ? "|" tool ":" letter : "")
	printf "\t%s) words=\"%s\" ;;\n", pattern, value
}
END {
	for (t in words)
		printf "\t%s:*) [[ $cur == -* ]] && words=\"%s\" ;;\n", t,
		    substr(words[t], 2) | "sort"
	close("sort")
}'
cat <<END
	esac
	[ "\$words" ] && COMPREPLY=(\$(compgen -W "\$words" -- "\$cur"))
}
complete -o default -F _cscg $*
END
