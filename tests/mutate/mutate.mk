# Mutation testing: does a test notice when a line of the source is wrong?
#
#   make mutate [FILES="lib/io/csv.c ..."] [N=20] [SEED=1] [MUTATE_JOBS=2]
#               [MUTATE_TIME=SECONDS]
#
# The copies of the tree that mutants are built in stay in build/mutate.

# Readers, output, planner, tracker, stitching, state merging.
FILES ?= lib/io/stream.c lib/io/json.c lib/io/json_parse.c lib/io/csv.c lib/io/table.c \
	lib/core/walk_line.c lib/core/walk_io.c lib/core/model_io.c lib/plan/plan.c \
	lib/schema/track.c lib/schema/stitch.c lib/learn/merge.c
N ?= 20
MUTATE_JOBS = $(CORES)

mutate:
	@python3 tests/mutate/mutate.py -n $(N) -s $(or $(SEED),1) -j $(MUTATE_JOBS) \
	  $(MUTATE_TIME:%=-t %) \
	  -d $(abspath $(BUILD))/mutate $(FILES)

.PHONY: mutate
