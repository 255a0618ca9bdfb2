# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio links in scripts of Mininet, as its users write them, and scenarios as such scripts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from e2e import ROOT, bundles, cellbed, needs_native
from machine import nothing_left, own_part
from test_xlat import CLIENT, SERVER, said

from cellbed.host import programs
from cellbed_formats.packet import ip_packets
from cellbed_formats.pcap_file import read_records

needs_tayga = pytest.mark.skipif(programs.find("tayga") is None, reason="needs tayga")
MNEXEC = pytest.mark.skipif(shutil.which("mnexec") is None, reason="mnexec is of the package `mininet`")
pytestmark = [pytest.mark.lab, MNEXEC]

HEAD = """
import json, sys, time
from mininet.log import setLogLevel
from mininet.net import Mininet
from cellbed.mininet import Cell, RadioLink
Mininet.inited = True  # its init() would raise limits of the whole machine
setLogLevel('warning')
net = Mininet(controller=None)
told = {}
"""

# One link by one line, then a cell of two UEs with a wire behind it, and what cannot be.
NATIVE = HEAD + """
from mininet.node import Switch
h1, h2 = net.addHost('h1'), net.addHost('h2')
link = net.addLink(h1, h2, cls=RadioLink, radio='good rate 5mbit', results='results', bw=10)
one, two = net.addHost('one', ip='10.1.0.1/24'), net.addHost('Two', ip='10.1.0.2/24')
far = net.addHost('far', ip='10.2.0.1/24')
web = net.addHost('web', ip='10.2.0.2/24', defaultRoute='via 10.2.0.1')
cell = Cell({'n_rb': 25, 'ues': {'one': {'cqi_dl': 9}}})
net.addLink(far, web)
first = net.addLink(one, far, cls=RadioLink, radio=cell)
net.addLink(far, two, cls=RadioLink, radio=cell, ue='Two', mtu=1400)
d1, d2 = net.addHost('d1'), net.addHost('d2')
direct = net.addLink(d1, d2, cls=RadioLink, radio='d2d')
refused = {}
for name, call in {
    'switch': lambda: net.addLink(h1, Switch('s1'), cls=RadioLink),
    'ue': lambda: net.addLink(h1, h2, cls=RadioLink, ue='h9'),
    'name': lambda: net.addLink(h1, h2, cls=RadioLink, intfName1='a-name-beyond-15'),
    'mtu': lambda: net.addLink(h1, h2, cls=RadioLink, mtu=9000),
    'cell': lambda: net.addLink(h1, far, cls=RadioLink, radio=cell, seed=2),
    'twice': lambda: net.addLink(one, far, cls=RadioLink, radio=cell),
}.items():
    try:
        call()
    except Exception as error:
        refused[name] = f'{type(error).__name__}: {error}'
net.start()
for ue in (one, two):
    ue.setDefaultRoute(ue.defaultIntf())
far.cmd('sysctl -w net.ipv4.ip_forward=1')
told = {
    'refused': refused,
    'interfaces': {host.name: host.cmd('ip -color=never -br link').split() for host in net.hosts},
    'routes': {host.name: host.cmd('ip -color=never route').splitlines() for host in net.hosts},
    'queues': h1.cmd('tc qdisc show dev h1-eth0'), 'mtu': two.cmd('ip link show dev Two-eth0'),
    'losses': {'link': net.ping([h1, h2]), 'direct': net.ping([d1, d2]), 'cell': net.ping([one, web]),
               'ues': net.ping([one, two]), 'other': net.ping([two, web])},
}
h2.cmd('iperf3 -s -D -1')
told['iperf3'] = json.loads(h1.cmd('iperf3 -J -t 3 -c', h2.IP()))['end']['sum_received']['bits_per_second']
h1.setIP('10.0.7.7', 8)
told['readdressed'] = h2.cmd('ping -c 1 -W 5 10.0.7.7')
net.delLink(first)
told['others'] = net.ping([two, web])
told['gone'] = one.cmd('ip -color=never -br link')
net.stop()
told['verdicts'] = [each.cell.validity['verdict'] for each in (link, direct)] + [cell.validity['verdict']]
json.dump(told, open('told.json', 'w'))
"""


