/* cscg-show_npy.c - cscg-show's matrices: to other programs and from them */
#include <stdlib.h>

#include "cmd.h"
#include "cscg-show.h"
#include "core/model_npy.h"
#include "core/model_io.h"

int
show_npy_take(double *dense, int n_actions, int n_states, struct cscg_out *out,
    struct cscg_err *err)
{
	const long shape[] = { n_actions, n_states, n_states };
	int rc = -1;

	if (dense)
		rc = cscg_npy_write(out, 3, shape, dense, false, err);
	free(dense);
	return rc;
}

int
show_import(const struct show_set *set, const char *path,
    struct cscg_out *out, struct cscg_err *err)
{
	struct cscg_model_npy_options how = { set->from_npy == 0, set->count,
	    set->pseudocount, NULL, 0 };
	struct cscg_model *m = NULL;
	int *clones = NULL, rc = -1;

	if (set->clones) {
		how.n_clones = cscg_model_npy_clones(set->clones, &clones, err);
		how.clones = clones;
	}
	if (how.n_clones < 0)
		cscg_fail_at(err, "--clones");
	else
		m = cscg_model_read_npy(path, &how, err);
	if (m && cmd_history(&m->history, err) == 0 &&
	    cscg_model_write(m, out, err) == 0)
		rc = 1;
	free(clones);
	cscg_model_free(m);
	return rc;
}
