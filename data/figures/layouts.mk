# Layouts beyond those of the paper (data/rooms/other), for the rows "other
# layouts" of fig-match2d, fig-active, fig-unknown and fig-discover: ten seeds, each
# with its own schemas and walks.
LAY := $(FIG)/layouts
LAY_SEEDS := $(call seeds,18101 18102 18103 18104 18105 18106 18107 18108 18109 18110)
LAY_WORLDS := $(call seeds,$(shell seq 18201 18220))
LAYSH := data/figures/layouts.sh data/figures/match.sh $(FIGSH) $(wildcard data/rooms/other/*.txt)

$(LAY)/schemas-%: $(LAYSH) $(BINS)
	@mkdir -p $(LAY)
	$(Q)$(TOOLED) sh $< learn $* $(LAY)/$* && touch $@

define layouts
$(LAY)/$(1)-%.tsv: $(LAYSH) $(LAY)/schemas-%
	$$(Q)$$(TOOLED) sh $$< $(1) $$* $(LAY)/$$* $$(INTO)
endef
$(foreach t,match unknown active bind,$(eval $(call layouts,$(t))))

$(LAY)/found/%.tsv: $(LAYSH) data/figures/discover.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) LAYOUTS=data/rooms/other sh data/figures/discover.sh found $* 50000 $(LAY)/found $(INTO)

$(LAY)/match2d.rows: $(LAYSH) $(LAY_SEEDS:%=$(LAY)/match-%.tsv)
	$(Q)sh $< rows match2d $(LAY_SEEDS:%=$(LAY)/match-%.tsv) $(INTO)

$(LAY)/bind.rows: $(LAYSH) $(LAY_SEEDS:%=$(LAY)/bind-%.tsv)
	$(Q)sh $< rows bind $(LAY_SEEDS:%=$(LAY)/bind-%.tsv) $(INTO)

$(LAY)/active.rows: $(LAYSH) $(LAY_SEEDS:%=$(LAY)/active-%.tsv)
	$(Q)sh $< rows active $(LAY_SEEDS:%=$(LAY)/active-%.tsv) $(INTO)

$(LAY)/unknown.tsv: $(TRACKSH) $(LAY_SEEDS:%=$(LAY)/unknown-%.tsv)
	$(Q)sh $< unknown $(LAY_SEEDS:%=$(LAY)/unknown-%.tsv) $(INTO)

$(LAY)/left-out-%.tsv: $(TRACKSH) $(LAY)/unknown-%.tsv
	$(Q)sh $< unknown $(LAY)/unknown-$*.tsv $(INTO)

$(LAY)/unknown.rows: $(LAYSH) $(LAY)/unknown.tsv $(LAY_SEEDS:%=$(LAY)/left-out-%.tsv)
	$(Q)sh $< rows unknown $(LAY)/unknown.tsv $(LAY_SEEDS:%=$(LAY)/left-out-%.tsv) $(INTO)

$(LAY)/discover.rows: $(LAYSH) $(LAY_WORLDS:%=$(LAY)/found/%.tsv)
	$(Q)sh $< rows discover $(LAY_WORLDS:%=$(LAY)/found/%.tsv) $(INTO)