def run(script, folder, **options):
    """A script in a folder, as its user runs it. Return: the finished process."""
    path = folder / "script.py"
    path.write_text(script)
    return subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True, timeout=120, check=False,
                          **options)


def errors(done):
    """What a script printed as errors, without what a busy machine adds."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if "do not believe measurements of this radio" not in line).lstrip("\n")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """What the script saw, the folder it worked in, and what it left on the machine."""
    folder = tmp_path_factory.mktemp("native")
    with own_part() as left:
        done = run(NATIVE, folder)
        assert done.returncode == 0, done.stderr
        still = left(30)
    return json.loads((folder / "told.json").read_text()), folder, still


@needs_native
class TestNative:
    def test_nothing_is_left(self, executed):
        assert executed[2] == []

    def test_interfaces_are_mininets(self, executed):
        interfaces = executed[0]["interfaces"]
        assert {name for name, said in interfaces.items() if f"{name}-eth0" in said} >= {"h1", "h2", "one", "Two", "d1"}
        assert {"far-eth1", "far-eth2"} <= set(interfaces["far"])
        assert "mtu 1400" in executed[0]["mtu"]

    def test_packets_go_over_each_link(self, executed):
        assert executed[0]["losses"] == dict.fromkeys(("link", "direct", "cell", "ues", "other"), 0)

    def test_a_transfer_has_the_rate_of_the_radio(self, executed):
        assert 3e6 < executed[0]["iperf3"] < 5.5e6

    def test_routes_to_ues_behind_one_host(self, executed):
        assert {"10.1.0.1 dev far-eth1 scope link", "10.1.0.2 dev far-eth2 scope link"} <= \
            {route.strip() for route in executed[0]["routes"]["far"]}
        assert [route.split()[0] for route in executed[0]["routes"]["h1"]] == ["10.0.0.0/8"]

    def test_queues_of_mininet_come_before_the_radio(self, executed):
        assert "htb" in executed[0]["queues"]

    def test_an_address_may_change(self, executed):
        assert "1 received" in executed[0]["readdressed"]

    def test_a_link_that_goes_leaves_the_others(self, executed):
        assert executed[0]["others"] == 0
        assert "one-eth0" not in executed[0]["gone"] and "lo" in executed[0]["gone"]

    def test_results_are_those_of_the_radio(self, executed):
        folder = executed[1] / "results"
        assert {path.name for path in folder.iterdir()} == {"celld.json", "log", "radio.json", "radio.pcap",
                                                            "radio.trace", "validity.json"}
        assert (folder / "radio.pcap").stat().st_size > 1_000_000
        assert json.loads((folder / "validity.json").read_text())["verdict"] == executed[0]["verdicts"][0]

    def test_what_cannot_be_is_said(self, executed):
        refused = executed[0]["refused"]
        assert refused == {
            "switch": "CellbedError: RadioLink: s1: allowed hosts; a switch joins frames, and a radio has packets "
                      "without frames: put a host that routes in between",
            "ue": "CellbedError: RadioLink: ue h9: allowed h1, h2",
            "name": "CellbedError: RadioLink: interface a-name-beyond-15: allowed at most 15 characters; name it with "
                    "intfName1 or intfName2",
            "mtu": "CellbedError: RadioLink: mtu 9000: allowed 68..1500",
            "cell": "CellbedError: RadioLink: seed, results, channel_s: allowed those of the Cell",
            "twice": "ScenarioError: radio: one - far: one: allowed one link for each UE of a cell"}


# A cell with two UEs, both with translators, of which one leaves.
XLAT = HEAD + """
import os, signal, subprocess
one, two = net.addHost('one', ip='10.1.0.1/24'), net.addHost('two', ip='10.1.0.2/24')
far = net.addHost('far', ip='10.1.0.9/24')
cell = Cell('good')
net.addLink(far, two, cls=RadioLink, radio=cell, xlat=True, ue=two)
first = net.addLink(one, far, cls=RadioLink, radio=cell, xlat=True)
refused = {}
for name, options in {'mtu': {'mtu': 1000}, 'name': {'intfName1': 'a-name-of-14-c'}}.items():
    try:
        net.addLink(one, far, cls=RadioLink, xlat=True, **options)
    except Exception as error:
        refused[name] = f'{type(error).__name__}: {error}'
