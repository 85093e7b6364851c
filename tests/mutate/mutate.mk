# Mutation testing: do the tests detect mutants of the source?
#
#   make mutate [FILES="lib/io/csv.c bind ..."] [N=20] [EACH=1] [SEED=1]
#               [MUTATE_JOBS=2] [MUTATE_TIME=SECONDS]
#
# FILES names files and modules of tests/mutate/tests.txt [all]; with EACH, N mutants of
# each module.  The copies of the tree that mutants are built in stay in build/mutate.

N ?= 20
MUTATE_JOBS = $(CORES)

mutate:
	@python3 tests/mutate/mutate.py -n $(N) -s $(or $(SEED),1) -j $(MUTATE_JOBS) \
	  $(MUTATE_TIME:%=-t %) $(if $(EACH),--each) \
	  -d $(abspath $(BUILD))/mutate $(FILES)

.PHONY: mutate
