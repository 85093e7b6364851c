# One target per figure; `make figures` builds all, under $(BUILD)/figures.
# A figure consists of parts, which an interrupted run does not repeat and `make -j`
# makes in parallel (times measured then are not comparable).
# `make figures QUICK=1` makes all with fewer seeds and walks, in minutes, under
# $(BUILD)/figures-quick; `make report` makes a page of the results.
# SEED=N adds N million to every seed, so that runs with different N share no
# seed; with N other than 0 the results go to $(BUILD)/figures-seedN.

QUICK ?=
IS_QUICK := $(filter-out 0,$(QUICK))
FIG_SEED := $(or $(SEED),0)
# Seeds stay below 2^31, the largest integer that some awks print without exponent.
ifneq ($(shell printf '%s\n' '$(subst ','\'',$(FIG_SEED))' | \
	grep -cxE '[0-9]|[1-9][0-9]{1,2}|1[0-9]{3}|2000'),1)
$(error figures: SEED=$(FIG_SEED): a number from 0 to 2000 is needed)
endif
# $(call seeds,A B ...): the seeds A, B, ... (at most six digits), shifted by SEED
seeds = $(if $(filter-out 0,$(FIG_SEED)),$(strip $(shell printf '$(FIG_SEED)%06d ' $(1))),$(1))
FIG := $(BUILD)/figures$(if $(IS_QUICK),-quick)$(if $(filter-out 0,$(FIG_SEED)),-seed$(FIG_SEED))
ifneq ($(words $(FIG)),1)
$(error '$(FIG)': a directory without blanks in its name is needed, for make)
endif

FIGURES := fig-recover fig-match2d fig-mnist fig-compose fig-symmetric \
	fig-shortcut fig-mpg fig-street fig-match3d fig-stitch2d fig-stitch3d \
	fig-plan3d fig-track fig-unknown fig-active fig-memory fig-switching \
	fig-discover fig-maintain fig-choosing fig-icl fig-text fig-learn \
	fig-live fig-life
# The rows of all figures in one table: figure, what, the paper, ours, wanted,
# verdict, told.
figures: $(FIGURES)
	@to=$(FIG)/table.tsv; QUICK=$(IS_QUICK) sh data/report/report.sh $(FIG) table \
	  >$$to.new.$$$$ && mv $$to.new.$$$$ $$to && cat $$to
.PHONY: figures $(FIGURES)

# A part is made by part.sh, which records its time and memory, with the tools on
# PATH.  SET, of a target, is settings for its script.  With make -j a part has one
# thread, unless OMP_NUM_THREADS is set.
MEASURE := $(BUILD)/tests/bench/measure
# The output of a recipe is written to a partial file and renamed when complete.  Its
# name contains the process id, since another make, or processes that a killed make
# has left, may write the same target.
NEW = $@.new.$$$$
INTO = >$(NEW) && mv $(NEW) $@ || { rm -f $(NEW); exit 1; }
# No decimal commas, and the same sort order everywhere.
$(FIG)/%: export LC_ALL = C
WITH_TOOLS = PATH="$(abspath $(BUILD)):$$PATH"
TOOLED = $(if $(filter -j%,$(MAKEFLAGS)),OMP_NUM_THREADS="$${OMP_NUM_THREADS:-1}") \
	  $(WITH_TOOLS) MEASURE="$(abspath $(MEASURE))" \
	  sh data/figures/part.sh $(FIG) $@ $(SET)
SET =
ifneq ($(IS_QUICK),)
include data/figures/quick.mk
endif
FIGSH := data/figures/common.sh data/figures/random.awk data/figures/stats.awk

# The parts are listed before the first is made (plan.sh), so that part.sh can print
# how many are left.  COUNTED is set in the make -n that lists them.
FIG_GOALS := $(filter fig%,$(MAKECMDGOALS))
ifneq ($(FIG_GOALS),)
# A phony target, since with .SECONDARY make does not build $(MEASURE), which no
# file depends on.
$(BINS): | measured
measured: $(MEASURE)
.PHONY: measured
ifeq ($(COUNTED)$(findstring n,$(firstword -$(MAKEFLAGS))),)
ifneq ($(filter figures,$(FIG_GOALS)),)
NO_DRAWING := $(strip $(foreach p,gnuplot dot neato,\
	$(if $(shell command -v $(p) 2>/dev/null),,$(p))))
ifneq ($(NO_DRAWING),)
$(error figures: no $(NO_DRAWING), needed to draw (make deps gets it))
endif
endif
$(shell sh data/figures/plan.sh $(FIG) env MAKEFLAGS= $(MAKE) -n V=1 COUNTED=1 \
	-o force -o $(BUILD)/flags $(MAKEOVERRIDES) $(FIG_GOALS))
ifneq ($(filter-out 0,$(.SHELLSTATUS)),)
$(error figures: '$(FIG)' cannot be written)
endif
endif
endif

# Graphs recovered from walks: the five rooms of the paper, others that the defaults
# were not chosen for, then transition noise.
RECOVER := rectangle hole ushape cylinder torus rectangle-5x6 \
	rectangle-14x15 torus-11x12 digit-3 digit-8
RECOVER_SEEDS := $(call seeds,1001 1002 1003 1004 1005 1006 1007 1008 1009 1010)
RECOVER_SLIP := slip-50000 slip-400000
SEEDS_slip-50000 := $(call seeds,$(shell seq 6001 6010))
SEEDS_slip-400000 := $(SEEDS_slip-50000)

fig-recover: $(FIG)/recover.tsv $(FIG)/recover-slip.tsv $(FIG)/recover.rows
	@cat $^

$(FIG)/recover/%.tsv: data/figures/recover.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) DRAW=$(@:.tsv=) sh data/figures/recover.sh $* \
	  $(or $(SEEDS_$*),$(RECOVER_SEEDS)) $(INTO)

