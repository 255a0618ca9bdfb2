# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenario model: what a scenario file may say, with its limits and defaults.

docs/scenario-format.md explains the keys; scenarios/reference.yaml shows every one of them.
"""

from __future__ import annotations

import difflib
import itertools
import re
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator, model_validator

from cellbed.channel import Channel
from cellbed.error import ScenarioError
from cellbed.model import Model
from cellbed.topology import gateway_of, network_interface
from cellbed.unit import parse_rate, parse_size

Size = Annotated[int, BeforeValidator(parse_size)]
Rate = Annotated[int, BeforeValidator(parse_rate)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,11}$")]
# Those below net that belong to a network namespace.
SysctlName = Annotated[str, Field(pattern=r"^net\.(ipv4|core)\.[a-z0-9_.]+$")]
Probability = Annotated[float, Field(ge=0, le=1)]
Cqi = Annotated[int, Field(ge=1, le=15)]

_INTERFACE_NAME_MAX = 15
# Uplink HARQ is synchronous. Source: TS 36.213 8
_UL_HARQ_RTT_TTI = 8

CONGESTION_CONTROLS = (
    "reno", "bic", "cubic", "westwood", "htcp", "hstcp", "hybla", "vegas", "nv", "scalable", "lp", "veno", "yeah",
    "illinois", "dctcp", "cdg", "bbr", "westwood_orig",
)


class Node(Model):
    """A network namespace: a UE on the radio, a server on a wire, or the eNB, which routes between them."""

    kind: Literal["ue", "server", "enb"] = "ue"
    address: IPv4Interface | None = None


class Link(Model):
    """A wired link. Both directions are alike and independent."""

    a: Name
    b: Name
    rate: Rate = Field(ge=1000, le=10**11)
    delay_ms: float = Field(0, ge=0, le=10000)
    queue_pkts: int = Field(1000, ge=1, le=1000000)
    loss: Probability = 0.0

    def ends(self) -> tuple[str, str]:
        return self.a, self.b


class Timing(Model):
    """The timeline of one transmission, in sub-frames of 1 ms. Source: Nardini, Figure 4."""

    rar_delay_tti: int = Field(3, ge=1, le=12)
    grant_to_tx_tti: int = Field(2, ge=1, le=8)
    decode_tti: int = Field(4, ge=1, le=8)
    dl_sched_to_tx_tti: int = Field(1, ge=1, le=8)
    processing_lead_us: int = Field(250, ge=0, le=999)


class RandomAccess(Model):
    """Source: TS 36.321 5.1; Nardini, Table 1 (RAC timeout)."""

    rac_timeout_ms: int = Field(10, ge=2, le=1000)
    backoff_max_ms: int = Field(20, ge=0, le=960)
    n_preambles: int = Field(52, ge=1, le=64)
    prach_period_tti: int = Field(1, ge=1, le=20)


class Mac(Model):
    """Source: TS 36.321 5.4; Nardini, section II."""

    bsr_grant_rb: int = Field(1, ge=1, le=6)
    bandwidth_stealing: bool = True
    trailing_bsr: bool = True
    enb_overhears_dm: bool = False
    ul_always_scheduled: bool = False


class Harq(Model):
    """Source: TS 36.321 5.3.2, 5.4.2; Park, section 3 (the ladder of error rates)."""

    max_attempts: int = Field(1, ge=1, le=8)
    dl_rtt_tti: int = Field(8, ge=8, le=32)
    bler: list[Probability] = Field([0.1, 0.01, 0.005, 0.002, 0.001], min_length=1, max_length=8)
    nack_to_ack: Probability = 0.0

    @field_validator("bler")
    @classmethod
    def decoding_never_gets_worse(cls, bler: list[float]) -> list[float]:
        if any(later > earlier for earlier, later in itertools.pairwise(bler)):
            raise ValueError("allowed probabilities that do not increase: each is what further attempts left")
        return bler


class Rlc(Model):
    """What both modes have. Source: TS 36.322; TS 36.331 RLC-Config; Park, section 4 (delivery)."""

    mode: Literal["um", "am"] = "um"
    delivery: Literal["in_sequence", "out_of_sequence"] = "in_sequence"
    queue_pkts: int = Field(4096, ge=1, le=65536)
    t_reordering_ms: int = Field(35, ge=0, le=200)


class RlcUm(Model):
    """Source: TS 36.322 6.2.1.3."""

    sn_bits: Literal[5, 10] = 10


class RlcAm(Model):
    """Source: TS 36.322 5.2; TS 36.331 RLC-Config."""

    poll_pdu: int = Field(16, ge=1, le=1024)
    poll_byte: Size = Field(25000, ge=1, le=10_000_000)
    t_poll_retransmit_ms: int = Field(45, ge=5, le=500)
    t_status_prohibit_ms: int = Field(10, ge=0, le=500)
    max_retx_threshold: int = Field(8, ge=1, le=32)
    on_max_retx: Literal["reestablish", "stop"] = "reestablish"
    reestablish_ms: int = Field(100, ge=0, le=10000)


class Pdcp(Model):
    """Source: TS 36.323; TS 38.323 5.2.2 (reordering)."""

    sn_bits: Literal[7, 12] = 12
    discard_timer_ms: int = Field(0, ge=0, le=1500)
    reordering: bool = False
    t_reordering_ms: int = Field(50, ge=0, le=3000)


class ModeSwitch(Model):
    """When UEs change between direct and infrastructure mode. Source: Nardini, section IV."""

    select_ms: int = Field(0, ge=0, le=60000)
    flush: Literal["discard", "keep", "retransmit"] = "discard"
    flush_air: bool = False


class Event(Model):
    """A change of a UE's mode at a given time."""

    at_s: float = Field(ge=0, le=86400)
    ue: Name
    mode: Literal["im", "dm"]


