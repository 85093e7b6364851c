/*
 * csv.c - CSV and TSV records (RFC 4180)
 *
 * The fields of a record are parsed in the line where the stream holds it: NUL
 * is put after each, and a quoted field becomes shorter by its quotes.  Only a
 * record of several lines, and the first one, is copied to a buffer, since
 * reading the next line may move the stream's buffer.  The copy may also move
 * as it grows, so fields are offsets until the record is complete.
 *
 * With cscg_csv_read_ahead() a thread splits the next records while the caller
 * uses those before: it copies them to one of two batches, which change places
 * when the caller has come to the end of the other.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "io/csv.h"
#include "io/sniff.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "base/parallel.h"

enum {
	FIELDS_MAX = 1000000,
	/*
	 * Bytes of text of a batch, or a record more: as much as leaves the caches
	 * of one core before another reads it, since passing lines from
	 * cache to cache takes longer.
	 */
	BATCH = 1 << 21,
	BATCHES = 2,
	APART = 128,
};

static const uint32_t LAST = UINT32_C(1) << 31;

/* The byte order mark of UTF-8 that some programs write. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

/*
 * Records split ahead.  What one core writes and another reads is kept small:
 * fields are offsets into the text, LAST is set in that of the last one of a record.
 */
struct batch {
	char *text;
	size_t used, cap;
	uint32_t *field;
	size_t n_fields, cap_field;
	size_t most; /* fields of a record */
	long *line;  /* [n] of each record, if one has several lines */
	size_t n, cap_line;
	long first; /* else the line of the first of them */
	int rc; /* of the record behind them: 1 if it is in the next batch */
	struct cscg_err err;
};

struct ahead {
	struct cscg_csv *csv;
	cscg_csv_prepare *prepare;
	bool prepare_all;
	void *ctx;
	int skip; /* records until lines are split many at a time again */
	struct cscg_worker *worker; /* NULL: the caller fills the batches */
	struct batch batch[BATCHES];
	/* What only the caller uses, on cache lines that the thread leaves alone. */
	char apart[APART];
	long i;              /* the batch being used, in slot i % BATCHES */
	struct batch b;      /* a copy of it */
	size_t at, at_field; /* records and fields of it that were returned */
	char **field;        /* those of the last record */
	size_t cap_field;
	long line; /* of the last record */
	char apart_too[APART];
};

struct cscg_csv {
	struct ahead *ahead; /* NULL: records are split when they are used */
	char apart[APART];   /* the caller reads ahead, a thread the others */
	struct cscg_in *in;
	char sep;
	long line;         /* line number of the start of the record */
	bool special[256]; /* bytes that end the plain text of a field */
	bool unusual[256]; /* and those which may need more than that */
	char *base;        /* the record: a line of in, or text */
	char *text;
	size_t cap;
	char **field; /* [n], in the record at base */
	size_t n, cap_field;
	size_t size; /* bytes from base to the NUL of the last field */
};

struct cscg_csv *
cscg_csv_new(struct cscg_in *in, char sep, struct cscg_err *err)
{
	struct cscg_csv *c = cscg_alloc(1, sizeof *c, err);

	if (c) {
		c->in = in;
		c->sep = sep;
		c->special[(unsigned char)sep] = c->special['"'] = true;
		c->special['\r'] = c->special['\0'] = true;
		memcpy(c->unusual, c->special, sizeof c->unusual);
		c->unusual[' '] = c->unusual['\t'] = true;
		c->unusual['\''] = true;
	}
	return c;
}

static void
ahead_free(struct ahead *a)
{
	int i;

	if (!a)
		return;
	cscg_worker_free(a->worker);
	for (i = 0; i < BATCHES; i++) {
		free(a->batch[i].text);
		free(a->batch[i].field);
		free(a->batch[i].line);
	}
	free(a->field);
	free(a);
}

void
cscg_csv_free(struct cscg_csv *csv)
{
	if (!csv)
		return;
	ahead_free(csv->ahead);
	free(csv->text);
	free(csv->field);
	free(csv);
}

long
cscg_csv_line(const struct cscg_csv *csv)
{
	return csv->ahead ? csv->ahead->line : csv->line;
}

