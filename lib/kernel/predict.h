/*
 * predict.h - prediction by a mixture of models, step by step
 *
 * The public functions of cscg.h, and these.
 */
#ifndef CSCG_PREDICT_H
#define CSCG_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/model.h"
#include "kernel/filter.h"

/*
 * A model without transitions that has the alphabets of p: for
 * cscg_alphabet_map_new().  Borrowed from p.
 */
const struct cscg_model *cscg_predictor_names(const struct cscg_predictor *p);

/* Change the escape probability, for the steps that follow. */
void cscg_predictor_set_unseen(struct cscg_predictor *p, double unseen);

/* The filter of model i, borrowed. */
const struct cscg_filter *cscg_predictor_filter(const struct cscg_predictor *p,
    int i);

/* The model with the largest weight, the first of equal ones. */
int cscg_predictor_best(const struct cscg_predictor *p);

/*
 * The likeliest path of the n steps that follow under actions a[n]: *which is
 * the model that maximises weight times probability of its path; states and
 * symbols are of that model, *logp is the log of the path's probability.  0;
 * -1 with err filled (CSCG_ENOMEM; CSCG_EMISMATCH: the belief is lost).
 */
int cscg_predictor_path(const struct cscg_predictor *p, const int *a, long n,
    int *state, int *x, int *which, double *logp, struct cscg_err *err);

/* Fill err for a lost belief; returns -1. */
int cscg_predictor_lost(struct cscg_err *err);

#endif
