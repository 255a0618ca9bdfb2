# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio networks other than LTE: which keys each has, and which it has not."""

from __future__ import annotations

import typing

from cellbed.scenario import nr
from cellbed.scenario.bearer import Bearer
from cellbed.scenario.radio import Radio
from cellbed.scenario.system import System


def others() -> dict[str, type[System]]:
    """Radio networks in place of LTE, and their keys."""
    names = typing.get_args(Radio.model_fields["system"].annotation)[1:]
    return {name: typing.get_args(Radio.model_fields[name].annotation)[0] for name in names}


def check(radio: Radio, enbs: list[str], sgws: list[str]) -> None:
    """Refuse what a system does not have.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    needed = (radio.system, *others()[radio.system].PARTS_OF) if radio.system != "lte" else ()
    for system in others():
        if system not in needed and getattr(radio, system) is not None:
            raise ValueError(f"key 'radio.{system}': radio.system is {radio.system}; remove the key, or set "
                             f"radio.system: {system}")
        if system in needed and getattr(radio, system) is None:
            raise ValueError(f"key 'radio.{system}': missing; radio.system {radio.system} needs it")
        for name, ue in radio.ues.items():
            if radio.system != system and getattr(ue, system, None) is not None:
                raise ValueError(f"key 'radio.ues.{name}.{system}': radio.system is {radio.system}; remove the key, or "
                                 f"set radio.system: {system}")
    if radio.system not in ("nr", "en_dc"):
        _check_not_nr(radio)
    if radio.system == "lte":
        return
    own: System = getattr(radio, radio.system)
    _check_apart(radio, own, enbs, sgws)
    if isinstance(own, nr.Nr):
        own.check_cells(radio, enbs)
    own.check(f"radio.{radio.system}", radio.max_pkts)
    own.check_radio(radio)
    for name, ue in radio.ues.items():
        of_ue: System | None = getattr(ue, radio.system, None)
        if of_ue is not None:
            of_ue.check(f"radio.ues.{name}.{radio.system}", radio.max_pkts)


def _check_not_nr(radio: Radio) -> None:
    """No key or value of these sections that is NR's only."""
    if radio.handover.procedure in ("conditional", "daps"):
        raise ValueError(f"key 'radio.handover.procedure': value {radio.handover.procedure}: radio.system "
                         f"{radio.system} does not have it; allowed standard, fast_path_switch, prediction, or set "
                         "radio.system: nr")
    if radio.channel is not None and radio.channel.route is not None and radio.channel.route.beams is not None:
        raise ValueError(f"key 'radio.channel.route.beams': radio.system {radio.system} does not have them; remove the "
                         "key, or set radio.system: nr")
    layers: list[tuple[str, Radio | Bearer]] = [("radio", radio)]
    layers += [(f"radio.ues.{name}.bearers.{i}", bearer) for name, ue in radio.ues.items()
               for i, bearer in enumerate(ue.bearers)]
    for where, of in layers:
        for section, keys in nr.ONLY_IN_NR.items():
            for key in keys:
                value = getattr(getattr(of, section, None), key, None)
                if value is not None:
                    raise ValueError(f"key '{where}.{section}.{key}': value {value}: radio.system {radio.system} does "
                                     "not have the key; remove it, or set radio.system: nr")
        nr.check_sn_bits(where, of, "lte")
    for name, ue in radio.ues.items():
        for key in nr.SECOND_CELL:
            if getattr(ue, key) is not None:
                raise ValueError(f"key 'radio.ues.{name}.{key}': value {getattr(ue, key)}: radio.system {radio.system} "
                                 "does not have the key; remove it, or set radio.system: nr")


def _check_apart(radio: Radio, own: System, enbs: list[str], sgws: list[str]) -> None:
    """UEs that talk to the network, and no key that only LTE has."""
    only = f"radio.system {radio.system} does not have it; remove it, or set radio.system: lte"
    for key in sorted(radio.model_fields_set - own.RADIO_KEYS - {radio.system, *own.PARTS_OF}):
        raise ValueError(f"key 'radio.{key}': {only}")
    if sgws and not own.HAS_CORE:
        raise ValueError(f"key 'nodes.{sgws[0]}.kind': value sgw: {only}")
    for name, ue in radio.ues.items():
        if ue.peer not in enbs:
            raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: UEs of radio.system {radio.system} have "
                             f"no direct links; name the enb node, which is {own.ENB}")
        for key in sorted(ue.model_fields_set - own.UE_KEYS - set(others())):
            raise ValueError(f"key 'radio.ues.{name}.{key}': {only}")
