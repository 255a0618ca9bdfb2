# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts that say what they should not: each is named and dropped, and the others run what it had."""

import json
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_ssh_frames import HOSTILE, MEASURED, changed, written

from cellbed.error import CellbedError
from cellbed.run import memory
from cellbed.sweep import receive, remote_run, shipped, ssh, ssh_frames
from cellbed.sweep.execute import Outcome
from cellbed.sweep.ssh_frames import BEGINNING, Advanced, Ended, Ready

FACTS = {"celld": "1"}
READY = Ready(facts=FACTS, cpus=2, free_mib=1 << 20)
# A host as it should be, which fails each run after a while.
GOOD = f"""
import pickle, sys, time
from cellbed.sweep import ssh_frames
sys.stdin.buffer.readline()
sys.stdin.buffer.read(1)
sys.stdout.buffer.write(ssh_frames.BEGINNING)
ssh_frames.say(sys.stdout.buffer, ssh_frames.Ready(facts={FACTS!r}, cpus=2, free_mib=1 << 20))
while (frame := ssh_frames.hear(sys.stdin.buffer, ssh_frames.OF_CLIENT)) is not None:
    if isinstance(frame[0], ssh_frames.Execute):
        ssh_frames.say(sys.stdout.buffer, ssh_frames.Failed(run=pickle.load(frame[1]), error="executed"))
"""


