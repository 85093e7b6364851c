/* csv_guess.c - what the first line of a table tells */
#include <stdbool.h>
#include <string.h>

#include "io/csv_guess.h"

#define SAVE "; save the sheet as CSV"

/* Is there a byte that is no text? */
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
		{ "\xff\xfe", "this is UTF-16; convert it (iconv -f UTF-16 "
		    "-t UTF-8)", 2 },
		{ "\xfe\xff", "this is UTF-16; convert it (iconv -f UTF-16 "
		    "-t UTF-8)", 2 },
		{ "PK\x03\x04", "this is a zip archive, such as .xlsx and "
		    ".ods" SAVE, 4 },
		{ "\xd0\xcf\x11\xe0", "this is an .xls file" SAVE, 4 },
		{ "MATLAB 5.0 MAT-file", "this is a .mat file; let "
		    "writetable() make CSV of it", 19 },
		{ "\x89HDF", "this is an HDF5 file; make CSV or .npy of it",
		    4 }
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (len >= known[i].n && !memcmp(line, known[i].magic, known[i].n))
			return known[i].what;
	/* A column may be called so, but no name has such a byte. */
	if (len > 4 && !memcmp(line, "PAR1", 4) && has_control(line, len))
		return "this is a Parquet file; make CSV of it";
	/* Without a mark, every other byte of plain letters tells. */
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
