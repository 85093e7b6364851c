# Everything a user reads agrees: --help, pages, completion, README, NEWS, the
# package and the citation.
. "$(dirname "$0")/../tap.sh"
version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")
man=$TOP/man

# --- options: --help, the page, completion

# LETTER WORD DEFAULT of each option of a --help, "-" for none; a choice is
# "-c WORD a b c" besides.
options() {
	awk '/^  (-., |    )--/ {
		letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : "-"
		rest = substr($0, 7)
		word = rest; sub(/[ ].*/, "", word)
		value = rest; sub(/  .*/, "", value)
		values = index(value, "|") ? substr(value, index(value, " ") + 1) : ""
		if (rest !~ /  /) { getline more; rest = rest more }
		def = "-"
		if (rest ~ /\[[^][ ]*\]$/) { def = rest; sub(/.*\[/, "", def); sub(/\]$/, "", def) }
		print letter, substr(word, 3), def
		gsub(/\|/, " ", values)
		# "NODE|random": the first stands for a value.
		if (values ~ /[a-z]/) gsub(/(^| )[A-Z]+( |$)/, " ", values)
		gsub(/^ | $/, "", values)
		if (values != "") print "-c", substr(word, 3), values
	}'
}
# The same of the completion file, without defaults.
completed() { # TOOL
	awk -v t="$1" 'index($1, t ":") == 1 && $1 ~ /:\*\)$/ {
		sub(/.*words="/, ""); sub(/".*/, ""); n = split($0, w, " ")
		for (i = 1; i <= n; i++) {
			letter = "-"
			if (w[i] !~ /^--/) letter = substr(w[i++], 2)
			print letter, substr(w[i], 3)
		}
	}
	index($1, t ":--") == 1 && /words="[^"]/ {
		word = $1; sub(/.*:--/, "", word); sub(/[|)].*/, "", word)
		v = $0; sub(/.*words="/, "", v); sub(/".*/, "", v)
		print "-c", word, v
	}' "$BUILD/completion/cscg"
}
# The text of an option in a page, on one line, and macros gone.
item() { # PAGE WORD
	awk -v w="$2" '/^\.Bl/ { depth++ } /^\.El/ { depth-- }
	/^\.It / && (!on || depth <= level) { on = 0; n = split($0, p, " ")
		for (i = 2; i < n; i++) if (p[i] == "Fl" && p[i + 1] == "-" w) { on = 1; level = depth } }
	/^\.S[hs]/ || (on && depth < level) { on = 0 }
	on { sub(/^\.(It )?[A-Z][a-z] /, ""); printf "%s ", $0 }' "$1"
}
# Does the text on standard input say that this is the default?
says_default() { # VALUE
	awk -v d="$1" '{ at = index($0, "default"); if (!at) exit 1
		s = $0
		# In "walk ...  This is the default" the value comes before,
		# otherwise after.
		if (s !~ /This is the default/) s = substr(s, at)
		n = split(s, t, /[][,;:() ]+|[.] /)
		for (i = 1; i <= n; i++) {
			sub(/[.]$/, "", t[i])
			if (t[i] == d || (d ~ /^[0-9.e-]+$/ && t[i] ~ /^[0-9.]+(e-?[0-9]+)?$/ && t[i] + 0 == d + 0)) exit 0
		}
		exit 1 }'
}
tools=$(all_tools)
for t in $tools; do
	"$t" --help | options >help
	same "$t: completion has the options of --help, no others" \
	    "awk '\$1 != \"-c\" { print \$1, \$2 }' help | sort" "completed $t | grep -v '^-c' | sort"
	same "$t: completion has the choices of --help" "grep '^-c' help | sort" "completed $t | grep '^-c' | sort"
	holds "$t: no default is given twice" '! "$t" --help | grep "(default.*\[[^][ ]*\]\$"'
	holds "$t: choices are in its page" "grep '^-c' help >choices
	    while read -r c word values; do for v in \$values; do
	    grep -q -- \"C[md] .*\$v\" '$man/$t.1' || grep -qw -- \"\$v\" '$man/$t.1' ||
	    { echo \"--\$word \$v\"; no=1; }; done; done <choices; [ ! \"\$no\" ]"
	holds "$t: defaults are the same in its page" "
	    awk '\$1 != \"-c\" && \$3 != \"-\" { print \$2, \$3 }' help >defaults
	    while read -r word def; do item '$man/$t.1' \"\$word\" | says_default \"\$def\" ||
	    { echo \"--\$word: \$def\"; no=1; }; done <defaults; [ ! \"\$no\" ]"
done

# --- pages

pages=$(cd "$man" && ls ./*.[157] | sed 's,^\./,,')
for p in $pages; do
	name=${p%.*} sec=${p##*.}
	holds "$p is headed by its name" "grep -q '^\.Dt $(echo "$name" | tr a-z A-Z) $sec\$' '$man/$p' &&
	    grep -q '^\.Nm $name\$' '$man/$p' && grep -q '^\.Nd ' '$man/$p'"
	case $sec in
	1)	holds "$p has all parts" "for s in SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		    grep -q \"^\.Sh \$s\" '$man/$p' || { echo \"\$s\"; exit 1; }; done" ;;
	*)	holds "$p has all parts" "grep -q '^\.Sh DESCRIPTION' '$man/$p' && grep -q '^\.Sh SEE ALSO' '$man/$p'" ;;
	esac
	sed -n '/^\.Sh SEE ALSO/,/^\.\(Sh\|Pp\)/s/^\.Xr \([^ ]*\) \([0-9]\).*/\2 \1/p' "$man/$p" >also
	holds "$p: SEE ALSO is in order, each once" 'LC_ALL=C sort -u also | cmp - also'
	if [ "$p" = cscg.7 ]; then
		same 'the tour leads to every other page' 'cat also' \
		    "cd '$man' && ls *.[157] | grep -v '^cscg\.7\$' | sed 's/\(.*\)\.\(.\)\$/\2 \1/' | LC_ALL=C sort"
	else
		holds "$p: SEE ALSO has the tour, not itself" "grep -qx '7 cscg' also && ! grep -qx '$sec $name' also"
	fi
	# Pages of other programs are listed here.
	holds "$p: pages it refers to are there" "sed -n 's/^\.\(It \)\{0,1\}Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' '$man/$p' |
	    sort -u >refs; while read -r r; do case \$r in
	    *.[23]|cat.1|dot.1|gzip.1|mpirun.1|srun.1|sbatch.1|squeue.1|sacct.1|gnuplot.1|python3.1|neato.1|pkg-config.1) continue ;; esac
	    [ -e '$man'/\$r ] || { echo \$r; no=1; }; done <refs; [ ! \"\$no\" ]"
	holds "$p: sections it refers to are there" "sed -n 's/^\.\(.* \)\{0,1\}Sx //p' '$man/$p' | sed 's/ [.,;:)]*\$//' >refs
	    while read -r r; do grep -qx \"\.S[hs] \$r\" '$man/$p' || { echo \$r; no=1; }; done <refs; [ ! \"\$no\" ]"
done
holds 'the tour has a line for every tool' "for t in $(echo $tools); do
    grep -q \"^\.It Xr \$t 1 Ta\" '$man/cscg.7' && grep -q \"^\.It Xr \$t 1\\\$\" '$man/cscg.7' || { echo \$t; exit 1; }; done"
holds 'cscg(7) lists every file format and overview' "for p in \$(cd '$man' && ls *.[57] | grep -v '^cscg\.7\$'); do
    grep -q \"^\.It Xr \${p%.*} \${p##*.}\\\$\" '$man/cscg.7' || { echo \$p; no=1; }; done; [ ! \"\$no\" ]"
holds 'things of make that are named can be made' "
    grep -oh '\`make [a-z][a-z0-9-]*' '$TOP/README.md' '$TOP/CONTRIBUTING.md' | sed 's/.* //' >named
    sed -n 's/^    make \([a-z][a-z-]*\).*/\1/p' '$TOP/CONTRIBUTING.md' >>named
    sed -n 's/^make \([a-z][a-z-]*\).*/\1/p' '$TOP/README.md' >>named
    sed -n 's/^\.Ql make \([a-z][a-z0-9-]*\).*/\1/p' '$man'/* | grep -v '^fig-\$' >>named
    sort -u named | while read -r g; do [ -e '$TOP'/tests/bench/\${g#bench-}.sh ] || cat '$TOP/Makefile' \$(find '$TOP' -name '*.mk') |
    grep -Eq \"^([a-z0-9-]+ )*\$g( [a-z0-9-]+)*:\" || echo \$g; done >unknown
    cat unknown; [ ! -s unknown ] && [ \$(sort -u named | wc -l) -ge 8 ]"

# --- the glossary: options, headers and identifiers exist

glossary=$man/cscg-glossary.7
for t in $tools; do
	"$t" --help
done >helps
holds 'options of the glossary are options of a tool' "
    sed -n 's/^\.Fl -\([a-z-]*\).*/\1/p' '$glossary' | sort -u >named
    while read -r o; do grep -Eq -- \"^  (-., |    )--\$o( |\$)\" helps || { echo --\$o; no=1; }; done <named
    [ ! \"\$no\" ] && [ \$(wc -l <named) -ge 30 ]"
holds 'as are their choices' "
    sed -n 's/^\.Fl -\([a-z-]*\) Cm \([a-z]*\) .*/\1 \2/p' '$glossary' >named
    while read -r o c; do grep -Eq -- \"--\$o .*[ |]\$c([| ]|\$)\" helps || { echo --\$o \$c; no=1; }; done <named
    [ ! \"\$no\" ] && [ -s named ]"
# "NAME HEADER" of each identifier, the header being the next one of its entry,
# or "-": any header.
awk '/^\.It / || /^\.E[ld]/ { for (i in id) print id[i], "-"; delete id; n = 0 }
/^\.(Fn|Va) / { id[n++] = $2 }
/^\.Vt / { id[n++] = $3; sub(/"$/, "", id[n - 1]) }
/^\.Pa [a-z]+\/[a-z_]+\.h/ { for (i in id) print id[i], $2; delete id; n = 0; print "", $2 }' "$glossary" >named
holds 'its identifiers are declared in the headers that it names' "
    while read -r id h; do
    [ \"\$h\" ] || { h=\$id id=; }
    case \$h in -) grep -rqw --include='*.h' \"\$id\" '$TOP/lib' ;;
    *) [ -e '$TOP'/lib/\$h ] && grep -qw \"\$id\" '$TOP'/lib/\$h ;; esac ||
    { echo \$id \$h; no=1; }; done <named; [ ! \"\$no\" ] && [ \$(wc -l <named) -ge 60 ]"

# --- versions

# NEWS of the next version is written before VERSION says so.
holds 'NEWS begins with this version, or with the next' "grep '^[0-9]' '$TOP/NEWS' | head -n 2 | grep -qxF '$version'"
holds 'and goes down from there' "grep '^[0-9]' '$TOP/NEWS' >v && sort -rV v | cmp - v && [ -z \"\$(uniq -d v)\" ]"
deb=$(sed -n '1s/^cscg (\(.*\)) .*/\1/p' "$TOP/debian/changelog")
cff=$(sed -n 's/^version: //p' "$TOP/CITATION.cff")
# A release is prepared before VERSION says so, never after.
for v in "changelog $deb" "CITATION.cff $cff"; do
	holds "${v% *} is of this version, or of the next" \
	    "[ -n '${v#* }' ] && [ \"\$(printf '%s\n' '$version' '${v#* }' | sort -V | tail -n 1)\" = '${v#* }' ]"
done
same 'both are of the same' "echo '$deb'" "echo '$cff'"
same 'both have the same date' "date -u +%F -d \"\$(sed -n '/^ -- /{s/.*>  //p;q;}' '$TOP/debian/changelog')\"" \
    "sed -n 's/^date-released: \"\(.*\)\"/\1/p' '$TOP/CITATION.cff'"
so=libcscg${deb%%.*}
holds 'the package of the library has its number' "grep -qx 'Package: $so' '$TOP/debian/control' &&
    [ -e '$TOP/debian/$so.install' ] && grep -q '^libcscg.so.${deb%%.*} $so ' '$TOP/debian/$so.symbols'"
holds 'the license is the same' "sed -n '/^Permission/,\$p' '$TOP/LICENSE' >a
    sed -n '/^ Permission/,\$p' '$TOP/debian/copyright' | sed 's/^ //; s/^\.\$//' | cmp - a &&
    grep -q '^Copyright: 2026 the cscg authors' '$TOP/debian/copyright' &&
    grep -q '^Copyright (c) 2026 the cscg authors' '$TOP/LICENSE' && grep -q '^license: MIT' '$TOP/CITATION.cff'"
holds 'the paper is the same in README and citation' "
    tr '\n>' '  ' <'$TOP/README.md' | tr -s ' ' | grep -q 'Graph schemas as abstractions for transfer learning, inference, and planning' &&
    grep -q 'title: Graph schemas as abstractions for transfer learning, inference, and planning' '$TOP/CITATION.cff' &&
    for n in \$(sed -n 's/.*family-names: //p' '$TOP/CITATION.cff'); do grep -q \"\$n\" '$TOP/README.md' || { echo \$n; exit 1; }; done"
if has_python yaml; then
	# Required by the schema of CFF 1.2.
	exits 0 'the citation is YAML with the keys it needs' "python3 -c '
import yaml
c = yaml.safe_load(open(\"$TOP/CITATION.cff\"))
assert c[\"cff-version\"] == \"1.2.0\" and c[\"type\"] == \"software\"
assert all(c[k] for k in (\"message\", \"title\", \"authors\"))
assert isinstance(c[\"version\"], str) and c[\"authors\"] == [{\"name\": \"cscg developers\"}]
r, = c[\"references\"]
assert len(r[\"authors\"]) == 9 and r[\"type\"] and r[\"title\"] and r[\"year\"] == 2023'"
else
	tap 0 'the citation is YAML # SKIP no python3-yaml'
fi
if command -v mandoc >/dev/null; then
	exits 0 'the manual as HTML' "make -s -C '$TOP' BUILD='$PWD/manual' html"
	same 'make html makes all pages' 'cd manual/html && ls | sed "s/\.html\$//"' "cd '$man' && ls"
	holds 'links lead to pages' "for f in \$(grep -oh 'href=\"cscg[^\"#]*\.html' manual/html/*.html | sed 's/href=.//' | sort -u); do
	    [ -e manual/html/\$f ] || { echo \$f; exit 1; }; done"
else
	tap 0 'the manual as HTML # SKIP no mandoc'
fi
finish
