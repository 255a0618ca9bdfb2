# SPDX-License-Identifier: GPL-2.0-or-later
"""Links, addresses, routes and neighbours of the current network namespace, by rtnetlink.

In a guest ip(8) takes as long to start as a node with all its addresses and routes does here, and every node would
need one of its own. What is asked for is written in ip's words, so that it can be read and tried by hand.

Source: include/uapi/linux/netlink.h, rtnetlink.h, if_link.h, if_addr.h, neighbour.h, fib_rules.h, veth.h, gen_stats.h,
pkt_sched.h
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Any

_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
_ATTRIBUTE = struct.Struct("=HH")  # length, type
_LINK = struct.Struct("=BxHiII")  # family, type, index, flags, which of them to change
_ADDRESS = struct.Struct("=BBBBI")  # family, prefix length, flags, scope, index
_ROUTE = struct.Struct("=BBBBBBBBI")  # family, lengths, TOS, table, protocol, scope, type, flags
_RULE = struct.Struct("=BBBBBxxBI")  # family, lengths, TOS, table, action, flags
_NEIGHBOUR = struct.Struct("=BxxxiHBB")  # family, index, state, flags, type
_QDISC = struct.Struct("=BxxxiIII")  # family, index, handle, parent, references

_ERROR, _DONE = 2, 3
_REQUEST, _ACK, _REPLACE, _DUMP, _EXCLUSIVE, _CREATE = 0x1, 0x4, 0x100, 0x300, 0x200, 0x400
_NEWLINK, _DELLINK, _NEWADDR, _NEWROUTE, _NEWNEIGH, _NEWRULE, _GETQDISC = 16, 17, 20, 24, 28, 32, 38
_UP, _NOARP = 0x1, 0x80
_IFLA_ADDRESS, _IFLA_IFNAME, _IFLA_MTU, _IFLA_LINKINFO, _IFLA_NET_NS_PID, _IFLA_GSO_MAX_SEGS = 1, 3, 4, 18, 19, 40
_INFO_KIND, _INFO_DATA, _VETH_PEER = 1, 2, 1
_IFA_ADDRESS, _IFA_LOCAL, _IFA_FLAGS = 1, 2, 8
_IFA_F_NODAD, _IFA_F_NOPREFIXROUTE = 0x2, 0x200
_RTA_DST, _RTA_OIF, _RTA_GATEWAY, _RTA_PREFSRC, _RTA_METRICS = 1, 4, 5, 7, 8
_FRA_SRC, _FRA_OIFNAME, _FR_ACT_TO_TBL = 2, 17, 1
_RT_TABLE_MAIN, _RTPROT_BOOT, _RT_SCOPE_LINK, _RTN_UNICAST = 254, 3, 253, 1
_RTAX_LOCK = 1
_METRICS = {"mtu": 2, "window": 3, "advmss": 8, "initcwnd": 11, "rto_min": 13, "quickack": 15}
# Of these the kernel takes the value only where it is locked.
_LOCKED = ("rto_min",)
_NDA_DST, _NDA_LLADDR, _NUD_PERMANENT = 1, 2, 0x80
_TCA_KIND, _TCA_STATS2 = 1, 7
_TCA_STATS_BASIC, _TCA_STATS_QUEUE, _TCA_STATS_APP = 1, 3, 4
_BASIC = struct.Struct("=QI")  # bytes, packets
_DROPS = struct.Struct("=8xI")  # after packets and bytes in the queue
_RED = struct.Struct("=IIII")  # early, pdrop, other, marked
_ROOT_PARENT = 0xFFFFFFFF
_READ_BYTES = 1 << 16
_EVERYWHERE = "0.0.0.0/0"


def _attribute(kind: int, value: bytes | int | str) -> bytes:
    if isinstance(value, int):
        value = struct.pack("=I", value)
    elif isinstance(value, str):
        value = value.encode() + b"\0"
    length = _ATTRIBUTE.size + len(value)
    return _ATTRIBUTE.pack(length, kind) + value + bytes(-length % 4)


def _packed(ip: str) -> tuple[int, bytes]:
    """Family and bytes of an address."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    return family, socket.inet_pton(family, ip)


def _prefix(text: str) -> tuple[int, bytes, int]:
    """Family, bytes and length of a prefix, or of one address."""
    ip, _, length = text.partition("/")
    family, packed = _packed(ip)
    return family, packed, int(length) if length else 8 * len(packed)


