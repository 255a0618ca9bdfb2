# SPDX-License-Identifier: GPL-2.0-or-later
"""One packet on both sides of a translator: 464XLAT changes addresses and headers of IP between the captures of a run.

Ports, numbers of TCP, payload, and identifiers of echoes stay as they are. So readers give a packet the addresses that
servers see of it, wherever it was captured, and one of TCP its timestamp as identification, which only one of the two
versions of IP has. Then a packet is the same in all captures, as without translators.

A socket of IPv4 on a UE has an address that is the same on every UE. Its ports tell whose it is.

Source: RFC 6877; RFC 7335; RFC 6052 section 2.2; RFC 7915 sections 4.1, 5.1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Any

import numpy as np
import polars as pl

from .address import number_of

#: Of the NAT64 and of programs on UEs, as the lab sets them up (cellbed.run.xlat).
PREFIX, HOST = "fd64:ff9b::/96", "192.0.0.4"
#: By which the header of IPv6 is longer than that of IPv4.
GROWS_BYTES = 20
_HIGH, _MIDDLE = (int(IPv6Network(PREFIX).network_address) >> shift for shift in (64, 32))

#: A socket on a UE, by its port, its peer's address and its peer's port.
Socket = tuple[int, int, int]


@dataclass(frozen=True)
class Translation:
    """The translators of a run. Addresses are numbers as in address.py."""

    clats: Mapping[str, int]  # of UEs, by name: the whole address of IPv6 of their CLAT
    pool: Mapping[str, int]  # what servers see of each

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Translation | None:
        """That of a run with these settings, None where nothing is translated."""
        ues = {name: node for name, node in settings.get("nodes", {}).items() if node.get("clat")}
        if not ues:
            return None
        return cls({name: int(IPv6Address(node["clat"].split("/")[0])) for name, node in ues.items()},
                   {name: number_of(node["nat64"].split("/")[0]) for name, node in ues.items()})

    def seen(self, high: np.ndarray, low: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Numbers of addresses of IPv6, of those that stand for one of IPv4 that one's.

        Args:
            high, low: (n,) uint64, halves of the addresses.
            numbers: (n,) uint32, theirs.
        """
        of_ipv4 = (high == np.uint64(_HIGH)) & (low >> np.uint64(32) == np.uint64(_MIDDLE & 0xFFFFFFFF))
        found = np.where(of_ipv4, (low & np.uint64(0xFFFFFFFF)).astype(np.uint32), numbers)
        for name, clat in self.clats.items():
            own = (high == np.uint64(clat >> 64)) & (low == np.uint64(clat & (1 << 64) - 1))
            found = np.where(own, np.uint32(self.pool[name]), found)
        return found

    @property
    def hosts(self) -> dict[int, str]:
        """Name of the UE whose sockets have the address HOST, where there is only one."""
        return {number_of(HOST): next(iter(self.pool))} if len(self.pool) == 1 else {}

    def translated(self) -> pl.Expr:
        """Whether a packet of a capture, with addresses as servers see them, is one that was translated."""
        pool = list(self.pool.values())
        return pl.col("src").is_in(pool) | pl.col("dst").is_in(pool)

    def grows_bytes(self, *ends: int) -> int:
        """How much longer packets between these addresses are on the radio than at the server."""
        return GROWS_BYTES if set(ends).intersection(self.pool.values()) else 0

    def of_samples(self, tcp: pl.DataFrame, captures: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        """Rows of tcp.trace. Args: captures: by node, as read for this run."""
        ends, host, kind = ["sport", "daddr", "dport"], number_of(HOST), tcp.schema["saddr"]
        sockets = tcp.filter(pl.col("saddr") == host).select("saddr", *ends).unique()
        owners = self._owners(captures)
        own = [self._owner(socket, owners) for socket in sockets.select(ends).iter_rows()]
        joined = tcp.join(sockets.with_columns(own=pl.Series(own, dtype=kind)), on=["saddr", *ends], how="left",
                          maintain_order="left")
        return joined.with_columns(saddr=pl.coalesce("own", "saddr")).drop("own")

    def of_probe(self, counted: Iterable[Mapping[str, Any]], captures: Mapping[str, pl.DataFrame]
                 ) -> list[Mapping[str, Any]]:
        """`flows` of tcp.json."""
        owners = self._owners(captures)
        return [entry if entry["saddr"] != HOST else {**entry, "saddr": str(IPv4Address(self._owner(
            (entry["sport"], number_of(entry["daddr"]), entry["dport"]), owners)))} for entry in counted]

    def _owner(self, socket: Socket, owners: Mapping[Socket, int]) -> int:
        """What servers see in place of HOST of a socket; HOST where that is not known."""
        if len(self.pool) == 1:
            return next(iter(self.pool.values()))
        return owners.get(socket) or number_of(HOST)

    def _owners(self, captures: Mapping[str, pl.DataFrame]) -> dict[Socket, int]:
        """Whose sockets are by the captures of UEs, by an address of `pool`; 0: of several."""
        owners: dict[Socket, int] = {}
        for own in self.pool.values() if len(self.pool) > 1 else ():
            for capture in captures.values():
                opened = capture.filter(pl.col("src") == own).select("sport", "dst", "dport").unique()
                for socket in opened.iter_rows():
                    owners[socket] = own if owners.get(socket, own) == own else 0
        return owners
