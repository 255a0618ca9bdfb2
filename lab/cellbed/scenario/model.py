# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenario model: what a scenario file may say, with its limits and defaults.

The keys of nodes and links are in network.py, of the radio network in radio.py, of its channel in channel.py.
docs/reference/keys.md lists them all; scenarios/reference.yaml shows every one.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from cellbed.run.topology import network_interface
from cellbed.scenario import handover, radio_system, several
from cellbed.scenario.fields import (
    CongestionControl,
    FilePath,
    Key,
    Label,
    Milliseconds,
    Model,
    Name,
    Size,
    Word,
    known,
    unset,
)
from cellbed.scenario.mptcp import Mptcp
from cellbed.scenario.network import Link, Network, Node, check_transfer
from cellbed.scenario.radio import Radio
from cellbed.scenario.traffic import Command, Traffic, Transfer

# Those below net that belong to a network namespace.
SysctlName = Annotated[str, Field(pattern=r"^net\.(ipv4|core|mptcp)\.[a-z0-9_.]+$")]

Tracepoint = Annotated[str, Field(pattern=r"^[a-z0-9_]+:[a-z0-9_]+$")]

_INTERFACE_NAME_MAX = 15
# Uplink HARQ is synchronous. Source: TS 36.213 8
_UL_HARQ_RTT_TTI = 8
# Settings with which a host answers Accurate ECN. Source: Linux 7.3, include/net/tcp_ecn.h
_PRAGUE, _ECN, _ACCURATE_ECN = "prague", "net.ipv4.tcp_ecn", ("3", "4", "5")


class Tcp(Model):
    """The end hosts' TCP. Windows and MSS are set by route, not by application."""

    profile: Literal["paper", "modern"] = Key("modern",
        says="`modern`: TCP as the kernel has it; `paper`: without what the kernels of the papers' years lacked")
    congestion_control: CongestionControl = Key("cubic",
        says="Congestion control of every socket in the run: any that the lab's kernel has built in, as a module, or "
             "registered as BPF. A run that asks for another one ends at once with the kernel's list")
    receive_window: Size | None = Key(None, 1024, 1 << 30,
        says="Bound of the window that hosts advertise; null: the kernel's autotuning")
    mss: int | None = Key(None, 88, 1460, says="MSS that hosts advertise; null: that of the MTU, 1460 for 1500")
    delayed_ack: bool = Key(True,
        says="false: every segment is acknowledged at once, as by the hosts of the papers' simulators")
    rto_min_ms: Milliseconds | None = Key(None, 1, 60000,
        says="Least retransmission timeout, set by route; null: Linux's 200 ms. RFC 6298 section 2.4 asks for a second,"
             " and simulators follow it")
    initial_window_pkts: int | None = Key(None, 1, 1000,
        says="The congestion window that a connection begins with, set by route (`initcwnd`), also after it was idle; "
             "null: Linux's 10, of RFC 6928. ns-2's `windowInit_` is 2, INET begins with 1")
    cwnd_max_pkts: int | None = Key(None, 2, 1000000,
        says="Bound of the sender's congestion window (`snd_cwnd_clamp`), as ns-2's `maxcwnd_`; null: none. A receive "
             "window bounds what is in flight and not the congestion window, which Linux lets grow to twice of it in "
             "slow start and halves from there. `tcpwatch` sets the bound")
    cubic_beta: float | None = Key(None, 0.1, 0.99,
        says="Share of the window that CUBIC keeps after a loss, beta_cubic of RFC 9438 section 4.6, in steps of "
             "1/1024; null: Linux's 0.7. A kernel takes it when it starts: in the labs `virtual` and `vm` the run's "
             "guest does, in the native lab it has to be this machine's")
    segmentation_offload: Literal[True] | None = Key(None, exclude_if=unset,
        says="true: hosts hand over and take up to 64 KiB of TCP or UDP at once, as with the network cards of most "
             "machines (TSO, USO, GRO). The radio daemon cuts it, so that the radio has the same packets, and needs "
             "half the CPU time at high rates. ACKs are fewer, and wires carry it as one packet. Only with profile "
             "`modern` and without `capture.ip`")
    sysctls: dict[SysctlName, int | Word] = Key({},
        says="Settings of every host below `net.ipv4`, `net.core` and `net.mptcp`, on top of the profile: "
             "`net.ipv4.tcp_sack: 1`. A "
             "setting that the kernel does not have ends the run with a message")


