/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that are joined and cut again are the same, here and by the kernel, whatever they are. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/octets.h"
#include "base/rng.h"
#include "gro.h"
#include "gso.h"
#include "inet_sum.h"
#include "tun.h"

#define PACKETS_MAX 40
#define MTU         1500
#define ROUNDS      3000

struct packet {
	uint8_t data[MTU];
	uint32_t len;
};

static struct packet in[PACKETS_MAX], out[PACKETS_MAX * 2];
static uint8_t buffer[GSO_BYTES_MAX], other[GSO_BYTES_MAX];

static struct rng rng;

static uint32_t draw(uint32_t n)
{
	return rng_below(&rng, n);
}

/* Of an IPv4 header. */
static void sum_header(uint8_t *ip)
{
	uint16_t sum;

	put16(ip + 10, 0);
	sum = (uint16_t)~inet_fold(inet_sum(ip, (size_t)(ip[0] & 0xf) * 4));
	memcpy(ip + 10, &sum, sizeof(sum));
}

struct flow {
	bool v6, tcp;
	uint32_t ip, l4; /* bytes of headers */
	uint32_t payload, seq, id;
};

static struct flow draw_flow(void)
{
	struct flow f = { .v6 = draw(2), .tcp = draw(2) };

	f.ip = f.v6 ? 40 : 20;
	f.l4 = f.tcp ? 20 + 4 * draw(11) : 8;
	f.payload = 1 + draw(draw(2) ? MTU - f.ip - f.l4 : 40);
	f.seq = rng_u32(&rng);
	f.id = draw(65536);
	return f;
}

static void write_ip(const struct flow *f, struct packet *p, uint32_t id)
{
	uint8_t *ip = p->data;

	if (f->v6) {
		put32(ip, 0x60012345);
		put16(ip + 4, p->len - 40);
		ip[6] = f->tcp ? IPPROTO_TCP : IPPROTO_UDP;
		ip[7] = 64;
		(void)inet_pton(AF_INET6, "fd01::2", ip + 8);
		(void)inet_pton(AF_INET6, "fd02::2", ip + 24);
		return;
	}
	ip[0] = 0x45;
	ip[1] = 2; /* ECT(0) */
	put16(ip + 2, p->len);
	put16(ip + 4, id);
	put16(ip + 6, 0x4000);
	ip[8] = 64;
	ip[9] = f->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	(void)inet_pton(AF_INET, "10.1.0.2", ip + 12);
	(void)inet_pton(AF_INET, "10.2.0.2", ip + 16);
	sum_header(ip);
}

static void write_checksum(const struct flow *f, struct packet *p)
{
	uint8_t *l4 = p->data + f->ip, *check = l4 + (f->tcp ? 16 : 6);
	uint32_t bytes = p->len - f->ip;
	uint64_t addresses = f->v6 ? inet_sum(p->data + 8, 32) : inet_sum(p->data + 12, 8);
	uint16_t sum;

	put16(check, 0);
	sum = (uint16_t)~inet_fold(addresses + htons(f->tcp ? IPPROTO_TCP : IPPROTO_UDP) +
	                           htons((uint16_t)bytes) + inet_sum(l4, bytes));
	if (sum == 0 && !f->tcp)
		sum = 0xffff;
	memcpy(check, &sum, sizeof(sum));
}

/* A flow's packets, of which all but the last have one length. */
static uint32_t draw_packets(void)
{
	struct flow f = draw_flow();
	uint32_t n = 1 + draw(PACKETS_MAX), payload = f.payload;
	uint8_t options[40];

	for (size_t i = 0; i < sizeof(options); i++)
		options[i] = i < 3 ? 1 : (uint8_t)rng_u32(&rng);
	options[0] = 0; /* the end of them, which nobody reads on from */
	for (uint32_t k = 0; k < n; k++) {
		struct packet *p = &in[k];
		uint8_t *l4 = p->data + f.ip;

		if (k + 1 == n && draw(2))
			payload = 1 + draw(payload);
		p->len = f.ip + f.l4 + payload;
		memset(p->data, 0, f.ip + f.l4);
		for (uint32_t i = f.ip + f.l4; i < p->len; i++)
			p->data[i] = (uint8_t)rng_u32(&rng);
		write_ip(&f, p, f.id + k);
		put32(l4, 5001u << 16 | 5002);
		if (f.tcp) {
			put32(l4 + 4, f.seq + k * f.payload);
			put32(l4 + 8, 77);
			put32(l4 + 12, (f.l4 / 4) << 28 | 0x10u << 16 | 1000);
			if (k + 1 == n && draw(2))
				l4[13] |= 8; /* PSH */
			memcpy(l4 + 20, options, f.l4 - 20);
		} else {
			put16(l4 + 4, p->len - f.ip);
		}
		write_checksum(&f, p);
	}
	return n;
}

