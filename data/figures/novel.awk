# novel.awk - texts with novel words, for tests of rebinding:
# awk -v seed=N -v data=lists|words -v mode=MODE -f random.awk -f novel.awk
#
# lists: instructions, each followed by examples of what is done to a list of 3
# or 4 letters or a matrix of 2 by 2 or 2 by 3: repeat, reverse, circular shifts,
# exchange of rows or columns, transpose.  Each of these has two examples for
# each size, of letters drawn from 26; a text has three of them.
#   mode=train        -v texts=N
#   mode=instruction  -v prompts=N: an instruction, a list of novel letters, and
#                     the answer
#   mode=example      no instruction: an example of novel letters, another list
#                     of novel letters, and the answer
#
# words: 16 nouns, each with one of four kinds of food, one of four places, and a
# sound of its own; a text has four such facts about a noun.
#   mode=train        -v texts=N
#   mode=prompts      -v prompts=N -v shown=0|1|2: this many facts about a novel
#                     noun, of food and place, and, last, its sound
#
# A table of episodes, symbols, and 1 where a symbol is part of the answer.

function result(task, n, i)
{
	if (task == "reverse") return n + 1 - i
	if (task == "left") return i % n + 1
	if (task == "right") return (i + n - 2) % n + 1
	if (task == "rows") return (i + n / 2 - 1) % n + 1
	if (task == "columns") return i % 2 ? i + 1 : i - 1
	if (task == "transpose") return int((i - 1) / 2) + 1 + (i % 2 ? 0 : n / 2)
	return i
}

# Print the items as tokens in this number of rows; the result of task if given.
function tokens(task, n, rows, first, prefix,   i, s)
{
	for (i = 1; i <= n; i++)
		s = s (rows > 1 && i > 1 && (i - 1) % (n / rows) == 0 ? " | " : " ") \
		    prefix pick[first + (task == "" ? i : result(task, n, i)) - 1]
	return "(" s " )"
}

function rows_of(task, n, is_result)
{
	return task !~ /rows|columns|transpose/ ? 1 : task == "transpose" && is_result ? n / 2 : 2
}

function write_tokens(q, s, is_answer,   w, m, i)
{
	m = split(s, w, " ")
	for (i = 1; i <= m; i++)
		print q "\t" w[i] "\t" is_answer
}

function lists(   i, j, d, m, task, size, n, pool, in_pool, q, t, first)
{
	split("repeat reverse left right rows columns transpose", task, " ")
	split("repeat_the_list reverse_the_list shift_the_list_left shift_the_list_right swap_the_rows swap_the_columns transpose_the_matrix", text, " ")
	for (i = 1; i <= 7; i++) {
		gsub("_", " ", text[i])
		sizes[i] = i <= 4 ? "3 4" : i == 7 ? "4 6" : "4"
		m = split(sizes[i], size, " ")
		for (j = 1; j <= m; j++)
			for (d = 0; d < 2; d++) {
				choose(size[j], 26)
				pool[i, in_pool[i]++ + 0] = tokens("", size[j], rows_of(task[i], size[j], 0), 0, "a") " " \
				    tokens(task[i], size[j], rows_of(task[i], size[j], 1), 0, "a") " ;"
			}
	}
	seed_by(seed + (mode == "train" ? 1000 : 2000))
	for (q = 0; mode == "train" && q < texts; q++) {
		t = q % 7 + 1
		write_tokens(q, text[t] " :", 0)
		for (j = 0; j < 3; j++)
			write_tokens(q, pool[t, below(in_pool[t])], 0)
	}
	for (q = 0; mode != "train" && q < prompts; q++) {
		t = q % 7 + 1
		m = split(sizes[t], size, " ")
		n = size[1 + below(m)]
		choose(2 * n, 100)
		first = 0
		if (mode == "instruction") {
			write_tokens(q, text[t] " :", 0)
		} else {
			write_tokens(q, tokens("", n, rows_of(task[t], n, 0), 0, "n") " " \
			    tokens(task[t], n, rows_of(task[t], n, 1), 0, "n") " ;", 0)
			first = n
		}
		write_tokens(q, tokens("", n, rows_of(task[t], n, 0), first, "n"), 0)
		write_tokens(q, tokens(task[t], n, rows_of(task[t], n, 1), first, "n"), 1)
	}
}

function fact(kind, noun, n)
{
	return "the " noun (kind == 0 ? " eats food" int(n / 4) : kind == 1 ? " lives in place" n % 4 : " says sound" n) " ."
}

function words(   q, j, first)
{
	seed_by(seed + (mode == "train" ? 1000 : 2000 + shown))
	for (q = 0; mode == "train" && q < texts; q++)
		for (j = 0; j < 4; j++)
			write_tokens(q, fact(below(3), "noun" q % 16, q % 16), 0)
	for (q = 0; mode != "train" && q < prompts; q++) {
		first = below(2)
		for (j = 0; j < shown; j++)
			write_tokens(q, fact((first + j) % 2, "dax", q % 16), 0)
		write_tokens(q, "the dax says", 0)
		write_tokens(q, "sound" q % 16, 1)
	}
}

BEGIN {
	print "episode\tx\tanswer"
	seed_by(seed)
	if (data == "lists")
		lists()
	else
		words()
}
