# 3B: the four-room 3D world, observed as images, with and without schemas of its
# rooms.  Each seed has its own walk, codebook and theme.
S3D := $(FIG)/stitch3d
S3D_SEEDS := $(call seeds,$(shell seq 8201 8210))
S3D_FIRST = $(firstword $(S3D_SEEDS))
S3D_STEPS := 1000 2000 3000 5000 10000 30000
S3D_STEPS_printed = $(filter 5000 10000,$(S3D_STEPS))
S3D_STEPS_learned = $(filter 3000 5000 10000,$(S3D_STEPS))
S3D_STEPS_plain = $(filter 5000 10000 30000,$(S3D_STEPS))
S3D_HOW := exact printed learned scratch plain
S3D_ROWS := $(foreach h,$(S3D_HOW),$(foreach s,$(S3D_SEEDS),\
	$(foreach n,$(or $(S3D_STEPS_$(h)),$(S3D_STEPS)),$(S3D)/rows/$(h)-$(s)-$(n).tsv)))
STITCH3D := data/figures/stitch3d.sh data/figures/stitch-parts.sh $(FIGSH)

fig-stitch3d: $(FIG)/stitch3d.svg $(FIG)/stitch3d-graphs.svg \
		$(FIG)/stitch3d-wrong.tsv $(FIG)/stitch3d.rows
	@cat $(FIG)/stitch3d.tsv $(FIG)/stitch3d-wrong.tsv $(FIG)/stitch3d.rows

$(S3D)/world: $(STITCH3D) $(BINS)
	@mkdir -p $(S3D)
	$(Q)$(TOOLED) sh $< world $(S3D) && touch $@

# The schemas learned from images by fig-match3d.
$(S3D)/learned-%: $(STITCH3D) $(S3D)/world $(M3D_FIRST)/%.tsv
	$(Q)$(TOOLED) sh $< mark $(S3D) $* $(M3D_FIRST)/$*.gz && touch $@

$(S3D)/walks-%: $(STITCH3D) $(S3D)/world
	$(Q)$(TOOLED) sh $< walks $(S3D) $* && touch $@

# EM alone has one and a half times as many clones as the world has states.
$(S3D)/rows/%.tsv: $(STITCHSH) $(ROOMS3D:%=$(S3D)/learned-%) \
		$(S3D_SEEDS:%=$(S3D)/walks-%)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) LABELS=ignore CLONES='proportional:948,floor=2' \
	  sh $< run $(S3D) $(word 2,$(subst -, ,$*)) \
	  $(word 3,$(subst -, ,$*)) $(word 1,$(subst -, ,$*)) $(INTO)

$(FIG)/stitch3d.tsv: $(STITCHSH) $(S3D_ROWS)
	$(Q)sh $< table $(S3D_ROWS) $(INTO)

$(FIG)/stitch3d.rows: $(STITCHSH) $(FIG)/stitch3d.tsv
	$(Q)sh $< rows 3B 3D $(FIG)/stitch3d.tsv $(INTO)

$(FIG)/stitch3d-wrong.tsv: $(STITCH3D) $(S3D)/walks-$(S3D_FIRST)
	$(Q)$(TOOLED) sh $< wrong $(S3D) $(S3D_FIRST) $(INTO)

$(FIG)/stitch3d.svg: data/figures/stitch-draw.sh $(FIGSH) $(FIG)/stitch3d.tsv
	$(Q)sh $< curve $(@:.svg=) $(FIG)/stitch3d.tsv

$(FIG)/stitch3d-graphs.svg: data/figures/stitch-draw.sh $(FIGSH) $(S3D_ROWS)
	$(Q)$(TOOLED) LABELS=ignore LONG=1.3 HIGH=700 sh $< graphs $(@:.svg=) $(S3D) $(S3D_FIRST) 1000 3000 5000 10000
