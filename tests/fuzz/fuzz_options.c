/*
 * fuzz_options.c - the command line: a word a line
 *
 * Parsing succeeds, prints help or refuses; the latter two end the process,
 * which is a jump here (ld --wrap=exit), with status 2 or, for -h and -V, 0.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "fuzz.h"

static jmp_buf out;
static bool parsing;
static int status;

void __wrap_exit(int st) __attribute__((noreturn));
void __real_exit(int st) __attribute__((noreturn));
void
__wrap_exit(int st)
{
	if (!parsing)
		__real_exit(st);
	status = st;
	longjmp(out, 1);
}

static struct {
	bool flag;
	long n;
	double x;
	const char *word, *file;
	int choice;
	struct cmd_list list;
} set;

static const char *const words[] = { "one", "two", "three", NULL };

static const struct cmd_opt opts[] = {
	CMD_TITLE("all there are:"),
	CMD_FLAG('a', "flag", &set.flag, "a flag"),
	CMD_LONG('n', "number", &set.n, -5, 1000000, "N", "a number"),
	CMD_DOUBLE(0, "real", &set.x, 0, 1, "X", "a real number"),
	CMD_STRING(0, "word", &set.word, "W", "a word"),
	CMD_FILE(0, "file", &set.file, "F", "a file"),
	CMD_CHOICE(0, "choice", &set.choice, words, "one of three"),
	CMD_LIST(0, "list", &set.list, "W", "many words"),
	CMD_END,
};

static const struct cmd_info info = {
	"fuzz",
	"[FILE...]",
	"be parsed",
	opts,
	0,
	-1,
	CMD_USES_SEED | CMD_USES_THREADS | CMD_USES_WALKS | CMD_USES_GZIP |
	    CMD_USES_STATS | CMD_USES_PROGRESS,
	NULL,
};

/* What a tool does with its options. */
static void
use(void)
{
	struct cscg_history h = { 0 };
	struct cscg_err err = { 0 };
	int rc;

	fuzz_must(set.n >= -5 && set.n <= 1000000 && set.x >= 0 &&
		set.x <= 1 && set.choice >= 0 && set.choice < 3,
	    "options are in range");
	fuzz_must(cmd_given(&set.flag) == set.flag && !cmd_given(&info),
	    "what was given is known");
	cmd_history_arg("operand", "one");
	fuzz_arm();
	rc = cmd_history(&h, &err);
	fuzz_failed |= fuzz_disarm();
	fuzz_must(rc == 0 || fuzz_failed, "history is kept");
	if (rc < 0)
		fuzz_refused(&err);
	cscg_history_free(&h);
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	static char text[4096];
	static char *argv[130];
	int argc = 0, n = 0;
	char *p;

	memset(&set, 0, sizeof set);
	memset(&cmd, 0, sizeof cmd);
	if (size >= sizeof text)
		size = sizeof text - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	argv[argc++] = (char *)(uintptr_t) "fuzz";
	for (p = strtok(text, "\n"); p && argc < 128; p = strtok(NULL, "\n"))
		argv[argc++] = p;
	argv[argc] = NULL;
	parsing = true;
	if (setjmp(out) == 0) {
		fuzz_arm();
		cmd_begin(&info, argc, argv, &n);
		fuzz_failed |= fuzz_disarm();
		fuzz_must(n >= 0 && n < argc, "operands are of the line");
		use();
	} else {
		fuzz_failed |= fuzz_disarm();
		fuzz_must(status == 0 || status == 2 || status == 4,
		    "answered, refused, or output closed");
	}
	parsing = false;
	cmd_opt_free();
}
