# SPDX-License-Identifier: GPL-2.0-or-later
"""One more C file in a lab kernel that is built: compiled with its headers and flags, and linked to its objects.

A kit holds what that takes of a build, 6 MB in place of the tree's 1.7 GB: all objects linked into one, the headers
that were read, and the command that compiled a congestion control. User Mode Linux is linked as a program is, so the
file becomes a part of a kernel of its own, and the kernel that runs have without it stays as it is.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.given_kernels import KIT
from cellbed.labs.lab_kernels import cache_root
from cellbed_kernel.steps import environment
from cellbed_kernel.tree import compiler_errors, keep

#: All objects in one, what the link adds to them, and the link's script. Source: Linux, scripts/link-vmlinux.sh
_OBJECTS, _STAMP, _SCRIPT = "vmlinux.o", "init/version-timestamp.o", "arch/um/kernel/vmlinux.lds"
#: Has the command of a file like those that are to be compiled.
_COMMAND = "net/ipv4/.tcp_cubic.o.cmd"
#: Kbuild leaves it out of the headers of a file: it has its options there one by one.
#: Source: Linux, scripts/basic/fixdep.c
_OPTIONS = "include/generated/autoconf.h"
_HEADER = re.compile(r"^\s+([^/\s]\S*\.h)(?: \\)?$", re.MULTILINE)
#: Of the command: what names the file, the list of its headers, and what switches warnings off.
_OF_FILE = re.compile(r"-Wp,-MMD,.*|-D_*KBUILD_\w*=.*|-w|-c")
# Source: Linux, arch/um/Makefile, CFLAGS_vmlinux
_LINK = ("-no-pie", *(f"-Wl,--wrap,{name}" for name in ("malloc", "free", "calloc")), "-Wl,-m,elf_x86_64",
         "-Wl,-z,noexecstack")
_LIBRARIES = ("-lutil", "-lrt", "-lpthread")


def pack(tree: Path, target: Path) -> None:
    """Write the kit of a tree that is built."""
    headers = {os.path.normpath(name) for path in tree.rglob(".*.o.cmd")
               for name in _HEADER.findall(path.read_text(errors="replace"))}
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch, tarfile.open(target, "w:xz") as kit:
        small = Path(scratch, "objects")
        subprocess.run([programs.command("strip"), "--strip-debug", "-o", small, tree / _OBJECTS], check=True)
        kit.add(small, _OBJECTS)
        for name in (_STAMP, _SCRIPT, _COMMAND, _OPTIONS, *sorted(name for name in headers if (tree / name).exists())):
            kit.add(tree / name, name)


def unpacked(image: Path) -> Path:
    """The folder with the kit of a built kernel. Raises LabError when it came without one."""
    packed, folder = image.with_name(KIT), cache_root().parent / "kits" / image.parent.name
    if not packed.exists():
        raise LabError(f"{packed}: missing; a build of this kernel writes it")
    if not folder.exists() or folder.stat().st_mtime < packed.stat().st_mtime:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=folder.parent) as scratch:
            with tarfile.open(packed) as kit:
                kit.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
                kit.extractall(Path(scratch, "kit"))
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(Path(scratch, "kit"), folder)
            os.utime(folder)
    return folder


def linked(folder: Path, files: Sequence[Path], config: Path) -> Path:
    """A kernel with more files in it, in the cache by its content.

    Args:
        folder: a kit, or a tree that is built.
        files: in C.
        config: the kernel's configuration.

    Raises:
        LabError: what the compiler or the linker says.
    """
    with tempfile.TemporaryDirectory() as name:
        objects = [_compiled(folder, path, Path(name, f"{i}-{path.stem}.o")) for i, path in enumerate(files)]
        made = Path(name, "linux")
        _run([programs.command("gcc"), *_LINK, f"-Wl,--script={_SCRIPT}", "-o", str(made), "-Wl,--whole-archive",
              _OBJECTS, *map(str, objects), _STAMP, "-Wl,--no-whole-archive", *_LIBRARIES], folder,
             f"{', '.join(map(str, files))}: does not link")
        return keep(made, config)


def _compiled(folder: Path, path: Path, target: Path) -> Path:
    """The object of a file."""
    command = (folder / _COMMAND).read_text().partition(":=")[2].splitlines()[0]
    words = [word for word in shlex.split(command)[1:] if not _OF_FILE.fullmatch(word)]
    words = words[:words.index("-o")]
    name = f'"{path.stem}"'
    _run([programs.command("gcc"), *words, f"-DKBUILD_MODFILE={name}", f"-DKBUILD_BASENAME={name}",
          f"-DKBUILD_MODNAME={name}", f"-D__KBUILD_MODNAME=kmod_{path.stem}", f"-fmacro-prefix-map={path.parent}/=",
          "-c", "-o", str(target), str(path)], folder, f"{path}: does not compile")
    return target


def _run(command: list[str], folder: Path, failed: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        said = compiler_errors(done.stderr.splitlines(keepends=True)) or done.stderr.strip()
        raise LabError(f"{failed}:\n{said}")
