/* reals_io.c - many numbers in JSON, as bytes in base64 */
#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/base64.h"
#include "base/mem.h"
#include "io/reals_io.h"

static void
reals_to_bytes(const double *v, size_t n, bool single, unsigned char *to)
{
	uint32_t four;
	uint64_t eight;
	size_t i;
	float f;

	for (i = 0; i < n; i++)
		if (single) {
			f = (float)v[i];
			memcpy(&four, &f, sizeof four);
			four = htole32(four);
			memcpy(to + 4 * i, &four, sizeof four);
		} else {
			memcpy(&eight, &v[i], sizeof eight);
			eight = htole64(eight);
			memcpy(to + 8 * i, &eight, sizeof eight);
		}
}

static void
reals_from_bytes(const unsigned char *from, size_t n, bool single, double *v)
{
	uint32_t four;
	uint64_t eight;
	size_t i;
	float f;

	for (i = 0; i < n; i++)
		if (single) {
			memcpy(&four, from + 4 * i, sizeof four);
			four = le32toh(four);
			memcpy(&f, &four, sizeof f);
			v[i] = (double)f;
		} else {
			memcpy(&eight, from + 8 * i, sizeof eight);
			eight = le64toh(eight);
			memcpy(&v[i], &eight, sizeof eight);
		}
}

json_t *
cscg_json_new_reals(const double *v, size_t n, bool single, struct cscg_err *err)
{
	size_t size = single ? 4 : 8;
	unsigned char *raw = cscg_alloc(n, size, err);
	char *text = cscg_alloc(cscg_base64_length(n * size) + 1, 1, err);
	json_t *string = NULL;

	if (raw && text) {
		reals_to_bytes(v, n, single, raw);
		cscg_base64_encode(raw, n * size, text);
		string = json_stringn_nocheck(text,
		    cscg_base64_length(n * size));
	}
	free(raw);
	free(text);
	return string;
}

int
cscg_json_reals(json_t *obj, const char *key, size_t n, bool single,
    double *out, struct cscg_err *err)
{
	json_t *v = json_object_get(obj, key);
	size_t len, fault = 0, size = single ? 4 : 8;
	unsigned char *raw;
	long got;

	if (!json_is_string(v))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %s", key,
		    v ? "not a string" : "missing");
	len = json_string_length(v);
	if (len != cscg_base64_length(n * size))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %zu characters, but "
		    "%zu numbers of %zu bytes have %zu", key, len, n, size,
		    cscg_base64_length(n * size));
	raw = cscg_alloc(len / 4 * 3, 1, err);
	if (!raw)
		return -1;
	got = cscg_base64_decode(json_string_value(v), len, raw, &fault);
	if (got == (long)(n * size))
		reals_from_bytes(raw, n, single, out);
	free(raw);
	if (got < 0)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: character %zu is not "
		    "base64", key, fault);
	if (got != (long)(n * size))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %ld bytes, but %zu "
		    "numbers of %zu bytes have %zu", key, got, n, size,
		    n * size);
	return 0;
}

int
cscg_json_check_reals(json_t *obj, const char *key, int n, long dim,
    struct cscg_err *err)
{
	json_t *v = json_object_get(obj, key);

	if (!json_is_string(v))
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %s", key,
		    v ? "not a string" : "missing");
	if ((double)json_string_length(v) < 4.0 * n * (double)dim)
		return cscg_fail(err, CSCG_EFORMAT, "/%s: %zu characters are "
		    "too few for %d %s of %ld numbers", key,
		    json_string_length(v), n, key, dim);
	return 0;
}
