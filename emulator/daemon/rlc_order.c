/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlc_order.c - RLC PDUs of the UTRAN in order of SN; see rlc_order.h. */
#include "rlc_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rlc/utran/pdu.h"

struct waiting {
	struct waiting *next; /* a duplicate */
	int64_t t_ns;
	struct cell_pdu_info info;
	uint32_t len;
	uint8_t data[RLC_UTRAN_AMD_MAX];
};

struct direction {
	uint16_t sn; /* to be written next */
	struct waiting *waiting[RLC_UTRAN_SLOTS];
};

struct rlc_order {
	rlc_order_write *write;
	void *arg;
	struct direction *dir; /* two of each UE */
	uint32_t n_dirs;
	struct rlc_utran_status status; /* being read */
};

struct rlc_order *rlc_order_create(uint8_t n_ue, rlc_order_write *write, void *arg)
{
	struct rlc_order *o = malloc(sizeof(*o));
	struct direction *dir = calloc(2 * (size_t)n_ue, sizeof(*dir));

	if (!o || !dir) {
		free(o);
		free(dir);
		return NULL;
	}
	*o = (struct rlc_order){ .write = write, .arg = arg, .dir = dir, .n_dirs = 2u * n_ue };
	return o;
}

static uint16_t ahead(const struct direction *d, uint16_t sn)
{
	return (uint16_t)((sn - d->sn) & RLC_UTRAN_SN_MASK);
}

/* Write all that waits with SN d->sn and go on to the next SN. */
static int pass(struct rlc_order *o, struct direction *d)
{
	struct waiting *w = d->waiting[d->sn], *next;
	int r = 0;

	d->waiting[d->sn] = NULL;
	d->sn = (uint16_t)((d->sn + 1) & RLC_UTRAN_SN_MASK);
	for (; w; w = next) {
		next = w->next;
		if (r == 0)
			r = o->write(o->arg, w->t_ns, &w->info, w->data, w->len);
		free(w);
	}
	return r;
}

static int pass_in_sequence(struct rlc_order *o, struct direction *d)
{
	int r = 0;

	while (r == 0 && d->waiting[d->sn])
		r = pass(o, d);
	return r;
}

static int hold(struct direction *d, uint16_t sn, int64_t t_ns, const struct cell_pdu_info *info,
                const uint8_t *data, uint32_t len)
{
	struct waiting *w = malloc(sizeof(*w)), **last = &d->waiting[sn];

	if (!w)
		return -ENOMEM;
	*w = (struct waiting){ .t_ns = t_ns, .info = *info, .len = len };
	memcpy(w->data, data, len);
	while (*last)
		last = &(*last)->next;
	*last = w;
	return 0;
}

/* The receiver was told to go on behind what it waits for. */
static int follow_mrw(struct rlc_order *o, struct direction *d, const uint8_t *data, uint32_t len)
{
	int r = 0;

	if (rlc_utran_status_unpack(&o->status, data, len) < 0)
		return 0;
	for (uint16_t i = 0; i < o->status.n; i++) {
		const struct rlc_utran_sufi *sufi = &o->status.sufi[i];
		uint16_t sn = sufi->sn[sufi->n > 0 ? sufi->n - 1 : 0];

		while (sufi->type == RLC_UTRAN_SUFI_MRW && ahead(d, sn) > 0 &&
		       ahead(d, sn) < RLC_UTRAN_SLOTS / 2 && r == 0)
			r = pass(o, d);
	}
	return r < 0 ? r : pass_in_sequence(o, d);
}

int rlc_order_push(struct rlc_order *o, int64_t t_ns, const struct cell_pdu_info *info,
                   const uint8_t *data, uint32_t len)
{
	struct direction *d = &o->dir[2 * (info->ue - 1) + (info->dir == CELL_DIR_DL)];
	uint16_t sn = (uint16_t)((data[0] & 0x7f) << 5 | data[1] >> 3);
	int r;

	if (!rlc_utran_is_data(data)) {
		r = o->write(o->arg, t_ns, info, data, len);
		return r < 0 ? r : follow_mrw(o, d, data, len);
	}
	if (ahead(d, sn) >= RLC_UTRAN_SLOTS / 2) /* behind: read before, or given up */
		return o->write(o->arg, t_ns, info, data, len);
	r = hold(d, sn, t_ns, info, data, len);
	return r < 0 ? r : pass_in_sequence(o, d);
}

int rlc_order_close(struct rlc_order *o)
{
	int r = 0;

	if (!o)
		return 0;
	for (uint32_t i = 0; i < o->n_dirs; i++)
		for (uint32_t n = 0; n < RLC_UTRAN_SLOTS; n++) {
			int e = pass(o, &o->dir[i]);

			r = r < 0 ? r : e;
		}
	free(o->dir);
	free(o);
	return r;
}
