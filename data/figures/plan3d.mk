# 4A: the path back in the four-room world with another theme, by the stitched schema
# of fig-stitch3d: after the walk of data/walks with ten themes, and after cover walks,
# each with its own theme.
P3D := $(FIG)/plan3d
P3D_SEEDS := $(call seeds,$(shell seq 8301 8320))
P3D_THEMES := $(call seeds,8300 $(shell seq 8321 8329))
P3D_START := 9,1,north

fig-plan3d: $(FIG)/plan3d.svg $(FIG)/plan3d.rows
	@cat $(FIG)/plan3d.rows

$(P3D)/schema.gz: data/figures/plan3d.sh $(FIGSH) $(S3D)/rows/exact-$(S3D_FIRST)-10000.tsv
	@mkdir -p $(@D)
	$(Q)$(TOOLED) sh $< schema $(S3D)/exact-$(S3D_FIRST)-10000.gz $(INTO)

$(P3D)/given-%.tsv: data/figures/plan3d.sh $(FIGSH) data/walks/four-rooms.txt $(P3D)/schema.gz
	$(Q)$(TOOLED) sh $< given $(@:.tsv=) $(P3D)/schema.gz $* $* \
	  data/walks/four-rooms.txt $(P3D_START) $(INTO)

$(P3D)/cover-%.tsv: data/figures/plan3d.sh $(FIGSH) $(P3D)/schema.gz
	$(Q)$(TOOLED) sh $< cover $(@:.tsv=) $(P3D)/schema.gz $* $* 500 $(INTO)

$(P3D)/given.tsv: $(P3D_THEMES:%=$(P3D)/given-%.tsv)
	$(Q)cat $^ $(INTO)

$(P3D)/cover.tsv: $(P3D_SEEDS:%=$(P3D)/cover-%.tsv)
	$(Q)cat $^ $(INTO)

$(FIG)/plan3d.rows: data/figures/plan3d.sh $(FIGSH) $(P3D)/given.tsv $(P3D)/cover.tsv
	$(Q)sh $< rows $(P3D)/given.tsv $(P3D)/cover.tsv $(INTO)

$(FIG)/plan3d.svg: data/figures/plan3d.sh $(FIGSH) $(P3D)/given.tsv
	$(Q)$(TOOLED) sh $< draw $(@:.svg=) $(P3D)/given-$(firstword $(P3D_THEMES))
