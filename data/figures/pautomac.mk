# Perplexity on the problems of the PAutomaC competition.  Its data are for research
# only and not in this tree: make fig-pautomac DATA=DIRECTORY.  PROBLEMS="1 2 3"
# selects problems.  FLEXFRINGE=DIRECTORY, a checkout with the program, compares with
# FlexFringe.
DATA ?=
FLEXFRINGE ?=
PROBLEMS ?= $(foreach f,$(wildcard $(DATA)/*.pautomac.train),\
	$(patsubst %.pautomac.train,%,$(notdir $(f))))
PA := $(FIG)/pautomac

fig-pautomac: $(FIG)/pautomac.tsv
	@cat $<
.PHONY: fig-pautomac

ifneq ($(filter fig-pautomac,$(MAKECMDGOALS)),)
ifeq ($(strip $(PROBLEMS)),)
$(error fig-pautomac: DATA=DIRECTORY is needed, with N.pautomac.train and so on)
endif
endif

$(PA)/%.tsv: data/figures/pautomac.sh tests/bench/alergia.py tests/bench/flexfringe.py \
    $(FIGSH) $(BINS)
	@mkdir -p $(@D)
	$(Q)$(TOOLED) FLEXFRINGE="$(abspath $(FLEXFRINGE))" sh $< "$(DATA)" $* $(INTO)

# The numbers of problems with a perplexity not above those of Alergia and FlexFringe,
# and within 1 % of the optimum.
$(FIG)/pautomac.tsv: $(foreach p,$(PROBLEMS),$(PA)/$(p).tsv)
	$(Q)awk -F '\t' 'FNR == 1 { if (NR == 1) print; next } \
	  { print; n[$$2]++; peer[$$2] += $$8 != "-" && $$7 <= $$8 && ($$9 == "-" || $$7 <= $$9); \
	    near[$$2] += $$7 <= 1.01 * $$6; if ($$10 > cpu[$$2]) cpu[$$2] = $$10 } \
	  END { for (k in n) printf "# %s: %d problems, %d at most Alergia and FlexFringe, %d within 1 %% of the optimum, %s s of CPU time at most\n", \
	    k, n[k], peer[k], near[k], cpu[k] }' $^ $(INTO)
