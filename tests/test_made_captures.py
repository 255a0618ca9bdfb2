# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures whose truth is known, because they were made packet by packet: what `cellbed pcap` finds is that."""

import json
import random
import struct
import sys
from pathlib import Path

import pytest
from e2e import ROOT, cellbed
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).with_name("captures")))

from catalogue import CASES

from cellbed_analysis.pcap.analysis import analyse
from cellbed_formats.error import DataError, reading

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


def test_the_table_of_the_page_has_these_captures():
    """`python tests/captures/compare.py` prints it."""
    page = (ROOT / "docs/pcap.md").read_text()
    missing = [name for name, make in CASES.items() if f"| {name} |" not in page and asked(make().truth)]
    assert missing == []


def asked(truth):
    return truth.transport == "tcp" and truth.segments is not None and truth.retransmissions is not None


@pytest.mark.parametrize("name", ["transfer-fast", "tunnel-gtpu", "interfaces-router"])
def test_rows_are_the_same_where_no_segments_are_kept(made, name):
    path, _ = made(name)
    kept, rows = analyse([path]), analyse([path], keep=False)
    assert rows.to_json() == kept.to_json()
    assert len(kept.segment_frame()) and rows.segment_frame().is_empty()


CORPUS = ("transfer-fast", "twice-vlan", "interfaces-router", "clock-some", "datagrams-in-fragments-six",
          "tunnel-in-a-tunnel", "raw-user-plane-156", "labelled", "packed-gz", "packed-zst", "packed-xz",
          "blocks-padding", "options-cut-at-60", "closed-windows-some", "sealed")


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(CORPUS), seed=st.integers(0, 2**32), n=st.integers(1, 40), cut=st.booleans())
def test_damaged_captures_are_a_table_or_one_line(tmp_path_factory, name, seed, n, cut):
    source = random.Random(seed)
    content = bytearray(damaged_from(name))
    for _ in range(n):
        content[source.randrange(len(content))] = source.choice((0, 1, 0x7F, 0xFF, source.randrange(256)))
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    path.write_bytes(bytes(content[: source.randrange(len(content))] if cut else content))
    try:
        with reading(path):
            found = analyse([path])
            found.flow_frame()
            json.dumps(found.to_json(), allow_nan=False)
    except DataError as error:
        assert "holds what no run writes" not in str(error), error
        return
    assert all(value is None or value >= 0 for row in found.rows for column, value in row.items()
               if column.endswith("_ms"))


KEPT = {}


def damaged_from(name):
    if name not in KEPT:
        KEPT[name] = CASES[name]().content
    return KEPT[name]


def test_standard_input_is_a_file(made):
    path, _ = made("packed-gz")
    with path.open("rb") as file:
        done = cellbed("pcap", "-", "--json", stdin=file)
    assert json.loads(done.stdout)["flows"][0]["segments"] == 201


def test_fit_says_what_is_wrong_with_its_capture(made, tmp_path):
    """And makes the link of it that there was: 20 ms each way."""
    path, _ = made("clock-back")
    done = cellbed("fit", path, "--no-run", "--output", tmp_path / "fit")
    assert "the clock went back by 100 ms" in done.stderr and "delay 20 ms each way" in done.stdout


def noise(link):
    source = random.Random(link)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)
    return head + b"".join(struct.pack("<4I", i, 0, 100, 100) + source.randbytes(100) for i in range(500))


@pytest.mark.parametrize(("content", "message"), [
    (noise(148), "no TCP or UDP and no PDUs of MAC or RLC among 500 packets of link type 148: readable: "),
    (noise(156), "of link type 156"),
    (noise(127), "x.pcap: link type 127 (IEEE 802.11 with radiotap): readable: IP over Ethernet, Linux cooked "),
    (noise(290), "x.pcap: link type 290: readable: IP"), (noise(252), "of link type 252"),
    (noise(1), "no TCP or UDP among 500 packets"),
])
def test_what_cannot_be_read_is_said_in_one_line(tmp_path, content, message):
    (tmp_path / "x.pcap").write_bytes(content)
    done = cellbed("pcap", tmp_path / "x.pcap", check=False)
    assert done.returncode != 0 and message in done.stderr and done.stderr.count("\n") == 1
    assert done.stderr.count("readable") == 1 and done.stderr.count("raw") == 1


@pytest.mark.parametrize("name", ["/nonexistent/x.csv", "/nonexistent/x.parquet", "/nonexistent/x.json",
                                  "/nonexistent/x.html", "/proc/x.csv", "{folder}/y.csv/x.csv", "{folder}/" + "x" * 300
                                  + ".csv"])
def test_where_nothing_can_be_written_is_one_line(made, tmp_path, name):
    path, _ = made("transfer-clean")
    (tmp_path / "y.csv").touch()
    done = cellbed("pcap", path, "--output", name.format(folder=tmp_path), check=False)
    assert done.returncode != 0 and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert name.format(folder=tmp_path) in done.stderr or "x.csv" in done.stderr
