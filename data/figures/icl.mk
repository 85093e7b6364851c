# Learning in context: GINC, and novel words that are rebound.  Worlds 1, 101 and
# 102 of GINC and seed 1 of the texts were tuned on.
ICL := $(FIG)/icl
ICL_WORLDS := $(call seeds,20011 20012 20013 20014 20015 20016 20017 20018 20019 20020)
ICL_STATES := 500 1250 true
# All lengths of examples are tested with the largest number of states only.
ICL_MOST = $(lastword $(filter-out true,$(ICL_STATES)))
ICL_SEEDS := $(call seeds,20101 20102 20103 20104 20105 20106 20107 20108 20109 20110)
ICL_WORDS := 64 128 192 256 384
ICL_LISTS := 128 256 512 1024 2048
ICL_TSV := $(foreach s,$(ICL_WORLDS),$(ICL_STATES:%=$(ICL)/ginc-$(s)-%.tsv)) \
	$(foreach s,$(ICL_SEEDS),$(ICL_WORDS:%=$(ICL)/novel-words-$(s)-%.tsv) \
	$(ICL_LISTS:%=$(ICL)/novel-lists-$(s)-%.tsv))
ICL_AWK := data/figures/random.awk data/figures/ginc.awk data/figures/novel.awk

fig-icl: $(FIG)/icl.svg $(FIG)/icl.rows
	@cat $(FIG)/icl.rows

$(ICL)/documents-%.gz: data/figures/icl.sh $(FIGSH) $(ICL_AWK) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< documents $* $(INTO)

define ICL_WORLD
$(ICL)/ginc-$(1)-%.tsv: data/figures/icl.sh $(FIGSH) $(ICL)/documents-$(1).gz
	$$(Q)$$(TOOLED) $$(if $$(filter $$(ICL_MOST),$$*),,"LENGTHS=3 8") \
	  sh $$< ginc $(1) $$* $(ICL)/documents-$(1).gz $$(INTO)
endef
$(foreach s,$(ICL_WORLDS),$(eval $(call ICL_WORLD,$(s))))

$(ICL)/novel-%.tsv: data/figures/icl.sh $(FIGSH) $(ICL_AWK) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< novel $(subst -, ,$*) $(INTO)

$(FIG)/icl.tsv: data/figures/icl.sh $(ICL_TSV)
	$(Q)sh $< table $(ICL_TSV) $(INTO)

$(FIG)/icl.rows: data/figures/icl.sh $(FIG)/icl.tsv
	$(Q)sh $< rows $(FIG)/icl.tsv $(INTO)

$(FIG)/icl.svg: data/figures/icl.sh $(FIGSH) $(FIG)/icl.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/icl.tsv
.PHONY: fig-icl
