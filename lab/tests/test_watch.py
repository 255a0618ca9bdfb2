# SPDX-License-Identifier: GPL-2.0-or-later
"""The live view on traces that grow piece by piece, made by hand."""

import json
import os
import struct

import pytest
import synthetic_bundle as made
from synthetic_bundle import MS, RADIO_SYMBOLS, TCP_FIELDS, TCP_SYMBOLS, trace_bytes

from cellbed.error import CellbedError
from cellbed_formats.inside import Inside
from cellbed_watch.place import Place, choose, going_on
from cellbed_watch.tail import PcapTail, TraceTail
from cellbed_watch.terminal import CURVES, curve, render
from cellbed_watch.view import View
from cellbed_watch.web import Board
from cellbed_watch.wireshark import datagram

START_S = 5.0


def tcp_row(ms, kind, una, cwnd=10, **fields):
    ends = {"saddr": made.address(made.SADDR), "daddr": made.address(made.DADDR), "sport": 35201, "dport": 5201}
    return {"t_ns": round((START_S * 1000 + ms) * MS), "kind": made.KINDS.index(kind) + 1, **ends, "snd_una": una,
            "snd_cwnd": cwnd, "snd_ssthresh": 2**31 - 1, "srtt_us": 30_000} | fields


def radio_row(ms, event, **fields):
    return {"t_ns": round((START_S * 1000 + ms) * MS), "event": made.EVENTS.index(event), "node": 1, "dir": 0} | fields


@pytest.fixture
def run(tmp_path):
    """A run that goes on, of this process, without traces yet."""
    path = tmp_path / f".tmp-DM-DM-seed1-0123456789.{os.getpid()}"
    path.mkdir()
    nodes = {"ue1": {"address": f"{made.SADDR}/24"}, "ue2": {"address": f"{made.DADDR}/24"}}
    (path / "description.json").write_text(json.dumps(
        {"scenario": "s", "variant": "DM-DM", "seed": 1, "lab": "virtual", "settings": {"nodes": nodes}}))
    (path / "celld.json").write_text(json.dumps({"cell": {"ues": [{"name": "ue1"}, {"name": "ue2"}]}}))
    (path / "progress").write_text(f"nodes 1.0\ntraffic {START_S}\n")
    return path


def tcp_file(rows):
    return trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, rows, 128)


def radio_file(rows):
    return trace_bytes("radio", made.RADIO_FIELDS, RADIO_SYMBOLS, rows, 48)


def looked(path, times=3):
    view = View(Place(path))
    for _ in range(times):
        view.look()
    return view


def test_a_trace_that_grows_byte_by_byte_is_read_record_by_record(tmp_path):
    data = tcp_file([tcp_row(ms, "segment_in", ms) for ms in range(1, 8)])
    path = tmp_path / "tcp.trace"
    tail = TraceTail(lambda: Inside(tmp_path, path.name) if path.exists() else None)
    assert len(tail.read()) == 0
    seen = []
    for end in range(0, len(data) + 1, 37):
        path.write_bytes(data[:end])
        seen += tail.read()["t_ns"].tolist()
    path.write_bytes(data)
    seen += tail.read()["t_ns"].tolist()
    assert seen == [tcp_row(ms, "segment_in", ms)["t_ns"] for ms in range(1, 8)]


def test_a_capture_that_grows_is_read_frame_by_frame(tmp_path):
    frames = [bytes([i]) * (20 + i) for i in range(5)]
    data = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 252)
    for frame in frames:
        data += struct.pack("<IIII", 1, 2, len(frame), len(frame)) + frame
    path = tmp_path / "radio.pcap"
    tail, seen = PcapTail(lambda: Inside(tmp_path, path.name) if path.exists() else None), []
    for end in [*range(0, len(data), 11), len(data)]:
        path.write_bytes(data[:end])
        seen += list(tail.read())
    assert seen == frames


def test_says_what_the_traces_say(run):
    (run / "tcp.trace").write_bytes(tcp_file([
        tcp_row(0, "segment_in", 1000), tcp_row(500, "segment_in", 126_000, packets_out=3),
        tcp_row(1000, "segment_in", 251_000, cwnd=20, snd_ssthresh=8, packets_out=4, srtt_us=42_000),
        tcp_row(1100, "rto", 251_000, cwnd=20, total_retrans=1)]))
    (run / "radio.trace").write_bytes(radio_file([
        radio_row(100, "grant", node=0, peer=1, cqi=7, mcs=11), radio_row(200, "buffer", bytes=3000, value=2),
        radio_row(300, "route", value=1), radio_row(1050, "pkt_drop", value=made.DROPS.index("radio_loss")),
        radio_row(1060, "pkt_drop", value=made.DROPS.index("radio_loss")), radio_row(1150, "mac_lost")]))
    os.rename(run, run.parent / "DM-DM-seed1-0123456789")  # nothing more will come
    view = looked(run)
    told = view.snapshot()
    (connection,) = told["connections"]
    assert connection["name"] == "ue1:35201 to ue2:5201"
    assert (connection["cwnd"], connection["srtt_ms"], connection["timeouts"]) == (20, 30.0, 1)
    assert 1.8 <= connection["mbps"] <= 2.0  # 250 kB in 1.1 s
    (channel,) = told["channels"]
    wanted = {"ue": "ue1", "direction": "ul", "mode": "dm", "cqi": 7, "mcs": 11, "queue_bytes": 3000, "queue_pkts": 2}
    assert {name: channel[name] for name in wanted} == wanted
    assert told["drops"] == {"radio loss": 2}
    assert told["events"] == [[0.3, "mode switch: ue1, dm"], [1.05, "2 × packet dropped: radio loss"],
                              [1.1, "timeout, cwnd 20: ue1:35201 to ue2:5201"]]
    assert view.ended == "ended without a result"
    assert [point["cwnd"] for point in view.history][-1] == 20


