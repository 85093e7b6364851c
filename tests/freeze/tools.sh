# tools.sh - run the pipelines of pipelines.txt; sourced, with $FREEZE set to
# the directory of this file
#
#   freeze_names                  names of all pipelines
#   freeze_wrap DIR BUILD TABLE   write into DIR a wrapper for each tool that has
#                                 renamed options in TABLE
#   freeze_run NAME DIR PATH      run a pipeline in DIR, with the tools in PATH;
#                                 standard error goes to DIR.err
#   freeze_unpack DIR             unpack the files in DIR and drop their history
#   freeze_words TABLE            filter: words of results that TABLE renames
#   freeze_text DIR FILE...       files of a result as one text for near.awk
#
# The result of a pipeline may depend on the kernel (CSCG_ISA) in the last
# digits; the default here is the C one, which every CPU has.
: "${CSCG_ISA:=c}"
export CSCG_ISA LC_ALL=C OMP_NUM_THREADS=1

freeze_names() {
	sed -n 's/^\[\(.*\)\]$/\1/p' "$FREEZE/pipelines.txt"
}

# A wrapper is a shell script that rewrites its arguments up to "--" and runs the
# tool: so the options of "cscg-plan ... -- roomserve ..." are each those of
# their own tool.
freeze_wrap() { # DIR BUILD TABLE
	mkdir -p "$1"
	awk -F '\t' -v dir="$1" -v build="$2" '
	function quote(s) { gsub(/\047/, "\047\\\047\047", s); return "\047" s "\047" }
	function words(s, tail,    i, n, w, out) {
		n = split(s, w, " ")
		for (i = 1; i <= n; i++)
			out = out " " quote(w[i]) (i == n ? tail : "")
		return out
	}
	function rule(pattern, value) {
		return "\t" pattern ") set -- \"$@\"" value " ;;\n"
	}
	# Words in a row, capital letters for any value: "--rows A --cols B".
	function row(n, old, s,    i, j, m, test, out, w, v) {
		test = "[ \"$a\" = " quote(old[1]) " ] && [ \"$n\" -ge " n - 1 " ]"
		for (i = 2; i <= n; i++)
			if (old[i] !~ /^[A-Z]$/)
				test = test " && [ \"$" i - 1 "\" = " quote(old[i]) " ]"
		m = split(s, w, " ")
		for (i = 1; i <= m; i++) {
			v = quote(w[i])
			if (w[i] !~ /^-/)
				for (j = 2; j <= n; j++)
					if (old[j] ~ /^[A-Z]$/)
						gsub(old[j], "\047\"$" j - 1 "\"\047", v)
			out = out " " v
		}
		return test " && {\nset -- \"$@\"" out "\nshift " n - 1 \
		    "\nn=$((n - " n - 1 "))\ncontinue\n}\n"
	}
	/^#/ || $1 == "" || $1 == "output" { next }
	{
		n = split($2, old, " ")
		if (n == 1) {
			one[$1] = one[$1] rule(quote(old[1]), words($3, ""))
			one[$1] = one[$1] rule(quote(old[1] "=") "*",
			    words($3, "\"=${a#*=}\""))
		} else {
			rows[$1] = rows[$1] row(n, old, $3)
			if (n == 2 && old[2] !~ /^[A-Z]$/)
				one[$1] = one[$1] rule(quote(old[1] "=" old[2]), words($3, ""))
		}
		tools[$1]
	}
	END {
		for (t in tools) {
			f = dir "/" t
			# Words are taken from the front and added at the end.
			# Rows of words are looked for first.
			printf "#!/bin/sh\nn=$#\nwhile [ \"$n\" -gt 0 ]; do\n" \
			    "a=$1\nshift\nn=$((n - 1))\n" >f
			printf "if [ \"$a\" = -- ]; then\n\tset -- \"$@\" --\n" \
			    "\twhile [ \"$n\" -gt 0 ]; do\n\t\tset -- \"$@\" \"$1\"\n" \
			    "\t\tshift\n\t\tn=$((n - 1))\n\tdone\n\tbreak\nfi\n" >f
			printf "%scase $a in\n%s\t*) set -- \"$@\" \"$a\" ;;\nesac\ndone\n",
			    rows[t], one[t] >f
			printf "exec %s \"$@\"\n", quote(build "/" t) >f
			close(f)
		}
	}' "$3" || return
	for freeze_f in "$1"/*; do
		[ ! -f "$freeze_f" ] || chmod +x "$freeze_f"
	done
}

freeze_functions='
numbers() { # only the numbers of a text for people
	awk "{ n = split(\$0, w, /[^-+.0-9eE]+/); s = \"\"
		for (i = 1; i <= n; i++)
			if (w[i] ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?[.]?\$/)
				s = s \" \" w[i]
		if (s != \"\") print s }"
}
data_of_page() { # the data in an HTML page, without its texts
	sed -n "/<script type=.application\/json/,/<\/script>/p" |
	    sed -e 1d -e "/<\/script>/d" -e "s/\"note\":\"[^\"]*\"//"
}
no_history() { # FILE: unpacked
	gzip -dcf <"$1" | sed "/^{\"format\":\"cscg-/s/,\"history\":\[.*/}/
	    s/^\({\"format\":\"cscg-model\",\"version\":\)2\(.*\),\"learned\":{[^}]*}/\11\2/"
}
status() { # N COMMAND: it must end with status N
	want=$1
	shift
	rc=0
	"$@" || rc=$?
	[ "$rc" = "$want" ]
}
'

freeze_run() { # NAME DIR PATH
	mkdir -p "$2"
	{
		printf '%s' "$freeze_functions"
		awk -v name="[$1]" '/^\[/ { on = $0 == name; next } on && !/^;/' \
		    "$FREEZE/pipelines.txt"
	} >"$2.sh"
	(cd "$2" && PATH=$3:$PATH sh -eu "$2.sh" >"$2.out" 2>"$2.err" </dev/null) ||
	    return
	mv "$2.out" "$2/stdout"
}

# History is the last key of an object.  What learning knows about a model came
# with 2.0.0 and version 2 of its format.
freeze_unpack() { # DIR
	for freeze_f in "$1"/*; do
		if [ "$(head -c 2 "$freeze_f" | od -An -tx1 | tr -d ' \n')" = 1f8b ]; then
			gzip -dc <"$freeze_f" >"$1.plain" || return
			mv "$1.plain" "$freeze_f" || return
		fi
		case $freeze_f in
		*.npy | *.ppm) ;;
		*)
			sed '/^{"format":"cscg-/s/,"history":\[.*//
			    /^{"format":"cscg-model","version":2,.*,"learned":{/{
				s/,"learned":{[^}]*}//
				s/"version":2/"version":1/
			    }
			    /^{"stage":"learned"/d
			    s/, confidence [0-9.]*//g
			    s/ style=dashed//' "$freeze_f" >"$1.plain" || return
			mv "$1.plain" "$freeze_f" || return ;;
		esac
	done
}

# A file as text that near.awk can compare: arrays as numbers, pictures by a
# checksum.
freeze_file() { # FILE
	case $1 in
	*.npy)
		freeze_n=$(($(od -An -j8 -N2 -tu2 "$1") + 10))
		freeze_t=$(head -c "$freeze_n" "$1" |
		    sed -n "s/.*'descr': '[<|]\([a-z][0-9]\)'.*/\1/p")
		head -c "$freeze_n" "$1" | tail -c +11 | sed 's/ *$//'
		tail -c +$((freeze_n + 1)) "$1" |
		    od -An -v -t"$(echo "$freeze_t" | tr i d)" | awk '{ $1 = $1 } 1' ;;
	*.ppm) cksum <"$1" ;;
	*) cat "$1" ;;
	esac
}

freeze_text() { # DIR FILE...
	freeze_d=$1
	shift
	for freeze_f; do
		echo "=== $freeze_f"
		freeze_file "$freeze_d/$freeze_f"
	done
}

freeze_words() { # TABLE
	if ! grep -q '^output	' "$1"; then
		cat
		return
	fi
	awk -F '\t' -v table="$1" '
	BEGIN {
		while ((getline <table) > 0)
			if ($1 == "output")
				now[$2] = $3
	}
	{
		s = $0
		r = ""
		while (match(s, /[A-Za-z0-9_-]+/)) {
			w = substr(s, RSTART, RLENGTH)
			r = r substr(s, 1, RSTART - 1) (w in now ? now[w] : w)
			s = substr(s, RSTART + RLENGTH)
		}
		print r s
	}'
}
