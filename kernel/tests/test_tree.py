# SPDX-License-Identifier: GPL-2.0-or-later
"""What is copied of a tree, and what its compiler says. The whole way is run by the how-to's test."""

import os
import subprocess
from pathlib import Path

import pytest

from cellbed.error import LabError
from cellbed.host import programs
from cellbed_kernel import command
from cellbed_kernel import tree as kernel_tree

PATCH = """--- a/net/ipv4/tcp_a.c
+++ b/net/ipv4/tcp_a.c
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def tree(tmp_path):
    """A few files of a tree, with what a build left among them."""
    folder = tmp_path / "linux"
    files = {"Makefile": "VERSION = 9\nPATCHLEVEL = 1\n", "net/ipv4/tcp_a.c": "one\ntwo\nthree\n", "net/ipv4/b.c": "b",
             "net/ipv4/b.o": "", "net/ipv4/.b.o.cmd": "", "include/generated/a.h": "", "include/linux/a.h": "a",
             ".config": "", "vmlinux": "", "drivers/gpu/drm/big.c": "", "drivers/gpu/Kconfig": ""}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


OWN = {"Makefile", "net/ipv4/tcp_a.c", "net/ipv4/b.c", "include/linux/a.h", "drivers/gpu/Kconfig"}


def copied(tree, *patches):
    """The copy of the tree after an update, and how many files had changed."""
    copy = kernel_tree.Copy(tree)
    copy.patches = list(patches)
    copy.source.mkdir(parents=True, exist_ok=True)
    return copy.update(), copy.source


def test_what_a_build_left_is_not_copied(tree):
    assert set(kernel_tree.listing(tree)) == OWN


def test_of_a_git_tree_what_git_has_and_what_is_new(tree):
    (tree / ".gitignore").write_text(".*\n*.o\nvmlinux\n/include/generated/\n")
    for words in (["init", "-q"], ["add", "Makefile", "net/ipv4/tcp_a.c", "include"]):
        subprocess.run(["git", "-C", tree, *words], check=True)
    assert set(kernel_tree.listing(tree)) == OWN
    (tree / "net/ipv4/tcp_a.c").unlink()
    assert set(kernel_tree.listing(tree)) == OWN - {"net/ipv4/tcp_a.c"}


def test_only_what_changed_is_copied_again(tree):
    assert copied(tree)[0] == len(OWN)
    n, source = copied(tree)
    assert n == 0
    times = {name: (source / name).stat().st_mtime_ns for name in OWN}
    (tree / "net/ipv4/b.c").write_text("bb")
    os.utime(tree / "net/ipv4/b.c", (1, 1))  # an older version that came back
    (tree / "include/linux/a.h").unlink()
    assert copied(tree)[0] == 1
    assert (source / "net/ipv4/b.c").stat().st_mtime_ns > times["net/ipv4/b.c"]
    assert (source / "Makefile").stat().st_mtime_ns == times["Makefile"]
    assert not (source / "include/linux/a.h").exists()


def test_patches_are_applied_to_the_copy(tree, tmp_path):
    patch = tmp_path / "a.patch"
    patch.write_text(PATCH)
    _, source = copied(tree, patch)
    assert (source / "net/ipv4/tcp_a.c").read_text() == "one\nTWO\nthree\n"
    assert (tree / "net/ipv4/tcp_a.c").read_text() == "one\ntwo\nthree\n"
    (tree / "net/ipv4/tcp_a.c").write_text("zero\none\ntwo\nthree\n")
    copied(tree, patch)
    assert (source / "net/ipv4/tcp_a.c").read_text() == "zero\none\nTWO\nthree\n"
    (tree / "net/ipv4/tcp_a.c").write_text("one\nTWO\nthree\n")  # the tree has it by itself
    copied(tree, patch)
    assert (source / "net/ipv4/tcp_a.c").read_text() == "one\nTWO\nthree\n"


def test_a_patch_that_does_not_apply_is_named(tree, tmp_path):
    patch = tmp_path / "a.patch"
    patch.write_text(PATCH)
    (tree / "net/ipv4/tcp_a.c").write_text("something\nelse\n")
    with pytest.raises(LabError, match=r"linux: a\.patch, which .* needs, does not apply: Hunk #1"):
        copied(tree, patch)


def test_what_the_compiler_says_in_one_piece(tmp_path):
    """As the compiler here says it, among what make says."""
    (tmp_path / "tcp_a.c").write_text("int a = oops;\nint f(void) { return g(; }\n")
    done = subprocess.run(["gcc", "-c", "tcp_a.c"], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    noise = ["  CC      net/ipv4/tcp_a.o\n"], ["make[3]: *** [scripts/Makefile.build:229: net/ipv4/tcp_a.o] Error 1\n"]
    told = kernel_tree.compiler_errors([*noise[0], *done.stderr.splitlines(True), *noise[1]])
    assert told.startswith("tcp_a.c:1:9: error: 'oops' undeclared here")
    assert "    1 | int a = oops;" in told and "tcp_a.c:2:24: error: expected expression" in told
    assert "make" not in told and "CC  " not in told and "In function" not in told


def test_a_program_that_is_no_kernel_with_virtual_time(tmp_path):
    with pytest.raises(LabError, match="/bin/ls: not a kernel for User Mode Linux with CONFIG_UML_TIME_TRAVEL"):
        kernel_tree.keep(Path("/bin/ls"), None)
    assert not list((tmp_path / "cache/cellbed/kernel").iterdir())


def test_a_machine_without_binutils_keeps_a_kernel_as_it_is(tmp_path, monkeypatch):
    image = tmp_path / "linux"
    image.write_bytes(b"time-travel-start=")
    monkeypatch.setattr(programs, "find", lambda name: None)
    assert kernel_tree.keep(image, None).read_bytes() == image.read_bytes()


def test_a_program_that_is_missing_is_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "linux/arch/um").mkdir(parents=True)
    (tmp_path / "linux/arch/um/Kconfig").touch()
    (tmp_path / "linux/Makefile").write_text("VERSION = 7\nPATCHLEVEL = 3\n")
    (tmp_path / "linux/.git").touch()
    monkeypatch.setattr(programs, "find", lambda name: None)
    monkeypatch.setattr("sys.argv", ["build", "--source", str(tmp_path / "linux")])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert command.main() == 1
    assert capsys.readouterr().err.splitlines()[-1] == "kernel/build: /usr/sbin/git: No such file or directory"


def test_the_last_kernels_are_kept(tmp_path):
    for i in range(12):
        image = tmp_path / "linux"
        image.write_bytes(b"time-travel-start=" + bytes([i]))
        kept = kernel_tree.keep(image, None)
        os.utime(kept.parent, (i, i))
    assert kept.exists() and len(list((tmp_path / "cache/cellbed/kernel").glob("own-*"))) == 10
