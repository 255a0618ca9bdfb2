# SPDX-License-Identifier: GPL-2.0-or-later
"""Links: scenarios that any command can be put behind, as words of a command line change them.

A link is a preset (scenarios/links, or any scenario file), changed by words such as `rate 20mbit rtt 30ms bler 0.1`,
with a command on its first UE in the place of the preset's traffic. What comes out is a scenario and nothing else.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cellbed.error import ScenarioError
from cellbed.link import further
from cellbed.run.address import in_families, translated
from cellbed.run.inventory import far_end
from cellbed.run.radio_config import NETEM_TRACES, PACKET_TRACES
from cellbed.scenario import included
from cellbed.scenario.dotted import parse_override, set_key
from cellbed.scenario.file import read_yaml, validate
from cellbed.scenario.nr import SECOND_CELL
from cellbed.scenario.transport_blocks import rate_bps, sizes
from cellbed.scenario.unit import parse_rate
from cellbed_formats import bounded_yaml
from cellbed_formats.printable import shown

PRESETS = included.FOLDER / "links"
DEFAULT = "good"
COMMAND_ID, SERVER_ID = "command", "server"
HTTP_PORT = 80
# How far a rate may be from the wanted one; transport blocks come in steps.
_RATE_TOLERANCE = 0.05
_ATTEMPTS = 5
# Beyond them no carrier or channel comes near; and most of a rate and a delay that a scenario may have.
_RATE_MIN, _RATE_MAX, _UTRAN_RATE_MAX = 1000, 10**11, 10**7
_TIME_MAX_MS = 10_000
_SHOWN_MAX = 40
# Of a PDU without length indicators. Source: TS 25.322 9.2.1.4
_AMD_HEADER_BYTES = 2
# Where the channel is rendered before: long enough for what is watched, short enough to be rendered at once.
_CHANNEL_LIMIT_S = 600

Data = dict[str, Any]


def presets() -> dict[str, str]:
    """Titles of the ready-made links by name."""
    return {path.stem: read_yaml(path)["title"] for path in sorted(PRESETS.glob("*.yaml"))}


def find(name: str) -> Path:
    """The file of a preset, or of a scenario.

    Raises:
        ScenarioError: neither.
    """
    if (path := PRESETS / f"{name}.yaml").exists():
        return path
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    raise ScenarioError(f"link '{name}': allowed {', '.join(presets())}, or a scenario file")


def build(words: list[str], argv: list[str] | None, overrides: Sequence[str] = (), serve: list[str] | None = None,
          machine: bool = False, internet: bool = False, netns: str | None = None,
          radios: Sequence[str] = ()) -> tuple[Data, Path]:
    """The scenario that a command line stands for, as parsed YAML, and the file it comes from.

    Args:
        words: [PRESET] [KEY VALUE]...
        argv: the command for the first UE; None: the preset's own flows stay.
        overrides: 'key=value' texts, applied last.
        serve: a program for the far end.
        machine: let the far end be this machine, where it can be.
        internet: give the far end a way out.
        netns: path of a network namespace that the first UE is.
        radios: further radio networks, as NAME=LINK.
    """
    name, changes = (words[0], words[1:]) if words and words[0] not in WORDS else (DEFAULT, words)
    if words and name not in presets() and not name.endswith((".yaml", ".yml")):
        raise ScenarioError(_unknown(name))
    path = find(name)
    data = _read(path)
    _apply(data, path, changes)
    for network, link in map(further.split, radios):
        other = find(link)
        further.add(data, network, _read(other), other)
    if argv is not None:
        _put_command(data, path, argv, serve)
    if (machine and not data.get("radios")) or internet:
        _put_machine(data, "internet" if internet else "machine")
    if netns is not None:
        if "cc" in changes[::2]:
            raise ScenarioError("link: cc: a namespace of --netns or --pid keeps its congestion control; remove cc")
        data["nodes"][first_ue(data)]["netns"] = netns
    for override in overrides:
        set_key(data, *parse_override(override), path)
    return data, path


def _read(path: Path) -> Data:
    """A link's file, whose traces have whole paths. Raises ScenarioError for one that is wrong."""
    data = read_yaml(path)
    validate(data, path)  # a file of one's own may be wrong in any way; variants and claims are not asked for
    data = {key: value for key, value in data.items() if key not in ("sweep", "claims", "seeds")}
    for radio in _radios(data):
        name_files(radio, path.parent)
    return data


