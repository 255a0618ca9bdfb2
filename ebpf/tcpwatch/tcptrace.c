/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcptrace.c - header of tcp.trace; see tcptrace.h. */
#include "tcptrace.h"

#include <stddef.h>
#include <time.h>

static const char *const kind_names[] = {
	"none", "segment_out", "segment_in", "rtt", "rto", "retransmit", "state", "sample",
};

#define FIELD(field, type, unit)                                                                   \
	{                                                                                          \
#field, type, unit, offsetof(struct tcpwatch_event, field)                         \
	}

static const struct trace_field fields[] = {
	FIELD(t_ns, "i64", "ns"),
	FIELD(cookie, "u64", "1"),
	FIELD(saddr, "u32", "IPv4"),
	FIELD(daddr, "u32", "IPv4"),
	FIELD(sport, "u16", "1"),
	FIELD(dport, "u16", "1"),
	FIELD(kind, "u8", "1"),
	FIELD(ca_state, "u8", "1"),
	FIELD(tcp_flags, "u8", "1"),
	FIELD(state, "u8", "1"),
	FIELD(seq, "u32", "1"),
	FIELD(ack, "u32", "1"),
	FIELD(len, "u32", "bytes"),
	FIELD(snd_una, "u32", "1"),
	FIELD(snd_nxt, "u32", "1"),
	FIELD(rcv_nxt, "u32", "1"),
	FIELD(snd_cwnd, "u32", "packets"),
	FIELD(snd_ssthresh, "u32", "packets"),
	FIELD(mss, "u32", "bytes"),
	FIELD(srtt_us, "u32", "us"),
	FIELD(mdev_us, "u32", "us"),
	FIELD(rtt_us, "u32", "us"),
	FIELD(min_rtt_us, "u32", "us"),
	FIELD(packets_out, "u32", "packets"),
	FIELD(retrans_out, "u32", "packets"),
	FIELD(lost_out, "u32", "packets"),
	FIELD(sacked_out, "u32", "packets"),
	FIELD(total_retrans, "u32", "packets"),
	FIELD(delivered, "u32", "packets"),
	FIELD(snd_wnd, "u32", "1"),
	FIELD(arg, "u32", "1"),
};

const char *tcp_trace_kind(int kind)
{
	return kind_names[kind];
}

static int64_t ns(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

int tcp_trace_create(struct trace_file **ret, const char *path, int first, int end)
{
	struct trace_symbol symbols[sizeof(kind_names) / sizeof(*kind_names)];
	struct trace_schema schema = {
		.name = "tcp",
		.version = TCPWATCH_VERSION,
		.record_bytes = sizeof(struct tcpwatch_event),
		.fields = fields,
		.n_fields = sizeof(fields) / sizeof(*fields),
		.symbols = symbols,
	};
	struct timespec before, real, after;
	int64_t mono_ns;

	symbols[schema.n_symbols++] = (struct trace_symbol){ "kind", 0, kind_names[0] };
	for (int i = first; i < end; i++)
		symbols[schema.n_symbols++] = (struct trace_symbol){ "kind", i, kind_names[i] };
	(void)clock_gettime(CLOCK_MONOTONIC, &before);
	(void)clock_gettime(CLOCK_REALTIME, &real);
	(void)clock_gettime(CLOCK_MONOTONIC, &after);
	mono_ns = (ns(&before) + ns(&after)) / 2; /* a clock read takes time, in virtual time too */
	return trace_create(ret, path, &schema, ns(&real) - mono_ns);
}
