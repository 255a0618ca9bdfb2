# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources from Debian's archive: a mirror on the loopback, signed by a key of the test's own, behind the real apt."""

import hashlib
import http.server
import json
import os
import platform
import shutil
import subprocess
import threading
from functools import partial
from pathlib import Path

import pytest

from cellbed.labs import lab_kernels
from cellbed_kernel import building, sources
from cellbed_kernel.building import available

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("apt-get", "dpkg-deb", "gpg"))),
                                reason="a mirror needs apt-get, dpkg-deb and gpg")
VERSION = "7.3"
TARBALL = bytes(range(256)) * 4096


class Mirror:
    """An archive with one suite and one package."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root / "www", root / "gnupg"
        self.home.mkdir(mode=0o700)
        self.pool = self.root / "debian/pool"
        self.pool.mkdir(parents=True)
        self.keyring = root / "keyring.gpg"
        self.handler = partial(_Quiet, directory=self.root)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.key("archive")
        self._gpg("--export", "--output", self.keyring, "archive")

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/debian"

    def _gpg(self, *words):
        subprocess.run(["gpg", "--homedir", self.home, "--batch", "--yes", *words], check=True, capture_output=True)

    def key(self, name):
        self._gpg("--passphrase", "", "--quick-gen-key", name, "rsa2048", "sign", "never")

    def package(self, folder: Path, name=f"linux-source-{VERSION}"):
        """A package with a tarball, as Debian's has it."""
        tree = folder / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "usr/src").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 7.3.4-1~bpo13+1\nArchitecture: all\n"
                                             "Maintainer: nobody <nobody@localhost>\nDescription: a source\n")
        tarball = tree / f"usr/src/{name}.tar.xz"
        tarball.write_bytes(TARBALL)
        os.utime(tarball, (1_700_000_000, 1_700_000_000))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, self.pool], check=True,
                       capture_output=True)

    def publish(self, suite="trixie-backports", key="archive"):
        """Index and sign what is in the pool."""
        entries = []
        for path in self.pool.glob("*.deb"):
            control = subprocess.run(["dpkg-deb", "-f", path], check=True, capture_output=True, text=True).stdout
            entries.append(f"{control}Filename: pool/{path.name}\nSize: {path.stat().st_size}\n"
                           f"SHA256: {hashlib.sha256(path.read_bytes()).hexdigest()}\n")
        index = "\n".join(entries).encode()
        folder = self.root / "debian/dists" / suite
        (folder / "main/binary-amd64").mkdir(parents=True)
        (folder / "main/binary-amd64/Packages").write_bytes(index)
        (folder / "Release").write_text(
            f"Origin: Debian\nSuite: {suite}\nCodename: {suite}\nArchitectures: amd64\nComponents: main\n"
            "Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n"
            f" {hashlib.sha256(index).hexdigest()} {len(index)} main/binary-amd64/Packages\n")
        self._gpg("--local-user", key, "--clearsign", "--output", folder / "InRelease", folder / "Release")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class _BreaksOff(_Quiet):
    """Of a package only the first half arrives."""

    def copyfile(self, source, outputfile):
        data = source.read()
        outputfile.write(data[:len(data) // 2 if self.path.endswith(".deb") else None])
        self.close_connection = True


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """The machine's mirror is that of the test; what an update of its lists would start leaves a trace."""
    made = Mirror(tmp_path)
    (tmp_path / "machine.list").write_text(f"deb [trusted=yes] {made.uri} bookworm main\n")
    (tmp_path / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{tmp_path}/machine.list";\nDir::Etc::sourceparts "-";\n'
        f'APT::Architecture "amd64";\nAcquire::http::Proxy::127.0.0.1 "DIRECT";\n'
        f'APT::Update::Post-Invoke {{ "touch {tmp_path}/invoked"; }};\n')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "KEYRINGS", (made.keyring,))
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian", "VERSION_CODENAME": "bookworm"})
    yield made
    made.server.shutdown()
    made.server.server_close()
    subprocess.run(["gpgconf", "--homedir", made.home, "--kill", "gpg-agent"], check=True)


def untouched():
    """What tells that the machine's own lists, archives and settings are as they were."""
    return {path: path.stat().st_mtime_ns for root in ("/etc/apt", "/var/lib/apt", "/var/cache/apt")
            for path in Path(root).rglob("*")}


def refused(tmp_path) -> str:
    """Why a source cannot be had, after which nothing is left."""
    with pytest.raises(sources.Unavailable) as raised:
        sources.fetch(VERSION)
    assert not list((tmp_path / "cache/cellbed").rglob("*.*"))
    text = str(raised.value)
    assert len(text.splitlines()) == 1 and "Traceback" not in text
    return text


@pytest.mark.parametrize("suite", sources.SUITES[VERSION])
def test_the_tarball_is_taken_and_nothing_else_is_touched(mirror, tmp_path, suite, capfd):
    before = untouched()
    mirror.package(tmp_path)
    mirror.publish(suite)
    assert lab_kernels.found(VERSION) is None
    path = sources.fetch(VERSION)
    assert path == lab_kernels.found(VERSION) == tmp_path / f"cache/cellbed/source/linux-source-{VERSION}.tar.xz"
    assert path.read_bytes() == TARBALL and path.stat().st_mtime == 1_700_000_000
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert untouched() == before and not (tmp_path / "invoked").exists()
    out, err = capfd.readouterr()
    assert out == ""  # which is the kernel's path
    assert err.startswith(f"linux-source-{VERSION}: fetching 1 MB from {mirror.uri}\n")


def test_what_debian_has_not_signed_is_refused(mirror, tmp_path):
    mirror.package(tmp_path)
    mirror.key("somebody")
    for suite in sources.SUITES[VERSION]:
        mirror.publish(suite, "somebody")
    assert "NO_PUBKEY" in refused(tmp_path)


def test_a_package_that_was_changed_is_refused(mirror, tmp_path):
    mirror.package(tmp_path)
    mirror.publish()
    (package,) = mirror.pool.glob("*.deb")
    data = bytearray(package.read_bytes())
    data[-1] ^= 1
    package.write_bytes(data)
    assert "Hash Sum mismatch" in refused(tmp_path)


def test_a_download_that_breaks_off(mirror, tmp_path):
    mirror.package(tmp_path)
    mirror.publish()
    mirror.server.RequestHandlerClass = partial(_BreaksOff, directory=mirror.root)
    assert refused(tmp_path)


def test_a_mirror_without_it(mirror, tmp_path):
    mirror.package(tmp_path, "linux-source-7.2")
    for suite in sources.SUITES[VERSION]:
        mirror.publish(suite)
    assert refused(tmp_path) == f"no linux-source-{VERSION} in Debian's trixie-backports or sid"


def test_offline(mirror, tmp_path):
    mirror.server.shutdown()
    mirror.server.server_close()
    assert "Could not connect to 127.0.0.1" in refused(tmp_path)


def test_another_distribution(mirror, tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "ubuntu", "PRETTY_NAME": "Ubuntu 24.04 LTS"})
    assert refused(tmp_path) == "Ubuntu 24.04 LTS is not Debian, whose archive has the source"


