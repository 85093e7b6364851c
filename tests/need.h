/*
 * need.h - calls that a test expects to succeed: on failure, bail out with the
 * message
 */
#ifndef NEED_H
#define NEED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static struct cscg_err err;

__attribute__((unused)) static void *
need(void *p)
{
	if (!p) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return p;
}

#endif
