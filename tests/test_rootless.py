# SPDX-License-Identifier: GPL-2.0-or-later
"""Links without root: what an ordinary user sees, and root who wants none of his powers in it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from e2e import CELLBED, bundles, captured, cellbed
from machine import nothing_left, wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces
from test_behind_a_link import Terminal

from cellbed_formats.trace import read_trace

pytestmark = [pytest.mark.lab, needs_an_ordinary_user, needs_user_namespaces]

# The connection stays for a while, so that the sampler of a busy machine sees its end.
FETCH = "import http.client, time; to = http.client.HTTPConnection('base'); to.request('GET', '/page'); " \
    "print(to.getresponse().read().decode()); time.sleep(0.5)"
LOOK = "id -un; pwd; grep CapEff /proc/self/status; ps -e | wc -l; ping -c 2 base; " \
    f'python3 -c "{FETCH}"; sleep 1; exit 7'


@pytest.fixture(scope="module")
def user():
    he = Ordinary()
    yield he
    he.remove()


@pytest.fixture(scope="module")
def looked(user):
    """What a command saw behind a link that an ordinary user has kept, and the bundle."""
    served = user.folder / "served"
    served.mkdir()
    (served / "page").write_text("x" * 300_000)
    done = cellbed("link", "good", "--serve-folder", served, "--results", user.folder / "kept", "--", "sh", "-c", LOOK,
                   check=False, **user.options)
    assert done.returncode == 7, done.stdout + done.stderr
    return done.stdout, next(iter(bundles(user.folder / "kept").values()))


def test_the_command_is_the_user_without_privileges(user, looked):
    name, folder, capabilities, processes, *rest = looked[0].splitlines()
    assert (name, folder) == ("nobody", str(user.folder))
    assert capabilities.split()[1] == "0" * 16
    assert int(processes) < 20  # those of the link alone
    assert "2 received" in looked[0]
    assert len(rest[-1]) == 300_000


def test_the_bundle_is_whole_and_says_how_it_was_sampled(looked):
    bundle = looked[1]
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert manifest["rootless"] == {"probe": "tcpsample", "interval_ms": 10}
    assert manifest["scheduling"]["policy"] == "other"
    assert captured(bundle, "ue1") > 200 and captured(bundle, "server") > 200
    assert {path.name for path in bundle.iterdir()} & {"rootless", "nodes.json", "attach.json"} == set()
    samples = read_trace(bundle / "tcp.trace", "tcp")
    assert set(samples["kind"].cast(str)) == {"sample"}
    sender = samples.filter(sport=80)
    assert sender["snd_cwnd"].max() >= 10 and sender["mss"].max() == 1448
    assert 15_000 < sender["srtt_us"].max() < 1_000_000
    assert 200 < sender["delivered"].max() < 230  # segments of the page and its header


def test_what_became_of_its_segments(looked, command):
    """By captures and the radio's trace, without a probe of segments."""
    told = command("why", looked[1], "--keep-going", check=True).stdout
    assert "RTT" in told and "downlink and decoding" in told


def started(user, *command, **options):
    process = subprocess.Popen([CELLBED, "link", "--serve", "true", "--", *command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **{**user.options, **options})
    assert process.stdout.readline() == "ready\n"
    return process


def test_signals_and_visitors(user):
    """While a link is open one may enter its nodes, and a signal reaches its command."""
    with nothing_left(deadline_s=5):
        process = started(user, "bash", "-c",
                          "trap 'echo got it; exit 9' USR1; echo ready; while :; do sleep 0.2; done")
        visit = cellbed("shell", "--pid", process.pid, "ue1", "--", "sh", "-c",
                        "id -un; ping -c 1 base; pwd; grep CapEff /proc/self/status; exit 3", check=False,
                        **user.options)
        assert visit.returncode == 3, visit.stderr
        assert visit.stdout.startswith("nobody\n") and "1 received" in visit.stdout
        assert visit.stdout.endswith(f"{user.folder}\nCapEff:\t{'0' * 16}\n")
        process.send_signal(signal.SIGUSR1)
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out) == (9, "got it\n")


def test_killed_nothing_of_it_lives_on(user):
    """Not even what has left its session; and nobody has to clean up but the files."""
    with nothing_left(deadline_s=2):
        process = started(user, "sh", "-c", "setsid sleep 99999 & echo ready; wait")
        process.kill()
        process.communicate(timeout=40)
        assert "scratch folder" in cellbed("clean", **user.options).stdout


@pytest.mark.parametrize("end", ["typed", "closed"])
def test_a_shell_on_a_terminal(user, end):
    with nothing_left(deadline_s=10):
        person = Terminal("link", "good", "--serve", "true", before=user.become, env=user.environment)
        person.until("[good] ")
        person.type("sh -c 'echo $((6*7)); exec sleep 1000'\n")
        person.until("42\r\n")
        person.type("\x03")
        person.until("[good] ")
        if end == "typed":
            person.type("exit 5\n")
            assert person.status() == 5
        else:
            person.type("sleep 1000\n")
            os.close(person.fd)
            os.waitpid(person.pid, 0)


