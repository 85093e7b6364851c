/* clone_list - numbers of clones as text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clone_list.h"
#include "tap.h"

static char path[] = "/tmp/cscg-clones.XXXXXX";
static struct cscg_err err;

/* The result of reading a file with these bytes, appended to list. */
static int
read_bytes(struct cscg_clone_list *list, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		exit(1);
	return cscg_clone_list_read(list, path, &err);
}

static void
kinds(void)
{
	ok(cscg_clone_list_is("10") && cscg_clone_list_is("1,2"),
	    "digits and commas are a list");
	ok(!cscg_clone_list_is("1,a") && !cscg_clone_list_is("1 2"),
	    "anything else names a file");
}

static void
text(void)
{
	static const char *const bad[] = { "1,x", "-1", "1,2.5", "10000001",
		"99999999999999999999", "+", "1;2", NULL };
	struct cscg_clone_list list = { 0 };
	int i;

	ok(cscg_clone_list_parse(&list, " 3,,0\t10000000\r\n", &err) == 0 &&
		list.n == 3 && list.v[0] == 3 && list.v[1] == 0 &&
		list.v[2] == 10000000,
	    "numbers between commas and white space, to the largest");
	ok(cscg_clone_list_parse(&list, "7", &err) == 0 && list.n == 4 &&
		list.v[0] == 3 && list.v[3] == 7,
	    "further numbers are appended");
	cscg_clone_list_free(&list);
	ok(!list.v && !list.n, "a freed list is empty");
	for (i = 0; bad[i]; i++) {
		ok(cscg_clone_list_parse(&list, bad[i], &err) < 0 &&
			err.code == CSCG_EFORMAT &&
			strstr(err.msg, "is not a number of clones in 0.."),
		    "'%s' is refused", bad[i]);
		cscg_clone_list_free(&list);
	}
}

static void
file(void)
{
	struct cscg_clone_list list = { 0 };

	ok(read_bytes(&list, "1 2\n\n3,4", 8) == 0 && list.n == 4 &&
		list.v[3] == 4,
	    "numbers on several lines, the last without a newline");
	cscg_clone_list_free(&list);
	ok(read_bytes(&list, "1\n2 -3\n", 7) < 0 && err.code == CSCG_EFORMAT &&
		strstr(err.msg, path) &&
		strstr(err.msg, "line 2: '-3' is not"),
	    "a message names file, line and number");
	cscg_clone_list_free(&list);
	ok(read_bytes(&list, "1\n2\0003\n", 6) < 0 &&
		strstr(err.msg, "line 2: a NUL byte"),
	    "a NUL byte is refused");
	cscg_clone_list_free(&list);
	unlink(path);
	ok(cscg_clone_list_read(&list, path, &err) < 0 &&
		err.code == CSCG_EREAD && !list.n,
	    "a missing file is refused");
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	kinds();
	text();
	file();
	return done();
}