class Capture(Model):
    ip: bool = Key(True, says="Captures of every interface of UEs and servers")
    core: bool = Key(True,
        says="Captures of every wired interface of a core network, `ip-<node>-<interface>.pcap`. Packets in a tunnel "
             "have 36 bytes more before the user's headers. Only with `ip`")
    ip_snaplen: int = Key(128, 64, 65535, says="Bytes that captures keep of each packet")
    radio: bool = Key(True, says="A capture of the radio, `radio.pcap`, which is the largest file of a bundle")
    radio_snaplen: int | None = Key(None, 16, 65535, exclude_if=unset,
        says="Bytes that `radio.pcap` keeps of each PDU; null: all. The headers of MAC and RLC in LTE, of the first "
             "SDU in NR, and mostly those of its packet are in the first 100. Wireshark cannot put packets together "
             "then")
    radio_trace: Literal["full", "events"] = Key("full",
        says="`events`: `radio.trace` without the rows of every packet, PDU, BSR and grant, and in the UTRAN without "
             "those of lost blocks and retransmissions. What is left says what was lost, and when modes and channel "
             "changed; delays cannot be decomposed. For long runs")
    tcp_interval_ms: Milliseconds = Key(0, 0, 60000,
        says="Least time between two segments of a socket and direction in `tcp.trace`; 0 = every segment. "
             "Retransmissions, timeouts and RTT samples are always there")
    tracepoints: list[Tracepoint] = Key([], max_length=64,
        says="Events of the kernel, such as `tcp:tcp_probe`, which go to `tracepoints.txt` as `trace_pipe` prints them,"
             " on CLOCK_MONOTONIC. They need tracefs, whose `available_events` lists them. In the native lab they "
             "include those of other programs")


class Validity(Model):
    """Bounds beyond which a run is marked invalid."""

    lateness_p99_us: float = Key(1000, gt=0,
        says="Bound of the 99th percentile of the radio daemon's lateness. Beyond it a run is invalid, as beyond those "
             "below")
    missed_ttis: int = Key(0, 0, says="Bound of wake-ups that are late by more than a sub-frame")
    cpu_steal_percent: float = Key(5, 0, 100,
        says="Bound of the CPU time that a hypervisor took away during the traffic")
    clock_step_ms: float = Key(1, 0, 1e6,
        says="Bound of how far the machine's clock, which captures have their times of, is set while a run executes in "
             "real time")
    queue_drops_allowed: bool = Key(False,
        says="Whether overflows of RLC queues and of links are part of the experiment. What the queues of routers drop "
             "always is, and so is what RED drops")


class Evaluate(Model):
    """The part of a run that tables, figures and claims look at, of each flow what lies in it."""

    from_s: float | None = Key(None, 0, 1e6,
        says="Its start, after t = 0 of the run; null: 5 s after a flow's start, or a fifth of the flow where that is "
             "less")
    to_s: float | None = Key(None, 0, 1e6, says="Its end; null: a flow's end")

    @model_validator(mode="after")
    def forward(self) -> Evaluate:
        if self.from_s is not None and self.to_s is not None and self.to_s <= self.from_s:
            raise ValueError(f"key 'to_s': value {self.to_s:g}: allowed more than from_s, {self.from_s:g}")
        return self


class Sweep(Model):
    """Runs of a scenario: every variant times every point of the grid times every seed."""

    variants: dict[Label, dict[str, Any]] = Key({},
        says="Sets of other values by name: `DM-DM: {radio.ues.ue1.mode: dm}`. Each makes runs of its own")
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Key({},
        says="Lists of values by key: `tcp.receive_window: [8KiB, 16KiB]`. Every combination makes runs of its own")


