# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures whose truth is known, because they were made packet by packet: what `cellbed pcap` finds is that."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).with_name("captures")))

from catalogue import CASES

from cellbed_analysis.pcap.analysis import analyse

COUNTS = ("segments", "payload_bytes", "retransmissions", "fast", "timeouts", "tail_probes", "spurious")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function that gives a case's path and truth."""
    folder, kept = tmp_path_factory.mktemp("captures"), {}

    def make(name):
        if name not in kept:
            case = CASES[name]()
            path = folder / f"{name}{case.suffix}"
            path.write_bytes(case.content)
            kept[name] = path, case
        return kept[name]

    return make


@pytest.mark.parametrize("name", CASES)
def test_a_capture_says_what_is_true(made, name):
    path, case = made(name)
    truth = case.truth
    found = analyse([path])
    rows = [row for row in found.rows if row["transport"] in ("tcp", "udp", "quic", "wireguard")]
    assert [row["transport"] for row in rows] == [truth.transport] * truth.flows
    for row in rows:
        asked = {count: getattr(truth, count) for count in COUNTS if getattr(truth, count) is not None}
        assert {count: row[count] for count in asked} == asked
        if truth.rtt_ms is not None:
            assert row["rtt_min_ms"] == pytest.approx(truth.rtt_ms, abs=truth.rtt_off_ms)
            assert row["rtt_p50_ms"] == pytest.approx(truth.rtt_ms, abs=truth.rtt_off_ms)
        assert truth.remark is None or truth.remark in (row["remarks"] or "")
        assert {column: row[column] for column in truth.more if column != "outer"} == {
            column: value for column, value in truth.more.items() if column != "outer"}
        for column, value in row.items():
            assert not column.endswith("_ms") or value is None or value >= 0, column
    if "outer" in truth.more:
        assert [row["transport"] for row in found.rows] == [truth.more["outer"], "tcp"]
        assert rows[0]["tunnel"] == found.rows[0]["flow"] or rows[0]["tunnel"].split("-")[0] in found.rows[0]["flow"]
    notes = found.notes()
    assert any(truth.note in note for note in notes) if truth.note else not notes


def test_there_are_enough_of_them():
    assert len(CASES) >= 60
