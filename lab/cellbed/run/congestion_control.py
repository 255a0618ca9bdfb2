# SPDX-License-Identifier: GPL-2.0-or-later
"""Which congestion control each node and flow of a run has, and whether the kernel that executes it knows them.

A scenario may name any: what there is only the lab's kernel can say, with what was built into it, loaded as a module or
registered as BPF.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cellbed.error import LabError, told
from cellbed.host.process import Process, start_ready
from cellbed.host.regular import regular_file
from cellbed.run import tcp_profile

SYSCTL = "ipv4/tcp_congestion_control"
# Of a run that loads a congestion control: its copy of the BPF object.
OBJECT = "control.bpf.o"
_MODULES = Path("/sys/module")
# Those that may be built into a kernel, and are then part of its version.
_OF_LINUX = frozenset(("reno", "bic", "cubic", "westwood", "htcp", "hstcp", "hybla", "vegas", "nv", "scalable", "lp",
                       "veno", "yeah", "illinois", "dctcp", "prague", "cdg", "bbr", "bbr3"))
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
# Of CUBIC, in parts of _BETA_PARTS. Linux computes from it how fast it grows beside Reno, when it starts and only then:
# a value that is written to a kernel at work changes one half of CUBIC.
# Source: Linux 7.3, tcp_cubic.c, cubictcp_register() and bictcp_recalc_ssthresh()
_CUBIC_BETA, _BETA_WORD, _BETA_PARTS = _MODULES / "tcp_cubic/parameters/beta", "tcp_cubic.beta", 1024
_ELF = b"\x7fELF"
_NATIVE_HINT = "; `make native-lab` loads those that are modules, --load registers one of BPF, and the virtual lab " \
    "has all of Linux"


def of_hosts(settings: dict[str, Any]) -> str:
    """That of every host for which no command asks for another."""
    return tcp_profile.sysctls(settings["tcp"])[SYSCTL]


def by_command(settings: dict[str, Any], node: str) -> str | None:
    """What a command on @node asks for; the scenario makes sure that they agree."""
    return next((flow["congestion_control"] for flow in settings["traffic"]
                 if flow["kind"] == "command" and flow["node"] == node and flow["congestion_control"]), None)


def of_flow(settings: dict[str, Any], flow: dict[str, Any]) -> str | None:
    """What the sending socket of a transfer should have; None: it has no TCP."""
    if flow["transport"] == "udp":
        return None
    return flow["congestion_control"] or of_hosts(settings)


def of_socket(settings: dict[str, Any], flow: dict[str, Any]) -> str | None:
    """What a transfer has to set on its socket; None: what it gets on its node is right, or it has no TCP."""
    wanted, source = of_flow(settings, flow), flow["from"]
    given = by_command(settings, source) or of_hosts(settings)
    return wanted if settings["nodes"][source]["machine"] or wanted != given else None


def kernel_words(tcp: dict[str, Any]) -> list[str]:
    """What a guest's kernel has to be started with, as words of its command line."""
    return [] if tcp["cubic_beta"] is None else [f"{_BETA_WORD}={_beta_parts(tcp)}"]


def _beta_parts(tcp: dict[str, Any]) -> int:
    return round(tcp["cubic_beta"] * _BETA_PARTS)


def names(settings: dict[str, Any]) -> list[str]:
    """All that the run asks for."""
    return [name for _, name in _named(settings)]


def read(path: Path, lab: str) -> bytes:
    """The BPF object of --load.

    Raises:
        LabError: it cannot be read, or the lab has no use for it.
    """
    if lab == "virtual":
        raise LabError(f"--load {path}: works in the labs native and vm only: a kernel has struct_ops with a BPF JIT "
                       "only, and User Mode Linux has no BPF JIT; write it in C, and run it with --cc FILE.c")
    try:
        with open(path, "rb", opener=regular_file) as file:
            content = file.read()
    except OSError as error:
        raise LabError(f"--load {told(error)}") from error
    if not content.startswith(_ELF):
        raise LabError(f"--load {path}: not a BPF object, as `clang -target bpf -g -O2 -c` makes it")
    return content


