# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make image` makes: the wheel in roots of Debian in which nothing else is, run by podman without rights."""

import json
import os
import shlex
import shutil
import subprocess

import pytest
from e2e import ROOT, cellbed, needs_native

needs = [pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed: `make image` installs it")
         for name in ("mmdebstrap", "podman")]
# Debian's packages take most of the time.
pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800), *needs]
# Where no crun is installed, and no systemd runs. Limits are lowered, as a machine may not let them be raised.
PODMAN = ["podman", "--cgroup-manager=cgroupfs", *([] if shutil.which("crun") else ["--runtime=runc"])]
NO_RIGHTS = ["--network=none", "--read-only", "--cap-drop=all", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"]
# The handover is 2.3 s after the transfer began.
BRIEF = ["--set", "traffic.0.duration_s=3", "--set", "traffic.1.duration_s=3"]


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def image(request, wheel, tmp_path_factory):
    """Of Debian 12, and of Debian 13."""
    name = f"localhost/cellbed-test-{request.param}"
    archive = tmp_path_factory.mktemp("image") / "image.tar"
    subprocess.run([ROOT / "image/build", wheel, archive, request.param, name], check=True)
    assert archive.stat().st_size < 300e6
    yield name
    subprocess.run([*PODMAN, "rmi", "--force", name], check=True, capture_output=True)


def test_it_runs_without_rights(image, tmp_path):
    def execute(*args):
        return subprocess.run([*PODMAN, "run", "--rm", *NO_RIGHTS, f"--volume={tmp_path}:/work", image, *args],
                              capture_output=True, text=True, check=True)

    done = execute()
    assert "IM-IM" in done.stdout and " reproduced" in done.stdout
    assert "Read-only file system" not in done.stderr
    assert (tmp_path / "results/summary/report.html").exists()
    for name in ("once", "again"):
        execute("run", "handover-pacifico/quick", *BRIEF, "--results", name)
    captures = []
    for name in ("once", "again"):
        (manifest,) = (tmp_path / name).glob("*/manifest.json")
        assert json.loads(manifest.read_text())["validity"]["verdict"] == "valid"
        captures.append({path.name: path.read_bytes() for path in manifest.parent.glob("*.pcap")})
    assert captures[0] == captures[1] != {}
    execute("fleet-key", "fleet.pem")  # what a worker of a fleet needs is there
    assert (tmp_path / "fleet.pem").stat().st_mode & 0o777 == 0o600


FETCH = "import sys, urllib.request; print(len(urllib.request.urlopen(sys.argv[1]).read()))"


@pytest.fixture
def container(image):
    """One that executes nothing, in whose network nothing is. Yields: its name, and how to run programs in it."""
    name = f"cellbed-test-{os.getpid()}"
    subprocess.run([*PODMAN, "run", "--detach", "--name", name, *NO_RIGHTS, "--entrypoint", "sleep", image, "1000"],
                   check=True, capture_output=True)
    yield name, [*PODMAN, "exec", name]
    subprocess.run([*PODMAN, "rm", "--force", "--time", "0", name], check=True, capture_output=True)


@needs_native
def test_a_container_behind_a_radio(container, tmp_path):
    """Its own programs are, for as long as the link is open; the command is another one of this machine."""
    name, inside = container
    (tmp_path / "file").write_bytes(bytes(500_000))
    pid = subprocess.run([*PODMAN, "inspect", "--format", "{{.State.Pid}}", name], capture_output=True, text=True,
                         check=True).stdout.strip()
    fetch = shlex.join([*inside, "python3", "-c", FETCH])
    done = cellbed("link", "good", "rate", "10mbit", "--serve-folder", tmp_path, "--pid", pid, "--", "sh", "-c",
                   f"{fetch} http://$CELLBED_BASE/file && {shlex.join(inside)} ip -br -4 address")
    assert done.stdout.startswith("500000\n") and "lte0" in done.stdout
    after = subprocess.run([*inside, "ip", "-br", "link"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in after.splitlines()] == ["lo"]
