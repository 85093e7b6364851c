/*
 * need.h - for tests of what must not fail: bail out with the message if it does
 */
#ifndef NEED_H
#define NEED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static struct cscg_err err;

static void *
need(void *p)
{
	if (!p) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return p;
}

#endif