int
cscg_csv_fail_at(const struct cscg_csv *csv, struct cscg_err *err)
{
	return cscg_fail_at(err, "%s: line %ld", cscg_in_name(csv->in),
	    cscg_csv_line(csv));
}

static int
fail_field(struct cscg_csv *c, const char *what, struct cscg_err *err)
{
	/* An error of the stream takes precedence. */
	if (cscg_in_verify(c->in, err) < 0)
		return -1;
	return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: field %zu: %s",
	    cscg_in_name(c->in), cscg_in_lineno(c->in), c->n, what);
}

/* The next line of the input: 1, 0 at the end, -1. */
static int
next_line(struct cscg_csv *c, char **p, size_t *len, struct cscg_err *err)
{
	int rc = cscg_in_line(c->in, p, len, err);
	const char *what;

	if (rc <= 0)
		return rc;
	if (cscg_in_lineno(c->in) == 1 && !strncmp(*p, byte_order_mark, 3)) {
		*p += 3;
		*len -= 3;
	}
	what = cscg_in_lineno(c->in) == 1 ? cscg_sniff_csv(*p, *len) : NULL;
	if (what)
		return cscg_fail(err, CSCG_EFORMAT, "%s: line 1: %s",
		    cscg_in_name(c->in), what);
	if (cscg_in_line_has_nul(c->in))
		return cscg_fail(err, CSCG_EFORMAT, "%s: line %ld: a NUL byte",
		    cscg_in_name(c->in), cscg_in_lineno(c->in));
	return 1;
}

/* Whether a line ends here: at its end, or at the CR of CR LF. */
static bool
at_end(const char *p)
{
	return !*p || (*p == '\r' && !p[1]);
}

/* Blanks around a field that are not part of it. */
static bool
is_blank(const struct cscg_csv *c, char ch)
{
	return (ch == ' ' || ch == '\t') && ch != c->sep;
}

static char *
skip_blanks(const struct cscg_csv *c, char *p)
{
	while (is_blank(c, *p))
		p++;
	return p;
}

/*
 * Move the first size bytes of the record, and its fields, to the buffer, and
 * reserve space for more.
 */
static int
copy_record(struct cscg_csv *c, size_t size, size_t more, struct cscg_err *err)
{
	bool is_line = c->base != c->text;
	uintptr_t old = (uintptr_t)c->base;
	size_t i;

	if (cscg_grow(&c->text, &c->cap, size + more, 1, err) < 0)
		return -1;
	if (is_line)
		memcpy(c->text, c->base, size);
	c->base = c->text;
	for (i = 0; i < c->n; i++)
		c->field[i] = c->base + ((uintptr_t)c->field[i] - old);
	return 0;
}

/*
 * The record continues after a newline inside quotes: append the next line to
 * the parsed text, which ends at *to.  Both pointers are updated.
 */
static int
read_next_line(struct cscg_csv *c, char **p, char **to, struct cscg_err *err)
{
	size_t size = (size_t)(*to - c->base), len;
	char *line;
	int rc;

	/* The stream reuses its buffer for the next line. */
	if (copy_record(c, size, 1, err) < 0)
		return -1;
	rc = next_line(c, &line, &len, err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end inside the quotes that field %zu of "
		    "line %ld begins with",
		    cscg_in_name(c->in), c->n, c->line);
	if (copy_record(c, size, len + 2, err) < 0)
		return -1;
	c->text[size] = '\n';
	*p = *to = c->text + size + 1;
	memcpy(*p, line, len + 1);
	return 0;
}

/*
 * Copy the text up to the closing quote to *to, without its quotes.  *p becomes
 * the position after the closing quote, possibly on a later line, and *to the
 * end of the text.
 */
static int
read_quoted(struct cscg_csv *c, char **p, char **to, struct cscg_err *err)
{
	size_t n;

	*to = ++*p;
	for (;;) {
		n = strcspn(*p, "\"");
		memmove(*to, *p, n);
		*to += n;
		*p += n;
		if (!**p) {
			if (read_next_line(c, p, to, err) < 0)
				return -1;
			continue;
		}
		if ((*p)[1] != '"')
			break;
		*(*to)++ = '"';
		*p += 2;
	}
	*p = skip_blanks(c, *p + 1);
	if (**p != c->sep && !at_end(*p))
		return fail_field(c, "text behind the closing quote", err);
	return 0;
}

