/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_io.c - sleep, and packets from and to TUN devices; see packet_io.h. */
#define _GNU_SOURCE
#include "packet_io.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "config.h"

/* Devices that share a batch: each has two places, for a packet and for finding no other. */
#define SHARERS_MAX (PACKET_IO_BATCH / 2)

/*
 * So many reads in a row that find nothing, and a device is polled instead. Each of them costs
 * little, and the end of a poll costs calls: one that it makes return early, and one that reads
 * what came.
 */
#define EMPTY_READS 16

/* Reads beside those of the packets that are expected. */
#define SPARE_READS 4

static_assert(CONFIG_PORTS_MAX < RING_POLLS_MAX, "polls of all devices");

static uint32_t prefix_bytes(const struct packet_io *io)
{
	return io->offload ? GSO_PREFIX_BYTES : 0;
}

/* One piece of memory for all that is read and written. */
static bool make_places(struct packet_io *io)
{
	uint32_t out_bytes = io->offload ? GSO_BYTES_MAX : CELL_MTU_MAX;
	uint8_t *out;

	io->places = malloc((size_t)PACKET_IO_BATCH * (io->in_bytes + out_bytes));
	if (!io->places)
		return false;
	out = io->places + (size_t)PACKET_IO_BATCH * io->in_bytes;
	for (size_t i = 0; i < PACKET_IO_BATCH; i++) {
		io->in[i].data = io->places + i * io->in_bytes;
		io->out[i].data = out + i * out_bytes + prefix_bytes(io);
	}
	return true;
}

int packet_io_open(struct packet_io *io, int control_fd, struct packet_source *sources,
                   uint32_t n_sources, bool offload, bool udp)
{
	assert(n_sources <= CONFIG_PORTS_MAX);
	io->offload = offload;
	io->udp = udp;
	io->in_bytes = offload ? GSO_BYTES_MAX : PACKET_IO_BYTES;
	io->has_ring = false;
	if (!make_places(io))
		return -ENOMEM;
	io->control_fd = control_fd;
	io->sources = sources;
	io->n_sources = n_sources;
	io->n_writes = io->n_handed = 0;
	io->has_read = false;
	io->has_ring = ring_open(&io->ring, sources[0].fd);
	if (!io->has_ring)
		(void)prctl(PR_SET_TIMERSLACK, 1); /* of ppoll(); 50 us unless told otherwise */
	return 0;
}

void packet_io_close(struct packet_io *io)
{
	if (io->has_ring)
		ring_close(&io->ring);
	io->has_ring = false;
	free(io->places);
	io->places = NULL;
}

/* --- writing --- */

/* The newest packets that are queued for @fd. Return: their place, or n_writes. */
static uint32_t newest(const struct packet_io *io, int fd)
{
	for (uint32_t i = io->n_writes; i > io->n_handed; i--)
		if (io->out[i - 1].fd == fd)
			return i - 1;
	return io->n_writes;
}

static void write_singly(struct packet_io *io, uint32_t i)
{
	uint8_t *data = io->out[i].data - prefix_bytes(io);
	uint32_t len = io->out[i].packets.len + prefix_bytes(io);
	bool done;

	done = write(io->out[i].fd, data, len) == (ssize_t)len;
	*(done ? io->out[i].ret_done : io->out[i].ret_failed) += io->out[i].packets.n;
}

/* What was queued goes before what is queued from here on. */
static void hand_writes(struct packet_io *io)
{
	for (; io->n_handed < io->n_writes; io->n_handed++) {
		uint32_t i = io->n_handed;

		if (io->offload)
			gro_end(&io->out[i].packets, io->out[i].data);
		if (!io->has_ring) {
			write_singly(io, i);
			continue;
		}
		ring_write(&io->ring, i, io->out[i].fd, io->out[i].data - prefix_bytes(io),
		           io->out[i].packets.len + prefix_bytes(io));
	}
}

void packet_io_write(struct packet_io *io, int fd, const uint8_t *data, uint32_t len,
                     uint64_t *ret_done, uint64_t *ret_failed)
{
	uint32_t i;

	if (io->offload) {
		i = newest(io, fd);
		if (i < io->n_writes && gro_add(&io->out[i].packets, io->out[i].data, data, len))
			return;
	}
	if (io->n_writes == PACKET_IO_BATCH)
		packet_io_flush(io);
	i = io->n_writes++;
	memcpy(io->out[i].data, data, len);
	if (io->offload)
		gro_start(&io->out[i].packets, data, len, io->udp);
	else
		io->out[i].packets = (struct gro){ .len = len, .n = 1 };
	io->out[i].fd = fd;
	io->out[i].ret_done = ret_done;
	io->out[i].ret_failed = ret_failed;
	if (!io->offload)
		hand_writes(io);
}

