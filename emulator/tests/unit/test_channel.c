/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters of a bearer, by packets whose headers are written by hand. */
#include <string.h>

#include "ran/channel/channel.h"
#include "unit.h"

#define ANY CELL_DSCP_ANY

static struct pkt packet;
/* 2001:db8:46::1 and 2001:db8:45::2 */
static const uint8_t server6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0x46, [15] = 1 };
static const uint8_t ue6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0x45, [15] = 2 };

static void ipv4(uint8_t protocol, uint8_t tos, uint16_t fragment)
{
	uint8_t header[24] = {
		0x45, tos, 0, 24, 0, 0, (uint8_t)(fragment >> 8), (uint8_t)fragment, 64, protocol
	};

	memcpy(header + 12, (uint8_t[]){ 10, 46, 0, 1, 10, 45, 129, 2 }, 8);
	header[20] = 0x14, header[21] = 0x51; /* from 5201 */
	header[22] = 0x88, header[23] = 0xb8; /* to 35000 */
	packet.len = sizeof(header);
	memcpy(packet.buf + PKT_HEADROOM, header, sizeof(header));
}

static void ipv6(uint8_t next, uint8_t traffic_class)
{
	uint8_t header[44] = { (uint8_t)(0x60 | traffic_class >> 4),
		               (uint8_t)(traffic_class << 4),
		               0,
		               0,
		               0,
		               4,
		               next };

	memcpy(header + 8, server6, sizeof(server6));
	memcpy(header + 24, ue6, sizeof(ue6));
	header[40] = 0x14, header[41] = 0x51;
	header[42] = 0x88, header[43] = 0xb8;
	packet.len = sizeof(header);
	memcpy(packet.buf + PKT_HEADROOM, header, sizeof(header));
}

static bool takes(struct cell_filter filter, bool sent)
{
	struct cell_bearer_cfg b = { .n_filters = 1, .filter = { filter } };

	return channel_takes(&b, &packet, sent);
}

static void check_ports(void)
{
	assert_true(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, true));
	assert_true(takes((struct cell_filter){ .dscp = ANY, .remote_port = 35000 }, true));
	assert_true(takes((struct cell_filter){ .dscp = ANY, .remote_port = 5201 }, false));
	assert_true(takes((struct cell_filter){ .dscp = ANY, .local_port = 35000 }, false));
	assert_false(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, false));
	assert_false(takes((struct cell_filter){ .dscp = ANY, .remote_port = 5201 }, true));
	assert_false(takes(
		(struct cell_filter){ .dscp = ANY, .local_port = 5201, .remote_port = 1 }, true));
}

static void test_ports(void **state)
{
	(void)state;
	ipv4(6, 0, 0);
	check_ports();
	ipv4(17, 0, 0);
	check_ports();
	ipv6(6, 0);
	check_ports();
}

static bool of_prefix(struct cell_prefix remote, struct cell_prefix local, bool sent)
{
	return takes((struct cell_filter){ .dscp = ANY, .remote = remote, .local = local }, sent);
}

static const struct cell_prefix all = { 0 };

/* The packet comes from the server: its source is the remote end of what the UE gets. */
static void test_addresses_of_ipv4(void **state)
{
	struct cell_prefix server = { 4, 32, { 10, 46, 0, 1 } }, ue = { 4, 17, { 10, 45, 128 } };

	(void)state;
	ipv4(6, 0, 0);
	assert_true(of_prefix(server, all, false));
	assert_false(of_prefix(server, all, true));
	assert_true(of_prefix(all, server, true));
	assert_true(of_prefix(server, ue, false));
	ue.addr[2] = 0; /* another seventeenth bit */
	assert_false(of_prefix(server, ue, false));
	ue.bits = 16;
	assert_true(of_prefix(server, ue, false));
	server.addr[3] = 2;
	assert_false(of_prefix(server, all, false));
	server.bits = 30;
	assert_true(of_prefix(server, all, false));
	server.addr[3] = 4;
	assert_false(of_prefix(server, all, false));
}

