# stitch-parts.sh - functions shared by stitch.sh and stitch3d.sh; sourced after
# common.sh
# shellcheck shell=sh

# errors MODEL ROOM WALK: states, purity, missing, spurious, isomorphic.  LABELS
# is ignore if symbols are those of a codebook, not of the room.
errors()
{
	# Status 1: they are not isomorphic.
	{ cscg-show --labels "${LABELS:-auto}" --truth "$2" -w "$3" "$1" || [ $? = 1 ]; } | awk '
	$1 == "states" { s = $2 } $1 == "purity" { p = $2 }
	$1 == "missing" { m = $2 } $1 == "spurious" { x = $2 }
	$1 == "isomorphic" { print s "\t" p "\t" m "\t" x "\t" $2 }'
}

fit() # REPORT: connections, jumps, unlikely observations
{
	awk 'NF == 0 { exit } { v[$1] = $2 }
	END { print v["connections"] "\t" v["jumps"] "\t" v["unlikely"] }' "$1"
}

# try NAME SEED ROOM WALK SCHEMA...: a row for a library that may be wrong: errors of
# the graph, fit, and for each schema used its share of the walk and the percentage of
# its steps that it does not explain.  Needs $dir.
try()
{
	name=$1 seed=$2 room=$3 walk=$4
	shift 4
	cscg-stitch -q -s "$seed" "$@" -w "$walk" --report "$dir/report" -o "$dir/m.gz"
	blocks=$(awk '/^#block/ { on = 1; next } NF == 0 { on = 0 }
	on && $5 { printf "%s%s %.0f%%, %.1f%% bad", (n++ ? "; " : ""), $2, 100 * $6, 100 * ($7 + $8) / $5 }' "$dir/report")
	printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$seed" \
	    "$(errors "$dir/m.gz" "$room" "$walk")" "$(fit "$dir/report")" "$blocks"
}
