# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes over the network in a run: transfers over TCP or UDP, and any other programs."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from cellbed.scenario.fields import CongestionControl, Key, Model, Name, Rate, Size, Word, unset

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Transfer(Model):
    """One transfer, bounded by time or by size."""

    id: Name = Key(..., says="Name of the flow, and of the files with its results")
    kind: Literal["iperf3", "stream"] = Key("iperf3",
        says="`iperf3`: one transfer of iperf3, which agrees on the test over a second connection before the data and "
             "exchanges results after it, over the same links; `stream`: a sender for `duration_s` and nothing else, "
             "which also runs where little or nothing gets through")
    source: Name = Key(..., alias="from", says="The sender: a UE or a server")
    to: Name = Key(..., says="The receiver: a UE or a server")
    start_s: float = Key(0, 0, 3600, says="When the flow starts, in the run's time")
    start_jitter_s: float = Key(0, 0, 3600,
        says="The seed adds a time between 0 and this to `start_s`, in whole milliseconds, a different one for each "
             "`id`: so seeds differ where nothing else is random. The description of a run has the sum as `start_s`")
    duration_s: float | None = Key(None, None, 86400, gt=0,
        says="How long the flow sends. A flow has either `duration_s` or `bytes`")
    bytes: Size | None = Key(None, 1, 1 << 40,
        says="Size of a file, which iperf3 sends in equal blocks of at most 128 KiB; it may be longer by less than a "
             "byte for each block")
    limit_s: float = Key(600, None, 86400, gt=0,
        says="A file that takes longer than this ends the run with an error. No file of the papers takes ten minutes")
    family: Literal["ipv4", "ipv6"] | None = Key(None,
        says="Version of IP of the flow, where both ends have both; null: that which both have, IPv4 before IPv6")
    port: int = Key(5201, 1, 65535,
        says="Port of the receiver; that of the sender is 30000 more. Flows from one node, or to one node, need "
             "different ports")
    congestion_control: CongestionControl | None = Key(None,
        says="Congestion control of the sending socket, set before it connects (`TCP_CONGESTION`); null: that of `tcp`."
             " The manifest's `flows` say what the socket reported; if it is another one, the run is invalid")
    radio: Name | None = Key(None, exclude_if=unset,
        says="Radio network over which the flow goes, of MPTCP its first subflow: a name of `radios`; null: the first "
             "network")
    transport: Literal["tcp", "udp", "mptcp"] = Key("tcp",
        says="`mptcp`: a connection of Linux's Multipath TCP between a server and a UE on several radio networks, "
             "which the UE opens, with kind `stream`; `udp`: datagrams of `packet_bytes` of payload at `rate`, "
             "whatever arrives, for a `duration_s`. A rate above that of the radio makes a backlogged sender. With "
             "kind `stream` nothing else crosses the link; iperf3 has a TCP connection beside it, which a queue full "
             "of datagrams delays")
    rate: Rate | None = Key(None, 1000, 10**10, says="Rate of the datagrams' payload. Only with `transport: udp`")
    packet_bytes: int | None = Key(None, 16, 1472, says="Payload of a datagram. Only with `transport: udp`")

    @model_validator(mode="after")
    def datagrams(self) -> Transfer:
        """UDP has a rate and a size of its packets, as nothing else gives it one; TCP has neither."""
        udp = self.transport == "udp"
        for key, value in (("rate", self.rate), ("packet_bytes", self.packet_bytes)):
            if udp and value is None:
                raise ValueError(f"key '{key}': missing; transport udp needs it")
            if not udp and value is not None:
                raise ValueError(f"key '{key}': value {value}: transport {self.transport} does not use it; remove the "
                                 "key, or set transport: udp")
        if udp and self.congestion_control is not None:
            raise ValueError(f"key 'congestion_control': value {self.congestion_control}: transport udp has none; "
                             "remove the key, or set transport: tcp")
        if udp and self.duration_s is None:
            raise ValueError("key 'duration_s': missing; transport udp needs it")
        return self

    @model_validator(mode="after")
    def mptcp(self) -> Transfer:
        """No iperf3 of a distribution opens such sockets."""
        if self.transport != "mptcp":
            return self
        if self.kind != "stream":
            raise ValueError(f"key 'kind': value {self.kind}: transport mptcp needs kind: stream")
        return self

    @model_validator(mode="after")
    def one_bound(self) -> Transfer:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("a transfer has one bound; give exactly one of 'duration_s' and 'bytes'")
        if self.kind == "stream" and self.bytes is not None:
            raise ValueError("key 'bytes': kind stream does not use it; give 'duration_s', or set kind: iperf3")
        if self.kind == "iperf3" and self.duration_s is not None and self.duration_s % 1:
            raise ValueError(f"key 'duration_s': value {self.duration_s:g}: iperf3 cuts fractions off; allowed whole "
                             "seconds, or set kind: stream")
        return self


