/* walkconv_read.c - walks or tables, as many as there are, as one walk */
#include <string.h>

#include "cmd.h"
#include "core/walk_io.h"
#include "core/walk.h"
#include "walkconv.h"

/* What was read: tables, or a walk. */
struct job {
	const struct walkconv_source *source;
	struct cscg_walk_header alphabet_from;
	struct cscg_walk_table *tab;
	bool tables;		/* tab has the rows of some */
	struct cscg_walk *walk;
};

/* The header of --like; the rest is read, too, to see that it is whole. */
static int
read_like(struct job *job, struct cscg_walk_table_options *how, struct cscg_err *err)
{
	struct cscg_walk_reader *r;
	struct cscg_step step;
	int rc;

	if (!job->source->alphabet_from)
		return 0;
	r = cscg_walk_reader_open(job->source->alphabet_from, err);
	if (!r)
		return -1;
	rc = cscg_walk_header_copy(&job->alphabet_from, cscg_walk_reader_header(r), err);
	if (rc == 0)
		while ((rc = cscg_walk_reader_next(r, &step, err)) > 0)
			continue;
	cscg_walk_reader_close(r);
	how->alphabet_from = &job->alphabet_from;
	return rc;
}

/* An option that was given and means nothing to a walk, or NULL. */
static const char *
for_tables(const struct walkconv_source *source)
{
	const struct cscg_walk_table_options *how = &source->how;

	return how->x ? "--x" : how->a ? "--a" :
	    how->n_episode ? "--episode" : source->delimiter ? "--delimiter" :
	    how->n_missing ? "--missing" : how->sorted ? "--sorted" : NULL;
}

/* Append a walk (taking in) or a table to what there is. */
static int
read_walk_take(struct job *job, struct cscg_in *in, struct cscg_err *err)
{
	struct cscg_walk_reader *r = cscg_walk_reader_open_take(in, err);
	const char *option = for_tables(job->source);
	int rc = -1;

	/* The reader holds in, and with it the name. */
	if (r && option)
		cscg_fail(err, CSCG_EUSAGE, "%s: this is a walk, but %s is for "
		    "tables", cscg_in_name(in), option);
	else if (r)
		rc = cscg_walk_append(&job->walk, r, err);
	cscg_walk_reader_close(r);
	return rc;
}

/* The rows of a table; what it makes one wonder about is said. */
static int
read_table(struct job *job, struct cscg_in *in, const char *path,
    enum walkconv_form form, struct cscg_err *err)
{
	const struct cscg_walk_table_options *how = &job->source->how;
	char sep = ',';
	int rc;

	job->tables = true;
	if (form == WALKCONV_NPY) {
		rc = cscg_walk_table_read_npy(job->tab, in, err);
	} else {
		sep = walkconv_sep(in, form, job->source->delimiter, err);
		rc = sep ? cscg_walk_table_read_csv(job->tab, in, sep, err) : -1;
	}
	if (rc < 0)
		return -1;
	if (!cscg_walk_table_n_rows(job->tab))
		cmd_say("%s: no rows: there are no steps in it",
		    cscg_in_name(in));
	if (form != WALKCONV_NPY && !how->n_episode)
		walkconv_steps(path, sep, how->x, how->a);
	return 0;
}

static int
read_one(struct job *job, const char *path, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(path, err);
	enum walkconv_form form = WALKCONV_AUTO;
	int rc = -1;

	if (in)
		form = walkconv_form(in, path, job->source->from, err);
	if (form == WALKCONV_AUTO)
		goto out;
	if (form == WALKCONV_WALK ? job->tables : job->walk != NULL) {
		cscg_fail(err, CSCG_EMISMATCH, "%s: walks and tables cannot be "
		    "joined in one go", cscg_in_name(in));
		goto out;
	}
	if (form == WALKCONV_WALK)
		return read_walk_take(job, in, err);
	rc = read_table(job, in, path, form, err);
out:
	cscg_in_close(in);
	return rc;
}

static int
read_all(struct job *job, char **paths, int n, struct cscg_err *err)
{
	struct cscg_walk_table_options how = job->source->how;
	int i;

	if (read_like(job, &how, err) < 0)
		return -1;
	job->tab = cscg_walk_table_new(&how, err);
	if (!job->tab)
		return -1;
	for (i = 0; i < n || i == 0; i++)
		if (read_one(job, n ? paths[i] : "-", err) < 0)
			return -1;
	if (job->tables)
		job->walk = cscg_walk_table_to_walk(job->tab, err);
	else if (how.alphabet_from)
		return cscg_walk_align(job->walk, how.alphabet_from, err);
	if (!job->walk)
		return -1;
	if (job->tables && !how.alphabet_from)
		walkconv_wonder(job->walk);
	return 0;
}

struct cscg_walk *
walkconv_read(const struct walkconv_source *source, char **paths, int n,
    struct cscg_err *err)
{
	struct job job = { .source = source };

	if (read_all(&job, paths, n, err) < 0) {
		cscg_walk_free(job.walk);
		job.walk = NULL;
	}
	cscg_walk_table_free(job.tab);
	cscg_walk_header_free(&job.alphabet_from);
	return job.walk;
}
