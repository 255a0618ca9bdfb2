# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `kernel/build`: build the lab kernel, a Linux for ARCH=um with virtual time, cached per configuration.

Without a checkout it is `python -m cellbed_kernel`.
The last line on stdout is the path of the binary; progress goes to stderr.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from cellbed.error import LabError, told
from cellbed.labs import given_kernels as given
from cellbed.labs.lab_kernels import VERSIONS, look, ready, recipe
from cellbed.paths import BUILD_COMMAND
from cellbed_kernel import kit, tree
from cellbed_kernel.building import available, built, obtain, with_kit


def user_tree(named: str) -> Path:
    path = Path(named).expanduser().resolve()
    if not (path / "arch" / "um" / "Kconfig").exists():
        raise LabError(f"{named}: not a source tree of Linux: it has no arch/um")
    return path


def user_kernel(named: str) -> Path:
    """Raises LabError for what no User Mode Linux is."""
    path = Path(named).expanduser().resolve()
    try:
        with open(path, "rb") as file:
            head = file.read(4)
    except OSError as error:
        raise LabError(f"{named}: {error.strerror}") from error
    if head != b"\x7fELF" or not os.access(path, os.X_OK):
        raise LabError(f"{named}: not a kernel built for User Mode Linux (`make ARCH=um`), which is a program")
    return path


def _files(named: list[Path]) -> list[Path]:
    """Files in C by their whole paths. Raises LabError for others."""
    for path in named:
        if path.suffix != ".c" or not path.stem.isidentifier():
            raise LabError(f"{path}: expected a file in C whose name is a word, such as tcp_foo.c")
        if not path.is_file():
            raise LabError(f"{path}: no such file")
    return [path.resolve() for path in named]


def _with(named: list[Path] | None, image: Path, folder: Callable[[], Path]) -> Path:
    """A built kernel, or with files in C the one that also has these; @folder: of what the kernel was linked."""
    return kit.linked(folder(), _files(named), image.with_name("config")) if named else image


def wanted_versions(args: argparse.Namespace) -> list[str]:
    """Raises LabError when there is none."""
    if args.version:
        return [args.version]
    if args.source:
        return [next((version for version in VERSIONS if f"-{version}." in Path(args.source).name), VERSIONS[0])]
    versions = available(first=not args.all)
    if not versions:
        raise LabError("no source of Linux is here or can be fetched; name a tarball of kernel.org with --source")
    return versions


def _given(image: Path, checkout: Path | None) -> Path:
    """Give a kernel to a checkout that has not this one. Raises LabError when it cannot be written."""
    version = image.parent.name.partition("-")[0]
    there = [] if checkout is None else given.folders(checkout.resolve() / "kernel", version)
    has_it = any(folder.name == image.parent.name and given.unfit(folder, recipe(version)) is None for folder in there)
    if checkout is not None and not has_it:
        try:
            given.give(image, checkout.resolve())
        except OSError as error:
            raise LabError(f"--give {checkout}: {error.filename}: {error.strerror}") from error
    return image


def main() -> int:
    parser = argparse.ArgumentParser(prog="build", description=__doc__.splitlines()[0])
    parser.add_argument("--version", choices=VERSIONS, help="default: the newest whose source can be had")
    parser.add_argument("--all", action="store_true", help="every version whose source can be had")
    parser.add_argument("--source", help="kernel tree, of which only what has changed is built, or tarball, "
                        "instead of the distribution's linux-source package")
    parser.add_argument("--image", help="built kernel: only keep it in the cache")
    parser.add_argument("--with", dest="more", metavar="FILE.c", type=Path, action="append", help="compile this file, "
                        "such as a congestion control, into a kernel that is built. May be repeated")
    parser.add_argument("--kit", action="store_true", help="only make sure that --with can be used")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--give", metavar="CHECKOUT", type=Path, help="also put it into kernel/built of a "
                        "checkout, where its other users find it")
    parser.add_argument("--print-path", action="store_true", help="only print the path, without "
                        "--version that of the newest that is built; exit 1 when there is none")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if args.image:
            print(tree.keep(user_kernel(args.image), None))
            return 0
        if args.source and Path(args.source).expanduser().is_dir():
            source = user_tree(args.source)
            image = tree.built(source, args.jobs)
            print(_with(args.more, image, lambda: tree.Copy(source).source))
            return 0
        if args.more or args.kit:
            image = with_kit(args.version, args.jobs)
            print(_with(args.more, image, lambda: kit.unpacked(image)))
            return 0
        if args.print_path:
            print(_given(look(args.version), args.give))
            return 0
        for version in wanted_versions(args):
            image = (not args.source and ready(version)) or built(version, obtain(version, args.source), args.jobs)
            print(_given(image, args.give))
        return 0
    except LabError as error:
        print(f"{BUILD_COMMAND}: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # a program that is missing, a full disk
        print(f"{BUILD_COMMAND}: {told(error, 'the system')}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{BUILD_COMMAND}: interrupted; nothing was left behind", file=sys.stderr)
        return 130
