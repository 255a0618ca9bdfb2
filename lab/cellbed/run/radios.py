# SPDX-License-Identifier: GPL-2.0-or-later
"""Several radio networks of one run: each of them by itself is a run that has no other.

`radio` is the first; `radios` has further ones by name, with a radio daemon each. A UE that is on one of these has an
interface of its name. What makes a radio network of a run's settings takes them as `alone` gives them, so that nothing
else has to know that there are several.
Works on a run's settings and needs nothing beyond the standard library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cellbed.run import address, core_network

# Of UEs on the first radio network.
FIRST_INTERFACE = "lte0"
# Keys of channels; the second one is that of the gNB of EN-DC.
CHANNEL, GNB_CHANNEL = "radio.channel", "radio.en_dc.channel"
# The routing table of the first one of `radios`; tables of further ones follow. Linux has 253 to 255 itself.
_FIRST_TABLE = 100
# Of the seeds that a scenario may have.
_SEED_BITS = 53


def names(settings: Mapping[str, Any]) -> list[str | None]:
    """Those of all radio networks; None is `radio`."""
    return [None, *(settings.get("radios") or {})]


def stations(kinds: Mapping[str, str], links: Iterable[tuple[str, str]], peers: Iterable[str]) -> set[str]:
    """Nodes that route for a radio network: peers of its UEs, and what links join to them other than by a server.

    Args:
        kinds: of all nodes, by name.
        links: both ends of each wired link.
    """
    joins = [link for link in links if all(kinds[end] in core_network.KINDS for end in link)]
    found = {peer for peer in peers if kinds[peer] in core_network.KINDS}
    while more := {end for link in joins if found.intersection(link) for end in link} - found:
        found |= more
    return found


def alone(settings: dict[str, Any], name: str | None) -> dict[str, Any]:
    """Settings of a run that has only this radio network, with its UEs, its own nodes and links, and the servers that
    these lead to. Of a further network they have `further`: the UEs' interface and its routing table.

    What they hold is shared with @settings, which they are themselves where there are no others.
    """
    if not settings.get("radios"):
        return settings
    radio = settings["radio"] if name is None else settings["radios"][name]
    kinds = {node: of["kind"] for node, of in settings["nodes"].items()}
    ends = [(link["a"], link["b"]) for link in settings["links"]]
    own = stations(kinds, ends, [ue["peer"] for ue in radio["ues"].values()])
    links = [link for link in settings["links"] if own.intersection((link["a"], link["b"]))]
    kept = own.union(radio["ues"], *((link["a"], link["b"]) for link in links))
    nodes = {node: address.on_radio(of, name) for node, of in settings["nodes"].items() if node in kept}
    seen = {key: value for key, value in settings.items() if key != "radios"}
    if name is not None:
        seen["further"] = {"name": name, "table": str(_FIRST_TABLE + list(settings["radios"]).index(name))}
    return {**seen, "radio": radio, "nodes": nodes, "links": links}


def each(settings: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Every radio network with the settings that it has alone."""
    return ((name, alone(settings, name)) for name in names(settings))


def name_of(settings: Mapping[str, Any]) -> str | None:
    """Which radio network it is whose settings `alone` has given."""
    return settings["further"]["name"] if "further" in settings else None


def interface(settings: Mapping[str, Any]) -> str:
    """That of the UEs on a radio network. Args: settings: as `alone` gives them."""
    return name_of(settings) or FIRST_INTERFACE


def channels(radio: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The channels over time that a radio network has, by their keys: with EN-DC one of the eNB and one of the gNB."""
    found = {CHANNEL: radio["channel"], GNB_CHANNEL: (radio.get("en_dc") or {}).get("channel")}
    return {key: channel for key, channel in found.items() if channel is not None}


def prefix(name: str | None) -> str:
    """What the names of a radio network's files begin with."""
    return "" if name is None else f"{name}-"


def seed(of_run: int, name: str | None) -> int:
    """Of a radio network: a further one draws other numbers than the first, even where both have the same keys."""
    if name is None:
        return of_run
    import hashlib  # takes long to import, and most runs have one radio network

    word = hashlib.sha256(f"radio {of_run} {name}".encode()).digest()[:8]
    return int.from_bytes(word, "big") >> (64 - _SEED_BITS)


def interfaces(settings: Mapping[str, Any], node: str) -> list[str]:
    """Names of a UE's interfaces, that of the first radio network first."""
    return [FIRST_INTERFACE, *(settings["nodes"][node].get("radios") or {})]
