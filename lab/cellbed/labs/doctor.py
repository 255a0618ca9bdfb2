# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed doctor`: what this machine can run, and what to do about what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed.error import PACKAGES, LabError
from cellbed.host import cgroup, programs
from cellbed.host.process import how_it_ended
from cellbed.labs import boot_check, kernels, machine, native
from cellbed.labs.choices import LABS
from cellbed.run import shaping

_NEEDED_BYTES = 2 << 30
_START_DEADLINE_S = 20.0


@dataclass(frozen=True)
class Check:
    what: str
    ok: bool
    detail: str
    labs: tuple[str, ...] = LABS  # that cannot run without it


def _program(name: str, package: str, labs: tuple[str, ...] = LABS, why: str = "", ask: str = "--version",
             own: Path | None = None) -> Check:
    """A program, which is started: it can be there and lack a library, or be one of another machine.

    Args:
        ask: an argument with which it ends by itself, and well.
        own: cellbed's, which is taken if it is there.
    """
    found = str(own) if own is not None and own.exists() else programs.find(name)
    if found is None:
        return Check(name, False, f"install it with `apt-get install {package}`{why}", labs)
    refusal = _start(found, ask)
    return Check(name, refusal is None, found if refusal is None else f"{found} {refusal}", labs)


def _start(program: str, *words: str) -> str | None:
    """Start a program for a moment. Return: what went wrong, or None."""
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, errors="replace", check=False,
                              stdin=subprocess.DEVNULL, timeout=_START_DEADLINE_S)
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"does not end within {_START_DEADLINE_S:.0f} s"
    said = (done.stderr + done.stdout).strip().splitlines() or ["(it printed nothing)"]
    return None if done.returncode == 0 else f"{how_it_ended(done.returncode)}: {said[-1]}"


def _built() -> Check:
    try:
        for name, path in paths.programs().items():
            if refusal := _start(path, "--help"):
                return Check(name, False, f"{path} {refusal}")
        return Check(", ".join(paths.PROGRAMS), True, str(paths.BUILD))
    except LabError as error:
        return Check("celld, tcpwatch", False, str(error))


def _kernel() -> Check:
    """The one of runs that name none, started for a moment: it can be built and yet not start on this machine."""
    try:
        kernel = kernels.find(None)
        boot_check.boot(kernel)
        return Check("lab kernel", True, f"{kernel.parent.name.partition('-')[0]}: {kernel}, started for a trial",
                     ("virtual",))
    except LabError as error:
        return Check("lab kernel", False, str(error), ("virtual",))


def _ptrace() -> Check:
    """Lab kernels before 7 trace their programs, later ones do where this machine forbids seccomp filters."""
    scope = Path("/proc/sys/kernel/yama/ptrace_scope")
    value = scope.read_text().strip() if scope.exists() else "0"
    return Check("ptrace of own children", value in "012", f"yama/ptrace_scope is {value}"
                 + ("" if value in "012" else "; a lab kernel needs 2 or less, unless it has seccomp filters"), ())


def _cgroup() -> Check:
    """In a container it may be there and not be writable."""
    root = cgroup.mount_point()
    if root is None:
        return Check("cgroup v2", False, "mount one with `mount -t cgroup2 none /sys/fs/cgroup/unified`", ("native",))
    ok = os.access(root, os.W_OK)
    return Check("cgroup v2", ok, str(root) if ok else f"{root} is not writable here", ("native",))


def _namespaces() -> Check:
    done = subprocess.run([programs.command("unshare"), "--net", programs.command("true")], capture_output=True,
                          text=True, check=False)
    return Check("network namespaces", done.returncode == 0, "allowed" if done.returncode == 0
                 else f"{done.stderr.strip()}; root of a container needs CAP_SYS_ADMIN and CAP_NET_ADMIN", ("native",))


