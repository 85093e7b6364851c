/* walkconv_form.c - what the files of walkconv hold, and what parts fields */
#include <ctype.h>
#include <string.h>

#include "cmd.h"
#include "io/sniff.h"
#include "walkconv.h"

enum walkconv_form
walkconv_by_name(const char *path)
{
	static const char *const ends[] = { ".csv", ".tsv", ".npy" };
	size_t n = strlen(path), i;

	if (n > 3 && !strcmp(path + n - 3, ".gz"))
		n -= 3;
	for (i = 0; i < 3; i++)
		if (n > 4 && !strncmp(path + n - 4, ends[i], 4))
			return WALKCONV_CSV + i;
	return WALKCONV_AUTO;
}

/*
 * No text begins like this: -2 with what it is in err, if that is known.  What
 * to make of it for a table comes before what to make of it for others.
 */
static int
refuse(struct cscg_in *in, struct cscg_err *err)
{
	const char *what;
	char *line;
	size_t len;

	if (cscg_in_line(in, &line, &len, err) <= 0)
		return -2;
	what = cscg_sniff_csv(line, len);
	if (!what)
		what = cscg_sniff_json(line, len);
	cscg_fail(err, CSCG_EFORMAT, "%s: line 1: %s", cscg_in_name(in),
	    what ? what : "this is no text");
	return -2;
}

enum walkconv_form
walkconv_form(struct cscg_in *in, const char *path, enum walkconv_form form,
    struct cscg_err *err)
{
	int c;

	if (form == WALKCONV_AUTO)
		form = walkconv_by_name(path);
	if (form == WALKCONV_WALK || form == WALKCONV_NPY)
		return form;
	c = cscg_in_peek(in, err);
	if (c > 0 && strchr("\x1f\x89\xfd\xfe\xff", c))
		c = refuse(in, err);
	if (c == -2)
		return WALKCONV_AUTO;
	if (form != WALKCONV_AUTO)
		return form;
	return c == '{' || c == -1 ? WALKCONV_WALK :
	    c == 0x93 ? WALKCONV_NPY : WALKCONV_CSV;
}

char
walkconv_delimiter(const char *word)
{
	if (!word)
		return '\0';
	if (!strcmp(word, "tab") || !strcmp(word, "\\t"))
		return '\t';
	if (!strcmp(word, "space"))
		return ' ';
	if (!*word || word[1] || (!ispunct((unsigned char)*word) &&
	    *word != ' ' && *word != '\t') || *word == '"')
		cmd_usage("--delimiter: '%s' is not a character like ';', nor "
		    "tab or space", word);
	return *word;
}

char
walkconv_sep(struct cscg_in *in, enum walkconv_form form,
    const char *delimiter, struct cscg_err *err)
{
	char usual = form == WALKCONV_TSV ? '\t' : ',';
	char *line;
	size_t len;
	int rc;

	if (delimiter)
		return walkconv_delimiter(delimiter);
	rc = cscg_in_line(in, &line, &len, err);
	if (rc <= 0)
		return rc < 0 ? '\0' : usual;
	usual = cscg_sniff_separator(line, len, usual);
	cscg_in_unread_line(in);
	return usual;
}
