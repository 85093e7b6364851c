/* fuzz_npy.c - arrays of NumPy */
#include <math.h>

#include "fuzz.h"
#include "npy.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	struct cscg_npy a = { 0 }, b = { 0 };
	struct cscg_out *out;
	const uint8_t *text;
	long i, n = 1;
	size_t len;
	int rc = cscg_npy_read(in, &a, &err);

	cscg_in_close(in);
	if (rc < 0) {
		fuzz_refused(&err);
		return 0;
	}
	for (i = 0; i < a.ndim; i++)
		n *= a.shape[i];
	fuzz_must(n == a.size, "the size is that of the shape");
	out = fuzz_out();
	fuzz_must(cscg_npy_write(out, a.ndim, a.shape, a.data, false,
	    &err) == 0, "an array is written");
	text = fuzz_written(out, &len);
	in = cscg_in_open(fuzz_plain(text, len), &err);
	fuzz_must(in && cscg_npy_read(in, &b, &err) == 0, "and read");
	cscg_in_close(in);
	fuzz_must(a.size == b.size && a.ndim == b.ndim, "of the same shape");
	for (i = 0; i < a.size; i++)
		fuzz_must(a.data[i] == b.data[i] ||
		    (isnan(a.data[i]) && isnan(b.data[i])),
		    "with the same numbers");
	cscg_npy_free(&a);
	cscg_npy_free(&b);
	return 0;
}
