# make check-cluster: ranks and jobs on a private Slurm; needs root and DEPS_CLUSTER.
# make check-all runs a part of it if they are installed.
DEPS_CLUSTER = libopenmpi-dev openmpi-bin slurm-wlm munge pkg-config

# Tools with MPI for the tests, from the same objects except lib/dist/ranks.c, the
# only file that uses MPI.  With MPI=1 all tools are built with it.
RANKED := cscg-learn cscg-match vq-kmeans
TEST_MPI := $(if $(filter 1,$(MPI)),,$(firstword $(foreach p,ompi-c mpi-c,\
	$(shell pkg-config --exists $(p) 2>/dev/null && echo $(p)))))
ifneq ($(TEST_MPI),)
$(BUILD)/mpi/ranks.o: lib/dist/ranks.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DCSCG_MPI $(patsubst -I%,-isystem %,\
	  $(shell pkg-config --cflags $(TEST_MPI))) -MMD -MP -c -o $@ $<

MPI_LIBS = $(OUR_LDLIBS) $(shell pkg-config --libs $(TEST_MPI)) $(LDLIBS)
$(RANKED:%=$(BUILD)/mpi/%): $(BUILD)/mpi/%: $(BUILD)/% $(BUILD)/mpi/ranks.o
	$(Q)$(LINK_TOOL) -o $@ $(BUILD)/mpi/ranks.o $(BUILD)/cmd/$*.o \
	  $(CMD_OBJ) $(BUILD)/libcscg.a $(MPI_LIBS)

$(BUILD)/mpi/tests/unit/dist/ranks: $(BUILD)/tests/unit/dist/ranks $(BUILD)/mpi/ranks.o
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $(BUILD)/mpi/ranks.o $(BUILD)/tests/unit/dist/ranks.o \
	  $(BRUTE_OBJ) $(BUILD)/libcscg.a $(MPI_LIBS)

ready-all: $(RANKED:%=$(BUILD)/mpi/%) $(BUILD)/mpi/tests/unit/dist/ranks
-include $(BUILD)/mpi/ranks.d
endif

check-cluster:
	@+$(ALL_CORES) ready-all
	@CLUSTER=full BUILD=$(abspath $(BUILD)) sh tests/run.sh \
	  mpi.t checkpoint.t cluster.t

bench-cluster: ready-all

.PHONY: check-cluster
