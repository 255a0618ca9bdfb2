# SPDX-License-Identifier: GPL-2.0-or-later
"""What the core may refuse in a configuration, as data, and the configurations that try each refusal.

A `Refusal` names a field, the words of the message and a predicate that says which configurations pass. Ranges of
single fields come from cfg_values.h, which the models of scenarios make; the relations between fields are written down
beside this module, one table for each radio system, from the standards and not from the core.

`Sweep` starts at valid configurations and moves one field at a time. It finds out which fields the predicates read, so
a new predicate is swept without being listed. Values are all those that a byte holds, or the ends of the range and
what lies between, and where two neighbours differ in what is refused the exact bound is searched. So a bound that is
one off, a refusal that is gone and a message that names another field each differ from the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from coreffi import constant, ffi, get, lib, put
from draw import limits

NETWORK, IM, DM = 0, 0, 1  # as a peer; modes
UM, AM, TM = lib.CELL_RLC_UM, lib.CELL_RLC_AM, lib.CELL_RLC_TM
UES, _FILTERS_MAX = constant("CELL_MAX_UE"), constant("CELL_MAX_FILTERS")  # there is room for so many
_WIDEST_SWEEP = 640  # values of a field that are all tried
# Of arrays that the caller keeps: with more the core would read beyond them.
_COUNTS = ("n_bearers", "n_opportunities", "n_trains", "n_train_offsets", "n_train_sizes", "n_delays",
           "n_lost")
_WORDS_TRIED = ("", "D", "U", "S", "DU", "UD", "DSU", "DDSU", "DDDSU", "DDDDDDDSUU", "DDDSUUDDDD", "DDDSUDDSUU", "UUDD",
                "DDUU", "DSSU", "DSUDSUDSU", "SUUUU", "DDDDS", "SSSSS", "UUUUU", "DDDDD", "dddsu", "DDXSU", "DDDSUUUU",
                "DSUUUUUUUU", "DDDDSU", "DDSUU", "UDDDD", "UUDDS", "DSUUUDDDSU", "DDDSUUDDDDDDDSUUDDDD",
                "D" * 16 + "SUUU", "D" * 17 + "SUU", "D" * 39 + "S" + "U" * 40, "D" * 78 + "SU", "D" * 79 + "SU")

_STRUCTS = {"CFG": "struct cell_cfg", "CFG_UE": "struct cell_ue_cfg", "CFG_BEARER": "struct cell_bearer_cfg",
            "CFG_FILTER": "struct cell_filter", "CFG_RECORDED": "struct cell_recorded",
            "CFG_NETEM": "struct cell_netem"}

Path = tuple[str | int, ...]  # of a field: ("ue", 1, "peer")


@dataclass(frozen=True)
class Refusal:
    """What is said of a configuration for which @passes does not hold."""

    field: str
    words: str
    passes: Callable[[Any], bool]
    single: bool = False  # the range of one field, whatever the others are

    @property
    def message(self) -> tuple[str, str]:
        return self.field, self.words


QUANTILES = ("p5_ms", "p25_ms", "p50_ms", "p75_ms", "p95_ms", "p99_ms")
DRAWN = {f"handover.{name}.on": 1 for name in ("detach_times", "preparation_times")}


def rises(times: Any) -> bool:
    """Whether quantiles of a handover's times do not decrease, if they are asked for."""
    ms = [getattr(times, name) for name in QUANTILES]
    return not times.on or ms == sorted(ms)


def _holds(kind: Any) -> tuple[int, int]:
    """The least and the greatest number of an integer type."""
    bits = 8 * ffi.sizeof(kind)
    return (-2**(bits - 1), 2**(bits - 1) - 1) if int(ffi.cast(kind, -1)) < 0 else (0, 2**bits - 1)


def _type_of(kind: Any, name: str) -> Any:
    """Of a field of a structure, or of one in it."""
    for part in name.split("."):
        kind = dict(kind.fields)[part].type
    return kind


