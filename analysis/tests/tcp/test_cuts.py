# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of a fall of the congestion window, on traces made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import synthetic_handover
from synthetic_bundle import START_NS
from synthetic_cut import TIMEOUT, tag
from synthetic_handover import handover_rows
from synthetic_reaction import DUPACKS
from synthetic_switch import BASE, IM, radio_row, switch_rows, tcp_row, write_switch_bundle

from cellbed_analysis.tcp.cuts import Cut, cuts
from cellbed_formats.bundle import read_bundle


def found(tmp_path: Path, radio: list, tcp: list) -> list[Cut]:
    bundle = read_bundle(write_switch_bundle(tmp_path, radio, tcp))
    return cuts(bundle, bundle.flows[0])


def test_a_mode_switch_that_flushed_the_segment_is_the_cause(tmp_path: Path) -> None:
    drop = radio_row(2000, "pkt_drop", tag=tag(1000), value=1, node=1)
    (cut,) = found(tmp_path, [*switch_rows(2000, IM, 9, 0), drop], TIMEOUT)
    assert (cut.kind, cut.t_ns, cut.before, cut.after) == ("timeout", START_NS + 2_300_000_000, 9, 1)
    assert cut.cause == (
        "The oldest segment was dropped by a mode switch, which flushes RLC, 300 ms before. "
        "Meanwhile on the radio: mode switch to IM 300 ms before."
    )


def test_another_segments_drop_is_no_cause(tmp_path: Path) -> None:
    drop = radio_row(2000, "pkt_drop", tag=tag(2000), value=1, node=1)
    (cut,) = found(tmp_path, [drop], TIMEOUT)
    assert cut.cause == "The radio dropped no segment with this number."


def full(tmp_path: Path, *rows: dict, system: str = "lte") -> str:
    """The cause, where the trace has the ways of all packets."""
    names = synthetic_handover.EVENTS
    path = write_switch_bundle(tmp_path, [], TIMEOUT)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"].setdefault("radio", {})["system"] = system
    (path / "manifest.json").write_text(json.dumps(manifest))
    bundle = read_bundle(path)
    events = (*names, "pkt_in", "pkt_out")
    symbols = {"event": dict(enumerate(events)), "dir": {0: "ul"}, "drop": {0: "none", 1: "queue_full"}}
    from synthetic_bundle import MS, RADIO_FIELDS, trace_bytes

    made = [row | {"t_ns": START_NS + round(row["t_ns"] * MS), "event": events.index(row["event"])} for row in rows]
    (bundle.path / "radio.trace").write_bytes(trace_bytes("radio", RADIO_FIELDS, symbols, made, 48))
    return cuts(bundle, bundle.flows[0])[0].cause


@pytest.mark.parametrize(("rows", "cause"), [
    ([], "The oldest segment never came to the link: it was lost on a wire, as in a router's queue."),
    ([{"t_ns": 1991, "event": "pkt_in", "tag": tag(1000), "pkt": 2},
      {"t_ns": 1991, "event": "pkt_drop", "value": 1, "tag": tag(1000), "pkt": 2}],
     "The oldest segment was dropped by a full queue of the link, 309 ms before."),
])
def test_a_link_in_place_of_a_radio_is_called_one(tmp_path: Path, rows: list, cause: str) -> None:
    for system in ("constant_rate", "packet_trace"):
        assert full(tmp_path / system, OTHER, *rows, system=system) == cause


OTHER = {"t_ns": 1000, "event": "pkt_in", "tag": tag(0), "pkt": 1}


