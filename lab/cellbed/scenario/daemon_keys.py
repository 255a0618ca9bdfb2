# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of the radio core and daemon that are made of the scenario's models: defaults and limits, schedulers, and keys
as the daemon's configuration has them. The build runs this module for them.

A key of a section becomes the field of the same name in the section's structure, which is part of struct cell_cfg, a
rate with its unit; _FIELDS has those that are called otherwise or are kept in another unit. The daemon reads what has
no field by other code.
"""

from __future__ import annotations

import json
import sys
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from cellbed.scenario import bearer, control_channels, crowd, en_dc, handover, netem, qdisc, radio, radio_system
from cellbed.scenario.fields import Unit

_MADE = """/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/* Made of the models of scenarios, by the build. */
"""
_SECTIONS: dict[str, tuple[type[BaseModel], str]] = {
    "cell": (radio.Radio, ""), "timing": (radio.Timing, "lte.timing."), "ra": (radio.RandomAccess, "lte.ra."),
    "mac": (radio.Mac, "lte.mac."), "sr": (control_channels.SchedulingRequests, "lte.sr."),
    "outer_loop": (control_channels.OuterLoop, "lte.outer_loop."),
    "harq": (radio.Harq, "harq."), "control": (radio.Control, "lte.control."),
    "rlc": (bearer.Rlc, "rlc."), "rlc_um": (bearer.RlcUm, "rlc.um."), "rlc_am": (bearer.RlcAm, "rlc.am."),
    "pdcp": (bearer.Pdcp, "pdcp."), "mode_switch": (radio.ModeSwitch, "lte.mode_switch."),
    "handover": (handover.Handover, "handover."), "a3": (handover.A3, "handover.a3."),
    "condition": (handover.Condition, "handover.condition."),
    "link_failure": (handover.LinkFailure, "handover.link_failure."),
    "detach_times": (handover.Times, "handover.detach_times."),
    "preparation_times": (handover.Times, "handover.preparation_times."), "gtpu": (radio.Gtpu, "gtpu."),
    "crowd": (crowd.Crowd, "crowd."), "cqi_reports": (control_channels.CqiReports, "cqi_reports."),
    "broadcast": (control_channels.Broadcast, "nr.broadcast."), "scg": (en_dc.Scg, "en_dc.scg."),
    **{name: (model, model.PREFIX) for name, model in radio_system.others().items()}, "ues": (radio.UeRadio, ""),
    "bearers": (bearer.Bearer, ""), "filters": (bearer.Filter, ""), "netem": (netem.Netem, ""),
    "qdisc": (qdisc.Qdisc, "")}
# Of the others struct cell_cfg.
_STRUCTS = {"ues": "cell_ue_cfg", "bearers": "cell_bearer_cfg", "filters": "cell_filter",
            "packet_trace": "cell_recorded", "netem": "cell_netem", "qdisc": "cell_qdisc"}
_FIELDS = {
    "cell.n_rb": "lte.n_rb", "cell.dl_carriers": "lte.dl_carriers", "cell.dl_codewords": "lte.dl_codewords",
    "cell.ul_carriers": "lte.ul_carriers",
    "ra.rac_timeout_ms": "lte.ra.rac_timeout_tti", "timing.processing_lead_us": "lte.timing.processing_lead_ns",
    "nr.random_access": "nr.ra.procedure", "nr.aqm": "nr.aqm.mode"}
# What the daemon's configuration has in place of keys of a scenario, or beside them.
_DAEMON_ONLY = {"cell": ("enbs", "sgw", "broadcast", "scg", *handover.SECTIONS),
                "packet_trace": ("uplink_sizes_us", "downlink_sizes_us"),
                "ues": ("name", "enb", "address", "address6", "clat6")}
_SCENARIO_ONLY = {"cell": ("events", "channel", "mtu"), "timing": ("preset",), "handover": handover.SECTIONS,
                  "packet_trace": ("uplink_sizes", "downlink_sizes"), "constant_rate": ("satellite",),
                  "nr": ("broadcast",), "en_dc": ("scg", "channel"), "gtpu": ("outer",), "bearers": ("five_qi", "qci")}
# Keys that the core takes 0 for where a scenario leaves them out.
_ZERO_IF_UNSET = ("priority_level", "pdb_ms", "averaging_window_ms", "gbr_dl_bps", "gbr_ul_bps", "mbr_dl_bps",
                  "mbr_ul_bps")
_MAY_BE_UNSET = ("weight", "dscp", "second_cqi_ul", "second_cqi_dl", "nr.phy.coreset_rb")
_OF_BEARERS = ("rlc", "rlc_um", "rlc_am", "pdcp")  # sections whose fields struct cell_bearer_cfg has, too
_NS_PER_US = 1000
_CDB_PER_DB = 100
_Q32 = 2**32 - 1


@dataclass(frozen=True)
class Value:
    """A key with a field: as JSON has it, and as struct cell_cfg does."""

    name: str
    field: str
    kind: str  # enum kind of config_key.h
    low: float
    high: float
    default: int | str | None
    choices: tuple[Any, ...] = ()  # names of an enumeration, or the only numbers that there are

    def stored(self, value: Any) -> Any:
        if self.kind == "KIND_STRING":
            return json.dumps(value)
        if self.kind == "KIND_DB_TO_CDB":
            return round(value * _CDB_PER_DB)
        return int(value) * _NS_PER_US if self.kind == "KIND_US_TO_NS" else int(value)

    def limit(self, struct: str) -> str:
        """A field in nanoseconds holds what is less than a microsecond above the greatest value, too."""
        high = self.stored(self.high + 1) - 1 if self.kind == "KIND_US_TO_NS" else self.stored(self.high)
        return f"LIMIT({struct}, {self.field}, {self._least()}, {high})"

    def is_range(self) -> bool:
        """Whether two limits say all. The core takes a value that is not set for some."""
        numbers = self.choices and self.kind != "KIND_ENUM"
        return self.kind not in ("KIND_PROBABILITY", "KIND_STRING") and not numbers and self.field not in _MAY_BE_UNSET

    def drawn(self, struct: str) -> str:
        """Between which values tests may draw, ends included; the check may refuse some between."""
        high = _Q32 if self.kind == "KIND_PROBABILITY" else self.stored(self.high)
        return f"LIMIT({struct}, {self.field}, {self._least()}, {high})"

    def _least(self) -> Any:
        return 0 if self.field in _ZERO_IF_UNSET else self.stored(self.low)

    def names(self) -> str:
        """What the daemon's list of an enumeration is called."""
        return f"config_{self.field.replace('.', '_')}_names"

    def key(self, struct: str) -> str:
        if self.kind == "KIND_ENUM":
            return f'KEY_ENUM({struct}, "{self.name}", {self.field}, {self.names()})'
        return f'KEY({struct}, "{self.name}", {self.field}, {self.kind}, {self.low:.15g}, {self.high:.15g})'


