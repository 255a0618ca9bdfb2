/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_key.c - JSON objects read through a table of their keys; see config_key.h. */
#include "config_key.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int config_fail(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(r->error, CONFIG_ERROR_MAX, "%s: ", r->name);

	va_start(ap, fmt);
	if (n >= 0 && n < CONFIG_ERROR_MAX)
		(void)vsnprintf(r->error + n, (size_t)(CONFIG_ERROR_MAX - n), fmt, ap);
	va_end(ap);
	for (char *c = r->error; *c; c++) /* what the file says may hold anything */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return -EINVAL;
}

static void store(void *base, const struct key *k, uint64_t value)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;
	const void *src = k->size == 1   ? (void *)&u8
	                  : k->size == 2 ? (void *)&u16
	                  : k->size == 4 ? (void *)&u32
	                                 : (void *)&value;

	memcpy((uint8_t *)base + k->offset, src, k->size);
}

static int read_number(struct reader *r, const char *path, const struct key *k, const json_t *v,
                       void *base)
{
	bool whole = k->kind != KIND_PROBABILITY && k->kind != KIND_DB_TO_CDB;
	double d;

	if (whole ? !json_is_integer(v) : !json_is_number(v))
		return config_fail(r, "key '%s.%s': allowed %s", path, k->name,
		                   whole ? "whole numbers" : "numbers");
	d = json_number_value(v);
	if (d < k->min || d > k->max)
		return config_fail(r, "key '%s.%s': value %.15g: allowed %.15g..%.15g", path,
		                   k->name, d, k->min, k->max);
	if (k->kind == KIND_PROBABILITY)
		store(base, k, (uint64_t)(d * 4294967295.0));
	else if (k->kind == KIND_DB_TO_CDB)
		store(base, k, (uint64_t)(d * 100 + 0.5));
	else if (k->kind == KIND_US_TO_NS)
		store(base, k, (uint64_t)json_integer_value(v) * 1000);
	else
		store(base, k, (uint64_t)json_integer_value(v));
	return 0;
}

static int read_enum(struct reader *r, const char *path, const struct key *k, const json_t *v,
                     void *base)
{
	const char *s = json_string_value(v);
	char allowed[128] = "";

	for (uint64_t i = 0; k->names[i]; i++) {
		if (s && strcmp(s, k->names[i]) == 0) {
			store(base, k, i);
			return 0;
		}
		(void)snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed), "%s%s",
		               i ? ", " : "", k->names[i]);
	}
	return config_fail(r, "key '%s.%s': value '%s': allowed %s", path, k->name,
	                   s ? s : "(not a string)", allowed);
}

static int read_key(struct reader *r, const char *path, const struct key *k, const json_t *v,
                    void *base)
{
	switch (k->kind) {
	case KIND_BOOL:
		if (!json_is_boolean(v))
			return config_fail(r, "key '%s.%s': allowed true, false", path, k->name);
		store(base, k, json_is_true(v));
		return 0;
	case KIND_STRING:
		if (json_is_null(v))
			return 0;
		if (!json_is_string(v) || json_string_length(v) >= k->size)
			return config_fail(r, "key '%s.%s': allowed strings of less than %zu bytes",
			                   path, k->name, k->size);
		memcpy((char *)base + k->offset, json_string_value(v), json_string_length(v) + 1);
		return 0;
	case KIND_ENUM:
		return read_enum(r, path, k, v, base);
	default:
		return read_number(r, path, k, v, base);
	}
}

static const struct key *find_key(const struct key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

/* Read the keys of @keys; those in @skip (NULL-terminated) are read elsewhere. */
int config_read_object(struct reader *r, const char *path, json_t *object, const struct key *keys,
                       const char *const *skip, void *base)
{
	const char *name;
	json_t *v;

	if (!json_is_object(object))
		return config_fail(r, "key '%s': allowed an object", path);
	json_object_foreach (object, name, v) {
		const struct key *k = find_key(keys, name);
		const char *const *s = skip;
		int err;

		while (s && *s && strcmp(*s, name) != 0)
			s++;
		if (s && *s)
			continue;
		if (!k)
			return config_fail(r, "key '%s.%s': unknown; remove it", path, name);
		err = read_key(r, path, k, v, base);
		if (err < 0)
			return err;
	}
	return 0;
}

int config_check_list(struct reader *r, const char *path, const json_t *value)
{
	if (!value || json_is_null(value) || json_is_array(value))
		return 0;
	return config_fail(r, "key '%s': allowed a list", path);
}
