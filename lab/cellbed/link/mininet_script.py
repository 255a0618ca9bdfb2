# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario as a script for Mininet: its hosts, wires, radio links and traffic, by commands that anybody can type.

What the script does is what a run does with its nodes, as run/topology.py plans it; names of interfaces are the same.
"""

from __future__ import annotations

import pprint
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError, as_yaml
from cellbed.link import links
from cellbed.run import (
    address,
    congestion_control,
    core_network,
    inventory,
    ipv6,
    nodes,
    tcp_profile,
    topology,
    workload,
)
from cellbed.run.topology import Plan, PlannedNode
from cellbed.scenario.description import Run, points
from cellbed.scenario.dotted import set_key
from cellbed.scenario.file import read_yaml
from cellbed.scenario.model import Scenario
from cellbed_formats.printable import shown

Settings = dict[str, Any]

_SCRIPT = '''\
#!/usr/bin/env python3
"""{about}

Written by `cellbed topology --mininet` from the scenario {origin}.
Run it as root: `sudo python3 FILE` executes the traffic, `sudo python3 FILE cli` opens Mininet's command line instead.
"""

import os
import shlex
import sys
import tempfile
import time
from subprocess import DEVNULL

from mininet.cli import CLI
from mininet.log import info, setLogLevel
from mininet.net import Mininet

{imports}

# Of the scenario; what it does not say is as docs/reference/keys.md has it.
{constant} = {radio}

# Of each node: settings, routes and queues.
COMMANDS = {{
{commands}
}}

# Programs that serve the others: node, command.
SERVERS = [
{servers}
]

# What is run: start in seconds, node, command.
CLIENTS = [
{clients}
]


def build():
    """The network, not started, and its radio."""
    net = Mininet(controller=None)
{hosts}
{links}
    return net, radio


def configure(net):
    for node, commands in COMMANDS.items():
        for command in commands:
            said = net[node].cmd(command)
            if said:
                info(f'{{node}}: {{command}}: {{said}}')


def serve(node, argv):
    """Start a program and let it begin to listen."""
    def listening():
        return node.cmd('ss -Hltun')

    before, end = listening(), time.monotonic() + 2
    server = node.popen(argv, stdout=DEVNULL, stderr=DEVNULL)
    while listening() == before and time.monotonic() < end:
        time.sleep(0.05)
    return server


def run(net):
    """All of the traffic. Return: whether all of it went through."""
    servers = [serve(net[node], shlex.split(command)) for node, command in SERVERS]
    clients, begin = [], time.monotonic()
    for start_s, node, command in CLIENTS:
        time.sleep(max(0, begin + start_s - time.monotonic()))
        clients.append(net[node].popen(shlex.split(command), stdout=None, stderr=None))
    done = [client.wait() == 0 for client in clients]
    for server in servers:
        server.terminate()
    return all(done)


def main():
    setLogLevel('info')
    net, radio = build()
{made}    try:
        net.start()
        configure(net)
{begun}        if sys.argv[1:] == ['cli']:
            if not os.access(os.path.expanduser('~'), os.W_OK):
                os.environ['HOME'] = tempfile.mkdtemp()  # for Mininet's history
            CLI(net)
            return 0
        return 0 if run(net) else 1
    finally:
{ended}        radio.stop()
        net.stop()


if __name__ == '__main__':
    sys.exit(main())
'''


# What is there once more for a scenario with 464XLAT, when nodes have all else.
_XLAT = {"made": "    translators = Xlat(SCENARIO)\n", "begun": "        translators.start(net)\n",
         "ended": "        translators.stop()\n"}


def script(scenario: Scenario, run: Run) -> str:
    """The script for one run of a scenario, as text.

    Raises:
        ScenarioError: it has what Mininet's hosts cannot be.
    """
    settings = run.settings
    _check(settings)
    planned = topology.plan(settings)
    written = _written(scenario, run)
    core, xlat = core_network.sgw(settings) is not None, any("clat" in node for node in settings["nodes"].values())
    keys = ("nodes", "links", "radio", *(["tcp"] if xlat and "tcp" in written else []))  # routes have some of `tcp`
    described = {key: written[key] for key in keys} if core or xlat else written["radio"]
    of_radio = "SCENARIO['radio']" if xlat else "RADIO"
    calls = [*_wires(planned), f"radio = Core(SCENARIO, seed={run.seed})", "radio.start(net)"] if core else \
        [*_wires(planned), f"radio = Cell({of_radio}, seed={run.seed})", *_radio_links(settings)]
    return _SCRIPT.format(
        about=_prose(scenario.title or scenario.id),
        origin=_prose(f"{scenario.id}, variant {run.variant}, seed {run.seed}"),
        imports=f"from cellbed.mininet import {'Core' if core else 'Cell, RadioLink'}{', Xlat' if xlat else ''}",
        constant="SCENARIO" if core or xlat else "RADIO",
        radio=pprint.pformat(described, width=118, sort_dicts=False), **(_XLAT if xlat else dict.fromkeys(_XLAT, "")),
        commands="\n".join(_listing(node, settings) for node in planned.nodes),
        servers="\n".join(f"    {server!r}," for server in _servers(settings)),
        clients="\n".join(f"    {client!r}," for client in sorted(_clients(settings))),
        hosts="\n".join(f"    net.addHost({node.name!r}, ip=None)" for node in planned.nodes),
        links="\n".join(f"    {line}" for line in calls))


def _prose(text: str) -> str:
    """As a part of a docstring, which nothing in it ends."""
    return shown(text).replace("\\", "\\\\").replace('"', "'")


def _listing(node: PlannedNode, settings: Settings) -> str:
    lines = "".join(f"        {command!r},\n" for command in _commands(node, settings))
    return f"    {node.name!r}: [\n{lines}    ],"


def _check(settings: Settings) -> None:
    if settings.get("radios"):
        raise ScenarioError("key 'radios': not allowed in a script for Mininet, which has one radio network")
    for name, node in settings["nodes"].items():
        for key in ("machine", "internet", "netns"):
            if node.get(key):
                raise ScenarioError(as_yaml(f"key 'nodes.{name}.{key}': value {node[key]}: not allowed in a script for "
                                            "Mininet"))
    if tcp_profile.segmentation_offload(settings):
        raise ScenarioError("key 'tcp.segmentation_offload': value true: not allowed in a script for Mininet, whose "
                            "hosts send packet by packet")
    for key in ("cwnd_max_pkts", "cubic_beta"):
        if settings["tcp"][key] is not None:
            raise ScenarioError(f"key 'tcp.{key}': value {settings['tcp'][key]}: allowed null in a script for Mininet, "
                                "as neither a sysctl nor a route has it")


def _written(scenario: Scenario, run: Run) -> dict[str, Any]:
    """The scenario as it is written, for this run, with whole paths of its radio's files."""
    path = Path(run.file)
    data: dict[str, Any] = read_yaml(path)
    point = next(point for name, _, point in points(scenario, path) if name == run.variant)
    for key, value in point.items():
        set_key(data, key, value, path)
    links.name_files(data["radio"], path.parent)
    return data