/* What is joined from packet @from on lies in buffer[]. Return: how many packets it is. */
static uint32_t join(struct gro *g, uint32_t from, uint32_t n)
{
	uint8_t *joined = buffer + GSO_PREFIX_BYTES;
	uint32_t k;

	memcpy(joined, in[from].data, in[from].len);
	gro_start(g, in[from].data, in[from].len, true);
	for (k = from + 1; k < n && gro_add(g, joined, in[k].data, in[k].len); k++)
		;
	gro_end(g, joined);
	return k - from;
}

static uint32_t cut(uint8_t *read, uint32_t len, uint32_t n_out)
{
	struct gso g;
	uint8_t *packet;
	uint32_t bytes;

	assert_true(gso_open(&g, read, len));
	while ((bytes = gso_next(&g, &packet)) > 0) {
		assert_true(n_out < PACKETS_MAX * 2 && bytes <= MTU);
		memcpy(out[n_out].data, packet, bytes);
		out[n_out++].len = bytes;
	}
	return n_out;
}

static void check_same(uint32_t n, uint32_t n_out)
{
	assert_int_equal(n_out, n);
	for (uint32_t k = 0; k < n; k++) {
		assert_int_equal(out[k].len, in[k].len);
		assert_memory_equal(out[k].data, in[k].data, in[k].len);
	}
}

static uint32_t join_and_cut(uint32_t n)
{
	uint32_t n_out = 0;
	struct gro g;

	for (uint32_t from = 0; from < n;) {
		from += join(&g, from, n);
		n_out = cut(buffer, GSO_PREFIX_BYTES + g.len, n_out);
	}
	return n_out;
}

static void test_a_flow_is_joined(void **state)
{
	struct gro g;

	(void)state;
	rng_init(&rng, 1, "offload", 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t n = draw_packets();
		uint32_t most = (65535 - in[0].len) / in[0].len + 1;

		assert_true(join(&g, 0, n) >= (n < most ? n : most));
		check_same(n, join_and_cut(n));
	}
}

/* One changed byte, a packet that is missing, one that came twice, two that changed places. */
static void test_whatever_follows_comes_out_again(void **state)
{
	(void)state;
	rng_init(&rng, 2, "offload", 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t n = draw_packets(), k = draw(n);

		switch (draw(4)) {
		case 0:
			in[k].data[draw(in[k].len < 60 ? in[k].len : 60)] ^=
				(uint8_t)(1u << draw(8));
			break;
		case 1:
			in[k] = in[--n];
			break;
		case 2:
			in[k] = in[0];
			break;
		default:
			in[k].len = 1 + draw(in[k].len);
			break;
		}
		check_same(n, join_and_cut(n));
	}
}

/* Sanitizers look for reads and writes outside of it. */
static void test_any_bytes_are_cut(void **state)
{
	(void)state;
	rng_init(&rng, 3, "offload", 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t n = draw_packets(), len, bytes;
		struct gro joined;
		struct gso g;
		uint8_t *read, *packet;

		(void)join(&joined, 0, n);
		len = draw(4) ? GSO_PREFIX_BYTES + joined.len : draw(joined.len);
		read = malloc(len + 1);
		assert_non_null(read);
		memcpy(read, buffer, len);
		for (uint32_t changes = draw(8); changes > 0 && len > 0; changes--)
			read[draw(len < 70 ? len : 70)] = (uint8_t)rng_u32(&rng);
		if (gso_open(&g, read, len)) {
			while ((bytes = gso_next(&g, &packet)) > 0)
				assert_true(packet >= read && packet + bytes <= read + len);
		}
		free(read);
	}
}

/* --- beside the kernel --- */

static struct tun from, to[2]; /* the second one with offload */

