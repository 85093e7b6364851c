# One target per figure; `make figures` builds all.
figures: all
.PHONY: figures