def _wires(planned: Plan) -> Iterator[str]:
    for link in planned.links:
        first, second = link.ends
        yield _link((first.node, first.interface, _ipv4(first.addresses)),
                    (second.node, second.interface, _ipv4(second.addresses)),
                    f"addr1={first.mac!r}, addr2={second.mac!r}")


def _radio_links(settings: Settings) -> Iterator[str]:
    def own_ipv4(name: str) -> str | None:
        return _ipv4(list(map(str, address.interfaces(settings["nodes"][name]))))

    done: set[str] = set()
    for name, ue in settings["radio"]["ues"].items():
        if name in done:
            continue
        direct = not topology.behind_enb(settings, name)
        if direct and settings["radio"]["ues"][ue["peer"]]["peer"] != name:
            raise ScenarioError(f"key 'radio.ues.{name}.peer': value {ue['peer']}: allowed in a script for Mininet UEs "
                                "that are the peers of each other")
        done |= {name, ue["peer"]}
        far = (topology.RADIO_INTERFACE, own_ipv4(ue["peer"])) if direct else (topology.network_interface(name), None)
        yield _link((name, topology.RADIO_INTERFACE, own_ipv4(name)), (ue["peer"], *far), "cls=RadioLink, radio=radio")


def _ipv4(addresses: list[str]) -> str | None:
    """What Mininet gives an interface; those of IPv6 are among the commands."""
    return next((own for own in addresses if ":" not in own), None)


