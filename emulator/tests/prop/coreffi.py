# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio core in Python: cellcore.h through cffi, one object for one cell."""

import errno
import os
import re
import struct
import subprocess
from pathlib import Path

import cffi

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
NEVER = 2**63 - 1
# What a shell includes: cellcore.h and its parts.
PUBLIC = ["cell_cfg", "cell_out", "cellcore"]


def declarations(*names: str) -> str:
    """Headers of the core without what cffi does not read: includes, static assertions and inline functions."""
    text = "\n".join((ROOT / f"emulator/core/{name}.h").read_text() for name in names)
    text = re.sub(r"^#include.*$|^_Static_assert.*$", "", text, flags=re.M)
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.M | re.S)
    return subprocess.run(["cc", "-E", "-P", "-"], input=text, capture_output=True, text=True, check=True).stdout


def constant(name: str) -> int:
    """A number that a public header defines."""
    text = "".join((ROOT / f"emulator/core/{header}.h").read_text() for header in PUBLIC)
    return int(re.search(rf"^#define {name}\s+(\d+)", text, re.M).group(1))


ffi = cffi.FFI()
ffi.cdef(declarations(*PUBLIC))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))

# Large and soon overwritten: not cleared first. The core does not depend on what was there before.
allocate = ffi.new_allocator(should_clear_after_alloc=False)
def layout(of: str, until: int) -> struct.Struct:
    """The fields of a struct of the core in front of an offset, for Python's own reader: cffi's takes several times as
    long for an output, of which properties see millions."""
    codes = {"uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q", "int32_t": "i", "int64_t": "q",
             "uint8_t *": "P", "enum cell_out_type": "I"}
    fields = [field for _, field in ffi.typeof(of).fields if field.offset < until]
    made = struct.Struct("@" + "".join(codes[field.type.cname.replace(" const", "")] for field in fields))
    assert made.size == fields[-1].offset + ffi.sizeof(fields[-1].type), of
    return made


OUT_BYTES, UNION = ffi.sizeof("struct cell_out"), ffi.offsetof("struct cell_out", "info")
OUT = layout("struct cell_out", UNION)
INFO = layout("struct cell_pdu_info", ffi.sizeof("struct cell_pdu_info"))
INFO_FIELDS = [name for name, _ in ffi.typeof("struct cell_pdu_info").fields]
RECORD = layout("struct cell_record", ffi.sizeof("struct cell_record"))
RECORD_FIELDS = [name for name, _ in ffi.typeof("struct cell_record").fields]
EVENT = RECORD_FIELDS.index("event")


class Output:
    """A copy of one struct cell_out, which is the @i-th in @raw; compares by everything in it."""

    __slots__ = ("_info", "data", "pkt", "port", "reason", "record", "t_ns", "tag", "type")

    def __init__(self, raw: bytes, i: int):
        at = i * OUT_BYTES
        self.type, self.port, self.reason, self.pkt, self.tag, self.t_ns, data, n = OUT.unpack_from(raw, at)
        self.data = bytes(ffi.buffer(ffi.cast("char *", data), n)) if data else b""
        self._info = self.record = None
        if self.type == lib.CELL_OUT_PDU:
            self._info = INFO.unpack_from(raw, at + UNION)
        elif self.type == lib.CELL_OUT_RECORD:
            self.record = RECORD.unpack_from(raw, at + UNION)

    @property
    def info(self) -> dict | None:
        return self._info and dict(zip(INFO_FIELDS, self._info, strict=True))

    def __eq__(self, other):
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __repr__(self):
        return f"Output({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    def row(self) -> dict:
        """The record's fields by name."""
        return dict(zip(RECORD_FIELDS, self.record, strict=True))


class Cell:
    """A cell that keeps all its outputs; sub-frame 0 begins at 0."""

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
        n = self._n[0]
        raw = bytes(ffi.buffer(self._out, n * OUT_BYTES))
        self.outputs += [Output(raw, i) for i in range(n)]

    def rows(self, event: int) -> list[dict]:
        """Records of that event."""
        return [o.row() for o in self.outputs if o.record and o.record[EVENT] == event]

    def push(self, port: int, data: bytes, tag: int, t_ns: int) -> int:
        return lib.cell_push(self.cell, port, data, len(data), tag, t_ns)

    def route(self, ue: int, mode: int, t_ns: int) -> int:
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {"ue": ue, "mode": mode}), t_ns)

    def command(self, kind: int, ue: int, enb: int, t_ns: int) -> int:
        """A handover, or its prediction."""
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {"type": kind, "ue": ue, "enb": enb}), t_ns)

    def channel(self, ue: int, leg_dir: int, cqi: int, sinr_cdb: int, t_ns: int) -> int:
        return lib.cell_apply(self.cell, ffi.new("struct cell_cmd *", {
            "type": lib.CELL_CMD_CHANNEL, "ue": ue, "dir": leg_dir, "cqi": cqi, "sinr_cdb": sinr_cdb}), t_ns)

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


def make_cfg(fields: dict):
    """struct cell_cfg of the default and @fields. Raises ValueError when the core refuses it."""
    cfg = ffi.new("struct cell_cfg *")
    lib.cell_cfg_default(cfg)
    for name, value in fields.items():
        if name != "ue":
            setattr(cfg, name, value)
    for i, ue in enumerate(fields.get("ue", [])):
        cfg.ue[i] = {"rnti": 61 + i, **ue}
    field, text = ffi.new("char **"), ffi.new("char **")
    if lib.cell_cfg_check(cfg, ffi.cast("const char **", field), ffi.cast("const char **", text)) < 0:
        raise ValueError(f"{ffi.string(field[0]).decode()}: {ffi.string(text[0]).decode()}")
    return cfg
