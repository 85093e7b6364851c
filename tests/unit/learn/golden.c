/*
 * golden.c - figures of the public reference implementation, reproduced
 *
 * tests/golden has results of vicariousinc/naturecomm_cscg: a tiny model in
 * double precision with all its messages, and the learning curve of a 10x12
 * room.  Its random initial counts are generated here by a small MT19937, the
 * generator behind numpy.random.rand.
 */
/* all: slow (9 s): whole learning runs */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/passes.h"
#include "schema/bind.h"
#include "learn/em.h"
#include "io/json.h"
#include "base/mem.h"
#include "core/model_io.h"
#include "need.h"
#include "tap.h"
#include "core/walk_io.h"

static json_t *
load(const char *name)
{
	char path[4096];
	const char *top = getenv("TOP");

	snprintf(path, sizeof path, "%s/tests/golden/%s", top ? top : ".",
	    name);
	return need(json_load_file(path, 0, NULL));
}

/* ---- MT19937 as numpy seeds and reads it ---- */

struct mt {
	uint32_t s[624];
	int at;
};

static void
mt_seed(struct mt *m, uint32_t seed)
{
	int i;

	m->s[0] = seed;
	for (i = 1; i < 624; i++)
		m->s[i] = 1812433253u * (m->s[i - 1] ^ (m->s[i - 1] >> 30)) +
		    (uint32_t)i;
	m->at = 624;
}

static uint32_t
mt_next(struct mt *m)
{
	uint32_t y;
	int i;

	if (m->at == 624) {
		for (i = 0; i < 624; i++) {
			y = (m->s[i] & 0x80000000u) |
			    (m->s[(i + 1) % 624] & 0x7fffffffu);
			m->s[i] = m->s[(i + 397) % 624] ^ (y >> 1) ^
			    (y & 1 ? 0x9908b0dfu : 0);
		}
		m->at = 0;
	}
	y = m->s[m->at++];
	y ^= y >> 11;
	y ^= (y << 7) & 0x9d2c5680u;
	y ^= (y << 15) & 0xefc60000u;
	return y ^ (y >> 18);
}

static double
mt_rand(struct mt *m)
{
	uint32_t a = mt_next(m) >> 5, b = mt_next(m) >> 6;

	return (a * 67108864.0 + b) / 9007199254740992.0;
}

/* ---- a walk and a model out of JSON ---- */

static struct cscg_walk *
walk_of(json_t *x, json_t *a, int n_obs, int n_actions)
{
	struct cscg_walk_header head = { .n_actions = n_actions,
		.n_obs = n_obs };
	struct cscg_walk *w = need(cscg_walk_new(&head, &err));
	size_t t, n = json_array_size(x);

	for (t = 0; t < n; t++) {
		struct cscg_step s = { .z = -1, .goal = -1, .r = NAN };

		s.x = (int)json_integer_value(json_array_get(x, t));
		s.a = t + 1 < n ?
		    (int)json_integer_value(json_array_get(a, t)) :
		    -1;
		need(cscg_walk_add(w, &s, &err) < 0 ? NULL : w);
	}
	return w;
}

static double
at3(json_t *m, int a, int j, int k)
{
	return json_real_value(json_array_get(
	    json_array_get(json_array_get(m, (size_t)a), (size_t)j),
	    (size_t)k));
}

/* The largest relative difference of dense got from the matrix at key. */
static double
off3(json_t *want, const double *got, int A, int S)
{
	double d, worst = 0;
	int a, j, k;

	for (a = 0; a < A; a++)
		for (j = 0; j < S; j++)
			for (k = 0; k < S; k++) {
				double v = at3(want, a, j, k);

				d = fabs(got[(a * S + j) * S + k] - v) /
				    (fabs(v) > 1e-3 ? fabs(v) : 1e-3);
				if (d > worst)
					worst = d;
			}
	return worst;
}

static double *curve;
static long curve_n;

static int
on_line(void *ctx, const struct cscg_em_progress *line)
{
	double steps = *(double *)ctx;

	curve[curve_n++] = -line->loglik / steps / M_LN2;
	return 0;
}

