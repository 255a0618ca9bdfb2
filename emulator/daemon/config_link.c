/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_link.c - links without a radio; see config_link.h. */
#include "config_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cfg_values.h"

#define HEAD 2 /* numbers of a train before its offsets */

/* Whole numbers of a list of @n, into @ret, which the caller frees; NULL for an empty one. */
static int read_numbers(struct reader *r, const char *path, const json_t *list, size_t n,
                        json_int_t low, json_int_t high, int64_t **ret)
{
	*ret = NULL;
	if (config_check_list(r, path, list) < 0)
		return -EINVAL;
	if (n > CONFIG_OPPORTUNITIES_MAX) {
		(void)config_fail(r, "key '%s': %zu entries: allowed at most %d", path, n,
		                  CONFIG_OPPORTUNITIES_MAX);
		return -EINVAL;
	}
	if (n == 0)
		return 0;
	*ret = calloc(n, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(list, i);

		(*ret)[i] = json_integer_value(v);
		if (!json_is_integer(v) || (*ret)[i] < low || (*ret)[i] > high) {
			free(*ret);
			*ret = NULL;
			(void)config_fail(r, "key '%s[%zu]': allowed whole numbers, %lld..%lld",
			                  path, i, (long long)low, (long long)high);
			return -EINVAL;
		}
	}
	return 0;
}

static int read_times(struct reader *r, const char *path, const json_t *list,
                      struct cell_recording *ret)
{
	size_t n = json_array_size(list);
	int64_t *numbers;
	uint32_t *ms;
	int err;

	if (n == 0)
		return config_fail(r, "key '%s': 0 entries: allowed 1..%d", path,
		                   CONFIG_OPPORTUNITIES_MAX);
	err = read_numbers(r, path, list, n, 0, UINT32_MAX, &numbers);
	if (err < 0)
		return err;
	ms = calloc(n, sizeof(*ms));
	for (size_t i = 0; ms && i < n; i++)
		ms[i] = (uint32_t)numbers[i];
	free(numbers);
	ret->opportunity_ms = ms;
	ret->n_opportunities = (uint32_t)n;
	return ms ? 0 : -ENOMEM;
}

static int read_train(struct reader *r, const char *path, const json_t *list,
                      struct cell_train *train, uint32_t *offset_ms)
{
	size_t n = json_array_size(list);
	int64_t *numbers;
	int err;

	if (n <= HEAD)
		return config_fail(r, "key '%s': %zu entries: allowed %d or more", path, n,
		                   HEAD + 1);
	err = read_numbers(r, path, list, n, 0, UINT32_MAX, &numbers);
	if (err < 0)
		return err;
	train->at_ms = (uint32_t)numbers[0];
	train->delay_ms = (uint32_t)numbers[1];
	train->n = (uint32_t)(n - HEAD);
	for (size_t i = HEAD; i < n; i++)
		offset_ms[train->first + i - HEAD] = (uint32_t)numbers[i];
	free(numbers);
	return 0;
}

static int read_trains(struct reader *r, const char *path, const json_t *list,
                       struct cell_recording *ret)
{
	size_t n = json_array_size(list), n_offsets = 0;
	struct cell_train *train;
	uint32_t *offset_ms;
	int err = 0;

	if (n == 0)
		return config_check_list(r, path, list);
	for (size_t i = 0; i < n; i++)
		n_offsets += json_array_size(json_array_get(list, i));
	if (n > CONFIG_OPPORTUNITIES_MAX || n_offsets > CONFIG_OPPORTUNITIES_MAX)
		return config_fail(r, "key '%s': %zu entries: allowed at most %d", path, n_offsets,
		                   CONFIG_OPPORTUNITIES_MAX);
	train = calloc(n, sizeof(*train));
	offset_ms = calloc(n_offsets + 1, sizeof(*offset_ms));
	ret->train = train;
	ret->train_offset_ms = offset_ms;
	ret->n_trains = (uint32_t)n;
	if (!train || !offset_ms)
		return -ENOMEM;
	n_offsets = 0;
	for (size_t i = 0; err == 0 && i < n; i++) {
		char entry[96];

		(void)snprintf(entry, sizeof(entry), "%s[%zu]", path, i);
		train[i].first = (uint32_t)n_offsets;
		err = read_train(r, entry, json_array_get(list, i), &train[i], offset_ms);
		n_offsets += train[i].n;
	}
	ret->n_train_offsets = (uint32_t)n_offsets;
	return err;
}

static int read_sizes(struct reader *r, const char *path, const json_t *list,
                      struct cell_recording *ret)
{
	size_t n = json_array_size(list);
	int64_t *numbers;
	int32_t *us;
	int err = read_numbers(r, path, list, n, INT32_MIN, INT32_MAX, &numbers);

