# SPDX-License-Identifier: GPL-2.0-or-later
"""Links with a way out: through the radio to this machine's loopback, and to what its network reaches, by name."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from e2e import CELLBED, WIRED, cellbed, needs_native
from machine import descendants, own_part, wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces
from ssh_server import SshServer, can_serve_ssh

from cellbed.host import programs

pytestmark = [pytest.mark.lab, needs_native, needs_an_ordinary_user, needs_user_namespaces,
              pytest.mark.skipif(shutil.which("pasta") is None, reason="needs pasta, of the package passt")]

PAGE_BYTES = 1_000_000
# A name server for which every name is one address.
NAMES = """
import socket
at = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
at.bind(("203.0.113.53", 53))
while True:
    query, who = at.recvfrom(512)
    end = query.index(b"\\0", 12) + 5
    answers = query[end - 4:end - 2] == b"\\0\\1"  # type A
    answer = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4" + bytes([203, 0, 113, 80])
    head = query[:2] + b"\\x81\\x80\\0\\1\\0" + bytes([answers]) + bytes(4)
    at.sendto(head + query[12:end] + answer * answers, who)
"""
LOOK = "curl -sS http://base:8000/here && curl -sS http://www.example.net/there && cat /etc/resolv.conf && " \
    "curl -sS -o /dev/null -w '%{size_download} %{speed_download}\\n' http://base:8000/page"


def serve(folder, address, port, *before):
    return subprocess.Popen([*before, sys.executable, "-m", "http.server", str(port), "--bind", address, "--directory",
                             folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def listens(address, port):
    return subprocess.run(["curl", "-s", "-o", "/dev/null", f"http://{address}:{port}/"], check=False).returncode == 0


def make_repository(path):
    """As a web server hands it out, file by file."""
    author = ["-c", "user.name=a", "-c", "user.email=a@example.net"]
    tree = path.with_suffix("")
    for words in (["init", "-q", tree], [*author, "-C", tree, "commit", "-q", "--allow-empty", "-m", "the first"],
                  ["clone", "-q", "--bare", tree, path], ["-C", path, "update-server-info"]):
        subprocess.run(["git", *words], check=True)


@pytest.fixture(scope="module")
def ssh_server():
    """That of the far host; None where there is none to install."""
    if not can_serve_ssh():
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="cellbed-ssh-", dir="/tmp"))
    folder.chmod(0o755)
    yield SshServer(folder, "203.0.113.80")
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def outside(tmp_path_factory, ssh_server):
    """A machine of its own: services on its loopback, a default route, and beyond it a host with names and pages."""
    folder = tmp_path_factory.mktemp("outside")
    for name, text in (("here", "on the loopback\n"), ("there", "far away\n"), ("page", "x" * PAGE_BYTES)):
        (folder / name).write_text(text)
    (folder / "page.html").write_text("<p id=a>before<script>a.textContent = 'made by a script'</script>")
    make_repository(folder / "project.git")
    (folder / "resolv.conf").write_text("nameserver 127.0.0.53\nnameserver 203.0.113.53\nsearch example.net\n")
    with own_part():
        far = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
        inside = ["nsenter", "--net", f"--target={far.pid}"]
        wait_until(lambda: os.readlink(f"/proc/{far.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "the far host")
        for words in (f"link add out0 type veth peer name in0 netns {far.pid}", "address add 203.0.113.2/24 dev out0",
                      "address add 2001:db8:113::2/64 dev out0 nodad", "link set out0 up",
                      "route add default via 203.0.113.1", "route add default via 2001:db8:113::1"):
            subprocess.run(["ip", *words.split()], check=True)
        for words in ("link set lo up", "address add 203.0.113.1/24 dev in0", "address add 203.0.113.53/24 dev in0",
                      "address add 203.0.113.80/24 dev in0", "address add 2001:db8:113::1/64 dev in0 nodad",
                      "address add 2001:db8:113::80/64 dev in0 nodad", "link set in0 up"):
            subprocess.run([*inside, "ip", *words.split()], check=True)
        subprocess.run(["mount", "--bind", folder / "resolv.conf", "/etc/resolv.conf"], check=True)
        try:
            serve(folder, "127.0.0.1", 8000)
            serve(folder, "::1", 8000)
            serve(folder, "203.0.113.80", 80, *inside)
            serve(folder, "2001:db8:113::80", 80, *inside)
            subprocess.Popen([*inside, sys.executable, "-c", NAMES])
            if ssh_server is not None:
                subprocess.Popen([*inside, *ssh_server.command], stderr=subprocess.DEVNULL)
            wait_until(lambda: all(listens(*at) for at in (("127.0.0.1", 8000), ("[::1]", 8000), ("203.0.113.80", 80),
                                                           ("[2001:db8:113::80]", 80))), "services")
            yield
        finally:
            subprocess.run(["umount", "/etc/resolv.conf"], check=True)
            subprocess.run(["ip", "link", "delete", "out0"], check=True)


@pytest.fixture(scope="module")
def user():
    he = Ordinary()
    yield he
    he.remove()


def forwarding():
    """What this machine does with other machines' packets."""
    settings = Path("/proc/sys/net/ipv4")
    rules = subprocess.run(["nft", "list", "ruleset"], capture_output=True, text=True, check=True).stdout \
        if shutil.which("nft") else ""
    return (settings / "ip_forward").read_text(), (settings / "conf/all/forwarding").read_text(), rules


