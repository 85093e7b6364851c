# Static and dynamic checks of the source.
#
#   make lint             warnings, cppcheck, clang-format, shellcheck, mandoc
#   make lint-format      files that .clang-format would change
#   make lint-full        make lint, gcc -fanalyzer and clang-tidy: minutes
#   make check-tsan       threaded code, under ThreadSanitizer
#   make check-valgrind   a sample of each tool, under memcheck
#   make coverage         lines covered by the tests, by gcovr
#
# A checker that is not installed is skipped, by name.  A clean file is not checked
# again until it, a header or a setting changes.
DEPS_LINT = cppcheck clang-format clang-tidy shellcheck mandoc clang libomp-dev llvm \
	valgrind gcovr

LINT := $(BUILD)/lint
LINT_LIB := $(wildcard lib/*/*.c cmd/*.c)
# Those in tests/cluster need MPI.
LINT_TESTS := $(filter-out tests/cluster/%,$(wildcard tests/*.c tests/*/*.c tests/unit/*/*.c))
LINT_SH := $(sort $(wildcard data/*.sh data/*/*.sh tests/*.sh tests/*/*.sh \
	tests/*/*.t))
LINT_PAGES := $(wildcard man/*.[157])

# Conversions are checked in lib/ and cmd/, where values come from input; not those
# between signed and unsigned (sizes and indices are long or int, and every allocation
# multiplies them), nor from double to float, which the single-precision loops need.
# Tests have many small literals.  No -Wlogical-op: EAGAIN and EWOULDBLOCK may differ
# on other systems.  Warnings that need the optimizer come with every build.
LINT_WARN = -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wundef -Wduplicated-cond
LINT_MORE = -Wcast-qual -Wconversion -Wno-sign-conversion -Wno-float-conversion
LINT_GCC ?= gcc
LINT_CC = $(LINT_GCC) $(OUR_CPPFLAGS) $(CPPFLAGS) -std=gnu11 -fopenmp -Itests
# The SIMD kernels are built with a name and a width.
LINT_ISA = $(if $(filter lib/kernel/simd%,$<),-DISA=c -DWIDTH=4)

# Contracts that clang-tidy cannot see in one file; not where they are defined.
LINT_KNOWN = $(if $(filter-out lib/base/error.c lib/dist/ranks.c cmd/jobs.c,$<),\
	-include tests/lint/known.h)

# Its analyzer takes a SIMD vector for a single bit.
LINT_SHIFT = $(if $(filter lib/kernel/simd%,$<),-Wno-analyzer-shift-count-overflow)

# One report for each source, empty if it is clean; made in any case, so that
# one finding does not hide the others.
LINT_RUN = @sh tests/lint/run.sh $@

$(LINT_LIB:%=$(LINT)/warn/%.txt): LINT_WARN += $(LINT_MORE)
$(LINT)/warn/%.c.txt: %.c tests/lint/lint.mk
	$(LINT_RUN) $(LINT_CC) -fsyntax-only $(LINT_WARN) $(LINT_ISA) \
	  -MMD -MP -MT $@ -MF $(@:.txt=.d) $<

$(LINT)/analyzer/%.c.txt: %.c tests/lint/lint.mk
	$(LINT_RUN) $(LINT_CC) -O1 -fanalyzer $(LINT_ISA) $(LINT_SHIFT) \
	  -MMD -MP -MT $@ -MF $(@:.txt=.d) -c -o /dev/null $<

$(LINT)/tidy/%.c.txt: %.c .clang-tidy tests/lint/lint.mk tests/lint/known.h \
		$(wildcard lib/*/*.h cmd/*.h)
	$(LINT_RUN) clang-tidy --quiet $< -- $(OUR_CPPFLAGS) $(CPPFLAGS) \
	  -std=gnu11 -fopenmp -Itests $(LINT_ISA) $(LINT_KNOWN)

# One process without a cache: otherwise cppcheck does not follow a NULL from one file
# into another.
$(LINT)/cppcheck.txt: $(LINT_LIB) $(wildcard lib/*/*.h cmd/*.h) \
		tests/lint/cppcheck.txt tests/lint/lint.mk
	$(LINT_RUN) cppcheck -q --std=c11 --inline-suppr \
	  --suppressions-list=tests/lint/cppcheck.txt \
	  --enable=warning,performance,portability \
	  --template='{file}:{line}: {severity}: {message} [{id}]' \
	  -Ilib -Icmd -D_GNU_SOURCE -DCSCG_VERSION='"0"' -DISA=c -DWIDTH=4 \
	  $(LINT_LIB)

$(LINT)/shell/%.txt: % tests/lint/lint.mk
	$(LINT_RUN) shellcheck -s sh -x -P SCRIPTDIR -f gcc $(LINT_SHELL) $<

$(LINT)/man/%.txt: % tests/lint/lint.mk
	$(LINT_RUN) mandoc -Tlint -W warning $<

# Left out: variables that a script which sources the other one, or a string that
# is evaluated, sets or uses (2034, 2154, 2089, 2090); words that are to be split
# (2046); files named like a command (2238); a here-document inside quotes, whose
# end it does not see (1122).
LINT_SHELL = -S warning -e SC2034,SC2154,SC2089,SC2090,SC2046,SC2238,SC1122

LINT_SAY = @sh tests/lint/say.sh

lint-warn: $(LINT_LIB:%=$(LINT)/warn/%.txt) $(LINT_TESTS:%=$(LINT)/warn/%.txt)
	$(LINT_SAY) $(LINT_GCC) 'gcc warnings' $^
lint-analyzer: $(LINT_LIB:%=$(LINT)/analyzer/%.txt)
	$(LINT_SAY) $(LINT_GCC) 'gcc -fanalyzer' $^
lint-tidy: $(LINT_LIB:%=$(LINT)/tidy/%.txt)
	$(LINT_SAY) clang-tidy clang-tidy $^
lint-cppcheck: $(LINT)/cppcheck.txt
	$(LINT_SAY) cppcheck cppcheck $^
lint-shell: $(LINT_SH:%=$(LINT)/shell/%.txt)
	$(LINT_SAY) shellcheck shellcheck $^
lint-format:
	@sh tests/lint/format.sh
lint-man: $(LINT_PAGES:%=$(LINT)/man/%.txt)
	$(LINT_SAY) mandoc 'mandoc -Tlint' $^

lint:
	@+$(ALL_CORES) -k lint-warn lint-cppcheck lint-format lint-shell lint-man
lint-full:
	@+$(ALL_CORES) -k lint-warn lint-cppcheck lint-format lint-shell lint-man \
	  lint-analyzer lint-tidy

-include $(LINT_LIB:%=$(LINT)/warn/%.d) $(LINT_TESTS:%=$(LINT)/warn/%.d) \
	$(LINT_LIB:%=$(LINT)/analyzer/%.d)

.PHONY: lint lint-full lint-warn lint-analyzer lint-tidy lint-cppcheck \
	lint-format lint-shell lint-man

# The sanitizer must see the locks of OpenMP: clang with its libomp.
TSAN_CC ?= clang
check-tsan:
	@command -v $(firstword $(TSAN_CC)) >/dev/null || \
	  { echo 'SKIP check-tsan: $(TSAN_CC) is not installed'; exit 1; }
	@+$(ALL_CORES) BUILD=$(BUILD)/tsan CC=$(TSAN_CC) HARDEN=0 \
	  SAN=-fsanitize=thread CFLAGS='-O1 -g' tsan-ready
	@BUILD=$(abspath $(BUILD)/tsan) sh tests/lint/tsan.sh
# Unit programs that start threads.  Not golden, which has one thread and takes very
# long.
TSAN_UNITS := $(filter-out learn/golden,$(patsubst tests/unit/%.c,%,$(shell grep -l \
	'threads' $(wildcard tests/unit/*/*.c))))
tsan-ready: all $(TSAN_UNITS:%=$(BUILD)/tests/unit/%)

check-valgrind: all
	@BUILD=$(abspath $(BUILD)) sh tests/lint/valgrind.sh

# Counters are written when a process ends (tests/lint/flush.c), also by another user
# than the one who built.  T= chooses tests as for check.
COVERED := $(BUILD)/covered
COVERED_FLAGS = HARDEN=0 CFLAGS='-O0 -g --coverage -fprofile-update=atomic' \
	LDFLAGS='-Wl,--wrap=raise -Wl,--wrap=_exit $(abspath $(COVERED))/flush.o'
$(COVERED)/flush.o: tests/lint/flush.c
	@mkdir -p $(@D)
	$(Q)$(CC) -fPIC -O1 -Wall -Wextra -D_GNU_SOURCE -c -o $@ $<

coverage: $(COVERED)/flush.o
	@+$(ALL_CORES) BUILD=$(COVERED) $(COVERED_FLAGS) ready-all
	@find $(COVERED) -name '*.gcda' -delete
	@BUILD=$(abspath $(COVERED)) sh tests/lint/coverage.sh $(or $(T),--all)

.PHONY: check-tsan tsan-ready check-valgrind coverage
