# Every page with commands is run by some test; this file runs those that no
# other test does.
. "$(dirname "$0")/../tap.sh"
cli=$TOP/tests/cli

# Every page with literal blocks: *.1 and the tour by pipe.t, which takes all;
# the others by a test that names them.
for p in $(cd "$TOP/man" && grep -l '^\.Bd -literal' ./*.[157] | sed 's,^\./,,'); do
	case $p in
	*.1|cscg.7|cscg-data.7) by=pipe.t ;;
	cscg-walk.5|cscg-model.5) by=formats.t ;;
	cscg-room.5) by=roomgen.t ;;
	cscg-codebook.5) by=vq-kmeans.t ;;
	cscg-library.5) by=library.t ;;
	cscg-env.5) by=gym.t ;;
	cscg-cluster.7) by=cluster.t ;;
	cscg-python.7) by=python.t ;;
	cscg-tutorial.7) by=tutorial.t ;;
	cscg-tuning.7|cscg-choosing.7) by=examples.t ;;
	*) by='' ;;
	esac
	case $by in
	'') holds "$p is run by a test" 'echo by none; false' ;;
	pipe.t) holds "$p is run by pipe.t" "grep -Fq '/man/*.1 \"\$TOP\"/man/cscg.7' '$cli/pipe.t' ||
	    grep -Fq '\"\$TOP\"/man/*.1' '$cli/pipe.t'" ;;
	*) holds "$p is run by $by" "grep -q '$p' '$cli/$by'" ;;
	esac
done

# The commands of the EXAMPLES of a page: blocks whose first word is a tool, a
# variable, or a word of the shell.
commands() { # PAGE
	awk '/^\.Sh/ { here = /EXAMPLES/ } /^\.Bd -literal/ && here { on = 1; block = ""; next }
	/^\.Ed/ && on { on = 0; if (block !~ /^(in all:|[a-z]+:|#|[0-9])/) printf "%s", block }
	on { gsub(/\\e/, "\\"); block = block $0 "\n" }' "$1"
}
# cscg-tuning(7) assumes a walk; without AVX2 any kernel is used.
mkdir tuning
roomgen rectangle --size 4x4 --slip .1 | roomwalk -n 1000 -o tuning/walk.gz
commands "$TOP/man/cscg-tuning.7" >tuning/run
holds 'cscg-tuning(7) has two commands' '[ "$(grep -c cscg-learn tuning/run)" = 2 ]'
grep -qw avx2 /proc/cpuinfo || sed -i 's/CSCG_ISA=avx2/CSCG_ISA=c/' tuning/run
exits 0 'and they run' 'cd tuning && sh -e ./run'
exactly 'without a message' ''

mkdir choosing
commands "$TOP/man/cscg-choosing.7" >choosing/run
holds 'cscg-choosing(7) has commands' '[ "$(grep -c cscg-learn choosing/run)" -ge 3 ]'
exits 0 'and they run' 'cd choosing && sh -e ./run'
# The table behind it.  Starts that end at 1, 2 and 4 nats: one of them is
# (0 + 1 + 3) / 3 above the best in the mean, the better of two (0 + 0 + 1) / 3.
{
	printf 'starts\t7\t%s\t8\t%s\t-\n' 0 2 1 4 2 1
	for s in 1:5:1 2:9:3 3:4:1; do
		set -- $(echo $s | tr : ' ')
		printf 'clones\t%s\t%s\t%s\t%s\t%s\n' $1 2 given $2 $1 $1 0 true $3 9
	done
} >some
same 'cscg-choosing(7): best of n starts, and medians above the truth' \
    "sh '$TOP/data/figures/choosing.sh' table some | grep -v '^#' | grep -v true | sort" \
    'printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n" clones given 2 4.0000 3.0000 6.0000 2 \
        starts 8 1 1.3333 1.3333 1.3333 0 starts 8 2 0.3333 0.3333 0.3333 0'
finish
