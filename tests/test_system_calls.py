# SPDX-License-Identifier: GPL-2.0-or-later
"""How many system calls the programs of a run make: they are what a virtual lab costs, and their number is exact."""

import os
import re
import shlex
import shutil
import sys
from collections import Counter

import pytest
import yaml
from e2e import WIRED, bundles, cellbed, needs_native
from soak import Silent

from cellbed import paths
from cellbed.description import expand
from cellbed.sweep import Sweep

pytestmark = [pytest.mark.lab,
              pytest.mark.skipif(shutil.which("strace") is None, reason="strace counts, and is not installed")]
SECONDS = 2
SUBFRAMES = 1000 * SECONDS
_CALL = re.compile(r"(\w+)\(")


def scenario(folder, **flow):
    """A server behind an eNB that sends to a UE at what its link carries, 30 Mbit/s, with all captures."""
    made = yaml.safe_load(WIRED)
    del made["nodes"]["ue2"], made["radio"]["ues"]["ue2"]
    made["radio"]["ues"]["ue1"]["cqi_dl"] = 12
    made["tcp"] = {"congestion_control": "reno"}
    made["traffic"] = [{"id": "down", "kind": "stream", "from": "server", "to": "ue1", "duration_s": SECONDS, **flow}]
    path = folder / "calls.yaml"
    path.write_text(yaml.safe_dump(made))
    return path


def calls_of(trace, since=None):
    """Calls in what strace has written of a process, from the one called @since on."""
    names = [match[1] for line in trace.read_text(errors="replace").splitlines() if (match := _CALL.match(line))]
    return Counter(names[names.index(since):] if since is not None else names)


def is_program(trace, program):
    return re.search(rf'^execve\("[^"]*/{program}"', trace.read_text(errors="replace"), re.MULTILINE)


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """What strace in the guest writes of each process of a run: a function of the scenario."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nmount -t hostfs -o /proc/self/cwd hostfs /mnt\nmkdir /mnt/calls\n"
                      f'exec strace -ff -q -s 0 -e signal=none -o /mnt/calls/of {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))

    def play(path):
        model, (run,) = expand(path, seeds=[1])
        (outcome,) = Sweep(model, [], tmp_path / "results", "virtual", "6.12", Silent()).play([run], 1)
        assert outcome.error is None
        return outcome.manifest, sorted((outcome.path / "calls").iterdir())

    return play


def test_of_a_stream_with_everything_switched_on(traces, tmp_path):
    """celld: a call and a clock read a wake-up, and one wake-up a sub-frame."""
    manifest, of = traces(scenario(tmp_path))
    assert manifest["validity"]["verdict"] == "valid"
    (celld,) = (calls_of(one) for one in of if is_program(one, "celld"))
    assert celld["io_uring_enter"] > SUBFRAMES / 2  # the test can fail
    assert celld.total() < 3 * SUBFRAMES, celld
    for program in ("tcpwatch", "ipdump"):
        (calls,) = (calls_of(one) for one in of if is_program(one, program))
        assert calls.total() < SUBFRAMES, calls
    (sender,) = (calls_of(one, "connect") for one in of if "TCP_NOTSENT_LOWAT" in one.read_text())
    (receiver,) = (calls_of(one, "recvfrom") for one in of if "MSG_WAITALL" in one.read_text())
    blocks = 25_000_000 / 8 * SECONDS / 16384
    assert sender.total() < blocks and receiver.total() < blocks, (sender, receiver)


@needs_native
def test_of_celld_in_the_native_lab(tmp_path):
    """There reading the clock is no system call."""
    build = tmp_path / "build"
    for name, program in paths.PROGRAMS.items():
        mine = build / program.relative_to(paths.BUILD)
        mine.parent.mkdir(parents=True)
        mine.symlink_to(program)
        if name == "celld":
            mine.unlink()
            mine.write_text('#!/bin/sh\nexec strace -D -f -qq -c -o "$(dirname "$2")/celld.calls" '  # --config FILE
                            f'{shlex.quote(str(program))} "$@"\n')
            mine.chmod(0o755)
    cellbed("run", scenario(tmp_path), "--lab", "native", "--results", tmp_path / "r",
            env={**os.environ, "CELLBED_BUILD": str(build)})
    (bundle,) = bundles(tmp_path / "r").values()
    rows = [line.split() for line in (bundle / "celld.calls").read_text().splitlines()]
    calls = Counter({row[-1]: int(row[3]) for row in rows if row[3:] and row[3].isdigit() and row[-1] != "total"})
    assert calls["io_uring_enter"] > SUBFRAMES / 2
    assert calls.total() < 3 * SUBFRAMES, calls
