# Rooms found by partition of learned graphs, in random worlds, and used as a library
# for another world of the same rooms.
DISC := $(FIG)/discover
DISC_WORLDS := $(call seeds,$(shell seq 14001 14020))
DISC_SEEDS := $(call seeds,$(shell seq 14101 14110))
DISC_OLD := $(call seeds,14100)
DISC_LEARN = 100000
DISC_STEPS := 500 1000 2000 3000 5000 10000 30000
# Doors at all walls, for comparison: three lengths.
DISC_STEPS_walls := 1000 2000 5000
DISC_HOW := discovered walls exact scratch
DISC_ROWS := $(foreach h,$(DISC_HOW),$(foreach s,$(DISC_SEEDS),\
	$(foreach n,$(or $(DISC_STEPS_$(h)),$(DISC_STEPS)),\
	$(DISC)/rows/$(h)-$(s)-$(n).tsv)))
DISCSH := data/figures/discover.sh $(FIGSH)

fig-discover: $(FIG)/discover.svg $(FIG)/discover.rows
	@cat $(FIG)/discover-found.tsv $(FIG)/discover.tsv $(FIG)/discover.rows

$(DISC)/found/%.tsv: $(DISCSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< found $* 50000 $(DISC)/found $(INTO)

$(FIG)/discover-found.tsv: $(DISC_WORLDS:%=$(DISC)/found/%.tsv)
	$(Q){ printf '#seed\tnodes\tstates\tpurity\tmissing\tspurious\tisomorphic\trooms\texact\tdoors\tfound\tfalse\tequal\ttold\tconfused\n'; \
	  cat $^; } $(INTO)

$(DISC)/place: $(DISCSH) $(BINS)
	@mkdir -p $(DISC)
	$(Q)$(TOOLED) sh $< place $(DISC) && touch $@

$(DISC)/old: $(DISCSH) $(DISC)/place
	$(Q)$(TOOLED) sh $< learn $(DISC) $(DISC_OLD) $(DISC_LEARN) && touch $@

$(DISC)/walks-%: $(DISCSH) $(DISC)/place
	$(Q)$(TOOLED) sh $< walks $(DISC) $* && touch $@

$(DISC)/rows/%.tsv: $(DISCSH) $(DISC)/old $(DISC_SEEDS:%=$(DISC)/walks-%)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(DISC) $(word 2,$(subst -, ,$*)) \
	  $(word 3,$(subst -, ,$*)) $(word 1,$(subst -, ,$*)) $(INTO)

$(FIG)/discover.tsv: $(DISCSH) $(DISC_ROWS)
	$(Q)sh $< table $(DISC_ROWS) $(INTO)

$(FIG)/discover.rows: $(DISCSH) $(FIG)/discover-found.tsv $(FIG)/discover.tsv $(FIG)/layouts/discover.rows
	$(Q){ sh $< rows $(FIG)/discover-found.tsv $(FIG)/discover.tsv && \
	  cat $(FIG)/layouts/discover.rows; } $(INTO)

$(FIG)/discover.svg: $(DISCSH) $(FIG)/discover.tsv
	$(Q)$(TOOLED) sh $< draw $(@:.svg=) $(FIG)/discover.tsv $(DISC)
