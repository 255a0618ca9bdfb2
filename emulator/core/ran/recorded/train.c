/* SPDX-License-Identifier: GPL-2.0-or-later */
/* train.c - the answer of a recorded link to trains of packets; see train.h. */
#include "ran/recorded/train.h"

#define NS_PER_MS   INT64_C(1000000)
#define NS_PER_US   INT64_C(1000)
#define SIZE_STEP   100u /* bytes between two delays of sizes */
#define DELAY_MAX   60000u
#define SIZE_US_MAX 1000000

void train_init(struct train *t, const struct cell_recorded *link, int dir)
{
	const struct cell_recording *way = &link->way[dir];

	*t = (struct train){
		.record = way->train,
		.offset_ms = way->train_offset_ms,
		.size_us = way->train_size_us,
		.n_records = way->n_trains,
		.n_sizes = way->n_train_sizes,
		.bytes = link->bytes,
		.gap_ns = (dir == CELL_DIR_UL ? link->uplink_gap_ms : link->downlink_gap_ms) *
		          NS_PER_MS,
	};
}

static bool offsets_wrong(const struct cell_recording *way, const struct cell_train *r)
{
	const uint32_t *ms = way->train_offset_ms;

	if (r->n == 0 || r->first > way->n_train_offsets || r->n > way->n_train_offsets - r->first)
		return true;
	for (uint32_t i = 0; i < r->n; i++)
		if (ms[r->first + i] > DELAY_MAX || (i && ms[r->first + i] < ms[r->first + i - 1]))
			return true;
	return false;
}

const char *train_check(const struct cell_recorded *link, int dir, const char **ret_range)
{
	const struct cell_recording *way = &link->way[dir];
	const struct cell_train *r = way->train;
	uint32_t n = way->n_trains;

	*ret_range = "none without trains";
	if (!r)
		return n || way->n_train_sizes ? "n_trains" : NULL;
	*ret_range = "0 with trains";
	if (link->delay_ms)
		return "delay_ms";
	*ret_range = "at least two trains, the last one later than 0";
	if (n < 2 || r[n - 1].at_ms == 0)
		return "n_trains";
	for (uint32_t i = 0; i < n; i++) {
		*ret_range = "times that do not decrease, and delays of at most 60000 ms";
		if (r[i].delay_ms > DELAY_MAX || (i && r[i].at_ms < r[i - 1].at_ms))
			return "train";
		*ret_range = "one or more that do not decrease, 0..60000 ms";
		if (offsets_wrong(way, &r[i]))
			return "train_offset_ms";
	}
	*ret_range = "-1000000..1000000 us";
	for (uint32_t i = 0; i < way->n_train_sizes; i++)
		if (way->train_size_us[i] < -SIZE_US_MAX || way->train_size_us[i] > SIZE_US_MAX)
			return "train_size_us";
	return NULL;
}

/* The last record that is not later than @at_ns of a turn, but never the last of all, which is
 * where the next turn starts. */
static uint32_t find(const struct train *t, int64_t at_ns)
{
	uint32_t low = 0, high = t->n_records - 1;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (t->record[middle].at_ms * NS_PER_MS <= at_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Between two records in proportion, to the microsecond. */
static int64_t delay_ns(const struct train *t, int64_t at_ns)
{
	const struct cell_train *a = &t->record[t->at], *b = a + 1;
	int64_t since_us = (at_ns - a->at_ms * NS_PER_MS) / NS_PER_US;
	int64_t more_ms = (int64_t)b->delay_ms - (int64_t)a->delay_ms;

	if (since_us <= 0) /* before the first one */
		return a->delay_ms * NS_PER_MS;
	return a->delay_ms * NS_PER_MS +
	       more_ms * since_us / ((int64_t)b->at_ms - a->at_ms) * NS_PER_US;
}

static void start(struct train *t, int64_t now_ns, int64_t since_ns)
{
	int64_t at_ns = since_ns % (t->record[t->n_records - 1].at_ms * NS_PER_MS);

	t->started = true;
	t->at = find(t, at_ns);
	t->start_ns = now_ns;
	t->delay_ns = delay_ns(t, at_ns);
	t->next = 0;
	t->left = t->bytes;
}

/* Take room for a packet. A larger one than an opportunity takes what it needs of the next ones. */
static void take(struct train *t, uint32_t len)
{
	if (t->left < len && len <= t->bytes)
		t->left = 0;
	while (t->left < len) {
		len -= t->left;
		t->next++;
		t->left = t->bytes;
	}
	t->left -= len;
}

/* Return: when a packet leaves but for its size; *@ret_past: all opportunities were used. */
static int64_t leave(struct train *t, uint32_t len, int64_t now_ns, bool *ret_past)
{
	const struct cell_train *r = &t->record[t->at];
	const uint32_t *offset_ms = &t->offset_ms[r->first];
	int64_t late_ns;

	while (t->next < r->n && now_ns - t->start_ns > offset_ms[t->next] * NS_PER_MS) {
		t->next++;
		t->left = t->bytes;
	}
	take(t, len);
	*ret_past = t->next >= r->n;
	if (!*ret_past)
		return t->start_ns + t->delay_ns + offset_ms[t->next] * NS_PER_MS;
	late_ns = offset_ms[r->n - 1] * NS_PER_MS;
	return now_ns + (t->delay_ns > late_ns ? t->delay_ns : late_ns);
}

static int64_t size_ns(const struct train *t, uint32_t len)
{
	uint32_t i = len / SIZE_STEP, rest = len % SIZE_STEP;
	int64_t us;

	if (t->n_sizes == 0)
		return 0;
	if (i == 0)
		us = t->size_us[0];
	else if (i >= t->n_sizes)
		us = t->size_us[t->n_sizes - 1];
	else
		us = t->size_us[i - 1] +
		     ((int64_t)t->size_us[i] - t->size_us[i - 1]) * rest / SIZE_STEP;
	return us * NS_PER_US;
}

void train_add(struct train *t, struct pkt *p, int64_t now_ns, int64_t since_ns)
{
	int64_t leaves_ns, sized_ns;

	if (!t->started || now_ns + t->delay_ns > t->leaves_ns + t->gap_ns)
		start(t, now_ns, since_ns);
	leaves_ns = leave(t, p->len, now_ns, &p->past_train);
	t->leaves_ns = leaves_ns;
	sized_ns = leaves_ns + size_ns(t, p->len);
	if (sized_ns >= now_ns && sized_ns >= t->last_ns)
		leaves_ns = sized_ns;
	if (leaves_ns < t->last_ns) {
		leaves_ns = t->last_ns;
		p->past_train = true;
	}
	t->last_ns = leaves_ns;
	p->queued_ns = leaves_ns;
	pkt_enqueue(&t->way, p);
}

int64_t train_next(const struct train *t)
{
	return t->way.head ? t->way.head->queued_ns : CELL_NEVER;
}
