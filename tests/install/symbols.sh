# symbols.sh - the functions that cscg.h declares, one on a line, sorted
#
#   sh tests/install/symbols.sh [HEADER]
LC_ALL=C
export LC_ALL
sed -n 's/^CSCG_API.*[ *]\(cscg_[A-Za-z0-9_]*\)(.*/\1/p' \
    "${1:-$(dirname "$0")/../../lib/cscg.h}" | sort
