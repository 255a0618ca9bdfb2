# SPDX-License-Identifier: GPL-2.0-or-later
"""Several radio networks of one run: each of them as the bundle of a run that has no other.

A caller who asks about a flow and the radio below it takes `over(bundle, flow)`, so that nothing else has to know that
there are several. Files of a further network begin with its name.

Source: docs/result-format.md
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from .address import networks_of_node
from .bundle import Bundle
from .flow import Flow, Sightings
from .inside import Inside

#: Of files that each radio network has: how their names begin or end.
_BEGIN, _END = ("radio.", "celld.json", "channel."), (".mahimahi", ".trains", ".sizes", ".delays", ".losses")


@dataclass(frozen=True)
class OverRadio(Bundle):
    """A run as one of its further radio networks saw it. What is not of that network is read by `whole`, once."""

    whole: Bundle
    network: str

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Those of a run that has this radio network only."""
        settings = self.whole.settings
        return {**settings, "radio": settings["radios"][self.network]}

    @property
    def over_network(self) -> str:
        """As Bundle.over_network."""
        return f" over {self.network}"

    def _is_network(self, name: str | None) -> bool:
        return name == self.network

    def _is_own_wire(self, ends: set[str]) -> bool:
        return bool(ends.intersection(self.manifest.get("radios", {}).get(self.network, {}).get("nodes", [])))

    def _called(self, name: str) -> str:
        return f"{self.network}-{name}" if name.startswith(_BEGIN) or name.endswith(_END) else name

    def has(self, name: str) -> bool:
        """As Bundle.has()."""
        return self.whole.has(self._called(name))

    def find(self, name: str) -> Inside | None:
        """As Bundle.find()."""
        return self.whole.find(self._called(name))

    def capture_name(self, node: str) -> str:
        """As Bundle.capture_name()."""
        return f"ip-{node}-{self.network}.pcap" if node in self.ue_numbers else super().capture_name(node)

    def capture(self, node: str) -> pl.DataFrame:
        """As Bundle.capture()."""
        return self.whole.capture(node)

    @cached_property
    def all_flows(self) -> list[Flow]:
        """As Bundle.all_flows."""
        return self.whole.all_flows

    @cached_property
    def pings(self) -> list[Flow]:
        """As Bundle.pings."""
        return self.whole.pings

    @cached_property
    def seen(self) -> Sightings:
        """As Bundle.seen."""
        return self.whole.seen

    @cached_property
    def tcp(self) -> pl.DataFrame:
        """As Bundle.tcp."""
        return self.whole.tcp


def networks(bundle: Bundle) -> dict[str, Bundle]:
    """Further radio networks of a run by name: its bundle as each of them saw the run."""
    if "networks" not in bundle.made:
        bundle.made["networks"] = {name: OverRadio(bundle.path, bundle.manifest, bundle, name)
                                   for name in bundle.settings.get("radios") or {}}
    found: dict[str, Bundle] = bundle.made["networks"]
    return found


def over(bundle: Bundle, flow: Flow) -> Bundle:
    """A run as the radio network saw it over which a flow goes, of MPTCP its first subflow."""
    names: dict[int, str] = {}
    for node in bundle.settings.get("nodes", {}).values():
        names |= networks_of_node(node)
    name = names.get(flow.saddr) or names.get(flow.daddr)
    return bundle if name is None else networks(bundle)[name]