def _radios(data: Data) -> list[Data]:
    return [data["radio"], *(data.get("radios") or {}).values()]


def name_files(radio: Data, folder: Path) -> None:
    """Name traces by their whole path, as the scenario is run from another folder than its own."""
    of_ues = [("packet_trace", PACKET_TRACES, ue) for ue in radio["ues"].values()]
    for section, files, at in (("channel", ("trace",), radio), ("channel", ("trace",), radio.get("en_dc")),
                               ("packet_trace", PACKET_TRACES, radio), ("constant_rate", NETEM_TRACES, radio), *of_ues):
        named = (at or {}).get(section) or {}
        named.update({key: str((folder / named[key]).resolve()) for key in files if named.get(key) is not None})
    for tracks in tracks_of(radio):
        tracks.update({ue: str((folder / name).resolve()) for ue, name in tracks.items()})


def channels_of(radio: Data) -> list[Data]:
    """Channels over time that a file's radio network has: with EN-DC one of the eNB and one of the gNB."""
    return [channel for at in (radio, _section(radio, "en_dc")) if (channel := _section(at, "channel"))]


#: What a channel says of each UE, by its name, beside the tracks of a route.
OF_UES = ("positions", "penetration")


def said_of_ues(radio: Data) -> list[Data]:
    """What channels say of each UE by its name: tracks, positions, what it is inside of."""
    return [said for channel in channels_of(radio) for key in OF_UES if (said := _section(channel, key))] \
        + tracks_of(radio)


def tracks_of(radio: Data) -> list[Data]:
    """Files of waypoints by UE, of each channel that has some."""
    return [tracks for channel in channels_of(radio) if (tracks := _section(_section(channel, "route"), "tracks"))]


def _section(at: Data, key: str) -> Data:
    """What keys of a caller, which nobody has looked at yet, have there."""
    value = at.get(key)
    return value if isinstance(value, dict) else {}


def first_ue(data: Data) -> str:
    return next(name for name, node in data["nodes"].items() if node.get("kind", "ue") == "ue")


def _put_command(data: Data, path: Path, argv: list[str], serve: list[str] | None) -> None:
    ue = first_ue(data)
    command = {"id": COMMAND_ID, "kind": "command", "node": ue, "argv": argv, "limit_s": None}
    data["traffic"] = [command]
    if serve is not None:
        far = far_end(validate(data, path).model_dump(mode="json", by_alias=True), ue)
        data["traffic"].insert(0, {"id": SERVER_ID, "kind": "command", "node": far, "argv": serve, "background": True})


def put_limit(data: Data) -> None:
    """Let the command end where the lab renders a channel before."""
    for flow in data["traffic"]:
        varies = any(channels_of(radio) for radio in _radios(data))
        if flow["id"] == COMMAND_ID and flow["limit_s"] is None and varies:
            flow["limit_s"] = _CHANNEL_LIMIT_S


def _put_machine(data: Data, key: str) -> None:
    """This machine as the server or behind it, where there is one; two UEs have none."""
    for node in data["nodes"].values():
        if node.get("kind") == "server":
            node[key] = True
            return
    if key == "internet":
        raise ScenarioError(_no_server("--internet"))


def _no_server(key: str) -> str:
    return f"link: {key}: allowed in links with a server; two UEs have nothing but the radio between them"


