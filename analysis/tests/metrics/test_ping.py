# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trip times that ping printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cellbed_analysis.metrics.ping import ping_metrics
from cellbed_formats.bundle import Bundle

PRINTED = """PING 10.46.0.1 (10.46.0.1) 56(84) bytes of data.
64 bytes from 10.46.0.1: icmp_seq=1 ttl=63 time=41.2 ms
64 bytes from 10.46.0.1: icmp_seq=2 ttl=63 time=9.00 ms
64 bytes from 10.46.0.1: icmp_seq=4 ttl=63 time=12.5 ms
64 bytes from server (10.46.0.1): icmp_seq=5 ttl=63 time=0.500 ms
no answer yet for icmp_seq=6

--- 10.46.0.1 ping statistics ---
6 packets transmitted, 4 received, 33% packet loss, time 500ms
rtt min/avg/max/mdev = 0.500/15.800/41.200/1.2 ms
"""


def rtts(folder: Path, program: str, printed: str | None) -> Any:
    if printed is not None:
        (folder / "probe.stdout").write_text(printed)
    return ping_metrics(Bundle(folder, {}), {"id": "probe", "argv": [program, "10.46.0.1"]})


def test_the_first_reply_is_left_out(tmp_path: Path) -> None:
    found = rtts(tmp_path, "/usr/bin/ping", PRINTED)
    assert found["ping_replies"] == 3 and found["ping_rtt_mean_ms"] == pytest.approx(22 / 3)
    assert (found["ping_rtt_min_ms"], found["ping_rtt_p50_ms"], found["ping_rtt_max_ms"]) == (0.5, 9, 12.5)
    assert found["ping_rtt_p99_ms"] == pytest.approx(9 + 0.98 * 3.5)  # of the upper half of the three, 98 %


def test_what_is_no_ping_or_got_no_reply(tmp_path: Path) -> None:
    assert rtts(tmp_path, "ping", None) == {"ping_replies": 0}
    assert rtts(tmp_path, "ping", PRINTED.splitlines()[0]) == {"ping_replies": 0}
    assert rtts(tmp_path, "iperf3", PRINTED) == {}