static int
read_plain(struct cscg_csv *c, char **p, char **to, struct cscg_err *err)
{
	char *s = *p, *end;

	while (!c->special[(unsigned char)*s])
		s++;
	if (*s != c->sep && !at_end(s))
		return fail_field(c,
		    *s == '"' ? "a quote inside a plain field" :
				"a carriage return inside a line",
		    err);
	for (end = s; end > *p && is_blank(c, end[-1]); end--)
		;
	*p = s;
	*to = end;
	return 0;
}

/*
 * Whether a spreadsheet would interpret s as a formula, quoted or not, unless
 * s is a number.  An apostrophe before it makes it text.
 */
static bool
begins_as_formula(const char *s)
{
	return *s && strchr("=+-@\t\r", *s);
}

/* Whether an apostrophe at s was put before a field for spreadsheets. */
static bool
is_escaped(const char *s)
{
	return *s == '\'' && begins_as_formula(s + strspn(s, "'"));
}

/*
 * The fields of a line without quotes, blanks and apostrophes, the most common
 * kind; false, with nothing changed, of any other line.
 */
static bool
split_usual(struct cscg_csv *c, char *p)
{
	char **field = c->field, *s = p;
	size_t n = 0, i;

	for (;; s++) {
		if (n == c->cap_field)
			return false;
		field[n++] = s;
		while (!c->unusual[(unsigned char)*s])
			s++;
		if (!*s)
			break;
		if (*s != c->sep)
			return false;
	}
	for (i = 1; i < n; i++)
		field[i][-1] = '\0';
	c->n = n;
	c->size = (size_t)(s - p) + 1;
	return true;
}

/* The fields of the record whose first line is at p. */
static int
split_record(struct cscg_csv *csv, char *p, char ***field, int *n,
    struct cscg_err *err)
{
	char *end = p;
	bool more;
	int rc;

	csv->line = cscg_in_lineno(csv->in);
	csv->base = p;
	more = !split_usual(csv, p);
	if (more)
		csv->n = 0;
	for (; more; p++) {
		if (csv->n == FIELDS_MAX)
			return fail_field(csv, "one too many", err);
		if (csv->n == csv->cap_field &&
		    cscg_grow(&csv->field, &csv->cap_field, csv->n + 1,
			sizeof *csv->field, err) < 0)
			return -1;
		p = skip_blanks(csv, p);
		csv->field[csv->n++] = p + (*p == '"');
		rc = *p == '"' ? read_quoted(csv, &p, &end, err) :
				 read_plain(csv, &p, &end, err);
		if (rc < 0)
			return -1;
		more = *p == csv->sep;
		*end = '\0';
		csv->size = (size_t)(end - csv->base) + 1;
		csv->field[csv->n - 1] += is_escaped(csv->field[csv->n - 1]);
	}
	*field = csv->field;
	*n = (int)csv->n;
	return 1;
}

static int
next_record(struct cscg_csv *csv, char ***field, int *n, struct cscg_err *err)
{
	size_t len;
	char *p;
	int rc = next_line(csv, &p, &len, err);

	return rc <= 0 ? rc : split_record(csv, p, field, n, err);
}

/* ---- records split ahead ---- */

/* The lines of the records of b, of which the last is to come. */
static int
set_lines(struct batch *b, struct cscg_err *err)
{
	size_t i;

	if (cscg_grow_unset(&b->line, &b->cap_line, b->n + 1, sizeof *b->line,
		err) < 0)
		return -1;
	for (i = 0; b->first && i < b->n; i++)
		b->line[i] = b->first + (long)i;
	b->first = 0;
	return 0;
}

/* Prepare and append the record just split. */
static int
add_record(const struct ahead *a, struct batch *b, struct cscg_err *err)
{
	struct cscg_csv *csv = a->csv;
	size_t i, need = b->used + csv->size;

	if (need > LAST)
		return cscg_fail(err, CSCG_ERANGE,
		    "%s: line %ld: a record of more than 2 GB",
		    cscg_in_name(csv->in), csv->line);
	if ((need + CSCG_CSV_PADDING > b->cap &&
		cscg_grow_unset(&b->text, &b->cap, need + CSCG_CSV_PADDING, 1,
		    err) < 0) ||
	    (b->n_fields + csv->n > b->cap_field &&
		cscg_grow_unset(&b->field, &b->cap_field, b->n_fields + csv->n,
		    sizeof *b->field, err) < 0))
		return -1;
	if (b->n == 0)
		b->first = csv->line;
	if (!b->first || csv->line != b->first + (long)b->n) {
		if (set_lines(b, err) < 0)
			return -1;
		b->line[b->n] = csv->line;
	}
	if (a->prepare)
		a->prepare(a->ctx, csv->field, (int)csv->n);
	memcpy(b->text + b->used, csv->base, csv->size);
	for (i = 0; i < csv->n; i++)
		b->field[b->n_fields++] = (uint32_t)(b->used +
		    (size_t)(csv->field[i] - csv->base));
	b->field[b->n_fields - 1] |= LAST;
	b->most = csv->n > b->most ? csv->n : b->most;
	b->used = need;
	b->n++;
	return 0;
}

#ifdef __SSE2__

enum {
	VECTOR = 16,
	CHUNK = 1 << 16, /* bytes split at a time */
	FEW = 8,         /* lines: splitting one by one is faster ... */
	PAUSE = 64,      /* ... for this many records */
};

/* Where lines of a text may be split: bits of VECTOR bytes. */
struct marks {
	unsigned ends;     /* of fields: separators and newlines */
	unsigned newlines; /* of records */
	unsigned points;
	unsigned others; /* bytes that may need more than splitting */
};

static struct marks
find_marks(const char *p, char sep)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p), newline, end, point;
	/* Quotes, blanks, CR and NUL are not above the comma. */
	__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(',')), v);

	newline = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
	end = _mm_or_si128(newline, _mm_cmpeq_epi8(v, _mm_set1_epi8(sep)));
	point = _mm_cmpeq_epi8(v, _mm_set1_epi8('.'));
	return (struct marks){ (unsigned)_mm_movemask_epi8(end),
		(unsigned)_mm_movemask_epi8(newline),
		(unsigned)_mm_movemask_epi8(point),
		(unsigned)_mm_movemask_epi8(_mm_andnot_si128(end, low)) };
}

/* The fields of the record from the first-th of b on are prepared. */
static int
prepare_fields(const struct ahead *a, struct batch *b, size_t first,
    struct cscg_err *err)
{
	struct cscg_csv *csv = a->csv;
	size_t n = b->n_fields - first, i;

	if (cscg_grow(&csv->field, &csv->cap_field, n, sizeof *csv->field,
		err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		csv->field[i] = b->text + (b->field[first + i] & ~LAST);
	a->prepare(a->ctx, csv->field, (int)n);
	for (i = 0; i < n; i++)
		b->field[first + i] = (uint32_t)(csv->field[i] - b->text);
	b->field[b->n_fields - 1] |= LAST;
	return 0;
}

/*
 * Append the usual lines of the buffer, up to the first that is not: as
 * split_usual() of each.  -1 with err filled (CSCG_ENOMEM).
 */
static int
add_usual(struct ahead *a, struct batch *b, struct cscg_err *err)
{
	struct cscg_csv *csv = a->csv;
	const char *text;
	size_t len = cscg_in_at_hand(csv->in, &text), at, end, i;
	size_t line = b->used, start = line, before = b->n, point = 0;
	size_t first = b->n_fields; /* field of the line */

	len = len < CHUNK ? len : CHUNK;
	if (!b->n)
		b->first = cscg_in_lineno(csv->in) + 1;
	if (len < VECTOR || !cscg_in_lineno(csv->in) ||
	    b->first + (long)b->n != cscg_in_lineno(csv->in) + 1)
		return 0;
	/* No line has more fields than bytes. */
	if (cscg_grow_unset(&b->text, &b->cap, start + len + VECTOR, 1, err) <
		0 ||
	    cscg_grow_unset(&b->field, &b->cap_field, first + len + VECTOR,
		sizeof *b->field, err) < 0)
		return -1;
	memcpy(b->text + start, text, len);
	end = start + len / VECTOR * VECTOR;
	b->field[b->n_fields++] = (uint32_t)line;
	for (at = start; at < end; at += VECTOR) {
		struct marks m = find_marks(b->text + at, csv->sep);
		unsigned ends = m.ends;

		if (m.others) /* up to the first of them */
			ends &= (m.others & -m.others) - 1;
		for (; ends; ends &= ends - 1) {
			i = (size_t)__builtin_ctz(ends);
			if (!(m.newlines >> i & 1)) {
				b->text[at + i] = '\0';
				b->field[b->n_fields++] = (uint32_t)(at + i +
				    1);
				continue;
			}
			if (at + i == line || b->n_fields - first > FIELDS_MAX)
				goto out;
			b->text[at + i] = '\0';
			b->field[b->n_fields - 1] |= LAST;
			b->most = b->n_fields - first > b->most ?
			    b->n_fields - first :
			    b->most;
			if (m.points & ((1u << i) - 1))
				point = at + i;
			if (a->prepare && (a->prepare_all || point > line) &&
			    prepare_fields(a, b, first, err) < 0)
				return -1;
			b->n++;
			line = at + i + 1;
			first = b->n_fields;
			b->field[b->n_fields++] = (uint32_t)line;
		}
		if (m.others)
			break;
		if (m.points)
			point = at + VECTOR;
	}
out:
	b->n_fields = first;
	b->used = line;
	if (b->n > before)
		cscg_in_skip_lines(csv->in, line - start,
		    (long)(b->n - before));
	if (b->n - before < FEW)
		a->skip = PAUSE;
	return 0;
}

#else

static int
add_usual(struct ahead *a, struct batch *b, struct cscg_err *err)
{
	(void)b;
	(void)err;
	a->skip = INT_MAX;
	return 0;
}

#endif

/* Fill batch i; always 0, an error comes behind its records. */
static int
fill_batch(void *ctx, long i)
{
	struct ahead *a = ctx;
	struct batch *b = &a->batch[i % BATCHES];
	char **field;
	int n;

	b->used = b->n_fields = b->n = b->most = 0;
	b->rc = 1;
	while (b->used < BATCH && b->rc > 0) {
		if (a->skip > 0) {
			a->skip--;
		} else if (add_usual(a, b, &b->err) < 0) {
			b->rc = -1;
			break;
		}
		b->rc = next_record(a->csv, &field, &n, &b->err);
		if (b->rc > 0 && add_record(a, b, &b->err) < 0)
			b->rc = -1;
	}
	if (b->n)
		memset(b->text + b->used, 0, CSCG_CSV_PADDING);
	return 0;
}

/* The caller has filled the first batch, before there was a thread. */
static int
work_batch(void *ctx, long i)
{
	return fill_batch(ctx, 1 + i);
}

/*
 * Go to the next batch, and have the one behind it filled.  Small tables need no
 * thread.
 */
static void
next_batch(struct ahead *a)
{
	a->i++;
	a->at = a->at_field = 0;
	if (!a->worker)
		fill_batch(a, a->i);
	else
		cscg_worker_wait(a->worker);
	a->b = a->batch[a->i % BATCHES];
	if (!a->worker && a->i == 0 && a->b.rc > 0)
		a->worker = cscg_worker_new(work_batch, a, BATCHES);
	if (a->worker && a->b.rc > 0)
		cscg_worker_push(a->worker);
}

static int
next_ahead(struct ahead *a, char ***field, int *n, struct cscg_err *err)
{
	uint32_t at;
	int k = 0;

	while (a->at == a->b.n && a->b.rc > 0) {
		next_batch(a);
		if (cscg_grow_unset(&a->field, &a->cap_field, a->b.most,
			sizeof *a->field, err) < 0)
			return -1;
	}
	if (a->at == a->b.n) {
		if (a->b.rc < 0)
			*err = a->b.err;
		return a->b.rc;
	}
	/* Another core has written them, and they leave its caches slowly. */
	__builtin_prefetch(&a->b.field[a->at_field + APART]);
	__builtin_prefetch(a->b.text + (a->b.field[a->at_field] & ~LAST) +
	    8 * APART);
	do {
		at = a->b.field[a->at_field++];
		a->field[k++] = a->b.text + (at & ~LAST);
	} while (!(at & LAST));
	*field = a->field;
	*n = k;
	a->line = a->b.first ? a->b.first + (long)a->at : a->b.line[a->at];
	a->at++;
	return 1;
}

int
cscg_csv_read_ahead(struct cscg_csv *csv, cscg_csv_prepare *prepare, bool all,
    void *ctx, struct cscg_err *err)
{
	csv->ahead = cscg_alloc(1, sizeof *csv->ahead, err);
	if (!csv->ahead)
		return -1;
	csv->ahead->csv = csv;
	csv->ahead->prepare = prepare;
	csv->ahead->prepare_all = all;
	csv->ahead->ctx = ctx;
	csv->ahead->i = -1;
	csv->ahead->b.rc = 1;
	return 0;
}

void
cscg_csv_stop(struct cscg_csv *csv)
{
	if (csv->ahead && csv->ahead->worker)
		cscg_worker_wait(csv->ahead->worker);
}

int
cscg_csv_next(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err)
{
	return csv->ahead ? next_ahead(csv->ahead, field, n, err) :
			    next_record(csv, field, n, err);
}

/*
 * Position after a '#' that marks the header line at p, unless the '#' is a
 * field.
 */
static char *
skip_mark(const struct cscg_csv *c, char *p)
{
	char *q;

	p = skip_blanks(c, p);
	if (*p != '#')
		return p;
	q = skip_blanks(c, p + 1);
	return *q == c->sep || at_end(q) ? p : q;
}

/* Copy the record to the buffer, so that it survives reading the next line. */
static int
keep_record(struct cscg_csv *c, struct cscg_err *err)
{
	return copy_record(c, c->size, 0, err);
}

/*
 * The number of leading fields, "#" and the empty ones after it, that mark the
 * header and name no columns: the next line has that many fewer fields.  -1
 * with err filled.
 */
static int
count_marks(struct cscg_csv *c, char **field, int n, struct cscg_err *err)
{
	size_t len;
	char *line;
	int k = 1, rc;
	long seps;

	if (n == 1 || strcmp(field[0], "#"))
		return 0;
	while (k < n - 1 && !*field[k])
		k++;
	rc = cscg_in_line(c->in, &line, &len, err);
	if (rc <= 0)
		return rc;
	seps = cscg_sniff_count_separators(line, len, c->sep);
	cscg_in_unread_line(c->in);
	return seps + 1 == n - k ? k : 0;
}

int
cscg_csv_head(struct cscg_csv *csv, char ***field, int *n,
    struct cscg_err *err)
{
	size_t len;
	char *p;
	int k, rc = next_line(csv, &p, &len, err);

	if (rc == 0)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end: no names of columns",
		    cscg_in_name(csv->in));
	if (rc < 0 || split_record(csv, skip_mark(csv, p), field, n, err) < 0)
		return -1;
	if (keep_record(csv, err) < 0)
		return -1;
	k = count_marks(csv, *field, *n, err);
	if (k < 0)
		return -1;
	*field += k;
	*n -= k;
	return 1;
}

void
cscg_csv_free_row(char **row, int n)
{
	int i;

	for (i = 0; row && i < n; i++)
		free(row[i]);
	free(row);
}

char **
cscg_csv_copy_row(char **field, int n, struct cscg_err *err)
{
	char **row = cscg_alloc((size_t)n, sizeof *row, err);
	int i;

	for (i = 0; row && i < n; i++) {
		row[i] = cscg_copy(field[i], strlen(field[i]) + 1, 1, err);
		if (!row[i]) {
			cscg_csv_free_row(row, i);
			return NULL;
		}
	}
	return row;
}

void
cscg_csv_replace_comma(char *s)
{
	size_t n = strspn(s, "+-0123456789");

	if (s[n] == ',' && s[n + 1] &&
	    !s[n + 1 + strspn(s + n + 1, "0123456789eE+-")])
		s[n] = '.';
}

bool
cscg_csv_is_real(const char *s, double *v)
{
	const char *p = s;
	char *end;

	if (cscg_decimal_parse(&p, v) && !*p)
		return true;
	*v = strtod(s, &end);
	/*
	 * strtod() accepts more spellings than a table may have: nan, inf,
	 * 0x1p3.
	 */
	return *s && !s[strspn(s, "+-.0123456789eE")] && !*end && isfinite(*v);
}

bool
cscg_csv_parse_real(char *s, double *v)
{
	static const char *const nothing[] = { "", "nan", "na", "<na>", "n/a",
		"null", "none", "-", NULL };
	int k;

	cscg_csv_replace_comma(s);
	if (cscg_csv_is_real(s, v))
		return true;
	*v = NAN;
	for (k = 0; nothing[k]; k++)
		if (!strcasecmp(s, nothing[k]))
			return true;
	return false;
}

/* Whether the text needs quotes to be read back unchanged. */
static bool
needs_quotes(const char *s, char sep)
{
	char special[] = { '"', '\n', '\r', sep, '\0' };
	size_t n = strlen(s);

	/*
	 * At the start of a file a byte order mark, or the first bytes of
	 * another file type, would be misinterpreted.
	 */
	return strpbrk(s, special) ||
	    !strncmp(s, byte_order_mark, sizeof byte_order_mark - 1) ||
	    !strncmp(s, "PAR1", 4) || !strncmp(s, "MATLAB", 6) ||
	    cscg_sniff_csv(s, n) ||
	    (n && (strchr(" \t", s[0]) || strchr(" \t", s[n - 1])));
}

/*
 * Whether s needs an apostrophe: a formula, or text that the reader would take
 * for an escaped one.
 */
static bool
needs_apostrophe(const char *s)
{
	const char *number = s + (*s == '+');
	double v;

	if (is_escaped(s))
		return true;
	return begins_as_formula(s) &&
	    !(cscg_decimal_parse(&number, &v) && !*number);
}

char *
cscg_csv_field(const char *s, char sep, struct cscg_err *err)
{
	bool quotes = needs_quotes(s, sep);
	char *field, *to;

	field = to = cscg_alloc(2 * strlen(s) + 4, 1, err);
	if (!field)
		return NULL;
	if (quotes)
		*to++ = '"';
	if (needs_apostrophe(s))
		*to++ = '\'';
	for (; *s; s++) {
		if (*s == '"')
			*to++ = '"';
		*to++ = *s;
	}
	if (quotes)
		*to = '"';
	return field;
}

int
cscg_csv_write(struct cscg_out *out, char sep, const char *const *field, int n,
    struct cscg_err *err)
{
	char *text;
	int i, rc;

	for (i = 0; i < n; i++) {
		if (i && cscg_out_write(out, &sep, 1, err) < 0)
			return -1;
		text = cscg_csv_field(field[i], sep, err);
		rc = text ? cscg_out_write(out, text, strlen(text), err) : -1;
		free(text);
		if (rc < 0)
			return -1;
	}
	return cscg_out_write(out, "\n", 1, err);
}

int
cscg_csv_fail_fields(int n, int wanted, struct cscg_err *err)
{
	return cscg_fail(err, CSCG_EFORMAT,
	    "%d field%s, but the first line has %d", n, n == 1 ? "" : "s",
	    wanted);
}

int
cscg_csv_row(struct cscg_csv *csv, int n, char ***field, struct cscg_err *err)
{
	int m, rc;

	do
		rc = cscg_csv_next(csv, field, &m, err);
	while (rc > 0 && m == 1 && n > 1 && !*(*field)[0]);
	if (rc <= 0 || m == n)
		return rc;
	cscg_csv_fail_fields(m, n, err);
	return cscg_csv_fail_at(csv, err);
}
