# Fault injection: failing and killed system calls.
#
#   make check-faults    KILLS kill -9 of pipelines that write a file [1000]

KILLS ?= 1000

$(BUILD)/tests/fault.so: tests/fault/fault.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC -D_GNU_SOURCE -Wall -Wextra -O1 -o $@ $< -ldl

ready-all: $(BUILD)/tests/fault.so

check-faults: all $(BUILD)/tests/fault.so
	@BUILD=$(abspath $(BUILD)) sh tests/fault/kill.sh $(KILLS)

.PHONY: check-faults
