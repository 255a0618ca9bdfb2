/* SPDX-License-Identifier: GPL-2.0-or-later */
/* li.c - length indicators; see li.h. */
#include "rlc/common/li.h"

#include <errno.h>

/* Length indicator @i (from 0) is 12 bits; even ones start on a byte. */
static void put(uint8_t *ext, uint16_t i, uint16_t e_li)
{
	uint8_t *b = ext + (i / 2) * 3;

	if (i % 2 == 0) {
		b[0] = (uint8_t)(e_li >> 4);
		b[1] = (uint8_t)(e_li << 4);
	} else {
		b[1] |= (uint8_t)(e_li >> 8);
		b[2] = (uint8_t)e_li;
	}
}

static uint16_t get(const uint8_t *ext, uint16_t i)
{
	const uint8_t *b = ext + (i / 2) * 3;

	if (i % 2 == 0)
		return (uint16_t)(b[0] << 4 | b[1] >> 4);
	return (uint16_t)((b[1] & 0x0f) << 8 | b[2]);
}

void rlc_li_pack(const uint16_t *len, uint16_t n, uint8_t *ext)
{
	for (uint16_t i = 0; i + 1 < n; i++)
		put(ext, i, (uint16_t)((i + 2 < n) << 11 | len[i]));
}

int rlc_li_unpack(uint16_t *ret_len, uint16_t *ret_n, uint8_t e, const uint8_t *ext, size_t size)
{
	size_t used = 0;
	uint16_t n = 1;

	while (e) {
		uint16_t e_li;

		if (n == RLC_ELEMENTS_MAX || rlc_li_bytes((uint16_t)(n + 1)) >= size)
			return -EBADMSG;
		e_li = get(ext, (uint16_t)(n - 1));
		e = (uint8_t)(e_li >> 11);
		ret_len[n - 1] = e_li & RLC_LI_MAX;
		if (ret_len[n - 1] == 0) /* reserved, 6.2.2.5 */
			return -EBADMSG;
		used += ret_len[n - 1];
		n++;
	}
	used += rlc_li_bytes(n);
	if (used >= size || size - used > UINT16_MAX)
		return -EBADMSG;
	ret_len[n - 1] = (uint16_t)(size - used);
	*ret_n = n;
	return 0;
}
