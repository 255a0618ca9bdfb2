# SPDX-License-Identifier: GPL-2.0-or-later
"""A radio link for scripts of Mininet:

    from cellbed.mininet import RadioLink
    net.addLink(h1, h2, cls=RadioLink, radio='edge')

h1 is the UE then, and h2 stands behind the eNB. docs/howto/mininet.md has all that it does.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

try:
    from mininet.link import Link, TCIntf
    from mininet.log import error, warn
    from mininet.node import Controller, Node, Switch
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("cellbed.mininet needs Mininet; run `pip install 'cellbed[mininet]'`") from missing

from cellbed.error import CellbedError
from cellbed.link.radio import End, Pair, Radio, described, settings_of
from cellbed.link.translators import Translators
from cellbed.results.validity import in_words
from cellbed.run import address, core_network, radio_config
from cellbed.run.topology import MTU, RADIO_INTERFACE
from cellbed.run.xlat import at_ends, plan

__all__ = ["Cell", "Core", "RadioIntf", "RadioLink", "Xlat"]

_INTERFACE_NAME_MAX = 15
# Of the radio's interface beside that of the programs, where a link has translators.
_OF_IPV6 = "-6"
# Of a radio with IPv6. Source: RFC 8200 5
_MTU_MIN, _IPV6_MTU_MIN = 68, 1280


class Cell:
    """A cell that several links share: `cell = Cell('good')`, then `radio=cell` for each of them.

    A link that joins later, or leaves by net.delLink(), starts the radio again: what is on its way is lost. Addresses,
    routes and qdiscs of the others are as before, as far as Mininet or `ip route` know them.

    Attributes:
        validity: verdict and reasons once it has been stopped, as in the manifest of a run; None before.
    """

    def __init__(self, radio: str | Path | Mapping[str, Any] = "good", *, seed: int = 1,
                 results: str | Path | None = None, channel_s: float | None = None) -> None:
        """
        Args:
            radio: a link of `cellbed link` with its words, such as 'edge' or 'good rate 20mbit bler 0.1'; a scenario
                file; or the keys of a scenario's `radio`, in which `ues` has hosts by their names.
            seed: of all that is random in the radio.
            results: folder for radio.trace, radio.pcap and what the daemon counted; files of an earlier run are
                replaced.
            channel_s: how far a channel that varies is computed, in seconds, after which it stays as it is; None: as
                long as the cell runs.

        Raises:
            ScenarioError: the radio is none.
        """
        self.validity: dict[str, Any] | None = None
        self._radio = Radio(described(radio), seed, None if results is None else Path(results), channel_s)
        self._pairs: dict[RadioLink, Pair] = {}

    def join(self, link: RadioLink, pair: Pair) -> None:
        """Raises CellbedError, with the cell as it was before, when the link cannot be part of it."""
        before = dict(self._pairs)
        try:
            self._restart({**before, link: pair})
        except CellbedError:
            if before and not self._radio.running:
                self._restart(before)
            raise

    def leave(self, link: RadioLink) -> None:
        """End one link; the others go on."""
        left = {other: pair for other, pair in self._pairs.items() if other is not link}
        if self._radio.running and left:
            self._restart(left)
        elif not left:
            self.stop()
        self._pairs = left

    def stop(self) -> None:
        """End the radio of all links, and say so if it was not what it should have been."""
        atexit.unregister(self.stop)
        if self._radio.running:
            self.validity = _stopped(self._radio)

    def _restart(self, pairs: dict[RadioLink, Pair]) -> None:
        self._radio.settings(list(pairs.values()))  # what is wrong with a link disturbs no other
        kept = {link: link.routes() for link in self._pairs if link in pairs}
        if self._radio.running:
            self._radio.stop()
        self._pairs = {}
        self._radio.start(list(pairs.values()))
        self._pairs = pairs
        atexit.register(self.stop)
        for link, routes in kept.items():
            link.reinstate(routes)


def _stopped(radio: Radio) -> dict[str, Any] | None:
    """Stop a radio, and say so if it was not what it should have been. Return: its verdict; None where it failed."""
    try:
        validity = radio.stop()
    except CellbedError as failed:  # while Mininet takes down the rest
        error(f"*** Error: {failed}\n")
        return None
    if validity["reasons"]:
        warn(f"*** Warning: do not believe measurements of this radio: {in_words(validity['reasons'])}\n")
    return validity


class Core:
    """The radio of a scenario with a core network, whose nodes are hosts of the script, wires included.

    Attributes:
        validity: as that of a Cell.
    """

    def __init__(self, scenario: Mapping[str, Any], *, seed: int = 1, results: str | Path | None = None) -> None:
        """
        Args:
            scenario: its nodes, links and radio, by keys.
            seed, results: as Cell has them.

        Raises:
            ScenarioError: one of its keys is wrong.
        """
        self.validity: dict[str, Any] | None = None
        self._settings = settings_of(scenario, seed)
        self._radio = Radio(described(self._settings["radio"]), seed, None if results is None else Path(results))

    def start(self, net: Any) -> None:
        """Make `lte0` of each UE, and `gtp0` of the S-GW and of each eNB.

        Args:
            net: Mininet with a host for each node.

        Raises:
            LabError: it cannot run here.
        """
        ports = radio_config.ports(self._settings, {name: net[name].pid for name in self._settings["nodes"]})
        ues = {name: End(name, net[name].pid, RADIO_INTERFACE) for name in self._settings["radio"]["ues"]}
        self._radio.start_between(self._settings, ports, list(ues.values()))
        atexit.register(self.stop)
        for name, end in ues.items():
            four = address.of_version(address.interfaces(self._settings["nodes"][name]), 4)
            RadioIntf(end.interface, net[name], moveIntfFn=Link._ignore, ip=None if four is None else str(four))
        for name in core_network.tunnel_ends(self._settings):
            RadioIntf(core_network.TUNNEL_INTERFACE, net[name], moveIntfFn=Link._ignore)

    def stop(self) -> None:
        """End the radio, before the network."""
        atexit.unregister(self.stop)
        if self._radio.running:
            self.validity = _stopped(self._radio)


class Xlat:
    """464XLAT of a scenario whose nodes are hosts of the script: the CLAT of each UE, and the NAT64."""

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        """
        Args:
            scenario: its nodes, links and radio, by keys.

        Raises:
            ScenarioError: one of its keys is wrong.
        """
        self._wanted = plan(settings_of(scenario, 1))
        self._running: Translators | None = None

    def start(self, net: Any) -> None:
        """Make `clat` of each UE, and `nat64` where the servers' wires end, when the hosts have all else.

        Args:
            net: Mininet with a host for each node.

        Raises:
            LabError: it cannot run here.
        """
        self._running = Translators(self._wanted, {one.node: net[one.node].pid for one in self._wanted})
        self._running.start()

    def stop(self) -> None:
        """End them, before the network."""
        _end(self._running)
        self._running = None


def _end(translators: Translators | None) -> None:
    """End translators, if there are any, and say so if one had failed."""
    if translators is None:
        return
    try:
        translators.stop()
    except CellbedError as failed:  # while Mininet takes down the rest
        error(f"*** Error: {failed}\n")


class RadioIntf(TCIntf):
    """One end of a radio link: a TUN, which has addresses, an MTU and qdiscs, but no MAC."""

    def setMAC(self, macstr: str) -> str:  # noqa: N802 (Mininet's name, as those below)
        """Nothing: packets go over the radio without frames."""
        return ""

    def setIP(self, ipstr: str, prefixLen: int | None = None) -> str:  # noqa: N802, N803
        said: str = super().setIP(ipstr, prefixLen)
        if self.link is not None:
            self.link.introduce()
        return said

    def address(self) -> IPv4Interface | None:
        """Its address with the length of its prefix."""
        return None if self.ip is None else IPv4Interface(f"{self.ip}/{self.prefixLen}")

    def routes(self) -> list[str]:
        """Those that somebody has added, as `ip route` shows them; without colours, as a node's shell is a terminal."""
        lines = self.cmd("ip -color=never route show dev", self).splitlines()
        return [line.strip() for line in lines if line.strip() and "proto kernel" not in line]

    def reinstate(self, routes: list[str]) -> None:
        """Give an interface that is new what it had."""
        ip, length = self.ip, self.prefixLen
        self.config(**self.params)
        if ip is not None:
            self.setIP(ip, length)
        for route in routes:
            self.cmd("ip route replace", route, "dev", self)

    def delete(self) -> None:
        """It goes with the radio; here Mininet forgets it."""
        self.node.delIntf(self)
        self.link = None


