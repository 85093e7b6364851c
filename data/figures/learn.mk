# Graphs and likelihoods of cscg-learn with default options, in clean, noisy and
# stochastic worlds, compared with EM with a fixed number of clones.
# LEARN_SEEDS="17001 17002" selects seeds, LIMIT=10 allows each walk 10 CPU
# seconds instead of 60.
LEARN := $(FIG)/learn
LEARN_CLEAN := debruijn-3 debruijn-4 debruijn-5 debruijn-6 walls-8x9 walls-12x12 \
	random-4-20x20 border-10x12 maze-walls maze-five maze-one policy-runs:4 policy-bias:4 \
	policy-wall random-1000-64x64
LEARN_SEEDS := $(call seeds,17001 17002 17003 17004 17005 17006 17007 17008 17009 17010)
LEARN_NOISE := slip-0.01 slip-0.02 slip-0.05 slip-0.1 slip-0.2 misread-0.01 misread-0.05 \
	misread-0.1
LEARN_SHORT := 200 500 1000
LEARN_TSV = $(foreach c,$(LEARN_CLEAN),$(LEARN)/clean/$(subst :,_,$(c)).tsv) \
	$(foreach n,$(LEARN_SHORT),$(LEARN)/short/$(n).tsv) \
	$(foreach c,$(LEARN_NOISE),$(LEARN)/noise/$(c).tsv)

fig-learn: $(FIG)/learn.svg $(FIG)/learn.rows
	@cat $(FIG)/learn.tsv $(FIG)/learn.rows

$(LEARN)/clean/%.tsv: data/figures/learn-clean.sh data/figures/learn-common.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< $(subst _,:,$*) $(LEARN_SEEDS) $(INTO)

$(LEARN)/noise/%.tsv: data/figures/learn-noise.sh data/figures/learn-common.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< $* $(LEARN_SEEDS) $(INTO)

$(LEARN)/short/%.tsv: data/figures/learn-stochastic.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< short $* $(LEARN_SEEDS) $(INTO)

$(FIG)/learn.tsv: data/figures/learn.sh $(LEARN_TSV)
	$(Q)sh $< table $(LEARN_TSV) $(INTO)

$(FIG)/learn.rows: data/figures/learn.sh $(FIG)/learn.tsv
	$(Q)sh $< rows $(FIG)/learn.tsv $(INTO)

$(FIG)/learn.svg: data/figures/learn.sh $(FIGSH) $(FIG)/learn.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/learn.tsv

# Whether the warnings are right, over 200 random worlds of all kinds.
# WARNING_SEED=N selects the worlds; about 20 minutes of CPU.
WARNINGS := $(FIG)/warnings
WARNING_SEED := $(call seeds,61001)
WARNING_TSV = $(foreach n,1 2 3 4 5 6 7 8,$(WARNINGS)/$(n).tsv)

fig-warnings: $(FIG)/warnings.rows
	@cat $(FIG)/warnings.tsv $(FIG)/warnings.rows

$(WARNINGS)/%.tsv: data/figures/learn-warnings.sh data/figures/learn-clean.sh \
    data/figures/learn-noise.sh data/figures/learn-stochastic.sh \
    data/figures/learn-common.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(WARNING_SEED) $* $(INTO)

$(FIG)/warnings.tsv: data/figures/learn-warnings.sh $(WARNING_TSV)
	$(Q)sh $< table $(WARNING_TSV) $(INTO)

$(FIG)/warnings.rows: data/figures/learn-warnings.sh $(FIG)/warnings.tsv
	$(Q)sh $< rows $(FIG)/warnings.tsv $(INTO)
.PHONY: fig-learn fig-warnings