def identities(settings: dict[str, Any], loaded: bool) -> dict[str, str]:
    """What tells the controls of a run on this kernel from others of the same names.

    Args:
        loaded: the run registers one by --load, which is known by its file.

    Returns:
        Build id of each one that is a module. One that is neither Linux's own nor a module has been registered as BPF
        by somebody: nothing tells it from the next one of that name, so the time makes each such run another one.
    """
    found = {}
    for name in dict.fromkeys(names(settings)):
        module = _MODULES / f"tcp_{name}"
        build_id = module / "notes/.note.gnu.build-id"
        if build_id.exists():
            found[f"module {module.name}"] = build_id.read_bytes()[-20:].hex()
        elif not module.exists() and name not in _OF_LINUX and not loaded:
            found[f"congestion control {name}"] = f"registered by somebody, seen at {time.time_ns()} ns"
    return found


def register(program: str, folder: Path) -> Process:
    """Register the congestion controls of the run's BPF object, as long as the process runs.

    Raises:
        LabError: the kernel refuses them, and why.
    """
    before = _AVAILABLE.read_text().split()
    log = folder / "log"
    try:
        loader = start_ready("ccload", lambda fd: [program, str(folder / OBJECT), "--ready-fd", str(fd)], log)
    except LabError:
        raise LabError(f"--load: {_refusal(log.read_text(errors='replace').splitlines())}") from None
    # Network namespaces may choose what is allowed; that is a property of the control and goes with it.
    new = [name for name in _AVAILABLE.read_text().split() if name not in before]
    with contextlib.suppress(OSError):
        _ALLOWED.write_text(" ".join([*_ALLOWED.read_text().split(), *new]))
    return loader


def _refusal(said: list[str]) -> str:
    """What tells most of what the loader, libbpf and the kernel's verifier said."""
    verdict = next((i for i, line in enumerate(said) if line.startswith("processed ")), 0)
    source = next((line for line in reversed(said[:verdict]) if line.startswith("; ")), "")
    why = [f"the verifier: {said[verdict - 1]} at `{source[2:]}`"] if verdict else []
    last = [line.rpartition(f"{OBJECT}: ")[2] for line in said if line.startswith("ccload: ")][-1:]
    return "; ".join([*last, *why]) or "it printed nothing"


def check(settings: dict[str, Any], native: bool) -> None:
    """Raises LabError when this kernel lacks one that the run asks for."""
    available = _AVAILABLE.read_text().split()
    for key, name in _named(settings):
        if name not in available:
            raise LabError(f"key '{key}': value {name}: this kernel has {', '.join(available)}"
                           f"{_NATIVE_HINT if native else ''}")
    if settings["tcp"]["cubic_beta"] is not None:
        _check_cubic_beta(settings["tcp"], native)


def _check_cubic_beta(tcp: dict[str, Any], native: bool) -> None:
    """Raises LabError when this kernel was started with another one."""
    value = f"key 'tcp.cubic_beta': value {tcp['cubic_beta']:g}"
    try:
        parts = int(_CUBIC_BETA.read_text())
    except (OSError, ValueError):
        raise LabError(f"{value}: this kernel has no {_CUBIC_BETA}; allowed null") from None
    if parts != _beta_parts(tcp):
        hint = "; the virtual lab does so for each run" if native else ""
        raise LabError(f"{value}: this kernel has {parts / _BETA_PARTS:.3g}; allowed null, or a kernel started with "
                       f"{kernel_words(tcp)[0]}{hint}")


def _named(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Key and value of every place that names one."""
    chosen = tcp_profile.chosen(settings["tcp"])
    yield "tcp.sysctls" if SYSCTL in chosen else "tcp.congestion_control", of_hosts(settings)
    for i, flow in enumerate(settings["traffic"]):
        if flow["congestion_control"] is not None:
            yield f"traffic.{i}.congestion_control", flow["congestion_control"]
