# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection of MPTCP, by what its receiving program got, and what its subflows carried of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import MS, START_NS, tcp_packet, write_bundle, write_pcap

from cellbed_analysis.metrics.asked import Asked
from cellbed_analysis.metrics.datagrams import NOTHING_SENT
from cellbed_analysis.metrics.flows import connection_metrics, flow_columns
from cellbed_analysis.metrics.multipath import multipath_metrics
from cellbed_analysis.metrics.rows import compute, flatten, lives_once
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError

#: The program gets 1 MB 1 s after the start, and 0.5 MB each at 2.5 s and at 5.9 s; the flow lasts 6 s.
CAME = {"t_ns": [START_NS + at * MS for at in (1000, 2500, 5900)], "bytes": [1_000_000, 1_500_000, 2_000_000]}
TOLD = {"connected_s": 0.1, "duration_s": 6.0, "received_bytes": 2_000_000, "sent_bytes": 2_000_000,
        "reinjected_bytes": 250_000, "came": CAME}  # fmt: skip


def of_two_networks(folder: Path, **told: Any) -> Bundle:
    """ue1 sends over its first network alone, which its captures show."""
    path = write_bundle(folder)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0] |= {"kind": "stream", "protocol": "mptcp"}
    manifest["description"]["settings"]["nodes"] = {
        "ue1": {"address": "10.45.0.1/24", "radios": {"wifi": "10.47.0.1/24"}}, "ue2": {"address": "10.45.0.2/24"}}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "file.stream.json").write_text(json.dumps(TOLD | told))
    return read_bundle(path)


def metrics(bundle: Bundle) -> dict[str, Any]:
    return flatten(multipath_metrics(bundle, bundle.all_flows[0]))


def test_a_connection_is_measured_where_its_data_are_in_order(tmp_path: Path) -> None:
    """In the window, the last 4.8 of 6 s, 1 MB comes. Nothing comes for 3.4 s."""
    values = metrics(of_two_networks(tmp_path))
    expected = {
        "window_start_s": 1.2, "window_s": 4.8, "goodput_mbps": 8 / 4.8, "goodput_stream_mbps": 16 / 6,
        "mptcp_reinjected_bytes": 250_000, "mptcp_reinjected_share": 1 / 8, "mptcp_stall_max_ms": 3400,
    }  # fmt: skip
    assert {name: values.get(name) for name in expected} == expected


def test_a_stall_may_last_until_the_end(tmp_path: Path) -> None:
    came = {name: values[:2] for name, values in CAME.items()}
    assert metrics(of_two_networks(tmp_path, came=came))["mptcp_stall_max_ms"] == 3500


def test_of_a_connection_that_gets_nothing(tmp_path: Path) -> None:
    values = metrics(of_two_networks(tmp_path, came={"t_ns": [], "bytes": []}, sent_bytes=0, reinjected_bytes=0))
    assert values["mptcp_reinjected_share"] is None
    assert not {"goodput_mbps", "mptcp_stall_max_ms"} & values.keys()


def test_subflows_share_what_they_carry(tmp_path: Path) -> None:
    """Two connections over the first network go to the program's port."""
    bundle = of_two_networks(tmp_path)
    whole, *parts = bundle.all_flows
    assert metrics(bundle)["mptcp_subflows"] == len(parts) == 2
    found = flow_columns(bundle)
    assert found[whole.id]["flow_transport"] == "mptcp" and found[whole.id]["flow_came_bytes"] == 2_000_000
    came = [found[part.id]["flow_came_bytes"] for part in parts]
    assert [found[part.id]["flow_share"] for part in parts] == [pytest.approx(one / sum(came)) for one in came]
    assert "flow_ect" not in found[whole.id] and found[parts[0].id]["flow_ect"] == "not-ECT"


def test_a_connection_has_what_its_program_got_and_no_packets_of_its_own(tmp_path: Path) -> None:
    """What captures count is of its subflows, and so is an RTT."""
    bundle = of_two_networks(tmp_path)
    row = compute(bundle)[0]
    assert row["goodput_mbps"] == 8 / 4.8 and not NOTHING_SENT.keys() & row.keys()
    parts = ", ".join(flow.id for flow in bundle.all_flows[1:])
    with pytest.raises(DataError, match=f"has no RTT, its subflows have; choose one with --flow: {parts}$"):
        Asked.of(bundle, "file")


def test_beside_another_flow_it_has_the_same_metrics(tmp_path: Path) -> None:
    """There only its own columns are computed."""
    bundle = of_two_networks(tmp_path)
    values, segments = connection_metrics(bundle, bundle.all_flows[0], lives_once(bundle))
    assert flatten(values) == metrics(bundle) and segments.is_empty()


@pytest.mark.parametrize(("payload", "share"), [(0, 0), (1, 1)])
def test_the_share_of_a_single_subflow(tmp_path: Path, payload: int, share: float) -> None:
    bundle = of_two_networks(tmp_path)
    for node in ("ue1", "ue2"):
        write_pcap(bundle.path / f"ip-{node}.pcap", [(START_NS, tcp_packet(True, 5, 0, payload, flags=0x02))])
    again = read_bundle(bundle.path)
    assert [one["flow_share"] for flow, one in flow_columns(again).items() if flow != "file"] == [share]
