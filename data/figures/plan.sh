#!/bin/sh
# plan.sh FIG COMMAND... - which parts of figures are to be made?
#
# The command is a make that says what it would do; the targets of part.sh among
# that go to FIG/plan.  What machine it is goes to FIG/machine.
set -eu
fig=$1
shift
mkdir -p "$fig"
# What killed ones left behind; no process works on it any more.
find "$fig" -name '*.new.*' -mtime +7 -exec rm -f {} +
{
	echo "#began $(date +%s)"
	"$@" | sed -n "s|.*data/figures/part\.sh [^ ]* $fig/\([^ ]*\) .*|\1|p"
} >"$fig/plan.new.$$" && mv "$fig/plan.new.$$" "$fig/plan"
{
	sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1
	# not nproc, which believes OMP_NUM_THREADS
	getconf _NPROCESSORS_ONLN | sed 's/^1$/1 core/; s/^[0-9]*$/& cores/'
} | paste -s -d, - | sed 's/,/, /' >"$fig/machine.new.$$" && mv "$fig/machine.new.$$" "$fig/machine"
