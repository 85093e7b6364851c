# Beyond the paper: a known room changes, and its model is updated or learned again.
MAINTAIN := $(FIG)/maintain
MAINTAIN_SEEDS := $(call seeds,$(shell seq 13001 13010))
MAINTAIN_OLD := $(call seeds,13000)
MAINTAIN_STEPS := 500 2000 5000 10000
MAINTAIN_TSV := $(foreach c,door moved open,$(foreach n,$(MAINTAIN_STEPS),\
	$(foreach s,$(MAINTAIN_SEEDS),$(MAINTAIN)/$(c)-$(s)-$(n).tsv)))

fig-maintain: $(FIG)/maintain.svg $(FIG)/maintain.rows
	@cat $(FIG)/maintain.tsv $(FIG)/maintain.rows

$(MAINTAIN)/old.gz: data/figures/maintain.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< learn $(MAINTAIN) $(MAINTAIN_OLD)

$(MAINTAIN)/%.tsv: data/figures/maintain.sh $(FIGSH) $(MAINTAIN)/old.gz
	$(Q)$(TOOLED) sh $< run $(MAINTAIN) $(subst -, ,$*) $(INTO)

$(FIG)/maintain.tsv: data/figures/maintain.sh $(MAINTAIN_TSV)
	$(Q)sh $< table $(MAINTAIN_TSV) $(INTO)

$(FIG)/maintain.rows: data/figures/maintain.sh $(FIG)/maintain.tsv
	$(Q)sh $< rows $(FIG)/maintain.tsv $(INTO)

$(FIG)/maintain.svg: data/figures/maintain.sh $(FIGSH) $(FIG)/maintain.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/maintain.tsv