@pytest.mark.parametrize("who", ["root", "ordinary"])
def test_to_the_loopback_and_out_by_name(outside, user, who, tmp_path):
    before, running = forwarding(), set(descendants())
    options = user.options if who == "ordinary" else {"cwd": tmp_path}
    done = cellbed("link", "good", "rate", "10mbit", "--internet", "--", "sh", "-c", LOOK, **options)
    here, there, names, search, measured = done.stdout.splitlines()
    assert (here, there) == ("on the loopback", "far away")
    assert (names, search) == ("nameserver 203.0.113.53", "search example.net")
    size, speed = map(int, measured.split())
    assert size == PAGE_BYTES and speed < 10e6 / 8
    assert forwarding() == before
    assert set(descendants()) <= running


LOOK6 = "curl -sS http://base6:8000/here && curl -sS http://[2001:db8:113::80]/there"


@pytest.mark.parametrize("who", ["root", "ordinary"])
@pytest.mark.parametrize(("words", "both"), [(["good"], True), (["good", "--ipv6-only"], False), (["train"], True)])
def test_over_ipv6(outside, user, who, words, both, tmp_path):
    options = user.options if who == "ordinary" else {"cwd": tmp_path}
    look = f"{LOOK6} && curl -sS http://base:8000/here" if both else LOOK6
    done = cellbed("link", *words, "--internet", "--", "sh", "-c", look, **options)
    assert done.stdout.splitlines() == ["on the loopback", "far away", *(["on the loopback"] if both else [])]


@pytest.mark.skipif(programs.find("tayga") is None, reason="needs tayga")
@pytest.mark.parametrize(("who", "link"), [("root", "good"), ("ordinary", "good"), ("ordinary", "train")])
def test_over_ipv4_from_a_radio_of_ipv6(outside, user, who, link, tmp_path):
    """Names by UDP, and pages, by 464XLAT. Datagrams of pasta have no checksum, which IPv6 needs."""
    options = user.options if who == "ordinary" else {"cwd": tmp_path}
    look = "curl -sS http://base:8000/here && curl -4 -sS http://www.example.net/there && curl -sS " \
        "http://203.0.113.80/there && curl -sS http://[2001:db8:113::80]/there && ip -4 -o address show dev lte0"
    done = cellbed("link", link, "--internet", "--464xlat", "--", "sh", "-c", look, **options)
    assert done.stdout.splitlines() == ["on the loopback", *["far away"] * 3]


