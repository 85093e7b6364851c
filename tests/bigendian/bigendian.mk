# A big-endian machine: the tools built for s390x, run by qemu-user.
#
#   make deps-bigendian     the cross compiler and qemu-user, as root
#   make check-bigendian    unit programs, pipelines and files of 1.0.0 there
#
# Jansson and zlib of that machine are downloaded as packages and unpacked in
# $(BUILD)/bigendian, not installed.
DEPS_BIGENDIAN = gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
BIGENDIAN = $(BUILD)/bigendian
BIGENDIAN_CC = $(if $(findstring ccache,$(CC)),ccache) s390x-linux-gnu-gcc

deps-bigendian: WANTED = $(DEPS_BIGENDIAN)

# Static programs need no loader of that machine.
check-bigendian: all
	@sh tests/bigendian/root.sh $(abspath $(BIGENDIAN))/root || exit 1; \
	$(ALL_CORES) BUILD=$(BIGENDIAN) CC='$(BIGENDIAN_CC)' HARDEN=0 CFLAGS=-O1 \
	  CPPFLAGS='-DFAIL_ALLOC=0 -isystem $(abspath $(BIGENDIAN))/root/usr/include' \
	  LDFLAGS='-static -L$(abspath $(BIGENDIAN))/root/usr/lib/s390x-linux-gnu' \
	  bigendian-ready && \
	BUILD=$(abspath $(BIGENDIAN)) NATIVE=$(abspath $(BUILD)) sh tests/bigendian/run.sh
bigendian-ready: $(BINS) $(UNITS)

.PHONY: deps-bigendian check-bigendian bigendian-ready