	if (err < 0 || n == 0)
		return err;
	us = calloc(n, sizeof(*us));
	for (size_t i = 0; us && i < n; i++)
		us[i] = (int32_t)numbers[i];
	free(numbers);
	ret->train_size_us = us;
	ret->n_train_sizes = (uint32_t)n;
	return us ? 0 : -ENOMEM;
}

/* NAME_delays: time and delay in turn. */
static int read_delays(struct reader *r, const char *path, const json_t *list,
                       struct cell_netem *ret)
{
	size_t n = json_array_size(list);
	struct cell_delay *delay;
	int64_t *numbers;
	int err = read_numbers(r, path, list, n, 0, UINT32_MAX, &numbers);

	if (err < 0 || n == 0)
		return err;
	if (n % 2) {
		free(numbers);
		return config_fail(r, "key '%s': %zu entries: allowed an even number", path, n);
	}
	delay = calloc(n / 2, sizeof(*delay));
	for (size_t i = 0; delay && i < n / 2; i++)
		delay[i] = (struct cell_delay){ .at_ms = (uint32_t)numbers[2 * i],
			                        .delay_us = (uint32_t)numbers[2 * i + 1] };
	free(numbers);
	ret->delay = delay;
	ret->n_delays = (uint32_t)(n / 2);
	return delay ? 0 : -ENOMEM;
}

/* NAME_losses: 0 or 1 for each packet. */
static int read_losses(struct reader *r, const char *path, const json_t *list,
                       struct cell_netem *ret)
{
	size_t n = json_array_size(list);
	int64_t *numbers;
	uint8_t *lost;
	int err = read_numbers(r, path, list, n, 0, 1, &numbers);

	if (err < 0 || n == 0)
		return err;
	lost = calloc(n, 1);
	for (size_t i = 0; lost && i < n; i++)
		lost[i] = (uint8_t)numbers[i];
	free(numbers);
	ret->lost = lost;
	ret->n_lost = (uint32_t)n;
	return lost ? 0 : -ENOMEM;
}

static int read_parameters(struct reader *r, const char *path, const json_t *parameters,
                           struct cell_netem *ret)
{
	json_t *object = (json_t *)parameters;

	return object ? config_read_object(r, path, object, config_netem.keys, NULL, ret) : 0;
}

int config_read_netem(struct reader *r, const char *path, const json_t *link, const char *name,
                      struct cell_netem *ret)
{
	static const struct {
		const char *suffix;
		int (*read)(struct reader *r, const char *path, const json_t *value,
		            struct cell_netem *ret);
	} parts[] = { { "_netem", read_parameters },
		      { "_delays", read_delays },
		      { "_losses", read_losses } };
	int err = 0;

	for (size_t i = 0; err == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		char key[32], at[80];

		(void)snprintf(key, sizeof(key), "%s%s", name, parts[i].suffix);
		(void)snprintf(at, sizeof(at), "%s.%s", path, key);
		err = parts[i].read(r, at, json_object_get(link, key), ret);
	}
	return err;
}

static int read_way(struct reader *r, const char *path, const json_t *trace, const char *name,
                    struct cell_recording *ret)
{
	static const struct {
		const char *suffix;
		int (*read)(struct reader *r, const char *path, const json_t *list,
		            struct cell_recording *ret);
	} parts[] = { { "", read_times }, { "_trains", read_trains }, { "_sizes_us", read_sizes } };
	int err = 0;

	for (size_t i = 0; err == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		char key[32], at[80];

		(void)snprintf(key, sizeof(key), "%s%s", name, parts[i].suffix);
		(void)snprintf(at, sizeof(at), "%s.%s", path, key);
		err = parts[i].read(r, at, json_object_get(trace, key), ret);
	}
	return err < 0 ? err : config_read_netem(r, path, trace, name, &ret->netem);
}

int config_read_link(struct reader *r, const char *path, json_t *trace, struct cell_recorded *ret)
{
	int err = config_read_object(r, path, trace, config_packet_trace.keys,
	                             config_packet_trace.elsewhere, ret);

	if (err == 0)
		err = read_way(r, path, trace, "uplink", &ret->way[CELL_DIR_UL]);
	return err < 0 ? err : read_way(r, path, trace, "downlink", &ret->way[CELL_DIR_DL]);
}

int config_read_own_link(struct reader *r, const char *path, const json_t *ue, uint8_t id)
{
	json_t *trace = json_object_get(ue, "packet_trace");
	struct cell_recorded *own = &r->cfg->recorded[id - 1];
	char at[48];

	if (!trace)
		return 0;
	(void)snprintf(at, sizeof(at), "%s.packet_trace", path);
	*own = (struct cell_recorded){ CFG_RECORDED_DEFAULTS };
	r->cfg->cell.ue[id - 1].recorded = own;
	return config_read_link(r, at, trace, own);
}
