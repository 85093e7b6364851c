/* error.c - error codes and the message passed up to the command */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

int
cscg_fail(struct cscg_err *err, enum cscg_code code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	cscg_printable(err->msg);
	return -1;
}

int
cscg_fail_at(struct cscg_err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	va_list ap;
	size_t n;

	memcpy(old, err->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	cscg_printable(err->msg);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof err->msg - n, ": %s", old);
	return -1;
}

int
cscg_fail_hint(struct cscg_err *err, const char *hint)
{
	snprintf(err->hint, sizeof err->hint, "%s", hint);
	return -1;
}

int
cscg_err_status(enum cscg_code code)
{
	switch (code) {
	case CSCG_OK:
		return 0;
	case CSCG_EUSAGE:
		return 2;
	case CSCG_EFORMAT:
	case CSCG_ERANGE:
	case CSCG_EMISMATCH:
	case CSCG_ECUT:
	case CSCG_EREAD:
		return 3;
	case CSCG_EIO:
	case CSCG_ENOMEM:
	case CSCG_EPIPE:
	case CSCG_EBUG:
		break;
	}
	return 4;
}
