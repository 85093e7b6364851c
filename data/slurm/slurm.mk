# make figures SUBMIT=slurm, or fig-NAME: their parts as jobs.
# Included in place of figures.mk, which figures.sh asks for what there is to
# make.

FIG := $(BUILD)/figures$(if $(filter-out 0,$(QUICK)),-quick)
SUBMIT_FIGURES = @MAKE='$(MAKE)' BUILD='$(BUILD)' FIG='$(FIG)' sh data/slurm/figures.sh

figures: all
	$(SUBMIT_FIGURES) $@
fig-%: all
	$(SUBMIT_FIGURES) $@
.PHONY: figures