def _metadata(info: FieldInfo) -> list[Any]:
    """Of a key's type, or of the types that it may have."""
    inner = [m for a in typing.get_args(info.annotation) for m in getattr(a, "__metadata__", ())]
    return [*info.metadata, *(m for one in inner for m in (one.metadata if isinstance(one, FieldInfo) else [one]))]


def _bounds(info: FieldInfo) -> tuple[float, float]:
    """Of a number, by what pydantic checks."""
    limits = _metadata(info)
    low: list[Any] = [m.ge for m in limits if isinstance(m, Ge)]
    high: list[Any] = [m.le for m in limits if isinstance(m, Le)]
    return (low[0] if low else 0), high[0]


def _fraction(name: str, field: str, info: FieldInfo, default: Any) -> Value:
    """Of a number that is no integer, by the unit of its type. Raises TypeError when that has none."""
    low, high = _bounds(info)
    units = _metadata(info)
    if Unit.DECIBEL in units:
        return Value(name, field.removesuffix("_db") + "_cdb", "KIND_DB_TO_CDB", low, high, default)
    if Unit.PROBABILITY in units:
        return Value(name, f"{field}_q32", "KIND_PROBABILITY", low, high, int((default or 0) * _Q32))
    raise TypeError(f"{name}: float without a unit: give it a type of cellbed.scenario.fields")


