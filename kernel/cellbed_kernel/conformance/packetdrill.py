# SPDX-License-Identifier: GPL-2.0-or-later
"""packetdrill, which is fetched and built, not part of this project; and its public TCP scripts."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.lab_kernels import cache_root
from cellbed_kernel.conformance.guest import Test, inside
from cellbed_kernel.steps import environment

PUBLIC = "https://github.com/google/packetdrill"
# Each lab kernel's has the struct tcp_info of its time: packetdrill demands all fields that it knows.
COMMITS = {
    "7.3": "2c4001c4d6fc04a3bbd01d4b92be62717a37648a",
    "6.12": "1866fd111a6197f83f7fcdbb58dbe63936e2dad2",
    "6.1": "f88d6e64ffbee1c893e60d33c043f8ec9027f642",
}
_NET = Path("gtests/net")
# The cookies follow from the key that the scripts set and these addresses, by the kernel's SipHash.
_IPV4 = ("--ip_version=ipv4 --local_ip=192.168.0.1 --gateway_ip=192.168.0.1 --netmask_ip=255.255.0.0 "
         "--remote_ip=192.0.2.1 -D TFO_COOKIE=3021b9d889017eeb -D TFO_COOKIE_ZERO=b7c12350a90dc8f5 "
         "-D CODE=host_unreachable -D CMSG_LEVEL_IP=SOL_IP -D CMSG_TYPE_RECVERR=IP_RECVERR")


def _run(program: str, *words: str | Path, cwd: Path) -> None:
    """Raises LabError with what the program said last."""
    done = subprocess.run([programs.command(program) if "/" not in program else program, *words], cwd=cwd,
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**environment(), "GIT_TERMINAL_PROMPT": "0"})
    if done.returncode:
        raise LabError(((done.stderr + done.stdout).strip().splitlines() or [f"status {done.returncode}"])[-1])


def _fetch(where: str, commit: str, folder: Path) -> None:
    """Clone a repository and check the commit out. Raises LabError."""
    try:
        _run("git", "clone", "--quiet", "--no-checkout", where, folder, cwd=folder.parent)
    except (LabError, OSError) as error:
        raise LabError(f"packetdrill cannot be fetched: {error}; name a copy with PACKETDRILL=FOLDER") from None
    try:
        _run("git", "checkout", "--quiet", commit, cwd=folder)
    except LabError:
        raise LabError(f"packetdrill of {where} has no commit {commit[:12]}: fetch it, or name another copy with "
                         "PACKETDRILL=FOLDER") from None


def cached(version: str) -> Path:
    """Where the packetdrill for a lab kernel is once it is built."""
    return cache_root().parent / "conformance" / f"packetdrill-{COMMITS[version][:12]}"


def obtain(version: str, where: str | None) -> Path:
    """The built packetdrill for a lab kernel, which is fetched and built when it is not in the cache yet.

    Args:
        where: a git repository: a copy of the public one, or its address; None: the public one.

    Returns:
        The folder with its tests, below which it is itself.

    Raises:
        LabError: it cannot be had or built.
    """
    done = cached(version)
    if done.exists():
        return done / _NET
    done.parent.mkdir(parents=True, exist_ok=True)
    # A relative path of git's is relative to where it runs.
    source = str(Path(where).expanduser().resolve()) if where and Path(where).expanduser().exists() else where
    with tempfile.TemporaryDirectory(prefix=".building-", dir=done.parent) as name:
        copy = Path(name) / "packetdrill"
        _fetch(source or PUBLIC, COMMITS[version], copy)
        build = copy / _NET / "packetdrill"
        try:
            _run("./configure", cwd=build)
            # Its own flags make warnings of newer compilers errors.
            _run("make", f"-j{os.cpu_count()}", "packetdrill", "CFLAGS=-O1 -g", cwd=build)
        except (LabError, OSError) as error:
            raise LabError(f"packetdrill cannot be built: {error}") from None
        shutil.rmtree(copy / ".git")
        copy.rename(done)
    return done / _NET


def program(net: Path) -> Path:
    return net / "packetdrill/packetdrill"


def script(name: str, path: Path, packetdrill: Path, options: str = "") -> Test:
    """A script as a test, in the folder that it takes its settings from."""
    return Test(name, path.parent, f"{inside(packetdrill)} {options} {_IPV4} {shlex.quote(path.name)}")


def over_ipv4(path: Path) -> bool:
    """Whether a script can be run over IPv4, as all traffic of the labs."""
    return not path.name.endswith("v6.pkt") and not re.search(r"^--ip_version=ipv6", path.read_text(), re.MULTILINE)


def tests(net: Path) -> list[Test]:
    """The public scripts over TCP."""
    return [script(f"packetdrill/{path.relative_to(net / 'tcp')}", path, program(net), "--send_omit_free")
            for path in sorted((net / "tcp").rglob("*.pkt")) if over_ipv4(path)]
