# Beyond the paper: schemas told apart by what the agent does; memories beside
# schemas.
ACT := $(FIG)/active
# the agent was tuned on 23001, 24001 and 25001
ACT_SEED := $(call seeds,13801)
# walks in each room, and as many as the paper has
ACT_WALKS := 50
ACT_FEW := 25
ACTSH := data/figures/active.sh $(FIGSH)
# one after the other, by the place of a room in the list
act_seed = $(shell echo $(ROOMS2D) | tr ' ' '\n' | awk '$$1 == "$(1)" { printf "%d", $(ACT_SEED) + NR }')

fig-active: $(FIG)/active.svg $(FIG)/active.rows
	@cat $(FIG)/active.rows

$(ACT)/schemas/%.gz: data/figures/match.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh data/figures/match.sh learn 50000 $(ACT_SEED) $* $(INTO)

define active
$(ACT)/$(1)/%.tsv: $(ACTSH) $(KINDS:%=$(ACT)/schemas/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) WALKS=$(ACT_WALKS) sh $$< walk $(1) $$(call act_seed,$$*) $(ACT)/schemas \
	  $$(@:.tsv=.gz) $$(subst -, --size ,$$*) $$(INTO)

$(ACT)/$(1)/%.told: $(ACT)/$(1)/%.tsv
	$$(Q)sh data/figures/active.sh told $$(word 1,$$(subst -, ,$$*)) $$< $$(INTO)

$(ACT)/$(1).told: $(ROOMS2D:%=$(ACT)/$(1)/%.told)
	$$(Q)cat $$^ $$(INTO)
endef
$(foreach h,active random,$(eval $(call active,$(h))))

# so many walks, as the paper judges them
define active_paper
$(ACT)/$(1)-$(2)/%.tsv: $(ACT)/$(1)/%.tsv
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/active.sh paper $$(call act_seed,$$*) \
	  $$(word 1,$$(subst -, ,$$*)) $(ACT)/schemas $$(<:.tsv=.gz) $(2) $$(INTO)

$(ACT)/$(1)-$(2).paper: data/figures/match.sh $(ROOMS2D:%=$(ACT)/$(1)-$(2)/%.tsv)
	$$(Q)sh data/figures/match.sh found $$(filter %.tsv,$$^) $$(INTO)
endef
$(eval $(call active_paper,active,$(ACT_WALKS)))
$(eval $(call active_paper,active,$(ACT_FEW)))
$(eval $(call active_paper,random,$(ACT_FEW)))

$(FIG)/active.rows: $(ACTSH) $(ACT)/active.told $(ACT)/random.told $(ACT)/active-$(ACT_WALKS).paper \
		$(ACT)/active-$(ACT_FEW).paper $(ACT)/random-$(ACT_FEW).paper $(FIG)/layouts/active.rows
	$(Q){ WALKS=$(ACT_WALKS) FEW=$(ACT_FEW) sh $< rows $(filter %.told %.paper,$^) && \
	  cat $(FIG)/layouts/active.rows; } $(INTO)

$(FIG)/active.svg: $(ACTSH) $(ACT)/active.told $(ACT)/random.told
	$(Q)sh $< draw $(@:.svg=) $(filter %.told,$^)

# A memory of each of the five rooms, and the same rooms with other looks.
MEM := $(FIG)/memory
MEM_SEED := $(call seeds,13301)
MEMSH := data/figures/active-memory.sh $(FIGSH)
mem_seed = $(shell echo $(KINDS) | tr ' ' '\n' | awk '$$1 == "$(1)" { printf "%d", $(MEM_SEED) + NR }')

fig-memory: $(FIG)/memory.rows
	@cat $<

$(MEM)/rooms/%.gz: $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) roomgen $* --permute -s $(call mem_seed,$*) -o $@

$(MEM)/kept/%.gz: $(MEMSH) $(MEM)/rooms/%.gz $(KINDS:%=$(ACT)/schemas/%.gz)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< keep $(call mem_seed,$*) $(ACT)/schemas $(MEM)/rooms/$*.gz $(INTO)

define memory
$(MEM)/$(1)-with/%.tsv: $(MEMSH) $(KINDS:%=$(MEM)/kept/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh $$< visit 1$$(call mem_seed,$$*) $(MEM)/rooms/$$*.gz $(1) \
	  $(ACT)/schemas/*.gz $(foreach k,$(KINDS),old-$(k)=$(MEM)/kept/$(k).gz) $$(INTO)

$(MEM)/$(1)-without/%.tsv: $(MEMSH) $(MEM)/rooms/%.gz $(KINDS:%=$(ACT)/schemas/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh $$< visit 1$$(call mem_seed,$$*) $(MEM)/rooms/$$*.gz $(1) \
	  $(ACT)/schemas/*.gz $$(INTO)

$(MEM)/$(1)-with.tsv $(MEM)/$(1)-without.tsv: $(MEM)/%.tsv: $(KINDS:%=$(MEM)/$(1)-with/%.tsv) \
		$(KINDS:%=$(MEM)/$(1)-without/%.tsv)
	$$(Q)cat $(MEM)/$$*/*.tsv $$(INTO)
endef
$(foreach h,old new,$(eval $(call memory,$(h))))

$(FIG)/memory.rows: $(MEMSH) $(foreach h,old new,$(MEM)/$(h)-with.tsv $(MEM)/$(h)-without.tsv)
	$(Q)sh $< rows $(MEM) $(INTO)
