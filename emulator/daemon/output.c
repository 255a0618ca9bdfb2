/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - the files a cell writes; see output.h. */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#include "epc/gtpu.h"

/* Of UDP's header and payload: what the shortest captures have of each packet behind Ethernet's and
 * IP's headers. */
#define TAG_UDP_BYTES 30

#define FIELD(field, type, unit)                                                                   \
	{                                                                                          \
#field, type, unit, offsetof(struct cell_record, field)                            \
	}

static const struct trace_field radio_fields[] = {
	FIELD(t_ns, "i64", "ns"), FIELD(tag, "u64", "1"),
	FIELD(pkt, "u32", "1"),   FIELD(bytes, "u32", "bytes"),
	FIELD(sn, "u32", "1"),    FIELD(value, "i32", "1"),
	FIELD(event, "u16", "1"), FIELD(rb, "u16", "resource blocks"),
	FIELD(node, "u8", "1"),   FIELD(peer, "u8", "1"),
	FIELD(dir, "u8", "1"),    FIELD(lcid, "u8", "1"),
	FIELD(mcs, "u8", "1"),    FIELD(cqi, "u8", "1"),
	FIELD(aux, "u8", "1"),    FIELD(enb, "u8", "1"),
	FIELD(block, "u32", "1"),
};

#define SYMBOLS                                                                                    \
	(CELL_EV_COUNT + CELL_DIR_COUNT + CELL_MODE_COUNT + CELL_DROP_COUNT + CELL_RRC_COUNT +     \
	 CELL_TUNNEL_COUNT)

/* Messages of failed links are named where links can fail, and those of EN-DC there: other traces
 * are as they were. */
static uint32_t n_rrc_names(const struct cell_cfg *cfg)
{
	if (cfg->system == CELL_SYSTEM_EN_DC)
		return CELL_RRC_COUNT;
	return cfg->handover.link_failure.on ? CELL_RRC_SGNB_ADDITION_REQUEST
	                                     : CELL_RRC_RADIO_LINK_FAILURE;
}

/* Likewise what drops because of a command. */
static uint32_t n_drop_names(const struct config *cfg)
{
	bool may_flush = *cfg->control;

	for (size_t i = 0; i < cfg->n_events; i++)
		may_flush |= cfg->event[i].cmd.type == CELL_CMD_FLUSH;
	return may_flush ? CELL_DROP_COUNT : CELL_DROP_FLUSH;
}

static int create_trace(struct output *out, const char *path, const struct config *cfg)
{
	struct trace_symbol symbols[SYMBOLS];
	struct trace_schema schema = {
		.name = "radio",
		.version = 1,
		.record_bytes = sizeof(struct cell_record),
		.fields = radio_fields,
		.n_fields = sizeof(radio_fields) / sizeof(*radio_fields),
		.symbols = symbols,
	};
	size_t n = 0;

	for (uint32_t i = 0; i < CELL_EV_COUNT; i++)
		symbols[n++] = (struct trace_symbol){ "event", i, cell_event_name(i) };
	for (uint32_t i = 0; i < CELL_DIR_COUNT; i++)
		symbols[n++] = (struct trace_symbol){ "dir", i, cell_dir_name(i) };
	for (uint32_t i = 0; i < CELL_MODE_COUNT; i++)
		symbols[n++] = (struct trace_symbol){ "mode", i, cell_mode_name(i) };
	for (uint32_t i = 0; i < n_drop_names(cfg); i++)
		symbols[n++] = (struct trace_symbol){ "drop", i, cell_drop_name(i) };
	for (uint32_t i = 0; i < n_rrc_names(&cfg->cell); i++)
		symbols[n++] = (struct trace_symbol){ "rrc", i, cell_rrc_name(i) };
	for (uint32_t i = 0; i < CELL_TUNNEL_COUNT; i++)
		symbols[n++] = (struct trace_symbol){ "tunnel", i, cell_tunnel_name(i) };
	schema.n_symbols = n;
	return trace_create(&out->trace, path, &schema, out->realtime_offset_ns);
}