def _link(first: tuple[str, str, str | None], second: tuple[str, str, str | None], more: str) -> str:
    """A call of net.addLink(), of: node, interface, address."""
    words = [repr(first[0]), repr(second[0]), more]
    for number, (_, interface, own) in enumerate((first, second), 1):
        words.append(f"intfName{number}={interface!r}")
        if own is not None:
            words.append(f"params{number}={{'ip': {own!r}}}")
    return f"net.addLink({', '.join(words[:3])},\n                {', '.join(words[3:])})"


def _commands(node: PlannedNode, settings: Settings) -> Iterator[str]:
    """As nodes.configure() does it, in the words of ip, tc and sysctl."""
    for name, value in topology.sysctls(node, settings).items():
        setting = f"net.{name.replace('/', '.')}={' '.join(value.split())}"
        yield f"sysctl -qw {shlex.quote(setting)}"
    yield f"sysctl -qw 'net.ipv4.ping_group_range={nodes.ALL_GROUPS}'"
    for interface in node.shaping:
        yield f"ethtool -K {interface} tso off gso off gro off tx off >/dev/null"
        mtu = f" mtu {node.mtu[interface]}" if interface in node.mtu else ""
        yield f"ip link set {interface}{mtu} gso_max_segs 1"
    yield from _ipv6(node)
    for route in node.routes:
        yield f"ip route replace {' '.join(route)}"
    for neighbour in node.neighbours:
        yield f"ip neighbour replace {' '.join(neighbour)}"
    for interface, qdiscs in node.shaping.items():
        for qdisc in qdiscs:
            yield f"tc qdisc add dev {interface} {qdisc}"


def _ipv6(node: PlannedNode) -> Iterator[str]:
    """Addresses of IPv6, which Mininet gives none, and no others."""
    if not node.has_ipv6:
        return
    if node.forwards:
        yield "sysctl -qw net.ipv6.conf.all.forwarding=1"
    for interface, addresses in node.interfaces.items():
        for name, value in ipv6.settings_of(interface):
            yield f"sysctl -qw net.{name.replace('/', '.')}={value}"
        wired = interface in node.shaping
        if wired:
            yield f"ip link set {interface} arp off"
        for own in addresses:
            if ":" in own:
                yield f"ip address add {own} dev {interface} nodad{'' if wired else ' noprefixroute'}"


def _servers(settings: Settings) -> Iterator[tuple[str, str]]:
    for flow in settings["traffic"]:
        if flow["kind"] != "command":
            yield flow["to"], f"iperf3 -s -1 -p {flow['port']}"
        elif flow["background"]:
            yield flow["node"], _with_environment(flow, settings)


def _clients(settings: Settings) -> Iterator[tuple[float, str, str]]:
    """Transfers by iperf3, those of kind `stream` too; commands as they are."""
    for flow in settings["traffic"]:
        if flow["kind"] != "command":
            control = congestion_control.of_socket(settings, flow)
            source, sink = address.of_flow(settings, flow)
            words = [f"iperf3 -c {sink} -B {source}",
                     f"--cport {workload.client_port(flow)} -p {flow['port']} -i 1", *workload.amount(flow),
                     *([] if control is None else ["-C", control])]
            yield flow["start_s"], flow["from"], " ".join(words)
        elif not flow["background"]:
            yield flow["start_s"], flow["node"], _with_environment(flow, settings)


def _with_environment(flow: dict[str, Any], settings: Settings) -> str:
    """A command with the variables that a run gives it."""
    given = inventory.variables(settings, flow["node"]) | flow["environment"]
    return shlex.join(["env", *(f"{name}={value}" for name, value in given.items()), *flow["argv"]])
