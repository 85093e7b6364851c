# 1A, 1D, 3A, S1 and S2: six 3D rooms learned from views, and recognised with other
# colours and light.
M3D := $(FIG)/match3d
ROOMS3D := room1 room2 room3 room4 room5 room6
# The themes (colours, light) of each room for learning and for the test.
learned3d = $(subst room,7,$(1))
met3d = $(word $(subst room,,$(1)),82 83 84 85 86 87)
# Ten sets of schemas; the I-th of the walks to test is matched with the I-th set.
M3D_SETS := 0 1 2 3 4 5 6 7 8 9
# Seeds of room N: 93IN to learn schemas of set I, 94N00 to test, 95N00 and 95N01 from
# scratch
M3D_LEARN := $(call seeds,9301 9302 9303 9304 9305 9306)
M3D_TEST := $(call seeds,94100 94200 94300 94400 94500 94600)
M3D_SCRATCH_SEEDS := $(call seeds,95100 95200 95300 95400 95500 95600)
seed3d = $(word $(subst room,,$(1)),$(2))
NOISE_clean = 0
NOISE_noisy = 8
M3D_SCRATCH = 1000 2000 5000 10000 20000 50000 100000

fig-match3d: $(FIG)/match3d-rooms.svg $(FIG)/match3d-views.svg \
		$(FIG)/match3d-graphs.svg $(FIG)/match3d-clean.svg \
		$(FIG)/match3d-noisy.svg $(FIG)/match3d-scratch.svg \
		$(FIG)/match3d.rows
	@cat $(FIG)/match3d.rows

M3D_FIRST = $(M3D)/schemas-$(firstword $(M3D_SETS))
M3D_SCHEMAS = $(foreach i,$(M3D_SETS),$(ROOMS3D:%=$(M3D)/schemas-$(i)/%.tsv))

define match3d_set
$(M3D)/schemas-$(1)/%.tsv: data/figures/match3d.sh $(FIGSH) $(BINS)
	@mkdir -p $$(@D) $(M3D)/learned-$(1)
	$$(Q)$$(TOOLED) sh data/figures/match3d.sh learn $(M3D)/learned-$(1)/$$* $$* \
	  $$(call learned3d,$$*) $$$$(($$(call seed3d,$$*,$(M3D_LEARN)) + 10 * $(1))) >$$(NEW) && \
	  $$(WITH_TOOLS) cscg-show --as schema -o $$(@:.tsv=.gz) $(M3D)/learned-$(1)/$$*.gz && \
	  mv $$(NEW) $$@
endef
$(foreach i,$(M3D_SETS),$(eval $(call match3d_set,$(i))))

define match3d
$(M3D)/$(1)/%.all: data/figures/match3d.sh $(M3D_SCHEMAS)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match3d.sh test $$* $$(call met3d,$$*) \
	  $$(call seed3d,$$*,$(M3D_TEST)) $$(NOISE_$(1)) $(M3D_SETS:%=$(M3D)/schemas-%) $$(INTO)

$(M3D)/$(1)/%.tsv: $(M3D)/$(1)/%.all
	$$(Q)sh data/figures/match3d.sh means $$* $$< $$(INTO)

$(FIG)/match3d-$(1).svg: data/figures/panels.sh $(FIGSH) $(ROOMS3D:%=$(M3D)/$(1)/%.tsv)
	$$(Q)XTICS=1000 NOTE='K = 50; each walk has its own codebook, fitted to all its steps' \
	  sh data/figures/panels.sh $$(@:.svg=) 3 \
	  $(foreach r,$(ROOMS3D),$(r)=$(M3D)/$(1)/$(r).tsv)
endef
$(foreach n,clean noisy,$(eval $(call match3d,$(n))))

$(M3D)/scratch/%.tsv: data/figures/match3d.sh $(M3D_FIRST)/%.tsv
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh data/figures/match3d.sh scratch $* $(call met3d,$*) \
	  $(call seed3d,$*,$(M3D_SCRATCH_SEEDS)) $(M3D_FIRST)/$*.gz $(M3D_SCRATCH) $(INTO)

$(FIG)/match3d-rooms.svg: data/figures/match3d-draw.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh data/figures/match3d-draw.sh rooms $(@:.svg=) \
	  $(foreach r,$(ROOMS3D),$(r)=$(call learned3d,$(r)),$(call met3d,$(r)))

$(FIG)/match3d-views.svg: data/figures/match3d-draw.sh $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh data/figures/match3d-draw.sh views $(@:.svg=) room6 76 87

$(FIG)/match3d-graphs.svg: data/figures/match3d-draw.sh $(FIGSH) $(ROOMS3D:%=$(M3D_FIRST)/%.tsv)
	$(Q)$(TOOLED) sh data/figures/match3d-draw.sh graphs $(@:.svg=) \
	  $(foreach r,$(ROOMS3D),$(r)=$(M3D)/learned-$(firstword $(M3D_SETS))/$(r).gz)

$(FIG)/match3d-scratch.svg: data/figures/match3d-draw.sh $(FIGSH) $(ROOMS3D:%=$(M3D)/scratch/%.tsv)
	$(Q)sh data/figures/match3d-draw.sh scratch $(@:.svg=) $(filter %.tsv,$^)

$(FIG)/match3d.rows: data/figures/match3d-rows.sh $(FIGSH) $(M3D_SCHEMAS) \
		$(ROOMS3D:%=$(M3D)/clean/%.all) $(ROOMS3D:%=$(M3D)/noisy/%.all) \
		$(ROOMS3D:%=$(M3D)/clean/%.tsv) $(ROOMS3D:%=$(M3D)/noisy/%.tsv) \
		$(ROOMS3D:%=$(M3D)/scratch/%.tsv)
	$(Q)SETS='$(M3D_SETS)' sh data/figures/match3d-rows.sh $(M3D) $(ROOMS3D) $(INTO)
