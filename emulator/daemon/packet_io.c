/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_io.c - packets from and to TUN devices; see packet_io.h. */
#define _GNU_SOURCE
#include "packet_io.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void packet_io_open(struct packet_io *io)
{
	/* Only this thread submits, and it reaps at once what it submits. */
	struct io_uring_params params = { .flags = IORING_SETUP_SINGLE_ISSUER };

	io->expected = 0;
	io->n_writes = 0;
	io->has_ring = io_uring_queue_init_params(PACKET_IO_BATCH, &io->ring, &params) == 0;
}

void packet_io_close(struct packet_io *io)
{
	if (io->has_ring)
		io_uring_queue_exit(&io->ring);
	io->has_ring = false;
}

/* Submit the queued requests and wait for all @n of them. */
static void carry_out(struct packet_io *io, uint32_t n, int32_t *ret_result)
{
	struct io_uring_cqe *cqe;

	for (uint32_t i = 0; i < n; i++)
		ret_result[i] = -EIO;
	(void)io_uring_submit_and_wait(&io->ring, n);
	for (uint32_t i = 0; i < n && io_uring_wait_cqe(&io->ring, &cqe) == 0; i++) {
		ret_result[cqe->user_data] = cqe->res;
		io_uring_cqe_seen(&io->ring, cqe);
	}
}

/*
 * @n reads at once, of which those that found a packet are kept, in order:
 * requests of one batch are carried out in order, and one may find what came
 * after the one before it found nothing.
 */
static uint32_t read_batch(struct packet_io *io, int fd, uint32_t n)
{
	int32_t result[PACKET_IO_BATCH];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&io->ring);

		io_uring_prep_read(sqe, fd, io->in[i].data, PACKET_IO_BYTES, 0);
		sqe->rw_flags = RWF_NOWAIT; /* O_NONBLOCK alone would wait for a packet */
		io_uring_sqe_set_data64(sqe, i);
	}
	carry_out(io, n, result);
	for (uint32_t i = 0; i < n; i++) {
		if (result[i] <= 0)
			continue;
		if (kept < i)
			memcpy(io->in[kept].data, io->in[i].data, (size_t)result[i]);
		io->in[kept++].len = (uint32_t)result[i];
	}
	return kept;
}

int packet_io_read(struct packet_io *io, int fd, bool *ret_more)
{
	uint32_t n = 0, batch = io->expected + 1;
	ssize_t len = 1;

	packet_io_flush(io); /* its requests take places in the ring */
	if (batch > PACKET_IO_BATCH)
		batch = PACKET_IO_BATCH;
	if (io->has_ring && batch > 1)
		n = read_batch(io, fd, batch);
	/* One by one where there is no ring, or as many came as were expected. */
	for (; len > 0 && n < PACKET_IO_BATCH && (n == 0 || n >= batch); n += len > 0) {
		len = read(fd, io->in[n].data, PACKET_IO_BYTES);
		io->in[n].len = len > 0 ? (uint32_t)len : 0;
		batch = n + 1;
	}
	io->expected = n;
	*ret_more = n == PACKET_IO_BATCH;
	return len < 0 && errno != EAGAIN && errno != EINTR ? -errno : (int)n;
}

void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed)
{
	struct io_uring_sqe *sqe;
	uint32_t i;

	if (!io->has_ring) {
		*(write(fd, data, len) == (ssize_t)len ? ret_done : ret_failed) += 1;
		return;
	}
	if (io->n_writes == PACKET_IO_BATCH)
		packet_io_flush(io);
	i = io->n_writes++;
	memcpy(io->out[i].data, data, len);
	io->out[i].len = len;
	io->out[i].ret_done = ret_done;
	io->out[i].ret_failed = ret_failed;
	sqe = io_uring_get_sqe(&io->ring);
	io_uring_prep_write(sqe, fd, io->out[i].data, len, 0);
	sqe->rw_flags = RWF_NOWAIT;
	io_uring_sqe_set_data64(sqe, i);
}

void packet_io_flush(struct packet_io *io)
{
	int32_t result[PACKET_IO_BATCH];
	uint32_t n = io->n_writes;

	if (n == 0)
		return;
	carry_out(io, n, result);
	for (uint32_t i = 0; i < n; i++)
		*(result[i] == (int32_t)io->out[i].len ? io->out[i].ret_done
		                                       : io->out[i].ret_failed) += 1;
	io->n_writes = 0;
}