class Sweep:
    """Of some runs, and what became of them."""

    def __init__(self, folder):
        self.results, self.observer, self.told = folder / "results", self, []

    def bundle(self, run):
        return SimpleNamespace(run=run)

    def cached(self, bundle):
        return None

    def advanced(self, run, done_s, all_s):
        self.told.append(done_s)

    def finished(self, run, outcome):
        self.told.append(outcome.error)

    def execute(self, hosts, runs):
        return hosts.execute(self, [SimpleNamespace(settings={}) for _ in range(runs)])


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Folder with an `ssh` to hosts that are scripts there."""
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "ssh").write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nexec sh "{folder}/$2"\n')
    (folder / "ssh").chmod(0o755)
    (folder / "good.py").write_text(GOOD)
    (folder / "good").write_text(f'exec "{sys.executable}" -P "{folder}/good.py"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote_run, "facts", lambda _: FACTS)
        patch.setattr(shipped, "archive", lambda _: b"x")
        patch.setattr(ssh._Batch, "_task", lambda _, index, __: index)
        patch.setattr(receive, "finish", lambda _, __, executed: Outcome(None, error=executed.error or "has files"))
        patch.setattr(memory, "guest_mib", lambda _: 1)
        patch.setenv("PATH", str(folder), prepend=os.pathsep)
        yield folder


def hostile(scripts, *said, then="exec cat >/dev/null"):
    """Have the host `evil` read what it is told, say something, and then do whatever."""
    (scripts / "said").write_bytes(b"".join(said))
    (scripts / "evil").write_text(f"cat '{scripts}/said'\n{then}\n")


def execute(hosts, sweep, *names, runs=2):
    """Return: outcomes; as the command would."""
    hosts = hosts or ssh.Hosts("7.3")
    try:
        hosts.start([f"ssh://{name}" for name in names])
        return sweep.execute(hosts, runs)
    finally:
        hosts.end()


@pytest.fixture
def quick(monkeypatch):
    """Nothing that a host may take long for takes long."""
    for name in ("_STOP_S", "_SHORT_S", "_READY_S", "_SILENT_S"):
        monkeypatch.setattr(ssh, name, 1.0)


AT_FIRST = [b"", b"hello\n", BEGINNING, BEGINNING + b"null\n", BEGINNING + written(Advanced(run=0, done_s=1, all_s=1)),
            *(BEGINNING + changed(READY, [key], text) for key in ("facts", "cpus", "bytes", "kind") for text in HOSTILE
              if (key, text) not in [("facts", "{}")])]


@pytest.mark.parametrize("said", AT_FIRST, ids=range(len(AT_FIRST)))
def test_a_hostile_introduction(scripts, quick, tmp_path, said):
    hostile(scripts, said)
    began = time.monotonic()
    with pytest.raises(CellbedError, match="^ssh://evil: ") as error:
        execute(None, Sweep(tmp_path), "evil")
    assert time.monotonic() - began < 20 and len(str(error.value)) < 1000 and "\n" not in str(error.value)


TRICKS = "no room\nfor it\x1b[2J\r\u202e"


@pytest.mark.parametrize("way", ["refused", "facts", "printed"])
def test_what_a_host_says_is_a_part_of_one_line(scripts, quick, tmp_path, way):
    """Whether it says why, differs in a fact, or leaves that to a program there."""
    (scripts / "printed").write_text(TRICKS.replace("\n", ""))
    said = {"refused": [BEGINNING, changed(ssh_frames.Refused(error=""), ["error"], json.dumps(TRICKS))],
            "facts": [BEGINNING, changed(READY, ["facts"], json.dumps({"celld": TRICKS}))], "printed": []}[way]
    hostile(scripts, *said, then=f"cat '{scripts}/printed' >&2; exit 1" if way == "printed" else "exec cat >/dev/null")
    with pytest.raises(CellbedError, match="^ssh://evil: ") as error:
        execute(None, Sweep(tmp_path), "evil")
    assert str(error.value).isprintable(), str(error.value)


LATER = [b"null\n", b"[" * 900_000 + b"\n", written(READY), written(Ended(run=5, measured=MEASURED), b"unasked"),
         *(changed(Ended(run=0, measured=MEASURED), ["bytes"], text) for text in HOSTILE if text),
         *(changed(Advanced(run=0, done_s=1, all_s=1), [key], text) for key in ("run", "done_s", "all_s")
           for text in ("null", "NaN", "-1", str(2**63), "[" * 900_000))]


@pytest.mark.parametrize("said", LATER, ids=range(len(LATER)))
def test_others_run_what_a_hostile_host_had(scripts, quick, tmp_path, capsys, monkeypatch, said):
    """It speaks once it has a run, and stays."""
    monkeypatch.setattr(ssh, "_READY_S", 60.0)  # both hosts will be, on a busy machine later than in a second
    (scripts / "later").write_bytes(said)
    hostile(scripts, BEGINNING, written(READY),
            then=f"head -c 30 >/dev/null; cat '{scripts}/later'; exec cat >/dev/null")
    sweep = Sweep(tmp_path)
    assert [outcome.error for outcome in execute(None, sweep, "evil", "good", runs=3)] == ["executed"] * 3
    assert capsys.readouterr().err.count("ssh://evil is lost: ") == 1


def test_a_run_ends_once(scripts, quick, tmp_path, capsys):
    hostile(scripts, BEGINNING, written(READY), written(Ended(run=0, measured=MEASURED), b"files"),
            written(Ended(run=0, measured=MEASURED), b"files"))
    # It may speak before it has been given a run, too, and then nobody has asked.
    try:
        outcomes = execute(None, Sweep(tmp_path), "evil", "good", runs=3)
        assert [outcome.error for outcome in outcomes][1:] == ["executed"] * 2
    except CellbedError as error:
        assert "ssh://evil: an answer to no question" in str(error)


@pytest.mark.parametrize("then", ["exec sleep 600", "exec cat >/dev/null", "exec >&-; exec sleep 600"])
def test_a_host_that_says_nothing_more(scripts, quick, tmp_path, capsys, then):
    """Whether or not it reads what it is told, of which there may be more than a pipe holds."""
    hostile(scripts, BEGINNING, written(READY), then=then)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssh._Batch, "_task", lambda _, index, __: b"x" * (1 << 20))
        began = time.monotonic()
        with pytest.raises(CellbedError, match="no host is left"):
            execute(None, Sweep(tmp_path), "evil")
    assert time.monotonic() - began < 20
    assert "ssh://evil is lost" in capsys.readouterr().err


def test_what_a_host_prints_beside_it_is_not_kept(scripts, quick, tmp_path):
    hostile(scripts, then="yes complaint | head -c 50000000 >&2; echo the last word >&2; exit 1")
    with pytest.raises(CellbedError, match="^ssh://evil: the last word$"):
        execute(None, Sweep(tmp_path), "evil")


def test_one_that_never_stops_talking_does_not_grow(scripts, quick, tmp_path, monkeypatch):
    again = written(Advanced(run=0, done_s=1, all_s=2)).decode().strip()
    hostile(scripts, BEGINNING, written(READY), then=f"head -c 30 >/dev/null; yes '{again}'")
    hosts, sweep = ssh.Hosts("7.3"), Sweep(tmp_path)

    def advanced(*_):
        sweep.told.append(hosts.events.qsize())
        if len(sweep.told) > 1000:
            raise CellbedError("enough")

    monkeypatch.setattr(sweep, "advanced", advanced)
    with pytest.raises(CellbedError, match="enough"):
        execute(hosts, sweep, "evil", runs=1)
    assert max(sweep.told) <= ssh._EVENTS_MAX


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20, deadline=None)
@given(st.lists(st.binary(max_size=200) | st.sampled_from([BEGINNING, written(READY), b"\n"]), max_size=4))
@example([BEGINNING, written(READY), b"x"])
def test_any_stream_ends(scripts, quick, tmp_path, parts):
    hostile(scripts, *parts, then="exit 0")
    with pytest.raises(CellbedError):
        execute(None, Sweep(tmp_path), "evil")


def test_nothing_is_left_of_them(scripts):
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(scripts).encode() in _read(path)]


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_frames_of_the_text_that_is_here():
    """What the examples above say is what a host of this version says."""
    assert ssh_frames.OF_HOST.validate_json(written(READY)) == READY
