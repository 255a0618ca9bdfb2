# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes over the network in a run: transfers over TCP or UDP, and any other programs."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from cellbed.scenario.fields import CongestionControl, Model, Name, Rate, Size, Word

VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Transfer(Model):
    """One transfer, bounded by time or by size."""

    id: Name
    kind: Literal["iperf3", "stream"] = "iperf3"
    source: Name = Field(alias="from")
    to: Name
    start_s: float = Field(0, ge=0, le=3600)
    start_jitter_s: float = Field(0, ge=0, le=3600)
    duration_s: float | None = Field(None, gt=0, le=86400)
    bytes: Size | None = Field(None, ge=1, le=1 << 40)
    limit_s: float = Field(600, gt=0, le=86400)
    port: int = Field(5201, ge=1, le=65535)
    congestion_control: CongestionControl | None = None
    transport: Literal["tcp", "udp"] = "tcp"
    rate: Rate | None = Field(None, ge=1000, le=10**10)
    packet_bytes: int | None = Field(None, ge=16, le=1472)

    @model_validator(mode="after")
    def datagrams(self) -> Transfer:
        """UDP has a rate and a size of its packets, as nothing else gives it one; TCP has neither."""
        udp = self.transport == "udp"
        for key, value in (("rate", self.rate), ("packet_bytes", self.packet_bytes)):
            if udp and value is None:
                raise ValueError(f"key '{key}': missing, with transport udp")
            if not udp and value is not None:
                raise ValueError(f"key '{key}': value {value}: allowed with transport udp")
        if udp and self.congestion_control is not None:
            raise ValueError(f"key 'congestion_control': value {self.congestion_control}: allowed with transport tcp")
        if udp and self.duration_s is None:
            raise ValueError("key 'transport': value udp: allowed with a 'duration_s'")
        return self

    @model_validator(mode="after")
    def one_bound(self) -> Transfer:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("allowed exactly one of 'duration_s' and 'bytes'")
        if self.kind == "stream" and self.bytes is not None:
            raise ValueError("key 'bytes': allowed with kind iperf3; a stream has a 'duration_s'")
        if self.kind == "iperf3" and self.duration_s is not None and self.duration_s % 1:
            raise ValueError(f"key 'duration_s': value {self.duration_s:g}: allowed whole seconds with kind iperf3, "
                             "which cuts the rest off; kind stream takes any")
        return self


class Command(Model):
    """A program on a node. One in the background serves the others: it starts before them and is stopped after them."""

    id: Name
    kind: Literal["command"]
    node: Name
    argv: list[Word] = Field(min_length=1, max_length=4096)
    environment: dict[VariableName, Word] = {}
    background: bool = False
    congestion_control: CongestionControl | None = None
    start_s: float = Field(0, ge=0, le=3600)
    limit_s: float | None = Field(600, gt=0, le=86400)


_MODELS = {"iperf3": "transfer", "stream": "transfer", "command": "command"}


def _model(value: Any) -> str | None:
    kind = value.get("kind", "iperf3") if isinstance(value, dict) else getattr(value, "kind", None)
    return _MODELS.get(kind) if isinstance(kind, str) else None


Traffic = Annotated[
    Annotated[Transfer, Tag("transfer")] | Annotated[Command, Tag("command")],
    Discriminator(_model, custom_error_type="kind", custom_error_message=f"allowed kind {', '.join(_MODELS)}")]
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
