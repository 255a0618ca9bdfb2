# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab kernel starts whatever FP state the host's CPU has: AMX makes the XSAVE area four times as large.

Few machines that test have AMX, so big_xsave.c gives the kernel a host that has it: the same calls, the same refusals.
It stands between the kernel and ptrace. In seccomp mode the state comes in signal frames, which hold that of AMX only
for processes that asked for it; guests' programs cannot.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from lab_kernel import KINDS, VERSIONS, boot, cached

HERE = Path(__file__).parent
# Fork, exec, and threads that each have their own numbers in the FP registers while the others run.
FLOATS = """python3 -c '
import math, os, subprocess, threading, time
def work(k, out):
    x = float(k)
    for _ in range(200):
        x = math.sqrt(x * x + 1.0); time.sleep(0.001)
    out[k] = round(x * x)
out = {}
threads = [threading.Thread(target=work, args=(k, out)) for k in range(1, 6)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(out.values()))
y = 1.5
pid = os.fork()
if pid == 0: os._exit(0 if y * 2 == 3.0 else 1)
print(os.waitpid(pid, 0)[1],
      subprocess.run(["awk", "BEGIN { print 0.5 * 3 }"], capture_output=True, text=True).stdout)'"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    built = tmp_path_factory.mktemp("shim") / "big_xsave.so"
    subprocess.run([shutil.which("gcc"), "-O2", "-Wall", "-shared", "-fPIC", "-o", built, HERE / "big_xsave.c"],
                   check=True)
    return built


def has_numbers(kind, folder, **host):
    out, _ = boot(cached(kind), folder, FLOATS, **host)
    return out.split("\n")[:2] == ["[201, 204, 209, 216, 225]", "0 1.5"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_has_its_own_numbers(kind, tmp_path):
    assert has_numbers(kind, tmp_path)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != VERSIONS[0]])
@pytest.mark.parametrize("area_bytes", [2696, 11008, 20000], ids=["AVX-512", "AMX", "more"])
def test_it_starts_with_any_size_of_fp_state(kind, area_bytes, shim, tmp_path):
    assert has_numbers(kind, tmp_path, LD_PRELOAD=str(shim), XSAVE_AREA_BYTES=str(area_bytes))
