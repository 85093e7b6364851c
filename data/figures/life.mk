# Beyond the paper: an agent and its library in a sequence of twelve worlds.
LIFE := $(FIG)/life
LIFE_SEEDS := $(call seeds,17001 17002 17003 17004 17005 17006 17007 17008 17009 17010)
# LIFE_NOISE='0 .03' also makes lives without noise.
LIFE_NOISE := .03
LIFE_TSV := $(foreach n,$(LIFE_NOISE),$(foreach s,$(LIFE_SEEDS),$(LIFE)/$(s)-$(n).tsv))

fig-life: $(FIG)/life.tsv $(FIG)/life.rows $(FIG)/life.svg
	@cat $(FIG)/life.tsv $(FIG)/life.rows

$(LIFE)/%.tsv: data/figures/life.sh data/figures/life-world.py data/figures/grid_env.py $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(subst -, ,$*) $(INTO)

$(FIG)/life.tsv: data/figures/life.sh $(LIFE_TSV)
	$(Q)sh $< table $(LIFE_TSV) $(INTO)

$(FIG)/life.rows: data/figures/life.sh $(FIGSH) $(FIG)/life.tsv
	$(Q)sh $< rows $(FIG)/life.tsv $(INTO)

$(FIG)/life.svg: data/figures/life.sh $(FIGSH) $(FIG)/life.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/life.tsv
