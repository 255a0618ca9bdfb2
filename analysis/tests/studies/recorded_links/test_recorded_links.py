# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recorded link offered and carried, on a trace made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from synthetic_bundle import MS, START_NS, radio_trace_bytes, write_bundle

from cellbed_analysis.figures import style
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.studies.recorded_links.metrics import link_metrics, opportunities_ns
from cellbed_analysis.studies.recorded_links.use import draw, specs
from cellbed_formats.bundle import Bundle, read_bundle

#: The emulator starts 1 s before the traffic; every 10 ms there are an opportunity at 4 ms and two at 10 ms.
LEAD_MS, PERIOD_MS, TRACE = 1000, 10, "4\n10\n10\n"
DURATION_S = 5
WARM_UP_S = DURATION_S / 5


def write_recorded(results: Path, trace: str = TRACE) -> Path:
    """A run of which each fourth opportunity of the downlink sends something; it comes 20 ms later."""
    path = write_bundle(results, "IM-IM", scenario="packet-trace/replay", duration_s=DURATION_S)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"]["radio"] |= {"system": "packet_trace", "packet_trace": {"bytes": 1500}}
    (path / "manifest.json").write_text(json.dumps(manifest))
    celld = json.loads((path / "celld.json").read_text())
    (path / "celld.json").write_text(json.dumps(celld | {"start_ns": START_NS - LEAD_MS * MS}))
    (path / "downlink.mahimahi").write_text(trace)
    times_ms = [p * PERIOD_MS + ms for p in range(DURATION_S * 1000 // PERIOD_MS) for ms in (4, 10, 10)][::4]
    rows = [
        row
        for pkt, ms in enumerate(times_ms)
        for row in (
            {"t_ns": START_NS + (ms - 2) * MS, "event": "pkt_in", "pkt": pkt, "node": 1, "bytes": 1500},
            {"t_ns": START_NS + ms * MS, "event": "mac_tx", "dir": "dl", "node": 0, "peer": 2, "bytes": 1500},
            {"t_ns": START_NS + (ms + 20) * MS, "event": "pkt_out", "pkt": pkt, "node": 2, "bytes": 1500},
        )
    ]
    # What goes the other way, or to another UE, uses other opportunities.
    rows.append({"t_ns": START_NS + 3000 * MS, "event": "mac_tx", "dir": "ul", "node": 2, "peer": 0, "bytes": 1500})
    rows += [{"t_ns": START_NS + 3000 * MS, "event": "mac_tx", "dir": "dl", "node": 0, "peer": 1, "bytes": 1500}] * 300
    (path / "radio.trace").write_bytes(radio_trace_bytes(rows))
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return read_bundle(write_recorded(tmp_path_factory.mktemp("results")))


def test_the_trace_begins_with_the_emulator_and_starts_again(recorded: Bundle) -> None:
    times = opportunities_ns(recorded, recorded.flows[0])
    assert times is not None
    assert ((times[:6] - START_NS) // MS + LEAD_MS).tolist() == [4, 10, 10, 14, 20, 20]
    assert times[-1] < recorded.flows[0].end_ns <= times[-1] + PERIOD_MS * MS


def test_capacity_and_use_are_those_of_the_datas_direction_after_the_warm_up(recorded: Bundle) -> None:
    values = link_metrics(recorded, recorded.flows[0])
    # Three opportunities of 1500 bytes in 10 ms.
    assert values["link_capacity_mbps"] == pytest.approx(3 * 1500 * 8 / 10_000, rel=0.01)
    assert values["link_used_share"] == pytest.approx(0.25, abs=0.005)


def test_a_ue_may_have_a_link_of_its_own(tmp_path: Path) -> None:
    """Two opportunities of 1000 bytes in 10 ms, as many as carry something."""
    path = write_recorded(tmp_path)
    sink = read_bundle(path).flows[0].sink
    manifest = json.loads((path / "manifest.json").read_text())
    ues = manifest["description"]["settings"]["radio"].setdefault("ues", {})
    ues.setdefault(sink, {})["packet_trace"] = {"bytes": 1000}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / f"{sink}-downlink.mahimahi").write_text("5\n10\n")
    bundle = read_bundle(path)
    values = link_metrics(bundle, bundle.flows[0])
    assert values["link_capacity_mbps"] == pytest.approx(2 * 1000 * 8 / 10_000, rel=0.01)
    assert values["link_used_share"] == pytest.approx(0.25 * 3 / 2, abs=0.005)


def test_other_runs_have_no_such_column(dm_dm: Bundle) -> None:
    assert link_metrics(dm_dm, dm_dm.flows[0]) == {}


def test_a_direction_without_a_trace_has_none(recorded: Bundle, tmp_path: Path) -> None:
    path = write_recorded(tmp_path)
    (path / "downlink.mahimahi").unlink()
    bundle = read_bundle(path)
    assert link_metrics(bundle, bundle.flows[0]) == {}


def test_the_figure_shows_capacity_rates_and_delays(recorded: Bundle) -> None:
    ((name, _, _, make),) = specs([analyse(recorded)])
    assert name == "link-use-replay-im-im"
    with style.theme():
        rates, delays = make().axes
        capacity, _, carried = (stairs.get_data().values for stairs in rates.patches)
        assert capacity[:-1] == pytest.approx(3.6, rel=0.01)
        assert carried[1:-1] == pytest.approx(0.9, rel=0.05)
        assert set(delays.lines[0].get_ydata().round(6)) == {22.0}
        assert len(draw(recorded).axes) == 2


def test_a_link_that_offers_nothing_in_time_has_no_use(tmp_path: Path) -> None:
    """One opportunity, at 100 s of a turn that begins 1 s before the traffic."""
    bundle = read_bundle(write_recorded(tmp_path, trace="100000\n"))
    assert link_metrics(bundle, bundle.flows[0]) == {"link_capacity_mbps": 0}