class UeRadio(Model):
    """One UE's radio: where its packets go, how, and how good its links are."""

    peer: Name
    mode: Literal["im", "dm"] = "dm"
    rnti: int | None = Field(None, ge=1, le=65523)
    cqi_ul: Cqi = 15
    cqi_dl: Cqi = 15
    cqi_sl: Cqi = 15
    bler_ul: Probability = 0.0
    bler_dl: Probability = 0.0
    bler_sl: Probability = 0.0


class Radio(Model):
    n_rb: int = Field(50, ge=6, le=110)
    dl_carriers: int = Field(1, ge=1, le=5)
    dl_codewords: int = Field(1, ge=1, le=2)
    scheduler: Literal["rr"] = "rr"
    max_pkts: int = Field(8192, ge=16, le=65536)
    timing: Timing = Timing()
    ra: RandomAccess = RandomAccess()
    mac: Mac = Mac()
    harq: Harq = Harq()
    rlc: Rlc = Rlc()
    rlc_um: RlcUm = RlcUm()
    rlc_am: RlcAm = RlcAm()
    pdcp: Pdcp = Pdcp()
    mode_switch: ModeSwitch = ModeSwitch()
    events: list[Event] = Field([], max_length=1024)
    channel: Channel | None = None
    ues: dict[Name, UeRadio] = Field(min_length=1, max_length=16)


class Tcp(Model):
    """The end hosts' TCP. Windows and MSS are set by route, not by application."""

    profile: Literal["paper", "modern"] = "modern"
    congestion_control: Literal[CONGESTION_CONTROLS] = "cubic"
    receive_window: Size | None = Field(None, ge=1024, le=1 << 30)
    mss: int | None = Field(None, ge=88, le=1460)
    delayed_ack: bool = True
    rto_min_ms: int | None = Field(None, ge=1, le=60000)
    sysctls: dict[SysctlName, int | str] = {}


class Traffic(Model):
    """One transfer, bounded by time or by size."""

    id: Name
    kind: Literal["iperf3"] = "iperf3"
    source: Name = Field(alias="from")
    to: Name
    start_s: float = Field(0, ge=0, le=3600)
    duration_s: float | None = Field(None, gt=0, le=86400)
    bytes: Size | None = Field(None, ge=1, le=1 << 40)
    limit_s: float = Field(600, gt=0, le=86400)
    port: int = Field(5201, ge=1, le=65535)

    @model_validator(mode="after")
    def one_bound(self) -> Traffic:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("allowed exactly one of 'duration_s' and 'bytes'")
        return self


class Capture(Model):
    ip: bool = True
    ip_snaplen: int = Field(128, ge=64, le=65535)
    radio: bool = True
    radio_trace: Literal["full", "events"] = "full"
    tcp_interval_ms: int = Field(0, ge=0, le=60000)


class Validity(Model):
    """Bounds beyond which a run is marked invalid."""

    lateness_p99_us: float = Field(1000, gt=0)
    missed_ttis: int = Field(0, ge=0)
    cpu_steal_percent: float = Field(5, ge=0, le=100)
    queue_drops_allowed: bool = False


class Sweep(Model):
    """Runs of a scenario: every variant times every point of the grid times every seed."""

    variants: dict[str, dict[str, Any]] = {}
    grid: dict[str, list[Any]] = {}


