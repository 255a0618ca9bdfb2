# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages from Debian's archive: sources of Linux, for versions that no package has put here, and libraries.

They are taken from the mirror that this machine uses: without root, with lists of its own, verified by Debian's
keyring. Nothing that belongs to the machine's apt is written.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from cellbed.host import programs
from cellbed.labs.lab_kernels import TARBALL_SUFFIXES, kept

# Suites of Debian that have a version, whichever release this machine runs.
SUITES = {"7.3": ("trixie-backports", "sid"), "6.12": ("trixie",), "6.1": ("bookworm",)}
KEYRINGS = tuple(Path(f"/usr/share/keyrings/debian-archive-keyring.{ending}") for ending in ("gpg", "pgp"))
# Programs that an update of the machine's own lists would start are not ours to start. A machine that is offline is to
# find that out soon.
_SETTINGS = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets;
Acquire::IndexTargets::deb::Packages {{ MetaKey "$(COMPONENT)/binary-$(ARCHITECTURE)/Packages"; \
ShortDescription "Packages"; }};
Acquire::Languages "none";
Acquire::Retries "0";
Acquire::http::Timeout "10";
Acquire::https::Timeout "10";
APT::Architectures "";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "-";
Dir::State "{folder}";
Dir::State::lists "{folder}/lists";
Dir::State::status "/dev/null";
Dir::Cache "{folder}";
Dir::Log "{folder}";
{user}"""


class Unavailable(Exception):
    """Why a source cannot be had, in one line."""


def fetch(version: str) -> Path:
    """Take a source of Linux from Debian's archive into the cache.

    Raises:
        Unavailable: this is no Debian, it is offline, or its mirror has no such package.
    """
    kept().mkdir(parents=True, exist_ok=True)
    # Not in the temporary folder: archive and tarball together want 350 MB.
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=kept()) as name:
        (package,) = download(Path(name), SUITES[version], [f"linux-source-{version}"])
        return _taken_out(package, version)


def unpack(folder: Path, suite: str, packages: list[str]) -> Path:
    """Take packages of a suite, without what they depend on, and return the root that holds their files.

    Raises:
        Unavailable: as of fetch().
    """
    root = folder / "root"
    for package in download(folder, (suite,), packages):
        subprocess.run([programs.command("dpkg-deb"), "-x", package, root], check=True)
    return root


def download(folder: Path, suites: tuple[str, ...], packages: list[str]) -> list[Path]:
    """Take packages into an empty folder.

    Raises:
        Unavailable: as of fetch().
    """
    keyring = next((path for path in KEYRINGS if path.exists()), None)
    mirrors = _mirrors()
    if keyring is None:
        raise Unavailable(f"{KEYRINGS[0]} is missing; run `apt-get install debian-archive-keyring`")
    _configure(folder, mirrors, keyring, suites)
    updated = _apt(folder, "update")
    return [_download(folder, suites, package, updated.stderr) for package in packages]


def _mirrors() -> list[str]:
    """Where this machine has its own packages from, of which some may be others' than Debian's: the keyring decides.

    Raises:
        Unavailable: this is no Debian.
    """
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    if system.get("ID") != "debian" or not all(map(programs.find, ("apt-get", "dpkg-deb"))):
        raise Unavailable(f"{system.get('PRETTY_NAME', 'this system')} is not Debian, whose archive has the source")
    release = system.get("VERSION_CODENAME", "sid")
    own = {release, f"{release}-updates", f"{release}-backports", "stable", "testing", "unstable", "sid"}
    said = subprocess.run([programs.command("apt-get"), "update", "--print-uris"], capture_output=True, text=True,
                          check=False).stdout
    known = re.findall(r"^'(\S+?)/dists/([^/]+)/InRelease'", said, re.MULTILINE)
    mirrors = [uri for uri, suite in known if suite in own]
    if not mirrors:
        raise Unavailable("apt has no mirror of Debian; add one to /etc/apt/sources.list")
    return list(dict.fromkeys(mirrors))


def _configure(folder: Path, mirrors: list[str], keyring: Path, suites: tuple[str, ...]) -> None:
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "archives/partial").mkdir(parents=True)
    (folder / "sources.list").write_text("".join(
        f"deb [signed-by={keyring}] {mirror} {suite} main\n" for mirror in mirrors for suite in suites))
    # As root apt would become another user, who may not write here.
    user = 'APT::Sandbox::User "root";\n' if os.geteuid() == 0 else ""
    (folder / "apt.conf").write_text(_SETTINGS.format(folder=folder, user=user))


def _apt(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(_command(folder, "-q", *words), cwd=folder, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env=_environment())


def _command(folder: Path, *words: str) -> list[str | Path]:
    return [programs.command("apt-get"), "-c", folder / "apt.conf", *words]


def _environment() -> dict[str, str]:
    return {**programs.trusted(os.environ), "LC_ALL": "C"}


def _download(folder: Path, suites: tuple[str, ...], package: str, said: str) -> Path:
    """Raises Unavailable when the mirror has no such package, or does not answer.

    Args:
        said: by apt of its lists.
    """
    looked = _apt(folder, "download", "--print-uris", package)
    plan = re.search(r"^'(\S+)' \S+ (\d+) ", looked.stdout, re.MULTILINE)
    if plan is None:
        # A suite that is not there does not matter where another one has the package.
        errors = re.findall(r"^[EW]: (.+)$", said, re.MULTILINE)
        raise Unavailable(errors[0] if errors else f"no {package} in Debian's {' or '.join(suites)}")
    print(f"{package}: fetching {int(plan[2]) / 1e6:.{0 if int(plan[2]) >= 1e6 else 1}f} MB from "
          f"{plan[1].partition('/pool/')[0]}", file=sys.stderr, flush=True)
    quietly = [] if sys.stderr.isatty() else ["-qq"]
    shown = subprocess.run(_command(folder, *quietly, "download", package), cwd=folder, stdout=sys.stderr,
                           stderr=subprocess.PIPE, text=True, check=False, stdin=subprocess.DEVNULL, env=_environment())
    archives = list(folder.glob(f"{package}_*.deb"))
    if shown.returncode or not archives:
        raise Unavailable(" ".join(re.findall(r"^E: (.+)$", shown.stderr, re.MULTILINE)) or "the download broke off")
    return archives[0]


def _taken_out(package: Path, version: str) -> Path:
    """The tarball inside a package, with its time: file, size and time tell one source from another."""
    command = [programs.command("dpkg-deb"), "--fsys-tarfile", str(package)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as contents, \
            tarfile.open(fileobj=contents.stdout, mode="r|") as files:
        for member in files:
            name = Path(member.name).name
            content = files.extractfile(member) if member.isfile() else None
            if content is not None and name in [f"linux-source-{version}.tar.{suffix}" for suffix in TARBALL_SUFFIXES]:
                part = package.with_name(name)
                with open(part, "wb") as out:
                    shutil.copyfileobj(content, out)
                os.utime(part, (member.mtime, member.mtime))
                contents.kill()
                return part.rename(kept() / name)
    raise Unavailable(f"{package.name} has no tarball of Linux")