/* The largest relative difference of the curve from the n values at key. */
static double
off_curve(json_t *want, size_t n)
{
	double worst = 0, v, d;
	size_t i;

	for (i = 0; i < n; i++) {
		v = json_real_value(json_array_get(want, i));
		d = fabs(curve[i] - v) / v;
		if (d > worst)
			worst = d;
	}
	return worst;
}

/* n updates of E from uniform emissions against the reference, untied. */
static void
bind(const struct cscg_model *m, const struct cscg_walk *w, json_t *want,
    long n, double pseudocount)
{
	double steps = (double)w->n_steps, E[18], pi[6], worst = 0, d;
	struct cscg_bind set = { .iterations = n,
		.pseudocount = pseudocount,
		.is_double = true,
		.report = on_line,
		.ctx = &steps };
	struct cscg_em_progress line;
	int j, x;

	for (j = 0; j < 18; j++)
		E[j] = 1.0 / 3;
	for (j = 0; j < 6; j++)
		pi[j] = 1.0 / 6;
	curve = need(cscg_alloc((size_t)n + 1, sizeof *curve, &err));
	curve_n = 0;
	need(cscg_bind(m, w, &set, E, pi, &line, &err) < 0 ? NULL : want);
	for (j = 0; j < 6; j++)
		for (x = 0; x < 3; x++) {
			d = fabs(E[j * 3 + x] -
			    json_real_value(json_array_get(
				json_array_get(json_object_get(want, "E"),
				    (size_t)j),
				(size_t)x)));
			worst = d > worst ? d : worst;
		}
	d = off_curve(json_object_get(want, "bps"),
	    json_array_size(json_object_get(want, "bps")));
	ok(curve_n == n + 1 && d < 1e-9 && worst < 1e-9,
	    "tiny: %ld updates of E, pseudocount %g: curve off by %.1e, E by "
	    "%.1e",
	    n, pseudocount, d, worst);
	free(curve);
}

