/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - an io_uring that sleeps, reads and writes by one system call.
 *
 * Requests are queued; ring_wait() and ring_finish() hand all of them to the
 * kernel and sleep. Reads and writes never wait for a device: they end at once,
 * a read that hangs on a time ends then.
 */
#ifndef RING_H
#define RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

/* Requests of one kind that wait at a time. */
#define RING_BATCH 64

/* Numbers of polls: this one, and up to so many of devices behind it. */
#define RING_CONTROL   0
#define RING_POLLS_MAX 256

struct ring {
	struct io_uring uring;
	int never_fd;                 /* an event that nobody makes happen */
	bool polled[RING_POLLS_MAX];  /* its request is with the kernel */
	bool in_time[RING_POLLS_MAX]; /* it ended before the reads' time, in the last ring_wait() */
	bool reading;                 /* in this ring_wait() that time is still to come */
	bool control_ready;           /* RING_CONTROL has ended since the last ring_wait() */
	bool device_ready;            /* another one has */
	bool timer_over;
	int64_t timer_ns; /* INT64_MAX: none is with the kernel */
	uint32_t timer;   /* its number */
	struct __kernel_timespec timer_at, reads_at;
	struct io_uring_sqe *last_link;  /* reads are queued behind it; NULL: on their own */
	uint32_t n_due;                  /* requests that end without anything else happening */
	int32_t read_result[RING_BATCH]; /* bytes or negative errno */
	int32_t write_result[RING_BATCH];
};

/**
 * ring_open() - a ring whose requests can do nothing but this header's
 * @device: any of the devices
 *
 * Return: false where io_uring is missing, forbidden, or cannot read devices
 * without waiting (TUN before Linux 6.4).
 */
bool ring_open(struct ring *r, int device);

/**
 * ring_poll() - queue a poll of @fd, unless one is with the kernel already
 *
 * It ends when @fd can be read or is of no use, and r->polled[@number] says so after the call of
 * ring_wait() or ring_finish() in which it has.
 */
void ring_poll(struct ring *r, uint32_t number, int fd);

/** ring_read() - queue the read number @i */
void ring_read(struct ring *r, uint32_t i, int fd, void *data, uint32_t size);

/** ring_read_at() - what is queued from here on to the next ring_wait() is read at @t_ns */
void ring_read_at(struct ring *r, int64_t t_ns);

/** ring_write() - queue the write number @i; @data stays as it is until it has ended */
void ring_write(struct ring *r, uint32_t i, int fd, const void *data, uint32_t len);

/** ring_finish() - carry out all queued reads and writes. Return: 0 or negative errno. */
int ring_finish(struct ring *r);

/**
 * ring_wait() - carry out what is queued, and sleep
 * @until_ns: CLOCK_MONOTONIC; INT64_MAX for ever
 * @devices:  until a poll has ended, or it is @until_ns; otherwise until RING_CONTROL has, or it is
 *
 * While reads wait for their time it sleeps until they have ended and it is @until_ns.
 *
 * Return: 0, or negative errno when the ring is of no use any more.
 */
int ring_wait(struct ring *r, int64_t until_ns, bool devices);

void ring_close(struct ring *r);

#endif
