# make figures SUBMIT=slurm, or fig-NAME: submit the parts as jobs.
# Included instead of figures.mk, from which figures.sh gets the list of targets.

FIG := $(BUILD)/figures$(if $(filter-out 0,$(QUICK)),-quick)
SUBMIT_FIGURES = @MAKE='$(MAKE)' BUILD='$(BUILD)' FIG='$(FIG)' sh data/slurm/figures.sh

figures: all
	$(SUBMIT_FIGURES) $@
fig-%: all
	$(SUBMIT_FIGURES) $@
.PHONY: figures
