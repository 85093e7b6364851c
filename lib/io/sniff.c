/*
 * sniff.c - detection of file types and of CSV delimiters
 *
 * The line is parsed here and again by its reader.  This is fast compared with
 * the processing of the value, and keys may be in any order.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/sniff.h"

static int
format_of(json_t *obj, enum cscg_format *what, struct cscg_err *err)
{
	static const char *const names[] = { "cscg-room", "cscg-walk",
		"cscg-model", "cscg-codebook" };
	enum { N = sizeof names / sizeof *names };
	char *format = NULL;
	int i;

	if (cscg_json_string(obj, "format", &format, err) < 0)
		return -1;
	for (i = 0; i < N && strcmp(names[i], format); i++)
		;
	if (i == N)
		cscg_fail(err, CSCG_EFORMAT,
		    "this is a %.64s file, not a room, walk, model or "
		    "codebook",
		    format);
	*what = (enum cscg_format)i;
	free(format);
	return i < N ? 0 : -1;
}

int
cscg_sniff_next(struct cscg_in *in, enum cscg_format *what,
    struct cscg_err *err)
{
	json_t *obj = NULL;
	int rc = cscg_json_read_packed(in, "counts", &obj, err);

	if (rc <= 0)
		return rc;
	rc = format_of(obj, what, err);
	json_decref(obj);
	if (rc < 0)
		return cscg_json_fail_at(in, err);
	cscg_in_unread_line(in);
	return 1;
}

/* properties of the first line of a table */

#define SAVE "; save the sheet as CSV"

/* Whether the text has a byte that no text file has. */
static bool
has_control(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' && line[i] != '\t' &&
		    line[i] != '\r')
			return true;
	return false;
}

