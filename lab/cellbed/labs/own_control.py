# SPDX-License-Identifier: GPL-2.0-or-later
"""A congestion control of one's own in C, compiled into the kernel of the virtual lab (`--cc FILE.c`).

What it registers, and what the kernel refuses, a trial boot tells: it takes a tenth of a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cellbed.error import LabError
from cellbed.labs import boot_check, kernels
from cellbed.run import congestion_control
from cellbed.scenario.description import Run

OPTION = "--cc"
_HAS, _SAID = "cellbed: has", "cellbed: said"
# What the kernel has, and what its TCP said of what it refused.
_TELL = f"""mount -t proc proc /proc
echo "{_HAS} $(cat /proc/sys/net/ipv4/tcp_available_congestion_control)"
dmesg | sed -n 's/^.*TCP: /{_SAID} /p'
"""
_EXISTS = re.compile(rf"^{_SAID} (\S+) already registered", re.MULTILINE)
_INCOMPLETE = re.compile(rf"^{_SAID} (\S+) does not implement required ops", re.MULTILINE)


def with_files(lab: str, kernel: str | None, files: Sequence[Path], runs: Sequence[Run]) -> str:
    """The kernel that runs are to have, with congestion controls of files in C.

    Raises:
        LabError: the lab has another kernel; the compiler refuses a file, or the kernel what it registers; no run uses
            it.
    """
    if lab != "virtual":
        raise LabError(f"{OPTION} {files[0]}: is compiled into the kernel of the virtual lab; the {lab} lab has "
                       "another, which takes a BPF object by --load, or a module that you load there")
    image = kernels.find(kernel)
    before, _ = _booted(image)
    used = {name for run in runs for name in congestion_control.names(run.settings)}
    for n, path in enumerate(files, 1):
        try:
            image = kernels.linked(kernel, files[:n])
        except LabError as error:
            raise LabError(f"{OPTION} {error}", error.detail) from None
        has, said = _booted(image)
        new = [name for name in has if name not in before]
        if not new:
            raise LabError(f"{OPTION} {path}: {_why_none(said)}")
        if not used & set(new):
            raise LabError(f"{OPTION} {path}: no run uses {', '.join(new)}, which it registers; add --set "
                           f"tcp.congestion_control={new[0]}, or name it in the scenario")
        before = has
    return str(image)


def _booted(image: Path) -> tuple[list[str], str]:
    """The congestion controls of a kernel, and all that its console says. Raises LabError when it does not start."""
    with boot_check.started(image, _TELL) as (guest, console):
        try:
            boot_check.await_word(guest, console)
        except LabError as error:
            raise LabError(f"the kernel with it does not start: {error}") from None
        text = console.read_text(errors="replace")
    has = re.search(rf"^{_HAS} (.*)$", text, re.MULTILINE)
    return has[1].split() if has is not None else [], text


def _why_none(said: str) -> str:
    if name := _EXISTS.search(said):
        return f"the kernel has a congestion control '{name[1]}' already; give yours another .name"
    if name := _INCOMPLETE.search(said):
        return f"the kernel refuses '{name[1]}': it needs .ssthresh, .undo_cwnd, and .cong_avoid or .cong_control"
    return "registers no congestion control; call tcp_register_congestion_control() in its module_init()"