net.start()
far.cmd('sysctl -w net.ipv4.ip_forward=1')
seen = one.popen('tcpdump', '-Zroot', '-i', 'one-eth0-6', '-w', 'seen.pcap', stderr=subprocess.PIPE, text=True)
assert 'listening' in seen.stderr.readline()
server = far.popen(sys.executable, 'server.py')
client = one.popen(sys.executable, 'client.py', env={**os.environ, 'CELLBED_BASE': '10.1.0.9'}, text=True)
told = {'refused': refused, 'said': client.communicate()[0], 'ues': net.ping([one, two])}
seen.send_signal(signal.SIGINT)
seen.wait()
server.kill()
net.delLink(first)
told |= {'gone': one.cmd('ip -color=never -br link'), 'other': net.ping([two, far])}
net.stop()
json.dump(told, open('told.json', 'w'))
"""


@needs_native
@needs_tayga
def test_ipv4_over_ipv6(tmp_path):
    """Packets of every kind and size, with nothing but IPv6 on the radio, also of a UE when another one has left."""
    for name, text in (("server.py", SERVER), ("client.py", CLIENT)):
        (tmp_path / name).write_text(text)
    with nothing_left():
        done = run(XLAT, tmp_path)
    assert (done.returncode, errors(done)) == (0, "")
    told = json.loads((tmp_path / "told.json").read_text())
    assert told.pop("said") == said(1472, 1472).replace("192.0.0.4 10.45.0.1", "10.1.0.1 10.1.0.1")
    assert [line.split()[0] for line in told.pop("gone").splitlines()] == ["lo"]
    assert told == {"ues": 0, "other": 0, "refused": {
        "mtu": "CellbedError: RadioLink: mtu 1000: allowed 1280..1500 with xlat",
        "name": "CellbedError: RadioLink: interface a-name-of-14-c: allowed at most 13 characters with xlat; name it "
                "with intfName1 or intfName2"}}
    packets = ip_packets(read_records(tmp_path / "seen.pcap")).frame
    assert len(packets) > 200 and set(packets["version"]) == {6} and 1472 + 20 <= packets["ip_bytes"].max() <= 1500


@needs_native
@needs_tayga
def test_ipv4_over_ipv6_between_two_ues(tmp_path):
    """Over a link such as d2d neither end is a network, and both translate."""
    script = HEAD + """
h1, h2 = net.addHost('h1'), net.addHost('h2')
net.addLink(h1, h2, cls=RadioLink, radio='d2d', xlat=True)
net.start()
print(h1.cmd('ping -c 3 -i 0.2', h2.IP()), h2.cmd('ping -c 3 -i 0.2', h1.IP()))
print(h1.cmd('ip -4 address show h1-eth0-6'))
net.stop()
"""
    with nothing_left():
        done = run(script, tmp_path)
    assert done.returncode == 0 and done.stdout.count(" 3 received") == 2
    assert "inet " not in done.stdout  # the radio's own interface has IPv6 only


FOREVER = HEAD + """
h1, h2 = net.addHost('h1'), net.addHost('h2')
net.addLink(h1, h2, cls=RadioLink, xlat=len(sys.argv) > 1)
net.start()
print('ready', flush=True)
time.sleep(1000)
"""


@needs_native
@pytest.mark.parametrize("options", [[], pytest.param(["xlat"], marks=needs_tayga)])
@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_however_a_script_ends_nothing_is_left(tmp_path, sig, options):
    with nothing_left():
        script = subprocess.Popen([sys.executable, "-c", FOREVER, *options], cwd=tmp_path, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        assert script.stdout.readline() == "ready\n"
        script.send_signal(sig)
        assert script.wait(30) != 0
        script.stdout.close()


@needs_native
@needs_tayga
def test_a_translator_that_dies_is_told(tmp_path):
    script = HEAD + """
