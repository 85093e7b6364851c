/*
 * track_cut.c - the weight of the n-th of many, where some stand for several
 *
 * Quickselect in three parts, since equal weights are the rule: what was bound
 * and jumped alike weighs alike.
 */
#include "schema/track_cut.h"

static void
swap(struct cscg_track_lot *a, struct cscg_track_lot *b)
{
	struct cscg_track_lot c = *a;

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
cscg_track_cut(struct cscg_track_lot *lot, long n, long most)
{
	long lo = 0, hi = n, i, above, equal, end, begin;
	double p;

	for (;;) {
		p = median(lot[lo].w, lot[(lo + hi) / 2].w, lot[hi - 1].w);
		above = equal = 0;
		/* lo..end-1 are above, end..i-1 equal, begin..hi-1 below. */
		for (end = i = lo, begin = hi; i < begin;) {
			if (lot[i].w > p) {
				above += lot[i].n;
				swap(&lot[i++], &lot[end++]);
			} else if (lot[i].w < p) {
				swap(&lot[i], &lot[--begin]);
			} else {
				equal += lot[i++].n;
			}
		}
		if (most > above && most <= above + equal)
			return p;
		if (most <= above) {
			hi = end;
		} else {
			most -= above + equal;
			lo = begin;
		}
	}
}
