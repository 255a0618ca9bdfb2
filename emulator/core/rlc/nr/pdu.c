/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - headers of NR's UMD and AMD PDUs; see pdu.h. */
#include "rlc/nr/pdu.h"

#include <errno.h>

static uint32_t pack_so(const struct nr_pdu *pdu, uint32_t n, uint8_t *buf)
{
	if (NR_SI_STARTS(pdu->si))
		return n;
	buf[n] = (uint8_t)(pdu->so >> 8);
	buf[n + 1] = (uint8_t)pdu->so;
	return n + 2;
}

/* The SO, if there is one, and whether @len bytes go beyond the header of @n bytes. */
static int unpack_so(struct nr_pdu *ret, uint32_t n, const uint8_t *buf, size_t len)
{
	ret->so = 0;
	if (len <= n)
		return -EBADMSG;
	if (!NR_SI_STARTS(ret->si)) {
		ret->so = (uint16_t)(buf[n - 2] << 8 | buf[n - 1]);
		if (ret->so == 0)
			return -EBADMSG;
	}
	return (int)n;
}

uint32_t nr_um_pack(const struct nr_pdu *pdu, uint8_t sn_bits, uint8_t *buf)
{
	buf[0] = (uint8_t)(pdu->si << 6);
	if (pdu->si == NR_SI_ALL)
		return 1;
	if (sn_bits == 6) {
		buf[0] = (uint8_t)(buf[0] | pdu->sn);
		return pack_so(pdu, 1, buf);
	}
	buf[0] = (uint8_t)(buf[0] | pdu->sn >> 8);
	buf[1] = (uint8_t)pdu->sn;
	return pack_so(pdu, 2, buf);
}

int nr_um_unpack(struct nr_pdu *ret, uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	uint32_t n;

	if (len == 0)
		return -EBADMSG;
	*ret = (struct nr_pdu){ .si = buf[0] >> 6 };
	n = nr_um_header_bytes(sn_bits, (enum nr_si)ret->si);
	if (len <= n)
		return -EBADMSG;
	if (ret->si != NR_SI_ALL)
		ret->sn = sn_bits == 6 ? buf[0] & 0x3fu : (uint32_t)(buf[0] & 0x0f) << 8 | buf[1];
	return unpack_so(ret, n, buf, len);
}

uint32_t nr_am_pack(const struct nr_pdu *pdu, uint8_t sn_bits, uint8_t *buf)
{
	buf[0] = (uint8_t)(0x80 | pdu->poll << 6 | pdu->si << 4);
	if (sn_bits == 12) {
		buf[0] = (uint8_t)(buf[0] | pdu->sn >> 8);
		buf[1] = (uint8_t)pdu->sn;
		return pack_so(pdu, 2, buf);
	}
	buf[0] = (uint8_t)(buf[0] | pdu->sn >> 16);
	buf[1] = (uint8_t)(pdu->sn >> 8);
	buf[2] = (uint8_t)pdu->sn;
	return pack_so(pdu, 3, buf);
}

int nr_am_unpack(struct nr_pdu *ret, uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	uint32_t n;

	if (len == 0 || !nr_am_is_data(buf))
		return -EBADMSG;
	*ret = (struct nr_pdu){ .si = buf[0] >> 4 & 3, .poll = buf[0] >> 6 & 1 };
	n = nr_am_header_bytes(sn_bits, (enum nr_si)ret->si);
	if (len <= n)
		return -EBADMSG;
	ret->sn = sn_bits == 12 ? (uint32_t)(buf[0] & 0x0f) << 8 | buf[1]
	                        : (uint32_t)(buf[0] & 0x03) << 16 | (uint32_t)buf[1] << 8 | buf[2];
	return unpack_so(ret, n, buf, len);
}
