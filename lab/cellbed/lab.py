# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep has to know of the lab that its runs play in."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cellbed import congestion_control, lab_native, lab_virtual, lab_vm, paths, trial
from cellbed.caller import Caller
from cellbed.follow import Watch

Play = Callable[[Path, dict[str, Any], int, Watch, Caller | None], dict[str, Any]]


@dataclass(frozen=True)
class Lab:
    name: str
    kernel: str  # another one's results are other results
    side_by_side: bool  # in real time runs would disturb each other
    play: Play  # directory, description, CPU, watch, caller; returns and raises as lab_virtual.play()
    controls: Callable[[dict[str, Any], bool], dict[str, str]] = lambda *_: {}  # as congestion_control.identities()
    try_out: Callable[[], None] = lambda: None  # before it plays; raises LabError when no run can start here


def prepare(name: str, kernel: str | None) -> Lab:
    """Look for what the lab needs.

    Raises:
        LabError: something is missing, or is not what it should be.
    """
    if name == "virtual":
        image = paths.lab_kernel(kernel)
        return Lab(name, image.parent.name, True, partial(lab_virtual.play, image),
                   try_out=partial(trial.boot_once, image))
    if name == "vm":
        machine = lab_vm.prepare(kernel or "")
        return Lab(name, machine.fingerprint(), False, partial(lab_vm.play, machine))
    lab_native.check()
    machine = os.uname()
    return Lab(name, f"{machine.release} {machine.version}", False, lab_native.play, congestion_control.identities)
