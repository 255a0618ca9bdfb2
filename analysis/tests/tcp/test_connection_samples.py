# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of one connection: which one is meant, and what is refused; delays of datagrams without captures."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_bundle import MS, START_NS
from synthetic_reaction import TIMEOUT
from synthetic_switch import IM, radio_row, switch_rows, tcp_row, write_switch_bundle
from synthetic_udp import FLOW, datagram, write_udp

from cellbed_analysis.tcp import after_switch, connection, cuts
from cellbed_analysis.tcp.delay import datagram_delays, least_way_ns
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError


def traced(results: Path, *tcp: dict[str, int], radio: list | None = None) -> Bundle:
    return read_bundle(write_switch_bundle(results, radio or [], list(tcp)))


def test_the_connection_that_sent_most_is_chosen(tmp_path: Path) -> None:
    own = [tcp_row(ms, "segment_out", 0, 1000, 10, len=1000) for ms in (10, 20)]
    other = [tcp_row(15, "segment_out", 0, 1000, 10, len=1500) | {"sport": 9}, tcp_row(16, "rtt", 0, 0, 10)]
    rows = connection.samples(traced(tmp_path, *own, *other))
    assert ((rows["t_ns"] - START_NS) // MS).to_list() == [10, 16, 20]
    assert rows["sport"].n_unique() == 1


def test_connections_that_sent_nothing_are_refused(tmp_path: Path) -> None:
    bundle = traced(tmp_path, tcp_row(10, "segment_in", 0, 1000, 10))
    with pytest.raises(DataError, match="tcp.trace has no connection that sent data"):
        connection.samples(bundle)
    with pytest.raises(DataError, match="--flow other: allowed file"):
        connection.samples(bundle, "other")
    bundle.manifest["flows"] = []
    bare = Bundle(bundle.path, bundle.manifest | {"flows": []})
    (bundle.path / "tcp.json").write_text('{"flows": []}')
    with pytest.raises(DataError, match="tcp.trace has no connection that sent data"):
        connection.samples(bare)


def test_a_flow_of_datagrams_has_no_congestion_control(tmp_path: Path) -> None:
    bundle = write_udp(tmp_path, [(0, datagram(1, 100), True)], flows=[FLOW])
    with pytest.raises(DataError, match="file: udp has no congestion control in the kernel; allowed a flow of TCP"):
        connection.samples(bundle, "file")
    assert cuts.cuts(bundle, bundle.flows[0]) == []


def test_datagrams_without_a_capture_at_the_sender_have_no_delay(tmp_path: Path) -> None:
    bundle = write_udp(tmp_path, [(0, datagram(1, 100), True)], flows=[FLOW])
    (bundle.path / "ip-ue1.pcap").unlink()
    delays = datagram_delays(Bundle(bundle.path, bundle.manifest), bundle.flows[0])
    assert delays.is_empty() and least_way_ns(delays) == 0
    (bundle.path / "ip-ue2.pcap").unlink()
    nothing = datagram_delays(Bundle(bundle.path, bundle.manifest), bundle.flows[0])
    assert dict(nothing.schema) == dict(delays.schema) and nothing.is_empty()


def test_switches_that_the_samples_do_not_reach(tmp_path: Path) -> None:
    """One before the first sample; one without any event, whose data is acknowledged after the next one only."""
    quiet = [tcp_row(1990, "segment_out", 0, 9000, 30), tcp_row(6000, "segment_in", 9000, 9000, 30)]
    radio = [*switch_rows(1000, IM, 1, 0), *switch_rows(3000, 0, 2, 0), *switch_rows(5000, IM, 2, 0)]
    bundle = traced(tmp_path, *quiet, radio=radio)
    first, second = after_switch.reactions(bundle, bundle.flows[0])
    assert [(r.switch.t_ns - START_NS) // MS for r in (first, second)] == [3000, 5000]
    assert (first.repaired_ns, first.events, first.low, first.back_ns, first.after_1s) == (None, (), None, None, None)
    assert second.repaired_ns == START_NS + 6000 * MS and not second.waited


def test_windows_of_switches(tmp_path: Path) -> None:
    bundle = traced(tmp_path, *TIMEOUT, radio=switch_rows(2000, IM, 15, 5))
    tcp = bundle.manifest["description"]["settings"]["tcp"]
    for keys, pkts in (({"receive_window": 20000, "mss": 1000}, 20), ({"receive_window": None, "mss": 1000}, None),
                       ({"receive_window": "8KiB"}, None)):
        tcp.clear()
        tcp |= keys
        assert after_switch.window_pkts(bundle) == pkts
    (reaction,) = after_switch.reactions(bundle, bundle.flows[0])
    assert reaction.back_ns is None  # 30 packets are never reached again, and no receive window is less
    bundle.manifest["description"]["settings"]["radio"].pop("mode_switch")
    none = traced(tmp_path / "none", *TIMEOUT, radio=[radio_row(2000, "channel", node=1, cqi=3)])
    assert after_switch.reactions(none, none.flows[0]) == []


def test_one_sample_has_no_fall(tmp_path: Path) -> None:
    bundle = traced(tmp_path, TIMEOUT[0])
    assert cuts.cuts(bundle, bundle.flows[0]) == []