def test_a_trace_waits_for_the_other_which_comes_later(run):
    (run / "radio.trace").write_bytes(radio_file([radio_row(ms, "buffer", bytes=ms) for ms in range(0, 1000, 100)]))
    (run / "tcp.trace").write_bytes(tcp_file([tcp_row(450, "segment_in", 1000)]))
    view = looked(run)
    assert view.t_s == pytest.approx(0.45)
    assert view.channels["ue1", "ul"].queue_bytes == 400


def test_before_the_traffic_there_is_nothing_and_no_error(run):
    (run / "progress").write_text("nodes 1.0\n")
    view = looked(run)
    assert view.zero_ns is None and view.ended is None
    assert "starting" in _text(view)


def test_a_terminal_shows_all_of_it(run):
    rows = [tcp_row(ms, "segment_in", 1000 * ms, cwnd=ms) for ms in range(1, 500, 9)]
    (run / "tcp.trace").write_bytes(tcp_file(rows))
    os.rename(run, run.parent / "DM-DM-seed1-0123456789")
    text = _text(looked(run))
    for words in ("DM-DM-seed1-0123456789", "virtual lab", "cwnd", "496 packets", "ue1:35201 to ue2:5201", "█"):
        assert words in text


def test_curves_say_whose_they_are_of_several_connections(run):
    rows = [tcp_row(ms, "segment_in", 1 + factor * ms, sport=port) for port, factor in ((1, 10), (2, 90))
            for ms in range(1, 500, 9)]
    (run / "tcp.trace").write_bytes(tcp_file(rows[:56]))
    os.rename(run, run.parent / "DM-DM-seed1-0123456789")
    assert "curves of TCP" not in _text(looked(run))
    (run.parent / "DM-DM-seed1-0123456789/tcp.trace").write_bytes(tcp_file(rows))
    view = looked(run.parent / "DM-DM-seed1-0123456789")
    assert "curves of TCP: ue1:2 to ue2:5201, which got most of 2" in _text(view)


def _text(view, width=100):
    from rich.console import Console

    console = Console(width=width)
    with console.capture() as capture:
        console.print(render(view, width))
    return capture.get()


@pytest.mark.parametrize("width", [70, 80, 100, 200])
def test_curves_fit_beside_their_words(run, width):
    """A line that is too wide would be cut at the newest values."""
    view = looked(run)
    names = [name for name, _, _ in CURVES]
    view.history.extend({"t": i} | dict.fromkeys(names, 0.01234 * i * i) for i in range(400))
    curves = _text(view, width).splitlines()[1 : 1 + len(CURVES)]
    assert not any("…" in line for line in curves), curves
    assert all("█ 0" in line for line in curves), curves


def test_a_curve_keeps_the_greatest_of_what_shares_a_place():
    assert curve([1, 1, 1, 9, 1, 1, None, None], 4) == "▁█▁ "
    assert curve([], 4) == ""


def test_finds_the_run_that_goes_on(run, tmp_path):
    other = tmp_path / ".tmp-IM-IM-seed1-0123456789.999999999"  # its process is gone
    other.mkdir()
    (other / "description.json").write_text("{}")
    assert [place.directory for place in going_on(tmp_path)] == [run]
    assert choose(run).directory == run
    os.rename(run, run.parent / "DM-DM-seed1-0123456789")
    assert choose(tmp_path) is None
    with pytest.raises(CellbedError, match="no such folder"):
        choose(tmp_path / "nowhere")


def test_a_page_is_told_each_point_once_and_of_another_run_from_its_start(run):
    (run / "tcp.trace").write_bytes(tcp_file([tcp_row(ms, "segment_in", ms + 1) for ms in range(0, 1000, 50)]))
    board, view = Board(), View(Place(run))
    assert board.message(0, 0) == (0, 0, {})
    board.follow(view)
    view.look()
    shown, sent, message = board.message(0, 0)
    assert message["new"] and len(message["points"]["t"]) == view.points == sent
    shown, sent, message = board.message(shown, sent)
    assert not message["new"] and message["points"]["t"] == []
    board.follow(View(Place(run)))
    assert board.message(shown, sent)[2]["new"]


EXPORTED = struct.pack(">HH16sHH", 12, 16, b"mac-lte-framed", 0, 0)


def test_datagrams_are_what_wiresharks_heuristics_know():
    assert datagram(EXPORTED + b"\x01\x00\x03rest") == b"mac-lte\x01\x00\x03rest"
    assert datagram(struct.pack(">HH8sHH", 13, 8, b"rlc_udp", 0, 0) + b"umts-rlcrest") == b"umts-rlcrest"
    assert datagram(struct.pack(">HH12sHH", 13, 12, b"mac_nr_udp", 0, 0) + b"mac-nrrest") == b"mac-nrrest"
    assert datagram(struct.pack(">HH4sHH", 12, 4, b"ip", 0, 0) + b"x") is None
    assert datagram(b"") is None
