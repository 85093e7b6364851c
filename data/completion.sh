#!/bin/sh
# completion.sh SHELL BUILDDIR TOOL... - print a completion file for the tools, for
# bash, zsh or fish.
#
# The options come from each tool's --help, whose rows look like
#   -o, --output FILE           help
#       --as dot|graphml        help
#       --start NODE|random     help
# A value with bars is a choice of words, in which capitals stand for any value.
# Any other value, and every operand, is completed as a file name.
shell=$1
build=$2
shift 2
help=$(for t; do "$build/$t" --help || exit 1; done) || exit 1

# Rows, separated by tabs: tool, letter or -, long option, value or -, choices
# separated by commas or -, and help.
rows() {
	printf '%s\n' "$help" | awk -v OFS='\t' '
	function flush() {
		if (option != "")
			print tool, letter, option, value, words, text
		option = ""
	}
	/^usage: / { flush(); tool = $2 }
	/^$/ { flush() }
	/^  (-., |    )--/ {
		flush()
		row = substr($0, 3)
		letter = substr(row, 1, 1) == "-" ? substr(row, 2, 1) : "-"
		row = substr(row, 5)
		text = row
		if (!sub(/^[^ ]+( [^ ]+)?  +/, "", text))
			text = ""
		sub(/  .*/, "", row)
		n = split(row, part, " ")
		option = part[1]
		value = n < 2 ? "-" : part[2]
		words = ""
		n = index(value, "|") ? split(value, word, "|") : 0
		for (i = 1; i <= n; i++)
			if (value !~ /[a-z]/ || word[i] ~ /[^A-Z]/)
				words = words (words == "" ? "" : ",") word[i]
		words = words == "" ? "-" : words
		next
	}
	option != "" && text == "" { sub(/^ +/, ""); text = $0 }
	END { flush() }'
}

for_bash() {
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
	rows | awk -F '\t' '
	{
		all[$1] = all[$1] ($2 == "-" ? "" : " -" $2) " " $3
		if ($4 == "-")
			next
		words = $5 == "-" ? "" : $5
		gsub(/,/, " ", words)
		pattern = $1 ":" $3 ($2 == "-" ? "" : "|" $1 ":-" $2)
		printf "\t%s) words=\"%s\" ;;\n", pattern, words
	}
	END {
		for (t in all)
			printf "\t%s:*) [[ $cur == -* ]] && words=\"%s\" ;;\n", t,
			    substr(all[t], 2) | "sort"
		close("sort")
	}'
	cat <<END
	esac
	[ "\$words" ] && COMPREPLY=(\$(compgen -W "\$words" -- "\$cur"))
}
complete -o default -F _cscg $*
END
}

for_zsh() {
	echo "#compdef $*"
	echo "# zsh completion for the cscg tools"
	echo 'case $service in'
	rows | awk -F '\t' -v q="'" '
	function quote(s) {
		gsub(/\\/, "\\\\", s)
		gsub(/\[/, "\\[", s)
		gsub(/\]/, "\\]", s)
		gsub(/:/, "\\:", s)
		gsub(q, q "\\" q q, s)
		return s
	}
	$1 != tool {
		if (tool != "")
			print "\t    " q "*:file:_files" q " ;;"
		tool = $1
		print tool ")\n\t_arguments -s -S \\"
	}
	{
		words = $5
		gsub(/,/, " ", words)
		value = $4 == "-" ? "" : ":" tolower($4 ~ /\|/ ? "choice" : $4) ":" \
		    ($5 == "-" ? "_files" : "(" words ")")
		many = $6 ~ /may be repeated/
		text = "[" quote($6) "]" value q " \\"
		if ($2 == "-")
			print "\t    " q (many ? "*" : "") $3 text
		else
			print "\t    " q (many ? "*" : "(-" $2 " " $3 ")") q \
			    "{-" $2 "," $3 "}" q text
	}
	END { print "\t    " q "*:file:_files" q " ;;\nesac" }'
}

for_fish() {
	echo "# fish completion for the cscg tools"
	rows | awk -F '\t' -v q="'" '
	function quote(s) {
		gsub(/\\/, "\\\\", s)
		gsub(q, "\\" q, s)
		return q s q
	}
	{
		words = $5
		gsub(/,/, " ", words)
		print "complete -c " $1 ($2 == "-" ? "" : " -s " $2) " -l " \
		    substr($3, 3) ($4 == "-" ? "" : $5 == "-" ? " -r -F" : \
		    " -x -a " quote(words)) " -d " quote($6)
	}'
}

case $shell in
bash | zsh | fish) "for_$shell" "$@" ;;
*) echo "completion.sh: '$shell' is none of bash, zsh, fish" >&2; exit 2 ;;
esac
