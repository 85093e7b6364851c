# games.sh - functions shared by fig-mpg and fig-street; sourced after common.sh
# shellcheck shell=sh

# rewards TASKS: mean reward of an episode and its standard error, from the output
# of tasks.sh
rewards()
{
	awk -F '\t' '!/^#/ { all[$1]; n[$1] += $5 != "-" }
	END { for (e in all) { N++; s += n[e]; q += n[e] * n[e] }
		printf "%.2f %.2f\n", s / N, sqrt((q - s * s / N) / (N - 1) / N) }' "$1"
}

# interval MEAN STANDARD-ERROR: "mean [low, high]", 95 %
interval()
{
	awk -v m="$1" -v e="$2" 'BEGIN { printf "%.2f [%.2f, %.2f]\n", m, m - 1.96 * e, m + 1.96 * e }'
}

# first_task TASKS: mean steps of the first task and their standard error
first_task()
{
	awk -F '\t' '$2 == 1 && $5 != "-" { N++; s += $4; q += $4 * $4 }
	END { printf "%.2f %.2f\n", s / N, sqrt((q - s * s / N) / (N - 1) / N) }' "$1"
}

# late COLUMN VALUE TASKS: of the tasks with this VALUE in COLUMN: the number that
# ended with a reward, the number of those that took more than a shortest path, mean
# steps, mean optimum
late()
{
	awk -F '\t' -v c="$1" -v v="$2" '!/^#/ && $c == v && $5 != "-" {
		n++; late += $4 != $5; s += $4; o += $5 }
	END { printf "%d %d %.2f %.2f\n", n, late, (n ? s / n : 0), (n ? o / n : 0) }' "$3"
}

# by_task TASKS: task number, mean steps, half of the 95 % interval, mean optimum,
# for tasks that at least nine of ten episodes complete
by_task()
{
	awk -F '\t' '!/^#/ { all[$1] }
	!/^#/ && $5 != "-" { n[$2]++; s[$2] += $4; q[$2] += $4 * $4; o[$2] += $5 }
	END { for (e in all) N++
		for (k = 1; n[k] >= .9 * N && n[k] > 1; k++)
			print k, s[k] / n[k], 1.96 * sqrt((q[k] - s[k]^2 / n[k]) / \
			    (n[k] - 1) / n[k]), o[k] / n[k] }' "$1"
}

# scene ROOMS LOG EPISODE BEGIN OUT: the data to draw an episode: OUT.nodes (x y
# colour), OUT.moves (x y dx dy), the moves before step BEGIN, where a task begins,
# and OUT.task, the moves of this task.  A move that wraps around is drawn as two
# halves.
scene()
{
	gzip -dcf "$1" >"$5.rooms"
	walkconv --as tsv "$2" | awk -F '\t' -v rooms="$5.rooms" -v episode="$3" \
	    -v begin="$4" -v out="$5" "$rgb"'
	function coords(line, s, n, item, pair, i) {
		for (i = 0; (getline line <rooms) > 0; i++)
			all[i] = line
		line = all[episode % i]
		s = substr(line, index(line, "\"coords\":[[") + 11)
		n = split(substr(s, 1, index(s, "]]") - 1), item, /\],\[/)
		for (i = 1; i <= n; i++) {
			split(item[i], pair, ",")
			x[i - 1] = pair[2]; y[i - 1] = -pair[1]
		}
		wraps = line ~ /"wrap_rows":true/
		return n
	}
	function sign(d) { return d > 0 ? .5 : d < 0 ? -.5 : 0 }
	function arrow(u, v, file, dx, dy) {
		dx = x[v] - x[u]; dy = y[v] - y[u]
		if (wraps && dx * dx + dy * dy > 2) {
			print x[u], y[u], -sign(dx), -sign(dy) >file
			print x[v] + sign(dx), y[v] + sign(dy), -sign(dx), -sign(dy) >file
		} else if (dx || dy)
			print x[u], y[u], dx, dy >file
	}
	BEGIN {
		n = coords()
		for (i = 0; i < n; i++)
			print x[i], y[i], rgb(i) >(out ".nodes")
		printf "" >(out ".moves"); printf "" >(out ".task")
		file = out ".moves"
	}
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	$1 != episode || stop { next }
	{
		if ($(col["r"]) > 0)
			stop = file ~ /task$/
		else if (t > 0)
			arrow(last, $(col["z"]), file)
		last = $(col["z"])
		if (t++ == begin)
			file = out ".task"
	}'
}

# draw_scene TITLE OUT SIZE: gnuplot's commands for the panel, with nodes of this
# size
draw_scene()
{
	cat <<-EOF
	set title '$1'
	set size ratio -1; unset key; unset border; unset xtics; unset ytics
	unset xlabel; unset ylabel; set autoscale; set offsets graph .05,.05,.05,.05
	plot '$2.nodes' with points pt 7 ps $3 lc rgb variable, \
	    '$2.moves' using (\$1+.1*\$3):(\$2+.1*\$4):(.75*\$3):(.75*\$4) with vectors filled head size graph .02,25 lc rgb '#606060', \
	    '$2.task' using (\$1+.1*\$3):(\$2+.1*\$4):(.75*\$3):(.75*\$4) with vectors filled head size graph .025,25 lw 3 lc rgb '#d62728'
	set size noratio; set border; set xtics nomirror; set ytics nomirror
	set offsets 0,0,0,0; set key
	EOF
}

# draw_tasks LETTER OPTIMUM FILE TITLE [FILE TITLE]...: gnuplot's commands for the
# panel of steps against the number of the task; each FILE is from by_task
draw_tasks()
{
	cat <<-EOF
	set title '$1: steps of each task'
	set xlabel 'task'; set ylabel 'steps'; set yrange [0:*]; set key top right
	set xrange [.5:*]; set xtics autofreq
	EOF
	best=$2 tasks='plot'
	shift 2
	for colour in 2ca02c 1f77b4 ff7f0e; do
		[ $# -ge 2 ] || break
		tasks="$tasks '$1' using 1:2:3 with yerrorlines lw 2 pt 7 ps .6 lc rgb '#$colour' title '$2',"
		shift 2
	done
	echo "$tasks $best with lines dt 3 lw 2 lc rgb '#404040' title 'optimum'"
}
