# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lab kernels there are, what each is made of, and which of them are built.

Every command that executes a run asks this, and `kernel/build` before anything is installed: the standard library only.
`kernel/` builds what is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.host.process import finished
from cellbed.labs import given_kernels as given
from cellbed.paths import BUILD_COMMAND, IS_CHECKOUT, ROOT

# Folder of the patches and the configuration.
HERE = ROOT / "kernel"
# Newest first.
VERSIONS = ("7.3", "6.12", "6.1")
PACKAGED = Path("/usr/src")
TARBALL_SUFFIXES = ("xz", "bz2", "zst")
# The kernel's version string goes into its random pool: without these, two builds would give different bytes.
REPRODUCIBLE = {"KBUILD_BUILD_TIMESTAMP": "2020-01-01", "KBUILD_BUILD_USER": "cellbed", "KBUILD_BUILD_HOST": "cellbed",
                "KBUILD_BUILD_VERSION": "1", "LC_ALL": "C"}


def cache_root() -> Path:
    """Directory of all built kernels."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cellbed" / "kernel"


def kept() -> Path:
    """Folder of fetched sources."""
    return cache_root().parent / "source"


def found(version: str) -> Path | None:
    """The source of a version that is here already."""
    for folder in (PACKAGED, kept()):
        for suffix in TARBALL_SUFFIXES:
            path = folder / f"linux-source-{version}.tar.{suffix}"
            if path.exists():
                return path
    return None


def patches(version: str) -> list[Path]:
    """Those for every version, then those for all of one's first number or for it alone: 7 or 6.12."""
    own = [path for folder in _own(version) for path in folder.glob("*.patch")]
    return sorted((HERE / "patches").glob("*.patch")) + sorted(own)


def fragments(version: str) -> list[Path]:
    """Options for every version, then those that one has otherwise."""
    return [HERE / "config.fragment", *(path for folder in _own(version) for path in folder.glob("config.fragment"))]


def _own(version: str) -> list[Path]:
    return [HERE / "patches" / name for name in (version.partition(".")[0], version)]


def find_source(version: str, named: str | None) -> Path:
    """A tarball: what the user names, else the distribution's package, else what was fetched."""
    if named:
        path = Path(named).expanduser().resolve()
        if path.is_file():
            return path
        raise LabError(f"--source {named}: no such file")
    packaged = found(version)
    if packaged is None:
        raise LabError(f"no source of Linux {version}: {PACKAGED}/linux-source-{version}.tar.xz is missing; "
                         f"run `apt-get install linux-source-{version}` or name a tarball with --source")
    return packaged


def source_stamp(source: Path) -> str:
    """Identifies a packaged source without reading all of it."""
    st = source.stat()
    return f"{source.name}:{st.st_size}:{int(st.st_mtime)}"


def recipe(version: str) -> str:
    """Digest of what this checkout makes a kernel of."""
    digest = hashlib.sha256(json.dumps(REPRODUCIBLE).encode())
    for path in [*fragments(version), *patches(version)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def recipe_key(version: str) -> dict[str, str]:
    """Everything the binary depends on but its source. Raises LabError without a compiler."""
    try:
        compiler = finished([programs.command("gcc"), "--version"]).decode().splitlines()[0]
    except (LabError, IndexError):
        raise LabError("gcc is missing; run `apt-get install gcc make`") from None
    return {"version": version, "recipe": recipe(version), "compiler": compiler}


def build_key(version: str, source: Path) -> dict[str, str]:
    """Everything the binary depends on."""
    recipe = recipe_key(version)
    return {"version": recipe.pop("version"), "source": source_stamp(source), **recipe}


def key_dir(key: dict[str, str]) -> Path:
    text = json.dumps(key, sort_keys=True)
    return cache_root() / f"{key['version']}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def cached(version: str) -> Path | None:
    """The kernel that is built already: of the source that is here, else of the last one that was."""
    if source := found(version):
        folders = [key_dir(build_key(version, source))]
    else:
        wanted = recipe_key(version)
        folders = [path.parent for path in sorted(cache_root().glob(f"{version}-*/key.json"), key=os.path.getmtime)
                   if wanted.items() <= json.loads(path.read_text()).items()]
    built = [folder / "linux" for folder in folders if (folder / "linux").exists()]
    return built[-1] if built else None


def ready(version: str) -> Path | None:
    """A kernel that need not be built: it came with a wheel, was built before, or was given to this checkout."""
    shared = given.folders(HERE, version)
    if not IS_CHECKOUT and shared:
        return shared[0] / given.IMAGE
    fit = [folder / given.IMAGE for folder in shared if given.unfit(folder, recipe(version)) is None]
    try:
        return cached(version) or next(iter(fit), None)
    except LabError:
        if IS_CHECKOUT and not fit:
            raise
        return next(iter(fit), None)  # one's own kernels are known by the compiler, which not everybody has


def look(version: str | None) -> Path:
    """The built kernel of a version, or the newest one that is built.

    Raises:
        LabError: none is.
    """
    for candidate in [version] if version else VERSIONS:
        if path := ready(candidate):
            return path
        for folder in given.folders(HERE, candidate):
            raise LabError(f"{folder}: {given.unfit(folder, recipe(candidate))}; run `{BUILD_COMMAND} --version "
                             f"{candidate}`, which builds one of your own")
    where = f"neither {cache_root()} nor {given.place(HERE)} has one"
    if version is None:
        build = "make lab-kernel" if IS_CHECKOUT else BUILD_COMMAND
        raise LabError(f"no lab kernel is built: {where}; run `{build}`")
    raise LabError(f"the lab kernel {version} is not built: {where}; run `{BUILD_COMMAND} --version {version}`")
