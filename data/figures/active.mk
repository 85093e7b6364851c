# Beyond the paper: schemas identified by chosen actions; memories and schemas.
ACT := $(FIG)/active
# The agent was tuned on 23001, 24001 and 25001.  Each seed has its own schemas; the
# i-th room of the list has seed + i.
ACT_SEEDS := $(call seeds,13801 13821 13841 13861 13881 13901 13921 13941 13961 13981)
ACT_SEED = $(firstword $(ACT_SEEDS))
# walks in each room: with chosen actions and of the first seed (the number of the
# paper), random walks of the other seeds
ACT_FEW := 25
ACT_MORE := 5
act_count = $(if $(filter active,$(1))$(filter $(ACT_SEED),$(2)),$(ACT_FEW),$(ACT_MORE))
ACTSH := data/figures/active.sh $(FIGSH)
act_seed = $(shell echo $(ROOMS2D) | tr ' ' '\n' | awk '$$1 == "$(1)" { printf "%d", $(2) + NR }')

fig-active: $(FIG)/active.svg $(FIG)/active.rows
	@cat $(FIG)/active.rows

define active_seed
$(ACT)/schemas-$(1)/%.gz: data/figures/match.sh $(BINS)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match.sh learn 50000 $(1) $$* $$(INTO)
endef
$(foreach s,$(ACT_SEEDS),$(eval $(call active_seed,$(s))))

# how, seed
define active_walks
$(ACT)/$(1)-$(2)/%.tsv: $(ACTSH) $(KINDS:%=$(ACT)/schemas-$(2)/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) WALKS=$(call act_count,$(1),$(2)) sh $$< walk $(1) \
	  $$(call act_seed,$$*,$(2)) $(ACT)/schemas-$(2) $$(@:.tsv=.gz) $$(subst -, --size ,$$*) $$(INTO)

$(ACT)/$(1)-$(2)/%.told: $(ACT)/$(1)-$(2)/%.tsv
	$$(Q)sh data/figures/active.sh told $$(word 1,$$(subst -, ,$$*)) $$< $$(INTO)
endef

# The paper's criterion, how and seed: with chosen actions, and with the random walks of
# the first seed
define active_paper
$(ACT)/$(1)-paper-$(2)/%.tsv: $(ACT)/$(1)-$(2)/%.tsv
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/active.sh paper $$(call act_seed,$$*,$(2)) \
	  $$(word 1,$$(subst -, ,$$*)) $(ACT)/schemas-$(2) $$(<:.tsv=.gz) $(ACT_FEW) $$(INTO)
endef
$(foreach s,$(ACT_SEEDS),$(eval $(call active_paper,active,$(s))))
$(eval $(call active_paper,random,$(ACT_SEED)))

define active
$(foreach s,$(ACT_SEEDS),$(eval $(call active_walks,$(1),$(s))))

$(ACT)/$(1).told: $(foreach s,$(ACT_SEEDS),$(ROOMS2D:%=$(ACT)/$(1)-$(s)/%.told))
	$$(Q)cat $$^ $$(INTO)

$(ACT)/$(1).paper: data/figures/match.sh $(foreach s,$(if $(filter active,$(1)),$(ACT_SEEDS),$(ACT_SEED)),\
		$(ROOMS2D:%=$(ACT)/$(1)-paper-$(s)/%.tsv))
	$$(Q)sh data/figures/match.sh found $$(filter %.tsv,$$^) $$(INTO)
endef
$(foreach h,active random,$(eval $(call active,$(h))))

$(FIG)/active.rows: $(ACTSH) $(ACT)/active.told $(ACT)/random.told $(ACT)/active.paper \
		$(ACT)/random.paper $(FIG)/layouts/active.rows
	$(Q){ FEW=$(ACT_FEW) sh $< rows $(filter %.told %.paper,$^) && \
	  cat $(FIG)/layouts/active.rows; } $(INTO)

$(FIG)/active.svg: $(ACTSH) $(ACT)/active.told $(ACT)/random.told
	$(Q)sh $< draw $(@:.svg=) $(filter %.told,$^)

# A grounded model of each of the five rooms, and the same rooms with other symbols.
MEM := $(FIG)/memory
# Ten seeds, each with the schemas of one seed of fig-active; the i-th room has seed + i.
MEM_SEEDS := $(call seeds,13301 13311 13321 13331 13341 13351 13361 13371 13381 13391)
MEM_VISITS := 3
MEMSH := data/figures/active-memory.sh $(FIGSH)
mem_seed = $(shell echo $(KINDS) | tr ' ' '\n' | awk '$$1 == "$(1)" { printf "%d", $(2) + NR }')
mem_schemas = $(ACT)/schemas-$(word $(words $(call up_to,$(1),$(MEM_SEEDS))),$(ACT_SEEDS))

fig-memory: $(FIG)/memory.rows
	@cat $<

# seed, schemas
define memory_rooms
$(MEM)/rooms-$(1)/%.gz: $(BINS)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) roomgen $$* --permute -s $$(call mem_seed,$$*,$(1)) -o $$@

$(MEM)/kept-$(1)/%.gz: $(MEMSH) $(MEM)/rooms-$(1)/%.gz $(KINDS:%=$(2)/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh $$< keep $$(call mem_seed,$$*,$(1)) $(2) $(MEM)/rooms-$(1)/$$*.gz $$(INTO)
endef
$(foreach s,$(MEM_SEEDS),$(eval $(call memory_rooms,$(s),$(call mem_schemas,$(s)))))

# old or new, seed, schemas
define memory_visits
$(MEM)/$(1)-with/$(2)/%.tsv: $(MEMSH) $(KINDS:%=$(MEM)/kept-$(2)/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) VISITS=$$(MEM_VISITS) sh $$< visit 1$$(call mem_seed,$$*,$(2)) $(MEM)/rooms-$(2)/$$*.gz $(1) \
	  $(3)/*.gz $(foreach k,$(KINDS),old-$(k)=$(MEM)/kept-$(2)/$(k).gz) $$(INTO)

$(MEM)/$(1)-without/$(2)/%.tsv: $(MEMSH) $(MEM)/rooms-$(2)/%.gz $(KINDS:%=$(3)/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) VISITS=$$(MEM_VISITS) sh $$< visit 1$$(call mem_seed,$$*,$(2)) $(MEM)/rooms-$(2)/$$*.gz $(1) \
	  $(3)/*.gz $$(INTO)
endef

# The lines of all visits, each with its seed
define memory
$(foreach s,$(MEM_SEEDS),$(eval $(call memory_visits,$(1),$(s),$(call mem_schemas,$(s)))))

$(MEM)/$(1)-with.tsv $(MEM)/$(1)-without.tsv: $(MEM)/%.tsv: $(foreach s,$(MEM_SEEDS),\
		$(foreach h,with without,$(KINDS:%=$(MEM)/$(1)-$(h)/$(s)/%.tsv)))
	$$(Q)awk -v OFS='\t' '{ n = split(FILENAME, p, "/"); print $$$$0, p[n - 1] }' $(MEM)/$$*/*/*.tsv $$(INTO)
endef
$(foreach h,old new,$(eval $(call memory,$(h))))

$(FIG)/memory.rows: $(MEMSH) $(foreach h,old new,$(MEM)/$(h)-with.tsv $(MEM)/$(h)-without.tsv)
	$(Q)sh $< rows $(MEM) $(INTO)