@pytest.mark.parametrize("who", ["root", "ordinary"])
def test_from_a_namespace_that_is_there(outside, user, who, tmp_path):
    options = user.options if who == "ordinary" else {"cwd": tmp_path}
    new = ["unshare", *(["--user", "--map-root-user"] if who == "ordinary" else []), "--net"]
    container = subprocess.Popen([*new, "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE, **options)
    try:
        container.stdout.readline()
        done = cellbed("link", "good", "--internet", "--pid", container.pid, "--", "sh", "-c",
                       f"{LOOK6} && curl -sS http://base:8000/here", **options)
        assert done.stdout.splitlines() == ["on the loopback", "far away", "on the loopback"]
    finally:
        container.kill()
        container.communicate()


def status_of(pid):
    return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())


def test_pasta_of_root_is_nobody(outside, tmp_path):
    """Its privileges are in a user namespace of its own, of which this machine's root is no user."""
    running = set(descendants())
    link = subprocess.Popen([CELLBED, "link", "--internet", "--", "sh", "-c", "curl -sS base:8000/here; read end"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert link.stdout.readline() == "on the loopback\n"
    (pasta,) = (pid for pid, said in descendants(running).items() if said.startswith(shutil.which("pasta")))
    account = pwd.getpwnam("nobody")
    status = status_of(pasta)
    assert status["Uid"].split() == [str(account.pw_uid)] * 4 and status["Gid"].split() == [str(account.pw_gid)] * 4
    assert status["Groups"].split() == []
    assert os.readlink(f"/proc/{pasta}/ns/user") != os.readlink("/proc/self/ns/user")
    assert Path(f"/proc/{pasta}/uid_map").read_text().split()[1:] == [str(account.pw_uid), "1"]
    link.communicate("")
    assert link.returncode == 1  # of read, at the end of its input


# What each program says when it has got through.
EVERYDAY = {
    "curl": ("curl -sS -o video http://www.example.net/page && wc -c < video", str(PAGE_BYTES)),
    "git": ("git clone -q http://www.example.net/project.git && git -C project log --format=%s", "the first"),
    "ssh": ("./ssh runner@www.example.net 'wc -c' < video", f"welcome\n{PAGE_BYTES}"),
    "chromium-headless-shell": ("chromium-headless-shell --no-sandbox --disable-gpu --user-data-dir=profile --dump-dom "
                                "http://www.example.net/page.html 2>browser.log | grep -o 'made by a script<'",
                                "made by a script<"),
}


@pytest.mark.parametrize("link", ["edge", "train"])
def test_programs_of_every_day(outside, user, ssh_server, link):
    """A download, a repository, an upload by SSH, a page with a script in a browser."""
    there = {name for name in EVERYDAY if shutil.which(name) and (name != "ssh" or ssh_server is not None)}
    if missing := EVERYDAY.keys() - there:
        pytest.skip(f"not installed here: {', '.join(sorted(missing))}, or a server of SSH")
    folder = user.folder / link
    folder.mkdir()
    ssh_server.let_in(folder, user.account.pw_uid)
    shutil.chown(folder, user.account.pw_uid)
    script = "; ".join(command for command, _ in EVERYDAY.values())
    done = cellbed("link", link, "--internet", "--", "sh", "-c", script, **{**user.options, "cwd": folder})
    assert done.stdout == "".join(f"{said}\n" for _, said in EVERYDAY.values())


def test_over_a_core_network(outside, user):
    done = cellbed("link", "train", "--internet", "--", "curl", "-sS", "http://www.example.net/there", **user.options)
    assert done.stdout == "far away\n"


def test_two_ues_at_once(outside, user):
    """Each has the answers to what it asked, whichever version of passt this is."""
    (user.folder / "two.yaml").write_text(WIRED)
    script = "echo ready; read go; curl -sS -o got-$CELLBED_NODE -w '%{size_download}' http://base:8000/page; sleep 1"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, **user.options}
    both = []
    for words in (["link", "two.yaml", "--set", "tcp.receive_window=null", "--internet"], ["shell", "ue2"]):
        both.append(subprocess.Popen([CELLBED, *words, "--", "sh", "-c", script], **pipes))
        assert both[-1].stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[0] for process in both] == [str(PAGE_BYTES)] * 2


def test_the_scenario_that_it_stands_for(command):
    text = command("link", "good", "--internet", "--generate", "--", "true", check=True).stdout
    assert "    internet: true\n" in text and "machine" not in text


@pytest.mark.parametrize(("words", "said"), [
    (["d2d", "--internet"], "link: --internet: allowed in links with a server"),
    (["--internet", "--serve", "true"], "--internet: the far end is this machine's network"),
    (["--internet", "--lab", "virtual"], "--internet: the virtual lab is not on this machine's network"),
    (["--set", "nodes.server.internet=true", "--serve", "true", "--lab", "virtual"],
     "key 'nodes.server.internet': value true: allowed in the native lab only"),
    (["--set", "nodes.server.internet=true"], "key 'nodes.server.internet': value true: with machine: true the"),
])
def test_what_does_not_fit_is_one_line(words, said):
    done = cellbed("link", *words, "--", "true", check=False)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert said in done.stderr


def test_what_is_missing_is_one_line(tmp_path):
    """On a machine without pasta, and on one that has no way out itself."""
    for name in ("true", "ip", "unshare", "iperf3"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = cellbed("link", "--internet", "--", "true", check=False, env={**os.environ, "PATH": str(tmp_path)})
    assert done.stderr.endswith("needs pasta; install it with `apt-get install passt`\n")
    with own_part():
        done = cellbed("link", "--internet", "--", "true", check=False)
        only = cellbed("link", "--internet", "--ipv6-only", "--", "true", check=False)
    assert done.stderr.endswith("this machine has no way out itself, that is, no default route of IPv4\n")
    assert only.stderr == "cellbed: --ipv6-only: this machine has no way out over IPv6; leave it out\n"
