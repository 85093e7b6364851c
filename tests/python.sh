# python.sh - find a Python 3 that has the modules asked for; sourced by tests
# and benchmarks.
#
# The first python3 in PATH is often one that a user built (pyenv, a virtual
# environment) and has no NumPy, while Debian's has it.

# Print the command of an interpreter that imports every MODULE: $PYTHON if that
# is set, else python3 in PATH, else Debian's.  Status 1 if none does.
find_python() # [MODULE...]
{
	for find_p in ${PYTHON:-python3 /usr/bin/python3}; do
		if "$find_p" -c 'import importlib, sys
for m in sys.argv[1:]: importlib.import_module(m)' "$@" >/dev/null 2>&1; then
			command -v "$find_p"
			return 0
		fi
	done
	return 1
}
