# SPDX-License-Identifier: GPL-2.0-or-later
"""What the probe's samples alone tell of a sender, on rows made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from synthetic_bundle import SPORT, START_NS, write_bundle

from cellbed_analysis.metrics.probe import AGREEMENT_BOUND_US, cwnd_full_share, probe_metrics, probe_samples
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.metrics.window import Window
from cellbed_formats.bundle import Bundle, read_bundle

NOTHING = pl.DataFrame(schema={"oldest": pl.Boolean, "rtt_ns": pl.Int64, "ack_ns": pl.Int64, "ack_tag": pl.UInt64})


def sample(out: int, cwnd: int, length: int = 1000, kind: str = "segment_out", **fields: int) -> dict[str, Any]:
    """A segment of new data that leaves while `out` packets are on their way."""
    return {
        "kind": kind, "seq": 5000, "snd_nxt": 5000, "len": length, "mss": 1000, "snd_cwnd": cwnd, "packets_out": out,
        "sacked_out": 0, "lost_out": 0, "retrans_out": 0, **fields,
    }  # fmt: skip


def share(*rows: dict[str, Any]) -> float | None:
    return cwnd_full_share(pl.DataFrame(list(rows), schema_overrides={"packets_out": pl.UInt32, "lost_out": pl.UInt32}))


def test_a_segment_fills_the_window_when_no_other_fits_behind_it() -> None:
    assert share(sample(out=9, cwnd=10), sample(out=8, cwnd=10)) == 0.5


def test_a_segment_of_several_packets_counts_as_many() -> None:
    assert share(sample(out=6, cwnd=10, length=3001)) == 1
    assert share(sample(out=6, cwnd=10, length=3000)) == 0


def test_a_segment_before_its_maximum_size_is_known_counts_by_its_bytes() -> None:
    assert share(sample(out=8, cwnd=10, length=2, mss=0), sample(out=8, cwnd=10, length=1, mss=0)) == 0.5


def test_what_is_lost_or_arrived_takes_no_package() -> None:
    assert share(sample(out=11, cwnd=10, lost_out=1, sacked_out=2)) == 0
    assert share(sample(out=11, cwnd=10, lost_out=2, sacked_out=1, retrans_out=1)) == 1


def test_acknowledgments_retransmissions_and_arrivals_do_not_count() -> None:
    others = sample(9, 10, length=0), sample(9, 10, seq=4000), sample(9, 10, kind="segment_in")
    assert share(*others) is None
    assert share(*others, sample(out=0, cwnd=10)) == 0


def test_samples_that_time_no_segment(dm_dm: Bundle) -> None:
    """The captures' segments and the probe's samples do not meet: there is nothing to compare."""
    flow = dm_dm.flows[0]
    samples = probe_samples(dm_dm, flow, SPORT)
    window = Window(START_NS, START_NS + 10**9)
    values = probe_metrics(dm_dm, samples, NOTHING, window)
    assert (values["probe_rtt_samples"], values["probe_samples"], values["cwnd_mean_pkts"]) == (0, 62, 10)
    assert not {"probe_rtt_mean_ms", "probe_within_bound_share"} & values.keys()


def test_each_change_of_the_window_counts_once(dm_dm: Bundle) -> None:
    """However long a window lasts, by what comes: of 10, 12, 14 and 20 packets the median is 13."""
    came = [sample(0, cwnd, kind="segment_in") for cwnd in (10, 10, 12, 12, 14, 14, 20)]
    rows = [row | {"t_ns": START_NS + at, "srtt_us": 0, "rtt_us": 0, "snd_una": 0}
            for at, row in enumerate([*came, *[sample(9, 99)] * 9])]  # fmt: skip
    samples = pl.DataFrame(rows, schema_overrides={"snd_una": pl.UInt32})
    values = probe_metrics(dm_dm, samples, NOTHING, Window(START_NS, START_NS + 10**9))
    assert values["cwnd_change_p50_pkts"] == 13


@pytest.mark.parametrize(("beside_us", "share"), [(10, 1), (11, 0)])
def test_what_is_as_far_from_the_capture_as_it_may_be_agrees(tmp_path: Path, beside_us: int, share: float) -> None:
    assert AGREEMENT_BOUND_US["virtual"] == 10
    bundle = read_bundle(write_bundle(tmp_path, probe_extra_us=beside_us, duration_s=2))
    assert compute(bundle)[0]["probe_within_bound_share"] == share
