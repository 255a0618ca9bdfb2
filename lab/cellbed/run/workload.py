# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic of a run: TCP connections and UDP datagrams from one node to another, and other programs (command.py)."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host.child import Child, become
from cellbed.host.process import Copy, Process, Running, wait_line
from cellbed.run import address, congestion_control, inventory, stream, tcp_profile
from cellbed.run.attach import Attachment
from cellbed.run.command import Command

# The data connection's client port, so that analysis can tell it from iperf3's control connection.
CLIENT_PORT_OFFSET = 30000
# iperf3's default for TCP: what one write hands to the kernel.
BLOCK_MAX = 128 << 10
# From this version on a thread of the client computes until the main thread sees that all bytes were sent. In the
# virtual lab computing takes no time, so that would never be. At the end of a file the thread ends.
_IPERF3_THREADS = (3, 16)
# iperf3's upper bound of -t.
_IPERF3_LONGEST_S = 86400
# After the end of a flow that is bounded by time: what is in its socket's buffer still goes out.
GRACE_S = 30


def client_port(flow: dict[str, Any]) -> int:
    return CLIENT_PORT_OFFSET + flow["port"] % 30000


def amount(flow: dict[str, Any], file: Path | None = None) -> list[str]:
    """iperf3's arguments for how much to send.

    iperf3 sends whole blocks; equal ones bring a file's size to within a byte for each block. Over UDP a block is a
    datagram, and the rate is that of their payload.

    Args:
        file: of so many bytes, to be sent in place of what iperf3 makes up.
    """
    if flow["transport"] == "udp":
        return ["-t", f"{flow['duration_s']:g}", "-u", "-b", str(flow["rate"]), "-l", str(flow["packet_bytes"])]
    if flow["bytes"] is None:
        return ["-t", f"{flow['duration_s']:g}"]
    if file is not None:
        return ["-F", str(file), "-t", str(_IPERF3_LONGEST_S)]
    blocks = -(-flow["bytes"] // BLOCK_MAX)
    return ["-n", str(flow["bytes"]), "-l", str(-(-flow["bytes"] // blocks))]


def end_s(flow: dict[str, Any]) -> float:
    """When a flow ends, in seconds of the run; infinity for a file."""
    return flow["start_s"] + flow["duration_s"] if flow["bytes"] is None else math.inf


def limit_s(flow: dict[str, Any]) -> float:
    """When a flow must have ended, in seconds of the run; infinity for a program without a limit."""
    if flow["kind"] == "command":
        return math.inf if flow["limit_s"] is None else flow["start_s"] + flow["limit_s"]
    return flow["start_s"] + (flow["limit_s"] if flow["bytes"] is not None else flow["duration_s"] + GRACE_S)


def has_end(settings: dict[str, Any]) -> bool:
    """Whether it is known how long the traffic of a run may take at most."""
    return all(math.isfinite(limit_s(flow)) for flow in settings["traffic"])


class Workload:
    """One flow; what it did is told in RESULT."""

    background = False
    # So long before its time a client is started, and then sleeps. Off the grid of a radio's ticks, where nothing else
    # happens.
    lead_ns = 100_370_000

    def __init__(self, flow: dict[str, Any], pids: dict[str, int], ends: tuple[str, str], out: Path,
                 control: str | None = None, iperf3: str = "iperf3") -> None:
        self.flow, self.pids = flow, pids
        self.source, self.sink = ends  # addresses
        self.control = control  # that the sending socket has to be given
        self.iperf3 = iperf3  # path of the program
        self.result = out / f"{flow['id']}.{flow['kind']}.json"
        self.log = out / "log"
        self.server: Process | None = None
        self.client: Running | None = None

    def start_server(self) -> None:
        """Whatever has to be there before the client."""

    def start_client(self, at_ns: int) -> None:
        """Begin to send at that time of the monotonic clock."""
        raise NotImplementedError

    def overdue(self) -> LabError:
        """Why a run ends whose client still works after its limit."""
        flow = self.flow
        if flow["bytes"] is None:
            return LabError(f"traffic {flow['id']}: did not end within {GRACE_S} s of its time")
        return LabError(f"traffic {flow['id']}: {flow['bytes']} bytes took longer than limit_s = {flow['limit_s']:g} s")

    def end_s(self) -> float:
        return end_s(self.flow)

    def limit_s(self) -> float:
        return limit_s(self.flow)

    def running(self) -> bool:
        return self.client is not None and self.client.popen.poll() is None

    @property
    def popen(self) -> subprocess.Popen[bytes] | Child:
        """Of the client, which was started."""
        assert self.client is not None
        return self.client.popen

    def stop(self) -> None:
        """The server ends by itself after its client."""

    def kill(self) -> None:
        for process in (self.client, self.server):
            if process is not None:
                process.kill()
                if process.popen.stdout:
                    process.popen.stdout.close()

    def report(self) -> dict[str, Any]:
        """Its result.

        Raises:
            OSError, json.JSONDecodeError: it has none.
        """
        return json.loads(self.result.read_text())

    def error(self) -> str | None:
        """What went wrong, or None."""
        try:
            return self.report().get("error")
        except (OSError, json.JSONDecodeError) as error:
            return f"no usable {self.flow['kind']} result: {error}"

    def congestion_control(self) -> str | None:
        """Name that the sending socket reported."""
        try:
            return self.congestion_control_of(self.report())
        except (OSError, KeyError, json.JSONDecodeError):
            return None

    def congestion_control_of(self, report: dict[str, Any]) -> str | None:
        raise NotImplementedError


def iperf3_version(program: str) -> tuple[int, ...]:
    """Such as (3, 12); () when it does not say."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"iperf (\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()


class Iperf3(Workload):
    """One iperf3 server and client."""

    file: Path | None = None  # what is sent

    def start_server(self) -> None:
        self.server = Process(
            f"iperf3 server of {self.flow['id']}",
            [self.iperf3, "-s", "-1", "-p", str(self.flow["port"]), "--forceflush"],
            self.log, self.pids[self.flow["to"]], stdout=subprocess.PIPE)
        wait_line(self.server, b"Server listening")
        if self.flow["bytes"] is not None and iperf3_version(self.iperf3) >= _IPERF3_THREADS:
            self.file = self.result.with_suffix(".data").absolute()  # a client starts in its program's folder
            with open(self.file, "wb") as file:
                file.truncate(self.flow["bytes"])

    def start_client(self, at_ns: int) -> None:
        flow = self.flow
        args = [self.iperf3, "-c", self.sink, "-B", self.source,
                "--cport", str(client_port(flow)), "-p", str(flow["port"]), *amount(flow, self.file),
                "-i", "1", "-J"]
        if self.control is not None:
            args += ["-C", self.control]
        self.client = Copy(f"iperf3 client of {flow['id']}",
                           lambda: become(args, self.pids[flow["from"]], at_ns, self.result), self.log)

    def kill(self) -> None:
        super().kill()
        if self.file is not None:
            self.file.unlink(missing_ok=True)

    def congestion_control_of(self, report: dict[str, Any]) -> str | None:
        return report["end"].get("sender_tcp_congestion")


class Stream(Workload):
    """Both ends of `stream`, over UDP of `datagrams`, over MPTCP of `multipath`, by one copy of this process."""

    uplink = False  # of MPTCP: the UE sends
    offload = False  # datagrams go out and come several at once

    def start_client(self, at_ns: int) -> None:
        self.client = Copy(f"stream of {self.flow['id']}", lambda: self._execute(at_ns), self.log)

    def _execute(self, at_ns: int) -> None:
        flow = self.flow
        source = (self.pids[flow["from"]], self.source, client_port(flow))
        sink = (self.pids[flow["to"]], self.sink, flow["port"])
        if flow["transport"] == "udp":
            from cellbed.run import datagrams  # which needs longer to import than TCP's

            facts = datagrams.execute(source, sink, flow["duration_s"], flow["rate"], flow["packet_bytes"], at_ns,
                                      self.offload)
        elif flow["transport"] == "mptcp":
            from cellbed.run import multipath  # as datagrams

            ue, server = (source, sink) if self.uplink else (sink, source)
            facts = multipath.Multipath(ue, server, self.uplink, self.control).execute(flow["duration_s"], at_ns)
        else:
            facts = stream.Stream(source, sink, self.control).execute(flow["duration_s"], at_ns)
        self.result.write_text(json.dumps(facts, indent=1) + "\n")

    def congestion_control_of(self, report: dict[str, Any]) -> str | None:
        return report["congestion_control"]


Flow = Workload | Command
KINDS: dict[str, type[Workload]] = {"iperf3": Iperf3, "stream": Stream}


def describe(flow: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """A flow as the manifest lists it."""
    saddr, daddr = address.of_flow(settings, flow)
    return {"id": flow["id"], "kind": flow["kind"], "from": flow["from"], "to": flow["to"],
            "saddr": saddr, "daddr": daddr, "sport": client_port(flow),
            "port": flow["port"], "protocol": flow["transport"], "start_s": flow["start_s"],
            "duration_s": flow["duration_s"], "bytes": flow["bytes"]}


def make(flow: dict[str, Any], pids: dict[str, int], out: Path, settings: dict[str, Any],
         attachment: Attachment | None = None, iperf3: str = "iperf3") -> Flow:
    if flow["kind"] == "command":
        return Command(flow, pids, inventory.variables(settings, flow["node"]), out, attachment)
    if flow["kind"] not in KINDS:
        raise LabError(f"traffic {flow['id']}: kind {flow['kind']}: allowed {', '.join(KINDS)}, command")
    control = congestion_control.of_socket(settings, flow)
    made = KINDS[flow["kind"]](flow, pids, address.of_flow(settings, flow), out, control, iperf3)
    if isinstance(made, Stream):
        made.offload = tcp_profile.segmentation_offload(settings)
    if isinstance(made, Stream) and flow["transport"] == "mptcp":
        made.uplink = settings["nodes"][flow["from"]]["kind"] == "ue"
    return made
