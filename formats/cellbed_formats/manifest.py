# SPDX-License-Identifier: GPL-2.0-or-later
"""What a manifest has to look like for the analysis to read it: types of what is used, names that are only names.

Bundles are passed around, so a manifest may say anything. Keys that nothing reads may be there and are not looked at.

Source: docs/result-format.md
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .error import FileError

#: Files are called by names of nodes and flows.
NAME = r"[a-z][a-z0-9-]{0,11}"
Name = Annotated[str, Field(pattern=f"^{NAME}$")]
Nanoseconds = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]
Seconds = Annotated[float, Field(ge=0, le=1e6)]
Address = Annotated[str, Field(pattern=r"^((\d{1,3}\.){3}\d{1,3}|[0-9a-f:]{2,39})$")]
Port = Annotated[int, Field(ge=0, le=65535)]
Scalar = bool | int | float | str | None


class Shape(BaseModel):
    """Some keys of an object, without conversions; others may be there."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)


class Reason(Shape):
    text: str = ""
    code: str = "?"
    value: Scalar = None
    bound: Scalar = None


class Validity(Shape):
    verdict: str = "unknown"
    reasons: list[Reason] = []


class ClockStep(Shape):
    t_ns: Nanoseconds
    step_ns: Nanoseconds


class Clock(Shape):
    start_ns: Nanoseconds
    end_ns: Nanoseconds
    realtime_offset_ns: Nanoseconds
    steps: list[ClockStep] = []


class ScenarioSaid(Shape):
    id: str
    title: str | None = None
    source: str | None = None
    file: str | None = None


class FlowSaid(Shape):
    id: Name
    kind: str
    source: Name = Field(alias="from")
    to: Name
    saddr: Address
    daddr: Address
    port: Port
    sport: Port | None = None
    start_s: Seconds
    duration_s: Seconds | None
    bytes: int | None = None
    protocol: str = "tcp"
    congestion_control: str | None = None


class CommandSaid(Shape):
    id: Name
    argv: list[str]
    background: bool
    node: Name | None = None
    status: int | None = None
    start_ns: Nanoseconds | None = None
    end_ns: Nanoseconds | None = None


class Ue(Shape):
    mode: str = ""
    peer: Name | None = None


class Radio(Shape):
    ues: dict[Name, Ue] = {}
    events: list[dict[str, Any]] = []
    mode_switch: dict[str, Scalar] = {}


class Wire(Shape):
    a: Name
    b: Name


class Settings(Shape):
    radio: Radio = Radio()
    radios: dict[Name, Radio] | None = None
    nodes: dict[Name, dict[str, Any]] = {}
    links: list[Wire] = []
    tcp: dict[str, Any] = {}
    capture: dict[str, Scalar | list[str]] = {}


class Description(Shape):
    variant: str
    settings: Settings


class Network(Shape):
    nodes: list[Name]


class Evaluated(Shape):
    from_s: Seconds | None = None
    to_s: Seconds | None = None


class Checksums(Shape):
    manifest: str
    files: dict[str, str]


class Manifest(Shape):
    id: str
    outcome: str
    scenario: ScenarioSaid
    variant: str
    seed: int = Field(ge=0, lt=1 << 63)
    lab: str
    clock: Clock
    description: Description
    validity: Validity = Validity()
    params: dict[str, Any] = {}
    variant_keys: list[str] = []
    created: str | None = None
    wall_s: Seconds | None = None
    flows: list[FlowSaid] = []
    commands: list[CommandSaid] = []
    links: list[dict[str, Scalar]] = []
    kernel: dict[str, str | None] = {}  # config_sha256: None of a kernel of the user's, which has none beside it
    tools: dict[str, str] = {}
    git: str = ""
    congestion_control: dict[str, Any] = {}
    evaluate: Evaluated = Evaluated()
    claims: list[Any] | None = None
    checksums: Checksums | None = None
    radios: dict[Name, Network] = {}


def check(manifest: dict[str, Any], path: Path) -> None:
    """Raises FileError for the first thing that is not as it has to be."""
    try:
        Manifest.model_validate(manifest)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        wrong = "missing" if first["type"] == "missing" else f"value {str(first['input'])[:40]}: {first['msg']}"
        raise FileError(path, f"key {key}: {wrong}") from error
