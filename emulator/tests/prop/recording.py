# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded links of several UEs, and packets over them, for the tests beside models of such links."""

from dataclasses import dataclass, field

from coreffi import NEVER, Cell, constant, ffi, lib
from draw import Choices

MS = 1_000_000
UE, NETWORK_SIDE = 1, 0x80  # the first UE's port; the bit of a port behind the link
WAYS = UP, DOWN = 0, 1
MTU = constant("CELL_UE_MTU_MAX")
GAPS_NS = (0, 0, 1, MS - 1, MS, 3 * MS, 10 * MS, 47 * MS, 777 * MS)


@dataclass
class Link:
    """A recorded link: opportunities, trains [(at_ms, delay_ms, [offset_ms])] and sizes of both ways, other keys."""

    ms: tuple[list[int], list[int]]
    trains: tuple[list, list] = ([], [])
    sizes: tuple[list[int], list[int]] = ([], [])
    keys: dict = field(default_factory=dict)

    def __post_init__(self):
        cfg = ffi.new("struct cell_cfg *")
        lib.cell_cfg_default(cfg)
        self.cfg = ffi.new("struct cell_recorded *", cfg.recorded)  # with every key
        for name, value in self.keys.items():
            setattr(self.cfg, name, value)
        self._arrays = []  # the core does not copy them
        for way in WAYS:
            self._put(way, "opportunity_ms", "n_opportunities", "uint32_t[]", self.ms[way])
            self._put(way, "train_size_us", "n_train_sizes", "int32_t[]", self.sizes[way])
            if self.trains[way]:
                self._put_trains(way)

    def _put(self, way, name, count, kind, values):
        self._arrays.append(ffi.new(kind, values))
        setattr(self.cfg.way[way], name, self._arrays[-1])
        setattr(self.cfg.way[way], count, len(values))

    def _put_trains(self, way):
        flat, records = [], []
        for at, delay, own in self.trains[way]:
            records.append({"at_ms": at, "delay_ms": delay, "first": len(flat), "n": len(own)})
            flat += own
        self._put(way, "train", "n_trains", "struct cell_train[]", records)
        self._put(way, "train_offset_ms", "n_train_offsets", "uint32_t[]", flat)


def times(choices: Choices, most: int, up_to: int, at_least: int = 1) -> list[int]:
    """Of a trace, the last one above 0."""
    found = sorted(choices.number(0, up_to) for _ in range(choices.number(at_least, most)))
    return [*found[:-1], max(found[-1], 1)]


def trains(choices: Choices) -> list:
    def offsets():
        return sorted(choices.number(0, 25) for _ in range(choices.number(1, 4)))

    return [(t, choices.number(0, 30), offsets()) for t in times(choices, 6, 120, at_least=2)]


def sizes(choices: Choices) -> list[int]:
    return [choices.number(-3000, 3000) for _ in range(choices.number(0, 4))]


def link(choices: Choices, with_trains: bool) -> Link:
    """Any link: with trains in both ways, which have the delays, or without."""
    keys = choices.keys("CFG_RECORDED")
    ms = times(choices, 12, 40), times(choices, 12, 40)
    if not with_trains:
        return Link(ms, keys=keys)
    return Link(ms, (trains(choices), trains(choices)), (sizes(choices), sizes(choices)), keys | {"delay_ms": 0})


@dataclass
class Plan:
    """Links of UEs, None for one that has the first UE's; and arrivals (t_ns, port, length) in order of time."""

    links: list
    arrivals: list

    def flows(self):
        """(link, way, [(tag, t_ns, length)]) of each port."""
        for ue, own in enumerate(self.links):
            for way, port in ((UP, ue + 1), (DOWN, ue + 1 | NETWORK_SIDE)):
                there = [(tag, t, n) for tag, (t, p, n) in enumerate(self.arrivals) if p == port]
                yield own or self.links[0], way, there


def plan(choices: Choices, with_trains: bool) -> Plan:
    n_ue = choices.number(1, 3)
    links = [link(choices, with_trains) if ue == 0 or choices.pick(False, True) else None for ue in range(n_ue)]
    t_ns, arrivals = 0, []
    for _ in range(choices.number(1, 25)):
        t_ns += choices.pick(*GAPS_NS)
        length = choices.pick(1, 40, 99, 100, 749, 750, 751, 1400, 1499, MTU, *[choices.number(1, MTU)] * 6)
        arrivals.append((t_ns, choices.number(1, n_ue) | choices.pick(0, NETWORK_SIDE, NETWORK_SIDE), length))
    return Plan(links, arrivals)


def every_event(cell, to_ns):
    while (t_ns := cell.next()) <= to_ns:
        cell.advance(t_ns)


def at_once(cell, to_ns):
    cell.advance(to_ns)


def every_output(cell, to_ns):
    """As celld sleeps: nothing leaves before the time that was told."""
    while (t_ns := cell.next_output()) <= to_ns:
        seen = len(cell.outputs)
        if t_ns - 1 >= cell.pushed_ns:
            cell.advance(t_ns - 1)
        assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[seen:])
        cell.advance(t_ns)


STEPS = (every_event, at_once, every_output)


def new_cell(links: list) -> Cell:
    ues = [{"peer": 0, "mode": 0, **({"recorded": own.cfg} if own and ue else {})} for ue, own in enumerate(links)]
    return Cell({"system": lib.CELL_SYSTEM_PACKET_TRACE, "n_ue": len(ues), "ue": ues, "recorded": links[0].cfg[0],
                 "max_pkts": 64})


def run(plan: Plan, step=every_event):
    """(cell, {tag: time there}) of a plan that ran to the last packet."""
    cell, now_ns = new_cell(plan.links), 0
    for tag, (t_ns, port, length) in enumerate(plan.arrivals):
        if t_ns > now_ns:
            step(cell, t_ns - 1)
            now_ns = t_ns
        cell.pushed_ns = t_ns
        assert cell.push(port, bytes((tag + i) % 251 for i in range(length)), tag, t_ns) == 0
    end_ns = now_ns
    while cell.next() != NEVER:
        end_ns = max(end_ns, cell.next()) + 1000 * MS
        step(cell, end_ns)
    delivered = [o for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER]
    for o in delivered:
        _, port, length = plan.arrivals[o.tag]
        assert o.data == bytes((o.tag + i) % 251 for i in range(length))
        assert o.port == port ^ NETWORK_SIDE
    return cell, {o.tag: o.t_ns for o in delivered}