def test_root_has_it_on_request():
    done = cellbed("link", "--rootless", "--serve", "true", "--", "sh", "-c", "cat /proc/self/uid_map; ping -c 1 base")
    assert done.stdout.split()[:3] == ["0", "0", "1"]
    assert "1 received" in done.stdout


# What a command of root's finds that it may do, a line each. Its own namespaces give it nothing over those of the link.
TRIED = r"""
import os, pathlib, subprocess
status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    if held := int(status[name], 16) & ~int(os.environ.get("MAY", "0")):
        print("has", name, hex(held))
for top in ("/proc/sys", "/sys"):
    for folder, _, files in os.walk(top):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            if os.access(path, os.W_OK):
                print("may write", path)
def ends_well(what, *words):
    if subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        print(what)
setting, own = "/proc/sys/net/ipv4/tcp_sack", ("unshare", "--user", "--map-root-user", "--mount")
ends_well("writes a sysctl", "sh", "-c", f"echo 0 >{setting}")
ends_well("asks for an emergency", "sh", "-c", ": >>/proc/sysrq-trigger")
ends_well("writes a sysctl after umount", *own, "sh", "-c", f"umount /proc/sys && echo 0 >{setting}")
ends_well("writes a sysctl after remount", *own, "sh", "-c", f"mount -o remount,rw,bind /proc/sys && echo 0 >{setting}")
ends_well("writes a sysctl in a new /proc", *own, "--pid", "--fork", "sh", "-c",
          f"mount -t proc proc /proc && echo 0 >{setting}")
ends_well("changes its interface", "ip", "link", "set", "lo", "mtu", "1000")
networks = {os.readlink("/proc/self/ns/net")}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        network = os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        network = None
    if network not in networks:
        ends_well(f"enters {network} of {pid}", "nsenter", f"--net=/proc/{pid}/ns/net", "true")
        ends_well(f"enters {network} of {pid} as its own root", *own, "nsenter", f"--net=/proc/{pid}/ns/net", "true")
try:
    open("/proc/1/mem", "rb").close()
    print("may read /proc/1/mem")
except OSError:
    pass
print("tried")
"""


def test_a_command_of_root_has_none_of_his_powers(tmp_path):
    """Nor has a visitor, nor what the far end serves, but that it may have a low port."""
    (tmp_path / "tried.py").write_text(TRIED)
    tried = f"{sys.executable} {tmp_path}/tried.py"
    link = subprocess.Popen([CELLBED, "link", "--rootless", "--serve", f"sh -c 'MAY=1024 {tried} >served; sleep 1000'",
                             "--results", tmp_path / "kept", "--", "sh", "-c", f"{tried}; echo ready; cat"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    behind = [link.stdout.readline(), link.stdout.readline()]
    visited = cellbed("shell", "--pid", link.pid, "ue1", "--", "sh", "-c", tried).stdout
    (served,) = (tmp_path / "kept").glob(".tmp-*/served")
    wait_until(lambda: "tried" in served.read_text(), "what the far end may do")
    at_far_end = served.read_text()
    link.communicate("")
    assert (behind, visited, at_far_end) == (["tried\n", "ready\n"], "tried\n", "tried\n")


def test_a_ping_without_rights_of_its_own(user):
    """As Debian 13's: a copy has no capability of its file."""
    copy = user.folder / "ping"
    shutil.copyfile(shutil.which("ping"), copy)
    copy.chmod(0o755)
    done = cellbed("link", "good", "--serve", "true", "--", copy, "-c", "1", "base", **user.options)
    assert "1 received" in done.stdout


def refused(*words, command=cellbed, **options):
    """The one line of a command that does not start."""
    done = command("link", *words, "--serve", "true", "--", "true", **options)
    assert done.returncode == 125 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("cellbed: ").rstrip()


def controls(which):
    return set(Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control").read_text().split())


def test_what_is_missing_or_wrong_is_one_line(user, command):
    for name in sorted(controls("available") - controls("allowed")):
        said = refused("cc", name, check=False, **user.options)
        if name in controls("available"):  # one of BPF goes with the test that loaded it
            assert said.startswith(f"congestion control {name}: this host does not allow it")
    assert refused("--set", "tcp.receive_window=64KiB", check=False, **user.options) == \
        "key 'tcp.receive_window': value 65536: only root can load the probe that sets it; allowed null, or run as root"
    assert refused("--user", "nobody", "--rootless", command=command).startswith(
        "--user nobody: another user does not exist in a lab without root")
    assert refused("--rootless", "--lab", "virtual", command=command).startswith(
        "--rootless: the virtual lab needs no root; leave it out, or add --lab native")
    other = Ordinary(tun_mode=0o600)
    try:
        said = refused(check=False, **other.options)
    finally:
        other.remove()
    assert re.match(r"/dev/net/tun: mode 0600: a link without root needs 0666, which `sudo chmod 0666", said)
