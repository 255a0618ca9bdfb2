/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.c - packets of an interface; see ring.h.
 *
 * The buffer consists of blocks. The kernel fills one with packets, each behind a header with its
 * time and length, and hands it over when it is full or a timer expires; it gets it back when all
 * have been written. A filter that takes every packet says by its result how much is kept: without
 * one whole packets go into the buffer.
 * Source: packet(7); Linux Documentation/networking/packet_mmap.rst
 */
#define _GNU_SOURCE
#include "ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "pcapfile.h"

#define BLOCK_BYTES (1u << 18)
#define FRAME_BYTES (1u << 11) /* has no meaning for blocks, but has to divide them */

static int set(const struct ring *r, int option, const void *value, size_t bytes)
{
	return setsockopt(r->fd, SOL_PACKET, option, value, (socklen_t)bytes) < 0 ? -errno : 0;
}

/* Which one it is, and what its packets start with. */
static int look_up(struct ring *r, const char *ifname)
{
	struct ifreq q = { 0 };

	if (strlen(ifname) >= sizeof(q.ifr_name))
		return -ENODEV;
	strcpy(q.ifr_name, ifname);
	if (ioctl(r->fd, SIOCGIFINDEX, &q) < 0)
		return -errno;
	r->ifindex = q.ifr_ifindex;
	if (ioctl(r->fd, SIOCGIFHWADDR, &q) < 0)
		return -errno;
	r->loopback = q.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK;
	switch (q.ifr_hwaddr.sa_family) {
	case ARPHRD_ETHER:
	case ARPHRD_LOOPBACK:
		r->linktype = PCAP_LINKTYPE_ETHERNET;
		return 0;
	case ARPHRD_NONE: /* TUN */
		r->linktype = PCAP_LINKTYPE_RAW;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int keep(const struct ring *r, uint32_t snaplen)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, snaplen);
	struct sock_fprog program = { .len = 1, .filter = &all };

	if (setsockopt(r->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		return -errno;
	return 0;
}

static int share(struct ring *r, uint32_t buffer_kib, uint32_t timeout_ms)
{
	uint32_t blocks = (uint32_t)(((uint64_t)buffer_kib * 1024 + BLOCK_BYTES - 1) / BLOCK_BYTES);
	struct tpacket_req3 request = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = blocks,
		.tp_frame_size = FRAME_BYTES,
		.tp_frame_nr = blocks * (BLOCK_BYTES / FRAME_BYTES),
		.tp_retire_blk_tov = timeout_ms,
	};
	int version = TPACKET_V3, e;

	e = set(r, PACKET_VERSION, &version, sizeof(version));
	if (e < 0)
		return e;
	e = set(r, PACKET_RX_RING, &request, sizeof(request));
	if (e < 0)
		return e;
	r->n_blocks = blocks;
	r->blocks = mmap(NULL, (size_t)blocks * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
	                 r->fd, 0);
	return r->blocks == MAP_FAILED ? -errno : 0;
}

static int start(const struct ring *r)
{
	struct packet_mreq promiscuous = { .mr_ifindex = r->ifindex, .mr_type = PACKET_MR_PROMISC };
	struct sockaddr_ll all = { .sll_family = AF_PACKET,
		                   .sll_protocol = htons(ETH_P_ALL),
		                   .sll_ifindex = r->ifindex };

	if (bind(r->fd, (struct sockaddr *)&all, sizeof(all)) < 0)
		return -errno;
	return set(r, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous));
}

int ring_open(struct ring *ret, const char *ifname, uint32_t snaplen, uint32_t buffer_kib,
              uint32_t timeout_ms)
{
	int e;

	*ret = (struct ring){ .fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0) };
	if (ret->fd < 0)
		return -errno;
	e = look_up(ret, ifname);
	if (e == 0)
		e = keep(ret, snaplen);
	if (e == 0)
		e = share(ret, buffer_kib, timeout_ms);
	return e < 0 ? e : start(ret);
}

/* Loopback has each packet twice: as it leaves, and as it comes back. */
static bool counts(const struct ring *r, const uint8_t *packet)
{
	const struct sockaddr_ll *from =
		(const void *)(packet + TPACKET_ALIGN(sizeof(struct tpacket3_hdr)));

	return !r->loopback || from->sll_pkttype != PACKET_OUTGOING;
}

static void write_block(const struct ring *r, const uint8_t *block,
                        const struct tpacket_hdr_v1 *head, FILE *f)
{
	const uint8_t *packet = block + head->offset_to_first_pkt;

	for (uint32_t i = 0; i < head->num_pkts; i++) {
		const struct tpacket3_hdr *p = (const void *)packet;

		if (counts(r, packet)) {
			pcap_file_record(f, p->tp_sec, p->tp_nsec, p->tp_snaplen, p->tp_len);
			(void)fwrite(packet + p->tp_mac, p->tp_snaplen, 1, f);
		}
		packet += p->tp_next_offset;
	}
}

/* An interface that goes away is down first, and nothing tells of the rest. */
static int check(const struct ring *r)
{
	socklen_t bytes = sizeof(int);
	int error = 0;

	if (getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &error, &bytes) < 0)
		return -errno;
	return -error;
}

int ring_drain(struct ring *r, FILE *f)
{
	for (;;) {
		uint8_t *block = r->blocks + (size_t)r->next * BLOCK_BYTES;
		struct tpacket_hdr_v1 *head = &((struct tpacket_block_desc *)block)->hdr.bh1;

		if (!(__atomic_load_n(&head->block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return check(r);
		write_block(r, block, head, f);
		__atomic_store_n(&head->block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		r->next = (r->next + 1) % r->n_blocks;
	}
}

int ring_dropped(const struct ring *r, uint32_t *ret)
{
	struct tpacket_stats_v3 stats;
	socklen_t bytes = sizeof(stats);

	if (getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &bytes) < 0)
		return -errno;
	*ret = stats.tp_drops;
	return 0;
}