import os, signal
h1, h2 = net.addHost('h1'), net.addHost('h2')
link = net.addLink(h1, h2, cls=RadioLink, xlat=True)
net.start()
process = link._translators._started[0].popen
os.kill(process.pid, signal.SIGKILL)
process.wait()
net.stop()
"""
    with nothing_left():
        done = run(script, tmp_path)
    assert done.returncode == 0 and errors(done).startswith("*** Error: tayga: it ended before the link did: ")


@needs_native
def test_a_daemon_that_dies_is_told_and_the_network_still_stops(tmp_path):
    script = HEAD + """
import os, signal
h1, h2 = net.addHost('h1'), net.addHost('h2')
link = net.addLink(h1, h2, cls=RadioLink)
net.start()
os.kill(link.cell._radio._celld.popen.pid, signal.SIGKILL)
net.stop()
print(link.cell.validity)
"""
    with nothing_left():
        done = run(script, tmp_path)
    assert done.returncode == 0 and done.stdout == "None\n"
    assert "celld: was ended by SIGKILL" in done.stderr


GUEST = HEAD + """
h1, h2 = net.addHost('h1'), net.addHost('h2')
link = net.addLink(h1, h2, cls=RadioLink, radio='good rate 5mbit', results=sys.argv[1])
net.start()
begin = time.monotonic()
h2.cmd('iperf3 -s -D -1')
said = json.loads(h1.cmd('iperf3 -J -t 5 -c', h2.IP()))
print(json.dumps([time.monotonic() - begin, said['end']['sum_received']['bits_per_second']]))
net.stop()
print(link.cell.validity['verdict'])
"""


def test_in_a_guest_it_runs_in_virtual_time_and_again_the_same(tmp_path):
    """No root is needed for this, on any machine; in the guest the script is root."""
    (tmp_path / "script.py").write_text(GUEST)
    said = [cellbed("guest", "--", sys.executable, "script.py", name, cwd=tmp_path).stdout for name in ("a", "b")]
    numbers, verdict = said[0].splitlines()
    took_s, rate_bps = json.loads(numbers)
    assert said[0] == said[1] and verdict == "valid"
    assert 5 < took_s < 7 and 3e6 < rate_bps < 5.1e6
    traces = [(tmp_path / name / "radio.pcap").read_bytes() for name in ("a", "b")]
    assert traces[0] == traces[1] and len(traces[0]) > 500_000


def test_a_guest_passes_through_what_its_command_does(tmp_path):
    done = cellbed("guest", "--memory", "300MiB", "--", "sh", "-c",
                   "unshare --net true && cat && head -1 /proc/meminfo && exit 7", input="typed\n", check=False,
                   cwd=tmp_path)
    assert (done.returncode, done.stderr) == (7, "")
    typed, memory = done.stdout.splitlines()
    assert typed == "typed" and 200_000 < int(memory.split()[1]) < 300 * 1024
    wrong = cellbed("guest", "--memory", "3", "--", "true", check=False)
    assert wrong.returncode == 125 and "key 'memory': value 3: allowed 268435456.." in wrong.stderr
    assert cellbed("guest", "--", "no-such-program", check=False).returncode == 127


LOOK = "for what in 'ip route' 'ip -br address' 'tc qdisc' 'sysctl net.ipv4'; do $what; done 2>/dev/null"
SAME = """
format: 1
id: same
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
  ue2: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio: {n_rb: 25, ues: {ue1: {peer: enb, cqi_dl: 9}, ue2: {peer: enb}}}
tcp: {profile: paper, congestion_control: reno, receive_window: 64KiB, mss: 1460}
traffic:
  - {id: down, from: server, to: ue1, bytes: 1MB}
""" + "".join(f"""
  - {{id: {node}, kind: command, node: {node}, start_s: 1, argv: [sh, -c, "exec >$SEEN/{node}; {LOOK}"]}}