def in_range(table: str, structs: Callable[[Any], list[Any]]) -> list[Refusal]:
    """The declared limits of the fields of some structures, where the type holds more."""
    def refusal(name: str, low: int, high: int) -> Refusal:
        return Refusal(name, f"{low}..{high}", lambda c: all(low <= get(s, name) <= high for s in structs(c)),
                       single=True)

    kind = ffi.typeof(_STRUCTS[table])
    return [refusal(name, *ends) for name, ends in limits(table).items() if ends != _holds(_type_of(kind, name))]


def ues(c: Any) -> list[Any]:
    return [c.ue[i] for i in range(min(c.n_ue, UES))]


def bearers(c: Any) -> list[Any]:
    return [c.bearer[i] for i in range(c.n_bearers)]


def peer_of(c: Any, u: Any) -> Any:
    """The UE that is @u's peer; None for the network, and where there is none of that number."""
    return c.ue[u.peer - 1] if 1 <= u.peer <= min(c.n_ue, UES) else None


def bearers_of(c: Any, number: int) -> list[Any]:
    """What UE @number has: the default bearer, then dedicated ones. The cell's own keys are a default bearer, too."""
    own = [b for b in bearers(c) if b.ue == number]
    default = next((b for b in own if b.n_filters == 0), c)
    return [default, *(b for b in own if b.n_filters > 0)]


def has_qdisc(b: Any) -> bool:
    return any(qdisc.kind != lib.CELL_QDISC_PFIFO for qdisc in b.rlc.qdisc)


def of_all_ues(c: Any) -> list[Any]:
    return [b for number in range(1, min(c.n_ue, UES) + 1) for b in bearers_of(c, number)]


def _rate(b: Any, kind: str, way: str) -> int:
    return getattr(b, f"{kind}_{way}_bps")


def _has_rate(b: Any) -> bool:
    return any(_rate(b, kind, way) for kind in ("gbr", "mbr") for way in ("dl", "ul"))


def _filters(c: Any) -> list[Any]:
    return [b.filter[i] for b in bearers(c) for i in range(min(b.n_filters, _FILTERS_MAX))]


def _is_prefix(p: Any) -> bool:
    return p.version == 0 or p.bits <= {4: 32, 6: 128}.get(p.version, -1)


def in_order(values: list[int]) -> bool:
    return all(low <= high for low, high in zip(values, values[1:], strict=False))


def _one_default_each(c: Any) -> bool:
    defaults = [b.ue for b in bearers(c) if b.n_filters == 0]
    return len(defaults) == len(set(defaults))


# What is asked first, of every radio system.
OF_CELLS = [
    *in_range("CFG", lambda c: [c]),
    *(Refusal(name, f"1..{high}", lambda c, name=name, high=high: 1 <= get(c, name) <= high, single=True)
      for name, high in (("n_ue", UES), ("n_enb", 4), ("harq.n_bler", 8), ("crowd.n_cqi", 64),
                         ("max_cmds", 65536))),
]
OF_UES = in_range("CFG_UE", ues)
# LTE and NR have these alike.
OF_CHANNELS = [
    Refusal("bearer.ue", "UEs in order, each with at most one default bearer",
            lambda c: all(1 <= b.ue <= c.n_ue for b in bearers(c)) and in_order([b.ue for b in bearers(c)])
            and _one_default_each(c)),
    Refusal("bearer.n_filters", "0..4", lambda c: all(b.n_filters <= 4 for b in bearers(c))),
    *in_range("CFG_BEARER", bearers),
    *(Refusal(f"mbr_{way}_bps", "none, or at least the guaranteed bit rate",
              lambda c, way=way: all(not _rate(b, "mbr", way) or _rate(b, "mbr", way) >= _rate(b, "gbr", way)
                                     for b in bearers(c))) for way in ("dl", "ul")),
    Refusal("pdcp.duplication", "0 with a priority level or rates",
            lambda c: not any(b.pdcp.duplication and (b.priority_level or _has_rate(b)) for b in bearers(c))),
    *in_range("CFG_FILTER", _filters),
    *(Refusal(f"filter.{end}", "of IPv4 0..32 bits, of IPv6 0..128",
              lambda c, end=end: all(_is_prefix(getattr(f, end)) for f in _filters(c))) for end in ("local", "remote")),
    Refusal("harq.bler", "not increasing", lambda c: in_order(
        [c.harq.bler_q32[i] for i in range(min(c.harq.n_bler, 8))][::-1])),
]


