/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_io.c - sleep, and packets from and to TUN devices; see packet_io.h. */
#define _GNU_SOURCE
#include "packet_io.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"

/*
 * Reads that packet_io_wait() leaves to the kernel while it sleeps. They are linked, and linked
 * requests cost more than others: from so many on, more than the calls that they save.
 */
#define LINKED_MAX 16

void packet_io_open(struct packet_io *io, int control_fd, int devices_fd, int device)
{
	io->control_fd = control_fd;
	io->devices_fd = devices_fd;
	io->n_writes = 0;
	io->has_read = false;
	io->has_ring = ring_open(&io->ring, control_fd, devices_fd, device);
	if (!io->has_ring)
		(void)prctl(PR_SET_TIMERSLACK, 1); /* of ppoll(); 50 us unless told otherwise */
}

void packet_io_close(struct packet_io *io)
{
	if (io->has_ring)
		ring_close(&io->ring);
	io->has_ring = false;
}

/* --- reading --- */

/*
 * How many packets each source is asked for: one more than may be there, so that the last read
 * finds nothing and no second batch has to. They share the places, each has one at least. Packets
 * come in bursts, so what is expected falls slowly: a read that finds nothing costs less than a
 * call.
 */
static uint32_t ask(struct packet_source *sources, uint32_t n_sources, bool again)
{
	uint32_t places = PACKET_IO_BATCH / n_sources, n = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		struct packet_source *s = &sources[k];

		bool had_more = again && s->n >= s->asked;

		s->asked = had_more || s->expected + 2 > places ? places : s->expected + 2;
		s->found = again ? s->found : 0;
		n += s->asked;
	}
	return n;
}

static void queue_reads(struct packet_io *io, struct packet_source *sources, uint32_t n_sources)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		for (uint32_t j = 0; j < sources[k].asked; j++, n++)
			ring_read(&io->ring, n, sources[k].fd, io->in[n].data, PACKET_IO_BYTES);
	}
}

/*
 * Of a source those reads that found a packet are kept, in order: requests are carried out in
 * order, and one may find what came after the one before it found nothing.
 */
static void keep_found(struct packet_io *io, struct packet_source *sources, uint32_t n_sources)
{
	const int32_t *result = io->ring.read_result;
	uint32_t i = 0, kept = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		uint32_t end = i + sources[k].asked;

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

bool packet_io_read(struct packet_io *io, struct packet_source *sources, uint32_t n_sources,
                    bool again)
{
	bool more = false;

	if (!io->has_read)
		(void)ask(sources, n_sources, again);

	for (uint32_t k = 0; k < n_sources; k++)
		sources[k].error = 0;
	if (!io->has_ring) {
		read_singly(io, sources, n_sources);
	} else {
		if (!io->has_read) {
			queue_reads(io, sources, n_sources);
			packet_io_flush(io);
		}
		io->has_read = false;
		keep_found(io, sources, n_sources);
	}
	for (uint32_t k = 0; k < n_sources; k++) {
		struct packet_source *s = &sources[k];

		more |= s->n >= s->asked;
		s->found += s->n;
		if (s->found > s->expected)
			s->expected = s->found;
		else if (s->found < s->expected)
			s->expected--;
		if (s->error == -EAGAIN || s->error == -EINTR)
			s->error = 0;
	}
	return more;
}

/* --- writing --- */

void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed)
{
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
	io->out[i].fd = fd;
	io->out[i].ret_done = ret_done;
	io->out[i].ret_failed = ret_failed;
	ring_write(&io->ring, i, fd, io->out[i].data, len);
}

static void count_written(struct packet_io *io)
{
	const int32_t *result = io->ring.write_result;

	for (uint32_t i = 0; i < io->n_writes; i++)
		*(result[i] == (int32_t)io->out[i].len ? io->out[i].ret_done
		                                       : io->out[i].ret_failed) += 1;
	io->n_writes = 0;
}

void packet_io_flush(struct packet_io *io)
{
	if (!io->has_ring)
		return;
	(void)ring_finish(&io->ring);
	count_written(io);
}

/* --- sleep --- */

static int wait_for_poll(struct packet_io *io, int64_t read_ns, int64_t until_ns)
{
	int64_t at_ns = read_ns && read_ns < until_ns ? read_ns : until_ns, left_ns;
	struct pollfd fds[] = { { .fd = io->control_fd, .events = POLLIN },
		                { .fd = read_ns ? -1 : io->devices_fd, .events = POLLIN } };
	struct timespec left;
	int n, why = 0;

	do {
		left_ns = at_ns == INT64_MAX ? 0 : at_ns - clock_ns(CLOCK_MONOTONIC);
		left_ns = left_ns > 0 ? left_ns : 0;
		left = (struct timespec){ left_ns / NS_PER_S, left_ns % NS_PER_S };
		n = ppoll(fds, 2, at_ns == INT64_MAX ? NULL : &left, NULL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		why = at_ns == read_ns ? PACKET_IO_READ : 0;
	return why | (fds[0].revents ? PACKET_IO_CONTROL : 0) |
	       (fds[1].revents ? PACKET_IO_READ : 0);
}

static int wait_for_ring(struct packet_io *io, struct packet_source *sources, uint32_t n_sources,
                         int64_t read_ns, int64_t until_ns)
{
	const struct ring *ring = &io->ring;
	bool read = read_ns && read_ns <= until_ns;
	bool linked =
		read && n_sources <= LINKED_MAX && ask(sources, n_sources, false) <= LINKED_MAX;
	int64_t timer_ns = read && !linked ? read_ns : until_ns;
	int r, why = 0;

	if (linked) {
		ring_read_at(&io->ring, read_ns);
		queue_reads(io, sources, n_sources);
		if (read_ns == until_ns)
			timer_ns = INT64_MAX; /* it would be the same */
	}
	r = ring_wait(&io->ring, timer_ns, read_ns == 0);
	count_written(io);
	io->has_read = linked;
	if (linked)
		why = PACKET_IO_READ;
	else if (ring->timer_over)
		why = timer_ns == read_ns ? PACKET_IO_READ : 0;
	why |= ring->ready[RING_DEVICES] ? PACKET_IO_READ : 0;
	why |= ring->ready[RING_CONTROL] ? PACKET_IO_CONTROL : 0;
	return r < 0 ? r : why;
}

int packet_io_wait(struct packet_io *io, struct packet_source *sources, uint32_t n_sources,
                   int64_t read_ns, int64_t until_ns)
{
	return io->has_ring ? wait_for_ring(io, sources, n_sources, read_ns, until_ns)
	                    : wait_for_poll(io, read_ns, until_ns);
}
