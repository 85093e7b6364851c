# Recipes of data/recipes: the parts that run without the programs that read them;
# make check-root runs their commands on a clean Debian.
# all: needs snakemake
. "$(dirname "$0")/../tap.sh"
recipes=$TOP/data/recipes
version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")

same 'conda: the version is that of the Makefile' "sed -n 's/^  version: //p' '$recipes/meta.yaml'" "echo '\"$version\"'"
if has_python yaml; then
	# Jinja expressions stand where YAML has a string.
	sed "s/{{ compiler('c') }}/compiler/" "$recipes/meta.yaml" >meta.yaml
	same 'conda: the recipe is YAML' "python3 -c 'import yaml; d = yaml.safe_load(open(\"meta.yaml\")); print(*d)'" \
	    'echo package source build requirements test about'
else
	tap 0 'conda # SKIP no PyYAML'
fi
exits 0 'the test of the recipes' "$(sed -n '/^%test/,$s/^    //p' "$recipes/cscg.def")"

if command -v snakemake >/dev/null; then
	# A ring of four cells, one of which has a gate; five episodes.
	awk 'BEGIN { print "episode,x,a"
		for (e = 0; e < 5; e++)
			for (c = t = 0; t < 200; t++) {
				s = (s * 16807 + 11) % 2147483647
				a = int(s / 1000) % 2
				print e "," (c ? "wall" : "gate") "," (a ? "on" : "back")
				c = (c + (a ? 1 : 3)) % 4
			} }' >maze.csv
	exits 0 'snakemake' "HOME=$dir XDG_CACHE_HOME=$dir snakemake -j 1 -s '$recipes/Snakefile' --config episodes=5 table=maze.csv >log 2>&1"
	same 'a score for each episode' 'cut -f 1 scores.tsv' 'printf "%s\n" "#episode" 0 1 2 3 4'
	same 'each episode was left out once' 'ls without-*.gz | wc -l' 'echo 5'
	# With four known states only the start is uncertain.
	holds 'each left-out episode is predicted' "awk -F '\t' 'NR > 1 && \$4 > 0.02 { bad = 1 } END { exit bad || NR != 6 }' scores.tsv"
else
	tap 0 'snakemake # SKIP it is not installed'
fi
finish
