# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever the umask of the caller, others can write nothing that a command has made, and read what they have to."""

import json
import os
import pwd
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from e2e import CELLBED, SHORT, needs_native
from ordinary import needs_user_namespaces

pytestmark = pytest.mark.lab

# None, those of distributions, of the careful, and odd ones.
MASKS = [0o000, 0o002, 0o022, 0o077, 0o070, 0o707, 0o027]
OTHER = "nobody"


@pytest.fixture
def place():
    """A folder that others reach, whose own files they may read; it is the home, the cache and the temporary folder."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        (path / "served").mkdir()
        (path / "served/file").write_text("what is served")
        for name in ("", "file"):
            (path / "served" / name).chmod(0o755)
        (path / "short.yaml").write_text(SHORT)
        yield path


def command(place, mask, *words):
    """In a process with a umask of its own."""
    cache = {"XDG_CACHE_HOME": str(place / "cache"), "TMPDIR": str(place / "tmp")}
    kernels = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellbed/kernel"
    for name in ("cache/cellbed", "tmp"):
        (place / name).mkdir(parents=True, exist_ok=True)
    if kernels.exists() and not (place / "cache/cellbed/kernel").exists():  # else they lie in the checkout
        (place / "cache/cellbed/kernel").symlink_to(kernels)
    return subprocess.run([CELLBED, *map(str, words)], capture_output=True, text=True, check=False, umask=mask,
                          cwd=place, env={**os.environ, **cache}, timeout=250)


def writable(place):
    """What others, or the group, can write."""
    return [f"{stat.filemode(path.lstat().st_mode)} {path}" for path in place.rglob("*")
            if not path.is_symlink() and path.lstat().st_mode & 0o022 and not stat.S_ISSOCK(path.lstat().st_mode)]


@pytest.mark.parametrize("mask", MASKS)
def test_runs_and_reports(place, mask):
    done = command(place, mask, "run", "short.yaml", "--results", "results", "--set", "traffic.0.duration_s=1",
                   "--jobs", "2")
    assert done.returncode == 0, done.stderr
    done = command(place, mask, "report", "results", "--each")
    assert done.returncode == 0, done.stderr
    assert command(place, mask, "prune", "results", "--compress").returncode == 0
    assert writable(place) == []
    made = [path for path in (place / "results").rglob("*") if path.is_file()]
    assert len(made) > 30 and all(path.stat().st_mode & 0o777 == 0o644 & ~mask for path in made)


SAID = "umask; cat /etc/hosts && curl -s --max-time 20 http://base/file"


@needs_native
@pytest.mark.parametrize("mask", MASKS)
def test_another_user_behind_a_link(place, mask):
    done = command(place, mask, "link", "good", "--user", OTHER, "--serve-folder", place / "served", "--results",
                   place / "results", "--", "sh", "-c", f"{SAID}; id -u")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(lines[0], 8) == mask, "the command has its caller's"
    assert any(line.endswith(" base") for line in lines), "names are readable"
    assert lines[-1].endswith(f"what is served{pwd.getpwnam(OTHER).pw_uid}")
    assert writable(place) == []


@needs_native
@needs_user_namespaces
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_names_from_outside(place, mask):
    """--internet: the resolvers are readable, too."""
    done = command(place, mask, "link", "good", "--user", OTHER, "--internet", "--results", place / "results", "--",
                   "cat", "/etc/resolv.conf")
    assert done.returncode == 0 and "nameserver" in done.stdout, done.stderr
    assert writable(place) == []


@needs_native
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_a_native_run(place, mask):
    done = command(place, mask, "run", "short.yaml", "--lab", "native", "--results", "results", "--variant", "DM-DM",
                   "--set", "traffic.0.duration_s=1")
    assert done.returncode in (0, 3), done.stderr
    assert writable(place) == []
    (bundle,) = (place / "results").iterdir()
    assert bundle.stat().st_mode & 0o777 == 0o755 & ~mask
    assert json.loads((bundle / "manifest.json").read_text())["outcome"] == "complete"


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_a_link_in_the_virtual_lab(place, mask):
    done = command(place, mask, "link", "good", "--lab", "virtual", "--results", place / "results", "--",
                   "sh", "-c", "echo made > of-command; cat /etc/hosts")
    assert done.returncode == 0 and " base" in done.stdout, done.stderr
    (place / "of-command").unlink()  # as the command's umask in the guest wants it
    assert writable(place) == []
