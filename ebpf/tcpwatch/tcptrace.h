/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcptrace.h - tcp.trace as a file, whichever program takes the samples. */
#ifndef TCPTRACE_H
#define TCPTRACE_H

#include "tcpwatch.h"
#include "tracefile.h"

/** tcp_trace_kind() - the word for a kind of samples, enum tcpwatch_kind */
const char *tcp_trace_kind(int kind);

/**
 * tcp_trace_create() - create the file and write its header
 * @first: of the kinds that there can be
 * @end: behind the last of them
 *
 * Return: 0 or negative errno.
 */
int tcp_trace_create(struct trace_file **ret, const char *path, int first, int end);

#endif
