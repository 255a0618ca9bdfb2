# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep has to know of the lab that its runs execute in."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.labs import boot_check, kernels, own_control, virtual
from cellbed.labs.choices import KERNELS, ROOTLESS
from cellbed.labs.follow import Watch
from cellbed.labs.user_terminal import UserTerminal
from cellbed.paths import BUILD_COMMAND
from cellbed.run import congestion_control, tcp_profile
from cellbed.scenario.description import Run

Execute = Callable[[Path, dict[str, Any], int, Watch, UserTerminal | None], dict[str, Any]]


@dataclass(frozen=True)
class Lab:
    name: str
    kernel: str  # another one's results are other results
    side_by_side: bool  # in real time runs would disturb each other
    execute: Execute  # directory, description, CPU, watch, terminal; returns and raises as virtual.execute()
    controls: Callable[[dict[str, Any], bool], dict[str, str]] = lambda *_: {}  # as congestion_control.identities()
    try_out: Callable[[], None] = lambda: None  # before it executes; raises LabError when no run can start here


def suited(name: str, kernel: str | None, runs: Sequence[Run], controls: Sequence[Path] = ()) -> str | None:
    """The kernel that runs are to have: the one that is named; none means the newest, but where they switch RACK off,
    which is the newest that is built and can do without.

    Args:
        controls: congestion controls in C that it is to have, too.

    Raises:
        LabError: no such kernel is built, or it cannot have them.
    """
    chosen = _chosen(name, kernel, runs)
    return own_control.with_files(name, chosen, controls, runs) if controls else chosen


def _chosen(name: str, kernel: str | None, runs: Sequence[Run]) -> str | None:
    if name != "virtual" or kernel is not None or not _without_rack(runs):
        return kernel
    for version in _able(runs):
        with contextlib.suppress(LabError):
            kernels.find(version)
            return version
    raise LabError("these runs switch RACK off (net.ipv4.tcp_recovery 0 with SACK), which Linux allows up to 6.16, and "
                   f"no such lab kernel is built; run `{BUILD_COMMAND} --version {version_for(runs)}`")


def version_for(runs: Sequence[Run]) -> str:
    """The newest version of the lab kernel, built or not, that can do what the runs ask for."""
    return _able(runs)[0]


def _without_rack(runs: Sequence[Run]) -> bool:
    return any(tcp_profile.without_rack(run.settings["tcp"]) for run in runs)


def _able(runs: Sequence[Run]) -> list[str]:
    without_rack = _without_rack(runs)
    return [version for version in KERNELS if not without_rack or tcp_profile.can_do_without_rack(version)]


def prepare(name: str, kernel: str | None) -> Lab:
    """Look for what the lab needs.

    Raises:
        LabError: something is missing, or is not what it should be.
    """
    # A run in one lab does not wait for the import of the others.
    if name == "virtual":
        image = kernels.find(kernel)
        return Lab(name, image.parent.name, True, partial(virtual.execute, image),
                   try_out=partial(boot_check.boot_once, image))
    if name == "vm":
        from cellbed.labs import vm

        machine = vm.prepare(kernel or "")
        return Lab(name, machine.fingerprint(), False, partial(vm.execute, machine))
    from cellbed.labs import native

    native.check(name == ROOTLESS)
    own = os.uname()
    return Lab("native", f"{own.release} {own.version}", False, partial(native.execute, name == ROOTLESS),
               congestion_control.identities)
