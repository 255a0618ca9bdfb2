# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses as numbers of 32 bits, by which captures, tcp.trace and flows are compared.

That of IPv4 is its own number. One of IPv6 has a hash of its bytes behind four bits that no host's address of IPv4
begins with; tcp.json, manifests and captures have the address itself. The probe computes the same
(ebpf/tcpwatch/tcpwatch.h).

The hash is FNV-1a, of 32 bits. 240.0.0.0/4 is reserved, so no host has an address of it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

FNV_OFFSET, FNV_PRIME, NO_IPV4 = 0x811C9DC5, 0x01000193, 0xF0000000


def number_of(text: str) -> int:
    """An address as a number; of IPv4 with the first octet in the high byte.

    Raises:
        ValueError: it is none.
    """
    address = ipaddress.ip_address(text)
    if address.version == 4:
        return int(address)
    number = int(address)
    return int(numbers_of_ipv6(np.array([number >> 64], dtype=np.uint64),
                               np.array([number & (1 << 64) - 1], dtype=np.uint64))[0])


def numbers_of_ipv6(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Numbers of addresses of IPv6.

    Args:
        high, low: (n,) uint64, halves of the addresses.

    Returns:
        (n,) uint32.
    """
    number = np.full(len(high), FNV_OFFSET, dtype=np.uint32)
    for half in (high, low):
        for shift in range(56, -8, -8):
            octet = (half >> np.uint64(shift)).astype(np.uint64) & np.uint64(0xFF)
            number = (number ^ octet.astype(np.uint32)) * np.uint32(FNV_PRIME)
    return number | np.uint32(NO_IPV4)


def numbers_of_node(node: Mapping[str, Any]) -> list[int]:
    """Those of a scenario's node: its `address` is one, a list of them, or none; `radios` has as many for each
    network, and `nat64` what servers see of it."""
    further = [one for said in (node.get("radios") or {}).values() for one in texts_of(said)]
    return [number_of(one) for one in (*texts_of(node.get("address")), *further, *texts_of(node.get("nat64")))]


def networks_of_node(node: Mapping[str, Any]) -> dict[int, str]:
    """By the numbers of a UE's addresses on further radio networks, the names of these."""
    return {number_of(one): name for name, said in (node.get("radios") or {}).items() for one in texts_of(said)}


def texts_of(said: str | Sequence[str] | None) -> list[str]:
    """Addresses of a scenario's key, which has one, a list, or none; without the lengths of their prefixes."""
    return [str(one).split("/")[0] for one in ([said] if isinstance(said, str) else said or [])]


def text_of(number: int, known: Mapping[int, str]) -> str:
    """An address for people. Args: known: those of IPv6 by their numbers; one that is not among them has no text."""
    if number >= NO_IPV4:
        return known.get(number, f"[{number & ~NO_IPV4:07x}]")
    return str(ipaddress.IPv4Address(number))
