# cscg - learn latent graphs from actions and aliased observations
#
#   make deps demo     set up a Debian machine, learn two rooms, draw them
#   make deps check    set up, run the tests; with CI set, all tests
#
# CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS are yours; BUILD may be anywhere; V=1 shows
# the commands.

VERSION = 2.0.0

BUILD  = build
PREFIX = /usr/local
DESTDIR =
CC     ?= cc
CFLAGS ?= -O3 -g
OPENMP ?= 1
SIMD   ?= 1
MPI    ?= 0
HARDEN ?= 1
SAN    =

BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
COMPDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
INSTALL = install
# The soname has the first number of the version.
SONAME = libcscg.so.$(firstword $(subst ., ,$(VERSION)))
SOFILE = libcscg.so.$(VERSION)

ifneq ($(words $(BUILD) $(CURDIR)),2)
$(error '$(BUILD)' in '$(CURDIR)': make needs names without blanks)
endif

OMP_1 = -fopenmp
OMP_0 = -Wno-unknown-pragmas
# Hardening, since the tools read untrusted files; 0 for coverage and sanitizers.
HARDEN_1 = -fstack-protector-strong
HARDEN_CPP_1 = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN_LD_1 = -Wl,-z,relro,-z,now
PIE_1 = -pie
# The same bytes from every compiler and at every -O: no contraction of a product
# and a sum (the kernels fuse explicitly), and functions of libm that are not
# exactly rounded are never evaluated or replaced at compile time.
LIBM = acos asin atan atan2 cbrt cos cosh erf erfc exp exp10 exp2 expm1 hypot \
	lgamma log log10 log1p log2 pow sin sinh tan tanh tgamma
SAME_BYTES = -fno-fast-math -ffp-contract=off $(LIBM:%=-fno-builtin-%)
OUR_CFLAGS = -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla \
	$(SAME_BYTES) -fPIC -fvisibility=hidden \
	-ffile-prefix-map=$(CURDIR)/= $(OMP_$(OPENMP)) \
	$(HARDEN_$(HARDEN)) $(SAN)
OUR_CPPFLAGS = -D_GNU_SOURCE -DCSCG_VERSION='"$(VERSION)"' -Ilib -Icmd \
	$(HARDEN_CPP_$(HARDEN))
OUR_LDLIBS = -ljansson -lz -lm
Q_1 =
Q = $(Q_$(V))
Q_ = @printf '  %s\n' '$(@:$(BUILD)/%=%)';
COMPILE = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS)
LINK = $(CC) $(OUR_CFLAGS) $(CFLAGS) $(HARDEN_LD_$(HARDEN)) $(LDFLAGS)
LINK_TOOL = $(LINK) $(PIE_$(HARDEN))

# MPI=1 builds the tools that can run over several ranks with MPI; without it they run
# as one process, with the same results.
ifeq ($(MPI),1)
MPI_PC := $(firstword $(foreach p,ompi-c mpi-c mpi mpich,\
	$(shell pkg-config --exists $(p) && echo $(p))))
ifeq ($(MPI_PC),)
$(error MPI=1: pkg-config knows no MPI (Debian: libopenmpi-dev))
endif
OUR_CPPFLAGS += -DCSCG_MPI \
	$(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(MPI_PC)))
OUR_LDLIBS += $(shell pkg-config --libs $(MPI_PC))
endif

# The SIMD kernels are one source, built once for each instruction set; SIMD=0
# builds them as plain C only.
ISAS := c
ifeq ($(SIMD),1)
ifneq ($(filter x86_64 i%86,$(shell $(CC) -dumpmachine | cut -d- -f1)),)
ISAS += sse2 avx2 avx512 avx512n
OUR_CPPFLAGS += -DCSCG_SIMD_X86
endif
endif
ISA_c = -DWIDTH=$(if $(filter 1,$(SIMD)),4,1)
ISA_sse2 = -DWIDTH=4 -msse2
ISA_avx2 = -DWIDTH=8 -mavx2 -mfma -mtune=haswell
AVX512 = -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma \
	-mtune=skylake-avx512
ISA_avx512 = -DWIDTH=16 -DNARROW=avx512n $(AVX512) -mprefer-vector-width=512
ISA_avx512n = -DWIDTH=8 $(AVX512)
ISA_vnni = $(AVX512) -mavx512vnni
BYTES_ISAS := c $(if $(filter avx512,$(ISAS)),avx2 avx512 vnni)