class Rtnetlink:
    """Requests to the namespace in which it was made; each says what it is in ip's words when it fails."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._indices: dict[str, int] = {}

    def __enter__(self) -> Rtnetlink:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._socket.close()

    def add_veth(self, *ends: tuple[str, str, int]) -> None:
        """`ip link add`: a pair of interfaces, each with its MAC address and the process in whose namespace it is.

        Kernels before 6.15 refuse a first name that the namespace of the request has already, wherever the interface
        will be. So ask from the namespace of the first end.
        """
        near, far = (_attribute(_IFLA_IFNAME, name) + _attribute(_IFLA_ADDRESS, bytes.fromhex(mac.replace(":", "")))
                     + _attribute(_IFLA_NET_NS_PID, pid) for name, mac, pid in ends)
        peer = _attribute(_VETH_PEER, _LINK.pack(0, 0, 0, 0, 0) + far)
        info = _attribute(_INFO_KIND, "veth") + _attribute(_INFO_DATA, peer)
        self._ask("link add " + " ".join(name for name, _, _ in ends), _NEWLINK, _CREATE | _EXCLUSIVE,
                  _LINK.pack(0, 0, 0, 0, 0) + near + _attribute(_IFLA_LINKINFO, info))

    def remove_link(self, interface: str) -> None:
        """`ip link delete IF`"""
        self._ask(f"link delete {interface}", _DELLINK, 0, _LINK.pack(0, 0, self._index(interface), 0, 0))

    def move_link(self, interface: str, pid: int) -> None:
        """`ip link set IF netns PID`"""
        self._ask(f"link set {interface} netns {pid}", _NEWLINK, 0, _LINK.pack(0, 0, self._index(interface), 0, 0)
                  + _attribute(_IFLA_NET_NS_PID, pid))

    def set_up(self, interface: str, mtu: int | None = None, gso_max_segs: int | None = None,
               arp: bool = True) -> None:
        """`ip link set IF [mtu MTU] [gso_max_segs N] [arp off] up`"""
        flags = _UP if arp else _UP | _NOARP
        body = _LINK.pack(0, 0, self._index(interface), flags, flags)
        for kind, value in ((_IFLA_MTU, mtu), (_IFLA_GSO_MAX_SEGS, gso_max_segs)):
            body += _attribute(kind, value) if value is not None else b""
        self._ask(f"link set {interface} up", _NEWLINK, 0, body)

    def add_address(self, address: str, interface: str, with_route: bool = True) -> None:
        """`ip address add ADDRESS/LENGTH dev IF`, one of IPv6 with `nodad` and, unless @with_route, `noprefixroute`"""
        family, packed, length = _prefix(address)
        body = (_ADDRESS.pack(family, length, 0, 0, self._index(interface))
                + _attribute(_IFA_LOCAL, packed) + _attribute(_IFA_ADDRESS, packed))
        if family == socket.AF_INET6:
            body += _attribute(_IFA_FLAGS, _IFA_F_NODAD | (0 if with_route else _IFA_F_NOPREFIXROUTE))
        self._ask(f"address add {address} dev {interface}", _NEWADDR, _CREATE | _EXCLUSIVE, body)

    def replace_route(self, words: list[str]) -> None:
        """`ip route replace`, of: PREFIX|default dev IF [via ADDRESS] [src ADDRESS] [table N] and metrics."""
        given = dict(zip(words[1::2], words[2::2], strict=True))
        if unknown := given.keys() - {"dev", "via", "src", "table", *_METRICS}:
            raise ValueError(f"route {' '.join(words)}: {', '.join(unknown)}")
        family, packed, length = _prefix(_EVERYWHERE if words[0] == "default" else words[0])
        scope = 0 if "via" in given or family == socket.AF_INET6 else _RT_SCOPE_LINK
        table = int(given.get("table", _RT_TABLE_MAIN))
        body = _ROUTE.pack(family, length, 0, 0, table, _RTPROT_BOOT, scope, _RTN_UNICAST, 0)
        if length:
            body += _attribute(_RTA_DST, packed)
        body += _attribute(_RTA_OIF, self._index(given["dev"]))
        for word, kind in (("via", _RTA_GATEWAY), ("src", _RTA_PREFSRC)):
            body += _attribute(kind, _packed(given[word])[1]) if word in given else b""
        metrics = {word: int(given[word].removesuffix("ms")) for word in _METRICS if word in given}
        if metrics:
            locked = sum(1 << _METRICS[word] for word in _LOCKED if word in metrics)
            body += _attribute(_RTA_METRICS, (_attribute(_RTAX_LOCK, locked) if locked else b"")
                               + b"".join(_attribute(_METRICS[word], value) for word, value in metrics.items()))
        self._ask(f"route replace {' '.join(words)}", _NEWROUTE, _CREATE | _REPLACE, body)

    def add_rule(self, words: Sequence[str]) -> None:
        """`ip rule add`, of: [from PREFIX] [oif IF] table N; of the prefix's version of IP, or of IPv4."""
        given = dict(zip(words[::2], words[1::2], strict=True))
        family, packed, length = _prefix(given.get("from", _EVERYWHERE))
        chosen = _attribute(_FRA_SRC, packed) if length else b""
        chosen += _attribute(_FRA_OIFNAME, given["oif"]) if "oif" in given else b""
        self._ask(f"rule add {' '.join(words)}", _NEWRULE, _CREATE | _EXCLUSIVE,
                  _RULE.pack(family, 0, length, 0, int(given["table"]), _FR_ACT_TO_TBL, 0) + chosen)

    def replace_neighbour(self, words: list[str]) -> None:
        """`ip neighbour replace`, of: ADDRESS lladdr MAC dev IF nud permanent."""
        given = dict(zip(words[1::2], words[2::2], strict=True))
        family, packed = _packed(words[0])
        self._ask(f"neighbour replace {' '.join(words)}", _NEWNEIGH, _CREATE | _REPLACE,
                  _NEIGHBOUR.pack(family, self._index(given["dev"]), _NUD_PERMANENT, 0, 0)
                  + _attribute(_NDA_DST, packed)
                  + _attribute(_NDA_LLADDR, bytes.fromhex(given["lladdr"].replace(":", ""))))

    def qdiscs(self, counters: bool = False) -> list[dict[str, Any]]:
        """All there are, as `tc -j qdisc show` has them, without their options.

        Args:
            counters: with packets and drops, and with what RED dropped early and marked, as `tc -s -j` has them.
        """
        found = []
        for body in self._dump(_GETQDISC, _QDISC.pack(0, 0, 0, 0, 0)):
            _, index, handle, parent, references = _QDISC.unpack_from(body)
            place = {"root": True} if parent == _ROOT_PARENT else {"parent": _handle(parent)}
            attributes = body[_QDISC.size:]
            kind = _read(attributes, _TCA_KIND).rstrip(b"\0").decode()
            found.append({"kind": kind, "handle": _handle(handle), "dev": socket.if_indextoname(index), **place,
                          **({"refcnt": references} if references != 1 else {}),
                          **(_counters(kind, _read(attributes, _TCA_STATS2)) if counters else {})})
        return found

    def _index(self, interface: str) -> int:
        if interface not in self._indices:
            self._indices[interface] = socket.if_nametoindex(interface)
        return self._indices[interface]

    def _ask(self, what: str, kind: int, flags: int, body: bytes) -> None:
        """Raises OSError with @what and the kernel's reason when it refuses."""
        self._socket.send(_HEADER.pack(_HEADER.size + len(body), kind, _REQUEST | _ACK | flags, 0, 0) + body)
        for _, payload in _messages(self._socket.recv(_READ_BYTES)):
            (code,) = struct.unpack_from("=i", payload)
            if code:
                raise OSError(-code, f"{what}: {os.strerror(-code)}")

    def _dump(self, kind: int, body: bytes) -> list[bytes]:
        self._socket.send(_HEADER.pack(_HEADER.size + len(body), kind, _REQUEST | _DUMP, 0, 0) + body)
        found: list[bytes] = []
        while True:
            for what, payload in _messages(self._socket.recv(_READ_BYTES)):
                if what in (_DONE, _ERROR):
                    return found
                found.append(payload)


