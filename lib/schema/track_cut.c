/*
 * track_cut.c - the weight of the n-th of many, where some stand for several
 *
 * Quickselect in three parts, since equal weights are the rule: what was bound
 * and jumped alike weighs alike.
 */
#include "schema/track_cut.h"

static void
swap(struct cscg_track_weight *a, struct cscg_track_weight *b)
{
	struct cscg_track_weight c = *a;

	*a = *b;
	*b = c;
}

static double
median(double a, double b, double c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

double
cscg_track_kth_weight(struct cscg_track_weight *weights, long n, long k)
{
	long lo = 0, hi = n, i, above, equal, end, begin;
	double p;

	for (;;) {
		p = median(weights[lo].w, weights[(lo + hi) / 2].w, weights[hi - 1].w);
		above = equal = 0;
		/* lo..end-1 are above, end..i-1 equal, begin..hi-1 below. */
		for (end = i = lo, begin = hi; i < begin;) {
			if (weights[i].w > p) {
				above += weights[i].n;
				swap(&weights[i++], &weights[end++]);
			} else if (weights[i].w < p) {
				swap(&weights[i], &weights[--begin]);
			} else {
				equal += weights[i++].n;
			}
		}
		if (k > above && k <= above + equal)
			return p;
		if (k <= above) {
			hi = end;
		} else {
			k -= above + equal;
			lo = begin;
		}
	}
}
