# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic of a run: iperf3 from one node to another."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.process import Process, wait_line

# The data connection's client port, so that analysis can tell it from iperf3's control connection.
CLIENT_PORT_OFFSET = 30000
# iperf3's default for TCP: what one write hands to the kernel.
BLOCK_MAX = 128 << 10
# After the end of a flow that is bounded by time: what is in its socket's buffer still goes out.
GRACE_S = 30


def client_port(flow: dict[str, Any]) -> int:
    return CLIENT_PORT_OFFSET + flow["port"] % 30000


def amount(flow: dict[str, Any]) -> list[str]:
    """iperf3's arguments for how much to send.

    iperf3 sends whole blocks; equal ones bring a file's size to within a byte for each block.
    """
    if flow["bytes"] is None:
        return ["-t", f"{flow['duration_s']:g}"]
    blocks = -(-flow["bytes"] // BLOCK_MAX)
    return ["-n", str(flow["bytes"]), "-l", str(-(-flow["bytes"] // blocks))]


def end_s(flow: dict[str, Any]) -> float:
    """When a flow ends, in seconds of the run; infinity for a file."""
    return flow["start_s"] + flow["duration_s"] if flow["bytes"] is None else math.inf


def limit_s(flow: dict[str, Any]) -> float:
    """When a flow must have ended, in seconds of the run."""
    return flow["start_s"] + (flow["limit_s"] if flow["bytes"] is not None else flow["duration_s"] + GRACE_S)


class Iperf3:
    """One iperf3 server and client."""

    def __init__(self, flow: dict[str, Any], pids: dict[str, int], addresses: dict[str, str], out: Path) -> None:
        self.flow, self.pids, self.addresses = flow, pids, addresses
        self.result = out / f"{flow['id']}.iperf3.json"
        self.log = out / "log"
        self.server: Process | None = None
        self.client: Process | None = None

    def start_server(self) -> None:
        self.server = Process(
            f"iperf3 server of {self.flow['id']}",
            ["iperf3", "-s", "-1", "-p", str(self.flow["port"]), "--forceflush"],
            self.log, self.pids[self.flow["to"]], stdout=subprocess.PIPE)
        wait_line(self.server, b"Server listening")

    def start_client(self) -> None:
        flow = self.flow
        args = ["iperf3", "-c", self.addresses[flow["to"]], "-B", self.addresses[flow["from"]],
                "--cport", str(client_port(flow)), "-p", str(flow["port"]), *amount(flow),
                "-i", "1", "-J", "--logfile", str(self.result)]
        self.client = Process(f"iperf3 client of {flow['id']}", args, self.log, self.pids[flow["from"]])

    def overdue(self) -> LabError:
        """Why a run ends whose client still works after its limit."""
        flow = self.flow
        if flow["bytes"] is None:
            return LabError(f"traffic {flow['id']}: did not end within {GRACE_S} s of its time")
        return LabError(f"traffic {flow['id']}: {flow['bytes']} bytes took longer than limit_s = {flow['limit_s']:g} s")

    def running(self) -> bool:
        return self.client is not None and self.client.popen.poll() is None

    def kill(self) -> None:
        for process in (self.client, self.server):
            if process is not None:
                process.kill()
                if process.popen.stdout:
                    process.popen.stdout.close()

    def error(self) -> str | None:
        """What iperf3 says went wrong, or None."""
        try:
            result = json.loads(self.result.read_text())
        except (OSError, json.JSONDecodeError) as error:
            return f"no usable iperf3 result: {error}"
        return result.get("error")

    def congestion_control(self) -> str | None:
        """Name that the sending socket reported."""
        try:
            return json.loads(self.result.read_text())["end"].get("sender_tcp_congestion")
        except (OSError, KeyError, json.JSONDecodeError):
            return None


def describe(flow: dict[str, Any], addresses: dict[str, str]) -> dict[str, Any]:
    """A flow as the manifest lists it."""
    return {"id": flow["id"], "kind": flow["kind"], "from": flow["from"], "to": flow["to"],
            "saddr": addresses[flow["from"]], "daddr": addresses[flow["to"]], "sport": client_port(flow),
            "port": flow["port"], "protocol": "tcp", "start_s": flow["start_s"], "duration_s": flow["duration_s"],
            "bytes": flow["bytes"]}


def make(flow: dict[str, Any], pids: dict[str, int], addresses: dict[str, str], out: Path) -> Iperf3:
    if flow["kind"] != "iperf3":
        raise LabError(f"traffic {flow['id']}: kind {flow['kind']}: allowed iperf3")
    return Iperf3(flow, pids, addresses, out)
