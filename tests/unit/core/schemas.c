/* Schemas as operands: NAME=FILE, names of files, and copies of a schema. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model_io.h"
#include "need.h"
#include "tap.h"

static const char model[] =
    "{\"format\":\"cscg-model\",\"version\":1,\"kind\":\"schema\","
    "\"precision\":\"single\",\"n_states\":1,\"n_actions\":1,\"n_obs\":1,"
    "\"pseudocount\":0,\"counts\":[{\"from\":[],\"to\":[],\"count\":[]}],"
    "\"history\":[]}\n";

/* A file with n models. */
static void
put(const char *name, int n)
{
	FILE *f = need(fopen(name, "w"));

	while (n-- > 0)
		fputs(model, f);
	fclose(f);
}

/* The names of the schemas of some operands, with blanks between them. */
static const char *
names(const char *const *operands, int n)
{
	static char text[1024];
	struct cscg_schemas s = { 0 };
	int i, rc = 0;

	err = (struct cscg_err){ 0 };
	text[0] = '\0';
	for (i = 0; i < n && rc == 0; i++)
		rc = cscg_schemas_read(&s, operands[i], &err);
	for (i = 0; i < s.n && rc == 0; i++) {
		strcat(text, i ? " " : "");
		strcat(text, s.names.v[i]);
	}
	cscg_schemas_free(&s);
	return rc < 0 ? err.msg : text;
}

#define NAMES(...) \
	names((const char *const[]){ __VA_ARGS__ }, \
	    (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / \
		sizeof(char *)))

static void
test_names(void)
{
	put("a", 1);
	put("b.gz", 1);
	put("c.json.gz", 1);
	put("dir/a", 1);
	put(".gz", 1);
	put("three", 3);
	put("none", 0);
	put("x=y", 1);
	same_text(NAMES("a", "b.gz"), "a b",
	    "a name is the file name without suffix");
	same_text(NAMES("dir/a"), "a",
	    "a name is the file name without directory");
	same_text(NAMES(".gz"), ".gz",
	    "a file name that is only a suffix is kept");
	same_text(NAMES("home=a", "away=dir/a"), "home away",
	    "names given as NAME=FILE");
	same_text(NAMES("./x=y"), "x=y",
	    "an equals sign after a slash is part of the file name");
	same_text(NAMES("three"), "three-1 three-2 three-3",
	    "schemas of a file with several are numbered");
	same_text(NAMES("t=three"), "t-1 t-2 t-3", "a given name is numbered");
	same_text(NAMES("a", "dir/a", "a"), "a a-2 a-3",
	    "a repeated name gets a number");
	same_text(NAMES("three", "three"),
	    "three-1 three-2 three-3 three-1-2 three-2-2 three-3-2",
	    "repeated names of a file with several get a number");
	same_text(NAMES("h=a", "h=dir/a"), "two schemas are called 'h'",
	    "a given name is used once");
	ok(err.code == CSCG_EUSAGE, "a repeated given name is a usage error");
	same_text(NAMES("none"), "'none': unexpected end: no cscg-model",
	    "an empty file is refused");
	same_text(NAMES("a", "gone"), "'gone': No such file or directory",
	    "a missing file is refused");
	same_text(cscg_schemas_file("n=f"), "f",
	    "the file of an operand NAME=FILE");
	same_text(cscg_schemas_file("./n=f"), "./n=f",
	    "the file of an operand that is a path");
}

/* The blocks of an operand: names and numbers of schemas. */
static const char *
blocks(const char *operand)
{
	static char text[1024];
	struct cscg_blocks b = { .n = 0 };
	int i, rc;

	err = (struct cscg_err){ 0 };
	text[0] = '\0';
	rc = cscg_blocks_read(&b, "b.gz", 4, &err);
	if (rc == 0)
		rc = cscg_blocks_read(&b, operand, 7, &err);
	for (i = 1; i < b.n && rc == 0; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
		    "%s%s:%d:%d", i > 1 ? " " : "", b.names.v[i], b.schema[i],
		    b.m[i] == b.schemas.m[b.schema[i]] ?
			b.operand[b.schema[i]] :
			-1);
	if (rc == 0 && (b.schema[0] != 0 || b.operand[0] != 4))
		strcpy(text, "the first is wrong");
	cscg_blocks_free(&b);
	return rc < 0 ? err.msg : text;
}

static void
test_blocks(void)
{
	char name[8];

	same_text(blocks("a"), "a:1:7", "one block");
	same_text(blocks("a*3"), "a:1:7 a:1:7 a:1:7",
	    "FILE*3 is three copies");
	same_text(blocks("n=three*2"),
	    "n-1:1:7 n-1:1:7 n-2:2:7 n-2:2:7 n-3:3:7 n-3:3:7",
	    "copies of each schema of a file");
	same_text(blocks("a*0"), "'a*0': 0 copies are not 1 to 100000",
	    "0 copies are refused");
	ok(err.code == CSCG_EUSAGE, "0 copies are a usage error");
	same_text(blocks("a*100001"),
	    "'a*100001': 100001 copies are not 1 to 100000",
	    "too many copies are refused");
	same_text(blocks("a*100000"), "more than 100000 schemas",
	    "too many schemas in all are refused");
	same_text(blocks("a*x"), "'a*x': No such file or directory",
	    "a star followed by no number is part of the name");
	same_text(blocks("gone*2"), "'gone': No such file or directory",
	    "a missing file with a number of copies is refused");
	ok(cscg_blocks_copies("a", &err) == 1 &&
		cscg_blocks_copies("a*12", &err) == 12 &&
		cscg_blocks_copies("a*100000", &err) == 100000 &&
		cscg_blocks_copies("*12", &err) == 1 &&
		cscg_blocks_copies("a*", &err) == 1,
	    "numbers of copies of operands");
	ok(cscg_blocks_file("n=dir/a*12", name, sizeof name) == 5 &&
		!strcmp(name, "dir/a") &&
		cscg_blocks_file("abcdefghij*2", name, sizeof name) == 10 &&
		!strcmp(name, "abcdefg"),
	    "the file of an operand, cut to a length");
}

int
main(void)
{
	static char dir[] = "/tmp/cscg-schemas.XXXXXX";
	static const char *const made[] = { "a", "b.gz", "c.json.gz", "dir/a",
		".gz", "three", "none", "x=y" };
	size_t i;

	if (!mkdtemp(dir) || chdir(dir) < 0 || system("mkdir dir") != 0)
		return 1;
	test_names();
	test_blocks();
	for (i = 0; i < sizeof made / sizeof *made; i++)
		unlink(made[i]);
	rmdir("dir");
	rmdir(dir);
	return done();
}
