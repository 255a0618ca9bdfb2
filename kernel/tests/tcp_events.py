# SPDX-License-Identifier: GPL-2.0-or-later
"""What TCP of a lab kernel does on the wire, event by event: cases of tcp_peer.py in one boot."""

import json
import shlex
from pathlib import Path
from typing import NamedTuple

from lab_kernel import boot, cached

_PEER = Path(__file__).with_name("tcp_peer.py")


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
        cases: of tcp_peer.py, by name.
    """
    out, _ = boot(cached(kind), folder, f"python3 -B {shlex.quote(str(_PEER))} {shlex.quote(json.dumps(cases))}")
    assert out.startswith("{"), out
    return {name: [Event(*event) for event in events] for name, events in json.loads(out).items()}
