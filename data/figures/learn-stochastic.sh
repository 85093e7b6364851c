#!/bin/sh
# learn-stochastic.sh short|text CASE SEED... - held-out likelihood of cscg-learn and
# of EM alone, for short walks and text (fig-learn)
#
#   short STEPS SEED...      a walk of STEPS steps in a room of 6 x 7 nodes: with
#                            labelled borders for odd seeds, with ten random
#                            symbols for even ones
#   text FILE SEED...        the characters of FILE, without actions: its last tenth
#                            is held out
#
# Prints a row for each seed: case, seed, states, nats per step on other steps by
# default, of EM alone with clones chosen by BIC (--structure none), and of EM with
# 1, 2, 4, 8 and 16 clones of each symbol; CPU seconds of the default; whether it is
# within 5 % of the least of these (yes, no); warning (yes, no).  "inf": a symbol was
# never seen in learning and has no clone.  The tools are found on PATH.
. "$(dirname "$0")/common.sh"
[ $# -ge 3 ] || { echo 'usage: learn-stochastic.sh short|text CASE SEED...' >&2; exit 2; }
kind=$1 case=$2
shift 2
scratch

short() # SEED: walks in $dir/train and $dir/test
{
	obs=border
	[ $(($1 % 2)) = 1 ] || obs=random:10
	roomgen rectangle --size 6x7 --obs $obs -s "$1" -o "$dir/room"
	roomwalk -n "$case" -s "$1" "$dir/room" -o "$dir/train"
	roomwalk -n 4000 -s $((1000 + $1)) "$dir/room" -o "$dir/test"
}

# The text as a walk of one action; a character that the first nine tenths do not
# have becomes a space.
text()
{
	od -An -v -tu1 "$case" | awk -v train="$dir/train" -v test="$dir/test" '
	function part(file, from, to,   x, a, t) {
		for (t = from; t < to; t++) {
			x = x (t > from ? "," : "") number[byte[t] in number ? byte[t] : 32]
			if (t > from) a = a (t > from + 1 ? ",0" : "0")
		}
		printf "{\"format\":\"cscg-walk\",\"version\":1,\"n_actions\":1,\"n_obs\":%d}\n", symbols >file
		printf "{\"episode\":0,\"x\":[%s],\"a\":[%s],\"last\":true}\n", x, a >file
		printf "{\"end\":true,\"episodes\":1,\"steps\":%d}\n", to - from >file
		close(file)
	}
	{ for (i = 1; i <= NF; i++) byte[n++] = $i }
	END {
		cut = int(.9 * n)
		for (t = 0; t < cut; t++)
			if (!(byte[t] in number)) number[byte[t]] = symbols++
		part(train, 0, cut)
		part(test, cut, n)
	}'
}

nats() # OPTION...: on the other steps
{
	cscg-learn -j 1 -s "$seed" "$@" "$dir/train" -o "$dir/model"
	cscg-score "$dir/model" -w "$dir/test" | tail -n 1 | cut -f 4
}

printf '#case\tseed\tstates\tdefault\tem\t1\t2\t4\t8\t16\tcpu\tnear\twarning\n'
for seed; do
	$kind "$seed"
	times >"$dir/before"
	default=$(nats --no-gzip --stats "$dir/stats")
	times >"$dir/after"
	states=$(grep -o '"n_states":[0-9]*' "$dir/model" | head -n 1 | cut -d : -f 2)
	warning=no
	! grep -q '"doubtful":true' "$dir/stats" || warning=yes
	em=$(nats --structure none) fixed=
	for clones in 1 2 4 8 16; do
		fixed="$fixed $(nats --structure none --clones $clones)"
	done
	# shellcheck disable=SC2086 # a word for each number of clones
	{
		printf '%s\t%s\t%s\t%.4f\t%.4f' "$kind-${case##*/}" "$seed" "$states" "$default" "$em"
		printf '\t%.4f' $fixed
	}
	cat "$dir/before" "$dir/after" | awk -v all="$em $fixed" -v default="$default" -v warning=$warning '
	    { split($1, u, /[ms]/); t[NR] = 60 * u[1] + u[2] }
	    END {
		least = default
		n = split(all, nats, " ")
		for (i = 1; i <= n; i++) if (nats[i] != "inf" && nats[i] + 0 < least) least = nats[i] + 0
		printf "\t%.2f\t%s\t%s\n", t[4] - t[2], default <= 1.05 * least ? "yes" : "no", warning
	    }'
done
