# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio networks other than LTE: which keys each has, and which it has not."""

from __future__ import annotations

import typing

from cellbed.scenario.radio import Radio
from cellbed.scenario.system import System

# What else under `radio`, and of a UE, they have.
_RADIO_KEYS = {"system", "max_pkts", "ues"}
_UE_KEYS = {"peer", "mode", "rnti"}


def others() -> dict[str, type[System]]:
    """Radio networks in place of LTE, and their keys."""
    names = typing.get_args(Radio.model_fields["system"].annotation)[1:]
    return {name: typing.get_args(Radio.model_fields[name].annotation)[0] for name in names}


def check(radio: Radio, enbs: list[str], sgws: list[str]) -> None:
    """Refuse what a system does not have.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    for system in others():
        if radio.system != system and getattr(radio, system) is not None:
            raise ValueError(f"key 'radio.{system}': allowed with radio.system: {system} only, which is {radio.system}")
        if radio.system == system and getattr(radio, system) is None:
            raise ValueError(f"key 'radio.{system}': missing, as radio.system is {system}")
        for name, ue in radio.ues.items():
            if radio.system != system and getattr(ue, system, None) is not None:
                raise ValueError(f"key 'radio.ues.{name}.{system}': allowed with radio.system: {system} only, which is "
                                 f"{radio.system}")
    if radio.system == "lte":
        return
    own: System = getattr(radio, radio.system)
    _check_apart(radio, own, enbs, sgws)
    own.check(f"radio.{radio.system}", radio.max_pkts)
    for name, ue in radio.ues.items():
        of_ue: System | None = getattr(ue, radio.system, None)
        if of_ue is not None:
            of_ue.check(f"radio.ues.{name}.{radio.system}", radio.max_pkts)


def _check_apart(radio: Radio, own: System, enbs: list[str], sgws: list[str]) -> None:
    """UEs that talk to the network, each by a link of its own, and no key of LTE."""
    only = f"allowed with radio.system: lte only, which is {radio.system}"
    for key in sorted(radio.model_fields_set - _RADIO_KEYS - {radio.system}):
        raise ValueError(f"key 'radio.{key}': {only}")
    if sgws:
        raise ValueError(f"key 'nodes.{sgws[0]}.kind': value sgw: {only}")
    for name, ue in radio.ues.items():
        if ue.peer not in enbs:
            raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: allowed the enb node, which is "
                             f"{own.ENB} when radio.system is {radio.system}")
        for key in sorted(ue.model_fields_set - _UE_KEYS - set(others())):
            raise ValueError(f"key 'radio.ues.{name}.{key}': {only}")
