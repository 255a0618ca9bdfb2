# SPDX-License-Identifier: GPL-2.0-or-later
"""CSV files of recordings: what they hold is read as it is, and what is wrong is one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.realism.recording import Recording, opportunities_ms, read_csv
from cellbed_formats.error import FileError


def file(folder: Path, text: str) -> Path:
    path = folder / "x.csv"
    path.write_text(text)
    return path


@given(st.lists(st.floats(0, 1e4), min_size=2, max_size=50), st.sampled_from([0.01, 0.1, 0.5, 1.0]))
def test_rates_are_read(tmp_path_factory: pytest.TempPathFactory, rates: list[float], step: float) -> None:
    text = "t_s,rate_mbps\n" + "".join(f"{row * step!r},{rate!r}\n" for row, rate in enumerate(rates))
    one = read_csv(file(tmp_path_factory.mktemp("csv"), text), "day")
    assert one.step_s == pytest.approx(step)
    assert one.rate.tolist() == rates
    assert (one.name, one.group) == ("x.csv", "day")


@given(st.lists(st.floats(0, 100), min_size=100, max_size=300).filter(lambda rates: sum(rates) > 1))
def test_opportunities_follow_the_rate_at_one_mean(rates: list[float]) -> None:
    """As many in each step as its share of all, whatever the unit; none where the rate is 0."""
    times = opportunities_ms(Recording("x", "x", rate=np.array(rates)), 1000, len(rates) * 0.01)
    assert times[-1] == 10 * len(rates)
    assert (np.diff(times) >= 0).all()
    assert len(times) == pytest.approx(10 * len(rates), abs=2)
    share = np.cumsum(rates) / np.sum(rates)
    arrived = np.searchsorted(times[:-1], 10 * np.arange(1, len(rates) + 1), "right") / (10 * len(rates))
    assert arrived == pytest.approx(share, abs=0.003)


def test_opportunities_are_those_of_the_first_seconds() -> None:
    one = Recording("x", "x", rate=np.repeat([1.0, 9.0], 100))
    assert opportunities_ms(one, 100, 1.0).tolist() == [*range(10, 1001, 10), 1000]


def test_times_are_read_and_lost_pings_left_out(tmp_path: Path) -> None:
    one = read_csv(file(tmp_path, "# a drive\nrtt_ms,handover_ms\n40,\n,61\n42.5,\n"), "x")
    assert one.rtt_ms.tolist() == [40, 42.5]
    assert one.handover_ms.tolist() == [61]
    assert not len(one.rate)


@pytest.mark.parametrize(("text", "message"), [
    ("", "no CSV: "),
    ("a,b\n1,2\n", "columns a, b: expected t_s and rate_mbps, or one of rtt_ms, handover_ms"),
    ("rate_mbps\n1\n2\n", "column t_s is missing beside rate_mbps"),
    ("t_s,rate_mbps\n0,1\n", "1 rates: expected 2 or more"),
    ("t_s,rate_mbps\n0,1\n1,x\n", "line 3: rate_mbps 'x': allowed numbers from 0"),
    ("t_s,rate_mbps\n0,1\n1,-1\n", "line 3: rate_mbps '-1': allowed numbers from 0"),
    ("t_s,rate_mbps\n0,1\n1,inf\n", "line 3: rate_mbps 'inf': allowed numbers from 0"),
    ("t_s,rate_mbps\n0,1\n1,\n", "line 3: rate_mbps '': allowed numbers from 0"),
    ("t_s,rate_mbps\n0,1\n0,1\n", "allowed equal steps"),
    ("t_s,rate_mbps\n0,1\n1,1\n9,1\n", "allowed equal steps"),
    ("t_s,rate_mbps\n2,1\n1,1\n0,1\n", "allowed equal steps"),
    ("rtt_ms\nnan\n", "line 2: rtt_ms 'nan': allowed numbers from 0"),
])
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(FileError) as error:
        read_csv(path, "x")
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@given(st.binary(max_size=200))
def test_no_file_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(content)
    try:
        one = read_csv(path, "x")
    except FileError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(one.rate).all()


def test_a_folder_is_no_csv(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no CSV"):
        read_csv(tmp_path, "x")