# The targets: the graph in nine of ten seeds for the rooms of the paper, in eight of
# ten for others.
$(FIG)/recover.tsv: $(RECOVER:%=$(FIG)/recover/%.tsv)
	$(Q)awk -F '\t' 'function row() { \
	  if (n) print room, steps, nodes, n, found, wanted, \
	    $(if $(IS_QUICK),"-",(found >= wanted * n / 10 ? "yes" : "no")), least "-" most, \
	    clones, sprintf("%.2f", time / n), sprintf("%.5f", nats / n); \
	  n = found = time = nats = clones = 0 } \
	BEGIN { OFS = FS; print "#room", "steps", "nodes", "seeds", "found", \
	  "wanted", "verdict", "states", "clones", "seconds", "nats" } \
	FNR == 1 { row(); next } \
	{ room = $$1; steps = $$2; nodes = $$4; time += $$7; nats += $$12; \
	  wanted = (steps == 50000 ? 9 : 8); \
	  if (!n || $$5 < least) least = $$5; \
	  if (!n || $$5 > most) most = $$5; \
	  if ($$6 > clones) clones = $$6; \
	  n++; found += ($$4 == $$5 && $$9 == "yes" && $$11 == "yes") } \
	END { row() }' $^ $(INTO)

$(FIG)/recover-slip.tsv: $(RECOVER_SLIP:%=$(FIG)/recover/%.tsv)
	$(Q)awk 'NR == 1 || FNR > 1' $^ $(INTO)

$(FIG)/recover.rows: data/figures/recover-rows.sh $(FIG)/recover.tsv $(FIG)/recover-slip.tsv
	$(Q)sh $^ $(INTO)

# S3 and S4: the five rooms in three sizes with permuted symbols, recognised by the
# schemas of the medium size: by EM with tied and free emissions, and by the tracker;
# ten seeds, each with its own schemas and walks.
M2D := $(FIG)/match2d
KINDS := rectangle hole ushape cylinder torus
SIZES := small medium large
ROOMS2D := $(foreach s,$(SIZES),$(foreach k,$(KINDS),$(k)-$(s)))
MATCH2D_SEEDS := $(call seeds,7001 7002 7003 7004 7005 7006 7007 7008 7009 7010)
MATCH2D_SEED = $(firstword $(MATCH2D_SEEDS))
MATCH2D_LEARN = 50000
M2D_SCHEMAS = $(M2D)/schemas-$(MATCH2D_SEED)
# $(call schemas_of,SEED,SEEDS): the schemas of the i-th seed of fig-match2d, for the
# i-th of SEEDS
schemas_of = $(M2D)/schemas-$(word $(words $(call up_to,$(1),$(2))),$(MATCH2D_SEEDS))
up_to = x$(if $(filter-out $(1),$(firstword $(2))), $(call up_to,$(1),$(wordlist 2,99,$(2))))
M2D_HOW := tied free track
STEPS_tied = 200
STEPS_free = 300
STEPS_track = 200
SCORE_tied = --tie clones --warm-start
SCORE_free = --tie none --warm-start
# for rooms of other sizes; tuned on seeds 900, 901 and 905
SCORE_track = --method track --slip 0.4 --rebind 0.3 --beam 600

