# SPDX-License-Identifier: GPL-2.0-or-later
"""Lab kernels in a checkout, for all who use it: found when one's own cache has none, and can be trusted."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from lab_kernel import copy_checkout

from cellbed.labs import lab_kernels

VERSION = "6.12"


@pytest.fixture
def checkout(tmp_path):
    """All of this one that building a kernel takes, which another user owns."""
    made = tmp_path / "checkout"
    copy_checkout(made)
    subprocess.run([made / "kernel/build", "--help"], check=True, capture_output=True)
    return made


def build(checkout, cache, *words):
    return subprocess.run([checkout / "kernel/build", "--version", VERSION, "--print-path", *words], text=True,
                          capture_output=True, check=False, env={**os.environ, "XDG_CACHE_HOME": str(cache)})


@pytest.fixture
def built(checkout, tmp_path):
    """A kernel that its builder has given to the checkout; the cache is his, of what builds it here."""
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    source = {"source": lab_kernels.source_stamp(found)} if (found := lab_kernels.found(VERSION)) else {}
    key = {"version": VERSION, **source, "recipe": lab_kernels.recipe(VERSION), "compiler": compiler}
    name = f"{VERSION}-{hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]}"
    folder = tmp_path / "his/cellbed/kernel" / name
    folder.mkdir(parents=True)
    for file, text in (("linux", "#!/bin/sh\n"), ("config", ""), ("key.json", json.dumps(key))):
        (folder / file).write_text(text)
    done = build(checkout, tmp_path / "his", "--give", checkout)
    assert done.stdout == f"{tmp_path}/his/cellbed/kernel/{name}/linux\n", done.stderr
    return checkout / "kernel/built" / name


def test_another_user_finds_it(checkout, built, tmp_path):
    done = build(checkout, tmp_path / "mine")
    assert (done.returncode, done.stdout) == (0, f"{built}/linux\n"), done.stderr
    assert not (tmp_path / "mine").exists()
    assert [path.name for path in built.parent.iterdir()] == [built.name]


def test_ones_own_comes_first(checkout, built, tmp_path):
    done = build(checkout, tmp_path / "his")
    assert Path(done.stdout.strip()).is_relative_to(tmp_path / "his")


def test_a_later_one_takes_its_place(checkout, built, tmp_path):
    (built / "linux").write_text("something else")
    assert build(checkout, tmp_path / "his", "--give", checkout).returncode == 0
    assert build(checkout, tmp_path / "mine").stdout == f"{built}/linux\n"


def damaged(built):
    (built / "linux").write_text("#!/bin/sh\necho changed\n")


def stale(built):
    (built.parents[1] / "config.fragment").open("a").write("CONFIG_SOMETHING=y\n")


def without_digest(built):
    (built / "linux.sha256").unlink()


def writable(built):
    (built / "linux").chmod(0o775)


def writable_folder(built):
    built.parent.chmod(0o777)


def of_somebody(built):
    os.chown(built / "linux", 12345, 12345)


def key_of_garbage(built):
    (built / "key.json").write_text("[1, 2")


def linked(built):
    (built / "linux").rename(built / "other")
    (built / "linux").symlink_to("other")


OF_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="root gives files away")


@pytest.mark.parametrize(("spoil", "said"), [
    (damaged, "linux: not what its digest says"),
    (stale, "built of patches and a configuration that are not those of this checkout"),
    (without_digest, "its files cannot be used"), (key_of_garbage, "its files cannot be used"),
    (writable, "linux: owner 0, mode 0775: allowed one of root, of the checkout's owner or of your own"),
    (writable_folder, "built: owner 0, mode 0777: allowed one of root"), (linked, "linux: owner 0, mode 0777: "),
    pytest.param(of_somebody, "linux: owner 12345, mode 0755: allowed one of root", marks=OF_ROOT)])
def test_one_that_cannot_be_trusted_is_refused(checkout, built, tmp_path, spoil, said):
    spoil(built)
    done = build(checkout, tmp_path / "mine")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"kernel/build: {built}: {said.replace('owner 0', f'owner {os.geteuid()}')}")
    assert done.stderr.endswith(f"; run `kernel/build --version {VERSION}`, which builds one of your own\n")


@OF_ROOT
def test_of_the_checkouts_owner(checkout, built, tmp_path):
    for path in (checkout, built.parent, built, *built.iterdir()):
        os.chown(path, 12345, 12345)
    assert build(checkout, tmp_path / "mine").stdout == f"{built}/linux\n"


def test_a_checkout_that_cannot_be_written_to(checkout, built, tmp_path):
    done = build(checkout, tmp_path / "his", "--give", tmp_path / "nowhere")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"kernel/build: --give {tmp_path}/nowhere: ")


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
@pytest.mark.parametrize("version", [["--version", VERSION], []], ids=["a version", "any"])
def test_where_it_was_looked_for_is_said(checkout, tmp_path, variable, version):
    """Another user, or one with another home, knows the kernel that was built by its place."""
    kept = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    done = subprocess.run([checkout / "kernel/build", *version, "--print-path"], text=True, capture_output=True,
                          check=False, env={**kept, variable: str(tmp_path / "mine")})
    cache = tmp_path / "mine" / (".cache" if variable == "HOME" else "") / "cellbed/kernel"
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    assert f"neither {cache} nor {checkout}/kernel/built has one; run `" in done.stderr