class Command(Model):
    """A program on a node. One in the background serves the others: it starts before them and is stopped after them."""

    id: Name = Key(..., says="Name of the program; its output goes to `<id>.stdout` and `<id>.stderr` in the bundle")
    kind: Literal["command"] = Key(..., says="`command`: any program")
    node: Name = Key(..., says="Where the program runs: a UE, a server or a node that routes")
    argv: list[Word] = Key(..., min_length=1, max_length=4096,
        says="The program and its arguments. No shell reads them; `[sh, -c, \"...\"]` starts one")
    environment: dict[VariableName, Word] = Key({},
        says="Variables of the program, in addition to those of the user who runs the scenario")
    background: bool = Key(False,
        says="true: a program that serves others. It starts before them, the run goes on when it listens on a socket "
             "(or after 2 s), and it is stopped when the others have ended")
    congestion_control: CongestionControl | None = Key(None,
        says="Congestion control of the node's namespace, because a program's sockets are its own: all programs there "
             "have it, for connections that they accept, too. Transfers from that node keep theirs. Two commands on one"
             " node cannot name different ones. Not on this machine (`machine: true`)")
    start_s: float = Key(0, 0, 3600,
        says="When the program starts, in the run's time. In the background always 0")
    limit_s: float | None = Key(600, None, 86400, gt=0,
        says="A program that takes longer than this after its start ends the run with an error; it does not hold in the"
             " background. null: no limit; with `radio.channel` in the native lab only, as the others "
             "render the channel before the run")


_MODELS = {"iperf3": "transfer", "stream": "transfer", "command": "command"}


def _model(value: Any) -> str | None:
    kind = value.get("kind", "iperf3") if isinstance(value, dict) else getattr(value, "kind", None)
    return _MODELS.get(kind) if isinstance(kind, str) else None


Traffic = Annotated[
    Annotated[Transfer, Tag("transfer")] | Annotated[Command, Tag("command")],
    Discriminator(_model, custom_error_type="kind", custom_error_message=f"unknown kind; allowed {', '.join(_MODELS)}")]
# By what pydantic calls them in the place of an error.
MODELS: dict[str, type[Model]] = {"transfer": Transfer, "command": Command}


def draw_starts(traffic: list[dict[str, Any]], seed: int) -> None:
    """Add to the start of each transfer what the seed draws for it: uniform from 0 to its `start_jitter_s`.

    The draw follows from the seed and the transfer's id alone: another transfer in the scenario moves none of the
    others. In whole milliseconds, so that the description of a run can be read and typed again.
    """
    for flow in traffic:
        if flow.get("start_jitter_s"):
            word = hashlib.sha256(f"start {seed} {flow['id']}".encode()).digest()[:8]
            share = int.from_bytes(word, "big") / 2**64
            flow["start_s"] = round(flow["start_s"] + share * flow["start_jitter_s"], 3)