static int create_text(FILE **ret, const char *path)
{
	*ret = fopen(path, "we");
	return *ret ? 0 : -errno;
}

int output_open(struct output *out, const struct config *cfg, int64_t realtime_offset_ns,
                int64_t start_ns)
{
	const struct config_output *path = &cfg->output;
	int r = 0;

	*out = (struct output){ .path = path,
		                .utran = cfg->cell.system == CELL_SYSTEM_UTRAN,
		                .start_ns = start_ns,
		                .realtime_offset_ns = realtime_offset_ns };
	out->error_path = path->trace;
	if (*path->trace)
		r = create_trace(out, path->trace, cfg);
	if (r == 0 && *path->pcap) {
		out->error_path = path->pcap;
		r = radio_pcap_create(&out->pcap, path->pcap, &cfg->cell, path->pcap_snaplen);
	}
	if (r == 0 && *path->arrivals) {
		out->error_path = path->arrivals;
		r = create_text(&out->arrivals, path->arrivals);
	}
	if (r == 0 && *path->deliveries) {
		out->error_path = path->deliveries;
		r = create_text(&out->deliveries, path->deliveries);
	}
	return r;
}

static void keep_error(struct output *out, int error, const char *path)
{
	if (error < 0 && out->error == 0) {
		out->error = error;
		out->error_path = path;
	}
}

/* One line: time since start, port, length, tag, bytes in hex. */
static void write_line(struct output *out, FILE *f, const char *path, int64_t t_ns, uint8_t port,
                       const uint8_t *data, size_t len, uint64_t tag)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * CELL_MTU_MAX + 1];

	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[data[i] >> 4];
		hex[2 * i + 1] = digits[data[i] & 15];
	}
	hex[2 * len] = '\0';
	if (fprintf(f, "%" PRId64 " %u %zu %016" PRIx64 " %s\n", t_ns - out->start_ns, port, len,
	            tag, hex) < 0)
		keep_error(out, -errno, path);
}

void output_arrival(struct output *out, uint8_t ue, const uint8_t *data, size_t len, uint64_t tag,
                    int64_t t_ns)
{
	if (out->arrivals)
		write_line(out, out->arrivals, out->path->arrivals, t_ns, ue, data, len, tag);
}

/*
 * One of the rows that a trace of events leaves out. A dedicated channel has a fixed share of
 * lost blocks and no HARQ: these and their retransmissions are as routine as the PDUs themselves.
 */
static bool is_routine(const struct output *out, uint16_t event)
{
	if (out->utran && (event == CELL_EV_MAC_LOST || event == CELL_EV_RLC_RETX))
		return true;
	switch (event) {
	case CELL_EV_PKT_IN:
	case CELL_EV_PKT_OUT:
	case CELL_EV_RA_PREAMBLE:
	case CELL_EV_RA_RESPONSE:
	case CELL_EV_BSR_TX:
	case CELL_EV_BSR_RX:
	case CELL_EV_GRANT:
	case CELL_EV_MAC_TX:
	case CELL_EV_MAC_RX:
	case CELL_EV_RLC_TX:
	case CELL_EV_RLC_RX:
	case CELL_EV_BUFFER:
	case CELL_EV_RLC_POLL:
	case CELL_EV_RLC_STATUS_TX:
	case CELL_EV_RLC_STATUS_RX:
	case CELL_EV_GTPU_TX:
	case CELL_EV_GTPU_RX:
		return true;
	default:
		return false;
	}
}

void output_perform(struct output *out, const struct cell_out *o)
{
	switch (o->type) {
	case CELL_OUT_RECORD:
		if (out->trace && !(out->path->trace_detail == CONFIG_DETAIL_EVENTS &&
		                    is_routine(out, o->record.event)))
			keep_error(out, trace_write(out->trace, &o->record), out->path->trace);
		break;
	case CELL_OUT_PDU:
		if (out->pcap)
			keep_error(out,
			           radio_pcap_write(out->pcap, o->t_ns + out->realtime_offset_ns,
			                            &o->info, o->data, o->len),
			           out->path->pcap);
		break;
	case CELL_OUT_DELIVER:
		if (out->deliveries)
			write_line(out, out->deliveries, out->path->deliveries, o->t_ns, o->port,
			           o->data, o->len, o->tag);
		break;
	case CELL_OUT_DROP:
		break;
	}
}

