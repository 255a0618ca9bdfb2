# SPDX-License-Identifier: GPL-2.0-or-later
"""What this machine is, for bug reports: what decides whether a lab starts and how well it runs."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import signal
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.labs import kernels
from cellbed.labs.choices import KERNELS
from cellbed.results import bundle

# Flags that decide how much state a process has, and whether this is a guest itself.
_CPU_FLAGS = ("hypervisor", "xsave", "avx", "avx2", "avx512f", "pku", "amx_tile")
_PTRACE_TRACEME, _PTRACE_GETREGSET = 0, 0x4204
_NT_X86_XSTATE = 0x202
_XSTATE_MAX_BYTES = 1 << 16
_TOOLS = {"tshark": ["tshark", "--version"], "gcc": ["gcc", "--version"], "clang": ["clang", "--version"],
          "qemu": ["qemu-system-x86_64", "--version"]}


def facts() -> dict[str, Any]:
    """By group; what cannot be found out is None or says why."""
    return {
        "cellbed": {"version": metadata.version("cellbed"), "git": bundle.git_describe()},
        "system": _system(),
        "cpu": _cpu(),
        "memory": _memory(),
        "rights": _rights(),
        "tools": {**bundle.tool_versions(),
                  **{name: bundle.first_line(command) for name, command in _TOOLS.items()}},
        "lab_kernels": {version: _lab_kernel(version) for version in KERNELS},
    }


def _read(path: str) -> str | None:
    with contextlib.suppress(OSError):
        return Path(path).read_text().strip()
    return None


def _fields(path: str) -> dict[str, str]:
    """The first value of each name in a file of lines `name: value`."""
    found: dict[str, str] = {}
    for line in (_read(path) or "").splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    return found


def _system() -> dict[str, Any]:
    try:
        distribution = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        distribution = None
    uname = os.uname()
    return {"distribution": distribution, "kernel": f"{uname.release} {uname.version}", "machine": uname.machine,
            "container": _container(), "virtual_machine": _virtual_machine(_cpu_flags())}


def _container() -> str | None:
    """Which kind of container this is in; None when there is no sign of one."""
    said = bundle.first_line(["systemd-detect-virt", "--container"])
    if said not in ("missing", "none"):
        return said
    signs = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
    return next((name for path, name in signs.items() if Path(path).exists()), None)


def _virtual_machine(flags: list[str]) -> str | None:
    """What this machine calls itself when it is a virtual one."""
    if "hypervisor" not in flags:
        return None
    product = " ".join(filter(None, (_read(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name"))))
    return product or "unknown"


def _cpu_flags() -> list[str]:
    return _fields("/proc/cpuinfo").get("flags", "").split()


def _cpu() -> dict[str, Any]:
    flags = _cpu_flags()
    return {"model": _fields("/proc/cpuinfo").get("model name"),
            "flags": [name for name in _CPU_FLAGS if name in flags],
            "xsave_bytes": xsave_bytes(), "count": os.cpu_count(), "usable": len(os.sched_getaffinity(0))}


class _Iovec(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def xsave_bytes() -> int | None:
    """How much extended state ptrace reads of a process of this machine, which UML has to keep; None: it may not."""
    libc = ctypes.CDLL(None)
    # The last two are pointers to the C library.
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    child = os.fork()
    if child == 0:
        libc.ptrace(_PTRACE_TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    _, status = os.waitpid(child, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        return None
    try:
        buffer = ctypes.create_string_buffer(_XSTATE_MAX_BYTES)
        state = _Iovec(ctypes.cast(buffer, ctypes.c_void_p), len(buffer))
        done = libc.ptrace(_PTRACE_GETREGSET, child, _NT_X86_XSTATE, ctypes.addressof(state))
        return state.length if done == 0 else None
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _memory() -> dict[str, Any]:
    info = _fields("/proc/meminfo")
    places = {str(Path.cwd()): "here", "/dev/shm": "/dev/shm", tempfile.gettempdir(): "temporary folder"}
    free = {}
    for path, name in places.items():
        with contextlib.suppress(OSError):
            free[name] = shutil.disk_usage(path).free >> 20
    return {**{name: int(info[key].split()[0]) >> 10 for key, name in
               (("MemTotal", "ram_mib"), ("MemAvailable", "ram_available_mib")) if key in info}, "free_mib": free}


def _rights() -> dict[str, Any]:
    status = _fields("/proc/self/status")
    return {"root": os.geteuid() == 0, "capabilities": status.get("CapEff"), "seccomp": status.get("Seccomp"),
            "no_new_privileges": status.get("NoNewPrivs"),
            "ptrace_scope": _read("/proc/sys/kernel/yama/ptrace_scope"),
            "user_namespaces": _read("/proc/sys/user/max_user_namespaces")}


def _lab_kernel(version: str) -> str:
    try:
        return str(kernels.find(version))
    except LabError as error:
        return str(error)
