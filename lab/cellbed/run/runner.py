# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes one run: the same in both labs.

Started as `python -m cellbed.run.runner DIR` with the run description in DIR/description.json, it builds the nodes,
starts radio, probe, captures and traffic, stops them in reverse order whatever happens, and leaves its results and
DIR/facts.json. It uses the standard library only, and of that what starts fast: it starts again in every virtual lab.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed.error import CellbedError, LabError, told
from cellbed.host import cgroup, tracepoints
from cellbed.host.clock import sleep_for, sleep_until
from cellbed.host.process import Process, Running, await_end, start_ready
from cellbed.run import (
    congestion_control,
    counters,
    hosts_file,
    inventory,
    memory,
    nodes,
    radio_config,
    radios,
    realtime,
    shaping,
    tcp_profile,
    topology,
    workload,
)
from cellbed.run.attach import Attachment
from cellbed.run.capture import HANDED_OVER_S, Captures
from cellbed.run.command import Command

if TYPE_CHECKING:
    from cellbed.run.wall_clock import WallClock

# Virtual time at which the nodes are made, and at which the radio's sub-frame 0 and t = 0 of the traffic lie. Fixed, so
# that what start-up takes (cold caches, another machine) cannot shift a byte; start-up itself takes well under a second
# of virtual time. The nodes have a time because the guest's random numbers, such as ports, depend on when network
# devices come into being, and each import of Python takes some microseconds before that.
VIRTUAL_NODES_START_NS = 100_000_000
VIRTUAL_RADIO_START_NS = 4_000_000_000
VIRTUAL_TRAFFIC_START_NS = 5_000_000_000
NATIVE_LEAD_NS = 300_000_000
# The run ends at a whole number of these, and a bit, after its start.
_END_STEP_NS = 10_000_000
_OFF_NS = 370_000
# Between two clients' starts: each falls asleep before the next one does, so at equal times they wake up in this order.
_APART_NS = 100_000
# Between two looks at the sockets where no probe tells of each segment.
SAMPLE_INTERVAL_MS = 10
# After the last flow: what is still queued may arrive.
DRAIN_S = 0.5
# Between two looks at the clock at most.
_LOOK_AT_CLOCK_S = 1.0
# What a program's end leads to is seen before that end where it closes files first.
_NOTICED_S = 0.1
# A word of the command line: the lab has no root.
WITHOUT_ROOT = "without-root"


