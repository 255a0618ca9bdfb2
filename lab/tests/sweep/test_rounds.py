# SPDX-License-Identifier: GPL-2.0-or-later
"""Which seeds a sweep runs."""

import io
import math
import statistics

import pytest

from cellbed.cli import show
from cellbed.cli.bars import Bars
from cellbed.cli.screens import console, errors
from cellbed.cli.show import time_left_s, time_text
from cellbed.cli.sweep import parse_grid
from cellbed.error import CellbedError
from cellbed.scenario.description import Run
from cellbed.sweep.execute import Outcome
from cellbed.sweep.rounds import LEAST_RUNS, Rounds, Until, parse_seeds
from cellbed_formats.screen import Screen


@pytest.mark.parametrize(("text", "seeds"), [("4", [4]), ("1-3", [1, 2, 3]), ("1,5-6, 9", [1, 5, 6, 9])])
def test_seeds(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "3-1", "1-2-3", "-1", "a", "1,1", "1-3,2"])
def test_no_seeds(text):
    with pytest.raises(CellbedError, match="--seeds"):
        parse_seeds(text)


def test_grid():
    assert parse_grid(["radio.n_rb=25,50", "radio.rlc.mode=um,am", "tcp.receive_window=null,8KiB"], []) == {
        "radio.n_rb": [25, 50], "radio.rlc.mode": ["um", "am"], "tcp.receive_window": [None, "8KiB"]}


@pytest.mark.parametrize(("texts", "overrides"), [(["a"], []), (["=1"], []), (["a="], []), (["a=]["], []),
                                                  (["a=1", "a=2"], []), (["a=1"], ["a=3"])])
def test_no_grid(texts, overrides):
    with pytest.raises(CellbedError, match="--grid"):
        parse_grid(texts, overrides)


@pytest.mark.parametrize(("text", "half"), [("goodput_mbps=0.05", 0.05), ("goodput_mbps=5%", 0.05)])
def test_until(text, half):
    assert Until.parse(text) == Until("goodput_mbps", half)


@pytest.mark.parametrize("text", ["goodput_mbps", "goodput_mbps=", "goodput_mbps=0", "goodput_mbps=1", "m=nan", "m=x%"])
def test_no_until(text):
    with pytest.raises(CellbedError, match="--until"):
        Until.parse(text)


def half_width(values):
    """A stand-in with the right shape."""
    return 2 * statistics.stdev(values) / len(values) ** 0.5


def test_met_is_about_the_mean_and_never_about_a_few():
    until = Until("m", 0.1)
    assert not until.met([5.0] * (LEAST_RUNS - 1), half_width)
    assert until.met([5.0] * LEAST_RUNS, half_width)
    assert not until.met([0.0, 10.0] * 5, half_width)
    assert until.met([-5.0] * 5, half_width)
    assert not until.met([5.0] * 5, lambda _: None)


def executed(values):
    """Rounds with these values of variants by seed. Return: seeds of each variant in the end, number of rounds."""
    rounds = Rounds(list(values), [1, 2], [Until("m", 0.05)], max_seeds=20)
    n = 1
    while rounds.more(lambda variant, _: [values[variant](seed) for seed in rounds.given[variant]], half_width):
        n += 1
    return rounds.given, n


def test_seeds_are_added_where_they_are_needed():
    given, n = executed({"steady": lambda seed: 10.0, "noisy": lambda seed: 10.0 + 2 * (-1) ** seed,
                       "hopeless": lambda seed: 100.0 ** (seed % 2)})
    assert given["steady"] == [1, 2, 3, 4, 5]  # as many as one has to look at
    assert given["hopeless"] == list(range(1, 21))  # the bound
    assert n < 10


def test_noise_ends_when_the_interval_is_narrow():
    given, _ = executed({"noisy": lambda seed: 10.0 + 0.8 * (-1) ** seed})
    seeds = given["noisy"]
    assert 5 < len(seeds) < 20
    assert half_width([10.0 + 0.8 * (-1) ** s for s in seeds]) <= 0.5


def test_variants_without_usable_runs_end_at_the_bound():
    rounds = Rounds(["a"], [1], [Until("m", 0.05)], max_seeds=6)
    while rounds.more(lambda *_: [], half_width):
        pass
    assert rounds.given == {"a": [1, 2, 3, 4, 5, 6]}


def test_the_bound_allows_what_is_looked_at_first():
    with pytest.raises(CellbedError, match="--max-seeds 4: --until needs more seeds for its first look; allowed 5"):
        Rounds(["a"], [1], [Until("m", 0.05)], max_seeds=4)


def test_time_left_counts_executed_runs_with_their_start_up(monkeypatch):
    """Four of ten were there; the first of the others takes 30 s, of which it is silent for 20."""
    now = [0.0]
    monkeypatch.setattr(show.time, "monotonic", lambda: now[0])
    told = show.Show(10, console(), errors())
    runs = [Run("s", "s.yaml", "run", "run", {}, seed, {}, "") for seed in range(10)]
    for run in runs[:4]:
        now[0] += 1
        told.finished(run, Outcome(None, cached=True))
    assert told.left() == ""
    now[0] += 25
    told.advanced(runs[4], 5, 10)
    assert told.left() == time_text(25 / 0.5 * 5.5)
    now[0] += 5
    told.finished(runs[4], Outcome(None, error="died"))
    assert told.left() == time_text(30 * 5) == "2 min left"


@pytest.mark.parametrize("all_s", [10, math.inf])
def test_bars_on_a_terminal(all_s):
    """Of all runs and of each under way, and what --watch adds."""
    out = io.StringIO()
    run = Run("s", "s.yaml", "fast", "fast", {}, 7, {}, "")
    with Bars(Screen(file=out, force_terminal=True, width=100), 3, lambda: "below all") as bars:
        bars.advance_run(run, 5, all_s, "0 of 3, 9 s left")
        bars.refresh()
        shown_first = out.getvalue()
        bars.end_run(run, 1, "1 of 3")
        bars.refresh()
    of = f"5 of {all_s} s" if all_s == 10 else "5 s"
    assert all(text in shown_first for text in ("fast seed 7", of, "0 of 3, 9 s left", "below all"))
    last = out.getvalue()[len(shown_first):]
    assert "1 of 3" in last and "fast seed 7" not in last


def test_time_left():
    assert time_left_s(10, 0, 5) is None
    assert time_left_s(60, 1.5, 3) == 120
    assert [time_text(t) for t in (None, 80, 600, 9000)] == ["", "80 s left", "10 min left", "2.5 h left"]
