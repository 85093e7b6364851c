# Beyond the paper: a model that switches between all candidate schemas, instead of
# windows, in the composed rooms of fig-compose, with other walks.
SWITCH := $(FIG)/switching
SWITCH_SEED := $(call seeds,12001)
SWITCHED := $(foreach p,$(PAIRS),$(foreach t,$(wordlist 1,3,$(TRIALS)),$(p)-$(t)))

fig-switching: $(FIG)/switching.svg $(FIG)/switching.tsv $(FIG)/switching.rows
	@cat $(FIG)/switching.tsv $(FIG)/switching.rows

# trial
define switch_trial
$(PAIRS:%=$(SWITCH)/%-$(1).tsv): $(SWITCH)/%.tsv: data/figures/switching.sh $(FIGSH) \
		$(DIGITS:%=$(call mnist_trial,$(1))/digit-%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) FIRST_SEED=$(SWITCH_SEED) sh $$< run $$(subst -, ,$$*) $(call mnist_trial,$(1)) $$(@:.tsv=) $$(INTO)
endef
$(foreach t,$(TRIALS),$(eval $(call switch_trial,$(t))))

$(FIG)/switching.tsv: data/figures/switching.sh $(SWITCHED:%=$(SWITCH)/%.tsv)
	$(Q)sh $< table $(SWITCHED:%=$(SWITCH)/%.tsv) $(INTO)

$(FIG)/switching.rows: data/figures/switching.sh $(FIG)/compose.rows $(SWITCHED:%=$(SWITCH)/%.tsv)
	$(Q)sh $< rows $(FIG)/compose.rows $(SWITCHED:%=$(SWITCH)/%.tsv) $(INTO)

# Heat maps of the first digit, for one walk of each pair.
$(FIG)/switching.svg: data/figures/heat.sh $(FIGSH) $(SWITCHED:%=$(SWITCH)/%.tsv)
	$(Q)sh $< $(@:.svg=) 4 $(foreach p,$(PAIRS),$(p)=$(SWITCH)/$(p)-1.2)