static void count_written(struct packet_io *io)
{
	const int32_t *result = io->ring.write_result;

	for (uint32_t i = 0; i < io->n_writes && io->has_ring; i++) {
		uint32_t len = io->out[i].packets.len + prefix_bytes(io);

		*(result[i] == (int32_t)len ? io->out[i].ret_done : io->out[i].ret_failed) +=
			io->out[i].packets.n;
	}
	io->n_writes = io->n_handed = 0;
}

void packet_io_flush(struct packet_io *io)
{
	hand_writes(io);
	if (io->has_ring)
		(void)ring_finish(&io->ring);
	count_written(io);
}

/* --- reading --- */

static uint32_t poll_number(uint32_t k)
{
	return RING_CONTROL + 1 + k;
}

static bool is_polled(const struct packet_io *io, uint32_t k)
{
	return io->has_ring && io->ring.polled[poll_number(k)];
}

/*
 * Return: the device behind those from @first on that share a batch, and in @ret_sharers how many
 * of these are read.
 */
static uint32_t share(const struct packet_io *io, uint32_t first, uint32_t *ret_sharers)
{
	uint32_t end = first;

	for (*ret_sharers = 0; end < io->n_sources; end++) {
		if (is_polled(io, end))
			continue;
		if (*ret_sharers == SHARERS_MAX)
			break;
		++*ret_sharers;
	}
	return end;
}

/*
 * How many packets each source is asked for: more than may be there, so that the last read finds
 * nothing and no second batch has to. They share the places, each has one at least. Packets come in
 * bursts, so what is expected falls slowly: a read that finds nothing costs less than a call.
 */
static void ask(struct packet_io *io, uint32_t first, uint32_t end, uint32_t sharers, bool again)
{
	uint32_t places = PACKET_IO_BATCH / (sharers ? sharers : 1), n = 0;

	for (uint32_t k = first; k < end; k++) {
		struct packet_source *s = &io->sources[k];
		bool had_more = again && s->n > 0 && s->n >= s->asked;

		s->asked = had_more || s->expected + SPARE_READS > places
		                   ? places
		                   : s->expected + SPARE_READS;
		if (is_polled(io, k))
			s->asked = 0;
		s->found = again ? s->found : 0;
		s->n = 0;
		s->first = n;
		n += s->asked;
	}
}

static void queue_reads(struct packet_io *io, uint32_t first, uint32_t end)
{
	if (!io->has_ring)
		return;
	for (uint32_t k = first; k < end; k++) {
		const struct packet_source *s = &io->sources[k];

		for (uint32_t i = s->first; i < s->first + s->asked; i++)
			ring_read(&io->ring, i, s->fd, io->in[i].data, io->in_bytes);
	}
}

/*
 * Of a source those reads that found a packet are kept, in order: requests are carried out in
 * order, and one may find what came after the one before it found nothing.
 */
static void keep_found(struct packet_io *io, struct packet_source *s)
{
	const int32_t *result = io->ring.read_result;
	uint32_t kept = s->first;

	for (uint32_t i = s->first; i < s->first + s->asked; i++) {
		if (result[i] <= 0) {
			s->error = result[i];
			continue;
		}
		if (kept < i)
			memcpy(io->in[kept].data, io->in[i].data, (size_t)result[i]);
		io->in[kept++].len = (uint32_t)result[i];
	}
	s->n = kept - s->first;
}

static void read_singly(struct packet_io *io, struct packet_source *s)
{
	while (s->n < s->asked) {
		uint32_t i = s->first + s->n;
		ssize_t len = read(s->fd, io->in[i].data, io->in_bytes);

		if (len <= 0) {
			s->error = len < 0 ? -errno : 0;
			break;
		}
		io->in[i].len = (uint32_t)len;
		s->n++;
	}
}

/* What a source has given: what to expect of it, and whether there may be more. */
static bool learn(struct packet_source *s)
{
	s->found += s->n;
	s->empty = s->found > 0 ? 0 : s->empty + 1;
	if (s->found > s->expected)
		s->expected = s->found;
	else if (s->found < s->expected)
		s->expected--;
	if (s->error == -EAGAIN || s->error == -EINTR)
		s->error = 0;
	return s->n > 0 && s->n >= s->asked;
}

/*
 * Devices whose poll has ended before others were read: they give what they have in the same batch.
 * One packet was there at the time of the reads; what else is may have come since. Where the poll
 * ended later, none was.
 */
static void read_polled(struct packet_io *io)
{
	uint32_t n = 0, asked;

	for (uint32_t k = 0; k < io->n_sources; k++) {
		n += io->sources[k].asked;
		io->sources[k].in_time = io->sources[k].asked;
	}
	asked = n;
	for (uint32_t k = 0; k < io->n_sources; k++) {
		struct packet_source *s = &io->sources[k];

		if (s->asked > 0 || is_polled(io, k) || n + 2 > PACKET_IO_BATCH)
			continue;
		s->in_time = io->ring.in_time[poll_number(k)];
		s->first = n;
		s->asked = 2;
		n += s->asked;
		queue_reads(io, k, k + 1);
	}
	if (n > asked)
		packet_io_flush(io);
}