def _whole_kind(field: str, units: set[Unit]) -> str:
    """How a whole number is stored: a field may be in another unit than its key."""
    if Unit.MILLISECOND in units and field.endswith("_tti"):
        return "KIND_MS_TO_TTI"
    return "KIND_US_TO_NS" if Unit.MICROSECOND in units and field.endswith("_ns") else "KIND_UINT"


def _place(model: type[BaseModel], prefix: str, name: str) -> str:
    """Where the field of a key is, in the part of the structure that began last before it."""
    part = ""
    for key in model.model_fields:
        part = getattr(model, "PARTS", {}).get(key, part)
        if key == name:
            break
    return f"{prefix}{part}.{name.removeprefix(f'{part}_')}" if part else prefix + name


def _value(section: str, place: str, name: str, info: FieldInfo) -> Value | None:
    """None for what no field holds: names, lists, and sections.

    Args:
        place: of its field, where _FIELDS does not say otherwise.
    """
    annotation = info.annotation
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        annotation = next(a for a in typing.get_args(annotation) if a is not types.NoneType)
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    default = None if info.default in (None, PydanticUndefined) else info.default
    units = {unit for unit in _metadata(info) if isinstance(unit, Unit)}
    rate = Unit.BIT_PER_SECOND in units and not place.endswith("_bps")
    field = _FIELDS.get(f"{section}.{name}", place + ("_bps" if rate else ""))
    if typing.get_origin(annotation) is Literal:
        choices = typing.get_args(annotation)
        if isinstance(choices[0], str):
            return Value(name, field, "KIND_ENUM", 0, len(choices) - 1,
                         None if default is None else choices.index(default), choices)
        return Value(name, field, "KIND_UINT", min(choices), max(choices), default, choices)
    if annotation is bool:
        return Value(name, field, "KIND_BOOL", 0, 1, None if default is None else int(default))
    if annotation is float:
        return _fraction(name, field, info, default)
    if annotation is str and any(isinstance(limit, MaxLen) for limit in info.metadata):
        return Value(name, field, "KIND_STRING", 0, 0, default)
    if annotation is int:
        return Value(name, field, _whole_kind(field, units), *_bounds(info), default)
    return None


def _values(section: str, model: type[BaseModel], prefix: str) -> tuple[list[Value], list[str]]:
    """Keys with a field, and names of the others."""
    found = {name: _value(section, _place(model, prefix, name), name, info) for name, info in model.model_fields.items()
             if name not in _SCENARIO_ONLY.get(section, ())}
    return ([value for value in found.values() if value is not None],
            [*(name for name, value in found.items() if value is None), *_DAEMON_ONLY.get(section, ())])


def sections() -> dict[str, tuple[list[Value], list[str]]]:
    """Of the daemon's configuration, each with its keys that have a field and the names of the others."""
    return {name: _values(name, *of) for name, of in _SECTIONS.items()}


def _macro(name: str, entries: list[str]) -> str:
    return f"#define {name} \\\n" + ", \\\n".join(f"\t{entry}" for entry in entries) + "\n"


