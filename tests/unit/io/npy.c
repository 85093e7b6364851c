/* .npy arrays: bytes as NumPy writes them, and files that are refused. */
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"
#include "tap.h"

static char dir[] = "/tmp/cscg-npy.XXXXXX", file[64];

static void
put(const void *bytes, size_t n)
{
	FILE *f = fopen(file, "w");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		perror(file);
}

/* A version 1.0 file with this dictionary and n bytes of data. */
static void
put_array(const char *dict, const void *data, size_t n)
{
	char buf[1024] = "\x93NUMPY\1\0";
	size_t len = strlen(dict);

	buf[8] = (char)(len & 0xff);
	buf[9] = (char)(len >> 8);
	memcpy(buf + 10, dict, len);
	memcpy(buf + 10 + len, data, n);
	put(buf, 10 + len + n);
}

static int
get(struct cscg_npy *a, struct cscg_err *err)
{
	struct cscg_in *in = cscg_in_open(file, err);
	int rc = cscg_npy_read(in, a, err);

	cscg_in_close(in);
	return rc;
}

#define DICT(descr, shape) \
	"{'descr': '" descr "', 'fortran_order': False, " \
	"'shape': " shape ", }"

/* The first 128 bytes of numpy.save(f, numpy.arange(6.).reshape(1, 2, 3)). */
static const char golden[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f8', "
			     "'fortran_order': False, 'shape': (1, 2, 3), }";

static void
test_write(void)
{
	static const double v[] = { 0, 1, 2, 3, 4, 5 };
	static const long shape[] = { 1, 2, 3 }, six[] = { 6 };
	static const int ints[] = { -1, 0, 1, 2, 2147483647, 5 };
	struct cscg_err err = { 0 };
	struct cscg_out *out = cscg_out_open(file, 0, &err);
	struct cscg_npy a = { 0 };
	/* 1 as a little-endian double, on every machine. */
	static const unsigned char one[8] = { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f };
	unsigned char buf[512];
	size_t n;
	FILE *f;

	cscg_npy_write(out, 3, shape, v, false, &err);
	cscg_out_close(out, &err);
	f = fopen(file, "r");
	n = fread(buf, 1, sizeof buf, f);
	fclose(f);
	ok(n == 128 + 48 && !memcmp(buf, golden, sizeof golden - 1) &&
		buf[127] == '\n' && buf[126] == ' ' &&
		!memcmp(buf + 136, one, 8),
	    "an array is written with the bytes of NumPy");
	ok(get(&a, &err) == 0 && a.ndim == 3 && a.shape[2] == 3 &&
		a.size == 6 && !a.is_int && !memcmp(a.data, v, sizeof v),
	    "doubles are read back");
	cscg_npy_free(&a);
	out = cscg_out_open(file, CSCG_OUT_GZIP, &err);
	cscg_npy_write(out, 1, six, v, true, &err);
	cscg_out_close(out, &err);
	ok(get(&a, &err) == 0 && a.ndim == 1 && a.shape[0] == 6 &&
		!memcmp(a.data, v, sizeof v),
	    "floats are read back, through gzip");
	cscg_npy_free(&a);
	out = cscg_out_open(file, 0, &err);
	cscg_npy_write_ints(out, 1, six, ints, &err);
	cscg_out_close(out, &err);
	ok(get(&a, &err) == 0 && a.is_int && a.data[0] == -1 &&
		a.data[4] == 2147483647,
	    "integers are read back");
	cscg_npy_free(&a);
}

/* Arrays that are written in several parts, of which the last may be short. */
static void
test_long(void)
{
	static const long sizes[][1] = { { 511 }, { 512 }, { 513 }, { 1030 } };
	static double v[1030];
	static int ints[1030];
	struct cscg_err err = { 0 };
	struct cscg_npy a;
	struct cscg_out *out;
	int i, kind, right;
	size_t k;

	for (i = 0; i < 1030; i++)
		v[i] = ints[i] = 7 * i - 300;
	for (k = 0; k < 4; k++)
		for (kind = 0; kind < 3; kind++) {
			out = cscg_out_open(file, 0, &err);
			right = (kind == 2 ? cscg_npy_write_ints(out, 1,
						 sizes[k], ints, &err) :
					     cscg_npy_write(out, 1, sizes[k],
						 v, kind, &err)) == 0 &&
			    cscg_out_close(out, &err) == 0 &&
			    get(&a, &err) == 0 && a.size == sizes[k][0] &&
			    !memcmp(a.data, v,
				(size_t)a.size * sizeof *a.data);
			ok(right, "%ld %s", sizes[k][0],
			    kind == 2 ? "integers" :
				kind  ? "floats" :
					"doubles");
			cscg_npy_free(&a);
		}
}

static const struct {
	const char *dict, *data;
	size_t n;
	double want[2];
} types[] = {
	{ DICT("|b1", "(2,)"), "\0\1", 2, { 0, 1 } },
	{ DICT("|i1", "(2,)"), "\xff\x7f", 2, { -1, 127 } },
	{ DICT("|u1", "(2,)"), "\xff\x7f", 2, { 255, 127 } },
	{ DICT("<i2", "(2,)"), "\xfe\xff\1\2", 4, { -2, 513 } },
	{ DICT("<u2", "(2,)"), "\xfe\xff\1\2", 4, { 65534, 513 } },
	{ DICT("<i4", "(2,)"), "\xfe\xff\xff\xff\1\0\0\0", 8, { -2, 1 } },
	{ DICT("<u4", "(2,)"), "\xfe\xff\xff\xff\1\0\0\0", 8,
	    { 4294967294., 1 } },
	{ DICT("<i8", "(2, 1)"),
	    "\xfe\xff\xff\xff\xff\xff\xff\xff\3\0\0\0\0\0"
	    "\0\0",
	    16, { -2, 3 } },
	{ DICT("<u8", "(1, 2)"), "\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16,
	    { 1, 3 } },
	{ DICT("<f4", "(2,)"), "\0\0\x80\x3f\0\0\0\xc0", 8, { 1, -2 } },
	{ "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|u1\"}\n",
	    "\1\2", 2, { 1, 2 } },
};

static void
test_types(void)
{
	struct cscg_err err = { 0 };
	struct cscg_npy a;
	size_t i;

	for (i = 0; i < sizeof types / sizeof *types; i++) {
		put_array(types[i].dict, types[i].data, types[i].n);
		ok(get(&a, &err) == 0 && a.size == 2 &&
			a.data[0] == types[i].want[0] &&
			a.data[1] == types[i].want[1],
		    "type %zu is read", i);
		cscg_npy_free(&a);
	}
	put_array(DICT("<f8", "()"), "\0\0\0\0\0\0\xf0\x3f", 8);
	ok(get(&a, &err) == 0 && a.ndim == 0 && a.data[0] == 1,
	    "an array of no dimensions is read");
	cscg_npy_free(&a);
	/* numpy.asfortranarray([[[0, 1, 2], [10, 11, 12]]]) */
	put_array(
	    "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2, 3), }",
	    "\0\12\1\13\2\14", 6);
	ok(get(&a, &err) == 0 && a.size == 6 && a.shape[1] == 2 &&
		a.data[1] == 1 && a.data[2] == 2 && a.data[3] == 10 &&
		a.data[5] == 12,
	    "Fortran order is converted to C order");
	cscg_npy_free(&a);
	/* From version 2.0 on the length of the dictionary has four bytes. */
	for (i = 2; i <= 3; i++) {
		char buf[128] = "\x93NUMPY";
		const char *dict = DICT("|u1", "(2,)");
		size_t len = strlen(dict);

		buf[6] = (char)i;
		buf[8] = (char)len;
		memcpy(buf + 12, dict, len);
		memcpy(buf + 12 + len, "\4\5", 2);
		put(buf, 12 + len + 2);
		ok(get(&a, &err) == 0 && a.size == 2 && a.data[0] == 4 &&
			a.data[1] == 5,
		    "version %zu.0 is read", i);
		cscg_npy_free(&a);
	}
	put_array(DICT("<f8", "(0, 3)"), "", 0);
	ok(get(&a, &err) == 0 && a.size == 0 && a.data,
	    "an empty array is read");
	cscg_npy_free(&a);
}

static const struct {
	const char *dict, *data;
	size_t n;
	enum cscg_code code;
	const char *msg;
} faults[] = {
	{ DICT("<c16", "(1,)"), "", 0, CSCG_EFORMAT,
	    "arrays of type '<c16' are not supported (little-endian integers, "
	    "f4, f8 and b1 are)" },
	{ DICT(">f8", "(1,)"), "", 0, CSCG_EFORMAT,
	    "arrays of type '>f8' are not supported (little-endian integers, "
	    "f4, f8 and b1 are)" },
	{ DICT("|O", "(1,)"), "", 0, CSCG_EFORMAT,
	    "arrays of Python objects are not supported" },
	{ "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
	    "", 0, CSCG_EFORMAT, "arrays of records are not supported" },
	{ DICT("<f8", "(1, 1, 1, 1, 1)"), "", 0, CSCG_EFORMAT,
	    "arrays of more than 4 dimensions are not supported" },
	{ DICT("<f8", "(-1,)"), "", 0, CSCG_EFORMAT,
	    "the .npy header is malformed" },
	{ "{'descr': '<f8', 'shape': (1,), }", "", 0, CSCG_EFORMAT,
	    "the .npy header is malformed" },
	{ "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': "
	  "(1,), }",
	    "", 0, CSCG_EFORMAT, "the .npy header is malformed" },
	{ "hello", "", 0, CSCG_EFORMAT, "the .npy header is malformed" },
	{ DICT("<f8", "(4000000000, 4000000000)"), "", 0, CSCG_ERANGE,
	    "the shape of the array does not fit in memory" },
	{ DICT("<f8", "(99999999999999999999,)"), "", 0, CSCG_ERANGE,
	    "the shape of the array does not fit in memory" },
	{ DICT("<f8", "(100000000000,)"), "12345678", 8, CSCG_ECUT,
	    "unexpected end: 1 of 100000000000 items" },
	{ DICT("|u1", "(3,)"), "12", 2, CSCG_ECUT,
	    "unexpected end: 2 of 3 items" },
	{ DICT("|u1", "(1,)"), "12", 2, CSCG_ECUT,
	    "more bytes than the array's shape requires" },
	{ DICT("<i8", "(1,)"), "\0\0\0\0\0\0\0\x7f", 8, CSCG_ERANGE,
	    "item 0: 9151314442816847872 is beyond 2^53" },
};

static void
refused(enum cscg_code code, const char *msg)
{
	struct cscg_err err = { 0 };
	struct cscg_npy a;
	char want[256];
	int rc = get(&a, &err);

	snprintf(want, sizeof want, "'%s': %s", file, msg);
	if (!ok(rc < 0 && err.code == code && !strcmp(err.msg, want) &&
		    !a.data,
		"refused: %s", msg))
		printf("# %d %s\n", err.code, err.msg);
}

static void
test_faults(void)
{
	size_t i;

	for (i = 0; i < sizeof faults / sizeof *faults; i++) {
		put_array(faults[i].dict, faults[i].data, faults[i].n);
		refused(faults[i].code, faults[i].msg);
	}
	put("", 0);
	refused(CSCG_EFORMAT, "this is not a .npy file");
	put("x,a\n1,2\n", 8);
	refused(CSCG_EFORMAT, "this is not a .npy file");
	put("\x93NUMPY\0\0", 8);
	refused(CSCG_EFORMAT, ".npy version 0.0 is not one of 1.0, 2.0, 3.0");
	put("\x93NUMPY\1\1", 8);
	refused(CSCG_EFORMAT, ".npy version 1.1 is not one of 1.0, 2.0, 3.0");
	put("\x93NUMPY\4\0", 8);
	refused(CSCG_EFORMAT, ".npy version 4.0 is not one of 1.0, 2.0, 3.0");
	put("\x93NUMPY\1\0\x76", 9);
	refused(CSCG_ECUT, "unexpected end of .npy header");
	put("\x93NUMPY\1\0\x76\0{'descr'", 18);
	refused(CSCG_ECUT, "unexpected end of .npy header");
	put("\x93NUMPY\2\0\0\0\0\x10", 12);
	refused(CSCG_ERANGE, "a .npy header of 268435456 bytes");
}

int
main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof file, "%s/f", dir);
	test_write();
	test_long();
	test_types();
	test_faults();
	return remove(file) != 0 || remove(dir) != 0 || done();
}