static void test_addresses_of_ipv6(void **state)
{
	struct cell_prefix server = { 6, 128, { 0 } },
			   ue = { 6, 47, { 0x20, 1, 0xd, 0xb8, 0, 0x44 } };

	(void)state;
	memcpy(server.addr, server6, sizeof(server6));
	ipv6(58, 0);
	assert_true(of_prefix(server, ue, false));
	assert_false(of_prefix(server, ue, true));
	ue.bits = 48; /* the last bit of 45 counts, too */
	assert_false(of_prefix(server, ue, false));
	server.addr[15] = 2;
	assert_false(of_prefix(server, all, false));
	server.bits = 127;
	assert_false(of_prefix(server, all, false));
	server.bits = 126;
	assert_true(of_prefix(server, all, false));
}

/* A prefix of no bits takes all packets of its version, and none that is no IP. */
static void test_versions(void **state)
{
	static const struct cell_prefix four = { .version = 4 }, six = { .version = 6 };

	(void)state;
	ipv4(17, 0, 0x2001); /* each fragment has addresses */
	assert_true(of_prefix(four, four, true));
	assert_false(of_prefix(six, all, true));
	ipv6(17, 0);
	assert_true(of_prefix(six, six, false));
	assert_false(of_prefix(all, four, false));
	packet.len = 39; /* cut */
	assert_false(of_prefix(six, all, false));
	packet.buf[PKT_HEADROOM] = 0;
	assert_false(of_prefix(four, all, false));
	assert_false(of_prefix(six, all, false));
}

static void test_protocols(void **state)
{
	static const uint8_t number[] = {
		[CELL_PROTOCOL_TCP] = 6, [CELL_PROTOCOL_UDP] = 17, [CELL_PROTOCOL_ICMP] = 1
	};

	(void)state;
	for (int p = CELL_PROTOCOL_TCP; p < CELL_PROTOCOL_COUNT; p++)
		for (int wanted = 0; wanted < CELL_PROTOCOL_COUNT; wanted++) {
			ipv4(number[p], 0, 0);
			assert_int_equal(takes((struct cell_filter){ .protocol = (uint8_t)wanted,
			                                             .dscp = ANY },
			                       true),
			                 wanted == p || wanted == CELL_PROTOCOL_ANY);
		}
	ipv6(58, 0);
	assert_true(
		takes((struct cell_filter){ .protocol = CELL_PROTOCOL_ICMP, .dscp = ANY }, true));
}

static void test_dscp(void **state)
{
	(void)state;
	ipv4(17, 46 << 2 | 1, 0); /* EF, with ECN */
	assert_true(takes((struct cell_filter){ .dscp = 46 }, true));
	assert_false(takes((struct cell_filter){ .dscp = 45 }, true));
	ipv6(17, 46 << 2 | 2);
	assert_true(takes((struct cell_filter){ .dscp = 46 }, true));
	assert_false(takes((struct cell_filter){ .dscp = 0 }, true));
}

/* What follows the header of a later fragment are no ports. */
static void test_fragments(void **state)
{
	(void)state;
	ipv4(17, 0, 0x2000); /* the first: more follow */
	assert_true(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, true));
	ipv4(17, 0, 0x2001);
	assert_false(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, true));
	assert_true(
		takes((struct cell_filter){ .protocol = CELL_PROTOCOL_UDP, .dscp = ANY }, true));
}

/* A header that says more than there is, and no IP at all. */
static void test_short_packets(void **state)
{
	(void)state;
	ipv4(6, 0, 0);
	packet.len = 22;
	assert_false(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, true));
	packet.len = 1;
	assert_false(
		takes((struct cell_filter){ .protocol = CELL_PROTOCOL_TCP, .dscp = ANY }, true));
	ipv4(6, 0, 0);
	packet.buf[PKT_HEADROOM] = 0x4f; /* 60 bytes of header */
	assert_false(takes((struct cell_filter){ .dscp = ANY, .local_port = 5201 }, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_protocols),
		cmocka_unit_test(test_dscp),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_short_packets),
		cmocka_unit_test(test_addresses_of_ipv4),
		cmocka_unit_test(test_addresses_of_ipv6),
		cmocka_unit_test(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
