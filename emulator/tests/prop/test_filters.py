# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet filters of bearers by addresses, against Python's ipaddress."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import cffi
from coreffi import BUILD, PUBLIC, constant, declarations
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

ffi = cffi.FFI()
ffi.cdef(declarations(*PUBLIC, "base/pkt", "ran/channel/channel"))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))

UDP, ANY_DSCP = 17, constant("CELL_DSCP_ANY")
HEADROOM = ffi.typeof("struct pkt").fields[-1][1].type.length - constant("CELL_MTU_MAX")  # in front of the datagram
KINDS = {4: (IPv4Address, IPv4Network, 32), 6: (IPv6Address, IPv6Network, 128)}


@st.composite
def cases(draw):
    """A packet's addresses, and for each a prefix: of any version, and often one that differs late from the address."""
    version = draw(st.sampled_from([4, 6]))
    address, _, width = KINDS[version]
    ends = [address(draw(st.integers(0, 2**width - 1))) for _ in range(2)]
    return ends, [draw(prefixes(end)) for end in ends]


@st.composite
def prefixes(draw, near):
    """None, or a prefix whose bits may be those of an address but for one."""
    version = draw(st.sampled_from([near.version, near.version, 4, 6, None]))
    if version is None:
        return None
    _, network, width = KINDS[version]
    bits = draw(st.integers(0, width))
    flipped = draw(st.sampled_from([0, *(1 << k for k in range(width))]))
    other = int(near) >> max(near.max_prefixlen - width, 0) ^ flipped
    return network((other % 2**width, bits), strict=False)


def packet(source, destination):
    """A datagram without payload."""
    header = bytes([0x45, 0, 0, 28, 0, 0, 0, 0, 64, UDP, 0, 0]) if source.version == 4 else \
        bytes([0x60, 0, 0, 0, 0, 8, UDP, 64])
    data = header + source.packed + destination.packed + bytes(8)
    pkt = ffi.new("struct pkt *", {"len": len(data)})
    ffi.memmove(pkt.buf + HEADROOM, data, len(data))
    return pkt


def as_core(prefix):
    """Bits behind its length do not count."""
    return {"version": 0} if prefix is None else \
        {"version": prefix.version, "bits": prefix.prefixlen,
         "addr": prefix.broadcast_address.packed.ljust(16, b"\xff")}


@examples(1000)
@given(cases(), st.booleans())
def test_addresses_in_their_prefixes(case, sent):
    (local, remote), found = case
    bearer = ffi.new("struct cell_bearer_cfg *", {"n_filters": 1, "filter": [
        {"dscp": ANY_DSCP, "local": as_core(found[0]), "remote": as_core(found[1])}]})
    ends = (local, remote) if sent else (remote, local)
    wanted = all(prefix is None or end in prefix for end, prefix in zip((local, remote), found, strict=True))
    assert lib.channel_takes(bearer, packet(*ends), sent) == wanted