class Scenario(Model):
    format: Literal[1]
    id: str = Field(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)*$")
    title: str = ""
    source: str = ""
    seeds: list[Annotated[int, Field(ge=0, lt=1 << 53)]] = Field([1], min_length=1)
    nodes: dict[Name, Node] = Field(min_length=2)
    links: list[Link] = []
    radio: Radio
    tcp: Tcp = Tcp()
    traffic: list[Traffic] = Field(min_length=1)
    capture: Capture = Capture()
    validity: Validity = Validity()
    sweep: Sweep = Sweep()
    claims: str | None = None

    @model_validator(mode="after")
    def consistent(self) -> Scenario:
        self._check_nodes()
        self._check_links()
        self._check_ues()
        self._check_radio()
        self._check_traffic()
        return self._with_network_modes()

    def of_kind(self, kind: str) -> list[str]:
        """Names of the nodes of a kind."""
        return [name for name, node in self.nodes.items() if node.kind == kind]

    def _check_nodes(self) -> None:
        addresses: dict[str, str] = {}
        for name, node in self.nodes.items():
            key = f"key 'nodes.{name}.address'"
            if node.kind == "enb":
                if node.address is not None:
                    raise ValueError(f"{key}: value {node.address}: allowed none, each link gives the eNB one")
                continue
            if node.address is None:
                raise ValueError(f"{key}: missing")
            other = addresses.setdefault(str(node.address.ip), name)
            if other != name:
                raise ValueError(f"{key}: value {node.address}: allowed another address than that of {other}")
        if len(self.of_kind("enb")) > 1:
            raise ValueError(f"key 'nodes.{self.of_kind('enb')[1]}.kind': value 'enb': allowed one eNB in a scenario")
        if self.of_kind("enb") and not self.links:
            raise ValueError("key 'links': missing, and an eNB node is there to route between links and the radio")

    def _check_links(self) -> None:
        servers = dict.fromkeys(self.of_kind("server"))
        enbs = dict.fromkeys(self.of_kind("enb"))
        linked = set()
        for i, link in enumerate(self.links):
            _known(f"links.{i}.a", link.a, {**servers, **enbs})
            _known(f"links.{i}.b", link.b, enbs if link.a in servers else servers)
            server = link.a if link.a in servers else link.b
            if server in linked:
                raise ValueError(f"key 'links.{i}': a second link of {server}: allowed one link for each server")
            linked.add(server)
            self._check_gateway(server)
        for name in servers:
            if name not in linked:
                raise ValueError(f"key 'links': missing a link of {name}")

    def _check_gateway(self, server: str) -> None:
        """The eNB's end of the link takes the last host address of the server's subnet."""
        address = self.nodes[server].address
        key = f"key 'nodes.{server}.address': value {address}"
        if address.network.prefixlen > 30:
            raise ValueError(f"{key}: allowed a prefix of at most 30 bits, the eNB's end needs an address too")
        if address.ip == gateway_of(address).ip:
            raise ValueError(f"{key}: allowed any but the last address of its subnet, which the eNB's end has")
        for name, node in self.nodes.items():
            if name != server and node.address is not None and node.address.network.overlaps(address.network):
                raise ValueError(f"{key}: allowed a subnet that has nothing in common with that of {name}")

    def _check_ues(self) -> None:
        ues = dict.fromkeys(self.of_kind("ue"))
        for name, ue in self.radio.ues.items():
            _known(f"radio.ues.{name}", name, ues)
            others = {other: None for other in self.radio.ues if other != name}
            _known(f"radio.ues.{name}.peer", ue.peer, {**others, **dict.fromkeys(self.of_kind("enb"))})
            if self.behind_enb(name) and len(network_interface(name)) > _INTERFACE_NAME_MAX:
                raise ValueError(f"key 'nodes.{name}': value {name}: allowed at most 11 characters, as its peer is the "
                                 f"eNB, whose interface to it is {network_interface(name)}")
            if self.behind_enb(name) and "mode" in ue.model_fields_set and ue.mode != "im":
                raise ValueError(f"key 'radio.ues.{name}.mode': value {ue.mode}: allowed im, as its peer is the eNB")
        for name in ues:
            _known(f"nodes.{name}", name, self.radio.ues)

    def _check_radio(self) -> None:
        """Keys that exclude each other."""
        for i, event in enumerate(self.radio.events):
            _known(f"radio.events.{i}.ue", event.ue, self.radio.ues)
            if event.mode == "dm" and self.nodes[self.radio.ues[event.ue].peer].kind == "enb":
                raise ValueError(f"key 'radio.events.{i}.mode': value dm: allowed im, as the peer of {event.ue} is "
                                 "the eNB")
        if self.radio.channel is not None:
            self.radio.channel.check(self.radio.ues)
        timing = self.radio.timing
        if self.radio.harq.max_attempts > 1 and timing.decode_tti + timing.grant_to_tx_tti > _UL_HARQ_RTT_TTI:
            raise ValueError(f"key 'radio.timing.decode_tti': value {timing.decode_tti}: allowed {_UL_HARQ_RTT_TTI} "
                             "together with grant_to_tx_tti when harq.max_attempts is above 1: the uplink's HARQ round "
                             "trip")
        for name, ue in self.radio.ues.items():
            back = name if self.behind_enb(name) else self.radio.ues[ue.peer].peer
            if self.radio.rlc.mode == "am" and back != name:
                raise ValueError(f"key 'radio.ues.{ue.peer}.peer': value {back}: allowed {name}, as an AM bearer joins "
                                 "two UEs in both directions")

    def behind_enb(self, name: str) -> bool:
        """Whether a node reaches the network behind the eNB: a server, or a UE whose peer is the eNB."""
        return name in self.of_kind("server") or self.radio.ues[name].peer in self.of_kind("enb")

    def _check_traffic(self) -> None:
        hosts = {name: None for name, node in self.nodes.items() if node.kind != "enb"}
        for i, flow in enumerate(self.traffic):
            _known(f"traffic.{i}.from", flow.source, hosts)
            joined = self.behind_enb(flow.source)
            _known(f"traffic.{i}.to", flow.to,
                   {name: None for name in hosts if name != flow.source and self.behind_enb(name) == joined})
        ids: set[str] = set()
        ports: dict[tuple[str, str, int], str] = {}  # the client's port follows from the server's: both may clash
        for i, flow in enumerate(self.traffic):
            if flow.id in ids:
                raise ValueError(f"key 'traffic.{i}.id': value '{flow.id}': allowed an id that no other flow has")
            ids.add(flow.id)
            for role, node in (("from", flow.source), ("to", flow.to)):
                other = ports.setdefault((role, node, flow.port), flow.id)
                if other != flow.id:
                    raise ValueError(f"key 'traffic.{i}.port': value {flow.port}: allowed another port than that of "
                                     f"flow {other}, which is {role} {node} too")

    def _with_network_modes(self) -> Scenario:
        """The scenario with mode im for every UE whose peer is the eNB: there is no other way."""
        ues = {name: ue.model_copy(update={"mode": "im"}) if self.behind_enb(name) else ue
               for name, ue in self.radio.ues.items()}
        return self.model_copy(update={"radio": self.radio.model_copy(update={"ues": ues})})


