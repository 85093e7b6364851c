# QUICK=1: every figure with fewer seeds, fewer and shorter walks, so that all are
# made within minutes.  The settings here override those of the makefiles of the
# figures.  Rows have no verdict, since the targets are those of the full run.
UNJUDGED = awk -F '\t' -v OFS='\t' 'NF >= 6 { $$6 = "-" } { print }'
$(FIG)/%.rows: private INTO = >$(NEW) && $(UNJUDGED) $(NEW) >$(NEW).as && mv $(NEW).as $@ && \
	rm -f $(NEW) || { rm -f $(NEW) $(NEW).as; exit 1; }

# fig-recover: one seed instead of ten
override RECOVER_SEEDS := $(call seeds,1001)
override RECOVER_SLIP := slip-50000
override SEEDS_slip-50000 := $(call seeds,6001)
override SEEDS_slip-400000 :=

override SYMMETRIC_WALKS := 5

# fig-match2d, fig-mnist, fig-shortcut, fig-track: fewer walks than 25 or 50
override MATCH2D_SEEDS := $(call seeds,7001)
override MNIST_SEEDS := $(call seeds,7101)
$(foreach t,tied free track,$(eval $(FIG)/match2d/$(t)-$(MATCH2D_SEEDS)/%: private SET = WALKS=4))
$(FIG)/mnist/test-$(MNIST_SEEDS)/%: private SET = WALKS=5
override MNIST_LEARN := 50000
override SHORT_SEEDS := $(call seeds,7301)
override TRACK_SEEDS := $(call seeds,9301)

# fig-compose, fig-switching: two pairs of eight, a walk each, fewer windows
override PAIRS := 2-3 2-7
override TRIALS := 1
override COMPOSE_STRIDE := 50
$(FIG)/compose/%-stride1.tsv: private SET = STEPS=2000

# fig-mpg, fig-street
override MPG_LEARN := $(call seeds,7500)
override MPG_CURVE := $(call seeds,7621)
override MPG_GAMES := 20
override ST_COUNT := 20

# fig-match3d: shorter walks to learn from, one to test by
override M3D_SETS := 0
$(FIG)/match3d/schemas-0/%: private SET = STEPS=30000
$(foreach n,clean noisy,$(eval $(FIG)/match3d/$(n)/%: private SET = WALKS=1 STEPS=1500))
override M3D_SCRATCH := 1000 5000

# fig-stitch2d, fig-stitch3d, fig-plan3d: one walk, 10,000 steps at most
override S2D_SEEDS := $(call seeds,8101)
override S2D_STEPS := 1000 3000 5000 10000
override S3D_SEEDS := $(call seeds,8201)
override S3D_STEPS := 1000 3000 5000 10000
override S3D_HOW := exact printed scratch
$(FIG)/stitch3d/walks-%: private SET = STEPS=12000 TEST=1000
$(FIG)/stitch2d-wrong.tsv $(FIG)/stitch3d-wrong.tsv: private SET = STEPS=1000
override P3D_SEEDS := $(call seeds,8301 8302)
override P3D_THEMES := $(call seeds,8300)

# fig-active, fig-memory
override ACT_SEEDS := $(call seeds,13801)
override ACT_FEW := 3
override MEM_SEEDS := $(call seeds,13301)
override MEM_VISITS := 1

# other layouts: one seed, three worlds
override LAY_SEEDS := $(call seeds,18101)
override LAY_WORLDS := $(call seeds,18201 18202 18203)
$(FIG)/layouts/%: private SET = WALKS=1

# fig-discover: three worlds of twenty, one walk, doors as found
override DISC_WORLDS := $(call seeds,14001 14002 14003)
override DISC_LEARN := 50000
override DISC_SEEDS := $(call seeds,14101)
override DISC_STEPS := 1000 3000 5000 10000
override DISC_HOW := discovered exact scratch

override MAINTAIN_SEEDS := $(call seeds,13001)
override MAINTAIN_STEPS := 500 2000

override CHOOSING_SEEDS := $(call seeds,15001)

# fig-icl: one world and fewer documents, two seeds, fewer sizes
override ICL_WORLDS := $(call seeds,20011)
override ICL_STATES := 250 500 true
override ICL_SEEDS := $(call seeds,20101 20102)
override ICL_WORDS := 128 384
override ICL_LISTS := 128 512
$(FIG)/icl/documents-%: private SET = DOCS=20
$(FIG)/icl/ginc-%: private SET = DOCS=20 "EXAMPLES=0 8"
$(FIG)/icl/novel-%: private SET = PROMPTS=14

# fig-text: one seed instead of ten, fewer clones
override TEXT_SEEDS := $(call seeds,16001)
override TEXT_SIZES := 5000 10000
$(FIG)/text/%: private SET = RESTARTS=1 "CLONES=1 5 20"

# fig-learn: one seed of ten, without the largest and the slowest worlds
override LEARN_SEEDS := $(call seeds,17001)
override LEARN_NOISE := slip-0.02 slip-0.1 misread-0.05
override LEARN_CLEAN := debruijn-4 walls-8x9 border-10x12 maze-walls policy-runs:4
override LEARN_SHORT := 200

override LIVE_SEEDS := $(call seeds,16001)
$(FIG)/live/%: private SET = WALKS=2

# fig-life: two worlds of one life without noise, instead of twelve of ten
override LIFE_SEEDS := $(call seeds,17001)
override LIFE_NOISE := 0
$(FIG)/life/%: private SET = WORLDS=2 STEPS=2500
