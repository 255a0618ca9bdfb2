# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make image` makes: the wheel in roots of Debian in which nothing else is, played by podman without rights."""

import json
import shutil
import subprocess

import pytest
from e2e import ROOT

needs = [pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed: `make image` installs it")
         for name in ("mmdebstrap", "podman")]
pytestmark = [pytest.mark.lab, *needs]
# Where no crun is installed, and no systemd runs. Limits are lowered, as a machine may not let them be raised.
PODMAN = ["podman", "--cgroup-manager=cgroupfs", *([] if shutil.which("crun") else ["--runtime=runc"])]
NO_RIGHTS = ["--network=none", "--read-only", "--cap-drop=all", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"]


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def image(request, wheel, tmp_path_factory):
    """Of Debian 12, and of Debian 13."""
    name = f"localhost/cellbed-test-{request.param}"
    archive = tmp_path_factory.mktemp("image") / "image.tar"
    subprocess.run([ROOT / "image/build", wheel, archive, request.param, name], check=True)
    assert archive.stat().st_size < 300e6
    yield name
    subprocess.run([*PODMAN, "rmi", "--force", name], check=True, capture_output=True)


@pytest.mark.timeout(1800)  # of which Debian's packages take most
def test_it_plays_without_rights(image, tmp_path):
    def play(*args):
        return subprocess.run([*PODMAN, "run", "--rm", *NO_RIGHTS, f"--volume={tmp_path}:/work", image, *args],
                              capture_output=True, text=True, check=True)

    done = play()
    assert "IM-IM" in done.stdout and " reproduced" in done.stdout
    assert "Read-only file system" not in done.stderr
    assert (tmp_path / "results/summary/report.html").exists()
    for name in ("once", "again"):
        play("run", "handover-pacifico/quick", "--results", name)
    captures = []
    for name in ("once", "again"):
        (manifest,) = (tmp_path / name).glob("*/manifest.json")
        assert json.loads(manifest.read_text())["validity"]["verdict"] == "valid"
        captures.append({path.name: path.read_bytes() for path in manifest.parent.glob("*.pcap")})
    assert captures[0] == captures[1] != {}
