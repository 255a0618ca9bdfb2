# SPDX-License-Identifier: GPL-2.0-or-later
"""UDP at a rate for a given time: `python -m cellbed.datagrams`.

Like `cellbed.stream`, both ends live in this one process, so nothing but the data crosses the link; iperf3 over UDP
keeps a TCP connection beside it, which a queue full of datagrams holds up. The sender wakes up every millisecond.
"""

from __future__ import annotations

import argparse
import json
import math
import select
import socket
import struct
import time
from pathlib import Path
from typing import Any

from cellbed.process import in_netns
from cellbed.stream import end

_TICK_S = 0.001
# What is queued may arrive after the end: a megabyte at 0.5 Mbit/s takes 17 s.
_DRAIN_S, _SILENCE_S = 25.0, 3.0
_NUMBER = struct.Struct(">Q")


def play(source: tuple[int, str, int], sink: tuple[int, str, int], seconds: float, rate_bps: int,
         packet_bytes: int) -> dict[str, Any]:
    """Send for so long, then wait for the last ones.

    Return: what was sent and what came; `received_s` is the time of the last one that came, after the first was sent.
    """
    sender, receiver = (_socket(*one) for one in (source, sink))
    facts: dict[str, Any] = {"sent_pkts": 0, "received_pkts": 0, "received_bytes": 0, "received_s": None,
                             "duration_s": seconds,
                             "packet_bytes": packet_bytes, "congestion_control": None}
    rest = bytes(packet_bytes - _NUMBER.size)
    packets_per_s = rate_bps / 8 / packet_bytes
    every = math.ceil(seconds * packets_per_s)
    begin = time.monotonic()
    while facts["sent_pkts"] < every:
        now_s = time.monotonic() - begin
        while facts["sent_pkts"] < min(every, int(now_s * packets_per_s) + 1):
            sender.sendto(_NUMBER.pack(facts["sent_pkts"]) + rest, sink[1:])
            facts["sent_pkts"] += 1
        _receive(receiver, facts, begin)
        time.sleep(max(0.0, _TICK_S - (time.monotonic() - begin - now_s)))
    last = until = time.monotonic()
    until += _DRAIN_S
    while (now := time.monotonic()) < until and now < last + _SILENCE_S:
        if select.select([receiver], [], [], _SILENCE_S)[0]:
            _receive(receiver, facts, begin)
            last = time.monotonic()
    return facts


def _receive(receiver: socket.socket, facts: dict[str, Any], begin: float) -> None:
    """Take what is there. Args: begin: of the sending, on the monotonic clock."""
    while True:
        try:
            data = receiver.recv(65536)
        except BlockingIOError:
            return
        facts["received_pkts"] += 1
        facts["received_bytes"] += len(data)
        facts["received_s"] = round(time.monotonic() - begin, 6)


def _socket(pid: int, address: str, port: int) -> socket.socket:
    with in_netns(pid):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    made.bind((address, port))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--from", "--to"):
        parser.add_argument(name, dest=name.strip("-"), type=end, required=True, metavar="PID,ADDRESS,PORT")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=int, required=True, metavar="BPS")
    parser.add_argument("--packet-bytes", type=int, required=True)
    parser.add_argument("--result", type=Path, required=True)
    chosen = parser.parse_args()
    facts = play(getattr(chosen, "from"), chosen.to, chosen.seconds, chosen.rate, chosen.packet_bytes)
    chosen.result.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
