# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio core in Python: cellcore.h through cffi, one object for one cell."""

import ctypes
import errno
import operator
import os
import re
import struct
import subprocess
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import cffi

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
NEVER = 2**63 - 1
# What a shell includes: cellcore.h and its parts.
PUBLIC = ["cell_kinds", "cell_cfg_bearer", "cell_cfg_link", "cell_cfg_lte", "cell_cfg_nr", "cell_cfg_en_dc", "cell_cfg",
          "cell_out", "cellcore"]


def declarations(*names: str) -> str:
    """Headers of the core without what cffi does not read: includes, static assertions and inline functions."""
    text = "\n".join((ROOT / f"emulator/core/{name}.h").read_text() for name in names)
    text = re.sub(r"^#include.*$|^_Static_assert.*$", "", text, flags=re.M)
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.M | re.S)
    preprocessor = ["cc", "-E", "-P", "-DCELL_EXPORT=", "-"]
    return subprocess.run(preprocessor, input=text, capture_output=True, text=True, check=True).stdout


def constant(name: str) -> int:
    """A number that a public header defines."""
    text = "".join((ROOT / f"emulator/core/{header}.h").read_text() for header in PUBLIC)
    return int(re.search(rf"^#define {name}\s+(\d+)", text, re.M).group(1))


ffi = cffi.FFI()
ffi.cdef(declarations(*PUBLIC))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))

# Large and soon overwritten: not cleared first. The core does not depend on what was there before.
allocate = ffi.new_allocator(should_clear_after_alloc=False)
_LETTER = {"int64_t": "q", "uint64_t": "Q", "int32_t": "i", "uint32_t": "I", "uint16_t": "H", "uint8_t": "B",
           "enum cell_out_type": "i", "uint8_t *": "P"}


def _layout(kind: str) -> tuple[list[str], struct.Struct]:
    """Names and places of a structure's fields, but for structures in it, which come last."""
    fields = {name: _LETTER[field.type.cname] for name, field in ffi.typeof(kind).fields if field.type.cname in _LETTER}
    return list(fields), struct.Struct("@" + "".join(fields.values()))


_OUT_BYTES = ffi.sizeof("struct cell_out")
_UNION = ffi.offsetof("struct cell_out", "record")
_, _OUT = _layout("struct cell_out")
_INFO_NAMES, _INFO = _layout("struct cell_pdu_info")
_RECORD_NAMES, _RECORD = _layout("struct cell_record")
_EVENT = _RECORD_NAMES.index("event")


_BEARERS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # of a struct cell_cfg


class Output(NamedTuple):
    """A copy of one struct cell_out; compares by everything in it."""

    type: int
    port: int
    reason: int
    pkt: int
    tag: int
    t_ns: int
    data: bytes
    values: tuple  # of the PDU's info or the record

    @property
    def info(self) -> dict:
        """Of a PDU, by name."""
        return dict(zip(_INFO_NAMES, self.values, strict=True))

    def row(self) -> dict:
        """The record's fields by name."""
        return dict(zip(_RECORD_NAMES, self.values, strict=True))


def _output(raw: bytes, at: int) -> Output:
    kind, port, reason, pkt, tag, t_ns, data, length = _OUT.unpack_from(raw, at)
    layout = _RECORD if kind == lib.CELL_OUT_RECORD else _INFO if kind == lib.CELL_OUT_PDU else None
    values = layout.unpack_from(raw, at + _UNION) if layout else ()
    return Output(kind, port, reason, pkt, tag, t_ns, ctypes.string_at(data, length) if data else b"", values)


