# Beyond the paper: agents in environments that differ from their models.
LIVE := $(FIG)/live
LIVE_CASES := door unseen slip misread known two new turns arrival
LIVE_SEEDS := $(call seeds,16001 16002 16003 16004 16005 16006 16007 16008 16009 16010)
LIVE_TSV := $(foreach c,$(LIVE_CASES),$(foreach s,$(LIVE_SEEDS),$(LIVE)/$(c)-$(s).tsv))

fig-live: $(FIG)/live.tsv $(FIG)/live.rows
	@cat $^

$(LIVE)/%.tsv: data/figures/live.sh data/figures/live-world.py data/figures/grid_env.py $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(subst -, ,$*) $(INTO)

$(FIG)/live.tsv: data/figures/live.sh $(LIVE_TSV)
	$(Q)sh $< table $(LIVE_TSV) $(INTO)

$(FIG)/live.rows: data/figures/live.sh $(FIGSH) $(FIG)/live.tsv
	$(Q)sh $< rows $(FIG)/live.tsv $(INTO)