static void
tiny(void)
{
	json_t *g = load("tiny_f64.json"), *fwd, *bwd;
	int clones[] = { 2, 3, 1 }, S = 6, A = 2, a, j, k, x;
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, S, A, 3,
	    &err));
	struct cscg_walk *w = walk_of(json_object_get(g, "x"),
	    json_object_get(g, "a"), 3, A);
	struct cscg_trans *tr;
	struct cscg_work work = { 0 };
	struct cscg_estep_options how = { .is_double = true, .threads = 1 };
	struct cscg_em em = { .report = on_line };
	struct cscg_estep *engine;
	struct cscg_em_progress line;
	double steps = (double)w->n_steps, C[72], T[72], loglik, worst, sum;
	double alpha[72] = { 0 }, p[6], logp;
	size_t at = 0;
	int z[24];
	long t;

	for (j = x = 0; x < 3; x++)
		for (k = 0; k < clones[x]; k++)
			m->clone[j++] = x;
	m->pseudocount = 0.01;
	for (a = 0; a < A; a++)
		for (j = 0; j < S; j++)
			for (k = 0; k < S; k++)
				C[(a * S + j) * S + k] = at3(
				    json_object_get(g, "C0"), a, j, k);
	need(cscg_model_set_dense(m, C, 0, &err) < 0 ? NULL : m);
	tr = need(cscg_trans_dense(m, &cscg_plain_double, &err));
	tr->kern->get(tr->T, T, 72);
	ok(off3(json_object_get(g, "T0"), T, A, S) < 1e-10,
	    "tiny: T0 equals the reference");

	/*
	 * Messages: those of the reference are one array, clone by clone, and
	 * sum to one.
	 */
	need(cscg_forward(tr, w, 0, &work, &loglik, &err) < 0 ? NULL : m);
	fwd = json_object_get(g, "mess_fwd_iter1_flat");
	bwd = json_object_get(g, "mess_bwd_iter1_flat");
	for (worst = 0, t = 0; t < work.n; t++)
		worst = fmax(worst,
		    fabs(-log2(work.p[t]) +
			json_real_value(json_array_get(json_object_get(g,
							   "log2_lik_iter1"),
			    (size_t)t))));
	ok(worst < 1e-10, "tiny: log2 P(x[t] | past), off by %.1e", worst);
	tr->kern->get(cscg_work_message(&work, tr, 0), alpha,
	    (long)work.off[work.n]);
	for (worst = 0, at = 0; at < work.off[work.n]; at++)
		worst = fmax(worst,
		    fabs(alpha[at] -
			json_real_value(json_array_get(fwd, at))));
	ok(worst < 1e-10 && at == json_array_size(fwd),
	    "tiny: %zu forward messages, off by %.1e", at, worst);
	memset(C, 0, sizeof C);
	cscg_backward(tr, w, 0, &work, &(struct cscg_sink){ .counts = C });
	ok(off3(json_object_get(g, "C1"), C, A, S) < 1e-10,
	    "tiny: expected counts equal the reference");
	for (worst = 0, t = 0; t < work.n; t++) {
		int n = (int)(work.off[t + 1] - work.off[t]);

		/* posterior / forward is backward, up to a factor */
		tr->kern->get(cscg_work_message(&work, tr, t), p, n);
		for (sum = 0, k = 0; k < n; k++)
			sum += p[k] /= alpha[work.off[t] + (size_t)k];
		for (k = 0; k < n; k++)
			worst = fmax(worst,
			    fabs(p[k] / sum -
				json_real_value(json_array_get(bwd,
				    work.off[t] + (size_t)k))));
	}
	ok(worst < 1e-10, "tiny: backward messages, off by %.1e", worst);
	cscg_trans_set(tr, C, 0.01);
	tr->kern->get(tr->T, T, 72);
	ok(off3(json_object_get(g, "T1"), T, A, S) < 1e-10,
	    "tiny: T1 equals the reference");

	/* The curve from C0, which m still has. */
	em.iterations = 50;
	em.ctx = &steps;
	curve = need(cscg_alloc(51, sizeof *curve, &err));
	curve_n = 0;
	engine = need(cscg_estep_new(m, w, &how, &err));
	need(engine->load(engine, m, NULL, &err) < 0 ||
		    cscg_em_T(engine, w->n_steps, 0.01, &em, &line, &err) <
			0 ||
		    engine->store(engine, m, 0, &err) < 0 ?
		NULL :
		m);
	cscg_estep_free(engine);
	worst = off_curve(json_object_get(g, "em_T_bps_50"), 50);
	ok(curve_n == 51 && worst < 1e-10, "tiny: 50 iterations, off by %.1e",
	    worst);
	ok(near(curve[50], json_real_value(json_object_get(g, "bps_after_50")),
	       1e-10),
	    "tiny: the NLL after the last update equals the reference");
	cscg_trans_free(tr);
	tr = need(cscg_trans_dense(m, &cscg_plain_double, &err));
	tr->kern->get(tr->T, T, 72);
	worst = off3(json_object_get(g, "T50"), T, A, S);
	ok(worst < 1e-9, "tiny: T50, off by %.1e of 1e-3 or more", worst);
	need(cscg_viterbi(tr, w, 0, &work, z, &logp, &err) < 0 ? NULL : m);
	for (k = 0, t = 0; t < w->n_steps; t++)
		k += z[t] ==
		    json_integer_value(json_array_get(
			json_object_get(g, "decode_states_T50"), (size_t)t));
	ok(k == w->n_steps, "tiny: Viterbi states equal the reference");
	ok(near(-logp / M_LN2 / steps,
	       json_real_value(json_object_get(g, "bpsV_mean")), 1e-9),
	    "tiny: Viterbi log-probability equals the reference");
	free(curve);
	/* EM on E under T50, which m has now. */
	bind(m, w, json_object_get(g, "em_E_pc0.01_n5"), 5, 0.01);
	bind(m, w, json_object_get(g, "em_E_pc0.01_n30"), 30, 0.01);
	bind(m, w, json_object_get(g, "em_E_pc1e-07_n5"), 5, 1e-7);
	cscg_work_free(&work);
	cscg_trans_free(tr);
	cscg_walk_free(w);
	cscg_model_free(m);
	json_decref(g);
}

/* ---- the room of 10x12, through the tool and its files ---- */

