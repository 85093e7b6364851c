# Effect of the number of clones, the pseudocount and the number of starts: the plots
# of cscg-choosing(7).
CHOOSING := $(FIG)/choosing
CHOOSING_SEEDS := $(call seeds,$(shell seq 15001 15010))
CHOOSING_TSV := $(foreach s,$(CHOOSING_SEEDS),$(foreach p,\
	clones chosen pseudocount starts,$(CHOOSING)/$(s)-$(p).tsv))

fig-choosing: $(FIG)/choosing.svg $(FIG)/choosing.rows
	@cat $(FIG)/choosing.tsv $(FIG)/choosing.rows

$(CHOOSING)/%.tsv: data/figures/choosing.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(subst -, ,$*) $(INTO)

$(FIG)/choosing.tsv: data/figures/choosing.sh $(CHOOSING_TSV)
	$(Q)sh $< table $(CHOOSING_TSV) $(INTO)

$(FIG)/choosing.rows: data/figures/choosing.sh $(FIG)/choosing.tsv
	$(Q)sh $< rows $(FIG)/choosing.tsv $(INTO)

$(FIG)/choosing.svg: data/figures/choosing.sh $(FIGSH) $(FIG)/choosing.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/choosing.tsv
.PHONY: fig-choosing
