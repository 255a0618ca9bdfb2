/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.c - waits, reads and writes by one system call; see ring.h.
 *
 * A system call ends when as many requests have ended as it was told. Reads, writes and what was
 * cancelled end in any case, so they are counted (n_due), and one more is asked for where a timer
 * or something that is polled shall end the sleep. What ends beside those is a call more, no error.
 */
#define _GNU_SOURCE
#include "ring.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

/*
 * Writes, reads with their time, and per wait a timer and its predecessor's end. Polls take what is
 * left.
 */
#define ENTRIES (4 * RING_BATCH)

enum kind { KIND_READ, KIND_WRITE, KIND_READ_TIME, KIND_TIMER, KIND_POLL, KIND_CANCEL };

/*
 * What ring.h's functions need: a ring could do what the sandbox forbids. By the system call
 * itself, as liburing 2.3 does not export its functions for that.
 */
static bool restrict_ring(int ring_fd)
{
	static const uint8_t operations[] = { IORING_OP_READ,        IORING_OP_WRITE,
		                              IORING_OP_POLL_ADD,    IORING_OP_POLL_REMOVE,
		                              IORING_OP_TIMEOUT,     IORING_OP_TIMEOUT_REMOVE,
		                              IORING_OP_LINK_TIMEOUT };
	struct io_uring_restriction only[sizeof(operations) + 1] = {
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED,
		  .sqe_flags = IOSQE_IO_HARDLINK | IOSQE_CQE_SKIP_SUCCESS },
	};

	for (size_t i = 0; i < sizeof(operations); i++)
		only[i + 1] = (struct io_uring_restriction){ .opcode = IORING_RESTRICTION_SQE_OP,
			                                     .sqe_op = operations[i] };
	return syscall(SYS_io_uring_register, ring_fd, IORING_REGISTER_RESTRICTIONS, only,
	               sizeof(only) / sizeof(*only)) == 0 &&
	       syscall(SYS_io_uring_register, ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) == 0;
}

/* Completions that have come. */
static void reap(struct ring *r)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&r->uring, head, cqe)
	{
		uint32_t number = (uint32_t)cqe->user_data;

		n++;
		switch ((enum kind)(cqe->user_data >> 32)) {
		case KIND_READ:
			r->read_result[number] = cqe->res;
			r->n_due--;
			break;
		case KIND_WRITE:
			r->write_result[number] = cqe->res;
			r->n_due--;
			break;
		case KIND_READ_TIME:
			r->reading = false;
			r->n_due--;
			break;
		case KIND_TIMER:
			if (number != r->timer) {
				r->n_due--; /* was cancelled */
				break;
			}
			r->timer_over = true;
			r->timer_ns = INT64_MAX;
			break;
		case KIND_POLL:
			r->polled[number] = false;
			r->in_time[number] = r->reading;
			*(number == RING_CONTROL ? &r->control_ready : &r->device_ready) = true;
			break;
		case KIND_CANCEL: /* too late: the timer is over, and says so itself */
			break;
		}
	}
	io_uring_cq_advance(&r->uring, n);
}

/* Submit what is queued and sleep until @n requests have ended. Return: 0 or negative errno. */
static int enter(struct ring *r, uint32_t n)
{
	int result = io_uring_submit_and_wait(&r->uring, n);

	reap(r);
	return result < 0 && result != -EINTR ? result : 0; /* stopped and continued: once more */
}

static void mark(struct io_uring_sqe *sqe, enum kind kind, uint32_t number)
{
	io_uring_sqe_set_data64(sqe, (uint64_t)kind << 32 | number);
}

/* --- reads and writes --- */

void ring_read(struct ring *r, uint32_t i, int fd, void *data, uint32_t size)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	io_uring_prep_read(sqe, fd, data, size, 0);
	sqe->rw_flags = RWF_NOWAIT; /* O_NONBLOCK alone would wait for a packet */
	mark(sqe, KIND_READ, i);
	if (r->last_link) { /* whatever the one before it finds */
		r->last_link->flags |= IOSQE_IO_HARDLINK;
		r->last_link = sqe;
	}
	r->n_due++;
}

/*
 * A timeout of its own would end the sleep whatever it waits for. So the first of the linked
 * requests polls what never happens, and has a limit.
 */
void ring_read_at(struct ring *r, int64_t t_ns)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	io_uring_prep_poll_add(sqe, r->never_fd, POLLIN);
	sqe->flags |= IOSQE_IO_HARDLINK;
	mark(sqe, KIND_READ_TIME, 0);
	r->reads_at = clock_timespec(t_ns);
	sqe = io_uring_get_sqe(&r->uring);
	io_uring_prep_link_timeout(sqe, &r->reads_at, IORING_TIMEOUT_ABS);
	mark(sqe, KIND_READ_TIME, 1);
	r->last_link = sqe;
	r->n_due += 2;
}