static void
write_files(const char *dir, const struct cscg_model *m,
    const struct cscg_walk *w)
{
	struct cscg_out *out;
	char path[300];

	snprintf(path, sizeof path, "%s/m", dir);
	out = need(cscg_out_open(path, CSCG_OUT_GZIP, &err));
	need(cscg_model_write(m, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		path);
	snprintf(path, sizeof path, "%s/w", dir);
	out = need(cscg_out_open(path, CSCG_OUT_GZIP, &err));
	need(cscg_walk_write(w, out, &err) < 0 ||
		    cscg_out_close(out, &err) < 0 ?
		NULL :
		path);
}

/* Run cscg-learn and read the curve back from its --stats. */
static void
run_learn(const char *dir, const char *options)
{
	const char *build = getenv("BUILD");
	char path[300], *line;
	struct cscg_in *in;
	json_t *o;
	char command[1000];

	snprintf(command, sizeof command,
	    "'%s/cscg-learn' %s --structure none --iterations 40 --tolerance "
	    "0 --init '%s/m' --stats '%s/s' -o /dev/null '%s/w'",
	    build ? build : "build", options, dir, dir, dir);
	if (system(command) != 0) {
		printf("Bail out! %s\n", command);
		exit(1);
	}
	snprintf(path, sizeof path, "%s/s", dir);
	in = need(cscg_in_open(path, &err));
	curve_n = 0;
	while (cscg_json_read(in, &o, &err) > 0) {
		line = NULL;
		need(cscg_json_string(o, "stage", &line, &err) < 0 ? NULL : o);
		if (!strcmp(line, "em") && curve_n < 41)
			curve[curve_n++] = json_real_value(json_object_get(o,
			    "bits_per_step"));
		free(line);
		json_decref(o);
	}
	cscg_in_close(in);
}

static void
room(void)
{
	json_t *g = load("walk_A.json"), *c = load("curves_A.json");
	struct cscg_walk *w = walk_of(json_object_get(g, "x"),
	    json_object_get(g, "a"), 20, 4);
	struct cscg_model *m = need(cscg_model_new(CSCG_GROUNDED, 400, 4, 20,
	    &err));
	double *C0 = need(cscg_alloc(640000, sizeof *C0, &err)), worst = 0;
	char dir[] = "/tmp/cscg-golden.XXXXXX", command[100];
	struct mt mt;
	int i;

	need(mkdtemp(dir));
	mt_seed(&mt, 42);
	for (i = 0; i < 640000; i++)
		C0[i] = mt_rand(&mt);
	ok(C0[0] == 0.3745401188473625 && C0[7] == 0.8661761457749352,
	    "MT19937 gives NumPy's numbers");
	for (i = 0; i < 400; i++)
		m->clone[i] = i / 20;
	m->pseudocount = 2e-3;
	m->is_double = true; /* 17 digits */
	need(cscg_model_set_dense(m, C0, 0, &err) < 0 ? NULL : m);
	write_files(dir, m, w);
	curve = need(cscg_alloc(41, sizeof *curve, &err));
	run_learn(dir, "--isa plain");
	worst = off_curve(json_object_get(c, "em_T_bps"), 40);
	ok(curve_n == 41 && worst < 1e-5,
	    "room: 40 iterations in single precision, off by %.1e", worst);
	run_learn(dir, "");
	worst = off_curve(json_object_get(c, "em_T_bps"), 40);
	ok(curve_n == 41 && worst < 1e-5,
	    "room: 40 iterations with the fast kernel, off by %.1e", worst);
	run_learn(dir, "--double");
	worst = off_curve(json_object_get(c, "em_T_bps_f64"), 40);
	ok(curve_n == 41 && worst < 1e-8,
	    "room: 40 iterations in double precision, off by %.1e", worst);
	snprintf(command, sizeof command, "rm -r '%s'", dir);
	ok(system(command) == 0, "cleaned up");
	free(curve);
	free(C0);
	cscg_model_free(m);
	cscg_walk_free(w);
	json_decref(g);
	json_decref(c);
}

int
main(void)
{
	tiny();
	room();
	return done();
}