class RadioLink(Link):
    """A radio between two hosts, for net.addLink(): the first one is the UE, the second stands behind the eNB.

    Over a link such as `d2d` both are UEs. It ends with link.stop(), net.stop() or the script, however that ends.
    """

    def __init__(self, node1: Node, node2: Node, radio: str | Path | Mapping[str, Any] | Cell = "good", *,
                 ue: Node | str | None = None, seed: int = 1, results: str | Path | None = None,
                 channel_s: float | None = None, mtu: int = MTU, xlat: bool = False, **params: Any) -> None:
        """
        Args:
            radio, seed, results, channel_s: as Cell has them; or a Cell, which has them for all its links.
            ue: which of the two nodes is the UE, the first one by default.
            mtu: of both interfaces in bytes, 68..1500.
            xlat: IPv6 only on the radio, and IPv4 for both hosts by 464XLAT, a translator at each. The radio's own
                interfaces, for which `mtu` is, are called `h1-eth0-6` then.
            params: those of Mininet's TCLink, such as params1={'ip': '10.0.0.1/24'}, intfName1, bw, delay.

        Raises:
            CellbedError: the radio is none, it cannot run here, or the nodes are not hosts.
        """
        if isinstance(radio, Cell) and (seed, results, channel_s) != (1, None, None):
            raise CellbedError("RadioLink: seed, results, channel_s: allowed those of the Cell")
        self._ue = _ue_of(node1, node2, ue)
        self._mtu, self._routes = mtu, dict[RadioIntf, IPv4Address]()
        self._xlat = xlat
        self._translators: Translators | None = None
        self.cell = radio if isinstance(radio, Cell) else Cell(radio, seed=seed, results=results, channel_s=channel_s)
        self.intf1: Any = None  # RadioIntf, from when Mininet has made it until the link has gone
        self.intf2: Any = None
        super().__init__(node1, node2, **{**params, "intf": RadioIntf, "cls1": RadioIntf, "cls2": RadioIntf,
                                          "addr1": None, "addr2": None, "fast": True})
        self.introduce()

    def makeIntfPair(self, intfname1: str, intfname2: str, addr1: None, addr2: None,  # noqa: N802
                     node1: Node, node2: Node, deleteIntfs: bool = False) -> None:  # noqa: N803
        """Have the radio make the interfaces in the namespaces of both nodes."""
        ends = [_radio_end(node, name, self._mtu, self._xlat)
                for node, name in ((node1, intfname1), (node2, intfname2))]
        pair = Pair(*(ends if self._ue is node1 else reversed(ends)))
        self.cell.join(self, pair)
        if self._xlat:
            try:
                self._translate(pair)
            except CellbedError:
                self.cell.leave(self)
                raise

    def _translate(self, pair: Pair) -> None:
        ends = [(end.host, end.interface.removesuffix(_OF_IPV6), end.interface, end.mtu) for end in pair]
        translators = Translators(at_ends(ends), {end.host: end.pid for end in pair})
        translators.start()
        self._translators = translators

    def introduce(self) -> None:
        """Let each end have a route to the other's address, where its own prefix does not lead there."""
        for own, far in ((self.intf1, self.intf2), (self.intf2, self.intf1)):
            if own is None or far is None or far.address() is None:
                continue
            known, ip = own.address(), far.address().ip
            if (before := self._routes.pop(own, ip)) != ip:
                own.cmd("ip route del", before, "dev", own)
            if known is None or ip not in known.network:
                own.cmd("ip route replace", ip, "dev", own)
                self._routes[own] = ip

    def routes(self) -> dict[RadioIntf, list[str]]:
        """Of both interfaces, those that somebody has added."""
        return {own: own.routes() for own in (self.intf1, self.intf2) if own is not None}

    def reinstate(self, routes: dict[RadioIntf, list[str]]) -> None:
        """Give interfaces that are new what they had; with translators they are the old ones."""
        if self._translators is not None:
            self._translators.turn()
            return
        for own, lines in routes.items():
            own.reinstate(lines)

    def delete(self) -> None:
        """End this link; others of its cell go on."""
        if self.intf1 is not None:
            self.cell.leave(self)
            _end(self._translators)
            self._translators = None
            super().delete()

    def stop(self) -> None:
        """End the radio, as with the network: that of all links of a cell."""
        self.cell.stop()
        self.delete()


