# SPDX-License-Identifier: GPL-2.0-or-later
"""What TCP of a lab kernel does on the wire, event by event: cases of tcp_peer.py in one boot."""

import json
import shlex
from pathlib import Path
from typing import NamedTuple

from lab_kernel import boot, cached

_PEER = Path(__file__).with_name("tcp_peer.py")
# Of the path and of its far end.
RTT_MS, PER_RTT = 30, 20
# What cases need not say: who loses, delays or marks nothing, and 20 segments in an RTT.
_USUAL = {"recovery": 0, "sack": True, "compressed": False, "window": 65, "lost": [], "late": [], "losing": None,
          "marked": [], "accecn": False, "rtt_ms": RTT_MS, "per_rtt": PER_RTT}


class Event(NamedTuple):
    """Its fields are explained in tcp_peer.py."""

    us: int
    what: str
    segment: int
    state: int
    cwnd: int
    ssthresh: int
    ecn: int
    info: list[int]


def execute(kind, folder, cases):
    """The events of every case.

    Args:
        kind: of lab_kernel.KINDS.
        cases: of tcp_peer.py, by name; what they do not say is as usual.
    """
    cases = {name: _USUAL | case for name, case in cases.items()}
    out, _ = boot(cached(kind), folder, f"python3 -B {shlex.quote(str(_PEER))} {shlex.quote(json.dumps(cases))}")
    assert out.startswith("{"), out
    return {name: [Event(*event) for event in events] for name, events in json.loads(out).items()}
