# Rooms recognised by tracking bindings, compared with EM on the same walks; and rooms
# that no schema explains.
TRK := $(FIG)/track
# Ten seeds, each with the schemas of one seed of fig-match2d
TRACK_SEEDS := $(call seeds,9301 9302 9303 9304 9305 9306 9307 9308 9309 9310)
TRACK_WALKS := 5
track_files = $(foreach q,track em,$(foreach p,0 0.05,$(foreach r,$(ROOMS2D),$(TRK)/$(q)/$(p)/$(1)/$(r).tsv)))
TRACK_TSV := $(foreach s,$(TRACK_SEEDS),$(call track_files,$(s)))
TRACKSH := data/figures/track.sh $(FIGSH)

fig-track: $(FIG)/track.svg $(FIG)/track.rows
	@cat $(FIG)/track.tsv
	@grep '^track' $(FIG)/track.rows

fig-unknown: $(FIG)/unknown.svg $(FIG)/track.rows
	@cat $(FIG)/unknown.tsv
	@grep '^unknown' $(FIG)/track.rows

# score/slip/seed/room
$(TRK)/%.tsv: $(TRACKSH) $(foreach s,$(TRACK_SEEDS),$(KINDS:%=$(call schemas_of,$(s),$(TRACK_SEEDS))/%.gz))
	@mkdir -p $(@D)
	$(Q)$(TOOLED) WALKS=$(TRACK_WALKS) sh $< test $(wordlist 1,3,$(subst /, ,$*)) \
	  $(call schemas_of,$(word 3,$(subst /, ,$*)),$(TRACK_SEEDS)) $(notdir $*) \
	  $(subst -, --size ,$(notdir $*)) $(INTO)

$(FIG)/track.tsv: $(TRACKSH) $(TRACK_TSV)
	$(Q)sh $< accuracy $(TRACK_TSV) $(INTO)

$(FIG)/unknown.tsv: $(TRACKSH) $(TRACK_TSV)
	$(Q)sh $< unknown $(TRACK_TSV) $(INTO)

define unknown_seed
$(TRK)/unknown-$(1).tsv: $(TRACKSH) $(call track_files,$(1))
	$$(Q)sh $$< unknown $(call track_files,$(1)) $$(INTO)
endef
$(foreach s,$(TRACK_SEEDS),$(eval $(call unknown_seed,$(s))))

$(FIG)/track.rows: $(TRACKSH) $(FIG)/track.tsv $(FIG)/unknown.tsv \
		$(TRACK_SEEDS:%=$(TRK)/unknown-%.tsv) $(FIG)/layouts/unknown.rows
	$(Q){ sh $< rows $(FIG)/track.tsv $(FIG)/unknown.tsv $(TRACK_SEEDS:%=$(TRK)/unknown-%.tsv) && cat $(FIG)/layouts/unknown.rows; } $(INTO)

$(FIG)/track.svg: data/figures/track-draw.sh $(FIGSH) $(FIG)/track.tsv
	$(Q)sh $< accuracy $(@:.svg=) $(FIG)/track.tsv

$(FIG)/unknown.svg: data/figures/track-draw.sh $(FIGSH) $(FIG)/unknown.tsv
	$(Q)sh $< unknown $(@:.svg=) $(FIG)/unknown.tsv
