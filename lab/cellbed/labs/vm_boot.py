# SPDX-License-Identifier: GPL-2.0-or-later
"""What a virtual machine needs to boot a kernel image on the host's own file system.

That is an initial RAM file system with busybox, the drivers that the kernel has as modules, and vm-init.
"""

from __future__ import annotations

import gzip
import lzma
import shlex
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.host.process import finished
from cellbed_formats import named_file

# Ways to share a folder, the one that needs no daemon first: file system, its modules, mount options.
_SHARES = (("9p", ("9p", "9pnet_virtio"), ",trans=virtio,version=9p2000.L,msize=524288,cache=loose"),
           ("virtiofs", ("virtiofs",), ""))
_BUS = ("virtio_pci",)
# Loaded where the kernel has them: links, qdiscs, devices, congestion controls.
_LAB_MODULES = ("tun", "veth", "sch_htb", "sch_netem", "sch_red", "sch_tbf", "tcp_bbr", "tcp_bic", "tcp_htcp",
                "tcp_hybla", "tcp_illinois", "tcp_vegas", "tcp_veno", "tcp_westwood", "tcp_yeah")
INIT = Path(__file__).with_name("vm-init")
# Tags of the shared folders, as vm-init mounts them.
ROOT_TAG, BUNDLE_TAG = "root", "bundle"
_VERSION_AT = 0x20E  # Source: Linux, Documentation/arch/x86/boot.rst, kernel_version


def release(image: Path) -> str:
    """Release of a bzImage, from its header.

    Raises:
        LabError: no such file, or no bzImage.
    """
    try:
        with named_file.open_named(image) as file:
            head = file.read(0x8000)
    except OSError as error:
        raise LabError(f"--kernel {image}: {error.strerror}") from error
    if head[0x202:0x206] != b"HdrS":
        raise LabError(f"--kernel {image}: not a kernel image (bzImage) for x86; name one, such as "
                       "/boot/vmlinuz-$(uname -r)")
    at = int.from_bytes(head[_VERSION_AT:_VERSION_AT + 2], "little") + 0x200
    return head[at:head.index(b"\0", at)].decode().split()[0]


def find_modules(image: Path, version: str) -> Path | None:
    """Folder of a kernel's modules: beside its /boot, or this machine's; None: all is built in.

    Raises:
        LabError: there are modules, but not what depends on what.
    """
    for base in (image.parent.parent, image.parent, Path("/usr"), Path("/")):
        path = base / "lib/modules" / version
        if (path / "modules.dep").exists():
            return path
        if path.is_dir():
            raise LabError(f"{path}/modules.dep: missing; `depmod --basedir {base} {version}` writes it")
    return None


@dataclass(frozen=True)
class Drivers:
    """How the guest gets at the host's files, and the lab's modules that its kernel has; in the order of loading."""

    filesystem: str
    mount_options: str
    needed: tuple[Path, ...] = ()
    wanted: tuple[Path, ...] = ()


class _Tree:
    """What depmod wrote about a kernel's modules. Source: modules.dep(5)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.built_in = {_name(line) for line in (folder / "modules.builtin").read_text().splitlines()}
        lines = [line.partition(":") for line in (folder / "modules.dep").read_text().splitlines()]
        self.needs = {path: first.split() for path, _, first in lines}
        self.paths = {_name(path): path for path in self.needs}

    def has(self, name: str) -> bool:
        return name in self.built_in or name in self.paths

    def ordered(self, names: Iterable[str]) -> tuple[Path, ...]:
        """The modules of these names, each after what it needs; what is built in or missing is left out."""
        found: dict[str, None] = {}

        def add(path: str) -> None:
            for first in self.needs[path]:
                if first not in found:
                    add(first)
            found.setdefault(path)

        for name in names:
            if name in self.paths and name not in self.built_in:
                add(self.paths[name])
        return tuple(self.folder / path for path in found)


def drivers(modules: Path | None, controls: Iterable[str] = ()) -> Drivers:
    """What the guest loads.

    Args:
        controls: names of congestion controls that the run asks for.

    Raises:
        LabError: the kernel has no way to the host's files.
    """
    if modules is None:
        return Drivers(_SHARES[0][0], _SHARES[0][2])
    tree = _Tree(modules)
    wanted = [*_LAB_MODULES, *(f"tcp_{name}" for name in controls)]
    for filesystem, names, options in _SHARES:
        if all(tree.has(name) for name in (*_BUS, *names)):
            return Drivers(filesystem, options, tree.ordered([*_BUS, *names]), tree.ordered(wanted))
    raise LabError(f"{modules}: this kernel has neither 9p over virtio nor virtiofs; name another one with "
                   "--kernel")


def _name(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].replace("-", "_")


def _plain(module: Path) -> bytes:
    """A module without its compression, which busybox may not know."""
    data = module.read_bytes()
    if module.suffix == ".xz":
        return lzma.decompress(data)
    if module.suffix == ".gz":
        return gzip.decompress(data)
    if module.suffix == ".zst":
        return finished([programs.command("zstd"), "-dc", module])
    return data


def _entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0), number: int = 0) -> bytes:
    """One file of an archive. Source: Linux, Documentation/driver-api/early-userspace/buffer-format.rst."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def initramfs(found: Drivers, python: str, trial: bool = False) -> bytes:
    """The archive that the kernel unpacks and starts.

    Args:
        trial: the guest says boot_check.WORD on its console and ends.

    Raises:
        LabError: no static busybox.
    """
    busybox = programs.find("busybox")
    if busybox is None:
        raise LabError("busybox is missing; install it with `apt-get install busybox-static`")
    modules = {f"{path.name.partition('.')[0]}.ko": path for path in (*found.needed, *found.wanted)}
    settings = {"filesystem": found.filesystem, "mount_options": found.mount_options, "python": python,
                "needed_modules": _words(found.needed), "wanted_modules": _words(found.wanted),
                "trial": "yes" if trial else ""}
    files = {"init": (INIT.read_bytes(), 0o755),
             "bin/busybox": (Path(busybox).read_bytes(), 0o755),
             "settings": ("".join(f"{k}={shlex.quote(v)}\n" for k, v in settings.items()).encode(), 0o644)}
    files |= {f"modules/{name}": (_plain(path), 0o644) for name, path in modules.items()}
    parts = [_entry(folder, stat.S_IFDIR | 0o755) for folder in ("bin", "dev", "modules")]
    parts.append(_entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    parts += [_entry(name, stat.S_IFREG | mode, data, number=i)
              for i, (name, (data, mode)) in enumerate(files.items(), 1)]
    return b"".join(parts) + _entry("TRAILER!!!", 0)


def _words(modules: Iterable[Path]) -> str:
    return " ".join(f"{path.name.partition('.')[0]}.ko" for path in modules)