static int close_text(FILE *f)
{
	return f && fclose(f) != 0 ? -errno : 0;
}

int output_close(struct output *out)
{
	keep_error(out, trace_close(out->trace), out->path->trace);
	keep_error(out, radio_pcap_close(out->pcap), out->path->pcap);
	keep_error(out, close_text(out->arrivals), out->path->arrivals);
	keep_error(out, close_text(out->deliveries), out->path->deliveries);
	return out->error;
}

#define COUNTER(o, s, field) json_object_set_new(o, #field, json_integer((json_int_t)(s)->field))

static json_t *tunnels_json(const uint64_t count[CELL_TUNNEL_COUNT])
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < CELL_TUNNEL_COUNT; i++)
		json_object_set_new(o, cell_tunnel_name(i), json_integer((json_int_t)count[i]));
	return o;
}

/* Modelled UEs, where there are any. */
static void add_crowd(json_t *o, const struct cell_stats *s)
{
	json_t *crowd = json_pack("{s:I}", "members", (json_int_t)s->crowd_members);

	for (int d = CELL_DIR_UL; d <= CELL_DIR_DL; d++)
		json_object_set_new(crowd, cell_dir_name((enum cell_dir)d),
		                    json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "bytes_in",
		                              (json_int_t)s->crowd_bytes_in[d], "bytes_out",
		                              (json_int_t)s->crowd_bytes_out[d], "bytes_refused",
		                              (json_int_t)s->crowd_bytes_refused[d], "grants",
		                              (json_int_t)s->crowd_grants[d], "rb",
		                              (json_int_t)s->crowd_rb[d], "rb_retx",
		                              (json_int_t)s->crowd_rb_retx[d]));
	json_object_set_new(o, "crowd", crowd);
}

json_t *stats_json(const struct cell *cell)
{
	json_t *o = json_object(), *dropped = json_object();
	struct cell_stats s;

	cell_stats(cell, &s);
	COUNTER(o, &s, pkts_in);
	COUNTER(o, &s, pkts_delivered);
	COUNTER(o, &s, pkts_held);
	for (uint32_t i = CELL_DROP_NONE + 1; i < CELL_DROP_COUNT; i++)
		if (i != CELL_DROP_FLUSH || s.pkts_dropped[i])
			json_object_set_new(dropped, cell_drop_name(i),
			                    json_integer((json_int_t)s.pkts_dropped[i]));
	json_object_set_new(o, "pkts_dropped", dropped);
	COUNTER(o, &s, bytes_in);
	COUNTER(o, &s, bytes_delivered);
	for (uint32_t d = 0; d < CELL_DIR_COUNT; d++)
		json_object_set_new(o, cell_dir_name(d),
		                    json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "mac_pdus",
		                              (json_int_t)s.mac_pdus[d], "mac_bytes",
		                              (json_int_t)s.mac_bytes[d], "mac_padding_bytes",
		                              (json_int_t)s.mac_padding_bytes[d], "mac_lost",
		                              (json_int_t)s.mac_lost[d], "harq_retx",
		                              (json_int_t)s.harq_retx[d], "harq_failures",
		                              (json_int_t)s.harq_failures[d]));
	COUNTER(o, &s, rlc_pdus_tx);
	COUNTER(o, &s, rlc_pdus_rx);
	COUNTER(o, &s, rlc_retx);
	COUNTER(o, &s, rlc_status_tx);
	COUNTER(o, &s, rlc_status_rx);
	COUNTER(o, &s, radio_link_failures);
	COUNTER(o, &s, control_missed);
	COUNTER(o, &s, mode_switches);
	COUNTER(o, &s, handovers);
	COUNTER(o, &s, path_switches);
	COUNTER(o, &s, pkts_originated);
	COUNTER(o, &s, pkts_terminated);
	json_object_set_new(o, "gtpu_tx", tunnels_json(s.gtpu_tx));
	json_object_set_new(o, "gtpu_rx", tunnels_json(s.gtpu_rx));
	COUNTER(o, &s, ecn_marks);
	COUNTER(o, &s, ra_preambles);
	COUNTER(o, &s, ra_collisions);
	COUNTER(o, &s, ra_timeouts);
	COUNTER(o, &s, bsrs);
	COUNTER(o, &s, grants);
	COUNTER(o, &s, ttis_active);
	if (s.crowd_members > 0)
		add_crowd(o, &s);
	return o;
}

