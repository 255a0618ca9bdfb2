/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_io.h - packets from and to TUN devices, many by one system call.
 *
 * A TUN device gives and takes one packet a call. io_uring carries out a batch
 * of them in one; where the kernel refuses it, they are made one by one.
 */
#ifndef PACKET_IO_H
#define PACKET_IO_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define PACKET_IO_BATCH 64

/* Largest packet that is read whole; a longer one shows as longer than CELL_MTU_MAX. */
#define PACKET_IO_BYTES 2048

/* A device to read from: what was found there, and last time. */
struct packet_source {
	int fd;     /* non-blocking */
	uint32_t n; /* packets of this read: io->in[first..first + n - 1] */
	uint32_t first;
	uint32_t expected; /* found by the last read */
	int error;         /* negative errno, or 0 */
};

struct packet_io {
	struct io_uring ring;
	bool has_ring;
	uint32_t n_writes; /* queued, not submitted */
	struct {
		uint8_t data[PACKET_IO_BYTES];
		uint32_t len;
	} in[PACKET_IO_BATCH];
	struct {
		uint8_t data[CELL_MTU_MAX];
		uint64_t *ret_done; /* counters of the device */
		uint64_t *ret_failed;
		uint32_t len;
		int fd;
	} out[PACKET_IO_BATCH];
};

/** packet_io_open() - choose the way; there is always one */
void packet_io_open(struct packet_io *io);

/**
 * packet_io_read() - packets that wait at the @n_sources devices, PACKET_IO_BATCH in all
 *
 * Asks each device for one more than it had the last time, as a batch where
 * that is possible. Source @i has got what it had when fewer came than that.
 *
 * Return: true when there may be more.
 */
bool packet_io_read(struct packet_io *io, struct packet_source *sources, uint32_t n_sources);

/**
 * packet_io_write() - queue a packet for @fd; @data is copied
 * @ret_done:   counted up when it was written,
 * @ret_failed: or when it was not
 */
void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed);

/** packet_io_flush() - write what is queued */
void packet_io_flush(struct packet_io *io);

void packet_io_close(struct packet_io *io);

#endif