fig-match2d: $(FIG)/match2d-rooms.svg $(FIG)/match2d-tied.svg \
		$(FIG)/match2d-free.svg $(FIG)/match2d-track.svg $(FIG)/match2d.rows
	@cat $(FIG)/match2d.rows

$(M2D)/rooms/%.gz: $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) roomgen $(subst -, --size ,$*) -o $@

$(FIG)/match2d-rooms.svg: data/figures/rooms.sh $(FIGSH) $(ROOMS2D:%=$(M2D)/rooms/%.gz)
	$(Q)$(TOOLED) sh data/figures/rooms.sh $(@:.svg=) 5 \
	  $(foreach r,$(ROOMS2D),$(r)=$(M2D)/rooms/$(r).gz)

define match2d_seed
$(M2D)/schemas-$(1)/%.gz: data/figures/match.sh $(BINS)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match.sh learn $$(MATCH2D_LEARN) $(1) $$* $$(INTO)
endef
$(foreach s,$(MATCH2D_SEEDS),$(eval $(call match2d_seed,$(s))))

# score, seed
define match2d_test
$(M2D)/$(1)-$(2)/%.tsv: data/figures/match.sh $(KINDS:%=$(M2D)/schemas-$(2)/%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match.sh test '$$(SCORE_$(1))' $$(STEPS_$(1)) \
	  $(2) $$(word 1,$$(subst -, ,$$*)) $(M2D)/schemas-$(2) \
	  $$(subst -, --size ,$$*) $$(INTO)
endef

define match2d
$(foreach s,$(MATCH2D_SEEDS),$(eval $(call match2d_test,$(1),$(s))))

$(FIG)/match2d-$(1).svg: data/figures/panels.sh $(FIGSH) $(ROOMS2D:%=$(M2D)/$(1)-$(MATCH2D_SEED)/%.tsv)
	$$(Q)$$(TOOLED) sh data/figures/panels.sh $$(@:.svg=) 5 \
	  $(foreach r,$(ROOMS2D),$(r)=$(M2D)/$(1)-$(MATCH2D_SEED)/$(r).tsv)

$(FIG)/match2d-$(1).tsv: data/figures/match.sh \
		$(foreach s,$(MATCH2D_SEEDS),$(ROOMS2D:%=$(M2D)/$(1)-$(s)/%.tsv))
	$$(Q)sh data/figures/match.sh found $$(filter %.tsv,$$^) $$(INTO)
endef
$(foreach t,$(M2D_HOW),$(eval $(call match2d,$(t))))

$(FIG)/match2d.rows: data/figures/match-rows.sh $(M2D_HOW:%=$(FIG)/match2d-%.tsv) \
		$(FIG)/layouts/match2d.rows $(FIG)/layouts/bind.rows
	$(Q){ sh $(filter-out %.rows,$^) && cat $(filter %.rows,$^); } $(INTO)

# S5: ten digits.
MNIST := $(FIG)/mnist
DIGITS := 0 1 2 3 4 5 6 7 8 9
MNIST_SEEDS := $(call seeds,7101 7102 7103 7104 7105 7106 7107 7108 7109 7110)
MNIST_SEED = $(firstword $(MNIST_SEEDS))
MNIST_LEARN = 100000

fig-mnist: $(FIG)/mnist-rooms.svg $(FIG)/mnist.svg $(FIG)/mnist.rows
	@cat $(FIG)/mnist.rows

$(MNIST)/rooms/digit-%.gz: $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) roomgen digit $* -o $@