/*
 * What a datagram is told by at its other end: ports, length and the start of its payload. No hop
 * changes these; the checksum may be filled in on the way. FNV-1a.
 */
static uint64_t datagram_tag(const uint8_t *udp, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len && i < TAG_UDP_BYTES; i++)
		if (i != offsetof(struct udphdr, check) && i != offsetof(struct udphdr, check) + 1)
			hash = (hash ^ udp[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Of a TCP or UDP packet whose transport header is at @transport. */
static uint64_t transport_tag(uint8_t protocol, const uint8_t *transport, size_t len)
{
	struct tcphdr tcp;

	if (protocol == IPPROTO_UDP)
		return len < sizeof(struct udphdr) ? 0 : datagram_tag(transport, len);
	if (protocol != IPPROTO_TCP || len < sizeof(tcp))
		return 0;
	memcpy(&tcp, transport, sizeof(tcp));
	return (uint64_t)ntohl(tcp.seq) << 32 | ntohl(tcp.ack_seq);
}

/* Behind the extension headers of a packet of IPv6. Source: RFC 8200 4 */
static uint64_t ipv6_tag(const uint8_t *packet, size_t len)
{
	size_t at = sizeof(struct ip6_hdr);
	uint8_t next = packet[offsetof(struct ip6_hdr, ip6_nxt)];

	while (len >= at + 8 && (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING ||
	                         next == IPPROTO_DSTOPTS || next == IPPROTO_FRAGMENT)) {
		bool fragment = next == IPPROTO_FRAGMENT;

		if (fragment && (packet[at + 2] || packet[at + 3] & 0xf8)) /* not the first one */
			return 0;
		next = packet[at];
		at += fragment ? 8u : 8u * (packet[at + 1] + 1u);
	}
	return len > at ? transport_tag(next, packet + at, len - at) : 0;
}

/* Whether a packet is one of UDP, by its first header. */
static bool in_datagram(const uint8_t *packet, size_t len)
{
	if (packet[0] >> 4 == 6)
		return len >= sizeof(struct ip6_hdr) && packet[6] == IPPROTO_UDP;
	return packet[0] >> 4 == 4 && packet[9] == IPPROTO_UDP;
}

uint64_t output_tag(const uint8_t *packet, size_t len)
{
	struct iphdr ip;
	struct gtpu tunnel;
	uint32_t inner;

	if (len < sizeof(ip))
		return 0;
	memcpy(&ip, packet, sizeof(ip));
	if (in_datagram(packet, len) && gtpu_unpack(&tunnel, packet, (uint32_t)len, &inner) == 0)
		return output_tag(packet + inner, len - inner);
	if (len >= sizeof(struct ip6_hdr) && ip.version == 6)
		return ipv6_tag(packet, len);
	if (ip.version != 4 || ip.ihl < 5)
		return 0;
	if (ip.ihl * 4u > len || (ip.protocol == IPPROTO_UDP && ntohs(ip.frag_off) & IP_OFFMASK))
		return 0;
	return transport_tag(ip.protocol, packet + ip.ihl * 4u, len - ip.ihl * 4u);
}