const char *
cscg_sniff_csv(const char *line, size_t len)
{
	static const struct {
		const char *magic, *what;
		size_t n;
	} known[] = {
		{ "\xff\xfe",
		    "this is UTF-16; convert it (iconv -f UTF-16 -t UTF-8)",
		    2 },
		{ "\xfe\xff",
		    "this is UTF-16; convert it (iconv -f UTF-16 -t UTF-8)",
		    2 },
		{ "PK\x03\x04",
		    "this is a zip archive, such as .xlsx and .ods" SAVE, 4 },
		{ "\xd0\xcf\x11\xe0", "this is an .xls file" SAVE, 4 },
		{ "MATLAB 5.0 MAT-file",
		    "this is a .mat file; in Python: import scipy.io, numpy; "
		    "numpy.savetxt('t.csv', "
		    "scipy.io.loadmat('t.mat')['NAME'], delimiter=',', "
		    "header='x,y')",
		    19 },
		{ "\x89HDF",
		    "this is an HDF5 file (.h5, .nwb, .mat); in Python: "
		    "import "
		    "h5py, numpy; numpy.savetxt('t.csv', "
		    "h5py.File('t.h5')['NAME'][:], delimiter=',', "
		    "header='x,y'); or, written by pandas: "
		    "pandas.read_hdf('t.h5').to_csv('t.csv')",
		    4 },
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (len >= known[i].n &&
		    !memcmp(line, known[i].magic, known[i].n))
			return known[i].what;
	/* A column may have this name, but no name contains such a byte. */
	if (len > 4 && !memcmp(line, "PAR1", 4) && has_control(line, len))
		return "this is a Parquet file; convert it to CSV";
	/* Without a byte order mark: every other byte of ASCII text is 0. */
	if (len > 3 && line[0] && !line[1] && line[2] && !line[3])
		return "this is UTF-16; convert it (iconv -f UTF-16LE -t "
		       "UTF-8)";
	if (len > 3 && !line[0] && line[1] && !line[2] && line[3])
		return "this is UTF-16; convert it (iconv -f UTF-16BE -t "
		       "UTF-8)";
	return NULL;
}

long
cscg_sniff_count_separators(const char *line, size_t len, char sep)
{
	bool quoted = false;
	size_t i;
	long n = 0;

	for (i = 0; i < len; i++) {
		if (line[i] == '"')
			quoted = !quoted;
		else if (line[i] == sep && !quoted)
			n++;
	}
	return n;
}

char
cscg_sniff_separator(const char *line, size_t len, char usual)
{
	static const char others[] = "\t;,";
	size_t i;

	if (len && *line == '#')
		do {
			line++;
			len--;
		} while (len && (*line == ' ' || *line == '\t'));
	if (cscg_sniff_count_separators(line, len, usual))
		return usual;
	for (i = 0; others[i]; i++)
		if (cscg_sniff_count_separators(line, len, others[i]))
			return others[i];
	return usual;
}

char
cscg_sniff_in_separator(struct cscg_in *in, char usual, struct cscg_err *err)
{
	char *line;
	size_t len;
	int rc = cscg_in_line(in, &line, &len, err);

	if (rc <= 0)
		return rc < 0 ? '\0' : usual;
	usual = cscg_sniff_separator(line, len, usual);
	cscg_in_unread_line(in);
	return usual;
}

/* file types that are mistaken for JSON */

#define PACKED "not JSON; unpack it first (only gzip is read as it is)"

/* By the first bytes of the file type. */
static const char *
by_magic(const char *line, size_t len, const char **hint)
{
	static const struct {
		const char *magic, *what, *hint;
	} known[] = {
		{ "\x93NUMPY", "this is a .npy array, not JSON", "npy" },
		{ "\x89PNG", "this is a PNG picture, not JSON", "picture" },
		{ "\xff\xd8\xff", "this is a JPEG picture, not JSON",
		    "picture" },
		{ "GIF8", "this is a GIF picture, not JSON", "picture" },
		{ "P5", "this is a PGM picture, not JSON", "picture" },
		{ "P6", "this is a PPM picture, not JSON", "picture" },
		{ "cscg-checkpoint", "this is a checkpoint, not JSON",
		    "checkpoint" },
		{ "\x1f\x8b", "this was compressed twice; unpack it once",
		    "" },
		{ "BZh", "this is compressed by bzip2, " PACKED, "" },
		{ "\xfd"
		  "7zXZ",
		    "this is compressed by xz, " PACKED, "" },
		{ "\x28\xb5\x2f\xfd", "this is compressed by zstd, " PACKED,
		    "" },
		{ "PK\x03\x04", "this is a zip archive, or .npz, " PACKED,
		    "" },
		{ "\x89HDF", "this is an HDF5 file, not JSON", "hdf5" },
		{ "\xef\xbb\xbf{",
		    "this begins with a byte order mark, which JSON does not "
		    "allow; remove the first three bytes",
		    "" },
		{ "\xff\xfe",
		    "this is UTF-16, not UTF-8; convert it (iconv -f UTF-16 "
		    "-t UTF-8)",
		    "" },
		{ "\xfe\xff",
		    "this is UTF-16, not UTF-8; convert it (iconv -f UTF-16 "
		    "-t UTF-8)",
		    "" },
		{ "<", "this looks like HTML or XML, not JSON", "" },
		{ "digraph",
		    "this looks like a Graphviz file (.dot), not JSON", "" },
	};
	size_t i, n;

	for (i = 0; i < sizeof known / sizeof *known; i++) {
		n = strlen(known[i].magic);
		if (len >= n && !memcmp(line, known[i].magic, n)) {
			*hint = known[i].hint;
			return known[i].what;
		}
	}
	return NULL;
}

static bool
is_text(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' && line[i] != '\t' &&
		    line[i] != '\r')
			return false;
	return true;
}

static bool
is_ascii(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len && (unsigned char)line[i] < 0x7f; i++)
		;
	return i == len;
}

static bool
is_word(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

/* A file of text has fields, rows of cells, or words. */
static const char *
by_text(const char *line, size_t len, const char **hint)
{
	/* Result tables of these tools have column names after '#'. */
	if (line[0] == '#' && memchr(line, '\t', len))
		return "this looks like a table of results, not JSON";
	*hint = "table";
	if (memchr(line, '\t', len))
		return "this looks like TSV, not JSON";
	if (memchr(line, ',', len))
		return "this looks like CSV, not JSON";
	if (memchr(line, ';', len))
		return "this looks like CSV with semicolons, not JSON";
	*hint = "text-map";
	if (len > 2 && strspn(line, "#.\r") == len)
		return "this looks like a text map, not JSON";
	/* A single number may be damaged JSON; other bytes may be anything. */
	if (len < 2 || strchr("-.0123456789\"", line[0]) ||
	    !is_ascii(line, len) || is_word(line, "true") ||
	    is_word(line, "false") || is_word(line, "null"))
		return NULL;
	*hint = "text";
	return "this looks like text, not JSON";
}

const char *
cscg_sniff_json(const char *line, size_t len, const char **hint)
{
	const char *what;
	size_t skip = strspn(line, " \t");

	*hint = "";
	if (skip < len && line[skip] == '[')
		return NULL;
	what = by_magic(line, len, hint);
	/* An object somewhere in the line: JSON after other text. */
	if (what || !len || memchr(line, '{', len))
		return what;
	if (!is_text(line, len))
		return "this is binary, not JSON";
	return by_text(line, len, hint);
}
