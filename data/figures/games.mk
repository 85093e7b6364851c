# 2A-C: the Memory & Planning Game.
MPG := $(FIG)/mpg
MPG_AGENTS := cover eager upright frontier tracker oracle
MPG_LEARN := $(call seeds,7500 7510 7520 7530 7540 7550 7560 7570 7580 7590 7600 7610)
MPG_CURVE := $(call seeds,7621 7622 7623 7624 7625 7626 7627 7628 7629 7630)
MPG_SEED := $(call seeds,7700)
MPG_GAMES = 4000
MPGSH := data/figures/mpg.sh data/figures/tasks.sh $(FIGSH)

fig-mpg: $(FIG)/mpg.svg $(FIG)/mpg-graph.svg $(FIG)/mpg.rows
	@cat $(FIG)/mpg.rows

# with inverse actions given (learn), without (plain), and without and with slips
$(MPG)/learn-%.tsv: $(MPGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< learn $* 10 0 --reversible $(INTO)

$(MPG)/plain-%.tsv: $(MPGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< learn $* 10 0 $(INTO)

$(MPG)/slips-%.tsv: $(MPGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< learn $* 10 .02 $(INTO)

$(MPG)/curve-%.tsv: $(MPGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< curve $* 10 $(INTO)

$(MPG)/game.gz: $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) roomgen game -o $@

$(MPG)/schema.gz: $(MPGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< schema $(MPG_SEED) $(INTO)

$(MPG_AGENTS:%=$(MPG)/%.tsv): $(MPG)/%.tsv: $(MPGSH) $(MPG)/schema.gz
	$(Q)$(TOOLED) sh $< play $* $(MPG)/schema.gz $(MPG_SEED) $(MPG_GAMES) \
	  $(MPG)/$*.log $(INTO)

MPG_PARTS := $(MPG_LEARN:%=$(MPG)/learn-%.tsv) $(MPG_LEARN:%=$(MPG)/plain-%.tsv) \
	$(MPG_LEARN:%=$(MPG)/slips-%.tsv) $(MPG_AGENTS:%=$(MPG)/%.tsv) \
	$(MPG_CURVE:%=$(MPG)/curve-%.tsv)

$(FIG)/mpg.rows: data/figures/mpg-rows.sh data/figures/games.sh $(FIGSH) $(MPG_PARTS)
	$(Q)sh $< rows $(MPG) $(INTO)

$(FIG)/mpg.svg: data/figures/mpg-rows.sh data/figures/games.sh $(FIGSH) \
		$(MPG)/game.gz $(MPG_PARTS)
	$(Q)$(TOOLED) sh $< draw $(@:.svg=) $(MPG)

$(FIG)/mpg-graph.dot: $(MPG)/schema.gz $(MPG)/game.gz
	$(Q)$(TOOLED) cscg-show --as dot --truth $(MPG)/game.gz --labels ignore $< -o $@

$(FIG)/mpg-graph.svg $(FIG)/street-graph.svg: %.svg: data/figures/neato.sh $(FIGSH) %.dot
	$(Q)sh $< $*.dot $(INTO)

# 2D-F: One-Shot StreetLearn in a random town and in the towns of the files STREETS;
# the first of them is drawn.
STREETS ?=
ST := $(FIG)/street
ST_SEED := $(call seeds,7800)
ST_COUNT = 200
ST_TOWNS = $(notdir $(basename $(STREETS))) own
ST_SHOWN = $(firstword $(ST_TOWNS))
ST_AGENTS := cover informed plain oracle
STSH := data/figures/street.sh data/figures/tasks.sh $(FIGSH)
# the file of a town (none: the random town)
street_file = $(firstword $(foreach f,$(STREETS),$(if $(filter $(1),$(notdir $(basename $(f)))),$(f))))

fig-street: $(FIG)/street.svg $(FIG)/street-graph.svg $(FIG)/street.rows
	@cat $(FIG)/street.tsv $(FIG)/street.rows

$(ST)/%/rooms.gz: $(STSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< rooms $(ST_COUNT) $(ST_SEED) $(call street_file,$*) $(INTO)

$(ST)/%/size: $(STSH) $(ST)/%/rooms.gz
	$(Q)sh $< size $(@D)/rooms.gz $(INTO)

$(ST)/%/graphs: $(STSH) $(ST)/%/rooms.gz
	$(Q)$(TOOLED) sh $< graphs $(@D)/rooms.gz 20 $(ST_SEED) $(INTO)

define street_agent
$(ST)/%/$(1).tsv: $(STSH) $(ST)/%/rooms.gz
	$$(Q)$$(TOOLED) sh $$< play $(1) $$(@D)/rooms.gz $$(ST_SEED) $$(@D)/$(1).log $$(INTO)
endef
$(foreach a,$(ST_AGENTS),$(eval $(call street_agent,$(a))))

ST_PARTS = $(foreach t,$(ST_TOWNS),$(ST)/$(t)/size $(ST)/$(t)/graphs \
	$(ST_AGENTS:%=$(ST)/$(t)/%.tsv))

# Made always, since a change of STREETS has no date.
$(FIG)/street.tsv: data/figures/street-rows.sh data/figures/games.sh $(FIGSH) $(ST_PARTS) force
	$(Q)sh $< table $(ST_TOWNS:%=$(ST)/%) $(INTO)

$(FIG)/street.rows: $(FIG)/street.tsv
	$(Q)sh data/figures/street-rows.sh rows $< $(INTO)

$(FIG)/street.svg: $(FIG)/street.tsv
	$(Q)$(TOOLED) sh data/figures/street-rows.sh draw $(@:.svg=) $(ST)/$(ST_SHOWN) $<

$(FIG)/street-graph.dot: $(FIG)/street.tsv
	$(Q)$(TOOLED) sh data/figures/street.sh graph $(ST)/$(ST_SHOWN)/rooms.gz 1 $(ST_SEED) $(INTO)
