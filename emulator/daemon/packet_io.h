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

#define PACKET_IO_BATCH 32

/* Largest packet that is read whole; a longer one shows as longer than CELL_MTU_MAX. */
#define PACKET_IO_BYTES 2048

struct packet_io {
	struct io_uring ring;
	bool has_ring;
	uint32_t expected; /* packets that the last read found */
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
	} out[PACKET_IO_BATCH];
};

/** packet_io_open() - choose the way; there is always one */
void packet_io_open(struct packet_io *io);

/**
 * packet_io_read() - what waits at the non-blocking @fd, at most PACKET_IO_BATCH
 *
 * Return: packets in io->in, in order; fewer than were there only when the
 * array is full: *@ret_more is set then. Negative errno on failure.
 */
int packet_io_read(struct packet_io *io, int fd, bool *ret_more);

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