LIB_SRC := $(filter-out lib/kernel/simd.c lib/kernel/simd_bytes.c,\
	$(wildcard lib/*.c lib/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(ISAS:%=$(BUILD)/lib/kernel/simd-%.o) \
	$(BYTES_ISAS:%=$(BUILD)/lib/kernel/simd_bytes-%.o)
# Shared by all tools; every other source of cmd/ is one tool.
CMD_SHARED = tool options suggest jobs
CMD_OBJ := $(CMD_SHARED:%=$(BUILD)/cmd/%.o)
TOOLS := $(filter-out $(CMD_SHARED),$(patsubst cmd/%.c,%,$(wildcard cmd/*.c)))
BINS := $(TOOLS:%=$(BUILD)/%)
UNITS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/*.c))
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,\
	$(filter-out %/seed.c,$(wildcard tests/bench/*.c)))
BRUTE_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/brute/*.c))
PAGES := $(wildcard man/*.[157])

# Packages by name: what the build needs; what make check, make demo and the
# figures use besides (a test skips what is missing); and what only make check-all
# uses, beside DEPS_CLUSTER, DEPS_LINT and DEPS_BROWSER.
DEPS = libjansson-dev zlib1g-dev
DEPS_MORE = mandoc gnuplot-nox graphviz librsvg2-bin valgrind gzip \
	python3 python3-numpy pkg-config
DEPS_FEW = g++ git python3-yaml zsh fish cairosvg

# Everything is tested by make check-all, and by make check where CI is set.
EVERY := $(or $(CI),$(filter check-all,$(MAKECMDGOALS)))

all: $(BINS) $(BUILD)/libcscg.a $(BUILD)/libcscg.so $(BUILD)/completion/cscg \
	$(BUILD)/completion/_cscg $(TOOLS:%=$(BUILD)/completion/%.fish)

# References of make bench.
DEPS_BENCH = python3-numba python3-scipy python3-numpy python3-sklearn \
	libopenblas0

# apt is not called if all packages are installed.  make deps check-all, or make
# deps check with CI set, installs the packages of all tests.
deps: WANTED = $(DEPS) $(DEPS_MORE) $(if $(EVERY),$(DEPS_FEW) \
	$(DEPS_CLUSTER) $(DEPS_LINT) $(DEPS_BROWSER))
deps-bench: WANTED = $(DEPS_BENCH)
deps deps-bench deps-bigendian:
	@set -- $(WANTED); miss=; \
	for p in "$$@"; do \
	  dpkg-query -W -f '$${Status}' "$$p" 2>/dev/null | \
	    grep -q 'install ok installed' || miss="$$miss $$p"; \
	done; \
	[ -z "$$miss" ] && exit 0; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	echo "installing:$$miss"; \
	$$sudo apt-get update -qq && \
	$$sudo env DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends $$miss >/dev/null

# With -j, nothing is compiled before deps is done.
ifneq ($(filter deps,$(MAKECMDGOALS)),)
$(BUILD)/flags demo check check-all: | deps
endif

# The two commands build with all cores, unless -j says otherwise.
CORES := $(shell nproc 2>/dev/null || echo 1)
ALL_CORES = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(CORES))

# The compile line; rewritten only when it changes.
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(COMPILE) | $(LINK))' | cmp -s - $@ || \
	  echo '$(subst ','\'',$(COMPILE) | $(LINK))' >$@
force:

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(ISAS:%=$(BUILD)/lib/kernel/simd-%.o): $(BUILD)/lib/kernel/simd-%.o: \
		lib/kernel/simd.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DISA=$* $(ISA_$*) -MMD -MP -c -o $@ $<

$(BYTES_ISAS:%=$(BUILD)/lib/kernel/simd_bytes-%.o): \
		$(BUILD)/lib/kernel/simd_bytes-%.o: lib/kernel/simd_bytes.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DISA=$* $(ISA_$*) -MMD -MP -c -o $@ $<

$(BUILD)/libcscg.a: $(LIB_OBJ)
	$(Q)$(AR) rcs $@.new $(LIB_OBJ) && mv $@.new $@

# Only the functions of cscg.h are exported: -fvisibility=hidden hides the others,
# the version script the locks of named critical sections.
$(BUILD)/libcscg.so: $(LIB_OBJ) lib/cscg.map
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) \
	  -Wl,--version-script=lib/cscg.map -o $@ $(LIB_OBJ) $(OUR_LDLIBS) $(LDLIBS)

$(BINS): $(BUILD)/%: $(BUILD)/cmd/%.o $(CMD_OBJ) $(BUILD)/libcscg.a
	$(Q)$(LINK_TOOL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(OUR_LDLIBS) $(LDLIBS)

$(UNITS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BRUTE_OBJ) $(BUILD)/libcscg.a
	$(Q)$(LINK) -o $@ $^ $(OUR_LDLIBS) $(LDLIBS)
$(BUILD)/tests/%.o: private OUR_CPPFLAGS += -Itests
$(BENCHES): $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libcscg.a
	$(Q)$(LINK) -o $@ $^ $(OUR_LDLIBS) $(LDLIBS)
# Built for this machine, whose peak performance it measures.
$(BUILD)/tests/bench/roofline.o: private OUR_CFLAGS += -march=native -ffp-contract=fast

$(BUILD)/tests/oom.so: tests/oom.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -D_GNU_SOURCE -O1 -o $@ $< -ldl

$(BUILD)/tests/bench/seed.so: tests/bench/seed.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -O1 -o $@ $< -ljansson

# Completion files are generated from --help of the tools.
$(BUILD)/completion/cscg: data/completion.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)sh data/completion.sh bash $(BUILD) $(TOOLS) >$@.new && mv $@.new $@
$(BUILD)/completion/_cscg: data/completion.sh $(BINS)
	@mkdir -p $(@D)
	$(Q)sh data/completion.sh zsh $(BUILD) $(TOOLS) >$@.new && mv $@.new $@
$(BUILD)/completion/%.fish: data/completion.sh $(BUILD)/%
	@mkdir -p $(@D)
	$(Q)sh data/completion.sh fish $(BUILD) $* >$@.new && mv $@.new $@

include tests/fuzz/fuzz.mk tests/fault/fault.mk tests/lint/lint.mk \
	tests/cluster/cluster.mk tests/mutate/mutate.mk tests/bigendian/bigendian.mk \
	data/html/html.mk data/python/python.mk

# What make check needs, and what make check-all needs besides.
ready: all $(UNITS) $(BUILD)/tests/oom.so
ready-all: ready $(REPLAYS) $(SERVED)
# What the tests chosen by T= need: unit programs whose name contains one of its
# words.
ready-some: all $(BUILD)/tests/oom.so $(BUILD)/tests/fault.so \
	$(if $(filter fuzz%,$(T)),$(REPLAYS) $(SERVED)) \
	$(foreach u,$(UNITS),$(if $(strip $(foreach t,$(T),\
	$(findstring $(t),$(notdir $(u)).c))),$(u)))

# check takes less than a minute on two cores; tests/run.sh says which tests are
# left for check-all.  T= chooses tests by name, from all of them.
check:
	@+$(ALL_CORES) $(if $(T),ready-some,$(if $(EVERY),ready-all,ready))
	@BUILD=$(abspath $(BUILD)) sh tests/run.sh $(or $(T),$(if $(EVERY),--all))
check-all:
	@+$(ALL_CORES) $(if $(T),ready-some,ready-all)
	@BUILD=$(abspath $(BUILD)) sh tests/run.sh $(or $(T),--all)

# All tests under ASan and UBSan.
ASAN = SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
	CFLAGS='-O1 -g' HARDEN=0
check-asan:
	$(MAKE) BUILD=$(BUILD)/asan $(ASAN) check-all

demo:
	@+$(ALL_CORES) all
	@BUILD=$(abspath $(BUILD)) sh data/demo.sh

# bench-NAME runs tests/bench/NAME.sh; the table of all is bench-run.
bench: bench-run
bench-%: tests/bench/%.sh all $(BENCHES) $(BUILD)/tests/bench/seed.so
	@BUILD=$(abspath $(BUILD)) sh $<

ifeq ($(SUBMIT),slurm)
include data/slurm/slurm.mk
else
include data/figures.mk
endif

install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig \
	  $(DESTDIR)$(INCDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
	  $(DESTDIR)$(MANDIR)/man7 $(DESTDIR)$(COMPDIR) $(DESTDIR)$(ZSHDIR) \
	  $(DESTDIR)$(FISHDIR)
	$(INSTALL) -m 755 $(BINS) $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 $(BUILD)/libcscg.a $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 755 $(BUILD)/libcscg.so $(DESTDIR)$(LIBDIR)/$(SOFILE)
	ln -sf $(SOFILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libcscg.so
	$(INSTALL) -m 644 lib/cscg.h $(DESTDIR)$(INCDIR)
	for p in $(PAGES); do \
	  $(INSTALL) -m 644 $$p $(DESTDIR)$(MANDIR)/man$${p##*.} || exit; done
	$(INSTALL) -m 644 $(BUILD)/completion/cscg $(DESTDIR)$(COMPDIR)/cscg
	for t in $(TOOLS); do ln -sf cscg $(DESTDIR)$(COMPDIR)/$$t || exit; done
	$(INSTALL) -m 644 $(BUILD)/completion/_cscg $(DESTDIR)$(ZSHDIR)
	$(INSTALL) -m 644 $(TOOLS:%=$(BUILD)/completion/%.fish) $(DESTDIR)$(FISHDIR)
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' \
	  'includedir=$(INCDIR)' '' 'Name: libcscg' \
	  'Description: clone-structured cognitive graphs and schemas' \
	  'Version: $(VERSION)' 'Requires.private: jansson zlib' \
	  'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lcscg' \
	  'Libs.private: $(strip -lm $(filter -fopenmp,$(OMP_$(OPENMP))) \
	  $(filter-out -ljansson -lz -lm,$(OUR_LDLIBS)))' \
	  >$(DESTDIR)$(LIBDIR)/pkgconfig/cscg.pc

uninstall:
	for t in $(TOOLS); do \
	  rm -f $(DESTDIR)$(BINDIR)/$$t $(DESTDIR)$(COMPDIR)/$$t \
	    $(DESTDIR)$(FISHDIR)/$$t.fish; done
	for p in $(PAGES); do \
	  rm -f $(DESTDIR)$(MANDIR)/man$${p##*.}/$${p##*/}; done
	rm -f $(DESTDIR)$(COMPDIR)/cscg $(DESTDIR)$(ZSHDIR)/_cscg \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/cscg.pc \
	  $(addprefix $(DESTDIR)$(LIBDIR)/,libcscg.a libcscg.so $(SONAME) $(SOFILE)) \
	  $(DESTDIR)$(INCDIR)/cscg.h

# The manual as HTML, in BUILD/html, by mandoc.
html: $(PAGES:man/%=$(BUILD)/html/%.html)
$(BUILD)/html/%.html: man/%
	@mkdir -p $(@D)
	$(Q)mandoc -T html -O toc,man=%N.%S.html $< >$@.new && mv $@.new $@
.PHONY: html

# A short test of the installed files, without the build directory.
installcheck:
	@BUILD='$(DESTDIR)$(BINDIR)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' \
	  INCDIR='$(INCDIR)' MANDIR='$(MANDIR)' COMPDIR='$(COMPDIR)' \
	  ZSHDIR='$(ZSHDIR)' FISHDIR='$(FISHDIR)' VERSION='$(VERSION)' \
	  TOOLS='$(TOOLS)' PAGES='$(PAGES)' CC='$(CC)' \
	  sh tests/install/installcheck.t

# A reproducible archive: a commit and the unpacked archive give the same bytes.
dist:
	@sh tests/install/dist.sh $(BUILD) cscg-$(VERSION)

# Tests on a minimal Debian with make and gcc, made by debootstrap; as root.
check-root:
	sh tests/install/chroot.sh $(abspath $(BUILD))/root $(ROOT)
.PHONY: installcheck check-root

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(TOOLS:%=$(BUILD)/cmd/%.d) $(CMD_OBJ:.o=.d) \
	$(UNITS:=.d) $(BENCHES:=.d) $(BRUTE_OBJ:.o=.d)

.PHONY: all ready ready-all ready-some deps deps-bench force check check-all check-asan \
	demo bench install uninstall dist clean
.SECONDARY:
