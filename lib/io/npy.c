/*
 * npy.c - NumPy .npy array files
 *
 * The header is a Python dictionary as text.  NumPy writes its three keys in
 * one order with fixed spacing, other programs may not, so a small parser
 * accepts any order.  Memory grows with the bytes read, not with the size that
 * the header claims.
 */
#include <endian.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/npy.h"

enum {
	CHUNK = 8192,     /* items converted at a time */
	HEAD_MAX = 65536, /* headers of plain arrays are shorter */
	ALIGN = 64,
};

static const char magic[] = "\x93NUMPY";

void
cscg_npy_free(struct cscg_npy *a)
{
	free(a->data);
	*a = (struct cscg_npy){ 0 };
}

/* Read exactly n bytes, or fail. */
static int
read_exact(struct cscg_in *in, void *buf, size_t n, struct cscg_err *err)
{
	long got = cscg_in_read(in, buf, n, err);

	if (got < 0)
		return -1;
	if ((size_t)got < n)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end of .npy header", cscg_in_name(in));
	return 0;
}

/* The header's text, new; NULL with err filled. */
static char *
read_head(struct cscg_in *in, struct cscg_err *err)
{
	unsigned char b[10] = { 0 };
	size_t n, more;
	char *text;
	long got;

	got = cscg_in_read(in, b, 8, err);
	if (got < 0)
		return NULL;
	if (got < 8 || memcmp(b, magic, 6)) {
		cscg_fail(err, CSCG_EFORMAT, "%s: this is not a .npy file",
		    cscg_in_name(in));
		return NULL;
	}
	if (b[6] < 1 || b[6] > 3 || b[7] != 0) {
		cscg_fail(err, CSCG_EFORMAT,
		    "%s: .npy version %d.%d is not one of 1.0, 2.0, 3.0",
		    cscg_in_name(in), b[6], b[7]);
		return NULL;
	}
	more = b[6] == 1 ? 2 : 4;
	memset(b, 0, sizeof b);
	if (read_exact(in, b, more, err) < 0)
		return NULL;
	n = (size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 |
	    (size_t)b[3] << 24;
	if (n > HEAD_MAX) {
		cscg_fail(err, CSCG_ERANGE, "%s: a .npy header of %zu bytes",
		    cscg_in_name(in), n);
		return NULL;
	}
	text = cscg_alloc(n + 1, 1, err);
	if (text && read_exact(in, text, n, err) < 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Values of the header, and which keys were found. */
struct parsed_head {
	struct cscg_npy_head *to;
	char descr[8];
	int seen; /* keys, one bit each */
};

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\n\r");
}

/* Parse a quoted string into buf; returns the position after it, or NULL. */
static const char *
parse_string(const char *p, char *buf, size_t size)
{
	const char *end;
	char q = *p;

	if (q != '\'' && q != '"')
		return NULL;
	end = strchr(++p, q);
	if (!end || (size_t)(end - p) >= size)
		return NULL;
	memcpy(buf, p, (size_t)(end - p));
	buf[end - p] = '\0';
	return end + 1;
}

/* Parse a tuple of sizes; returns the position after it, or NULL. */
static const char *
parse_shape(const char *p, struct cscg_npy_head *a, bool *too_many)
{
	char *end;

	if (*p++ != '(')
		return NULL;
	a->ndim = 0;
	for (p = skip_space(p); *p != ')'; p = skip_space(p)) {
		if (*p < '0' || *p > '9')
			return NULL;
		if (a->ndim == CSCG_NPY_DIMS) {
			*too_many = true;
			return NULL;
		}
		/* LONG_MAX if too large; found below. */
		a->shape[a->ndim++] = strtol(p, &end, 10);
		p = skip_space(end);
		if (*p == ',')
			p++;
		else if (*p != ')')
			return NULL;
	}
	return p + 1;
}

static const char *
parse_bool(const char *p, bool *v)
{
	*v = !strncmp(p, "True", 4);
	if (!*v && strncmp(p, "False", 5))
		return NULL;
	return p + (*v ? 4 : 5);
}

/* Parse the dictionary; returns an error message, or NULL. */
static const char *
parse_head(const char *p, struct parsed_head *h)
{
	static const char broken[] = "the .npy header is malformed";
	bool too_many = false;
	char key[16];

	p = skip_space(p);
	if (*p++ != '{')
		return broken;
	for (p = skip_space(p); *p != '}'; p = skip_space(p)) {
		p = parse_string(p, key, sizeof key);
		if (!p || *(p = skip_space(p)) != ':')
			return broken;
		p = skip_space(p + 1);
		if (!strcmp(key, "descr") && !(h->seen & 1)) {
			if (*p == '[')
				return "arrays of records are not supported";
			p = parse_string(p, h->descr, sizeof h->descr);
			h->seen |= 1;
		} else if (!strcmp(key, "fortran_order") && !(h->seen & 2)) {
			p = parse_bool(p, &h->to->fortran);
			h->seen |= 2;
		} else if (!strcmp(key, "shape") && !(h->seen & 4)) {
			p = parse_shape(p, h->to, &too_many);
			if (too_many)
				return "arrays of more than 4 dimensions are "
				       "not supported";
			h->seen |= 4;
		} else {
			return broken;
		}
		if (!p)
			return broken;
		p = skip_space(p);
		if (*p == ',')
			p++;
		else if (*p != '}')
			return broken;
	}
	return h->seen == 7 && !*skip_space(p + 1) ? NULL : broken;
}

/* Bytes of an item of this type; 0 if the type is not supported. */
static int
item_size(const char *descr)
{
	static const char *const types[] = {
		"|b1",
		"|i1",
		"|u1",
		"<i2",
		"<u2",
		"<i4",
		"<u4",
		"<i8",
		"<u8",
		"<f4",
		"<f8",
		NULL,
	};
	int i;

	for (i = 0; types[i]; i++)
		if (!strcmp(descr, types[i]))
			return descr[2] - '0';
	return 0;
}

double
cscg_npy_value(const struct cscg_npy_head *h, const unsigned char *p)
{
	uint64_t bits = 0;
	uint32_t bits32;
	double d;
	float f;
	int i;

	for (i = h->item - 1; i >= 0; i--)
		bits = bits << 8 | p[i];
	if (h->type == 'f' && h->item == 8) {
		memcpy(&d, &bits, sizeof d);
		return d;
	}
	if (h->type == 'f') {
		bits32 = (uint32_t)bits;
		memcpy(&f, &bits32, sizeof f);
		return (double)f;
	}
	if (h->type == 'i' && h->item < 8 && bits >> (h->item * 8 - 1))
		bits |= ~0ULL << (h->item * 8);
	return h->type == 'i' ? (double)(int64_t)bits : (double)bits;
}

/* Check that the array is supported; sets size, type and item. */
static int
check_type(struct cscg_in *in, const char *descr, struct cscg_npy_head *h,
    struct cscg_err *err)
{
	int i;

	h->item = item_size(descr);
	if (!strcmp(descr, "|O"))
		return cscg_fail(err, CSCG_EFORMAT,
		    "%s: arrays of Python objects are not supported",
		    cscg_in_name(in));
	if (!h->item)
		return cscg_fail(err, CSCG_EFORMAT,
		    "%s: arrays of type '%s' are not supported (little-endian "
		    "integers, f4, f8 and b1 are)",
		    cscg_in_name(in), descr);
	h->type = descr[1];
	h->size = 1;
	for (i = 0; i < h->ndim; i++)
		if (__builtin_mul_overflow(h->size, h->shape[i], &h->size) ||
		    h->size > LONG_MAX / 16)
			return cscg_fail(err, CSCG_ERANGE,
			    "%s: the shape of the array does not fit in "
			    "memory",
			    cscg_in_name(in));
	return 0;
}

int
cscg_npy_read_head(struct cscg_in *in, struct cscg_npy_head *h,
    struct cscg_err *err)
{
	struct parsed_head found = { .to = h };
	char *text = read_head(in, err);
	const char *fault;

	*h = (struct cscg_npy_head){ 0 };
	if (!text)
		return -1;
	fault = parse_head(text, &found);
	free(text);
	if (fault)
		return cscg_fail(err, CSCG_EFORMAT, "%s: %s", cscg_in_name(in),
		    fault);
	return check_type(in, found.descr, h, err);
}

int
cscg_npy_read_items(struct cscg_in *in, const struct cscg_npy_head *h,
    long from, long n, void *to, struct cscg_err *err)
{
	long got = cscg_in_read(in, to, (size_t)n * (size_t)h->item, err);

	if (got < 0)
		return -1;
	if (got < n * h->item)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: unexpected end: %ld of %ld items", cscg_in_name(in),
		    from + got / h->item, h->size);
	return 0;
}

int
cscg_npy_check_end(struct cscg_in *in, struct cscg_err *err)
{
	int c = cscg_in_peek(in, err);

	if (c == -2)
		return -1;
	if (c >= 0)
		return cscg_fail(err, CSCG_ECUT,
		    "%s: more bytes than the array's shape requires",
		    cscg_in_name(in));
	return 0;
}

long
cscg_npy_offset(const struct cscg_npy_head *h, long i)
{
	long offset = 0, index[CSCG_NPY_DIMS];
	int d;

	if (!h->fortran)
		return i;
	for (d = h->ndim - 1; d >= 0; d--) {
		index[d] = i % h->shape[d];
		i /= h->shape[d];
	}
	for (d = h->ndim - 1; d >= 0; d--)
		offset = offset * h->shape[d] + index[d];
	return offset;
}

static int
read_data(struct cscg_in *in, const struct cscg_npy_head *h,
    struct cscg_npy *a, struct cscg_err *err)
{
	unsigned char buf[CHUNK * 8];
	size_t cap = 0;
	long i, k, n;

	for (i = 0; i < a->size; i += n) {
		n = a->size - i < CHUNK ? a->size - i : CHUNK;
		if (cscg_npy_read_items(in, h, i, n, buf, err) < 0 ||
		    cscg_grow(&a->data, &cap, (size_t)(i + n), sizeof *a->data,
			err) < 0)
			return -1;
		for (k = 0; k < n; k++) {
			a->data[i + k] = cscg_npy_value(h, buf + k * h->item);
			if (a->is_int && fabs(a->data[i + k]) > 0x1p53)
				return cscg_fail(err, CSCG_ERANGE,
				    "%s: item %ld: %.0f is beyond 2^53",
				    cscg_in_name(in), i + k, a->data[i + k]);
		}
	}
	if (cscg_npy_check_end(in, err) < 0)
		return -1;
	if (!a->data) /* an empty array is an array */
		a->data = cscg_alloc(0, sizeof *a->data, err);
	return a->data ? 0 : -1;
}

/* Convert items from Fortran order to C order. */
static int
to_c_order(const struct cscg_npy_head *h, struct cscg_npy *a,
    struct cscg_err *err)
{
	double *data;
	long i;

	if (!h->fortran || h->ndim < 2)
		return 0;
	data = cscg_alloc((size_t)a->size, sizeof *data, err);
	if (!data)
		return -1;
	for (i = 0; i < a->size; i++)
		data[i] = a->data[cscg_npy_offset(h, i)];
	free(a->data);
	a->data = data;
	return 0;
}

int
cscg_npy_read(struct cscg_in *in, struct cscg_npy *a, struct cscg_err *err)
{
	struct cscg_npy_head h;

	*a = (struct cscg_npy){ 0 };
	if (cscg_npy_read_head(in, &h, err) < 0)
		return -1;
	if (cscg_mem_check((size_t)h.size, sizeof *a->data, err) < 0)
		return cscg_fail_at(err, "%s: an array of %ld items",
		    cscg_in_name(in), h.size);
	a->ndim = h.ndim;
	memcpy(a->shape, h.shape, sizeof a->shape);
	a->size = h.size;
	a->is_int = h.type != 'f';
	if (read_data(in, &h, a, err) < 0 || to_c_order(&h, a, err) < 0) {
		cscg_npy_free(a);
		return -1;
	}
	return 0;
}

static int
write_head(struct cscg_out *out, const char *descr, int ndim,
    const long *sizes, struct cscg_err *err)
{
	char tuple[128] = "", text[ALIGN * 4];
	unsigned char len[2];
	int i, n = 0, pad;

	for (i = 0; i < ndim; i++)
		n += snprintf(tuple + n, sizeof tuple - (size_t)n, "%s%ld%s",
		    i ? ", " : "", sizes[i], ndim == 1 ? "," : "");
	n = snprintf(text, sizeof text,
	    "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr,
	    tuple);
	/* Magic, version and length are 10 bytes; data start at a multiple. */
	pad = ALIGN - (10 + n + 1) % ALIGN;
	pad %= ALIGN;
	memset(text + n, ' ', (size_t)pad);
	text[n + pad] = '\n';
	n += pad + 1;
	len[0] = (unsigned char)(n & 0xff);
	len[1] = (unsigned char)(n >> 8);
	if (cscg_out_write(out, magic, 6, err) < 0 ||
	    cscg_out_write(out, "\1", 2, err) < 0 ||
	    cscg_out_write(out, len, 2, err) < 0)
		return -1;
	return cscg_out_write(out, text, (size_t)n, err);
}

static long
product(int ndim, const long *sizes)
{
	long n = 1;
	int i;

	for (i = 0; i < ndim; i++)
		n *= sizes[i];
	return n;
}

int
cscg_npy_write(struct cscg_out *out, int ndim, const long *sizes,
    const double *data, bool single, struct cscg_err *err)
{
	uint64_t wide[512];
	uint32_t narrow[512], bits;
	long i, k, n, total = product(ndim, sizes);
	float f;

	if (write_head(out, single ? "<f4" : "<f8", ndim, sizes, err) < 0)
		return -1;
	for (i = 0; i < total; i += n) {
		n = total - i < 512 ? total - i : 512;
		for (k = 0; k < n; k++) {
			f = (float)data[i + k];
			memcpy(&bits, &f, sizeof bits);
			narrow[k] = htole32(bits);
			memcpy(&wide[k], &data[i + k], sizeof *wide);
			wide[k] = htole64(wide[k]);
		}
		if (cscg_out_write(out, single ? (void *)narrow : (void *)wide,
			(size_t)n * (single ? 4 : 8), err) < 0)
			return -1;
	}
	return 0;
}

int
cscg_npy_write_byte_head(struct cscg_out *out, int ndim, const long *sizes,
    struct cscg_err *err)
{
	return write_head(out, "|u1", ndim, sizes, err);
}

int
cscg_npy_write_ints(struct cscg_out *out, int ndim, const long *sizes,
    const int *data, struct cscg_err *err)
{
	uint64_t wide[512];
	long i, k, n, total = product(ndim, sizes);

	if (write_head(out, "<i8", ndim, sizes, err) < 0)
		return -1;
	for (i = 0; i < total; i += n) {
		n = total - i < 512 ? total - i : 512;
		for (k = 0; k < n; k++)
			wide[k] = htole64((uint64_t)(int64_t)data[i + k]);
		if (cscg_out_write(out, wide, (size_t)n * 8, err) < 0)
			return -1;
	}
	return 0;
}