def serves_folder(folder: Path, families: Sequence[str]) -> list[str]:
    """A static HTTP server of a folder; Python has one. It works in the bundle's folder, where no module lies."""
    bind = "::" if "ipv6" in families else "0.0.0.0"  # noqa: S104 all addresses of the far end; :: is those of IPv4, too
    return ["python3", "-m", "http.server", str(HTTP_PORT), "--bind", bind, "--protocol", "HTTP/1.1", "--directory",
            str(folder.resolve())]


# --- words ---


def _unknown(word: str) -> str:
    close = difflib.get_close_matches(word, [*presets(), *WORDS], n=1)
    hint = f"did you mean '{close[0]}'?" if close else \
        f"allowed first one of {', '.join(presets())} or a scenario file, then {', '.join(WORDS)}, each with its value"
    return f"link: '{word}': {hint}; a command comes after --"


def _apply(data: Data, path: Path, words: list[str]) -> None:
    given: dict[str, str] = {}
    for key, value in zip(words[::2], [*words[1::2], None][:len(words[::2])], strict=True):
        if key not in WORDS:
            raise ScenarioError(_unknown(key))
        if value is None:
            raise ScenarioError(f"link: {key}: expected a value, such as `{key} {WORDS[key][1]}`")
        if key in given:
            raise ScenarioError(f"link: {key} is given twice; give it once")
        given[key] = value
    if "up" in given and "rate" not in given:
        raise ScenarioError("link: up without rate; give both, such as `rate 20mbit up 5mbit`")
    if "rtt" in given and "delay" in given:
        raise ScenarioError("link: rtt and delay exclude each other; give one of them")
    system = data["radio"].get("system", "lte")
    for key, value in given.items():
        if key in _NOT_OVER.get(system, ()):
            able = [_NAMES[name] for name in _NAMES if key not in _NOT_OVER.get(name, ())]
            others = " and ".join(name for name in (", ".join(able[:-1]), able[-1]) if name)
            raise ScenarioError(f"link: {key}: allowed only in links over {others}, not over {_NAMES[system]}")
        WORDS[key][0](data, value, given)


def _number(key: str, text: str, least: float, most: float, whole: bool = False) -> float:
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") and not whole else float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most or (whole and value != int(value)):
        raise ScenarioError(f"link: {key} {text}: allowed {'whole numbers ' if whole else ''}{least:g}..{most:g}")
    return int(value) if whole else value


