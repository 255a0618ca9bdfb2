# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels of the virtual lab: those that are built here, and one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from cellbed.error import LabError
from cellbed.host.process import how_it_ended
from cellbed.host.python_child import python_command
from cellbed.labs import lab_kernels
from cellbed.labs.choices import KERNELS
from cellbed.paths import BUILD_COMMAND

_MACHINE = "x86_64"


def find(kernel: str | None) -> Path:
    """A kernel of the virtual lab: the cached one of a version, or one's own, in the cache by its content.

    Args:
        kernel: one of choices.KERNELS, a kernel built for User Mode Linux, or a source tree, which is built first;
            None: the newest version that is built here.

    Raises:
        LabError: not built yet, with how to build it; no such kernel; what the compiler says; or no machine for it.
    """
    if (machine := os.uname().machine) != _MACHINE:
        raise LabError(f"the virtual lab needs x86-64, as User Mode Linux does, and this machine is {machine}; "
                       "use --lab native")
    if kernel in (None, *KERNELS):
        return lab_kernels.look(kernel)
    return _made("--source" if Path(kernel).expanduser().is_dir() else "--image", kernel)


def linked(kernel: str | None, files: Sequence[Path]) -> Path:
    """A lab kernel, or that of a source tree, with more files compiled into it.

    Raises:
        LabError: what the compiler says; or the kernel is one that somebody else built.
    """
    if kernel not in (None, *KERNELS) and not Path(kernel).expanduser().is_dir():
        raise LabError(f"--kernel {kernel}: of this kernel there are no objects; allowed {', '.join(KERNELS)}, or a "
                       "source tree of Linux")
    of = [] if kernel is None else ["--version" if kernel in KERNELS else "--source", kernel]
    return _made(*of, *(word for path in files for word in ("--with", str(path))))


def build(version: str) -> Path:
    """A lab kernel of a version, which is compiled where it is not built yet.

    Raises:
        LabError: its source is not here and cannot be fetched, or what the compiler says.
    """
    return _made("--version", version)


def _made(*which: str) -> Path:
    with subprocess.Popen(python_command("cellbed_kernel", *which), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as build:
        assert build.stdout is not None and build.stderr is not None
        wrong = _passed_on(build.stderr)
        said = build.stdout.read()
    if build.returncode:
        text, _, detail = wrong.partition("\n")
        raise LabError(text or f"the build of the lab kernel {how_it_ended(build.returncode)}", detail)
    return Path(said.strip().splitlines()[-1])


def default() -> str:
    """The version that a run takes when none is named: the newest that is built here. Raises LabError when none is."""
    return find(None).parent.name.partition("-")[0]


def _passed_on(stderr: IO[str]) -> str:
    """What the command says goes to the user at once. Return: its error, which it says last."""
    prefix, error = f"{BUILD_COMMAND}: ", ""
    for line in stderr:
        if error or line.startswith(prefix):
            error += line.removeprefix(prefix)
        else:
            print(line, end="", file=sys.stderr, flush=True)
    return error.strip()
