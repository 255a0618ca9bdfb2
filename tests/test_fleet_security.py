# SPDX-License-Identifier: GPL-2.0-or-later
"""A fleet on a network with others: they reach nothing without its key. Head and neighbour are network namespaces."""

import os
import re
import socket
import ssl
import subprocess
import sys

import pytest
from e2e import CELLBED, needs_native
from machine import wait_until
from test_fleet import address_in, running

from cellbed.error import CellbedError
from cellbed.sweep import fleet_key

HEAD, NEIGHBOUR = "10.99.0.1", "10.99.0.2"
MEMBERS = 3  # that listen: scheduler, worker, the worker's nanny


def within(holder, *command):
    return ["nsenter", f"--net=/proc/{holder}/ns/net", *map(str, command)]


@pytest.fixture
def two():
    """Processes whose namespaces are those of two machines on one wire."""
    holders = [subprocess.Popen(["unshare", "--net", "sleep", "600"]) for _ in range(2)]
    try:
        head, neighbour = (holder.pid for holder in holders)
        own = os.readlink("/proc/self/ns/net")
        wait_until(lambda: all(os.readlink(f"/proc/{pid}/ns/net") != own for pid in (head, neighbour)), "namespaces")
        subprocess.run(within(head, "ip", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns",
                              neighbour), check=True)
        for pid, address in ((head, HEAD), (neighbour, NEIGHBOUR)):
            commands = f"link set lo up\nlink set wire up\naddress add {address}/24 dev wire\n"
            subprocess.run(within(pid, "ip", "-batch", "-"), input=commands, text=True, check=True)
        yield head, neighbour
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


def listening(namespace):
    """(address, port) of every listening socket."""
    out = subprocess.run(within(namespace, "ss", "-Htln"), capture_output=True, text=True, check=True).stdout
    return [tuple(re.fullmatch(r"(.*):(\d+)", line.split()[3]).groups()) for line in out.splitlines()]


def fleet(stack, tmp_path, head, scheme, host, *key):
    """A scheduler and a worker. Return: address of the scheduler."""
    file = tmp_path / "scheduler.json"
    quiet = {"stderr": subprocess.DEVNULL}
    stack.enter_context(running(within(head, CELLBED, "scheduler", "--host", host, "--port", "0", "--scheduler-file",
                                       file, *key), **quiet))
    address = address_in(file)
    assert address.startswith(f"{scheme}://{host}:")
    stack.enter_context(running(within(head, CELLBED, "worker", address, "--workers", "1", "--folder", tmp_path / "w",
                                       *key), **quiet))
    wait_until(lambda: join(head, address, *key[1:]), "a worker", 300)
    wait_until(lambda: len(listening(head)) == MEMBERS, "the end of Dask's pages")
    return address


JOIN = """
import os, sys
from distributed import Client
from cellbed.sweep import fleet_key
security = fleet_key.security(sys.argv[2]) if len(sys.argv) > 2 else None
with Client(sys.argv[1], timeout=5, security=security) as client:
    client.wait_for_workers(1, timeout=30)
    print("executed", client.submit(os.getpid, pure=False).result(timeout=30))
"""


def join(namespace, *words):
    """Whether code from a namespace runs on the worker."""
    done = subprocess.run(within(namespace, sys.executable, "-c", JOIN, *words), capture_output=True, text=True,
                          timeout=100, check=False)
    return "executed" in done.stdout


KNOCK = """
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
for port in sys.argv[2:]:
    try:
        with socket.create_connection((sys.argv[1], int(port)), 5) as plain, context.wrap_socket(plain) as wrapped:
            print(wrapped.recv(1) or b"")
    except OSError as error:
        print(type(error).__name__)
"""


def knock(namespace, host, ports):
    """What comes back of connections in TLS without a certificate, port by port: bytes, or an error's name."""
    return subprocess.run(within(namespace, sys.executable, "-c", KNOCK, host, *ports), capture_output=True, text=True,
                          timeout=100, check=True).stdout.split()


@needs_native
@pytest.mark.lab
def test_without_a_key_nothing_listens_beyond_loopback(two, tmp_path, stack):
    head, neighbour = two
    address = fleet(stack, tmp_path, head, "tcp", "127.0.0.1")
    found = listening(head)
    assert {host for host, _ in found} == {"127.0.0.1"}
    assert knock(neighbour, HEAD, [port for _, port in found]) == ["ConnectionRefusedError"] * MEMBERS
    assert not join(neighbour, address.replace("127.0.0.1", HEAD))
    assert join(head, address)  # the test can fail


