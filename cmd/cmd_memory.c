/*
 * cmd_memory.c - --max-memory: how much this process may use
 *
 * The figure is kept where the kernel keeps such things, in the process's own
 * limits, so that the library can ask for it and needs no data of its own.
 * RLIMIT_RSS (ulimit -m) holds it exactly; Linux does not act on it, lib/mem
 * does, before it allocates.  RLIMIT_DATA stands behind as what malloc() cannot
 * pass, with room for what is no data of ours: stacks of threads and the
 * start-up of libraries.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd_opt.h"

/* Sanitizers map terabytes of shadow, which RLIMIT_DATA would count. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SHADOW 1
#endif
#endif
#ifndef SHADOW
#define SHADOW 0
#endif

static const double
    least = 1 << 20,
    most = 1e18,
    slack = 16 << 20,		/* libraries and their buffers */
    stack = 2 << 20,		/* of a thread, where ulimit -s has no limit */
    share = .8;			/* of the machine, by default */

static struct {
	bool known;
	struct rlimit rss, data;	/* as we found them */
} before;

/* The number alone in a file, or 0: no file, "max". */
static double
file_number(const char *path)
{
	FILE *f = fopen(path, "re");
	double v = 0;

	if (!f)
		return 0;
	/* NOLINTNEXTLINE(cert-err34-c): too large is infinite, no limit */
	if (fscanf(f, "%lf", &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

/* The least limit of a control group and those around it; 0: none. */
static double
group_limit(const char *mount, char *group, const char *file)
{
	char path[4400], *cut;
	double v, low = 0;

	for (;;) {
		snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
		v = file_number(path);
		if (v > 0 && (low <= 0 || v < low))
			low = v;
		cut = strrchr(group, '/');
		if (!cut)
			return low;
		*cut = '\0';
	}
}

/* What batch systems and containers leave us of the machine; 0: all. */
static double
groups_limit(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[4096], *group;
	double v, low = 0;

	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		v = 0;
		if (!strncmp(line, "0::", 3))
			v = group_limit("/sys/fs/cgroup", line + 3,
			    "memory.max");
		else if ((group = strstr(line, ":memory:")))
			v = group_limit("/sys/fs/cgroup/memory", group + 8,
			    "memory.limit_in_bytes");
		if (v > 0 && (low <= 0 || v < low))
			low = v;
	}
	if (f)
		fclose(f);
	return low;
}

static double
default_limit(void)
{
	double all = (double)sysconf(_SC_PHYS_PAGES) *
	    (double)sysconf(_SC_PAGESIZE), group = groups_limit();

	if (group > 0 && group < all)
		all = group;
	return all > 0 ? share * all : 0;
}

double
cmd_memory_size(const char *s)
{
	static const char units[] = "KMGT";
	size_t n = strspn(s, "0123456789.");
	const char *unit = s[n] ? strchr(units, s[n]) : units;
	char *end;
	double v = strtod(s, &end);
	int i;

	if (!strcmp(s, "none"))
		return 0;
	if (!n || end != s + n || !unit || (s[n] && s[n + 1]))
		cmd_usage("--max-memory: '%s' is no size (wanted: as 500M, 4G, "
		    "or none)", s);
	for (i = 0; s[n] && i <= unit - units; i++)
		v *= 1024;
	if (v > most)
		cmd_usage("--max-memory: %s is too large", s);
	if (v != 0 && v < least)
		cmd_usage("--max-memory: %s is outside 1M and up", s);
	return v;
}

/* The soft limit alone, so that it can be put back; never above the hard. */
static void
set_limit(int what, struct rlimit now, double v)
{
	rlim_t wanted = v > 0 ? (rlim_t)v : RLIM_INFINITY;

	now.rlim_cur = wanted < now.rlim_max ? wanted : now.rlim_max;
	setrlimit(what, &now);
}

/* A program that we start has limits of its own: those we found. */
static void
give_back(void)
{
	setrlimit(RLIMIT_RSS, &before.rss);
	setrlimit(RLIMIT_DATA, &before.data);
}

void
cmd_memory(void)
{
	struct rlimit st;
	double v = cmd.max_memory ? cmd_memory_size(cmd.max_memory) :
	    default_limit(), each = stack;
	bool some;

	if (!before.known) {
		if (getrlimit(RLIMIT_RSS, &before.rss) < 0 ||
		    getrlimit(RLIMIT_DATA, &before.data) < 0)
			return;
		pthread_atfork(NULL, NULL, give_back);
		before.known = true;
	}
	/* ulimit -m says the same as the option, which goes before. */
	if (!cmd.max_memory && before.rss.rlim_cur != RLIM_INFINITY)
		v = (double)before.rss.rlim_cur;
	set_limit(RLIMIT_RSS, before.rss, v);
	/* Stacks of another size than usual are not known here. */
	some = v > 0 && !getenv("OMP_STACKSIZE") && !getenv("GOMP_STACKSIZE");
	if (getrlimit(RLIMIT_STACK, &st) == 0 && st.rlim_cur != RLIM_INFINITY)
		each = (double)st.rlim_cur;
	v += slack + each * (double)cmd.threads;
	/* A lower one of the user's own, or none, stays what it is. */
	if (!SHADOW && some && v < (double)before.data.rlim_cur)
		set_limit(RLIMIT_DATA, before.data, v);
	else
		setrlimit(RLIMIT_DATA, &before.data);
}
