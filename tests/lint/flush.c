/*
 * flush.c - counters of make coverage, also of processes that do not call exit()
 *
 * Linked into each program of that build, with --wrap for the functions below.  A
 * process that ends by a signal of its own or by _exit() writes its counters first.
 * The faults of tests/oom.c and tests/fault/fault.c end before the counters are
 * written, so that the counters neither fail nor count as calls of the tool.
 */
#include <dlfcn.h>
#include <string.h>

void __gcov_dump(void);
void __gcov_reset(void);
int __real_raise(int sig);
_Noreturn void __real__exit(int status);
int __wrap_raise(int sig);
_Noreturn void __wrap__exit(int status);

/* Runs before the destructor of libgcov, which has a priority. */
__attribute__((destructor)) static void
end_faults(void)
{
	void *p = dlsym(RTLD_DEFAULT, "cscg_end_faults");
	void (*end)(void);

	if (!p)
		return;
	memcpy(&end, &p, sizeof p);
	end();
}

int
__wrap_raise(int sig)
{
	end_faults();
	__gcov_dump();
	__gcov_reset();
	return __real_raise(sig);
}

_Noreturn void
__wrap__exit(int status)
{
	end_faults();
	__gcov_dump();
	__real__exit(status);
}
