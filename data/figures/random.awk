# random.awk - random numbers that are the same with every awk
#
# The combined generator of L'Ecuyer (1988): two multiplicative congruential
# generators whose products are below 2^53.

function unit() # in (0, 1)
{
	r1 = r1 * 40014 % 2147483563
	r2 = r2 * 40692 % 2147483399
	return ((r1 - r2 + 2147483562) % 2147483562 + .5) / 2147483562
}

function below(n)
{
	return int(unit() * n)
}

function seed_by(s,   i)
{
	r1 = s % 2147483562 + 1
	r2 = (s * 7919 + 12345) % 2147483398 + 1
	for (i = 0; i < 20; i++)
		unit()
}

# pick[0..n-1]: n different numbers below m
function choose(n, m,   i, j, t)
{
	for (i = 0; i < m; i++)
		pick[i] = i
	for (i = 0; i < n; i++) {
		j = i + below(m - i)
		t = pick[i]; pick[i] = pick[j]; pick[j] = t
	}
}