def _is_text(value: Any) -> bool:
    return ffi.typeof(value).kind == "array" and ffi.typeof(value).item.cname == "char"


def _is_null(value: Any) -> bool:
    return ffi.typeof(value).kind == "pointer" and value == ffi.NULL


class _Recorder:
    """A structure that notes which of its fields are read. Pointers and arrays in it are structures of their own."""

    def __init__(self, target: Any, path: Path, seen: dict[Path, Any]) -> None:
        self._target, self._path, self._seen = target, path, seen

    def _get(self, name: str | int) -> Any:
        value = self._target[name] if isinstance(name, int) else getattr(self._target, name)
        path = (*self._path, name)
        if not isinstance(value, ffi.CData) or _is_text(value) or _is_null(value):
            self._seen[path] = value
            return value
        return _Recorder(value, path, self._seen)

    def __getattr__(self, name: str) -> Any:
        return self._get(name)

    def __getitem__(self, index: int) -> Any:
        return self._get(index)


def word(c: Any) -> str:
    """The TDD pattern."""
    return ffi.string(c.nr.phy.tdd_pattern).decode()


@dataclass
class Network:
    """A valid configuration: fields of struct cell_cfg, of its UEs and of its bearers."""

    system: int
    ue: list[dict[str, Any]]
    cell: dict[str, Any] = field(default_factory=dict)
    bearer: list[dict[str, Any]] = field(default_factory=list)

    def build(self) -> tuple[Any, Any]:
        """Return: struct cell_cfg, and its bearers, which have to live as long. All UEs that fit are valid."""
        c = ffi.new("struct cell_cfg *")
        lib.cell_cfg_default(c)
        c.system, c.n_ue = self.system, len(self.ue)
        plain = ffi.new("struct cell_ue_cfg *", c.ue[0])
        for i in range(UES):
            c.ue[i] = plain[0]
            spare = {"peer": NETWORK, "mode": IM, "addr": 1000 + i, "rnti": 61 + i}
            for name, value in {**spare, **(self.ue[i] if i < len(self.ue) else {})}.items():
                setattr(c.ue[i], name, value)
        for name, value in self.cell.items():
            put(c, name, value)
        array = ffi.new("struct cell_bearer_cfg[]", len(self.bearer)) if self.bearer else None
        for i, own in enumerate(self.bearer):
            array[i] = lib.cell_cfg_bearer(c)
            for name, value in own.items():
                put(array[i], name, value)
        if array is not None:
            c.bearer, c.n_bearers = array, self.cell.get("n_bearers", len(self.bearer))
        return c, array


