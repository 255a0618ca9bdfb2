# SPDX-License-Identifier: GPL-2.0-or-later
"""ccload registers congestion controls for as long as it runs, and says why the kernel refuses one."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cellbed import paths
from cellbed.error import LabError
from cellbed.host.process import start_ready
from cellbed.run import congestion_control

CCLOAD, GENTLE = paths.LOADER["ccload"], paths.BUILD / "ebpf/ccload/gentle.bpf.o"
SOURCE = paths.ROOT / "ebpf/ccload/gentle.bpf.c"

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not Path("/sys/kernel/btf/vmlinux").exists(),
                                reason="struct_ops need root and a kernel with BTF")


def available():
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()


@pytest.fixture
def loader(tmp_path):
    process = start_ready("ccload", lambda fd: [str(CCLOAD), str(GENTLE), "--ready-fd", str(fd)], tmp_path / "log")
    yield process
    process.kill()


def gone():
    """Within a moment: the kernel takes links away after their process has ended."""
    end = time.monotonic() + 5
    while "gentle" in available() and time.monotonic() < end:
        time.sleep(0.01)
    return "gentle" not in available()


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGKILL])
def test_it_is_there_while_the_loader_runs(loader, sig):
    assert "gentle" in available()
    loader.popen.send_signal(sig)
    assert loader.popen.wait() == (0 if sig == signal.SIGTERM else -sig)
    assert gone()


def test_a_name_that_is_taken(loader):
    done = subprocess.run([CCLOAD, GENTLE], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "this kernel has a congestion control of that name" in done.stderr


@pytest.mark.parametrize(("change", "message"), [
    (("kept_pkts > LEAST_PKTS ?", "*(volatile __u32 *)8 ?"), "Permission denied; the verifier: R"),
    (('SEC(".struct_ops")', 'SEC(".data.x")'), "it has no congestion control"),
])
def test_why_one_is_refused(tmp_path, change, message):
    assert change[0] in SOURCE.read_text()
    (tmp_path / "bad.bpf.c").write_text(SOURCE.read_text().replace(*change))
    arch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["clang", "-target", "bpf", "-O2", "-g", f"-I/usr/include/{arch}", "-c", "bad.bpf.c", "-o",
                    congestion_control.OBJECT], cwd=tmp_path, check=True)
    with pytest.raises(LabError) as error:
        congestion_control.register(str(CCLOAD), tmp_path)
    assert message in str(error.value) and "\n" not in str(error.value)
    assert "gentle" not in available()
