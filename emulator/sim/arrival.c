/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arrival.c - a line of a file of arrivals; see arrival.h. */
#include "arrival.h"

#include <string.h>

#include "number.h"

#define T_NS_MAX (INT64_MAX / 2) /* there is time left to send it */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The start of an IPv4 header: enough for the S-GW to find the UE. */
static void address_to(uint8_t *data, size_t len, uint32_t addr)
{
	if (len < 20)
		return;
	data[0] = 0x45;
	data[1] = 0;
	for (int i = 0; i < 4; i++)
		data[16 + i] = (uint8_t)(addr >> (24 - 8 * i));
}

static const char *parse_bytes(struct arrival *a, const char *hex)
{
	if (strlen(hex) != 2 * a->len)
		return "bytes: allowed two lower-case hex digits for each of len bytes";
	for (size_t i = 0; i < a->len; i++, hex += 2) {
		int high = hex_digit(hex[0]), low = hex_digit(hex[1]);

		if (high < 0 || low < 0)
			return "bytes: allowed two lower-case hex digits for each of len bytes";
		a->data[i] = (uint8_t)(high << 4 | low);
	}
	return NULL;
}

const char *arrival_parse(struct arrival *ret, const struct config *cfg, char *line,
                          unsigned long number)
{
	char *field[5] = { 0 }, *rest = NULL;
	uint64_t t_ns, port, len;
	uint8_t ue;

	for (int i = 0; i < 5; i++)
		field[i] = strtok_r(i == 0 ? line : NULL, " \n", &rest);
	if (!field[3] || strtok_r(NULL, " \n", &rest))
		return "not an arrival; write: t_ns port len tag_hex [bytes in hex]";
	if (!number_parse(field[0], 10, 0, T_NS_MAX, &t_ns))
		return "t_ns: allowed whole numbers from 0";
	if (!number_parse(field[1], 10, 0, UINT8_MAX, &port))
		return "port: the cell has no such port; use one of its UEs";
	if (!number_parse(field[2], 10, 1, CELL_MTU_MAX, &len))
		return ARRIVAL_WRONG_LEN;
	if (!number_parse(field[3], 16, 0, UINT64_MAX, &ret->tag))
		return "tag: allowed at most 16 hex digits";
	ret->t_ns = (int64_t)t_ns;
	ret->port = (uint8_t)port;
	ret->len = len;
	if (field[4] && *field[4] != '@')
		return parse_bytes(ret, field[4]);
	for (size_t i = 0; i < ret->len; i++)
		ret->data[i] = (uint8_t)(number * 31 + i);
	if (!field[4])
		return NULL;
	ue = config_ue(cfg, field[4] + 1);
	if (!ue)
		return "@: allowed names of UEs";
	address_to(ret->data, ret->len, cfg->cell.ue[ue - 1].addr);
	return NULL;
}