void ring_write(struct ring *r, uint32_t i, int fd, const void *data, uint32_t len)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	io_uring_prep_write(sqe, fd, data, len, 0);
	sqe->rw_flags = RWF_NOWAIT;
	mark(sqe, KIND_WRITE, i);
	r->n_due++;
}

int ring_finish(struct ring *r)
{
	int result = 0;

	while (r->n_due > 0 && result == 0)
		result = enter(r, r->n_due);
	return result;
}

/* --- sleep --- */

void ring_poll(struct ring *r, uint32_t number, int fd)
{
	struct io_uring_sqe *sqe;

	if (r->polled[number])
		return;
	if (io_uring_sq_space_left(&r->uring) <= ENTRIES / 2) /* the rest is for what follows */
		(void)io_uring_submit(&r->uring);
	sqe = io_uring_get_sqe(&r->uring);
	io_uring_prep_poll_add(sqe, fd, POLLIN);
	mark(sqe, KIND_POLL, number);
	r->polled[number] = true;
}

static void set_timer(struct ring *r, int64_t t_ns)
{
	struct io_uring_sqe *sqe;

	if (t_ns == r->timer_ns)
		return;
	if (r->timer_ns != INT64_MAX) {
		sqe = io_uring_get_sqe(&r->uring);
		io_uring_prep_timeout_remove(sqe, (uint64_t)KIND_TIMER << 32 | r->timer, 0);
		sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
		mark(sqe, KIND_CANCEL, 0);
		r->n_due++;
	}
	r->timer++;
	r->timer_ns = t_ns;
	if (t_ns == INT64_MAX)
		return;
	sqe = io_uring_get_sqe(&r->uring);
	r->timer_at = clock_timespec(t_ns);
	io_uring_prep_timeout(sqe, &r->timer_at, 0, IORING_TIMEOUT_ABS);
	mark(sqe, KIND_TIMER, r->timer);
}

int ring_wait(struct ring *r, int64_t until_ns, bool devices)
{
	bool reads = r->last_link, over = false;
	int result = 0;

	r->last_link = NULL;
	r->reading = reads;
	r->timer_over = r->control_ready = r->device_ready = false;
	set_timer(r, until_ns);
	while (!over && result == 0) {
		bool timer = r->timer_ns != INT64_MAX;

		result = enter(r, r->n_due + (reads ? timer : 1));
		over = r->n_due == 0 &&
		       (reads ? r->timer_ns == INT64_MAX
		              : r->timer_over || r->control_ready || (devices && r->device_ready));
	}
	return result;
}

/* --- start and end --- */

/* Reading nothing finds out whether the device takes requests that must not wait. */
static bool takes_requests(struct ring *r, int device)
{
	static char none; /* the request keeps its address */

	ring_read(r, 0, device, &none, 0);
	return ring_finish(r) == 0 && r->read_result[0] == 0;
}

bool ring_open(struct ring *r, int device)
{
	/* Only this thread submits, and requests go on when it asks for completions. */
	struct io_uring_params params = { .flags = IORING_SETUP_SINGLE_ISSUER |
		                                   IORING_SETUP_DEFER_TASKRUN |
		                                   IORING_SETUP_R_DISABLED };

	*r = (struct ring){ .never_fd = eventfd(0, EFD_CLOEXEC), .timer_ns = INT64_MAX };
	if (io_uring_queue_init_params(ENTRIES, &r->uring, &params) != 0)
		return false;
	if (restrict_ring(r->uring.ring_fd) && takes_requests(r, device))
		return true;
	ring_close(r);
	return false;
}

/* A poll holds its device, and the kernel lets go of what a closed ring has left only some time
 * later. */
static void end_polls(struct ring *r)
{
	for (uint32_t number = 0; number < RING_POLLS_MAX; number++) {
		struct io_uring_sqe *sqe;

		if (!r->polled[number])
			continue;
		if (io_uring_sq_space_left(&r->uring) == 0)
			(void)io_uring_submit(&r->uring);
		sqe = io_uring_get_sqe(&r->uring);
		io_uring_prep_poll_remove(sqe, (uint64_t)KIND_POLL << 32 | number);
		sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
		mark(sqe, KIND_CANCEL, 0);
	}
	for (uint32_t number = 0; number < RING_POLLS_MAX; number++) {
		while (r->polled[number] && enter(r, 1) == 0)
			;
	}
}

void ring_close(struct ring *r)
{
	end_polls(r);
	io_uring_queue_exit(&r->uring);
	(void)close(r->never_fd);
}