@pytest.mark.parametrize(("rows", "cause"), [
    ([], "The oldest segment never came to the radio: it was lost on a wire, as in a router's queue."),
    ([{"t_ns": 1991, "event": "pkt_in", "tag": tag(1000), "pkt": 2}],
     "The oldest segment was still in the radio, which had taken it 309 ms before."),
    ([{"t_ns": 1991, "event": "pkt_in", "tag": tag(1000), "pkt": 2},
      {"t_ns": 2250, "event": "pkt_out", "tag": tag(1000), "pkt": 2, "value": 259_000}],
     "The radio had delivered the oldest segment, after 259 ms: late, not lost."),
    ([{"t_ns": 1991, "event": "pkt_in", "tag": tag(1000), "pkt": 2},
      {"t_ns": 1991, "event": "pkt_drop", "tag": tag(1000), "pkt": 2, "value": 1}],
     "The oldest segment was dropped by a full RLC queue, 309 ms before."),
])  # fmt: skip
def test_a_full_trace_tells_what_became_of_the_segment(tmp_path: Path, rows: list, cause: str) -> None:
    assert full(tmp_path, OTHER, *rows) == cause


def test_acks_that_were_dropped_are_counted(tmp_path: Path) -> None:
    ack = {"t_ns": 2100, "event": "pkt_drop", "tag": 2**63 | (BASE + 4000) % 2**32, "pkt": 3, "value": 1}
    old = ack | {"tag": 2**63 | (BASE + 500) % 2**32}
    assert "ACKs dropped of what was in flight: 1." in full(tmp_path, OTHER, ack, old)


def test_each_event_ends_where_the_next_starts(tmp_path: Path) -> None:
    kinds = [(cut.kind, cut.before, cut.after) for cut in found(tmp_path, switch_rows(5000, IM, 10, 2), DUPACKS)]
    assert [kind for kind, _, _ in kinds] == ["fast retransmit", "timeout", "fast retransmit"]
    assert kinds[0][2] > 1  # the timeout's window of 1 is not the fast retransmit's


def test_a_window_that_falls_by_itself_is_told_as_such(tmp_path: Path) -> None:
    rows = [tcp_row(ms, "segment_in", ms, ms + 9000, 20 if ms < 3000 else 4) for ms in range(1000, 4000, 500)]
    (cut,) = found(tmp_path, [], rows)
    assert (cut.kind, cut.before, cut.after) == ("lowered", 20, 4)
    assert "the congestion control lowered it by itself" in cut.cause


def test_a_handover_is_named(tmp_path: Path) -> None:
    path = synthetic_handover.write_handover_bundle(tmp_path, handover_rows(2000), [
        synthetic_handover.tcp_row(1990, "segment_out", 1, 1, 9, seq=1, len=1000),
        synthetic_handover.tcp_row(2300, "rto", 1, 10, 9), synthetic_handover.tcp_row(2301, "segment_in", 1, 10, 1, 4)])
    bundle = read_bundle(path)
    assert "handover decided 300 ms before" in cuts(bundle, bundle.flows[0])[0].cause


@pytest.mark.parametrize(("way_ms", "words"), [(20, "the receiver had it 280 ms before: late"),
                                               (None, "it had not come to the receiver")])
def test_the_receivers_capture_tells_what_the_radio_does_not(tmp_path: Path, way_ms: float | None, words: str) -> None:
    wire = synthetic_handover.Wire()
    wire.send(1000, 0)
    wire.send(2000, 1, way_ms)
    rows = [synthetic_handover.tcp_row(2000, "segment_out", 1, 1, 9, seq=1, len=1000),
            synthetic_handover.tcp_row(2300, "rto", 1, 10, 9), synthetic_handover.tcp_row(2300, "retransmit", 1, 10, 1)]
    path = synthetic_handover.write_handover_bundle(tmp_path, handover_rows(2000), rows, wire=wire)
    bundle = read_bundle(path)
    assert words in cuts(bundle, bundle.flows[0])[0].cause


def test_without_samples_there_are_none(tmp_path: Path) -> None:
    assert found(tmp_path, [], []) == []
    manifest = json.loads((tmp_path / "reno-seed1-0123456789/manifest.json").read_text())
    assert manifest["flows"][0]["protocol"] == "tcp"
