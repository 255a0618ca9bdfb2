# SPDX-License-Identifier: GPL-2.0-or-later
"""What is built for arm64 on this machine: the core does there what it does here, and the wheel has what runs there."""

import json
import shutil
import subprocess
import zipfile

import pytest
from e2e import ROOT

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600), pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="no cross compiler, or no qemu-user; `apt-get install gcc-aarch64-linux-gnu qemu-user`")]
#: Every Linux with glibc has these.
LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}


@pytest.fixture(scope="module")
def wheel():
    """Of a build whose C tests passed, the golden readings among them."""
    shutil.rmtree(ROOT / "build/arm64/dist", ignore_errors=True)
    done = subprocess.run([ROOT / ".ci/arm64", "core", "daemon"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    (path,) = (ROOT / "build/arm64/dist").glob("*.whl")
    return path


@pytest.fixture
def programs(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    found = [path for path in (tmp_path / "cellbed_files/build").rglob("*") if path.is_file()]
    for path in found:
        path.chmod(0o755)
    return {path.name: path for path in found}


def test_the_wheel_is_for_arm64_and_has_no_lab_kernel(wheel):
    assert wheel.name.endswith("_aarch64.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if "/kernel/built/" in name]


def test_its_programs_need_nothing_but_the_c_library(programs):
    assert {"celld", "cellsim", "ipdump", "tcpwatch"} <= programs.keys()
    for path in programs.values():
        said = subprocess.run(["readelf", "-h", "-d", path], capture_output=True, text=True, check=True).stdout
        assert "AArch64" in said, path
        needed = {line.split("[")[1].rstrip("]") for line in said.splitlines() if "(NEEDED)" in line}
        assert needed <= LIBRARIES, path


def test_its_radio_daemon_reads_a_configuration(programs, tmp_path):
    path = tmp_path / "celld.json"
    path.write_text(json.dumps({"format": 1, "cell": {"ues": [{"name": "ue1", "peer": "ue2"},
                                                              {"name": "ue2", "peer": "ue1"}], "n_rb": 500}}))
    done = subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", programs["celld"], "--check", path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "key 'cell.n_rb': value 500: allowed 6..110" in done.stderr
