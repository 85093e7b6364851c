# stats.awk - median, range and bootstrap interval; read after random.awk

# Sort v[1..n].
function sort_values(v, n,   gap, i, j, x)
{
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			x = v[i]
			for (j = i - gap; j > 0 && v[j] > x; j -= gap)
				v[j + gap] = v[j]
			v[j + gap] = x
		}
}

# Quantile q of the sorted v[1..n], by linear interpolation
function quantile(v, n, q,   at, i)
{
	at = 1 + q * (n - 1)
	i = int(at)
	return i < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[n]
}

# Median of v[c, 1], ..., v[c, n]
function median(v, c, n,   i, w)
{
	for (i = 1; i <= n; i++)
		w[i] = v[c, i]
	sort_values(w, n)
	return quantile(w, n, .5)
}

# "median [least, most]" of v[1..n]; sorts v.  Values from infinite on are "never".
function spread(v, n, infinite,   a, m, b)
{
	sort_values(v, n)
	a = v[1]; m = quantile(v, n, .5); b = v[n]
	# The median of a value and infinity is infinite.
	return (2 * m >= infinite ? "never" : m) " [" (a >= infinite ? "never" : a) ", " \
	    (b >= infinite ? "never" : b) "]"
}

# The mean of v[1..n], of which v[i] belongs to group g[i] (a room, a schema), and
# its 95 % interval in boot_low and boot_high: 1,000 times groups are drawn with
# replacement, and in each of them values.
function bootstrap(v, g, n,   i, j, k, r, groups, at, size, member, sum, count, total, means)
{
	for (i = 1; i <= n; i++) {
		if (!(g[i] in at)) at[g[i]] = ++groups
		k = at[g[i]]
		member[k, ++size[k]] = v[i]
		total += v[i]
	}
	seed_by(1)
	for (r = 1; r <= 1000; r++) {
		sum = count = 0
		for (j = 1; j <= groups; j++) {
			k = 1 + below(groups)
			for (i = size[k]; i > 0; i--)
				sum += member[k, 1 + below(size[k])]
			count += size[k]
		}
		means[r] = sum / count
	}
	sort_values(means, 1000)
	boot_low = quantile(means, 1000, .025)
	boot_high = quantile(means, 1000, .975)
	return total / n
}