$(FIG)/mnist-rooms.svg: data/figures/rooms.sh $(FIGSH) $(DIGITS:%=$(MNIST)/rooms/digit-%.gz)
	$(Q)$(TOOLED) sh data/figures/rooms.sh $(@:.svg=) 5 \
	  $(foreach d,$(DIGITS),digit-$(d)=$(MNIST)/rooms/digit-$(d).gz)

# Each seed has its own schemas.  Trial N of a pair in fig-compose and fig-switching
# uses those of the N-th seed.
mnist_trial = $(MNIST)/schemas-$(or $(word $(1),$(MNIST_SEEDS)),$(MNIST_SEED))
define mnist_test
$(MNIST)/schemas-$(1)/digit-%.gz: data/figures/match.sh $(BINS)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match.sh learn $$(MNIST_LEARN) $(1) digit $$* $$(INTO)

$(MNIST)/test-$(1)/digit-%.tsv: data/figures/match.sh $(DIGITS:%=$(MNIST)/schemas-$(1)/digit-%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) sh data/figures/match.sh test '$(SCORE_free)' 100 $(1) digit-$$* \
	  $(MNIST)/schemas-$(1) digit $$* $$(INTO)
endef
$(foreach s,$(MNIST_SEEDS),$(eval $(call mnist_test,$(s))))

$(FIG)/mnist.svg: data/figures/panels.sh $(FIGSH) $(DIGITS:%=$(MNIST)/test-$(MNIST_SEED)/digit-%.tsv)
	$(Q)$(TOOLED) sh data/figures/panels.sh $(@:.svg=) 5 \
	  $(foreach d,$(DIGITS),digit-$(d)=$(MNIST)/test-$(MNIST_SEED)/digit-$(d).tsv)

$(FIG)/mnist.tsv: data/figures/match.sh $(foreach s,$(MNIST_SEEDS),$(DIGITS:%=$(MNIST)/test-$(s)/digit-%.tsv))
	$(Q)sh data/figures/match.sh found $(filter %.tsv,$^) $(INTO)

$(FIG)/mnist.rows: data/figures/match-rows.sh $(FIG)/mnist.tsv
	$(Q)sh $^ $(INTO)

# S6 and Table S1: eight pairs of overlapping digits.
COMPOSE := $(FIG)/compose
PAIRS := 2-3 5-1 5-3 2-7 0-9 9-3 4-6 8-7
TRIALS := 1 2 3 4 5
COMPOSED := $(foreach p,$(PAIRS),$(foreach t,$(TRIALS),$(p)-$(t)))
COMPOSE_STRIDE = 10
COMPOSE_SEED := $(call seeds,7201)

fig-compose: $(FIG)/compose.svg $(FIG)/compose.rows $(COMPOSE)/2-3-1-stride1.tsv
	@cat $(FIG)/compose.rows
	@echo 'digits 2,3, first trial, stride 1 (pair, trial, end, centre, windows, locations):'
	@cat $(COMPOSE)/2-3-1-stride1.tsv

# trial
define compose_trial
$(foreach p,$(PAIRS),$(foreach s,$(1) $(1)-stride1,$(COMPOSE)/$(p)-$(s).tsv)): $(COMPOSE)/%.tsv: \
		data/figures/compose.sh $(FIGSH) $(DIGITS:%=$(call mnist_trial,$(1))/digit-%.gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) FIRST_SEED=$(COMPOSE_SEED) \
	  STRIDE=$$(if $$(findstring stride1,$$*),1,$(COMPOSE_STRIDE)) \
	  sh data/figures/compose.sh $$(wordlist 1,3,$$(subst -, ,$$*)) \
	  $(call mnist_trial,$(1)) $$(@:.tsv=) $$(INTO)
endef
$(foreach t,$(TRIALS),$(eval $(call compose_trial,$(t))))

$(FIG)/compose.svg: data/figures/heat.sh $(FIGSH) $(COMPOSED:%=$(COMPOSE)/%.tsv)
	$(Q)sh data/figures/heat.sh $(@:.svg=) 4 $(foreach p,$(PAIRS),$(p)=$(COMPOSE)/$(p)-1.end)

