/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_io.c - packets from and to TUN devices; see packet_io.h. */
#define _GNU_SOURCE
#include "packet_io.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Reads and writes only: a ring could do what the sandbox forbids. By the system
 * call itself, as liburing 2.3 does not export its functions for that.
 */
static bool restrict_ring(int ring_fd)
{
	struct io_uring_restriction only[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE },
	};

	return syscall(SYS_io_uring_register, ring_fd, IORING_REGISTER_RESTRICTIONS, only, 2) ==
	               0 &&
	       syscall(SYS_io_uring_register, ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) == 0;
}

void packet_io_open(struct packet_io *io)
{
	/* Only this thread submits, and it reaps at once what it submits. */
	struct io_uring_params params = { .flags = IORING_SETUP_SINGLE_ISSUER |
		                                   IORING_SETUP_R_DISABLED };

	io->n_writes = 0;
	io->has_ring = io_uring_queue_init_params(PACKET_IO_BATCH, &io->ring, &params) == 0;
	if (io->has_ring && !restrict_ring(io->ring.ring_fd))
		packet_io_close(io);
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

/* Before Linux 6.4 TUN devices do not take requests that must not wait: none was carried out. */
static bool refused(struct packet_io *io, const int32_t *result, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (result[i] != -EOPNOTSUPP)
			return false;
	packet_io_close(io);
	return true;
}

/*
 * Reads that are asked of each source: one more than there may be packets, so that the last one
 * finds nothing and no second batch has to. They share the places, each has one at least.
 */
static uint32_t wanted(const struct packet_source *s, uint32_t places)
{
	uint32_t n = s->expected + 2;

	return n < places ? n : places;
}

/*
 * All reads at once. Of a source those that found a packet are kept, in order:
 * requests of one batch are carried out in order, and one may find what came
 * after the one before it found nothing. Return: false when none was possible.
 */
static bool read_batch(struct packet_io *io, struct packet_source *sources, uint32_t n_sources)
{
	int32_t result[PACKET_IO_BATCH];
	uint32_t n = 0, i = 0, kept = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		sources[k].n = wanted(&sources[k], PACKET_IO_BATCH / n_sources);
		for (uint32_t j = 0; j < sources[k].n; j++, n++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&io->ring);

			io_uring_prep_read(sqe, sources[k].fd, io->in[n].data, PACKET_IO_BYTES, 0);
			sqe->rw_flags = RWF_NOWAIT; /* O_NONBLOCK alone would wait for a packet */
			io_uring_sqe_set_data64(sqe, n);
		}
	}
	carry_out(io, n, result);
	if (refused(io, result, n))
		return false;
	for (uint32_t k = 0; k < n_sources; k++) {
		uint32_t end = i + sources[k].n;

		sources[k].first = kept;
		for (; i < end; i++) {
			if (result[i] <= 0) {
				sources[k].error = result[i];
				continue;
			}
			if (kept < i)
				memcpy(io->in[kept].data, io->in[i].data, (size_t)result[i]);
			io->in[kept++].len = (uint32_t)result[i];
		}
		sources[k].n = kept - sources[k].first;
	}
	return true;
}

static void read_singly(struct packet_io *io, struct packet_source *sources, uint32_t n_sources)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		uint32_t end = kept + PACKET_IO_BATCH / n_sources;

		sources[k].first = kept;
		while (kept < end) {
			ssize_t len = read(sources[k].fd, io->in[kept].data, PACKET_IO_BYTES);

			if (len <= 0) {
				sources[k].error = len < 0 ? -errno : 0;
				break;
			}
			io->in[kept++].len = (uint32_t)len;
		}
		sources[k].n = kept - sources[k].first;
	}
}

bool packet_io_read(struct packet_io *io, struct packet_source *sources, uint32_t n_sources)
{
	bool more = false;

	packet_io_flush(io); /* its requests take places in the ring */
	for (uint32_t k = 0; k < n_sources; k++)
		sources[k].error = 0;
	if (!io->has_ring || !read_batch(io, sources, n_sources))
		read_singly(io, sources, n_sources);
	for (uint32_t k = 0; k < n_sources; k++) {
		struct packet_source *s = &sources[k];

		more |= s->n > 0 && s->n >= wanted(s, PACKET_IO_BATCH / n_sources);
		s->expected = s->n;
		if (s->error == -EAGAIN || s->error == -EINTR)
			s->error = 0;
	}
	return more;
}

static void write_now(int fd, const uint8_t *data, uint32_t len, uint64_t *ret_done,
                      uint64_t *ret_failed)
{
	*(write(fd, data, len) == (ssize_t)len ? ret_done : ret_failed) += 1;
}

void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed)
{
	struct io_uring_sqe *sqe;
	uint32_t i;

	if (!io->has_ring) {
		write_now(fd, data, len, ret_done, ret_failed);
		return;
	}
	if (io->n_writes == PACKET_IO_BATCH)
		packet_io_flush(io);
	i = io->n_writes++;
	memcpy(io->out[i].data, data, len);
	io->out[i].len = len;
	io->out[i].fd = fd;
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
	io->n_writes = 0;
	if (refused(io, result, n)) {
		for (uint32_t i = 0; i < n; i++)
			write_now(io->out[i].fd, io->out[i].data, io->out[i].len,
			          io->out[i].ret_done, io->out[i].ret_failed);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		*(result[i] == (int32_t)io->out[i].len ? io->out[i].ret_done
		                                       : io->out[i].ret_failed) += 1;
}