bool packet_io_read(struct packet_io *io, uint32_t first, bool again, uint32_t *ret_end)
{
	uint32_t sharers;
	bool more = false;

	hand_writes(io);
	if (io->has_read) {
		*ret_end = io->n_sources;
		read_polled(io);
	} else {
		*ret_end = share(io, first, &sharers);
		ask(io, first, *ret_end, sharers, again);
		queue_reads(io, first, *ret_end);
		packet_io_flush(io);
	}
	io->has_read = false;
	for (uint32_t k = first; k < *ret_end; k++) {
		struct packet_source *s = &io->sources[k];

		s->error = 0;
		if (io->has_ring)
			keep_found(io, s);
		else
			read_singly(io, s);
		if (s->in_time > s->n)
			s->in_time = s->n;
		more |= learn(s) || (s->asked == 0 && !is_polled(io, k));
	}
	return more;
}

bool packet_io_overflows(const struct packet_io *io)
{
	uint32_t sharers, places;

	if (share(io, 0, &sharers) < io->n_sources)
		return true;
	places = PACKET_IO_BATCH / (sharers ? sharers : 1);
	for (uint32_t k = 0; k < io->n_sources; k++)
		if (!is_polled(io, k) && io->sources[k].expected >= places)
			return true;
	return false;
}

/* --- sleep --- */

static int wait_for_poll(struct packet_io *io, int64_t read_ns, int64_t until_ns)
{
	int64_t at_ns = read_ns && read_ns < until_ns ? read_ns : until_ns, left_ns;
	struct pollfd fds[1 + CONFIG_PORTS_MAX];
	uint32_t n_fds = 0;
	struct timespec left;
	int n, why = 0;

	packet_io_flush(io);
	fds[n_fds++] = (struct pollfd){ .fd = io->control_fd, .events = POLLIN };
	for (uint32_t k = 0; k < io->n_sources && !read_ns; k++)
		fds[n_fds++] = (struct pollfd){ .fd = io->sources[k].fd, .events = POLLIN };
	do {
		left_ns = at_ns == INT64_MAX ? 0 : at_ns - clock_ns(CLOCK_MONOTONIC);
		left_ns = left_ns > 0 ? left_ns : 0;
		left = (struct timespec){ left_ns / NS_PER_S, left_ns % NS_PER_S };
		n = ppoll(fds, n_fds, at_ns == INT64_MAX ? NULL : &left, NULL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return at_ns == read_ns ? (int)PACKET_IO_READ : 0;
	if (fds[0].revents) {
		why |= PACKET_IO_CONTROL;
		n--;
	}
	return why | (n > 0 ? PACKET_IO_READ : 0);
}

/*
 * While packets are gathered, devices that have given nothing for a while are polled. Otherwise all
 * are: none is read before it has something.
 */
static void poll_devices(struct packet_io *io, bool gathering)
{
	ring_poll(&io->ring, RING_CONTROL, io->control_fd);
	for (uint32_t k = 0; k < io->n_sources; k++) {
		if (!gathering || io->sources[k].empty >= EMPTY_READS)
			ring_poll(&io->ring, poll_number(k), io->sources[k].fd);
	}
}

static int wait_for_ring(struct packet_io *io, int64_t read_ns, int64_t until_ns)
{
	const struct ring *ring = &io->ring;
	bool read = read_ns && read_ns <= until_ns, linked;
	uint32_t sharers;
	int64_t timer_ns = until_ns;
	int r, why = 0;

	hand_writes(io);
	poll_devices(io, read_ns);
	linked = read && share(io, 0, &sharers) == io->n_sources;
	if (linked) {
		ask(io, 0, io->n_sources, sharers, false);
		ring_read_at(&io->ring, read_ns);
		queue_reads(io, 0, io->n_sources);
		if (read_ns == until_ns)
			timer_ns = INT64_MAX; /* it would be the same */
	} else if (read) {
		timer_ns = read_ns;
	}
	r = ring_wait(&io->ring, timer_ns, read_ns == 0);
	count_written(io);
	io->has_read = linked;
	if (linked)
		why = PACKET_IO_READ;
	else if (ring->timer_over)
		why = timer_ns == read_ns ? PACKET_IO_READ : 0;
	why |= read_ns == 0 && ring->device_ready ? PACKET_IO_READ : 0;
	why |= ring->control_ready ? PACKET_IO_CONTROL : 0;
	return r < 0 ? r : why;
}

int packet_io_wait(struct packet_io *io, int64_t read_ns, int64_t until_ns)
{
	return io->has_ring ? wait_for_ring(io, read_ns, until_ns)
	                    : wait_for_poll(io, read_ns, until_ns);
}
