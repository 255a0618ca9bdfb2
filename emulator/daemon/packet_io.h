/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_io.h - sleep, and packets from and to TUN devices, by as few system calls as possible.
 *
 * A TUN device gives and takes one packet a call. io_uring carries out a batch of them, and the
 * sleep that follows, in one; where the kernel refuses it, there is a call for each.
 *
 * A device that has given nothing for a while is polled by io_uring and not read until it has
 * something, so that an idle one costs nothing.
 */
#ifndef PACKET_IO_H
#define PACKET_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"
#include "gro.h"
#include "ring.h"

#define PACKET_IO_BATCH RING_BATCH

/* Largest packet that is read whole; a longer one shows as longer than CELL_MTU_MAX. */
#define PACKET_IO_BYTES 2048

/* Why packet_io_wait() has returned: any of these. */
#define PACKET_IO_READ    1u /* the devices are to be read */
#define PACKET_IO_CONTROL 2u /* the control descriptor can be read */

/* A device to read from, and what was found there. */
struct packet_source {
	int fd;            /* non-blocking */
	uint32_t n;        /* packets of this read: io->in[first..first + n - 1] */
	uint32_t in_time;  /* of these: came by the time that packet_io_wait() was told */
	uint32_t first;    /* place of its first read */
	uint32_t asked;    /* reads of it; 0: it is polled */
	uint32_t found;    /* since the last wake-up */
	uint32_t expected; /* after the next one */
	uint32_t empty;    /* reads in a row that have found nothing */
	int error;         /* negative errno, or 0 */
};

struct packet_io {
	struct ring ring;
	bool has_ring;
	bool has_read; /* packet_io_wait() has read the devices */
	int control_fd;
	struct packet_source *sources; /* all devices */
	uint32_t n_sources;
	bool offload;      /* devices give and take several packets at once, with a prefix */
	bool udp;          /* datagrams, too */
	uint32_t in_bytes; /* of a place for what is read */
	uint32_t n_writes; /* queued, not carried out */
	uint32_t n_handed; /* of these with the ring, or written */
	struct {
		uint8_t *data; /* with the prefix */
		uint32_t len;
	} in[PACKET_IO_BATCH];
	struct {
		uint8_t *data;      /* behind the place of the prefix */
		struct gro packets; /* one, or those that were joined */
		uint64_t *ret_done; /* counters of the device */
		uint64_t *ret_failed;
		int fd;
	} out[PACKET_IO_BATCH];
	uint8_t *places; /* all of in[] and out[] */
};

/**
 * packet_io_open() - choose the way; there is always one
 * @control_fd: ends packet_io_wait() when it can be read
 * @sources:    the devices, @n_sources of them; they stay where they are
 * @offload:    they have segmentation offload: what is read and written has a prefix
 *              (GSO_PREFIX_BYTES), and packets of a flow that follow each other are written at once
 * @udp:        of datagrams, too
 *
 * Return: 0 or -ENOMEM.
 */
int packet_io_open(struct packet_io *io, int control_fd, struct packet_source *sources,
                   uint32_t n_sources, bool offload, bool udp);

/**
 * packet_io_wait() - write what is queued, then sleep
 * @read_ns:  when to read them; 0 = when one has a packet
 * @until_ns: when to return at the latest, CLOCK_MONOTONIC; INT64_MAX = never. Later than @read_ns
 *            it is a wish: the devices are read at @read_ns in any case, be it that the call
 * returns then.
 *
 * Return: why, or negative errno.
 */
int packet_io_wait(struct packet_io *io, int64_t read_ns, int64_t until_ns);

/**
 * packet_io_read() - packets that wait at the devices from @first on, PACKET_IO_BATCH in all
 * @again:   there were more than the last read from @first on since the wake-up took
 * @ret_end: the device behind the last one that shares this batch
 *
 * After packet_io_wait() has read them, what it found, and what devices have whose poll it ended.
 * Otherwise asks each device that is not
 * polled for more than are expected there, or, when there were more, for as many as there is room
 * for; as a batch where that is possible. A source has got what it had when fewer came.
 *
 * Return: true when there may be more.
 */
bool packet_io_read(struct packet_io *io, uint32_t first, bool again, uint32_t *ret_end);

/**
 * packet_io_overflows() - more packets are expected than are read at a time
 *
 * Those behind the first PACKET_IO_BATCH are read after packet_io_wait() has returned.
 */
bool packet_io_overflows(const struct packet_io *io);

/**
 * packet_io_write() - queue a packet without prefix for @fd; @data is copied
 * @ret_done:   counted up when it was written,
 * @ret_failed: or when it was not
 */
void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed);

/** packet_io_flush() - write what is queued */
void packet_io_flush(struct packet_io *io);

void packet_io_close(struct packet_io *io);

#endif
