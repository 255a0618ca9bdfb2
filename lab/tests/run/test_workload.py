# SPDX-License-Identifier: GPL-2.0-or-later
"""How much is to be sent and until when, and the stream that needs no second connection."""

import json
import math
import os
import socket
import time

import pytest

from cellbed.error import LabError
from cellbed.run import datagrams, stream
from cellbed.run.workload import BLOCK_MAX, amount, describe, end_s, iperf3_version, limit_s, make

TIMED = {"id": "file", "kind": "iperf3", "from": "a", "to": "b", "start_s": 2, "duration_s": 10, "bytes": None,
         "limit_s": 600, "port": 5201, "transport": "tcp", "family": None, "congestion_control": None}
SETTINGS = {"nodes": {"a": {"machine": False, "address": ["2001:db8::1/64", "10.0.0.1/24"]},
                      "b": {"machine": False, "address": ["10.0.0.2/24", "2001:db8::2/64"]}}, "traffic": [],
            "tcp": {"congestion_control": "cubic", "profile": "modern", "sysctls": {}, "receive_window": None}}
SIZED = {**TIMED, "duration_s": None, "bytes": 122_240_000}


def test_time():
    assert amount(TIMED) == ["-t", "10"]
    assert (end_s(TIMED), limit_s(TIMED)) == (12, 42)


def test_datagrams():
    flow = {**TIMED, "transport": "udp", "rate": 40_000_000, "packet_bytes": 1024}
    assert amount(flow) == ["-t", "10", "-u", "-b", "40000000", "-l", "1024"]
    assert describe(flow, SETTINGS)["protocol"] == "udp"


def test_size():
    assert (end_s(SIZED), limit_s(SIZED)) == (math.inf, 602)


@pytest.mark.parametrize("size", [1, 20_000, BLOCK_MAX, BLOCK_MAX + 1, 122_240_000, 10**9 + 7])
def test_equal_blocks_make_the_size(size):
    n, blocks_of = amount({**SIZED, "bytes": size})[1::2]
    assert int(n) == size
    sent_blocks = math.ceil(size / int(blocks_of))
    assert int(blocks_of) <= BLOCK_MAX
    assert 0 <= sent_blocks * int(blocks_of) - size < sent_blocks


def test_a_file_in_place_of_an_amount(tmp_path):
    """For an iperf3 of several threads, which would compute for ever at the end of an amount."""
    assert amount(SIZED, tmp_path / "file") == ["-F", str(tmp_path / "file"), "-t", "86400"]
    assert iperf3_version("iperf3") >= (3, 0)


def test_the_manifest_tells_both():
    assert describe(SIZED, SETTINGS)["bytes"] == 122_240_000
    assert describe(SIZED, SETTINGS)["duration_s"] is None
    assert describe(TIMED, SETTINGS)["bytes"] is None


@pytest.mark.parametrize(("family", "ends"), [(None, ("10.0.0.1", "10.0.0.2")), ("ipv4", ("10.0.0.1", "10.0.0.2")),
                                              ("ipv6", ("2001:db8::1", "2001:db8::2"))])
def test_a_flow_is_of_the_family_that_it_names(family, ends):
    said = describe({**TIMED, "family": family}, SETTINGS)
    assert (said["saddr"], said["daddr"]) == ends


def test_what_is_overdue_says_its_limit(tmp_path):
    def error(flow):
        return str(make(flow, {}, tmp_path, SETTINGS).overdue())

    assert error(SIZED) == "traffic file: 122240000 bytes took longer than limit_s = 600 s"
    assert error(TIMED) == "traffic file: did not end within 30 s of its time"


STREAM = {**TIMED, "kind": "stream", "duration_s": 0.3}


def local(sink=None):
    """A stream between two ports of this host; setns(2) is not needed where it goes nowhere."""
    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as free:
            ports.append(free.getsockname()[1])
    return [(os.getpid(), "127.0.0.1", port) for port in ports]


@pytest.fixture
def here(monkeypatch):
    import contextlib

    monkeypatch.setattr(stream, "in_netns", lambda pid: contextlib.nullcontext())


def test_a_stream_counts_what_arrives(here):
    facts = stream.Stream(*local()).execute(0.3, time.monotonic_ns())
    assert (facts["connections"], facts["duration_s"]) == (1, 0.3)
    assert 0 <= facts["connected_s"] < 0.3
    assert 0 < facts["received_bytes"] <= facts["sent_bytes"]
    assert facts["congestion_control"]


def test_a_stream_ends_with_its_time_and_counts_what_a_signal_cuts_off(here, monkeypatch):
    """The sender gets a block of a gigabyte only partly into a link that nobody reads from."""
    monkeypatch.setattr(stream, "BLOCK_BYTES", 1 << 30)
    monkeypatch.setattr(stream.Stream, "_receive", lambda self: time.sleep(10))
    begin = time.monotonic()
    facts = stream.Stream(*local()).execute(0.3, time.monotonic_ns())
    assert time.monotonic() - begin < 5
    assert facts["sent_bytes"] > 65536
    assert (facts["connections"], facts["received_bytes"]) == (0, 0)


@pytest.mark.parametrize("tick_s", [0.001, 0.2])
def test_datagrams_keep_their_rate(here, monkeypatch, tick_s):
    """Also when the machine is late."""
    import contextlib

    monkeypatch.setattr(datagrams, "_TICK_S", tick_s)
    monkeypatch.setattr(datagrams, "in_netns", lambda pid: contextlib.nullcontext())
    monkeypatch.setattr(datagrams, "_SILENCE_S", 0.2)
    facts = datagrams.execute(*local(), 0.5, 800_000, 1000, time.monotonic_ns())
    assert facts["sent_pkts"] == 50  # 100 of them a second
    assert facts["received_pkts"] == 50 and facts["received_bytes"] == 50_000
    assert 0.4 < facts["received_s"] <= facts["duration_s"] + 0.3  # of the last one, not with the silence after it


def test_a_stream_that_nobody_takes_is_none(here):
    source, sink = local()
    executing = stream.Stream(source, sink)
    executing.listener.close()
    executing.listener = socket.create_server(("127.0.0.1", 0))
    with socket.socket() as refusing:  # every connection, as it is bound and does not listen; and nobody else takes it
        refusing.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        refusing.bind(sink[1:])
        facts = executing.execute(0.5, time.monotonic_ns())
    assert facts["connected_s"] is None and facts["received_bytes"] == facts["connections"] == 0


def test_a_stream_ends_with_its_time_and_says_what_is_wrong(tmp_path):
    flow = make(STREAM, {}, tmp_path, SETTINGS)
    assert (end_s(STREAM), flow.result.name) == (2.3, "file.stream.json")
    assert "no usable stream result" in flow.error() and flow.congestion_control() is None
    flow.result.write_text(json.dumps({"congestion_control": "reno"}))
    assert flow.error() is None and flow.congestion_control() == "reno"
    with pytest.raises(LabError, match="kind ftp: allowed iperf3, stream"):
        make({**STREAM, "kind": "ftp"}, {}, tmp_path, SETTINGS)
