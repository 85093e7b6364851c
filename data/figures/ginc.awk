# ginc.awk - GINC, the data for in-context learning of Xie et al. (2022), by
# their description: awk -v seed=N -v mode=MODE -f random.awk -f ginc.awk
#
# 5 concepts, each a hidden Markov chain over pairs of an entity and a property (10
# of each) with independent transitions.  Property 0 is the delimiter "/"; every
# other pair emits a word drawn from 49.  The transitions of the properties of a
# concept are a mixture of 10 random permutations with weights
# softmax((u - 1/2) / 0.1), u uniform; those of the entities are another such mixture,
# the same in all concepts, with probability 0.1, and self-transitions with 0.9.  The
# first pair has weights softmax((u - 1/2) / 10).
#
#   mode=train    documents, each of one concept: -v docs=N -v steps=N
#   mode=prompts  -v k=N -v n=N -v prompts=N: n examples of k words, then k - 1
#                 words and, last, the word to be predicted: the most probable
#                 next one under the concept.  Examples start at one property,
#                 with an entity drawn for each; a delimiter ends them
#   mode=true     the chains as one model
#
# Documents and prompts are a table of episodes and symbols.

# M: transition probabilities, of the properties of concept c from 100 c, of the
# entities from 500, rows of ten.  Arrays of awk are fast when an index is one number.
function mixture(at,   p, i, w, sum)
{
	for (p = 0; p < 10; p++)
		sum += w[p] = exp((unit() - .5) / .1)
	for (i = 0; i < 100; i++)
		M[at + i] = 0
	for (p = 0; p < 10; p++) {
		choose(10, 10)
		for (i = 0; i < 10; i++)
			M[at + i * 10 + pick[i]] += w[p] / sum
	}
}

# An index of the row that begins at M[at]
function move(at,   u, j)
{
	u = unit()
	for (j = 0; j < 9 && (u -= M[at + j]) >= 0; j++)
		;
	return j
}

function make_concepts(   e, p, c, i, sum)
{
	for (e = 0; e < 10; e++)
		for (p = 0; p < 10; p++)
			word[e * 10 + p] = p ? "w" 1 + below(49) : "/"
	mixture(500)
	for (i = 0; i < 100; i++)
		M[500 + i] = .1 * M[500 + i] + .9 * (int(i / 10) == i % 10)
	for (c = 0; c < 5; c++) {
		mixture(c * 100)
		sum = 0
		for (i = 0; i < 100; i++)
			sum += start[c, i] = exp((unit() - .5) / 10)
		for (i = 0; i < 100; i++)
			start[c, i] /= sum
	}
}

function train(   d, c, u, s, e, p, t)
{
	for (d = 0; d < docs; d++) {
		c = below(5)
		u = unit()
		for (s = 0; s < 99 && (u -= start[c, s]) >= 0; s++)
			;
		e = int(s / 10); p = s % 10
		for (t = 0; t < steps; t++) {
			print d "\t" word[e * 10 + p]
			p = move(c * 100 + p * 10)
			e = move(500 + e * 10)
		}
	}
}

# The most probable word after x[0..k-2] under concept c, from property p0.
function answer(c, p0,   i, j, t, f, g, h, sum, y, best)
{
	for (i = 0; i < 100; i++)
		f[i] = i % 10 == p0 && word[int(i / 10) * 10 + p0] == x[0]
	for (t = 1; t < k; t++) {
		for (i = 0; i < 100; i++)
			g[i] = h[i] = 0
		for (i = 0; i < 100; i++)
			for (j = 0; f[i] && j < 10; j++)
				g[i - i % 10 + j] += f[i] * M[c * 100 + i % 10 * 10 + j]
		for (i = 0; i < 100; i++)
			for (j = 0; g[i] && j < 10; j++)
				h[j * 10 + i % 10] += g[i] * M[500 + int(i / 10) * 10 + j]
		if (t == k - 1)
			break
		sum = 0
		for (i = 0; i < 100; i++)
			sum += f[i] = h[i] * (word[i] == x[t])
		for (i = 0; i < 100; i++)
			f[i] /= sum
	}
	for (i = 0; i < 100; i++)
		y[word[i]] += h[i]
	best = "/"
	for (i = 0; i < 100; i++) {
		j = word[i]
		if (y[j] > y[best])
			best = j
	}
	return best
}

function prompt(q,   c, p0, i, e, p, t)
{
	c = below(5)
	p0 = 1 + below(9)
	for (i = 0; i <= n; i++) {
		p = p0
		e = below(10)
		for (t = 0; t < k; t++) {
			x[t] = word[e * 10 + p]
			if (i < n || t < k - 1)
				print q "\t" x[t]
			p = move(c * 100 + p * 10)
			e = move(500 + e * 10)
		}
		print q "\t" (i < n ? "/" : answer(c, p0))
	}
}

# All chains side by side; states in the order of their words.
function write_model(   x, c, i, j, e, p, n, v, of, id, from, to, count, clone, names, sep)
{
	for (x = 0; x < 50; x++) {
		names = names (x ? "," : "") "\"" (x ? "w" x : "/") "\""
		for (c = 0; c < 5; c++)
			for (i = 0; i < 100; i++)
				if (word[i] == (x ? "w" x : "/")) {
					clone = clone (n ? "," : "") x
					id[c, i] = n + 0
					of[n++] = c * 100 + i
				}
	}
	for (j = 0; j < n; j++) {
		c = int(of[j] / 100); e = int(of[j] % 100 / 10); p = of[j] % 10
		split("", v)
		for (i = 0; i < 100; i++)
			v[id[c, i]] = M[500 + e * 10 + int(i / 10)] * M[c * 100 + p * 10 + i % 10]
		for (i = 0; i < n; i++)
			if (i in v && v[i] > 0) {
				from = from sep j; to = to sep i
				count = count sep sprintf("%.9g", 1000 * v[i])
				sep = ","
			}
	}
	printf "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"grounded\",\"precision\":\"single\",\"n_states\":%d,\"n_actions\":1,\"n_obs\":50,\"symbols\":[%s],\"clone\":[%s],\"pseudocount\":0.01,\"counts\":[{\"from\":[%s],\"to\":[%s],\"count\":[%s]}],\"history\":[]}\n", n, names, clone, from, to, count
}

BEGIN {
	seed_by(seed)
	make_concepts()
	if (mode == "true") {
		write_model()
		exit
	}
	print "episode\tx"
	seed_by(seed + (mode == "train" ? 1000 : 2000 + 100 * k + n))
	if (mode == "train")
		train()
	for (q = 0; q < prompts; q++)
		prompt(q)
}