/* ip(8) with @words, separated by blanks. */
static bool ip(const char *words)
{
	char text[128], *rest = text, *argv[16] = { "ip" };
	int n = 1, status = 1;
	pid_t pid;

	(void)snprintf(text, sizeof(text), "%s", words);
	while (n < 15 && (argv[n] = strsep(&rest, " ")))
		n++;
	return posix_spawnp(&pid, "ip", NULL, NULL, argv, environ) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

static bool switch_on(const char *path)
{
	FILE *file = fopen(path, "we");

	return file && fputs("1", file) >= 0 && fclose(file) == 0;
}

/* Namespaces of the test's own, in which packets go from one device to another. */
static bool make_network(void)
{
	const struct config_port ports[] = {
		{ .netns = "/proc/self/ns/net", .ifname = "from", .mtu = MTU, .txqueuelen = 1000 },
		{ .netns = "/proc/self/ns/net", .ifname = "to0", .mtu = MTU, .txqueuelen = 1000 },
		{ .netns = "/proc/self/ns/net", .ifname = "to1", .mtu = MTU, .txqueuelen = 1000 },
	};
	const char *what;

	if (unshare(geteuid() == 0 ? CLONE_NEWNET | CLONE_NEWNS
	                           : CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) < 0)
		return false;
	return tun_open(&from, &ports[0], true, &what) == 0 &&
	       tun_open(&to[0], &ports[1], false, &what) == 0 &&
	       tun_open(&to[1], &ports[2], true, &what) == 0 &&
	       ip("address add 10.1.0.1/24 dev from") &&
	       ip("-6 address add fd01::1/64 dev from nodad") &&
	       switch_on("/proc/sys/net/ipv4/ip_forward") &&
	       switch_on("/proc/sys/net/ipv6/conf/all/forwarding");
}

/* The next packets of the flow; what the kernel says by itself is none. */
static uint32_t receive(const struct tun *tun, bool offload, uint32_t n)
{
	uint32_t n_out = 0;

	while (n_out < n) {
		struct pollfd ready = { .fd = tun->fd, .events = POLLIN };
		uint8_t *packet = other + (offload ? GSO_PREFIX_BYTES : 0);
		ssize_t len;

		assert_int_equal(poll(&ready, 1, 5000), 1);
		len = read(tun->fd, other, sizeof(other));
		assert_true(len > 0);
		if (packet[0] >> 4 == 6 && (packet[24] == 0xff || packet[24] == 0xfe))
			continue;
		if (offload) {
			n_out = cut(other, (uint32_t)len, n_out);
			continue;
		}
		assert_true(len <= MTU);
		memcpy(out[n_out].data, other, (size_t)len);
		out[n_out++].len = (uint32_t)len;
	}
	return n_out;
}

static void send_joined(uint32_t n)
{
	struct gro g;

	for (uint32_t k = 0; k < n;) {
		ssize_t len;

		k += join(&g, k, n);
		len = (ssize_t)(GSO_PREFIX_BYTES + g.len);
		assert_int_equal(write(from.fd, buffer, (size_t)len), len);
	}
}

static void route_to(uint32_t device)
{
	char words[64];

	(void)snprintf(words, sizeof(words), "route replace 10.2.0.0/24 dev to%u", device);
	assert_true(ip(words));
	(void)snprintf(words, sizeof(words), "-6 route replace fd02::/64 dev to%u", device);
	assert_true(ip(words));
}

static void check_kernel(uint32_t device)
{
	uint32_t n = draw_packets();
	bool tcp = in[0].data[in[0].data[0] >> 4 == 6 ? 6 : 9] == IPPROTO_TCP;

	if (!tcp && !from.udp)
		return; /* before Linux 6.2 */
	send_joined(n);
	for (uint32_t k = 0; k < n; k++) { /* what a router changes */
		uint8_t *ip = in[k].data;

		ip[ip[0] >> 4 == 6 ? 7 : 8]--;
		if (ip[0] >> 4 == 4)
			sum_header(ip);
	}
	check_same(n, receive(&to[device], device == 1, n));
}

/* The kernel cuts what was joined, or hands it over to be cut: as it would have sent it itself. */
static void test_the_kernel_does_the_same(void **state)
{
	(void)state;
	if (!make_network())
		skip();
	rng_init(&rng, 4, "offload", 0);
	for (uint32_t device = 0; device < 2; device++) {
		route_to(device);
		for (int i = 0; i < 200; i++)
			check_kernel(device);
	}
	tun_close(&from);
	tun_close(&to[0]);
	tun_close(&to[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_flow_is_joined),
		cmocka_unit_test(test_whatever_follows_comes_out_again),
		cmocka_unit_test(test_any_bytes_are_cut),
		cmocka_unit_test(test_the_kernel_does_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