class Scenario(Model):
    format: Literal[1] = Key(..., says="Version of this format")
    id: str = Key(..., pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)*$", says="Name of the scenario in results and claims")
    title: str = Key("", says="What the scenario is, for people")
    source: str = Key("", says="Paper and section that it comes from, for people")
    seeds: list[Annotated[int, Field(ge=0, lt=1 << 53)]] = Key([1], min_length=1,
        says="One run for each. All the randomness of a run, in radio, kernel and ports, follows from its seed")
    memory: Size | None = Key(None, 256 << 20, 64 << 30, multiple_of=1 << 20,
        says="Memory of the guest that executes a run, in the labs `virtual` and `vm`, which is part of a run's "
             "identity; null: 384 MiB, 16 for each node and 24 for each flow, in steps of 128 MiB")
    nodes: dict[Name, Node] = Field(min_length=2)
    links: list[Link] = []
    radio: Radio
    radios: dict[Name, Radio] | None = Key(None, min_length=1, max_length=3, exclude_if=unset, keys_of="radio",
        says="Further radio networks by name, each with a radio daemon, base stations and links of its own: `{wifi: "
             "{system: constant_rate, ...}}`. Their UEs are on the first network, too")
    tcp: Tcp = Tcp()
    mptcp: Mptcp | None = Key(None, exclude_if=unset,
        says="Multipath TCP of hosts; null: none, or its defaults where a flow has `transport: mptcp`")
    traffic: list[Traffic] = Field(min_length=1)
    capture: Capture = Capture()
    validity: Validity = Validity()
    evaluate: Evaluate = Evaluate()
    sweep: Sweep = Sweep()
    claims: FilePath | None = Key(None, says="File of claims to judge, relative to the scenario")

    @model_validator(mode="after")
    def consistent(self) -> Scenario:
        several.check(self)
        for name, alone in several.each(self):
            with several.messages_of(name):
                Network(alone.nodes, {i: link for i, link in enumerate(self.links) if link in alone.links}).check()
                alone._check_ues()
                alone._check_radio()
        several.check_mptcp(self)
        self._check_offload()
        self._check_traffic()
        self._check_evaluate()
        return self._with_network_modes()

    def _check_offload(self) -> None:
        if self.tcp.segmentation_offload is None:
            return
        if self.tcp.profile == "paper":
            raise ValueError("key 'tcp.segmentation_offload': value true: with tcp.profile: paper hosts send packet by "
                             "packet; remove the key, or set tcp.profile: modern")
        if self.capture.ip:
            raise ValueError("key 'tcp.segmentation_offload': value true: captures of interfaces would have what hosts "
                             "hand over at once in place of packets; set capture.ip: false")

    def of_kind(self, kind: str) -> list[str]:
        """Names of the nodes of a kind."""
        return [name for name, node in self.nodes.items() if node.kind == kind]

    def _check_ues(self) -> None:
        ues = dict.fromkeys(self.of_kind("ue"))
        for name, ue in self.radio.ues.items():
            known(f"radio.ues.{name}", name, ues)
            others = {other: None for other in self.radio.ues if other != name}
            known(f"radio.ues.{name}.peer", ue.peer, {**others, **dict.fromkeys(self.of_kind("enb"))})
            if self.nodes[name].clat is not None and not self.behind_enb(name):
                raise ValueError(f"key 'nodes.{name}.clat': the peer of {name} is a UE, behind which no NAT64 is; "
                                 "remove the key")
            tunnels = bool(self.of_kind("sgw"))
            if self.behind_enb(name) and not tunnels and len(network_interface(name)) > _INTERFACE_NAME_MAX:
                raise ValueError(f"key 'nodes.{name}': the name of the eNB's interface, {network_interface(name)}, is "
                                 "too long; allowed names of at most 11 characters for UEs whose peer is the eNB")
            if self.behind_enb(name) and "mode" in ue.model_fields_set and ue.mode != "im":
                raise ValueError(f"key 'radio.ues.{name}.mode': value {ue.mode}: the peer is the eNB; allowed im")
        for name in ues:
            known(f"nodes.{name}", name, self.radio.ues)

    def _check_radio(self) -> None:
        """Keys that exclude each other."""
        radio_system.check(self.radio, self.of_kind("enb"), self.of_kind("sgw"))
        for i, event in enumerate(self.radio.events):
            known(f"radio.events.{i}.ue", event.ue, self.radio.ues)
            if event.mode == "dm" and self.nodes[self.radio.ues[event.ue].peer].kind == "enb":
                raise ValueError(f"key 'radio.events.{i}.mode': value dm: the peer of {event.ue} is the eNB; allowed "
                                 "im")
        enbs = self.of_kind("enb")
        has_core = bool(self.of_kind("sgw"))
        self.radio.check_events(len(enbs))
        self.radio.check_crowd()
        self.radio.check_pucch()
        self.radio.check_carriers()
        self.radio.check_control()
        self.radio.check_requests()
        self.radio.check_bearers()
        self.radio.check_handovers(enbs if has_core else [], [name for name in self.radio.ues if self.behind_enb(name)])
        if self.radio.channel is not None:
            self.radio.channel.check(self.radio.ues, enbs)
        if self.radio.en_dc is not None:
            self.radio.en_dc.check_channel(self.radio, enbs)
        if self.radio.handover.a3 is not None and (self.radio.channel is None or self.radio.channel.route is None):
            raise ValueError("key 'radio.handover.a3': UEs measure eNBs with radio.channel.model: route only; set it, "
                             "or remove a3")
        if self.radio.channel is None and self.radio.harq.errors == "sinr":
            raise ValueError("key 'radio.harq.errors': value sinr: without radio.channel there is no SINR; add "
                             "radio.channel, or set ladder")
        if self.radio.channel is None and self.radio.control.errors:
            raise ValueError("key 'radio.control.errors': value true: without radio.channel there is no SINR; add "
                             "radio.channel, or set false")
        timing = self.radio.timing
        if self.radio.harq.max_attempts > 1 and timing.decode_tti + timing.grant_to_tx_tti > _UL_HARQ_RTT_TTI:
            raise ValueError(f"key 'radio.timing.decode_tti': value {timing.decode_tti}: with grant_to_tx_tti, "
                             f"{timing.grant_to_tx_tti}, it takes longer than a round trip of uplink HARQ; allowed "
                             f"{_UL_HARQ_RTT_TTI} together, or set harq.max_attempts: 1")
        for name, ue in self.radio.ues.items():
            modes = self.radio.rlc_modes(name)
            if "am" not in modes or self.behind_enb(name):
                continue
            others = self.radio.rlc_modes(ue.peer)
            if others != modes:
                raise ValueError(f"key 'radio.ues.{ue.peer}.bearers': RLC modes {', '.join(others)}: {name} has "
                                 "others, and an AM bearer joins two UEs in both directions; allowed "
                                 f"{', '.join(modes)}")
            back = self.radio.ues[ue.peer].peer
            if back != name:
                raise ValueError(f"key 'radio.ues.{ue.peer}.peer': value {back}: an AM bearer joins two UEs in both "
                                 f"directions; allowed {name}")

    def behind_enb(self, name: str) -> bool:
        """Whether a node reaches the network behind the eNB: a server, or a UE whose peer is the eNB."""
        return name in self.of_kind("server") or self.radio.ues[name].peer in self.of_kind("enb")

    def _check_traffic(self) -> None:
        ids: set[str] = set()
        for i, flow in enumerate(self.traffic):
            if flow.id in ids:
                raise ValueError(f"key 'traffic.{i}.id': value '{flow.id}': another flow has this id; choose another "
                                 "one")
            ids.add(flow.id)
            if isinstance(flow, Command):
                self._check_command(i, flow)
        if all(isinstance(flow, Command) and flow.background for flow in self.traffic):
            raise ValueError("key 'traffic': everything is in the background, and nothing would end the run; add a "
                             "transfer, or a command with background: false")
        self._check_transfers({i: flow for i, flow in enumerate(self.traffic) if isinstance(flow, Transfer)})
        self._check_accurate_ecn()

    def _check_accurate_ecn(self) -> None:
        """TCP Prague is Reno where the other end does not count marks, and nobody asks for Reno by that name."""
        if self.tcp.congestion_control == _PRAGUE or str(self.tcp.sysctls.get(_ECN)) in _ACCURATE_ECN:
            return
        for i, flow in enumerate(self.traffic):
            if flow.congestion_control == _PRAGUE:
                raise ValueError(f"key 'traffic.{i}.congestion_control': value {_PRAGUE}: the other end has no "
                                 f"Accurate ECN, without which it is Reno; add tcp.sysctls: {{{_ECN}: 3}}")

    def _check_evaluate(self) -> None:
        """Of every flow whose times are known something is evaluated."""
        start_s, end_s = self.evaluate.from_s or 0.0, math.inf if self.evaluate.to_s is None else self.evaluate.to_s
        for i, flow in enumerate(self.traffic):
            if isinstance(flow, Transfer) and flow.duration_s is not None:
                last_s = flow.start_s + flow.duration_s
                if start_s >= last_s:
                    raise ValueError(f"key 'evaluate.from_s': value {start_s:g}: allowed less than {last_s:g}, when "
                                     f"traffic.{i} ends")
                if end_s <= flow.start_s:
                    raise ValueError(f"key 'evaluate.to_s': value {end_s:g}: allowed more than {flow.start_s:g}, when "
                                     f"traffic.{i} starts")

    def _check_command(self, i: int, flow: Command) -> None:
        known(f"traffic.{i}.node", flow.node, self.nodes)
        if flow.background and flow.start_s:
            raise ValueError(f"key 'traffic.{i}.start_s': value {flow.start_s:g}: a command in the background starts "
                             "before all others; allowed 0")
        self._check_congestion_control(i, flow)

    def _check_congestion_control(self, i: int, flow: Command) -> None:
        """A command's is that of its node, as its sockets are its own."""
        name, key = flow.congestion_control, f"traffic.{i}.congestion_control"
        if name is None:
            return
        if self.nodes[flow.node].machine:
            raise ValueError(f"key '{key}': value {name}: {flow.node} is this machine, whose congestion control stays; "
                             "allowed null")
        for other in self.traffic[:i]:
            if isinstance(other, Command) and other.node == flow.node and other.congestion_control not in (None, name):
                raise ValueError(f"key '{key}': value {name}: {other.id} on the same node, {flow.node}, has another "
                                 f"one; allowed {other.congestion_control}")

    def _check_transfers(self, transfers: dict[int, Transfer]) -> None:
        ports: dict[tuple[str, str, int], str] = {}  # the client's port follows from the server's: both may clash
        for i, flow in transfers.items():
            several.check_transfer(self, f"traffic.{i}", flow)
            alone = several.alone(self, flow.radio)
            hosts = {name: None for name, node in alone.nodes.items() if node.kind in ("ue", "server")}
            known(f"traffic.{i}.from", flow.source, hosts)
            joined = alone.behind_enb(flow.source)
            known(f"traffic.{i}.to", flow.to,
                   {name: None for name in hosts if name != flow.source and alone.behind_enb(name) == joined})
            check_transfer(f"traffic.{i}", (flow.source, alone.nodes[flow.source]),
                           (flow.to, alone.nodes[flow.to]), flow.family)
            for role, node in (("from", flow.source), ("to", flow.to)):
                other = ports.setdefault((role, node, flow.port), flow.id)
                if other != flow.id:
                    raise ValueError(f"key 'traffic.{i}.port': value {flow.port}: flow {other}, also {role} {node}, "
                                     "has it; choose another port")

    def _with_network_modes(self) -> Scenario:
        """The scenario with mode im for every UE whose peer is the eNB: there is no other way. With the defaults of
        NR for handovers, where there can be one, and of MPTCP, where a flow has it."""
        if self.radios is not None:
            first, *further = (alone._with_network_modes().radio for _, alone in several.each(self))
            has_mptcp = any(isinstance(flow, Transfer) and flow.transport == "mptcp" for flow in self.traffic)
            return self.model_copy(update={"radio": first, "radios": dict(zip(self.radios, further, strict=True)),
                                           "mptcp": self.mptcp or (Mptcp() if has_mptcp else None)})
        ues = {name: ue.model_copy(update={"mode": "im"}) if self.behind_enb(name) else ue
               for name, ue in self.radio.ues.items()}
        update: dict[str, Any] = {"ues": ues}
        if self.radio.system == "nr" and self.of_kind("sgw"):
            update["handover"] = handover.of_nr(self.radio.handover)
        return self.model_copy(update={"radio": self.radio.model_copy(update=update)})
