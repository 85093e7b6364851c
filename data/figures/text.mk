# Held-out perplexity of the characters of a text, against n-grams.
TEXT := $(FIG)/text
TEXT_SEEDS := $(call seeds,16001 16002 16003 16004 16005 16006 16007 16008 16009 16010)
TEXT_SIZES := 5000 10000 20000 28000
TEXT_TSV := $(foreach s,$(TEXT_SEEDS),$(foreach n,$(TEXT_SIZES),$(TEXT)/$(s)-$(n).tsv))
NGRAM := $(BUILD)/tests/bench/ngram

fig-text: $(FIG)/text.svg $(FIG)/text.rows
	@cat $(FIG)/text.tsv $(FIG)/text.rows

$(TEXT)/%.tsv: data/figures/text.sh $(FIGSH) $(BINS) $(NGRAM)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) NGRAM="$(abspath $(NGRAM))" sh $< run $(subst -, ,$*) $(INTO)

$(FIG)/text.tsv: data/figures/text.sh $(TEXT_TSV)
	$(Q)sh $< table $(TEXT_TSV) $(INTO)

$(FIG)/text.rows: data/figures/text.sh $(FIG)/text.tsv
	$(Q)sh $< rows $(FIG)/text.tsv $(INTO)

$(FIG)/text.svg: data/figures/text.sh $(FIGSH) $(FIG)/text.tsv
	$(Q)sh $< draw $(@:.svg=) $(FIG)/text.tsv
.PHONY: fig-text
