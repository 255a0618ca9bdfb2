# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of the machine's clock are seen, and nothing else is taken for one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed.run.wall_clock import WallClock

BEGAN = 1_600_000_000_000_000_000


class Clocks:
    """CLOCK_MONOTONIC, which each reading takes something of, and CLOCK_REALTIME, which somebody sets."""

    def __init__(self, takes_ns):
        self.now, self.off, self.takes = 10**9, BEGAN, iter(takes_ns)

    def monotonic_ns(self):
        self.now += next(self.takes, 100)
        return self.now

    def time_ns(self):
        return self.monotonic_ns() + self.off


@pytest.fixture
def clocks(monkeypatch):
    def make(takes_ns=()):
        made = Clocks(takes_ns)
        monkeypatch.setattr(time, "monotonic_ns", made.monotonic_ns)
        monkeypatch.setattr(time, "time_ns", made.time_ns)
        return made

    yield make
    monkeypatch.undo()


@given(steps=st.lists(st.integers(-10**13, 10**13) | st.integers(-300_000, 300_000), max_size=6),
       takes=st.lists(st.integers(20, 60_000), max_size=100))
def test_every_step_is_noted_as_it_was(steps, takes):
    with pytest.MonkeyPatch.context() as patch:
        made = Clocks(takes)
        patch.setattr(time, "monotonic_ns", made.monotonic_ns)
        patch.setattr(time, "time_ns", made.time_ns)
        clock = WallClock()
        for step in steps:
            made.off += step
            clock.look()
            made.now += 10**9
        noted = clock.steps
    # What was set and is not noted is less than what reading takes, however many steps it was.
    assert abs(sum(steps) - (noted[-1]["off_ns"] if noted else 0)) < 600_000
    assert all(abs(step["step_ns"]) > 100_000 for step in noted)
    assert [step["off_ns"] for step in noted] == [sum(s["step_ns"] for s in noted[:n + 1]) for n in range(len(noted))]


def test_a_process_that_had_to_wait_between_two_readings_sees_none(clocks):
    clocks([100, 100, 5_000_000, 100, 9_000_000, 100] * 3)
    clock = WallClock()
    for _ in range(3):
        clock.look()
    assert clock.steps == []


def test_a_step_has_its_time_and_size(clocks):
    made = clocks()
    clock = WallClock()
    made.now += 3 * 10**9
    made.off -= 100_000_000
    clock.look()
    (step,) = clock.steps
    assert step["step_ns"] == step["off_ns"] == -100_000_000 and 4 * 10**9 < step["t_ns"] < 4 * 10**9 + 10_000
