# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio networks other than LTE: which keys each has, and which it has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cellbed.scenario import packet_trace, utran

if TYPE_CHECKING:
    from cellbed.scenario.radio import Radio

# What the only UE's peer is there.
_OTHERS = {"utran": "the enb node, which is Node B and RNC when radio.system is utran",
           "packet_trace": "the enb node, which is behind the link when radio.system is packet_trace"}
# What else under `radio`, and of its UE, they have.
_RADIO_KEYS = {"system", "max_pkts", "ues"}
_UE_KEYS = {"peer", "mode", "rnti"}


def check(radio: Radio, enbs: list[str], sgws: list[str]) -> None:
    """Refuse what a system does not have.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    for system in _OTHERS:
        if radio.system != system and getattr(radio, system) is not None:
            raise ValueError(f"key 'radio.{system}': allowed with radio.system: {system} only, which is {radio.system}")
        if radio.system == system and getattr(radio, system) is None:
            raise ValueError(f"key 'radio.{system}': missing, as radio.system is {system}")
    if radio.system == "lte":
        return
    _check_alone(radio, enbs, sgws)
    if radio.utran is not None:
        utran.check_rates(radio.utran)
    if radio.packet_trace is not None:
        packet_trace.check(radio.packet_trace, radio.max_pkts)


def _check_alone(radio: Radio, enbs: list[str], sgws: list[str]) -> None:
    """One UE that talks to the network, and no key of LTE."""
    only = f"allowed with radio.system: lte only, which is {radio.system}"
    for key in sorted(radio.model_fields_set - _RADIO_KEYS - {radio.system}):
        raise ValueError(f"key 'radio.{key}': {only}")
    if sgws:
        raise ValueError(f"key 'nodes.{sgws[0]}.kind': value sgw: {only}")
    if len(radio.ues) != 1:
        raise ValueError(f"key 'radio.ues': value {', '.join(radio.ues)}: allowed one UE, as radio.system is "
                         f"{radio.system}")
    for name, ue in radio.ues.items():
        if ue.peer not in enbs:
            raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: allowed {_OTHERS[radio.system]}")
        for key in sorted(ue.model_fields_set - _UE_KEYS):
            raise ValueError(f"key 'radio.ues.{name}.{key}': {only}")
