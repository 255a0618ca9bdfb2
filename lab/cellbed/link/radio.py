# SPDX-License-Identifier: GPL-2.0-or-later
"""A radio network between network namespaces that somebody else has made, such as Mininet's hosts.

It is the radio daemon of a run and nothing else of it: nodes, wires, captures and traffic are the caller's, who
made the namespaces.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from cellbed import paths
from cellbed.error import LabError, ScenarioError
from cellbed.host import ledger, mode, offload
from cellbed.host.netns import in_netns
from cellbed.host.process import Process, start_ready
from cellbed.labs import native
from cellbed.link import links
from cellbed.results import validity
from cellbed.run import ipv6, radio_config, realtime
from cellbed.run.topology import MTU
from cellbed.run.workload import has_end
from cellbed.scenario import channel_trace, packet_trace
from cellbed.scenario.file import validate
from cellbed_formats.inside import Inside

Data = dict[str, Any]
# Words of a link that are of the wire behind the radio, or of hosts.
_NOT_OF_THE_RADIO = ("rtt", "delay", "cc")
# A scenario has a network behind its eNB. Nobody sees these names and addresses: the far ends are those of the pairs.
_ENB, _FAR = "radio-enb", "radio-far"
_BEHIND = {_ENB: {"kind": "enb"}, _FAR: {"kind": "server", "address": "198.19.0.1/30"}}
_WIRE = {"a": _FAR, "b": _ENB, "rate": "1Gbit"}
# What the daemon and a scenario take for the name of a UE.
_NAME = re.compile(r"(?!network$|radio-)[a-z][a-z0-9-]{0,10}")
_CONFIG, _LOG, _STATS, _VALIDITY = "celld.json", "log", "radio.json", "validity.json"
_RECORDINGS = ("radio.trace", "radio.pcap")


class End(NamedTuple):
    """One end of a bearer: the TUN that is to come into being in a namespace."""

    host: str
    pid: int  # a process in the namespace
    interface: str
    mtu: int = MTU  # bytes, 68..1500


class Pair(NamedTuple):
    """A UE and the other end of its bearer: another UE, or the node behind the eNB."""

    ue: End
    far: End


class Description(NamedTuple):
    """What a radio is to be, for any UEs."""

    radio: Data  # as a scenario's `radio`
    like: str | None  # the UE that those are like which are not named in it; None: they have what all keys have
    validity: Data  # as a scenario's `validity`


def described(radio: str | Path | Mapping[str, Any]) -> Description:
    """Read what a radio is to be.

    Args:
        radio: a link as `cellbed link` has it, with its words (`edge`, `good rate 20mbit bler 0.1`); a scenario file;
            or the keys of a scenario's `radio`, of which `ues` may be missing.

    Raises:
        ScenarioError: there is no such link, or it needs more than a radio.
    """
    if isinstance(radio, Mapping):
        ues = radio.get("ues", {})
        if not isinstance(ues, Mapping) or not all(isinstance(ue, Mapping) for ue in ues.values()):
            raise ScenarioError(f"radio: key 'radio.ues': value {ues}: allowed the keys of each UE by its name")
        return Description(copy.deepcopy(dict(radio)), None, {"queue_drops_allowed": True})
    words = [str(radio)] if str(radio).endswith((".yaml", ".yml")) else str(radio).split()
    for word in _NOT_OF_THE_RADIO:
        if word in words[1:]:
            raise ScenarioError(f"radio '{radio}': {word}: allowed words of the radio itself; delays, losses and rates "
                                "of wires are those of other links, and congestion control is the hosts' own")
    data, path = links.build(words, ["true"])
    if any(node.get("kind") == "sgw" for node in data["nodes"].values()):
        raise ScenarioError(f"radio '{radio}': {path.name}: allowed links without a core network; `cellbed topology "
                            "--mininet` writes those as scripts")
    return Description(data["radio"], links.first_ue(data), data.get("validity", {}))


def settings(description: Description, pairs: Sequence[Pair], seed: int, channel_s: float | None = None) -> Data:
    """A run's settings with these UEs.

    Args:
        channel_s: how far a channel is rendered, in seconds; None: as long as it is used.

    Raises:
        ScenarioError: a key is wrong; one line with key, value and what is allowed.
    """
    radio, names = description.radio, _names(pairs)
    templates: Data = radio.get("ues", {})
    ues: Data = {}
    likes: dict[str, str] = {}  # the UE of the description that each is like
    for pair in pairs:
        near, far = names[pair.ue.host], names[pair.far.host]
        like = near if near in templates else description.like or near
        peer = templates.get(like, {}).get("peer", _ENB)
        direct = peer in list(templates)
        for ue, own, other in ((near, like, far), (far, peer, near)) if direct else ((near, like, _ENB),):
            if ue in ues:
                raise ScenarioError(f"radio: {pair.ue.host} - {pair.far.host}: {ue}: allowed one link for each UE of a "
                                    "cell")
            ues[ue] = {key: value for key, value in templates.get(own, {}).items() if key != "rnti" or ue == own}
            ues[ue]["peer"] = other
            likes[ue] = own
    nodes = {ue: {"address": f"198.18.{i >> 8}.{i & 255}/32"} for i, ue in enumerate(ues)}
    return settings_of({"nodes": {**nodes, **_BEHIND}, "links": [_WIRE], "validity": description.validity,
                        "radio": {**_renamed(radio, likes), "ues": ues}}, seed, channel_s)


def settings_of(scenario: Mapping[str, Any], seed: int, channel_s: float | None = None) -> Data:
    """A run's settings of a scenario's nodes, links and radio.

    Args:
        channel_s: how far a channel is rendered, in seconds; None: as long as it is used.

    Raises:
        ScenarioError: a key is wrong; one line with key, value and what is allowed.
    """
    if scenario.get("radios"):
        raise ScenarioError("radio: key 'radios': hosts of Mininet have one radio network; remove the key")
    ue = next((name for name, node in scenario.get("nodes", {}).items() if node.get("kind", "ue") == "ue"), "")
    nothing = {"id": "command", "kind": "command", "node": ue, "argv": ["true"], "limit_s": channel_s}
    return validate({"format": 1, "id": "links/own", "seeds": [seed], "validity": {"queue_drops_allowed": True},
                     "traffic": [nothing], **scenario}, "radio").model_dump(mode="json", by_alias=True)


def _names(pairs: Sequence[Pair]) -> dict[str, str]:
    """What the hosts are called here: as they are where that is possible."""
    hosts = dict.fromkeys(end.host for pair in pairs for end in pair)
    return {host: host if _NAME.fullmatch(host) else f"ue-{i}" for i, host in enumerate(hosts, 1)}


def _renamed(radio: Data, likes: Mapping[str, str]) -> Data:
    """What else has names: of UEs, each with what is said of the one that it is like, and of the one eNB."""
    changed = copy.deepcopy(radio)
    for said in links.said_of_ues(changed):
        own = {ue: said[like] for ue, like in likes.items() if like in said}
        said.clear()
        said.update(own)
    for channel in links.channels_of(changed):
        if isinstance(route := channel.get("route"), dict) and isinstance(enbs := route.get("enbs"), dict) \
                and len(enbs) == 1:
            route["enbs"] = {_ENB: next(iter(enbs.values()))}
    if isinstance(events := changed.get("events"), list):
        changed["events"] = [event for told in events for event in _happening(told, likes)]
    return changed


def _happening(told: Any, likes: Mapping[str, str]) -> list[Any]:
    """What happens to a UE happens to all that are like it."""
    ue = told.get("ue") if isinstance(told, dict) else None
    return [{**told, "ue": other} for other, like in likes.items() if like == ue] or [told]


class Radio:
    """The radio daemon of one cell, which ends with the thread that starts it, however that ends."""

    def __init__(self, description: Description, seed: int = 1, results: Path | None = None,
                 channel_s: float | None = None) -> None:
        """
        Args:
            results: folder for trace and capture of the radio; None: there are none.
        """
        self.description, self.seed, self.results, self.channel_s = description, seed, results, channel_s
        self._settings: Data = {}
        self._celld: Process | None = None
        self._channel = contextlib.ExitStack()  # what renders while the daemon runs
        self._files: dict[str, IO[bytes]] = {}

    @property
    def running(self) -> bool:
        return self._celld is not None

    def settings(self, pairs: Sequence[Pair]) -> Data:
        """As settings() has them."""
        return settings(self.description, pairs, self.seed, self.channel_s)

    def start(self, pairs: Sequence[Pair]) -> None:
        """Make the interfaces of these pairs and join them by the radio.

        Raises:
            ScenarioError: a key is wrong.
            LabError: it cannot run here; then there are no interfaces.
        """
        settings = self.settings(pairs)
        self.start_between(settings, ports(pairs, settings), [end for pair in pairs for end in pair])

    def start_between(self, settings: Data, ports: list[dict[str, Any]], ends: Sequence[End]) -> None:
        """Make interfaces and join them by the radio.

        Args:
            settings: of a run, complete.
            ports: as celld has them.
            ends: those that users' packets come from.

        Raises:
            LabError: it cannot run here; then there are no interfaces.
        """
        native.check()
        self._settings = settings
        program = paths.programs()["celld"]
        with contextlib.ExitStack() as stack:
            folder = self._folder(stack)
            made = stack.enter_context(contextlib.ExitStack())
            if not has_end(self._settings):
                made.enter_context(channel_trace.Growing(folder, self._settings, self.seed, Path.cwd()))
            else:
                channel_trace.render(folder, self._settings, self.seed, Path.cwd())
            packet_trace.render(folder, self._settings, Path.cwd())
            (Inside(folder) / _CONFIG).write(json.dumps(self._config(ports, folder), indent=1))
            celld = start_ready(
                "celld", lambda fd: [program, "--config", str(folder / _CONFIG), "--ready-fd", str(fd)],
                folder / _LOG, process_group=0, umask=mode.OTHERS)  # a terminal's keys are not for it
            # Without results the folder goes now, so that nothing can be left of it.
            self._files = {name: (Inside(folder) / name).opened() for name in (_LOG, _STATS)}
            celld.log = Path(f"/proc/self/fd/{self._files[_LOG].fileno()}")
            self._channel = made.pop_all()
        self._celld = celld
        if realtime.wanted():
            realtime.pin(celld.popen.pid)
        for end in ends:
            _prepare(end)

    def _folder(self, stack: contextlib.ExitStack) -> Path:
        if self.results is None:
            return stack.enter_context(ledger.scratch())
        folder = Inside.named(self.results.resolve())
        for name in (_CONFIG, _LOG, _STATS, *_RECORDINGS):  # what the daemon opens must not be a link that lies there
            (folder / name).remove()
        return folder.path

    def _config(self, ports: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
        trace, pcap = (str(folder / name) for name in _RECORDINGS)
        kept = {"trace": trace, "pcap": pcap, "trace_detail": "full"}
        return radio_config.daemon(self._settings, folder, self.seed, ports, realtime.wanted(),
                                   0, {"stats": str(folder / _STATS), **(kept if self.results else {})})

    def stop(self) -> dict[str, Any]:
        """End the daemon, which is running, and with it the interfaces.

        Return: verdict and reasons, as the manifest of a run has them in `validity`.

        Raises:
            LabError: it had failed before.
        """
        assert self._celld is not None
        celld, self._celld = self._celld, None
        try:
            celld.stop()
            judged = _judged(json.loads(self._files[_STATS].read()), self._settings)
        finally:
            for file in self._files.values():
                file.close()
            self._channel.close()
        if self.results is not None:
            (Inside.named(self.results) / _VALIDITY).write(json.dumps(judged, indent=1) + "\n")
        return judged


def ports(pairs: Sequence[Pair], settings: Data) -> list[dict[str, Any]]:
    """celld's TUNs: of every UE, and of the node behind the eNB."""
    names, found = _names(pairs), []
    for pair in pairs:
        ue, far = names[pair.ue.host], names[pair.far.host]
        direct = settings["radio"]["ues"][ue]["peer"] == far
        for of, side, end in ((ue, "ue", pair.ue), (far if direct else ue, "ue" if direct else "network", pair.far)):
            found.append({"ue": of, "side": side, "netns": f"/proc/{end.pid}/ns/net", "ifname": end.interface,
                          "mtu": end.mtu, "ipv6": True})
    return found


def _prepare(end: End) -> None:
    """Have nothing but whole packets on the radio, and of IPv6 none that nobody asked for."""
    with in_netns(end.pid):
        offload.switch_off(end.interface, checksum=False)
        with contextlib.suppress(LabError):  # a kernel without IPv6, or an MTU that is too small for it
            ipv6.quieten(end.interface)


def _judged(stats: dict[str, Any], settings: Data) -> dict[str, Any]:
    """What there is to judge of a run that is the radio alone."""
    nothing: dict[str, Any] = {"links": [], "reread_mib": 0, "probe": {"lost": 0}, "capture_dropped": {}, "sysctls": {},
                               "offloads": {}, "congestion_control": {}, "workload_errors": {}}
    return validity.judge({**nothing, "radio": stats}, settings)
