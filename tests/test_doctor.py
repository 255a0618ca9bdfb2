# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed doctor`, and lab kernels that do not start: said in one line before anything is run."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from e2e import ROOT, cellbed
from machine import nothing_left

from cellbed import paths
from cellbed.error import LabError
from cellbed.labs import boot_check, doctor, kernels, machine
from cellbed.labs.choices import KERNELS

pytestmark = pytest.mark.lab

#: What Linux 6.12 prints on a CPU whose processes have more state than it expects.
PANICS = """#!/bin/sh
echo 'Core dump limits :'
echo 'ptrace set fp regs failed, errno = 14'
echo 'Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b'
echo 'Call Trace:'
exit 1
"""
HANGS = "#!/bin/sh\necho booting\nexec sleep 1000\n"
WHY = "ptrace set fp regs failed, errno = 14 | Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b"


@pytest.fixture
def broken(tmp_path):
    """Environment of a user whose cached lab kernel does not start."""
    real = kernels.find(None)
    kernel = tmp_path / "cache/cellbed/kernel" / real.parent.name / "linux"
    write(kernel, PANICS)
    shutil.copy(real.with_name("key.json"), kernel.parent)
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}


def write(kernel, script):
    kernel.parent.mkdir(parents=True)
    kernel.write_text(script)
    kernel.chmod(0o755)


def test_the_lab_kernel_starts_and_leaves_nothing():
    with nothing_left(deadline_s=1):
        boot_check.boot(kernels.find(None))


@pytest.mark.parametrize("script, why", [(PANICS, f"its console: Core dump limits : | {WHY}"),
                                         (HANGS, "nothing within 1 s; its console: booting"),
                                         ("#!/bin/sh\n", "its console: (empty)")])
def test_one_that_does_not(tmp_path, script, why):
    write(tmp_path / "6.12-x/linux", script)
    with nothing_left(deadline_s=1), pytest.raises(LabError) as raised:
        boot_check.boot(tmp_path / "6.12-x/linux", deadline_s=1)
    assert str(raised.value) == f"the lab kernel 6.12-x does not start on this machine: {why}"


def test_doctor_is_not_ready_without_a_kernel_that_starts(broken):
    done = cellbed("doctor", check=False, env=broken)
    assert done.returncode == 1
    assert "virtual lab: cannot run" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("cellbed: the virtual lab, which is the default, cannot run: lab kernel: ") and WHY in line


@pytest.mark.parametrize(("script", "said"), [("#!/bin/sh\necho a library is missing >&2\nexit 127\n",
                                               "ended with status 127: a library is missing"),
                                              ("#!/nowhere/sh\n", "cannot be started: No such file or directory"),
                                              ("#!/bin/sh\nkill -SEGV $$\n",
                                               "was ended by SIGSEGV: (it printed nothing)")])
def test_doctor_starts_what_it_promises(tmp_path, monkeypatch, script, said):
    names = ("iperf3", "ip", "tc", "tshark", "mnexec", "busybox", "qemu-system-x86_64")
    (tmp_path / "bin").mkdir()
    for name in names:
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(paths, "IPERF3", tmp_path / "none")
    found = {check.what: check for check in doctor.checks()}
    assert [found[name].detail for name in names] == [f"{tmp_path / 'bin' / name} {said}" for name in names]
    assert not any(found[name].ok for name in names)


def test_doctor_starts_programs_of_its_own(tmp_path):
    """All are there, and one is of another machine."""
    built = tmp_path / "build"
    for name, path in paths.PROGRAMS.items():
        copy = built / path.relative_to(paths.BUILD)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        if name == "ipdump":
            copy.write_bytes(b"\x7fELF of another machine")
    done = cellbed("doctor", check=False, env={**os.environ, "CELLBED_BUILD": str(built)})
    assert done.returncode == 1 and f"ipdump: {built}" in done.stderr
    assert "cannot be started: Exec format error" in done.stderr


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_nothing_is_run_in_it(scenario, tmp_path, broken, command):
    done = cellbed(command, scenario, "--results", tmp_path / "r", check=False, env=broken)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "does not start on this machine: " in line and WHY in line
    assert not list((tmp_path / "r").glob("*"))


def test_nor_is_a_link_opened(broken):
    done = cellbed("link", "--lab", "virtual", "--serve", "true", "--", "true", check=False, env=broken)
    assert done.returncode == 125
    (line,) = done.stderr.splitlines()
    assert WHY in line


def test_a_kernel_that_has_started_is_not_tried_again(tmp_path):
    """Until the machine is started again, when it may be another one."""
    kernel = tmp_path / "6.12-x/linux"
    write(kernel, PANICS)
    kernel.with_name("started").write_text(Path("/proc/sys/kernel/random/boot_id").read_text())
    boot_check.boot_once(kernel)
    kernel.with_name("started").write_text("another boot\n")
    with pytest.raises(LabError):
        boot_check.boot_once(kernel)


def test_a_bug_report_has_what_it_takes():
    report = json.loads(cellbed("doctor", "--json").stdout)
    assert report["labs"]["virtual"] is True
    assert {check["what"] for check in report["checks"]} >= {"lab kernel", "root", "disk space"}
    assert report["system"]["kernel"].startswith(os.uname().release)
    assert report["lab_kernels"][kernels.default()] == str(kernels.find(None))
    assert list(report["lab_kernels"]) == list(KERNELS)
    assert report["tools"]["iperf3"].startswith("iperf 3.")
    assert report["cpu"]["usable"] == len(os.sched_getaffinity(0))
    assert report["memory"]["ram_mib"] > report["memory"]["ram_available_mib"] > 0


def test_the_template_of_bug_reports_asks_for_it():
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text())
    assert "`cellbed doctor --json`" in [field["attributes"]["label"] for field in form["body"]]


def test_the_state_of_a_process_is_as_large_as_the_cpu_says(tmp_path):
    """CPUID leaf 0xD: the size of all that this machine's kernel has switched on."""
    program = """
    #include <cpuid.h>
    #include <stdio.h>
    int main(void) { unsigned a, b, c, d; __cpuid_count(0xd, 0, a, b, c, d); printf("%u\\n", b); }
    """
    subprocess.run(["gcc", "-x", "c", "-", "-o", tmp_path / "size"], input=program, text=True, check=True)
    said = subprocess.run([tmp_path / "size"], capture_output=True, text=True, check=True).stdout
    assert machine.xsave_bytes() == int(said)
