# SPDX-License-Identifier: GPL-2.0-or-later
"""MAC PDUs of NR: what is packed is what a reading of the clauses in Python unpacks, and the other way round."""

import re
import subprocess
from collections.abc import Iterator

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrphyffi import EBADMSG, ffi, lib

fast = examples(200)
DL, UL = 0, 1
# Control elements by LCID: bytes, or None for a length in the subheader. Source: TS 38.321 Tables 6.2.1-1, 6.2.1-2
ELEMENTS = {DL: {58: 1, 59: 0, 60: 0, 61: 1, 62: 6}, UL: {55: 0, 57: 2, 58: 2, 59: 1, 60: None, 61: 1, 62: None}}
FIXED_SDUS = {DL: {}, UL: {0: 8, 52: 6}}
SHORT, SHORT_TRUNCATED, LONG, LONG_TRUNCATED = range(4)
BSR_LCID = {SHORT: 61, SHORT_TRUNCATED: 59, LONG: 62, LONG_TRUNCATED: 60}


def subpdus(link: int, pdu: bytes) -> Iterator[tuple[int, bytes]]:
    """LCID and payload of each, padding as LCID 63. Source: TS 38.321 6.1.2"""
    at = 0
    while at < len(pdu):
        lcid, long_length = pdu[at] & 0x3F, pdu[at] & 0x40
        fixed = {**ELEMENTS[link], **FIXED_SDUS[link]}.get(lcid)
        at += 1
        if lcid == 63:
            length = len(pdu) - at
        elif fixed is not None:
            length = fixed
        else:
            octets = 2 if long_length else 1
            length = int.from_bytes(pdu[at:at + octets])
            at += octets
        yield lcid, pdu[at:at + length]
        at += length


bits = st.integers
short_bsr = st.tuples(st.sampled_from([SHORT, SHORT_TRUNCATED]), bits(0, 7), bits(0, 31))
long_bsr = st.tuples(st.just(LONG), st.dictionaries(bits(0, 7), bits(0, 254), max_size=8))
truncated = st.tuples(st.just(LONG_TRUNCATED), bits(1, 255), bits(0, 8), bits(0, 254))


def bsr(drawn: tuple) -> tuple[dict, bytes]:
    """Fields of struct nr_bsr, and the octets of the clause. Source: TS 38.321 6.1.3.1"""
    if drawn[0] in (SHORT, SHORT_TRUNCATED):
        kind, lcg, level = drawn
        return {"format": kind, "lcgs": 1 << lcg, "n": 1, "level": [level]}, bytes([lcg << 5 | level])
    if drawn[0] == LONG:
        groups = dict(sorted(drawn[1].items()))
        lcgs, levels = sum(1 << lcg for lcg in groups), list(groups.values())
    else:
        lcgs = drawn[1]
        levels = [drawn[3]] * min(drawn[2], lcgs.bit_count())
    return {"format": drawn[0], "lcgs": lcgs, "n": len(levels), "level": levels}, bytes([lcgs, *levels])


def element(link: int, drawn: tuple) -> tuple[dict, int, bytes]:
    """Fields of struct nr_ce, LCID and octets."""
    if link == UL and drawn[0] == "bsr":
        fields, octets = bsr(drawn[1])
        return {"lcid": BSR_LCID[drawn[1][0]], "bsr": fields}, BSR_LCID[drawn[1][0]], octets
    if drawn[0] == "crnti":
        return {"lcid": 58, "crnti": drawn[1]}, 58, drawn[1].to_bytes(2)
    if drawn[0] == "phr":
        return {"lcid": 57, "phr": {"headroom": drawn[1], "pcmax": drawn[2]}}, 57, bytes(drawn[1:])
    if drawn[0] == "ta":
        return {"lcid": 61, "ta": {"tag": drawn[1], "value": drawn[2]}}, 61, bytes([drawn[1] << 6 | drawn[2]])
    if drawn[0] == "scells":
        return {"lcid": 58, "scells": drawn[1]}, 58, bytes([drawn[1]])
    if drawn[0] == "contention":
        return {"lcid": 62, "contention": list(drawn[1])}, 62, drawn[1]
    return {"lcid": drawn[1]}, drawn[1], b""


elements = {
    UL: st.one_of(st.tuples(st.just("bsr"), st.one_of(short_bsr, long_bsr, truncated)),
                  st.tuples(st.just("crnti"), bits(0, 65535)), st.tuples(st.just("phr"), bits(0, 63), bits(0, 63)),
                  st.tuples(st.just("empty"), st.just(55))),
    DL: st.one_of(st.tuples(st.just("ta"), bits(0, 3), bits(0, 63)), st.tuples(st.just("scells"), bits(0, 255)),
                  st.tuples(st.just("contention"), st.binary(min_size=6, max_size=6)),
                  st.tuples(st.just("empty"), st.sampled_from([59, 60]))),
}  # fmt: skip
sdus = st.lists(st.tuples(bits(1, 32), st.one_of(bits(1, 300), bits(1, 5000))), max_size=12)
contents = st.sampled_from([DL, UL]).flatmap(
    lambda link: st.tuples(st.just(link), st.lists(elements[link], max_size=4), sdus, bits(0, 600)))