def _off_the_grid(t_ns: int, start_ns: int, step_ns: int) -> int:
    """The first time after @t_ns that is a whole number of steps after @start_ns, and a bit.

    Nothing of a radio happens then, so that what this process does comes before or after no packet of the same moment.
    """
    first_ns = start_ns + _OFF_NS
    return first_ns + max(0, (t_ns - first_ns) // step_ns + 1) * step_ns


class Runner:
    def __init__(self, out: Path, without_root: bool = False) -> None:
        self.out, self.rootless = out, without_root
        self.description = json.loads((out / "description.json").read_text())
        self.settings: dict[str, Any] = self.description["settings"]
        self.virtual = self.description["lab"] == "virtual"
        # Programs that spin on the clock, as iperf3 until it has its connections, make celld late in virtual time, too.
        self.realtime = self.virtual or realtime.wanted(without_root)
        self.programs: dict[str, str] = json.loads((out / "programs.json").read_text())
        self.topology = topology.plan(self.settings)
        self.attachment = Attachment.read(out)
        self.brought = {name: os.open(node["netns"], os.O_RDONLY | os.O_CLOEXEC)
                        for name, node in self.settings["nodes"].items() if node["netns"] is not None}
        self.pids: dict[str, int] = {}
        self.daemons: list[Running] = []  # beside the radio's and the probe
        self.started: list[Running] = []  # all programs but the flows', first those whose end makes others fail
        self.lost_nodes: list[str] = []
        self.failed: str | None = None
        self.facts: dict[str, Any] = {"phases": {}}
        self.wall_clock = None if self.virtual else _wall_clock()
        self.progress = open(out / "progress", "wb", buffering=0)  # noqa: SIM115 (lives as long as the run)

    def phase(self, name: str, start_ns: int | None = None) -> None:
        """Note that @name begins, now or at a time that is known, for the facts and for those who watch."""
        self.facts["phases"][name] = time.monotonic_ns()
        self.tell(f"{name} {(start_ns or time.monotonic_ns()) / 1e9:.9f}")

    def tell(self, text: str) -> None:
        """A line for those who watch. There is no buffer: with some versions of Python its lock reads the clock."""
        self.progress.write(f"{text}\n".encode())

    # --- the parts of a run, in order of start ---

    def start_nodes(self, stack: contextlib.ExitStack) -> None:
        self.pids = stack.enter_context(nodes.build(self.topology, lambda pids: self.leave_machine(stack, pids),
                                                       self.brought))
        described = inventory.describe(self.settings, self.pids,
                                   {node.name: list(node.interfaces) for node in self.topology.nodes})
        (self.out / inventory.FILE).write_text(json.dumps(described))
        if any(flow["kind"] == "command" for flow in self.settings["traffic"]):
            hosts_file.write(self.out, described)

    def leave_machine(self, stack: contextlib.ExitStack, pids: dict[str, int]) -> None:
        """Do what has to be done in the machine's own network; without root there is no way back to it."""
        server = next((node for node in self.settings["nodes"].values() if node["internet"]), None)
        if server is not None:
            from cellbed.run import internet  # of no use in a guest

            pasta = stack.enter_context(internet.open_(self.settings, pids, self.out / "log", self.rootless))
            self.daemons += [pasta] if pasta is not None else []
            self.started += self.daemons
            (self.out / hosts_file.RESOLVERS).write_text(internet.resolvers(server))
        if self.rootless:
            from cellbed.host import rootless

            rootless.leave_network()

    def celld_config(self, name: str | None, settings: dict[str, Any]) -> dict[str, Any]:
        """Args: settings: those that the radio network @name has alone."""
        def path(file: str) -> str:
            return str(self.out / f"{radios.prefix(name)}{file}")

        recorded = {file: path(f"{file}.txt") for file in ("arrivals", "deliveries")} \
            if os.environ.get("CELLBED_RECORD_ARRIVALS") else {}
        output = {"trace": path("radio.trace"), "stats": path("radio.json"),
                  "pcap": path("radio.pcap") if self.settings["capture"]["radio"] else None,
                  "trace_detail": self.settings["capture"]["radio_trace"], **self.snaplen(), **recorded}
        made = radio_config.daemon(settings, self.out, radios.seed(self.description["seed"], name),
                                   radio_config.ports(settings, self.pids), self.realtime,
                                   VIRTUAL_RADIO_START_NS if self.virtual else 0, output)
        return made if self.virtual else {**made, "control": f"{radios.prefix(name)}{radio_config.CONTROL}"}

    def snaplen(self) -> dict[str, Any]:
        """As celld has it, of radio.pcap."""
        capture = self.settings["capture"]
        return {"pcap_snaplen": capture["radio_snaplen"]} if "radio_snaplen" in capture else {}

    def start_radios(self, stack: contextlib.ExitStack) -> list[Process]:
        """A daemon for each radio network, the first one first."""
        daemons = [self.start_radio(stack, *of_radio) for of_radio in radios.each(self.settings)]
        self.facts["scheduling"] = realtime.read(daemons[0].popen.pid)
        return daemons

    def start_radio(self, stack: contextlib.ExitStack, name: str | None, settings: dict[str, Any]) -> Process:
        path = self.out / f"{radios.prefix(name)}celld.json"
        path.write_text(json.dumps(self.celld_config(name, settings), indent=1))
        celld = start_ready("celld", lambda fd: [self.programs["celld"], "--config", str(path), "--ready-fd", str(fd)],
                            self.out / "log", cwd=self.out)  # the path of a socket is short
        stack.callback(celld.kill)
        self.started.insert(0, celld)
        if self.realtime:
            realtime.pin(celld.popen.pid)
        return celld

    def configure_nodes(self) -> None:
        self.facts["sysctls"], self.facts["offloads"], self.facts["qdiscs"] = {}, {}, {}
        for node in self.topology.nodes:
            wanted = topology.sysctls(node, self.settings)
            have = nodes.configure(self.pids[node.name], node, wanted)
            if node.is_host and not node.translates:
                self.manage_paths(node.name)
            needed = {congestion_control.SYSCTL, *tcp_profile.chosen(self.settings["tcp"])}
            for name in needed.intersection(have.missing):
                raise LabError(f"node {node.name}: this kernel has no setting net.{name.replace('/', '.')}")
            for interface, offloads in have.offloads.items():
                only = node.is_host and interface == node.interface
                self.facts["offloads"][node.name if only else f"{node.name} {interface}"] = offloads
            self.facts["qdiscs"][node.name] = have.qdiscs
            self.facts["sysctls"][node.name] = {name: [value, have.sysctls[name]] for name, value in wanted.items()}

    def manage_paths(self, node: str) -> None:
        """When a host has its addresses."""
        if self.settings.get("mptcp") is not None:
            from cellbed.run import multipath  # of no use in most runs

            multipath.manage_paths(self.pids[node], node, self.settings)

    def start_translators(self, stack: contextlib.ExitStack) -> None:
        if any("clat" in node for node in self.settings["nodes"].values()):
            from cellbed.run import xlat  # of no use in most runs

            translators = xlat.start(stack, xlat.plan(self.settings), self.pids, self.out, self.out / "log",
                                     self.rootless)
            self.daemons += translators
            self.started += translators
            for node in self.topology.nodes:
                if node.translates:
                    self.manage_paths(node.name)

    def start_probe(self, stack: contextlib.ExitStack) -> Process:
        if self.rootless:
            return self.start_sampler(stack)
        args = [self.programs["tcpwatch"], "--cgroup", str(cgroup.own()), "--output", str(self.out / "tcp.trace"),
                "--stats", str(self.out / "tcp.json")]
        if self.settings["tcp"]["receive_window"] is not None:
            args += ["--receive-window", str(self.settings["tcp"]["receive_window"])]
        if self.settings["tcp"]["cwnd_max_pkts"] is not None:
            args += ["--cwnd-max", str(self.settings["tcp"]["cwnd_max_pkts"])]
        if self.settings["capture"]["tcp_interval_ms"]:
            args += ["--segment-interval", str(self.settings["capture"]["tcp_interval_ms"] * 1000)]
        tcpwatch = start_ready("tcpwatch", lambda fd: [*args, "--ready-fd", str(fd)], self.out / "log")
        stack.callback(tcpwatch.kill)
        self.started.append(tcpwatch)
        return tcpwatch

    def start_sampler(self, stack: contextlib.ExitStack) -> Process:
        """In the place of the probe, which only root may load."""
        tcp, interval_ms = self.settings["tcp"], self.settings["capture"]["tcp_interval_ms"] or SAMPLE_INTERVAL_MS
        for key in ("receive_window", "cwnd_max_pkts"):
            if tcp[key] is not None:
                raise LabError(f"key 'tcp.{key}': value {tcp[key]}: only root can load the probe that sets it; "
                               "allowed null, or run as root")
        self.facts["rootless"] = {"probe": "tcpsample", "interval_ms": interval_ms}
        args = [self.programs["tcpsample"], "--output", str(self.out / "tcp.trace"), "--stats",
                str(self.out / "tcp.json"), "--interval", str(interval_ms * 1000)]
        namespaces = [f"/proc/{self.pids[node.name]}/ns/net" for node in self.topology.hosts]
        sampler = start_ready("tcpsample", lambda fd: [*args, "--ready-fd", str(fd), *namespaces], self.out / "log")
        stack.callback(sampler.kill)
        self.started.append(sampler)
        return sampler

    def start_tracepoints(self, stack: contextlib.ExitStack) -> Process | None:
        wanted = self.settings["capture"]["tracepoints"]
        if not wanted:
            return None
        from cellbed.host.python_child import python_command  # of no use in most runs

        command = python_command("cellbed.host.tracepoints")
        recorder = start_ready("tracepoints", lambda fd: [*command, "--ready-fd", str(fd), str(self.out), *wanted],
                               self.out / "log")
        stack.callback(recorder.kill)
        self.started.append(recorder)
        return recorder

    def start_captures(self, stack: contextlib.ExitStack) -> Captures | None:
        """On every host, and on every wired interface of a core network."""
        if not self.settings["capture"]["ip"]:
            return None
        wanted = [(node.name if interface == node.interface else f"{node.name}-{interface}", node, interface)
                  for node in self.topology.hosts for interface in node.interfaces]
        if self.settings["capture"]["core"]:
            wanted += [(f"{node.name}-{interface}", node, interface) for node in self.topology.nodes
                       if node.in_core for interface in node.wired_interfaces]
        captures = Captures(self.programs["ipdump"],
                            [(name, self.pids[node.name], interface) for name, node, interface in wanted],
                            self.out, self.settings["capture"]["ip_snaplen"], self.virtual)
        stack.callback(captures.kill)
        self.started.append(captures.process)
        return captures

    def execute_traffic(self, stack: contextlib.ExitStack, daemons: list[Running]) -> list[workload.Flow]:
        relay = self.attachment.prepare(self.out, self.pids) if self.attachment is not None else None
        flows = [workload.make(flow, self.pids, self.out, self.settings, self.attachment, self.programs["iperf3"])
                 for flow in self.settings["traffic"]]
        for flow in flows:
            stack.callback(flow.kill)
            flow.start_server()
        start_ns = VIRTUAL_TRAFFIC_START_NS if self.virtual else time.monotonic_ns() + NATIVE_LEAD_NS
        if time.monotonic_ns() >= start_ns:
            raise LabError(f"start-up took {time.monotonic():.1f} s of virtual time, more than "
                           f"{start_ns / 1e9:.0f} s; was the guest's clock started late?")
        self.phase("traffic", start_ns)
        self.facts["traffic_start_ns"] = start_ns
        at_ns = {flow.flow["id"]: start_ns + int(flow.flow["start_s"] * 1e9) for flow in flows}
        for flow in sorted(flows, key=lambda f: at_ns[f.flow["id"]] - f.lead_ns):
            sleep_until(at_ns[flow.flow["id"]] - flow.lead_ns)
            flow.start_client(at_ns[flow.flow["id"]])
            if self.virtual:
                sleep_for(_APART_NS)
        if relay is not None:
            stack.callback(relay.close)
            relay.serve(flows)
        self.tell_started(flows)
        self.await_clients(flows, daemons, start_ns)
        if self.attachment is None:
            sleep_until(_off_the_grid(time.monotonic_ns() + int(DRAIN_S * 1e9), start_ns, _END_STEP_NS))
        for flow in flows:
            flow.stop()
        return flows

    def await_clients(self, flows: list[workload.Flow], daemons: list[Running], start_ns: int) -> None:
        """Wait for the clients; one that takes too long, or a daemon that dies meanwhile, ends the run."""
        all_s = max(flow.end_s() for flow in flows if not flow.background)
        step_s = max(0.25, all_s / 50) if math.isfinite(all_s) else 0.25
        if self.wall_clock is not None:
            step_s = min(step_s, _LOOK_AT_CLOCK_S)
        ended = True
        while running := [flow for flow in flows if flow.running()]:
            now_ns = time.monotonic_ns()
            done_s = (now_ns - start_ns) / 1e9
            self.look_at_clock()
            for flow in running:
                if done_s > flow.limit_s():
                    raise flow.overdue()
            for daemon in daemons if ended else ():
                if daemon.popen.poll() is not None:
                    raise LabError(daemon.failed() or f"{daemon.name}: ended during the run: {daemon.log_tail()}")
            self.tell(f"at {max(done_s, 0):.3f} {all_s:.3f}")
            next_ns = _off_the_grid(now_ns, start_ns, int(step_s * 1e9))
            ended = await_end([running[0].popen, *(daemon.popen for daemon in daemons)], (next_ns - now_ns) / 1e9)

    def look_at_clock(self) -> None:
        """Where time is real, somebody may set the clock that captures have their times of."""
        if self.wall_clock is not None:
            self.wall_clock.look()

    def tell_started(self, flows: list[workload.Flow]) -> None:
        """For the process that passes signals on to an attached command."""
        for flow in flows:
            attached = self.attachment is not None and flow.flow["id"] == self.attachment.flow
            if attached and isinstance(flow, Command) and flow.running():
                self.tell(f"started {flow.pid()}")

    def link_statistics(self) -> list[dict[str, Any]]:
        """Each direction of each wired link, with what became of its packets."""
        return [{"from": near.node, "to": far.node,
                 **shaping.link_statistics(self.pids[near.node], near.interface)}
                for link in self.topology.links for near, far in (link.ends, link.ends[::-1])]

    def read_counters(self) -> dict[str, counters.Counters]:
        return {node.name: counters.read(self.pids[node.name]) for node in self.topology.hosts}

    def write_counters(self, before: dict[str, counters.Counters], after: dict[str, counters.Counters]) -> None:
        changes = {node: counters.difference(before[node], after[node]) for node in after}
        (self.out / "counters.json").write_text(json.dumps(changes, indent=1) + "\n")

    # --- all of it ---

    def note_lost_nodes(self) -> None:
        """Before the nodes are stopped: those whose process, and with it their namespace, is gone already."""
        self.lost_nodes = [name for name, pid in self.pids.items() if not Path(f"/proc/{pid}/ns/net").exists()]

    def note_failed_programs(self) -> None:
        """Before others are stopped: the program that failed first, of which another may only have noticed."""
        await_end([process.popen for process in self.started], _NOTICED_S)
        self.failed = next(filter(None, (process.failed() for process in self.started)), None)

    def told(self, error: CellbedError | OSError) -> str:
        """What went wrong, the cause before what came of it."""
        text = told(error, "the machine") if isinstance(error, OSError) else str(error)
        lost = [f"node {name}: its process ended; " for name in self.lost_nodes]
        noticed = self.failed is not None and self.failed.partition(":")[0] != text.partition(":")[0]
        return "".join([*lost, f"{self.failed}; then " if noticed else "", text])

    def execute(self) -> None:
        with contextlib.ExitStack() as stack:
            try:
                self._execute(stack)
            except (CellbedError, OSError):
                self.note_failed_programs()
                raise
        self.collect()
        self.phase("end")

    def _execute(self, stack: contextlib.ExitStack) -> None:
        if not self.virtual and not self.rootless:
            stack.callback(cgroup.kill_others, cgroup.own())
        if (self.out / congestion_control.OBJECT).exists():
            stack.callback(congestion_control.register(self.programs["ccload"], self.out).kill)
        congestion_control.check(self.settings, self.description["lab"] == "native")
        tcp_profile.check(self.settings["tcp"], os.uname().release)
        if self.virtual:
            sleep_until(VIRTUAL_NODES_START_NS)
        self.phase("nodes")
        self.start_nodes(stack)
        stack.callback(self.note_lost_nodes)
        self.phase("radio")
        daemons = self.start_radios(stack)
        self.configure_nodes()
        self.start_translators(stack)
        self.phase("probe")
        tcpwatch = self.start_probe(stack)
        self.phase("captures")
        recorder = self.start_tracepoints(stack)
        captures = self.start_captures(stack)
        before, waited, since = _cpu_times(), self.cpu_wait_us(), time.monotonic()
        counted = self.read_counters()
        self.facts["started_processes"] = _started_processes()
        flows = self.execute_traffic(stack, [*self.daemons, *daemons, tcpwatch])
        self.facts["cpu_steal_percent"] = _steal_percent(before, _cpu_times())
        if waited is not None and (waited_since := self.cpu_wait_us()) is not None:
            self.facts["cpu_wait_percent"] = (waited_since - waited) / (time.monotonic() - since) / 1e4
        self.phase("stop")
        self.facts["traffic_end_ns"] = time.monotonic_ns()
        self.write_counters(counted, self.read_counters())
        self.facts["links"] = self.link_statistics()
        self.facts["workload_errors"] = {flow.flow["id"]: flow.error() for flow in flows}
        self.facts["commands"] = [flow.describe() for flow in flows if isinstance(flow, Command)]
        self.facts["congestion_control"] = {flow.flow["id"]: flow.congestion_control() for flow in flows}
        self.facts["capture_dropped"] = _stop_captures(captures)
        if recorder is not None:
            recorder.stop()
        tcpwatch.stop()
        for celld in daemons:
            celld.stop()
        self.look_at_clock()

    def cpu_wait_us(self) -> int | None:
        """How long the run's processes have waited for a CPU, where they have a cgroup of their own in real time."""
        return None if self.virtual or self.rootless else cgroup.cpu_wait_us()

    def collect(self) -> None:
        stats = {name: json.loads((self.out / f"{radios.prefix(name)}radio.json").read_text())
                 for name in radios.names(self.settings)}
        self.facts["radio"] = stats.pop(None)
        if stats:
            self.facts["radios"] = stats
        self.facts["probe"] = json.loads((self.out / "tcp.json").read_text())
        if self.settings["capture"]["tracepoints"]:
            self.facts["tracepoints"] = json.loads((self.out / tracepoints.STATS).read_text())
        self.facts["flows"] = [{**workload.describe(flow, self.settings),
                                "congestion_control": self.facts["congestion_control"][flow["id"]]}
                               for flow in self.settings["traffic"] if flow["kind"] != "command"]
        self.facts["reread_mib"] = 0 if self.description["lab"] == "native" else memory.reread_mib()
        self.facts["kernel"] = {"release": os.uname().release, "version": os.uname().version}
        self.facts["clock"] = {"realtime_offset_ns": self.facts["radio"]["realtime_offset_ns"],
                               "start_ns": self.facts["traffic_start_ns"], "end_ns": self.facts["traffic_end_ns"]}
        if self.wall_clock is not None:
            self.facts["clock"]["steps"] = self.wall_clock.steps
        (self.out / "facts.json").write_text(json.dumps(self.facts, indent=1))


def _wall_clock() -> WallClock:
    from cellbed.run.wall_clock import WallClock  # of no use in a guest

    return WallClock()


def _stop_captures(captures: Captures | None) -> dict[str, int]:
    """End the captures once they have all packets. Return: packets that each missed."""
    if captures is None:
        return {}
    sleep_until(time.monotonic_ns() + int(HANDED_OVER_S * 1e9))
    return captures.stop()


def _cpu_times() -> list[int]:
    return [int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]


def _started_processes() -> int:
    """Processes and threads that there have been since the kernel began: in a guest, those of the start."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("processes "))


def _steal_percent(before: list[int], after: list[int]) -> float:
    spent = [b - a for a, b in zip(before, after, strict=True)]
    return 100 * spent[7] / max(1, sum(spent)) if len(spent) > 7 else 0.0


def _end(*_: object) -> None:
    raise KeyboardInterrupt


def _start_without_root(out: Path) -> None:
    """Be in the namespaces that the lab has made, as one process of many; a terminal's keys are for the command."""
    from cellbed.host import rootless  # of no use in a guest

    try:
        rootless.begin()
    except OSError as error:
        (out / "error").write_text(f"{error.filename}: {error.strerror}; a link without root needs a /proc of its own")
        os._exit(1)
    Process.process_group, Command.in_cgroups = 0, False


def main(directory: str, without_root: bool = False) -> int:
    """Execute the run in DIR. Return: exit status; failures are told in DIR/error."""
    out = Path(directory)
    runner = Runner(out, without_root)  # which opens what /proc has outside
    if without_root:
        _start_without_root(out)
    signal.signal(signal.SIGTERM, _end)
    try:
        runner.execute()
        return 0
    except (CellbedError, OSError) as error:
        (out / "error").write_text(runner.told(error))
        return 1
    except KeyboardInterrupt:
        (out / "error").write_text("interrupted")
        return 130
    except Exception:
        import traceback  # which takes longer to import than any module here

        (out / "error").write_text(traceback.format_exc())
        return 1


if __name__ == "__main__":
    os._exit(main(sys.argv[1], WITHOUT_ROOT in sys.argv[2:]))
