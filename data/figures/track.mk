# Rooms known by a track of bindings, EM on the same walks beside it; and rooms
# that are not known at all.
TRK := $(FIG)/track
TRACK_SEED := $(call seeds,9302)
TRACK_JOBS := $(foreach s,track em,$(foreach p,0 0.05,$(foreach r,$(ROOMS2D),$(s)/$(p)/$(r))))
TRACKSH := data/figures/track.sh $(FIGSH)

fig-track: $(FIG)/track.svg $(FIG)/track.rows
	@cat $(FIG)/track.tsv
	@grep '^track' $(FIG)/track.rows

fig-unknown: $(FIG)/unknown.svg $(FIG)/track.rows
	@cat $(FIG)/unknown.tsv
	@grep '^unknown' $(FIG)/track.rows

$(TRK)/%.tsv: $(TRACKSH) $(KINDS:%=$(M2D_SCHEMAS)/%.gz)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< test $(word 1,$(subst /, ,$*)) $(word 2,$(subst /, ,$*)) \
	  $(TRACK_SEED) $(M2D_SCHEMAS) $(notdir $*) \
	  $(subst -, --size ,$(notdir $*)) $(INTO)

$(FIG)/track.tsv: $(TRACKSH) $(TRACK_JOBS:%=$(TRK)/%.tsv)
	$(Q)sh $< accuracy $(TRACK_JOBS:%=$(TRK)/%.tsv) $(INTO)

$(FIG)/unknown.tsv: $(TRACKSH) $(TRACK_JOBS:%=$(TRK)/%.tsv)
	$(Q)sh $< unknown $(TRACK_JOBS:%=$(TRK)/%.tsv) $(INTO)

$(FIG)/track.rows: $(TRACKSH) $(FIG)/track.tsv $(FIG)/unknown.tsv $(FIG)/layouts/unknown.rows
	$(Q){ sh $< rows $(FIG)/track.tsv $(FIG)/unknown.tsv && cat $(FIG)/layouts/unknown.rows; } $(INTO)

$(FIG)/track.svg: data/figures/track-draw.sh $(FIGSH) $(FIG)/track.tsv
	$(Q)sh $< accuracy $(@:.svg=) $(FIG)/track.tsv

$(FIG)/unknown.svg: data/figures/track-draw.sh $(FIGSH) $(FIG)/unknown.tsv
	$(Q)sh $< unknown $(@:.svg=) $(FIG)/unknown.tsv