def payload(number: int, length: int) -> bytes:
    return bytes((number * 31 + i * 7) & 0xFF for i in range(length))


@fast
@given(contents)
def test_what_is_packed_is_read(drawn):
    link, ces, drawn_sdus, extra = drawn
    ces = [element(link, ce) for ce in ces]
    data = [(lcid, payload(i, length)) for i, (lcid, length) in enumerate(drawn_sdus)]
    made = [ffi.new("struct nr_ce *", fields) for fields, _, _ in ces]
    ce_bytes = sum(lib.nr_ce_bytes(link, ce) for ce in made)
    size = ce_bytes + sum(len(sdu) + (3 if len(sdu) > 255 else 2) for _, sdu in data) + extra
    buf, b = ffi.new("uint8_t[]", size + 1), ffi.new("struct nr_pdu_builder *")
    buf[size] = 0xEE
    lib.nr_pdu_start(b, link, buf, size)

    def put_elements():
        for ce in made:
            lib.nr_pdu_ce(b, ce)

    lib.nr_pdu_reserve(b, ce_bytes) if link == UL else put_elements()
    for lcid, sdu in data:
        assert lib.nr_pdu_room(b) >= len(sdu)
        ffi.memmove(lib.nr_pdu_at(b), sdu, len(sdu))
        offset = lib.nr_pdu_sdu(b, lcid, len(sdu))
        assert bytes(ffi.buffer(buf, size))[offset:offset + len(sdu)] == sdu
    if link == UL:
        put_elements()
    assert lib.nr_pdu_end(b) == extra
    assert buf[size] == 0xEE

    pdu = bytes(ffi.buffer(buf, size))
    expected_ces = [(lcid, octets) for _, lcid, octets in ces]
    expected = [*expected_ces, *data] if link == DL else [*data, *expected_ces]
    assert list(subpdus(link, pdu)) == expected + ([(63, bytes(extra - 1))] if extra else [])
    found = read(link, pdu)
    assert [(lcid, octets) for lcid, octets, _ in found] == list(subpdus(link, pdu))
    assert all(says(ce, fields) for (fields, _, _), (_, _, ce) in zip(ces, (f for f in found if f[2]), strict=True))
    assert lib.nr_pdu_check(link, buf, size) == extra


def says(struct, fields: dict) -> bool:
    """The structure has these values."""
    for name, value in fields.items():
        found = getattr(struct, name)
        if isinstance(value, dict):
            same = says(found, value)
        elif isinstance(value, list):
            same = list(found)[:len(value)] == value
        else:
            same = found == value
        if not same:
            return False
    return True


def read(link: int, pdu: bytes) -> list:
    """As the core reads it: LCID, bytes, and the element made of them."""
    r, s, found = ffi.new("struct nr_pdu_reader *"), ffi.new("struct nr_subpdu *"), []
    buf = ffi.from_buffer("uint8_t[]", pdu)
    lib.nr_pdu_read(r, link, buf, len(pdu))
    while (result := lib.nr_pdu_next(r, s)) > 0:
        ce = ffi.new("struct nr_ce *")
        is_element = not s.is_sdu and s.lcid != 63
        if is_element:
            assert lib.nr_ce_unpack(ce, r, s) == 0
        found.append((s.lcid, pdu[s.off:s.off + s.len], ce if is_element else None))
    assert result == 0
    return found


def test_levels_are_those_of_wireshark():
    """Which has the tables of TS 38.321, too: level -> greatest buffer size in it."""
    done = subprocess.run(["tshark", "-G", "values"], capture_output=True, text=True, check=True)
    bound = re.compile(r"^V\tmac-nr\.control\.bsr\.([a-z0-9-]+)\t(\d+)\t\d+ < BS <= (\d+)$", re.M)
    fields: dict[str, list] = {}
    for field, level, upper in bound.findall(done.stdout):
        fields.setdefault(field, []).append((int(level), int(upper)))
    assert fields["trunc-bs"] == [(level, lib.nr_bsr_bytes8(level)) for level in range(1, 254)]
    # The field of a group has both tables, the short one first.
    assert fields["bs-lcg0"][:30] == [(level, lib.nr_bsr_bytes5(level)) for level in range(1, 31)]


@fast
@given(st.sampled_from([DL, UL]), st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(link, pdu):
    """And what is read is all of it: subPDUs follow each other, each inside."""
    buf = ffi.from_buffer("uint8_t[]", pdu)
    padding = lib.nr_pdu_check(link, buf, len(pdu))
    if padding < 0:
        assert padding == EBADMSG
        return
    assert [(lcid, octets) for lcid, octets, _ in read(link, pdu)] == list(subpdus(link, pdu))
