# SPDX-License-Identifier: GPL-2.0-or-later
"""DRX against timers that tick: a reading of TS 38.321 5.7 slot by slot, which knows nothing of the future."""

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrphyffi import ffi, lib

fast = examples(250)
PROCESSES = 3
LAST = 260


class Ticking:
    """Timers as slots that are left; 0 = not running. Those that start in a slot run in the slots after it."""

    def __init__(self, cfg: dict):
        self.cfg = cfg
        self.on = self.inactivity = self.short = 0
        self.rtt = {"dl": [0] * PROCESSES, "ul": [0] * PROCESSES}
        self.retransmission = {"dl": [0] * PROCESSES, "ul": [0] * PROCESSES}
        self.expired_inactivity = self.started = False

    def short_slots(self) -> int:
        return self.cfg["short_cycle"] * self.cfg["short_timer"]

    def start(self, slot: int):
        """The start of a slot: what expired before has its consequences, then cycles."""
        c = self.cfg
        if self.expired_inactivity and c["short_cycle"]:
            self.short = self.short_slots()
        self.expired_inactivity = False
        uses_short = self.short > 0
        cycle = c["short_cycle"] if uses_short else c["long_cycle"]
        if slot % cycle == c["offset"] % cycle:
            self.on = c["on_duration"]
        self.fresh: set = set()  # timers started within this slot do not tick in it

    def active(self) -> bool:
        return bool(self.on or self.inactivity or self.now or any(self.retransmission["dl"])
                    or any(self.retransmission["ul"]))

    now = False  # PDCCH had something in this very slot

    def new_data(self):
        self.inactivity = self.cfg["inactivity"]
        self.fresh.add("inactivity")
        self.now = True

    def wait(self, link: str, harq: int):
        self.retransmission[link][harq] = 0
        self.rtt[link][harq] = self.cfg[f"rtt_{link}"] + 1  # with the rest of this slot

    def stop(self, link: str, harq: int):
        self.rtt[link][harq] = self.retransmission[link][harq] = 0

    def command(self, is_long: bool):
        """At the end of the slot."""
        self.on = self.inactivity = 0
        self.fresh.discard("inactivity")
        self.now = False
        # With the rest of this slot.
        self.short = 0 if is_long else self.short_slots() + 1 if self.cfg["short_cycle"] else 0

    def end(self):
        if "inactivity" in self.fresh:
            self.expired_inactivity = self.inactivity == 0
        elif self.inactivity:
            self.inactivity -= 1
            self.expired_inactivity = self.inactivity == 0
        self.now = False
        self.on = max(0, self.on - 1)
        self.short = max(0, self.short - 1)
        for link in ("dl", "ul"):
            for i in range(PROCESSES):
                if self.retransmission[link][i]:
                    self.retransmission[link][i] -= 1
                if self.rtt[link][i]:
                    self.rtt[link][i] -= 1
                    if not self.rtt[link][i]:
                        self.retransmission[link][i] = self.cfg[f"retransmission_{link}"]


@st.composite
def configurations(draw):
    short = draw(st.sampled_from([0, 4, 10, 20]))
    long = draw(st.sampled_from([20, 40, 80]))
    return {"long_cycle": long, "offset": draw(st.integers(0, long - 1)),
            "on_duration": draw(st.integers(1, min(short or long, long))), "inactivity": draw(st.integers(0, 15)),
            "short_cycle": short, "short_timer": draw(st.integers(1, 5)) if short else 0,
            "rtt_dl": draw(st.integers(0, 10)), "rtt_ul": draw(st.integers(0, 10)),
            "retransmission_dl": draw(st.integers(0, 8)), "retransmission_ul": draw(st.integers(0, 8))}


def apply(event: tuple, d, slot: int, ticking: Ticking):
    kind, *rest = event
    if kind == "new":
        lib.nr_drx_new_data(d, slot)
        ticking.new_data()
    elif kind == "command":
        lib.nr_drx_command(d, slot, rest[0])
        ticking.command(rest[0])
    elif kind == "dl":
        harq, decoded = rest
        lib.nr_drx_dl_feedback(d, harq, slot, decoded)
        ticking.stop("dl", harq) if decoded else ticking.wait("dl", harq)
    elif kind == "ul":
        lib.nr_drx_ul_sent(d, rest[0], slot)
        ticking.wait("ul", rest[0])
    elif kind == "assigned":
        lib.nr_drx_dl_assigned(d, rest[0])
        ticking.stop("dl", rest[0])
    else:
        lib.nr_drx_ul_granted(d, rest[0])
        ticking.stop("ul", rest[0])


harqs = st.integers(0, PROCESSES - 1)
events = st.one_of(st.tuples(st.just("new")), st.tuples(st.just("command"), st.booleans()),
                   st.tuples(st.just("dl"), harqs, st.booleans()), st.tuples(st.just("ul"), harqs),
                   st.tuples(st.just("assigned"), harqs), st.tuples(st.just("granted"), harqs))
# At most one event in a slot, as a slot has one PDCCH.
histories = st.dictionaries(st.integers(0, LAST - 60), events, max_size=12)


@fast
@given(configurations(), histories)
def test_active_time(cfg, history):
    c = ffi.new("struct nr_drx_cfg *", cfg)
    d, ticking = ffi.new("struct nr_drx *"), Ticking(cfg)
    lib.nr_drx_init(d, c)
    announced = lib.nr_drx_next_active(d, 0)
    for slot in range(LAST):
        ticking.start(slot)
        active = lib.nr_drx_active(d, slot)
        assert active == ticking.active(), (slot, "before what happens in it")
        assert active == (announced == slot), slot
        if slot in history:
            apply(history[slot], d, slot, ticking)
        ticking.end()
        announced = lib.nr_drx_next_active(d, slot + 1)
        assert announced > slot
