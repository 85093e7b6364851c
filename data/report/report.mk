# make report: one page of the figures that were made, $(FIG)/report.html, with a list
# of those that were not.  It makes no figure.

# Settings shown on the page, by the names in @...@ of figures.txt.
REPORT_VARS = $(shell sed -n '/^#/d; s/@\([A-Za-z0-9_-]*\)@/\n@\1\n/gp' data/report/figures.txt | \
	sed -n 's/^@//p' | sort -u)

report:
	@mkdir -p $(FIG)
	@printf '%s\n' $(foreach v,$(REPORT_VARS),'$(v)=$(strip $($(v)))') >$(FIG)/settings
	@$(MAKE) --no-print-directory -nB V=1 COUNTED=1 figures >$(FIG)/commands.new
	@mv $(FIG)/commands.new $(FIG)/commands
	$(Q)QUICK=$(IS_QUICK) SEED=$(FIG_SEED) VERSION=$(VERSION) sh data/report/report.sh $(FIG) \
	  >$(FIG)/report.html.new && mv $(FIG)/report.html.new $(FIG)/report.html
	@echo '$(FIG)/report.html'
.PHONY: report

# make compare SEEDS="1 2": the rows of make figures SEED=1 and SEED=2 side by side,
# and those of an earlier comparison, TABLE, that these runs lack
SEEDS ?=
TABLE ?=
compare:
	@sh data/report/compare.sh $(TABLE) $(foreach s,$(SEEDS),$(BUILD)/figures$(if $(IS_QUICK),-quick)$(if $(filter-out 0,$(s)),-seed$(s)))
.PHONY: compare
