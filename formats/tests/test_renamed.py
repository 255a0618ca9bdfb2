# SPDX-License-Identifier: GPL-2.0-or-later
"""Old names: each leads to the one of today, with one line, and no name of today is an old one."""

import pytest

import cellbed
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_formats import renamed
from cellbed_formats.renamed import RENAMED, command_line, current, with_old_arguments

NAMES = [(kind, old, new) for kind, names in RENAMED.items() for old, new in names.items()]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    renamed._tell.cache_clear()


@pytest.mark.parametrize(("kind", "old", "new"), NAMES)
def test_an_old_name_leads_to_the_new_one_and_says_so_once(
        kind: str, old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [current(kind, old), current(kind, old), current(kind, new)] == [new] * 3
    assert capsys.readouterr().err == \
        f"cellbed: {kind} {old}: its name is now {new}; the next release refuses the old name\n"


def test_every_new_name_is_there() -> None:
    assert set(RENAMED["metric"].values()) <= set(METRICS)
    assert not set(RENAMED["metric"]) & set(METRICS)
    assert set(RENAMED["function"].values()) <= set(cellbed.__all__)
    assert cellbed.play is cellbed.run_scenario and cellbed.play_async is cellbed.run_scenario_async


def test_arguments_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    @with_old_arguments
    def part(start_s: float = 0, end_s: float = 1) -> tuple[float, float]:
        return start_s, end_s

    assert part(begin_s=2, end_s=3) == part(2, 3) == (2, 3)  # type: ignore[call-arg]
    assert command_line(["fit", "a.pcap", "--no-play"]) == ["fit", "a.pcap", "--no-run"]
    assert command_line(["run", "--play"]) == ["run", "--play"]
    assert command_line([]) == []
    assert capsys.readouterr().err.count("\n") == 2
