/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_key.h - JSON objects read through a table of their keys, so that an
 * unknown key, a wrong type and a value out of range are found in one place.
 */
#ifndef CONFIG_KEY_H
#define CONFIG_KEY_H

#include <jansson.h>

#include "config.h"

struct reader {
	struct config *cfg;
	const char *name;
	char *error;
};

/** config_fail() - write a message with the file's name in front, one printable line. Return:
 * -EINVAL. */
__attribute__((format(printf, 2, 3))) int config_fail(struct reader *r, const char *fmt, ...);

enum kind {
	KIND_UINT,        /* integer in min..max, stored in `size` bytes */
	KIND_MS_TO_TTI,   /* the same; one TTI is one millisecond */
	KIND_US_TO_NS,    /* integer in microseconds, stored times 1000 */
	KIND_DB_TO_CDB,   /* number in dB, stored times 100 */
	KIND_BOOL,        /* stored as 0 or 1 in `size` bytes */
	KIND_PROBABILITY, /* 0..1, stored as Q32 */
	KIND_STRING,      /* stored in a char array of `size` */
	KIND_ENUM,        /* name out of `names`, stored in one byte */
};

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	size_t size;
	double min;
	double max;
	const char *const *names;
};

#define KEY(type, key, field, kind, lo, hi)                                                        \
	{                                                                                          \
		key, kind, offsetof(struct type, field), sizeof(((struct type *)0)->field), lo,    \
			hi, NULL                                                                   \
	}

#define KEY_ENUM(type, key, field, names)                                                          \
	{                                                                                          \
		key, KIND_ENUM, offsetof(struct type, field), 1, 0, 0, names                       \
	}

/* Keys of an object; those in @elsewhere, if not NULL, are read by other code. */
struct section {
	const char *name;
	const struct key *keys;
	const char *const *elsewhere;
};

/* Those of the cell, of each UE, of its bearers and of their filters, of recorded links;
 * config_keys.c. */
extern const struct section config_cell, config_ues, config_bearers, config_filters;
extern const struct section config_packet_trace, config_netem, config_qdisc;
extern const struct section config_sections[];
extern const char *const config_mode_names[];

/**
 * config_read_object() - read the keys of @keys into @base; those in @skip are read elsewhere
 * @path: of the object, for messages
 * @skip: NULL-terminated, or NULL
 *
 * Return: 0 or -EINVAL.
 */
int config_read_object(struct reader *r, const char *path, json_t *object, const struct key *keys,
                       const char *const *skip, void *base);

/** config_check_list() - @value is a list, or absent. Return: 0 or -EINVAL. */
int config_check_list(struct reader *r, const char *path, const json_t *value);

#endif