""" for node in ("server", "enb", "ue1", "ue2"))


# The same with 464XLAT at one of the UEs, and a ping through the translators.
SAME_XLAT = SAME.replace("ue1: {address: 10.45.0.1/24}",
                         'ue1: {address: "2001:db8:45::1/64", clat: "2001:db8:45::c1a7", nat64: 10.47.0.1/24}') \
    .replace("{id: down, from: server, to: ue1, bytes: 1MB}",
             "{id: down, kind: command, node: server, argv: [ping, -c1, 10.47.0.1]}")


def seen(folder):
    """By node, what it has: routes, addresses, queues and settings."""
    return {path.name: path.read_text().splitlines() for path in folder.iterdir()}


@needs_native
@pytest.mark.parametrize("scenario", [SAME, pytest.param(SAME_XLAT, marks=needs_tayga)], ids=["plain", "xlat"])
def test_a_scenario_as_a_script_has_the_same_network(tmp_path, scenario):
    (tmp_path / "same.yaml").write_text(scenario)
    folders = [tmp_path / name for name in ("run", "mininet")]
    for folder in folders:
        folder.mkdir()
    cellbed("run", tmp_path / "same.yaml", "--lab", "native", "--results", tmp_path / "results",
            env={**os.environ, "SEEN": str(folders[0])})
    script = cellbed("topology", "--mininet", tmp_path / "same.yaml").stdout
    with nothing_left():
        done = run(script.replace("    net = Mininet(", "    Mininet.inited = True\n    net = Mininet(", 1), tmp_path,
                   env={**os.environ, "SEEN": str(folders[1])})
    assert done.returncode == 0, done.stdout + done.stderr
    of_run, of_script = map(seen, folders)
    assert set(of_run) == {"server", "enb", "ue1", "ue2"}
    assert of_script == of_run
    assert any("window 65536 advmss 1460" in line for line in of_run["ue1"])
    if scenario is SAME_XLAT:
        assert " 1 received" in done.stdout and any("default dev clat" in line for line in of_script["ue1"])
        return
    (bundle,) = bundles(tmp_path / "results").values()
    assert json.loads((bundle / "down.iperf3.json").read_text())["end"]["sum_sent"]["bytes"] == 1_000_000
    assert " 977 KBytes" in done.stdout and "receiver" in done.stdout


def test_mininets_command_line_on_the_nodes_of_a_link(tmp_path):
    """What a command line of `cellbed link` stands for, as a script."""
    scenario = cellbed("link", "good", "rtt", "20ms", "--lab", "virtual", "--generate", "--", "true").stdout
    (tmp_path / "link.yaml").write_text(scenario)
    (tmp_path / "script.py").write_text(cellbed("topology", "--mininet", tmp_path / "link.yaml").stdout)
    done = cellbed("guest", "--", sys.executable, "script.py", "cli", cwd=tmp_path,
                   input="ue1 ping -c 1 server\nserver ip -br address\nexit\n")
    said = done.stdout + done.stderr
    assert "1 received" in said and "eth0" in said and "Traceback" not in said


def test_a_core_network_as_a_script(tmp_path):
    """In a guest, which has the delays of its wires: a handover, and one path switched."""
    script = cellbed("topology", "--mininet", ROOT / "scenarios/handover-pacifico/quick.yaml").stdout
    (tmp_path / "script.py").write_text(script.replace("Core(SCENARIO, seed=1)", "Core(SCENARIO, results='radio')")
                                        .replace(" -t 5'", " -t 4'"))
    done = cellbed("guest", "--", sys.executable, "script.py", cwd=tmp_path)
    assert done.stdout.count("iperf Done.") == 2, done.stdout + done.stderr
    counted = json.loads((tmp_path / "radio/radio.json").read_text())
    assert (counted["handovers"], counted["path_switches"]) == (1, 1)
    assert json.loads((tmp_path / "radio/validity.json").read_text())["verdict"] == "valid"


def test_a_host_with_two_radios_uses_both(tmp_path):
    """The script of docs/howto/mininet.md, which prints what came over each."""
    page = (ROOT / "docs/howto/mininet.md").read_text()
    (script,) = re.findall(r"cat >phone.py <<'END'\n(.*?)END\n", page, re.DOTALL)
    (tmp_path / "phone.py").write_text(script)
    said = cellbed("guest", "--", sys.executable, "phone.py", cwd=tmp_path).stdout
    over = [int(number) for number in re.findall(r"'(\d+)'", said)]
    assert len(over) == 2 and min(over) > 500_000 and 5_000_000 < sum(over) < 6_000_000, said
