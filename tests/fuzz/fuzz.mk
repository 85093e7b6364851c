# Fuzzing: a target for each reader, by libFuzzer under ASan and UBSan.
#
#   make fuzz              FUZZ_TIME seconds for each target [60]
#   make fuzz FUZZ=model   one target
#   make fuzz-coverage     lines of each reader that the corpora cover
#   make fuzz-cli          whole tools through pipes, by AFL++
#   make fuzz-values       valid files with changed values: VALUES for each of five readers
#                          in one process [20000], VALUES_RUNS through tools [4500]
#
# Corpora grow in $(BUILD)/fuzz/corpus; tests/fuzz/found keeps inputs that once
# caused a failure.  Without clang, make check-all replays seeds and found
# inputs.

FUZZ_ALL := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ ?= $(FUZZ_ALL)
FUZZ_TIME ?= 60
FUZZ_RUNS ?= -1
FUZZ_CC ?= clang
FUZZ_BUILD := $(BUILD)/fuzz
FUZZ_SAN = -fsanitize=address,undefined -fno-sanitize-recover=all
# Calls that a target can make fail (fault.c), and what ends a process.
FUZZ_FAULTS = malloc calloc realloc posix_memalign strdup read
FUZZ_WRAP = $(FUZZ_FAULTS:%=-Wl,--wrap=%)
FUZZ_WRAP_options = -Wl,--wrap=exit
FUZZ_OBJ = $(BUILD)/tests/fuzz/fuzz.o $(BUILD)/tests/fuzz/fault.o

# Replayed with the compiler of the build, as tests.
REPLAYS := $(FUZZ_ALL:%=$(BUILD)/tests/fuzz/replay_%)
$(REPLAYS): $(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o \
		$(FUZZ_OBJ) $(BUILD)/tests/fuzz/replay.o $(CMD_OBJ) \
		$(BUILD)/libcscg.a
	$(Q)$(LINK) $(FUZZ_WRAP) $(FUZZ_WRAP_$*) -o $@ $^ $(OUR_LDLIBS) \
	  $(LDLIBS)

# The library with the instrumentation of the fuzzer, in a separate build.
fuzz-build:
	@+$(MAKE) --no-print-directory BUILD=$(FUZZ_BUILD) CC='$(FUZZ_CC)' OPENMP=0 \
	  SIMD=0 HARDEN=0 CFLAGS='-O1 -g' SAN='-fsanitize=fuzzer-no-link $(FUZZ_SAN)' \
	  $(FUZZ_ALL:%=$(FUZZ_BUILD)/fuzz_%)

$(FUZZ_ALL:%=$(BUILD)/fuzz_%): $(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o \
		$(FUZZ_OBJ) $(CMD_OBJ) $(BUILD)/libcscg.a
	$(Q)$(LINK) -fsanitize=fuzzer $(FUZZ_WRAP) $(FUZZ_WRAP_$*) -o $@ $^ \
	  $(OUR_LDLIBS) $(LDLIBS)

fuzz-seeds: all
	@BUILD=$(abspath $(BUILD)) sh tests/fuzz/seeds.sh $(abspath $(FUZZ_BUILD))/corpus

fuzz: fuzz-build fuzz-seeds
	@BUILD=$(abspath $(FUZZ_BUILD)) FUZZ_TIME=$(FUZZ_TIME) \
	  FUZZ_RUNS=$(FUZZ_RUNS) sh tests/fuzz/run.sh $(FUZZ)

fuzz-coverage: fuzz-seeds
	@+$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage OPENMP=0 SIMD=0 \
	  CFLAGS='-O0 -g --coverage' HARDEN=0 $(FUZZ_ALL:%=$(BUILD)/coverage/tests/fuzz/replay_%)
	@BUILD=$(abspath $(BUILD)/coverage) \
	  CORPUS=$(abspath $(FUZZ_BUILD))/corpus sh tests/fuzz/coverage.sh

fuzz-cli: fuzz-seeds
	@BUILD=$(abspath $(FUZZ_BUILD)/afl) FUZZ_TIME=$(FUZZ_TIME) \
	  CORPUS=$(abspath $(FUZZ_BUILD))/corpus MAKE='$(MAKE)' \
	  sh tests/fuzz/afl.sh

# The build of check-asan, and tools that run many command lines (serve.c).
VALUES ?= 20000
VALUES_RUNS ?= 4500
VALUES_SEED ?= 1
VALUES_KINDS = model walk room codebook csv
VALUES_DIR = $(abspath $(BUILD)/asan)
SERVED := $(TOOLS:%=$(BUILD)/serve_%)
$(SERVED): $(BUILD)/serve_%: $(BUILD)/cmd/%.o $(CMD_OBJ) \
		$(BUILD)/tests/fuzz/serve.o $(BUILD)/libcscg.a
	$(Q)$(LINK) -Wl,--wrap=main -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	  $(OUR_LDLIBS) $(LDLIBS)
fuzz-values: fuzz-seeds
	@+$(ALL_CORES) BUILD=$(BUILD)/asan $(ASAN) $(TOOLS:%=$(BUILD)/asan/serve_%) \
	  $(VALUES_KINDS:%=$(BUILD)/asan/tests/fuzz/replay_%)
	@cd $(FUZZ_BUILD)/corpus && bad=0; \
	echo 'kind	given	accepted	percent	status'; \
	for k in $(VALUES_KINDS); do \
	  python3 $(CURDIR)/tests/fuzz/values.py read -n $(VALUES) -s $(VALUES_SEED) $$k \
	    $(VALUES_DIR)/tests/fuzz/replay_$$k $$(find $$k set -maxdepth 1 -type f \
	    -path "*$$(echo $$k | sed 's/codebook/book/;s/csv/table/')*") || bad=1; \
	done; \
	python3 $(CURDIR)/tests/fuzz/values.py run -n $(VALUES_RUNS) -s $(VALUES_SEED) \
	  $(VALUES_DIR) set && exit $$bad

.PHONY: fuzz-values fuzz fuzz-build fuzz-seeds fuzz-coverage fuzz-cli

-include $(wildcard $(BUILD)/tests/fuzz/*.d)
