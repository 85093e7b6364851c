# S7: a world of known rooms, learned with and without their schemas.
S2D := $(FIG)/stitch2d
S2D_SEEDS := $(call seeds,8101 8102 8103 8104 8105 8106 8107 8108 8109 8110)
S2D_FIRST = $(firstword $(S2D_SEEDS))
S2D_LEARN := $(call seeds,8001)
S2D_STEPS := 1000 2000 3000 5000 10000 30000
S2D_HOW := exact printed learned scratch
S2D_KINDS := rectangle hole ushape cylinder
S2D_ROWS := $(foreach h,$(S2D_HOW),$(foreach s,$(S2D_SEEDS),\
	$(foreach n,$(S2D_STEPS),$(S2D)/rows/$(h)-$(s)-$(n).tsv)))
STITCHSH := data/figures/stitch.sh data/figures/stitch-parts.sh $(FIGSH)

fig-stitch2d: $(FIG)/stitch2d.svg $(FIG)/stitch2d-graphs.svg \
		$(FIG)/stitch2d-wrong.tsv $(FIG)/stitch2d.rows
	@cat $(FIG)/stitch2d.tsv $(FIG)/stitch2d-wrong.tsv $(FIG)/stitch2d.rows

$(S2D)/world: $(STITCHSH) $(BINS)
	@mkdir -p $(S2D)
	$(Q)$(TOOLED) sh $< world $(S2D) && touch $@

$(S2D)/learned-%: $(STITCHSH) $(S2D)/world
	$(Q)$(TOOLED) sh $< learn $(S2D) $(S2D_LEARN) 50000 $* && touch $@

$(S2D)/walks-%: $(STITCHSH) $(S2D)/world
	$(Q)$(TOOLED) sh $< walks $(S2D) $* && touch $@

$(S2D)/rows/%.tsv: $(STITCHSH) $(S2D_KINDS:%=$(S2D)/learned-%) \
		$(S2D_SEEDS:%=$(S2D)/walks-%)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< run $(S2D) $(word 2,$(subst -, ,$*)) \
	  $(word 3,$(subst -, ,$*)) $(word 1,$(subst -, ,$*)) $(INTO)

$(FIG)/stitch2d.tsv: $(STITCHSH) $(S2D_ROWS)
	$(Q)sh $< table $(S2D_ROWS) $(INTO)

$(FIG)/stitch2d.rows: $(STITCHSH) $(FIG)/stitch2d.tsv
	$(Q)sh $< rows S7 2D $(FIG)/stitch2d.tsv $(INTO)

$(FIG)/stitch2d-wrong.tsv: $(STITCHSH) $(S2D)/walks-$(S2D_FIRST)
	$(Q)$(TOOLED) sh $< wrong $(S2D) $(S2D_FIRST) $(INTO)

$(FIG)/stitch2d.svg: data/figures/stitch-draw.sh $(FIGSH) $(FIG)/stitch2d.tsv
	$(Q)sh $< curve $(@:.svg=) $(FIG)/stitch2d.tsv

$(FIG)/stitch2d-graphs.svg: data/figures/stitch-draw.sh $(FIGSH) $(S2D_ROWS)
	$(Q)$(TOOLED) sh $< graphs $(@:.svg=) $(S2D) $(S2D_FIRST) 1000 3000 5000 10000