def test_no_keyring(mirror, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "KEYRINGS", (tmp_path / "none.gpg",))
    assert refused(tmp_path) == f"{tmp_path}/none.gpg is missing; run `apt-get install debian-archive-keyring`"


def test_no_mirror(mirror, tmp_path):
    (tmp_path / "machine.list").write_text(f"deb {mirror.uri} elsewhere main\n")
    assert refused(tmp_path) == "apt has no mirror of Debian; add one to /etc/apt/sources.list"


def test_without_the_newest_the_next_one_is_taken(mirror, capfd, monkeypatch):
    """Where none is built, be it in this checkout."""
    monkeypatch.setattr(building, "ready", lambda version: False)
    mirror.server.shutdown()
    mirror.server.server_close()
    if lab_kernels.found("6.12") is None:
        pytest.skip("linux-source-6.12 is not installed")
    assert available(first=True) == ["6.12"]
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("lab kernel 7.3 left out: no source of Linux 7.3: ")


def test_offline_the_newest_one_that_is_built_is_taken(mirror, tmp_path, capfd):
    """Also without its source: recipe and compiler are the same."""
    mirror.server.shutdown()
    mirror.server.server_close()
    current = lab_kernels.recipe_key("7.3")
    for name, recipe in (("7.3-a", current), ("7.3-b", {**current, "recipe": "old"})):
        folder = tmp_path / "cache/cellbed/kernel" / name
        folder.mkdir(parents=True)
        (folder / "linux").touch()
        (folder / "key.json").write_text(json.dumps({**recipe, "source": "any"}))
    assert available(first=True) == ["7.3"]
    assert lab_kernels.look(None) == lab_kernels.look("7.3") == tmp_path / "cache/cellbed/kernel/7.3-a/linux"
    assert capfd.readouterr().err == ""
