/*
 * plain.c - plain inner loops on arrays, the reference for every faster kernel
 *
 * The loops are compiled for float and for double from one source, and kept as
 * the readable reference for faster kernels.
 */
#include <float.h>
#include <math.h>

#include "kernel/plain.h"

/* The plain kernel */

#define TABLE(n, type, eps) \
	{ \
		n, sizeof(type), eps, 0, NAME(push), NAME(pull), \
		    NAME(push_max), NAME(count), NAME(sparse_push), \
		    NAME(sparse_pull), NAME(sparse_push_max), \
		    NAME(sparse_count), NAME(entry_count), NAME(weigh), \
		    NAME(sum), NAME(dot), NAME(max), NAME(scale), NAME(fill), \
		    NAME(add), NAME(exponential), NAME(combine), NAME(set), \
		    NAME(get) \
	}

#define REAL float
#define TINY 1e-30f
#define NAME(f) f##32
#include "kernel/plain.inc"
const struct cscg_kernel cscg_plain_float = TABLE("plain", float, FLT_EPSILON);
#undef REAL
#undef TINY
#undef NAME

#define REAL double
#define TINY 1e-290
#define NAME(f) f##64
#include "kernel/plain.inc"
const struct cscg_kernel cscg_plain_double = TABLE("plain", double,
    DBL_EPSILON);