class Cell:
    """A cell that keeps all its outputs; sub-frame 0 starts at 0."""

    def __init__(self, cfg: dict, n_out: int | None = None):
        """@cfg: fields of struct cell_cfg, `ue` a list of dicts; @n_out: size of the output array."""
        self.cfg = make_cfg(cfg)
        size = lib.cell_size(self.cfg)
        self._mem = allocate("long double[]", size // 16 + 1)  # aligned for any type
        self._n_out = n_out or 4 * lib.cell_out_min(self.cfg)
        self._out = allocate("struct cell_out[]", self._n_out)
        self._n = ffi.new("size_t *")
        ret = ffi.new("struct cell **")
        assert lib.cell_init(ret, self._mem, size, self.cfg, 0) == 0
        self.cell = ret[0]
        self.outputs: list[Output] = []
        self.again = 0  # times that cell_advance() said -EAGAIN

    def _take(self):
        raw = bytes(ffi.buffer(self._out, self._n[0] * _OUT_BYTES))
        self.outputs += [_output(raw, at) for at in range(0, len(raw), _OUT_BYTES)]

    def of(self, *types: int) -> list[Output]:
        return [o for o in self.outputs if o.type in types]

    def rows(self, *events: int) -> list[dict]:
        """Records of these events by name."""
        return [o.row() for o in self.outputs if o.type == lib.CELL_OUT_RECORD and o.values[_EVENT] in events]

    def push(self, port: int, data: bytes, tag: int, t_ns: int) -> int:
        return lib.cell_push(self.cell, port, data, len(data), tag, t_ns)

    def route(self, ue: int, mode: int, t_ns: int) -> int:
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {"ue": ue, "mode": mode}), t_ns)

    def command(self, kind: int, ue: int, enb: int, t_ns: int) -> int:
        """A handover, or its prediction."""
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {"type": kind, "ue": ue, "enb": enb}), t_ns)

    def channel(self, ue: int, direction: int, cqi: int, sinr_cdb: int, t_ns: int, enb: int = 0) -> int:
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {
            "type": lib.CELL_CMD_CHANNEL, "ue": ue, "dir": direction, "cqi": cqi, "sinr_cdb": sinr_cdb,
            "enb": enb}), t_ns)

    def measure(self, ue: int, enb: int, rsrp_cdbm: int, t_ns: int) -> int:
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {
            "type": lib.CELL_CMD_MEASURE, "ue": ue, "enb": enb, "rsrp_cdbm": rsrp_cdbm}), t_ns)

    def advance(self, t_ns: int):
        while True:
            r = lib.cell_advance(self.cell, t_ns, self._out, self._n_out, self._n)
            self._take()
            if r != -errno.EAGAIN:
                break
            self.again += 1
        assert r == 0
        assert self.next() > t_ns  # all that was due is done

    def next(self) -> int:
        return lib.cell_next(self.cell)

    def next_output(self) -> int:
        return lib.cell_next_output(self.cell)

    def transit_min(self) -> int:
        return lib.cell_transit_min(self.cell)

    def digest(self) -> int:
        return lib.cell_digest(self.cell)

    def stats(self):
        s = ffi.new("struct cell_stats *")
        lib.cell_stats(self.cell, s)
        return s

    def done(self):
        assert lib.cell_done(self.cell, self._out, self._n_out, self._n) == 0
        self._take()


def get(structure, name: str):
    """A field of a structure, or of one in it: `nr.phy.numerology`."""
    return operator.attrgetter(name)(structure)


def put(structure, name: str, value) -> None:
    """Set a field of a structure, or of one in it."""
    within, _, last = name.rpartition(".")
    setattr(get(structure, within) if within else structure, last, value)


def _add_bearers(cfg, bearers: list[dict]) -> None:
    """In the order of their UEs, each with one filter at most: `filter`, or none. They live as long as @cfg."""
    if not bearers:
        return
    array = _BEARERS[cfg] = ffi.new("struct cell_bearer_cfg[]", len(bearers))
    for i, fields in enumerate(bearers):
        array[i] = lib.cell_cfg_bearer(cfg)
        array[i].priority = 8
        for name, value in fields.items():
            if name == "filter":
                array[i].n_filters, array[i].filter[0] = 1, value
            else:
                put(array[i], name, value)
    cfg.bearer, cfg.n_bearers = array, len(bearers)


def make_cfg(fields: dict):
    """struct cell_cfg of the default and @fields, by their names with dots. Raises ValueError when the core refuses it.
    """
    cfg = ffi.new("struct cell_cfg *")
    lib.cell_cfg_default(cfg)
    for name, value in fields.items():
        if name not in ("ue", "bearer"):
            put(cfg, name, value)
    any_ue = ffi.new("struct cell_ue_cfg *", cfg.ue[0])
    for i, ue in enumerate(fields.get("ue", [])):
        cfg.ue[i] = any_ue[0]
        for name, value in {"rnti": 61 + i, **ue}.items():
            setattr(cfg.ue[i], name, value)
    _add_bearers(cfg, fields.get("bearer", []))
    field, text = ffi.new("char **"), ffi.new("char **")
    if lib.cell_cfg_check(cfg, ffi.cast("const char **", field), ffi.cast("const char **", text)) < 0:
        raise ValueError(f"{ffi.string(field[0]).decode()}: {ffi.string(text[0]).decode()}")
    return cfg
