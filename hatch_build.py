# SPDX-License-Identifier: GPL-2.0-or-later
"""What a wheel brings besides Python: programs, lab kernels, scenarios, where `cellbed.paths` looks for them.

`make wheel` builds all of it first. The folder inside the wheel has the layout of a checkout.
"""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "cellbed_files"
PROGRAMS = ("emulator/daemon/celld", "emulator/ipdump/ipdump", "emulator/sim/cellsim", "emulator/sim/transport-blocks",
            "ebpf/tcpwatch/tcpwatch", "ebpf/tcpwatch/tcpsample", "ebpf/ccload/ccload")
DATA = ("LICENSE", "scenarios", "captures/wireshark", "kernel/README.md", "kernel/config.fragment", "kernel/patches")
# What published runs recorded and with which programs: `cellbed replicate --check` compares with it.
PUBLISHED = ("recordings.csv", "runs.csv", "programs.json")
# The newest, and the newest that can do without RACK.
KERNELS = ("7.3", "6.12")
# User Mode Linux is for this processor only; on others a wheel has the native lab.
KERNEL_MACHINE = "x86_64"
# What was cross-compiled for another processor, and where it is: `.ci/arm64`.
MACHINE = os.environ.get("CELLBED_WHEEL_MACHINE", platform.machine())
BUILD = os.environ.get("CELLBED_WHEEL_BUILD", "build")


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Of a checkout that Python looks into there is nothing to bring: it is there."""
        if version == "editable":
            return
        top = Path(self.root)
        self.staging = tempfile.TemporaryDirectory(prefix="cellbed-wheel-")
        staged = Path(self.staging.name)
        programs = [_program(top, staged, name) for name in PROGRAMS]
        if MACHINE == KERNEL_MACHINE:
            programs += [*(_kernel(top, staged, kernel) for kernel in KERNELS), _iperf3(top, staged)]
        (staged / "version").write_text(_described(top))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{_glibc(programs)}_{MACHINE}"
        pages = top / "docs/replication"
        data = [*(top / name for name in DATA), *(path for name in PUBLISHED for path in pages.glob(f"*/{name}"))]
        build_data["force_include"] |= {str(staged): FOLDER,
                                        **{str(path): f"{FOLDER}/{path.relative_to(top)}" for path in data}}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.staging.cleanup()


def _program(top: Path, staged: Path, name: str) -> Path:
    target = staged / "build" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    strip = "strip" if platform.machine() == MACHINE else f"{MACHINE}-linux-gnu-strip"
    subprocess.run([strip, "-o", target, top / BUILD / name], check=True)
    return target


def _iperf3(top: Path, staged: Path) -> Path:
    """The one of the checkout, or a new one, with its licences."""
    built, target = top / "build/iperf3", staged / "build/iperf3"
    if (built / "iperf3").exists():
        shutil.copytree(built, target)
    else:
        subprocess.run([top / "iperf3/build", target], check=True)
    return target / "iperf3"


def _kernel(top: Path, staged: Path, version: str) -> Path:
    """A built lab kernel, its configuration, what it was built of, and of the newest the kit, if there is one."""
    done = subprocess.run([top / "kernel/build", "--version", version, "--print-path"], capture_output=True, text=True,
                          check=True)
    built = Path(done.stdout.strip())
    target = staged / "kernel/built" / built.parent.name
    target.mkdir(parents=True)
    kit = ["kit.tar.xz"] if version == KERNELS[0] and built.with_name("kit.tar.xz").exists() else []
    for name in ("linux", "config", "key.json", *kit):
        shutil.copy2(built.parent / name, target)
    return target / "linux"


def _described(top: Path) -> str:
    return subprocess.run(["git", "-C", top, "describe", "--always", "--dirty"], capture_output=True, text=True,
                          check=True).stdout


def _glibc(programs: list[Path]) -> str:
    """The least glibc that has all symbols which the programs want, as a wheel's tag has it."""
    wanted = [match.groups() for program in programs for match in re.finditer(
        r"\bGLIBC_(\d+)\.(\d+)", subprocess.run(["readelf", "-W", "--version-info", program], capture_output=True,
                                                text=True, check=True).stdout)]
    return "_".join(map(str, max((int(major), int(minor)) for major, minor in wanted)))
