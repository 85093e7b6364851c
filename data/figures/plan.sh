#!/bin/sh
# plan.sh FIG COMMAND... - list the parts of figures that are to be made
#
# COMMAND is make -n; the targets of part.sh in its output are written to FIG/plan,
# the model and cores of the CPU to FIG/machine.
set -eu
fig=$1
shift
mkdir -p "$fig"
# Partial files of killed processes.
find "$fig" -name '*.new.*' -mtime +7 -exec rm -f {} +
{
	echo "#began $(date +%s)"
	"$@" | sed -n "s|.*data/figures/part\.sh [^ ]* $fig/\([^ ]*\) .*|\1|p"
} >"$fig/plan.new.$$" && mv "$fig/plan.new.$$" "$fig/plan"
{
	sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1
	# not nproc, which uses OMP_NUM_THREADS
	getconf _NPROCESSORS_ONLN | sed 's/^1$/1 core/; s/^[0-9]*$/& cores/'
} | paste -s -d, - | sed 's/,/, /' >"$fig/machine.new.$$" && mv "$fig/machine.new.$$" "$fig/machine"