def _tun() -> Check:
    ok = os.access("/dev/net/tun", os.R_OK | os.W_OK)
    return Check("/dev/net/tun", ok, "ready" if ok else "missing or not allowed: `modprobe tun`, or run as root",
                 ("native",))


def _root() -> Check:
    ok = os.geteuid() == 0
    return Check("root", ok, "yes" if ok else "no: the native lab needs it (the virtual lab does not)", ("native",))


def _rootless() -> Check:
    """What links without root need."""
    try:
        native.check(without_root=True)
        return Check("links without root", True, "can be run", ())
    except LabError as error:
        return Check("links without root", False, str(error), ())


def _bpf() -> Check:
    done = subprocess.run([programs.command("bpftool"), "feature", "probe", "kernel"], capture_output=True, text=True,
                          check=False) if programs.find("bpftool") and os.geteuid() == 0 else None
    if done is None:
        return Check("BPF sock_ops, cgroup_skb", os.geteuid() == 0, "not probed: needs root and bpftool", ("native",))
    ok = all(f"eBPF program_type {kind} is available" in done.stdout for kind in ("sock_ops", "cgroup_skb"))
    return Check("BPF sock_ops, cgroup_skb", ok, "available" if ok else "this kernel lacks CONFIG_CGROUP_BPF",
                 ("native",))


def _qdisc(kind: str) -> Check:
    """What some wired links need natively; the lab kernel has it."""
    if os.geteuid() != 0:
        return Check(f"qdisc {kind}", True, "not probed: needs root", ())
    ok = shaping.available(kind)
    without = shaping.WITHOUT[kind]
    return Check(f"qdisc {kind}", ok, "available" if ok
                 else f"not in this kernel: natively, links work without {without} only; the virtual lab has it", ())


def _congestion_controls() -> Check:
    """What a native run may choose: its hosts are network namespaces."""
    allowed = native.congestion_controls("allowed")
    refused = [name for name in native.congestion_controls() if name not in allowed]
    return Check("congestion controls", not refused, f"native: {', '.join(allowed)}; "
                 + (f"not allowed there: {', '.join(refused)}, which `make native-lab` changes; " if refused else "")
                 + "virtual: all of Linux", ())


def _space() -> Check:
    free = shutil.disk_usage(".").free
    return Check("disk space", free > _NEEDED_BYTES, f"{free >> 20} MiB free here"
                 + ("" if free > _NEEDED_BYTES else "; a results folder should have 2 GiB"), ())


def checks() -> list[Check]:
    """Every check of this machine."""
    return [
        _program("iperf3", PACKAGES["iperf3"], own=paths.IPERF3),
        _program("ip", PACKAGES["ip"], ask="-V"), _program("tc", PACKAGES["tc"], ask="-V"),
        _program("mnexec", "mininet", (), " for scripts of Mininet", ask="-v"),
        _program("tshark", "tshark", (), " to look at captures"), _built(), _kernel(), _ptrace(), _root(), _tun(),
        _cgroup(), _namespaces(), _rootless(), _bpf(), _qdisc("netem"), _qdisc("red"), _space(),
        _program("qemu-system-x86_64", "qemu-system-x86", ("vm",)),
        _program("busybox", "busybox-static", ("vm",), ask="--help"),
        _congestion_controls(),
        Check("CPUs", True, f"{len(os.sched_getaffinity(0))}: as many virtual labs can run at once", ()),
    ]


def usable(results: list[Check]) -> dict[str, bool]:
    """Which labs can run."""
    return {lab: all(c.ok for c in results if lab in c.labs) for lab in LABS}


def why_not(lab: str, results: list[Check]) -> str:
    """What keeps a lab from running, in one line; "" when it can."""
    return "; ".join(f"{c.what}: {c.detail}" for c in results if lab in c.labs and not c.ok)


def report(results: list[Check]) -> dict[str, Any]:
    """The checks and what this machine is, for a bug report."""
    return {**machine.facts(), "labs": usable(results), "checks": [asdict(c) for c in results]}
