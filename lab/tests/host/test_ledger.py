# SPDX-License-Identifier: GPL-2.0-or-later
"""The ledger of running labs: what others plant there, or put in its place, is neither deleted nor killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from one_cleaner import the_only_cleaner

from cellbed.error import LabError
from cellbed.host import clean, ledger

NOBODY = 65534
DEAD = 4194303  # above any pid that a machine in test has given
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another user")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A temporary folder of the test's own, as for a user who has no other."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(ledger.tempfile, "gettempdir", lambda: str(tmp_path))
    with the_only_cleaner():
        yield tmp_path


def folder(parent, name=f".tmp-X-seed1-0123456789.{DEAD}"):
    path = parent / name
    path.mkdir(parents=True)
    (path / "precious").write_text("data")
    return path


def plant(**changed):
    """An entry of a dead lab, with some keys changed."""
    content = {"lab": "virtual", "owner_pid": DEAD, "owner_start": "1", "lab_pid": DEAD - 1, "lab_start": "1",
               "temporary": "/nowhere", "cgroup": None} | changed
    path = ledger.directory() / "planted.json"
    path.write_text(json.dumps({key: str(v) if key == "temporary" else v for key, v in content.items()}))
    return path


def refused():
    """What clean() says of entries; cgroups of the machine that it removes may be those of other tests' labs."""
    return [text for text in clean.clean() if "no entry of a lab" in text]


def test_what_a_lab_has_left_is_removed(place):
    left = folder(place / "results")
    entry = plant(temporary=left)
    assert clean.clean() == [f"unfinished bundle {left}"]
    assert not left.exists() and not entry.exists()


def test_a_lab_that_lives_is_left_alone(place):
    mine = folder(place / "results", f".tmp-X.{os.getpid()}")
    with ledger.entry("virtual", os.getpid(), mine):
        assert clean.clean() == []
        assert [entry.temporary for entry in ledger.living()] == [mine]
    assert mine.exists() and not list(ledger.directory().iterdir())


@pytest.mark.parametrize("name", ["home", ".tmp-", f".tmp-X.{DEAD - 5}", f"tmp-X.{DEAD}", "link-abc"])
def test_a_folder_that_no_lab_made_stays(place, name):
    victim = folder(place, name)
    plant(temporary=victim)
    (told,) = refused()
    assert str(ledger.directory()) in told
    assert (victim / "precious").exists()


@pytest.mark.parametrize("path", [f"results/.tmp-X.{DEAD}", "/", "", f"/a/../.tmp-X.{DEAD}", f".tmp-X.{DEAD}\0"])
def test_a_path_that_no_lab_writes_down_is_none(path):
    plant(temporary=path)
    (told,) = refused()
    assert str(ledger.directory()) in told


def test_a_symbolic_link_is_not_followed(place):
    victim = folder(place, "home")
    link = place / f".tmp-X.{DEAD}"
    link.symlink_to(victim)
    (place / "way").symlink_to(place)
    for path in (link, place / "way" / folder(place / "real").name):
        plant(temporary=path)
        assert clean.clean() == []
    assert (victim / "precious").exists() and link.is_symlink()


@pytest.mark.parametrize("changed", [
    {"lab": "scratch"}, {"lab": "cloud"}, {"lab": None}, {"owner_pid": 0}, {"owner_pid": "x"}, {"owner_start": None},
    {"owner_start": [1]}, {"lab_pid": -1}, {"lab_start": "1\n2"}, {"cgroup": "/sys/fs/cgroup/system.slice"},
    {"cgroup": "/"}, {"further": 1}])
def test_an_entry_that_no_lab_writes_is_none(place, changed):
    left = folder(place / "results")
    plant(**{"temporary": left, **changed})
    (told,) = refused()
    assert str(ledger.directory()) in told
    assert left.exists()