@needs_native
@pytest.mark.lab
def test_a_neighbour_without_the_key_is_refused(two, tmp_path, stack):
    head, neighbour = two
    key, other = tmp_path / "fleet.pem", tmp_path / "other.pem"
    for path in (key, other):
        fleet_key.make(path)
    address = fleet(stack, tmp_path, head, "tls", HEAD, "--key", key)
    found = listening(head)
    assert {host for host, _ in found} == {HEAD}
    ports = [port for _, port in found]
    assert set(knock(neighbour, HEAD, ports)) <= {"SSLError", "ConnectionResetError"}
    assert not join(neighbour, address, other)
    assert not join(neighbour, address.replace("tls://", "tcp://"))
    assert join(neighbour, address, key)  # the test can fail


# Takes as many connections as it may have files, and keeps them; with TLS it begins to shake hands, or not.
CROWD = """
import resource, socket, sys
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
host, port, count, said = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), bytes.fromhex(sys.argv[4])
held = []
for _ in range(count):
    held.append(socket.create_connection((host, port), 20))
    held[-1].sendall(said)
print("held", flush=True)
sys.stdin.read()
"""


@needs_native
@pytest.mark.lab
@pytest.mark.parametrize("said", ["", "16030100", "00" * 8], ids=["nothing", "half a hello", "zeros"])
@pytest.mark.parametrize("scheme", ["tls", "tcp"])
def test_a_crowd_without_a_handshake_stops_no_member(two, tmp_path, stack, scheme, said):
    """Though the scheduler has no files for all of it; from the member's own address, too, as of another user."""
    head, neighbour = two
    key, file = tmp_path / "fleet.pem", tmp_path / "scheduler.json"
    fleet_key.make(key)
    words = ["--key", key] if scheme == "tls" else []
    host, there = (HEAD, neighbour) if scheme == "tls" else ("127.0.0.1", head)
    few = ["prlimit", "--nofile=1024:1024", CELLBED]
    stack.enter_context(running(within(head, *few, "scheduler", "--host", host, "--port", "0", "--scheduler-file", file,
                                       *words), stderr=subprocess.DEVNULL))
    address = address_in(file)
    stack.enter_context(running(within(head, CELLBED, "worker", address, "--workers", "1", "--folder", tmp_path / "w",
                                       *words), stderr=subprocess.DEVNULL))
    wait_until(lambda: join(there, address, *words[1:]), "a worker", 300)
    crowd = stack.enter_context(subprocess.Popen(
        within(there, sys.executable, "-c", CROWD, host, address.rpartition(":")[2], 1500, said),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    stack.callback(crowd.kill)
    assert crowd.stdout.readline() == "held\n"
    assert join(there, address, *words[1:])


@pytest.mark.parametrize("words", [
    ["worker", "tcp://192.0.2.1:8786"], ["sweep", "SHORT", "--scheduler", "tcp://192.0.2.1:8786"],
    ["run", "SHORT", "--scheduler", "tcp://0.0.0.0:8786"], ["scheduler", "--host", "192.0.2.1"],
    ["scheduler", "--host", "0.0.0.0"], ["scheduler", "--host", "::"], ["worker", "tls://127.0.0.1:8786"],
    ["worker", "inproc://x:1"], ["worker", "tcp://127.0.0.1:99999"], ["worker", "head"],
    ["worker", "tcp://127.0.0.1:1", "--key", "KEY"], ["worker", "tls://127.0.0.1:1", "--key", "OPEN"],
    ["worker", "tls://127.0.0.1:1", "--key", "WRONG"], ["scheduler", "--key", "OPEN"], ["fleet-key", "KEY"],
    ["worker", "tcp://no.such.host.invalid:1"], ["scheduler", "--key", "nowhere"]])
def test_what_would_be_open_to_others_is_refused(scenario, tmp_path, command, words):
    files = {name: tmp_path / name for name in ("KEY", "OPEN", "WRONG")}
    for path in files.values():
        fleet_key.make(path)
    files["OPEN"].chmod(0o640)
    files["WRONG"].write_text("no key")
    files["SHORT"] = scenario
    done = command(*(files.get(word, word) for word in words))
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert files["KEY"].stat().st_mode & 0o777 == 0o600


def test_a_key_is_for_both_ends(tmp_path):
    """Not only the server shows a certificate: who has none, or another, gets nothing."""
    for name in ("a", "b"):
        fleet_key.make(tmp_path / name)
    context = fleet_key.security(tmp_path / "a").get_listen_args("worker")["ssl_context"]
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert fleet_key.security(tmp_path / "a").require_encryption
    with pytest.raises(CellbedError, match="mode 0644: allowed one of user"):
        (tmp_path / "b").chmod(0o644)
        fleet_key.security(tmp_path / "b")


def test_the_address_towards_loopback_is_loopback():
    assert fleet_key.address_towards("127.0.0.1", 1) == "127.0.0.1"
    assert fleet_key.address_towards(socket.gethostbyname("localhost"), 1) == "127.0.0.1"
