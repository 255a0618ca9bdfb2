# SPDX-License-Identifier: GPL-2.0-or-later
"""How programs of the guest reach its kernel: by the signal of a seccomp filter, or traced by ptrace."""

import contextlib
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from lab_kernel import KINDS, VERSIONS, boot, cached, started

HERE = Path(__file__).parent
# System calls of x86-64.
PTRACE, SECCOMP = "101", "317"
# Time, randomness, processes, threads, faults, signals and floating point.
MUCH = """python3 -c '
import os, signal, subprocess, threading, time
print(os.urandom(8).hex(), time.time_ns(), os.getpid())
page = bytearray(1 << 24); page[::4096] = bytes(len(page) // 4096)
seen = []
threads = [threading.Thread(target=lambda k=k: (time.sleep(0.01 * k), seen.append(k / 3))) for k in range(5)]
[t.start() for t in threads]; [t.join() for t in threads]
print(seen, time.monotonic_ns())
print(subprocess.run(["bash", "-c", "kill -SEGV $$"]).returncode, subprocess.run(["true"]).returncode)
signal.signal(signal.SIGALRM, lambda *_: print("alarm", time.monotonic_ns()))
signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()
'; cat /proc/uptime"""


@pytest.fixture(scope="module")
def deny(tmp_path_factory):
    if platform.machine() != "x86_64":
        pytest.skip("numbers of system calls are those of x86-64")
    built = tmp_path_factory.mktemp("deny") / "deny"
    subprocess.run([shutil.which("gcc"), "-O1", "-Wall", "-o", built, HERE / "deny.c"], check=True)
    return built


@pytest.mark.parametrize("version", VERSIONS[:1])
def test_both_give_the_same(version, deny, tmp_path):
    """As it is started, without filters, where they are forbidden, where tracing is: also the clock's nanoseconds."""
    ways = {"by itself": (version, ()), "switched off": (f"{version} ptrace", ()),
            "no filters": (version, (deny, SECCOMP)), "no tracing": (version, (deny, PTRACE))}
    said = {name: boot(cached(kind), tmp_path, MUCH, before=before)[0] for name, (kind, before) in ways.items()}
    assert "alarm" in said["by itself"] and "-11 0" in said["by itself"]
    assert set(said.values()) == {said["by itself"]}, said


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != VERSIONS[0]])
def test_where_tracing_is_forbidden_the_others_do_not_start(kind, deny, tmp_path):
    with pytest.raises(AssertionError, match="ptrace"):
        boot(cached(kind), tmp_path, "true", before=(deny, PTRACE))


def user_ticks(pid):
    """Of a process of the guest, which may have ended meanwhile."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


@contextlib.contextmanager
def computing(kind, folder):
    """A guest whose only program computes. Yields: the ids of its kernel and of that program, here."""
    with started(cached(kind), folder, "while :; do :; done") as guest:
        deadline = time.monotonic() + 30
        children = Path(f"/proc/{guest.pid}/task/{guest.pid}/children")
        while True:
            if busy := [pid for pid in children.read_text().split() if user_ticks(pid) > 20]:
                break
            assert time.monotonic() < deadline and guest.poll() is None
            time.sleep(0.1)
        yield guest.pid, int(busy[0])


def status(pid):
    return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)


@pytest.mark.parametrize("version", VERSIONS[:1])
def test_in_seccomp_mode_a_program_has_a_filter_one_socket_and_the_memory(version, tmp_path):
    with computing(version, tmp_path) as (_, program):
        assert {name: status(program)[name] for name in ("Seccomp", "NoNewPrivs", "TracerPid")} == {
            "Seccomp": "2", "NoNewPrivs": "1", "TracerPid": "0"}
        socket, memory = sorted((os.readlink(fd) for fd in Path(f"/proc/{program}/fd").iterdir()), reverse=True)
        assert socket.startswith("socket:")
        assert memory in Path(f"/proc/{program}/maps").read_text()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != VERSIONS[0]])
def test_otherwise_the_kernel_traces_it(kind, tmp_path):
    with computing(kind, tmp_path) as (kernel, program):
        assert status(program)["TracerPid"] == str(kernel)