def test_an_entry_cut_short_is_none(place):
    left = folder(place / "results")
    content = plant(temporary=left).read_bytes()
    planted = ledger.directory() / "planted.json"
    for size in range(len(content)):
        planted.write_bytes(content[:size])
        assert ledger.read() == ([], [planted])
    (told,) = refused()
    assert str(planted) in told and not planted.exists()
    assert left.exists()


@needs_root
def test_a_folder_of_another_user_stays(place):
    victim = folder(place / "results")
    os.chown(victim, NOBODY, NOBODY)
    plant(temporary=victim)
    assert clean.clean() == []
    assert (victim / "precious").exists()


@needs_root
def test_an_entry_of_another_user_is_none(place):
    left = folder(place / "results")
    os.chown(plant(temporary=left), NOBODY, NOBODY)
    (told,) = clean.clean()
    assert "no entry of a lab" in told and left.exists()


def others(path, kind):
    """Something of somebody else's under the name of the user's own folder."""
    path.mkdir(mode=0o700)
    if kind == "open":
        path.chmod(0o777)
    elif kind == "foreign":
        os.chown(path, NOBODY, NOBODY)
    elif kind == "link":
        path.rename(path.with_name("theirs"))
        path.symlink_to("theirs")
    else:
        path.rmdir()
        path.touch()


@pytest.mark.parametrize("kind", ["open", pytest.param("foreign", marks=needs_root), "link", "file"])
def test_a_ledger_that_others_have_made_is_refused(place, kind):
    """By the command itself, with one line and nothing touched: links have their folders there, too."""
    victim = folder(place / "results")
    entry = plant(temporary=victim)
    kept = entry.read_text()
    shutil.rmtree(entry.parent)
    others(entry.parent, kind)
    if kind != "file":
        entry.write_text(kept)
    env = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    done = subprocess.run([sys.executable, "-m", "cellbed.cli.main", "clean"], env={**env, "TMPDIR": str(place)},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"cellbed: {entry.parent}: ")
    assert f"allowed a folder of user {os.geteuid()} with mode 0700" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (victim / "precious").exists()
    with pytest.raises(LabError):
        ledger.scratch_folder()


@needs_root
def test_the_runtime_folder_of_another_user_is_not_used(place, monkeypatch):
    """As after `sudo -E`: its owner could put anything there."""
    theirs = place / "run"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(theirs))
    assert ledger.directory().parent == place
    os.chown(theirs, 0, 0)
    assert ledger.directory().parent == theirs


@pytest.fixture
def orphan(place):
    """A folder, and what starts a process somewhere whose session has lost its leader, as that of a killed guest."""
    left = folder(place / "results")
    made = []

    def begin(where):
        leader = subprocess.Popen(["sh", "-c", "sleep 100 >/dev/null & echo $!"], cwd=where, start_new_session=True,
                                  stdout=subprocess.PIPE, text=True)
        made.append(int(leader.communicate()[0]))
        return leader.pid, made[-1]

    yield left, begin
    for pid in made:
        if ledger.start_time(pid) is not None:
            os.kill(pid, signal.SIGKILL)


def test_what_a_guest_has_left_is_killed(orphan):
    left, begin = orphan
    session, pid = begin(left)
    plant(temporary=left, lab_pid=session)
    assert clean.clean() == [f"1 processes of the guest {session}", f"unfinished bundle {left}"]
    end = time.monotonic() + 10
    while ledger.start_time(pid) is not None:
        assert time.monotonic() < end, "the process lives"
        time.sleep(0.01)


def test_sessions_of_others_are_not_killed(orphan, place):
    """One whose leader is another process by now, and one that does not work in the lab's folder."""
    left, begin = orphan
    session, pid = begin(place)
    plant(temporary=left, lab_pid=session)
    assert clean.clean() == [f"unfinished bundle {left}"]
    with subprocess.Popen(["sleep", "100"], start_new_session=True, cwd=place) as stranger:
        plant(temporary=left, lab_pid=stranger.pid, lab_start="1")
        assert clean.clean() == []
        assert ledger.start_time(pid) is not None and stranger.poll() is None
        stranger.kill()