def _milliseconds(key: str, text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", text)
    if match is None:
        raise ScenarioError(f"link: {key} {text}: allowed a time in us, ms or s, such as 30ms")
    value = float(match[1]) * {"us": 1e-3, "ms": 1, "s": 1e3}[match[2]]
    if value > _TIME_MAX_MS:
        raise ScenarioError(f"link: {key} {text[:_SHOWN_MAX]}: allowed 0..{_TIME_MAX_MS}ms")
    return value


def _rate_text(bps: int) -> str:
    return f"{bps // 1000}kbit" if bps < 10**6 else f"{bps // 10**6}mbit"


def _bits_per_second(key: str, text: str, least: int, most: int) -> int:
    units = {"kbit": "kbit", "mbit": "Mbit", "gbit": "Gbit"}
    match = re.fullmatch(r"([\d.]+)([a-zA-Z]+)", text)
    unit = units.get(match[2].lower()) if match is not None else None
    with contextlib.suppress(ValueError):
        if match is not None and unit is not None:
            bps = parse_rate(match[1] + unit)
            if not least <= bps <= most:
                raise ScenarioError(f"link: {key} {text[:_SHOWN_MAX]}: allowed {_rate_text(least)}..{_rate_text(most)}")
            return bps
    raise ScenarioError(f"link: {key} {text[:_SHOWN_MAX]}: allowed a rate in kbit, mbit or gbit, such as 20mbit")


def _ues(data: Data) -> list[Data]:
    return list(data["radio"]["ues"].values())


def _direct(ue: Data, data: Data) -> bool:
    return data["nodes"][ue["peer"]].get("kind", "ue") == "ue" and ue.get("mode", "dm") == "dm"


def _rate(data: Data, value: str, given: dict[str, str]) -> None:
    """The carrier and the CQIs whose transport blocks come nearest."""
    most = _UTRAN_RATE_MAX if "utran" in data["radio"] else _RATE_MAX
    down = _bits_per_second("rate", value, _RATE_MIN, most)
    up = _bits_per_second("up" if "up" in given else "rate", given.get("up", value), _RATE_MIN, most)
    if "utran" in data["radio"]:
        utran = data["radio"]["utran"]
        utran.update(dl_rate=_whole_pdus("rate", down, utran), ul_rate=_whole_pdus("up", up, utran))
        return
    if "constant_rate" in data["radio"]:
        data["radio"]["constant_rate"].update(dl_rate=f"{down / 1000}kbit", ul_rate=f"{up / 1000}kbit")
        return
    n_rb, cqi_dl, cqi_ul = carrier_for(down, up)
    data["radio"].pop("channel", None)
    data["radio"].update(n_rb=n_rb)
    for ue in _ues(data):
        ue.update({"cqi_sl": cqi_ul} if _direct(ue, data) else {"cqi_dl": cqi_dl, "cqi_ul": cqi_ul})


def _whole_pdus(key: str, wanted_bps: int, utran: Data) -> str:
    """The channel's rate for the nearest one without headers that has whole PDUs in a TTI."""
    pdu_bytes, tti_ms = utran.get("pdu_bytes", 40), utran.get("tti_ms", 10)
    step_bps = 8000 * (pdu_bytes - _AMD_HEADER_BYTES) / tti_ms
    pdus = max(1, round(wanted_bps / step_bps))
    if abs(pdus * step_bps / wanted_bps - 1) > _RATE_TOLERANCE:
        raise ScenarioError(f"link: {key} {wanted_bps / 1e3:g}kbit: a TTI carries whole PDUs; allowed multiples of "
                            f"{step_bps / 1e3:g}kbit")
    return f"{pdus * 8 * pdu_bytes / tti_ms:g}kbit"


def _up(data: Data, value: str, given: dict[str, str]) -> None:
    """Goes with rate."""


def _cqi(data: Data, value: str, _: dict[str, str]) -> None:
    cqi = _number("cqi", value, 1, 15, whole=True)
    data["radio"].pop("channel", None)
    (data["radio"].get("en_dc") or {}).pop("channel", None)
    second = dict.fromkeys(SECOND_CELL, cqi) if "en_dc" in data["radio"] else {}
    for ue in _ues(data):
        ue.update({"cqi_sl": cqi} if _direct(ue, data) else {"cqi_dl": cqi, "cqi_ul": cqi, **second})


def _rb(data: Data, value: str, given: dict[str, str]) -> None:
    if "rate" in given:
        raise ScenarioError("link: rb: rate already chooses the resource blocks; remove one of the two")
    data["radio"]["n_rb"] = _number("rb", value, 6, 110, whole=True)


def _bler(data: Data, value: str, _: dict[str, str]) -> None:
    """Of each attempt, independently; HARQ repairs it."""
    bler = _number("bler", value, 0, 1)
    if "utran" in data["radio"]:  # which has no HARQ: RLC sends again
        data["radio"]["utran"].update(bler_dl=bler, bler_ul=bler)
        return
    data["radio"]["harq"] = {**data["radio"].get("harq", {}), "max_attempts": _ATTEMPTS,
                             "bler": [float(f"{bler ** attempt:.6g}") for attempt in range(1, _ATTEMPTS + 1)]}


def _loss(data: Data, value: str, _: dict[str, str]) -> None:
    """Of blocks that HARQ does not notice; of packets, where there are no blocks."""
    loss = _number("loss", value, 0, 1)
    if "constant_rate" in data["radio"]:
        data["radio"]["constant_rate"].update(loss_dl=loss, loss_ul=loss)
        return
    for ue in _ues(data):
        ue.update({"bler_sl": loss} if _direct(ue, data) else {"bler_dl": loss, "bler_ul": loss})


def _wires(data: Data, key: str) -> list[Data]:
    if not data.get("links"):
        raise ScenarioError(_no_server(key))
    return data["links"]


def _delay(data: Data, value: str, _: dict[str, str]) -> None:
    """Each way, of the wire behind the eNB: on top of the radio's."""
    for wire in _wires(data, "delay"):
        wire["delay_ms"] = _milliseconds("delay", value)


def _rtt(data: Data, value: str, _: dict[str, str]) -> None:
    """Of a small packet after a pause, all in all."""
    rtt_ms, radio_ms = _milliseconds("rtt", value), radio_rtt_ms(data)
    wires = _wires(data, "rtt")
    if rtt_ms < radio_ms:
        raise ScenarioError(f"link: rtt {value}: allowed {radio_ms:g}ms or more, which the radio takes by itself")
    for wire in wires:
        wire["delay_ms"] = (rtt_ms - radio_ms) / 2


def _queue(data: Data, value: str, _: dict[str, str]) -> None:
    own = next((data["radio"][name] for name in _OWN_QUEUE if name in data["radio"]), None)
    where = data["radio"].setdefault("rlc", {}) if own is None else own
    where["queue_pkts"] = _number("queue", value, 1, 65536, whole=True)


def _mtu(data: Data, value: str, _: dict[str, str]) -> None:
    data["radio"]["mtu"] = _number("mtu", value, 1280, 1500, whole=True)


def _mode(data: Data, value: str, _: dict[str, str]) -> None:
    if value not in ("um", "am"):
        raise ScenarioError(f"link: mode {value}: allowed um, am")
    data["radio"].setdefault("rlc", {})["mode"] = value


def _cc(data: Data, value: str, _: dict[str, str]) -> None:
    data.setdefault("tcp", {})["congestion_control"] = value


# Word: what it does, an example, what it is.
WORDS: dict[str, tuple[Callable[[Data, str, dict[str, str]], None], str, str]] = {
    "rate": (_rate, "20mbit", "rate of the radio's transport blocks, downlink; also uplink, unless `up` is given"),
    "up": (_up, "5mbit", "rate of the uplink"),
    "rtt": (_rtt, "50ms", "round trip of a ping; the wire behind the radio takes what the radio does not"),
    "delay": (_delay, "10ms", "delay of that wire, each way"),
    "bler": (_bler, "0.1", "block error rate of each attempt; HARQ repairs it"),
    "loss": (_loss, "0.01", "share of blocks lost without HARQ noticing; RLC AM repairs it, UM does not"),
    "cqi": (_cqi, "7", "channel quality in both directions, 1..15"),
    "rb": (_rb, "25", "resource blocks, 6..110"),
    "queue": (_queue, "100", "most packets that may wait for the radio"),
    "mtu": (_mtu, "1358", "MTU of the radio, 1280..1500"),
    "mode": (_mode, "um", "RLC mode: um or am"),
    "cc": (_cc, "bbr", "congestion control of the nodes"),
}
# Radio networks in words, and words that mean nothing there: NR's rates and times follow from its carrier and pattern.
_NAMES = {"lte": "LTE", "utran": "the UTRAN", "nr": "NR", "en_dc": "EN-DC", "constant_rate": "constant rates",
          "packet_trace": "recordings"}
_NOT_OVER = {"utran": ("rtt", "loss", "cqi", "rb", "mode"), "nr": ("rate", "up", "rtt", "rb"),
             "en_dc": ("rate", "up", "rtt", "mode"),
             "constant_rate": ("rtt", "bler", "cqi", "rb", "mode"),
             "packet_trace": ("rate", "up", "rtt", "bler", "loss", "cqi", "rb", "mode")}
# Networks whose queue is not RLC's.
_OWN_QUEUE = ("utran", "constant_rate", "packet_trace")


# --- what the radio gives ---


def carrier_for(down_bps: int, up_bps: int) -> tuple[int, int, int]:
    """(resource blocks, CQI down, CQI up) whose rates come nearest.

    Raises:
        ScenarioError: none comes near.
    """
    def nearest(direction: str, n_rb: int, wanted: int) -> tuple[float, int]:
        return min((abs(rate_bps(direction, n_rb, cqi) / wanted - 1), cqi) for cqi in range(1, 16))

    found = []
    for n_rb in sizes()["dl"]:
        (down_error, cqi_dl), (up_error, cqi_ul) = nearest("dl", n_rb, down_bps), nearest("ul", n_rb, up_bps)
        found.append((max(down_error, up_error), n_rb, cqi_dl, cqi_ul))
    error, n_rb, cqi_dl, cqi_ul = min(found)
    if error > _RATE_TOLERANCE:
        raise ScenarioError(
            f"link: rate {down_bps / 1e6:g}mbit up {up_bps / 1e6:g}mbit: the nearest that one carrier has is rate "
            f"{rate_bps('dl', n_rb, cqi_dl) / 1e6:g}mbit up {rate_bps('ul', n_rb, cqi_ul) / 1e6:g}mbit")
    return n_rb, cqi_dl, cqi_ul


def radio_rtt_ms(data: Data) -> float:
    """Least RTT of a small packet after a pause: request, BSR and data up, the answer down.

    Source: Nardini, Figure 4
    """
    radio = validate(data, "link").radio
    t = radio.timing
    granted = t.grant_to_tx_tti + t.decode_tti
    up = granted if radio.mac.ul_always_scheduled else t.rar_delay_tti + t.rar_to_msg3_tti + t.decode_tti + granted
    ue = radio.ues[first_ue(data)]
    if data["nodes"][ue.peer].get("kind", "ue") == "ue" and ue.mode == "dm":
        return 2 * up
    down = t.dl_sched_to_tx_tti + t.decode_tti
    return up + down if data["nodes"][ue.peer].get("kind") == "enb" else 2 * (up + down)


# --- addresses ---


class Addresses(NamedTuple):
    """Those that the nodes of a preset have."""

    families: Sequence[str]
    xlat: bool = False  # UEs have IPv6 only, and 464XLAT


AS_THEY_ARE = Addresses(())


def put_addresses(data: Data, path: Path, wanted: Addresses) -> None:
    """Give the nodes of a preset their addresses: beside each of IPv4 is one of IPv6.

    Args:
        data: stays as it is where addresses are others than the preset's kind.
        path: the link's file. Another one than a preset's gets other addresses with 464XLAT only.

    Raises:
        ScenarioError: 464XLAT for a link that has other addresses already, or no server.
    """
    nodes = [node for node in data["nodes"].values() if node.get("address") is not None]
    said = [own for node in nodes for own in (node["address"], *(node.get("radios") or {}).values())]
    of_ipv4 = all(isinstance(own, str) and ":" not in own for own in said)
    if wanted.xlat and not of_ipv4:
        raise ScenarioError("link: --464xlat: allowed in links whose nodes have one address of IPv4 each; in another "
                            "scenario set nodes.<ue>.clat")
    if not of_ipv4 or not (wanted.xlat or path.parent == PRESETS):
        return
    if wanted.xlat and all(node.get("kind", "ue") == "ue" for node in nodes):
        raise ScenarioError(_no_server("--464xlat"))
    for node in nodes:
        if wanted.xlat and node.get("kind", "ue") == "ue":
            node.update(translated(node["address"]))
        else:
            node["address"] = in_families(node["address"], wanted.families)
        if node.get("radios"):
            node["radios"] = {name: in_families(own, wanted.families) for name, own in node["radios"].items()}


# --- text ---


def to_yaml(data: Data, comment: str) -> str:
    """A scenario file."""
    return f"# {shown(comment)}\n{bounded_yaml.dump(copy.deepcopy(data), sort_keys=False, width=110)}"


def has_machine(data: Data) -> bool:
    """Whether this machine's network is the far end's, too."""
    return any(node.get("machine") or node.get("internet") for node in data["nodes"].values())