def _known(key: str, value: str, names: dict[str, Any]) -> None:
    if value not in names:
        raise ValueError(f"key '{key}': value '{value}': allowed {', '.join(names) or 'none, there is no such node'}")


class _Loader(yaml.SafeLoader):
    """YAML without duplicate keys: the second one would silently win."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    seen: dict[str, int] = {}
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            raise ScenarioError(f"{loader.name}:{key_node.start_mark.line + 1}: key '{key}': given twice")
        seen[key] = key_node.start_mark.line
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> Any:
    """Parsed YAML of a file.

    Raises:
        ScenarioError: unreadable, not YAML, or a key given twice.
    """
    try:
        with open(path, encoding="utf-8") as f:
            loader = _Loader(f)
            loader.name = str(path)
            return loader.get_single_data()
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: not YAML: {' '.join(str(error).split())}") from error


def _limits(error: dict[str, Any]) -> str:
    """What would have been allowed, from a pydantic error."""
    text = error["msg"].removeprefix("Value error, ")
    text = re.sub(r"^Input should be (a |an )?", "", text)
    return f"allowed {text}" if not text.startswith(("allowed", "key")) else text


def _describe(error: dict[str, Any], model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        names = _fields_at(model, error["loc"][:-1])
        close = difflib.get_close_matches(str(error["loc"][-1]), names, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"allowed {', '.join(sorted(names))}"
        return f"key '{key}': unknown; {hint}"
    if error["type"] == "missing":
        return f"key '{key}': missing"
    if not key:
        return _limits(error)
    value = error["input"]
    shown = value if isinstance(value, str | int | float | bool | list | type(None)) else type(value).__name__
    return f"key '{key}': value {shown}: {_limits(error)}"


def _fields_at(model: type[BaseModel], loc: tuple[Any, ...]) -> list[str]:
    """Field names of the model reached through @loc, for suggestions."""
    for part in loc:
        field = next((f for n, f in model.model_fields.items() if part in (n, f.alias)), None)
        annotation = field.annotation if field else None
        if field is None:
            continue  # a name in a mapping or an index
        inner = [a for a in getattr(annotation, "__args__", ()) if isinstance(a, type) and issubclass(a, BaseModel)]
        candidate = inner[0] if inner else annotation
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            model = candidate
    return [field.alias or name for name, field in model.model_fields.items()]


def validate(data: Any, path: Path | str) -> Scenario:
    """A scenario from parsed YAML.

    Raises:
        ScenarioError: one line with file, key, value and what is allowed.
    """
    if not isinstance(data, dict):
        raise ScenarioError(f"{path}: expected a mapping of keys")
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise ScenarioError(f"{path}: {_describe(error.errors()[0], Scenario)}") from error
