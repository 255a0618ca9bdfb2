# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP tests that a kernel's own source has: packetdrill scripts of its version, and small programs."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from cellbed.error import LabError
from cellbed.host.programs import command
from cellbed.labs.lab_kernels import cache_root, source_stamp
from cellbed_kernel import building
from cellbed_kernel.conformance import packetdrill
from cellbed_kernel.conformance.guest import Test, inside

_SELFTESTS = Path("tools/testing/selftests")
# Programs, and the words with which each uses IPv4. Others of that name need devices and protocols that the lab kernel
# has not, or measure something and do not judge.
_PROGRAMS = {
    "tcp_fastopen_backup_key": ("-4", "-4s", "-4r", "-4sr"),
    "tcp_inq": ("-4",),
    "tcp_port_share": ("",),
}
# As the script beside it does before and after, which goes on to IPv6.
_FAST_OPEN = ("sysctl -q net.ipv4.tcp_fastopen=3 && {program} && "
              "nstat -asz TcpExtTCPFastOpenPassiveFail | grep -E 'PassiveFail +0 '")


def obtain(version: str, tree: Path | None) -> Path:
    """Folder of the selftests: of a source tree, or unpacked from the source of a lab kernel.

    Raises:
        LabError: that source is not here any more, and cannot be had.
    """
    if tree is not None:
        return tree / _SELFTESTS
    source = building.obtain(version)
    cache = cache_root().parent / "conformance"
    done = cache / f"selftests-{source_stamp(source).replace(':', '-')}"
    if not done.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=cache) as name:
            _unpack(source, Path(name))
            (Path(name) / _SELFTESTS).rename(done)
    return done


def _unpack(source: Path, folder: Path) -> None:
    """Only what tests of TCP need of a tarball."""
    wanted = [f"*/{_SELFTESTS}/{name}" for name in ("kselftest*", "net/tcp_*.c", "net/packetdrill")]
    done = subprocess.run([command("tar"), "-xf", source, "-C", folder, "--strip-components=1", "--wildcards", *wanted],
                          capture_output=True, text=True, check=False)
    # Older sources have no packetdrill scripts, which tar tells by its status.
    if not (folder / _SELFTESTS / "net").is_dir():
        raise LabError(f"{source}: no selftests can be unpacked: {done.stderr.strip()}")


def tests(selftests: Path, programs: Path, program: Path) -> list[Test]:
    """Scripts and programs; the latter are compiled.

    Args:
        programs: folder for what is compiled.
        program: packetdrill.
    """
    net = selftests / "net"
    scripts = [packetdrill.script(f"selftests/{path.name}", path, program)
               for path in sorted((net / "packetdrill").glob("tcp_*.pkt")) if packetdrill.over_ipv4(path)]
    compiled = {name: _compiled(net / f"{name}.c", programs / name) for name in _PROGRAMS
                if (net / f"{name}.c").exists()}
    return scripts + [_program(name, words, path) for name, path in compiled.items() for words in _PROGRAMS[name]]


def _compiled(source: Path, target: Path) -> Path:
    """Raises LabError with what the compiler says."""
    done = subprocess.run([command("gcc"), "-w", "-O1", "-D_GNU_SOURCE", "-I", source.parents[1], "-o", target, source,
                           "-lpthread"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(f"{source.name} cannot be compiled:\n{done.stderr.strip()}")
    return target


def _program(name: str, words: str, path: Path) -> Test:
    command = f"{inside(path)} {words}".strip()
    if name == "tcp_fastopen_backup_key":
        command = _FAST_OPEN.format(program=command)
    return Test(f"selftests/{name} {words}".strip(), path.parent, command)