$(FIG)/compose.rows: data/figures/compose-rows.sh $(COMPOSED:%=$(COMPOSE)/%.tsv)
	$(Q)sh $^ $(INTO)

# 4B and S8: the path back in rooms of other sizes and with other holes.
SHORT := $(FIG)/shortcut
SHORT_ROOMS := rectangle/6x7 rectangle/7x8 rectangle/8x9 rectangle/9x10 \
	rectangle/10x11 rectangle/12x13 rectangle/14x15 \
	hole/7h1 hole/8h2 hole/9h3 hole/9h3-off hole/10h4 hole/11h5 hole/13h7
SHORT_JOBS := $(foreach r,$(SHORT_ROOMS),$(r)/0.2 $(r)/0)
SHORT_SEEDS := $(call seeds,7301 7302 7303 7304 7305 7306 7307 7308 7309 7310)
SHORT_WALKS := 5
# KIND/RxC, or KIND/NhM for a square of N with a hole of M
short_args = $(firstword $(subst /, ,$(1))) $(call short_size,$(word 2,$(subst /, ,$(1))))
short_size = --size $(if $(findstring x,$(1)),$(1),$(call short_n,$(1))x$(call short_n,$(1)) \
	--hole $(call short_m,$(1))x$(call short_m,$(1))$(if $(findstring off,$(1)),@2$(comma)4))
short_n = $(firstword $(subst h, ,$(1)))
short_m = $(firstword $(subst -, ,$(word 2,$(subst h, ,$(1)))))
comma := ,

fig-shortcut: $(FIG)/shortcut.svg $(FIG)/shortcut.rows
	@cat $(FIG)/shortcut.tsv $(FIG)/shortcut.rows

# kind/size/lambda of a seed
define shortcut
$(SHORT)/$(1)/%.tsv: data/figures/shortcut.sh $(FIGSH) \
		$(foreach k,rectangle hole,$(call schemas_of,$(1),$(SHORT_SEEDS))/$(k).gz)
	@mkdir -p $$(@D)
	$$(Q)$$(TOOLED) WALKS=$$(SHORT_WALKS) sh data/figures/shortcut.sh \
	  $(call schemas_of,$(1),$(SHORT_SEEDS))/$$(firstword $$(subst /, ,$$*)).gz \
	  $$(lastword $$(subst /, ,$$*)) $(1) $$(call short_args,$$*) $$(INTO)
endef
$(foreach s,$(SHORT_SEEDS),$(eval $(call shortcut,$(s))))

$(FIG)/shortcut.tsv: data/figures/shortcut-rows.sh \
		$(foreach s,$(SHORT_SEEDS),$(SHORT_JOBS:%=$(SHORT)/$(s)/%.tsv))
	$(Q)sh data/figures/shortcut-rows.sh table $(SHORT) '$(SHORT_SEEDS)' $(SHORT_JOBS) $(INTO)

$(FIG)/shortcut.rows: $(FIG)/shortcut.tsv
	$(Q)sh data/figures/shortcut-rows.sh rows $< $(SHORT) '$(SHORT_SEEDS)' $(INTO)

$(FIG)/shortcut.svg: $(FIG)/shortcut.tsv $(FIGSH)
	$(Q)sh data/figures/shortcut-rows.sh draw $(@:.svg=) $<

# The exact schema of a torus against those of the cylinder and the rectangle, on 50
# walks in a torus.
SYMMETRIC_WALKS = 50
SYMMETRIC_SEED := $(call seeds,7001)

fig-symmetric: $(FIG)/symmetric.tsv $(FIG)/symmetric.rows
	@cat $^

$(FIG)/symmetric.tsv: data/figures/symmetric.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< $(SYMMETRIC_WALKS) $(SYMMETRIC_SEED) $(INTO)

$(FIG)/symmetric.rows: data/figures/recover-rows.sh $(FIG)/symmetric.tsv
	$(Q)sh $^ $(INTO)

include $(patsubst %,data/figures/%.mk,games match3d pautomac stitch stitch3d plan3d \
	track active layouts switching discover maintain choosing icl text learn live \
	life) \
	data/report/report.mk
