/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_ports.c - see memory_ports.h. */
#include "memory_ports.h"

#include <signal.h>

#include "clock.h"
#include "unit.h"

struct memory_ports memory_ports;
static struct memory_ports *const m = &memory_ports;

void memory_ports_reset(int64_t end_ns)
{
	*m = (struct memory_ports){ .control_ns = end_ns };
}

void memory_ports_add(uint8_t port, int64_t t_ns)
{
	assert_true(m->n_in < MEMORY_PKTS_MAX);
	m->in[m->n_in] = (struct memory_pkt){ .t_ns = t_ns, .port = port, .tag = m->n_in + 1 };
	m->n_in++;
}

void memory_ports_packet(uint8_t *ret, uint64_t tag)
{
	ret[0] = 4 << 4 | 5;
	for (uint32_t i = 1; i < MEMORY_PKT_BYTES; i++)
		ret[i] = (uint8_t)(tag * 131 + i * 7);
}

int64_t clock_ns(clockid_t id)
{
	assert_int_equal(id, CLOCK_MONOTONIC);
	return m->now_ns;
}

/* As packet_io_wait() says: with @read_ns the devices end no sleep. */
int ports_wait(struct ports *ports, int64_t read_ns, int64_t until_ns)
{
	int64_t comes_ns = m->n_read < m->n_in && !read_ns ? m->in[m->n_read].t_ns : CELL_NEVER;
	int64_t ends_ns = read_ns && read_ns < until_ns && !m->batch ? read_ns : until_ns;
	int why = 0;

	(void)ports;
	m->read_asleep = m->batch && read_ns && read_ns <= until_ns;
	m->n_asleep = 0;
	for (uint32_t i = m->n_read; m->read_asleep && i < m->n_in && m->n_asleep < m->batch; i++)
		m->n_asleep += m->in[i].t_ns <= read_ns;
	if (m->wait_error)
		return m->wait_error;
	if (comes_ns <= ends_ns)
		ends_ns = comes_ns;
	if (m->control_ns <= ends_ns)
		ends_ns = m->control_ns;
	if (m->now_ns < ends_ns)
		m->now_ns = ends_ns + m->late_ns;
	if (m->control_ns <= m->now_ns) {
		m->control_ns = CELL_NEVER;
		if (m->control)
			m->control();
		else
			(void)raise(SIGTERM);
		why |= PACKET_IO_CONTROL;
	}
	if (comes_ns <= m->now_ns || m->read_asleep || (read_ns && read_ns == ends_ns))
		why |= PACKET_IO_READ;
	return why;
}

static void push_first(struct cell *cell, int64_t t_ns)
{
	struct memory_pkt *p = &m->in[m->n_read++];
	uint8_t packet[MEMORY_PKT_BYTES];

	p->moved_ns = t_ns;
	memory_ports_packet(packet, p->tag);
	assert_int_equal(cell_push(cell, p->port, packet, sizeof(packet), p->tag, t_ns), 0);
}

bool ports_read_asleep(const struct ports *ports)
{
	(void)ports;
	return m->read_asleep;
}

bool ports_overflow(const struct ports *ports)
{
	(void)ports;
	return false;
}

int ports_push_in_time(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                       const struct tun **ret_failed)
{
	int n = (int)m->n_asleep;

	(void)output;
	m->all_read = m->n_asleep < m->batch;
	*ret_failed = &ports->tun[0];
	if (m->read_error)
		return m->read_error;
	for (; m->n_asleep > 0; m->n_asleep--)
		push_first(cell, t_ns);
	return n;
}

int ports_drain(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                const struct tun **ret_failed)
{
	int n = 0;

	(void)output;
	m->drains++;
	if (m->all_read) {
		m->all_read = false;
		return 0;
	}
	*ret_failed = &ports->tun[0];
	if (m->read_error)
		return m->read_error;
	for (; m->n_read < m->n_in && m->in[m->n_read].t_ns <= m->now_ns; n++)
		push_first(cell, t_ns);
	return n;
}

void ports_deliver(struct ports *ports, const struct cell_out *o)
{
	uint8_t packet[MEMORY_PKT_BYTES];

	(void)ports;
	memory_ports_packet(packet, o->tag);
	assert_int_equal(o->len, sizeof(packet));
	assert_memory_equal(o->data, packet, sizeof(packet));
	assert_true(m->n_out < MEMORY_PKTS_MAX);
	m->out[m->n_out++] = (struct memory_pkt){
		.t_ns = o->t_ns, .moved_ns = m->now_ns, .port = o->port, .tag = o->tag
	};
	if (m->answers > 0) {
		m->answers--;
		memory_ports_add(o->port, m->now_ns);
	}
}
