#!/bin/sh
# shortcut-rows.sh table DIR SEEDS NAME... - means over the walks of shortcut.sh in
# DIR/SEED/NAME.tsv, NAME is SCHEMA/ROOM/LAMBDA; +- is half of the 95 % interval from
# a bootstrap over seeds and walks:
#   schema room lambda walks distance +- arrived% plans +-
# shortcut-rows.sh rows TABLE DIR SEEDS - rows of results, with the paper's; the gain by
# lambda is that of the same walks, in all larger rooms
# shortcut-rows.sh draw OUT TABLE - OUT.svg and OUT.png
. "$(dirname "$0")/common.sh"
what=$1
shift
case $what in
table)
	printf '#schema\troom\tlambda\twalks\tdistance\thalf\tarrived\tplans\thalf\n'
	home=$1 seeds=$2
	shift 2
	for name; do
		for seed in $seeds; do
			awk -v seed="$seed" '{ print seed "\t" $0 }' "$home/$seed/$name.tsv"
		done | awk -F '\t' -v name="$name" "$(stats)"'
		{ g[NR] = $1; plans[NR] = $2; far[NR] = $4; there += $4 == 0 }
		END {
			split(name, part, "/")
			d = bootstrap(far, g, NR); half_d = (boot_high - boot_low) / 2
			p = bootstrap(plans, g, NR); half_p = (boot_high - boot_low) / 2
			printf "%s\t%s\t%s\t%d\t%.2f\t%.2f\t%.0f\t%.2f\t%.2f\n", part[1],
			    part[2], part[3], NR, d, half_d, 100 * there / NR, p, half_p
		}'
	done ;;
rows)
	table=$1 home=$2 seeds=$3
	# own: the schema's own room; larger: bigger in both directions
	larger='rectangle/10x11 rectangle/12x13 rectangle/14x15 hole/10h4 hole/11h5 hole/13h7'
	for seed in $seeds; do for room in $larger; do
		[ ! -e "$home/$seed/$room/0.tsv" ] ||
		    paste "$home/$seed/$room/0.tsv" "$home/$seed/$room/0.2.tsv" | sed "s/^/$seed	/"
	done; done | awk -F '\t' -v larger="$larger" "$(stats)"'
	BEGIN { OFS = FS; own["rectangle"] = "8x9"; own["hole"] = "9h3"
		rooms = split(larger, room, " ") }
	FILENAME == "-" { seed[++walks] = $1; gain[walks] = $4 - $7; next }
	/^#/ { next }
	{ arrived[$1 "/" $2, $3] = $7 }
	$2 == own[$1] && $3 == .2 {
		print "4B, S8", $1 ": arrived in its own room", "always",
		    sprintf("%d %% of %d walks, %.2f plans", $7, $4, $8),
		    "98 %, 1.2 plans", ($7 >= 98 && $8 <= 1.2 ? "yes" : "no")
	}
	END {
		for (i = 1; i <= rooms; i++) if ((room[i], 0) in arrived) {
			name = room[i]; sub(/.*\//, "", name)
			all = all sprintf("%s%s %d (%d) %%", all == "" ? "" : ", ", name, arrived[room[i], .2], arrived[room[i], 0])
			some += arrived[room[i], 0] > 0
		}
		if (walks) {
			m = bootstrap(gain, seed, walks)
			print "4B, S8", "larger rooms: distance without lambda less that with lambda .2, same walks", "clearly better",
			    sprintf("%.2f [%.2f, %.2f] of %d walks", m, boot_low, boot_high, walks), "low end > 0", (boot_low > 0 ? "yes" : "no")
		}
		print "4B, S8", "larger rooms: arrived with lambda .2 (without)", "always (never)", all, "never without",
		    (some ? "not reproduced" : "yes")
	}' - "$table" ;;
draw)
	out=$1 table=$2
	scratch
	{
		echo "set multiplot layout 2,2 margins .08,.98,.1,.93 spacing .09,.16
		set grid ytics lc rgb '#e0e0e0'; set yrange [0:*]; set key top left; set offsets .3, .3, 0, 0
		set style data yerrorlines; set datafile separator '\t'
		set xtics font ',10' nomirror; set ytics nomirror"
		for schema in rectangle hole; do
			for l in .2 0; do
				awk -F '\t' -v s=$schema -v l=$l '$1 == s && $3 == l' "$table" >"$dir/$schema-$l"
			done
			for col in 5 8; do
				case $col in
				5) echo "set ylabel 'distance to the start'" ;;
				8) echo "set ylabel 'plans'" ;;
				esac
				half=$((col == 5 ? 6 : 9))
				# From 0 up, since the range of the axis ignores bars that begin below it.
				bar="0:$col:(\$$col > \$$half ? \$$col - \$$half : 0):(\$$col + \$$half)"
				echo "set title 'schema: $schema'"
				echo "plot '$dir/$schema-.2' using $bar:xticlabels(2) lw 1.5 pt 7 lc rgb '#1f77b4' title 'lambda 0.2', '$dir/$schema-0' using $bar lw 1.5 pt 5 lc rgb '#d62728' title 'lambda 0'"
			done
		done
		echo 'unset multiplot'
	} >"$dir/commands"
	plot "$out" 900 640 <"$dir/commands" ;;
*) echo "shortcut-rows.sh: no '$what'" >&2; exit 2 ;;
esac