def _ue_of(node1: Node, node2: Node, ue: Node | str | None) -> Node:
    """Raises CellbedError for nodes that cannot have a radio link, or a UE that is neither of them."""
    for node in (node1, node2):
        if isinstance(node, Switch | Controller):
            raise CellbedError(f"RadioLink: {node.name}: allowed hosts; a switch joins frames, and a radio has packets "
                               "without frames: put a host that routes in between")
    if ue is None:
        return node1
    for node in (node1, node2):
        if ue in (node, node.name):
            return node
    raise CellbedError(f"RadioLink: ue {ue}: allowed {node1.name}, {node2.name}")


def _radio_end(node: Node, interface: str, mtu: int, xlat: bool) -> End:
    """Args: interface: of the programs."""
    more, least, why = (_OF_IPV6, _IPV6_MTU_MIN, " with xlat") if xlat else ("", _MTU_MIN, "")
    longest = _INTERFACE_NAME_MAX - len(more)
    if len(interface) > longest:
        raise CellbedError(f"RadioLink: interface {interface}: allowed at most {longest} characters{why}; name "
                           "it with intfName1 or intfName2")
    if not least <= mtu <= MTU:
        raise CellbedError(f"RadioLink: mtu {mtu}: allowed {least}..{MTU}{why}")
    return End(node.name, node.pid, f"{interface}{more}", mtu)
