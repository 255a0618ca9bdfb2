# SPDX-License-Identifier: GPL-2.0-or-later
"""What a host gets to run with, as an archive: this machine's own programs, kernel, code and Python packages.

A host needs the same Python and iproute2, and iperf3 where this machine has none of cellbed's own. Layout as of an
installed wheel, in `site/`.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import cellbed_channel
import cellbed_formats
from cellbed import paths
from cellbed.error import CellbedError
from cellbed.labs import kernels

# Third-party packages that the runner imports. Channels are rendered here, so numpy is not among them.
_OTHERS = ("pydantic", "PyYAML", "zstandard")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_COMPRESSION = 1


def archive(kernel: str) -> bytes:
    """All of it, with the lab kernel of a version.

    Raises:
        CellbedError: something is not built, or not installed so that its files are known.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=_COMPRESSION) as tar:
        for name, path in [*_own(), *_built(kernel), *_others()]:
            tar.add(path, f"site/{name}", recursive=False, filter=_plain)
        _add_metadata(tar)
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _own() -> Iterator[tuple[str, Path]]:
    for package in (Path(paths.__file__).parent, *(Path(module.__file__ or "").parent
                                                   for module in (cellbed_channel, cellbed_formats))):
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{package.name}/{path.relative_to(package)}", path


def _built(kernel: str) -> Iterator[tuple[str, Path]]:
    """Where cellbed.paths looks for it beside a package."""
    paths.programs()
    for path in (*paths.PROGRAMS.values(), *([paths.IPERF3] if paths.IPERF3.exists() else [])):
        yield f"cellbed_files/build/{path.relative_to(paths.BUILD)}", path
    image = kernels.find(kernel)
    for path in (image, image.with_name("config")):
        yield f"cellbed_files/kernel/built/{image.parent.name}/{path.name}", path


def _others() -> Iterator[tuple[str, Path]]:
    """Files of other packages, with those that these need."""
    left, known = list(_OTHERS), set()
    while left:
        name = left.pop()
        if (spelled := name.lower().replace("_", "-")) in known:
            continue
        known.add(spelled)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for other systems, or older versions of Python
        if package.files is None:
            raise CellbedError(f"--on: {name} is of a package that does not list its files; install cellbed with pip")
        left += [found[0] for need in package.requires or () if "extra ==" not in need
                 and (found := _NAME.match(need)) is not None]
        for file in package.files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                yield str(file), Path(str(file.locate()))


def _add_metadata(tar: tarfile.TarFile) -> None:
    """By which importlib.metadata knows the version, also of a checkout."""
    version = metadata.version("cellbed")
    text = f"Metadata-Version: 2.1\nName: cellbed\nVersion: {version}\n".encode()
    member = tarfile.TarInfo(f"site/cellbed-{version}.dist-info/METADATA")
    member.size = len(text)
    tar.addfile(member, io.BytesIO(text))