def values() -> str:
    """Defaults and limits, for the core, and what tests draw from; a probability may be any number that its 32 bits
    hold."""
    of_cell = [value for name, (found, _) in sections().items() for value in found if name not in _STRUCTS]
    of_bearers = [value for name in ("bearers", *_OF_BEARERS) for value in sections()[name][0]]
    parts = [_MADE, "#ifndef CFG_VALUES_H\n#define CFG_VALUES_H\n"]
    for name, struct, found in (("CFG", "cell_cfg", of_cell), ("CFG_UE", "cell_ue_cfg", sections()["ues"][0]),
                                ("CFG_BEARER", "cell_bearer_cfg", of_bearers),
                                ("CFG_FILTER", "cell_filter", sections()["filters"][0]),
                                ("CFG_RECORDED", "cell_recorded", sections()["packet_trace"][0]),
                                ("CFG_NETEM", "cell_netem", sections()["netem"][0]),
                                ("CFG_QDISC", "cell_qdisc", sections()["qdisc"][0])):
        parts.append(_macro(f"{name}_DEFAULTS", [f".{v.field} = {v.stored(v.default)}" for v in found
                                                 if v.default is not None]))
        parts.append(_macro(f"{name}_LIMITS", [value.limit(struct) for value in found if value.is_range()]))
        parts.append(_macro(f"{name}_DRAWN", [value.drawn(struct) for value in found if value.kind != "KIND_STRING"]))
    return "\n".join([*parts, "#endif\n"])


def _list(head: str, entries: list[str]) -> str:
    return f"{head}[] = {{\n" + "".join(f"\t{entry},\n" for entry in [*entries, "{ 0 }"]) + "};\n"


def _names(words: Iterable[str]) -> str:
    return ", ".join([*(f'"{word}"' for word in words), "NULL"])


def keys() -> str:
    """Keys of the configuration by section, for the daemon."""
    parts, entries = [_MADE, '#include "config_key.h"\n'], {}
    parts += [f"{'' if name == 'ues' else 'static '}const char *const {value.names()}[] = "
              f"{{ {_names(value.choices)} }};\n"
              for name, (found, _) in sections().items() for value in found if value.kind == "KIND_ENUM"]
    for name, (found, others) in sections().items():
        struct = _STRUCTS.get(name, "cell_cfg")
        parts.append(_list(f"static const struct key {name}_keys", [value.key(struct) for value in found]))
        if others:
            parts.append(f"static const char *const {name}_elsewhere[] = {{ {_names(others)} }};\n")
        entries[name] = f'{{ "{name}", {name}_keys, {f"{name}_elsewhere" if others else "NULL"} }}'
    parts += [f"const struct section config_{name} = {entries.pop(name)};\n" for name in ("cell", *_STRUCTS)]
    return "\n".join([*parts, _list("const struct section config_sections", list(entries.values()))])


def schedulers() -> str:
    """The enumeration of schedulers, for the core: a scheduler's number is its place among the words of its key."""
    words = [*typing.get_args(radio.Radio.model_fields["scheduler"].annotation), "count"]
    return "\n".join([_MADE, "#ifndef CELL_SCHED_H\n#define CELL_SCHED_H\n",
                      "enum cell_sched {", *(f"\tCELL_SCHED_{word.upper()}," for word in words), "};\n", "#endif\n"])


def main() -> None:
    """`daemon_keys.py values|keys|schedulers OUTPUT DEPFILE`: write a table, and for ninja of which modules it is made.

    A table that is as it was keeps its time, so that nothing is compiled for it.
    """
    kind, output, depfile = sys.argv[1:]
    table, made = Path(output), {"values": values, "keys": keys, "schedulers": schedulers}[kind]()
    if not table.exists() or table.read_text() != made:
        table.write_text(made)
    lab = Path(__file__).parents[2]
    files = (getattr(module, "__file__", None) for module in sys.modules.values())
    own = sorted({file for file in files if file and Path(file).is_relative_to(lab)})
    Path(depfile).write_text(f"{output}: {' '.join(file.replace(' ', chr(92) + ' ') for file in own)}\n")


if __name__ == "__main__":
    main()