def _messages(data: bytes) -> list[tuple[int, bytes]]:
    """Types and bodies of the messages in a datagram."""
    found = []
    while data:
        length, kind, _, _, _ = _HEADER.unpack_from(data)
        found.append((kind, data[_HEADER.size:length]))
        data = data[length + -length % 4:]
    return found


def _read(attributes: bytes, wanted: int) -> bytes:
    """The value of one attribute, empty where it is missing."""
    while attributes:
        length, kind = _ATTRIBUTE.unpack_from(attributes)
        if kind == wanted:
            return attributes[_ATTRIBUTE.size:length]
        attributes = attributes[length + -length % 4:]
    return b""


def _counters(kind: str, statistics: bytes) -> dict[str, int]:
    """Of a qdisc, from its nested statistics."""
    _, packets = _BASIC.unpack_from(_read(statistics, _TCA_STATS_BASIC))
    (drops,) = _DROPS.unpack_from(_read(statistics, _TCA_STATS_QUEUE))
    found = {"packets": packets, "drops": drops}
    if kind == "red":
        early, _, _, marked = _RED.unpack_from(_read(statistics, _TCA_STATS_APP))
        found |= {"early": early, "marked": marked}
    return found


def _handle(number: int) -> str:
    """As tc(8) writes MAJOR:MINOR."""
    minor = number & 0xFFFF
    return f"{number >> 16:x}:{minor:x}" if minor else f"{number >> 16:x}:"
