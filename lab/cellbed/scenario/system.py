# SPDX-License-Identifier: GPL-2.0-or-later
"""What the keys of a radio network in place of LTE say of it, besides themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from cellbed.scenario.fields import Model


class System(Model):
    """Keys of `radio.<system>`, which are there with that `radio.system` only."""

    #: Where its fields are in struct cell_cfg, which is a structure of its own.
    PREFIX: ClassVar[str]
    #: Parts of that structure, by the first key of each: a key belongs to the part that began last.
    PARTS: ClassVar[Mapping[str, str]] = {}
    #: What the eNB of a scenario is there.
    ENB: ClassVar[str]
    #: Whether its base stations may have a core network with tunnels, and there may be several of them.
    HAS_CORE: ClassVar[bool] = False
    #: What else it has under `radio`, and of a UE.
    RADIO_KEYS: ClassVar[frozenset[str]] = frozenset({"system", "max_pkts", "mtu", "ues"})
    UE_KEYS: ClassVar[frozenset[str]] = frozenset({"peer", "mode", "rnti"})
    #: Sections of other systems that it needs.
    PARTS_OF: ClassVar[tuple[str, ...]] = ()

    def check(self, where: str, max_pkts: int) -> None:
        """Raises ValueError for keys that do not fit each other.

        Args:
            where: key of the section, for messages.
            max_pkts: packets that the radio daemon holds at most, `radio.max_pkts`.
        """

    def check_radio(self, radio: Any) -> None:
        """Raises ValueError for values of RADIO_KEYS that it does not have."""
