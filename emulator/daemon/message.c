/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.c - what celld tells its user; see message.h. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

void celld_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)fputs("celld: ", stderr);
	(void)vfprintf(stderr, fmt, ap);
	(void)fputc('\n', stderr);
	va_end(ap);
}