class Sweep:
    """Configurations around a valid one, each judged by the core and by a table."""

    def __init__(self, refusals: list[Refusal], network: Network) -> None:
        self.cfg, self._bearers = network.build()
        self._field, self._range = ffi.new("const char **"), ffi.new("const char **")
        # What reads a field: ranges of the cell's fields, and what the core asks when these are right.
        self._readers: dict[Path, tuple[list[Refusal], list[Refusal]]] = {}
        for stage, of_stage in enumerate((OF_CELLS, refusals)):
            for refusal in of_stage:
                seen: dict[Path, Any] = {}
                assert refusal.passes(_Recorder(self.cfg, (), seen)), f"not valid: {refusal.message}"
                for path in seen:
                    self._readers.setdefault(path, ([], []))[stage].append(refusal)
        assert self.said() is None, self.said()

    def said(self) -> tuple[str, str] | None:
        """What the core says of the configuration as it is now."""
        if lib.cell_cfg_check(self.cfg, self._field, self._range) == 0:
            return None
        return ffi.string(self._field[0]).decode(), ffi.string(self._range[0]).decode()

    def wrong(self, path: Path) -> frozenset[tuple[str, str]]:
        """What the table says of it, when only @path was changed."""
        of_cell, others = self._readers[path]
        return self._of(of_cell) or self._of(others)

    def _of(self, refusals: list[Refusal]) -> frozenset[tuple[str, str]]:
        return frozenset(r.message for r in refusals if not r.passes(self.cfg))

    def results(self) -> Iterator[tuple[Path, Any, tuple[str, str] | None, frozenset[tuple[str, str]]]]:
        """Each field with each value that was tried, what the core says and what the table does."""
        for path in self._readers:
            at, name = self._place(path)
            before = at[name] if isinstance(name, int) else getattr(at, name)
            if isinstance(before, ffi.CData):
                if _is_null(before):
                    continue
                before = ffi.string(before)
            for value in self._values(path, before):
                yield path, value, *self._judge(path, value)
            self._set(path, before)

    def _place(self, path: Path) -> tuple[Any, str | int]:
        at = self.cfg
        for step in path[:-1]:
            at = at[step] if isinstance(step, int) else getattr(at, step)
        return at, path[-1]

    def _set(self, path: Path, value: Any) -> None:
        at, name = self._place(path)
        if isinstance(value, bytes):
            value = value.ljust(len(getattr(at, name)), b"\0")  # nothing stays of a longer one
        if isinstance(name, int):
            at[name] = value
        else:
            setattr(at, name, value)

    def _judge(self, path: Path, value: Any) -> tuple[tuple[str, str] | None, frozenset[tuple[str, str]]]:
        self._set(path, value)
        return self.said(), self.wrong(path)

    def _values(self, path: Path, before: Any) -> list[Any]:
        if isinstance(before, bytes):
            return [text.encode() for text in _WORDS_TRIED]
        low, high = self._ends(path)
        if path == ("system",):
            return list(range(lib.CELL_SYSTEM_COUNT, high + 1))  # others have tables of their own
        ends = [limit for limit in self._limits(path) if limit]
        tried = {value + near for pair in ((low, high), *ends) for value in pair for near in (-1, 0, 1)}
        if not all(refusal.single for of_stage in self._readers[path] for refusal in of_stage):
            tried |= {before + near for near in (-1, 0, 1)} | {sign * 2**bit for bit in range(32) for sign in (1, -1)}
            for first, last in ((low, high), *ends):
                if last - first <= _WIDEST_SWEEP and path != ("n_ue",):
                    tried |= set(range(first, last + 1))
        found = sorted(value for value in tried if low <= value <= high)
        return sorted({*found, *self._bounds(path, found)})

    def _bounds(self, path: Path, found: list[int]) -> Iterator[int]:
        """Between two neighbours that the table judges differently: the last value like one, the first like the other.
        """
        def judged(value: int) -> frozenset[tuple[str, str]]:
            self._set(path, value)
            return self.wrong(path)

        for low, high in zip(found, found[1:], strict=False):
            if high - low == 1 or (first := judged(low)) == judged(high):
                continue
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if judged(middle) == first else (low, middle)
            yield from (low, high)

    def _ends(self, path: Path) -> tuple[int, int]:
        """Of what the field's type holds, or of the entries that its array has."""
        at, name = self._place(path)
        if name == "n_bearers" and self._bearers is not None:
            return 0, len(self._bearers)
        if name in _COUNTS and not self._unused(at, name):
            return 0, getattr(at, name)
        kind = ffi.typeof(at)
        if isinstance(name, int):
            return _holds(kind.item)
        return _holds(dict((kind.item if kind.kind == "pointer" else kind).fields)[name].type)

    @staticmethod
    def _unused(at: Any, name: str) -> bool:
        """Nothing is read of trains where there is no array of them."""
        return name.startswith("n_train") and _is_null(at.train)

    def _limits(self, path: Path) -> Iterator[tuple[int, int] | None]:
        last = [i for i, step in enumerate(path) if isinstance(step, int)]
        names = [str(step) for step in path[last[-1] + 1 if last else 0:]]
        for table in _STRUCTS:
            for name in {".".join(names), ".".join(names[1:])}:
                yield limits(table).get(name)
