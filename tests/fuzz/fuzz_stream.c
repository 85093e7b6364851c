/* fuzz_stream.c - gzip or plain bytes, by lines and by blocks */
#include <string.h>

#include "fuzz.h"

enum { MOST = 1 << 22 };	/* of what a bomb would unpack to */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cscg_err err = { 0 };
	struct cscg_in *in = fuzz_in(data, size);
	long n = 0, lines = 0, got = 0;
	char *line, buf[777];
	size_t len;
	int rc;

	while (n < MOST && (rc = cscg_in_line(in, &line, &len, &err)) > 0) {
		n += (long)len;
		fuzz_must(line[len] == '\0' && !memchr(line, '\n', len) &&
		    cscg_in_lineno(in) == ++lines, "a line is a line");
		if (lines % 3 == 0) {
			char c = line[0];

			cscg_in_unline(in);
			rc = cscg_in_line(in, &line, &len, &err);
			fuzz_must(rc == 1 && line[0] == c,
			    "a line that was put back comes again");
		}
	}
	if (n < MOST && rc < 0)
		fuzz_refused(&err);
	cscg_in_close(in);

	memset(&err, 0, sizeof err);
	in = fuzz_in(data, size);
	rc = cscg_in_peek(in, &err);
	for (n = 0; n < MOST && (got = cscg_in_read(in, buf, sizeof buf,
	    &err)) > 0; n += got)
		fuzz_must(n > 0 || rc == (unsigned char)buf[0],
		    "the byte that was seen comes first");
	if (got < 0)
		fuzz_refused(&err);
	cscg_in_close(in);
	return 0;
}
