/*
 * track_cut.h - the weight of the n-th of many, where some stand for several
 */
#ifndef CSCG_TRACK_CUT_H
#define CSCG_TRACK_CUT_H

/* So many things of weight w each. */
struct cscg_track_weight {
	double w;
	long n;
};

/*
 * The largest weight that at least most things reach: there are more than most
 * things in the n lots, most > 0.  Shuffles lots.
 */
double cscg_track_kth_weight(struct cscg_track_weight *weights, long n, long k);

#endif
