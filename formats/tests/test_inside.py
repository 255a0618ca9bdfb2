# SPDX-License-Identifier: GPL-2.0-or-later
"""Names below a folder lead nowhere else, whatever lies there; and the whole project goes through this."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cellbed_formats.inside import Inside

ROOT = Path(__file__).resolve().parents[2]
#: What reads or writes bundles and results, and what is made of them.
PACKAGES = ("results", "sweep", "api", "cli", "labs", "scenario", "link")
PARTS = ("formats/cellbed_formats", "analysis/cellbed_analysis", "lab/cellbed_watch", "channel/cellbed_channel",
         *(f"lab/cellbed/{package}" for package in PACKAGES))  # fmt: skip
#: Ways around it.
BARE = {
    "open", "write_text", "write_bytes", "read_text", "read_bytes", "unlink", "rename", "mkdir", "rmdir", "touch",
    "symlink_to", "hardlink_to", "link_to", "rmtree", "copy2", "copyfile", "copytree", "move", "makedirs", "renames",
    "truncate", "memmap", "fromfile", "tofile", "read_parquet", "scan_parquet", "write_parquet", "scan_csv",
}  # fmt: skip
#: Whole modules, which touch no bundle, with what they touch.
ELSEWHERE = {
    "formats/cellbed_formats/inside.py": "this itself",
    "formats/cellbed_formats/named_file.py": "files that a user names on a command line or in a scenario",
    "lab/cellbed/cli/reference.py": "documents of the checkout",
    "lab/cellbed/cli/shell.py": "the session's folder in the private folder of the user who opened the link",
    "lab/cellbed/labs/user_terminal.py": "the same",
    "lab/cellbed/labs/guest_code.py": "the user's cache",
    "lab/cellbed/labs/lab_kernels.py": "kernels in the user's cache, and their sources",
    "lab/cellbed/labs/given_kernels.py": "kernels in a checkout; each is checked for its owner and digest",
    "lab/cellbed/scenario/daemon_keys.py": "what a build makes of the models, in the build's folder",
    "lab/cellbed/labs/matrix.py": "documents of the checkout, and a temporary folder of its own",
    "lab/cellbed/labs/boot_check.py": "a temporary folder of its own, and the user's cache",
    "lab/cellbed/labs/vm_boot.py": "kernels and modules of this machine",
    "lab/cellbed/api/loaded.py": "a temporary folder of its own",
    "lab/cellbed/link/saturated.py": "a temporary folder of its own",
    "lab/cellbed/sweep/fleet_key.py": "a key that must not be there before",
    "lab/cellbed/sweep/shipped.py": "an archive in memory",
    "lab/cellbed/sweep/ssh_boot.py": "a temporary folder of its own, on a host that has nothing of cellbed",
    "lab/cellbed/scenario/named_files.py": "programs and files that a scenario names",
}
#: Calls of other modules, which touch no bundle either, by what is in them.
OTHERS = (
    "/proc/", "cgroup.procs", "__file__", "resources.files", "FILE.open(", "ledger.directory()", "BytesIO",
    "fileobj=buffer", "fileobj=whole", "os.devnull", "(content", "path.content()", "np.memmap(file,",
    "frame.write_parquet(content",
    "(ROOT / 'version')", "findings.read_text", "memo.", "initrd", "scratch /", "open(kernel",
    "scope.read_text", "frame.rename(", ".move(self.inside)", "file.write_text(links.to_yaml", "log.read_text",
    "open(console, 'wb')",
)  # fmt: skip
#: The same, one by one.
NAMED = {
    ("analysis/cellbed_analysis/interactive/embed.py", "path.read_text()"),  # a script of the package
    ("analysis/cellbed_analysis/metrics/cache.py", "path.read_bytes()"),  # the package's own code
    ("channel/cellbed_channel/block_error_table.py", "Path(name).write_text(text())"),  # sources of the checkout
    ("lab/cellbed/labs/machine.py", "Path(path).read_text()"),  # of the system
    ("lab/cellbed/labs/own_control.py", "console.read_text(errors='replace')"),  # of a kernel that was just started
    ("lab/cellbed/labs/native.py", "open(path, 'rb')"),  # a network namespace
    ("lab/cellbed/labs/vm_boot.py", "open(image, 'rb')"),
    ("lab/cellbed/cli/replicate.py", "webbrowser.open((where / 'summary/report.html').resolve().as_uri())"),  # a page
    ("lab/cellbed/api/link.py", "written.write_text(text)"),  # a script, where the user wants it
    ("lab/cellbed/link/live.py", "os.open(directory, os.O_PATH | os.O_CLOEXEC)"),  # on the way to a socket
    ("lab/cellbed/link/compose.py", "container.hosts.read_text()"),  # of a container, as its engine says
    ("lab/cellbed/link/compose.py", "container.hosts.write_text(lines + known)"),
    ("analysis/cellbed_analysis/report/why_flow.py", "means.rename({means.columns[0]: 'name'})"),  # of a frame
    ("analysis/cellbed_analysis/report/wheel.py", "wheel.read_bytes()"),  # a file that a user named
    ("lab/cellbed/link/machine.py", "disabled.read_text()"),  # of the kernel
    ("lab/cellbed/link/experiment.py", "file.open('x')"),  # a new scenario, where the user wants it
    ("lab/cellbed/sweep/fleet_worker.py", "shutil.move(directory, folder)"),  # to a name that nobody knows before
    ("lab/cellbed/sweep/fleet_worker.py", "shutil.rmtree(folder, ignore_errors=True)"),
}


def calls() -> Iterator[tuple[str, str]]:
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func).rpartition(".")[2]
                    one = name == "replace" and len(node.args) + len(node.keywords) == 1
                    of_system = ast.unparse(node.func) in ("os.replace", "os.remove", "os.link", "os.symlink")
                    if name in BARE or one or of_system:
                        yield str(path.relative_to(ROOT)), ast.unparse(node)


def test_nothing_goes_past_it() -> None:
    found = {(name, call) for name, call in calls() if name not in ELSEWHERE and (name, call) not in NAMED
             and not any(other in call for other in OTHERS)}
    assert found == set()


def test_what_is_listed_is_there() -> None:
    every = set(calls())
    assert {name for name, _ in every} >= set(ELSEWHERE) - {"lab/cellbed/labs/vm_boot.py"}
    assert every >= {pair for pair in NAMED if pair[0] not in ELSEWHERE}


# --- attacks ---

OTHER = b"of somebody else"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder, and a victim beside it: a file and a folder with one."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "victim/inner").mkdir(parents=True)
    for name in ("file", "inner/file"):
        (tmp_path / "victim" / name).write_bytes(OTHER)
    return tmp_path


def untouched(place: Path) -> bool:
    found = {str(path.relative_to(place / "victim")) for path in (place / "victim").rglob("*")}
    return found == {"file", "inner", "inner/file"} and all(
        (place / "victim" / name).read_bytes() == OTHER for name in ("file", "inner/file"))


ACTIONS: dict[str, Callable[[Inside], object]] = {
    "write": lambda path: path.write(b"x"), "log": lambda path: path.log().close(), "make": lambda path: path.make(),
    "create": lambda path: path.create(), "remove": lambda path: path.remove(),
    "remove_folder": lambda path: path.remove_folder(), "content": lambda path: path.content(),
    "text": lambda path: path.text(), "size": lambda path: path.size(), "is_file": lambda path: path.is_file(),
    "is_folder": lambda path: path.is_folder(), "matching": lambda path: path.matching("*"),
    "move": lambda path: path.move(Inside(path.root, "moved")), "links": lambda path: path.links(),
    "below": lambda path: (path / "file").write(b"x"), "read below": lambda path: (path / "file").content(),
    "remove below": lambda path: (path / "file").remove(),
}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("target", ["file", "inner", ".", "nothing"])
@pytest.mark.parametrize("way", ["direct", "between", "root"])
def test_a_link_is_never_followed(place: Path, action: str, target: str, way: str) -> None:
    (place / "folder/x").mkdir()
    victim = place / "victim" / target
    if way == "root":
        (place / "link").symlink_to(place / "victim")
        path = Inside(place / "link", target if target != "." else "inner")
    elif way == "between":
        (place / "folder/link").symlink_to(victim)
        path = Inside(place / "folder", "link", "file")
    else:
        (place / "folder/link").symlink_to(victim)
        path = Inside(place / "folder", "link")
    try:
        found = ACTIONS[action](path)
    except OSError as error:
        assert str(place) in str(error.filename) and "Errno" not in str(error.strerror)
    else:
        assert found in (None, [], 0) or isinstance(found, Inside)
    assert untouched(place)


@pytest.mark.parametrize("name", ["..", ".", "", "a/..", "../victim/file", "/etc/passwd", "a//b", "x\0"])
def test_names_that_lead_out(place: Path, name: str) -> None:
    with pytest.raises(OSError, match="leads out of its folder"):
        Inside(place / "folder", name)


def test_what_is_written_has_no_other_name(place: Path) -> None:
    """A second name of a file elsewhere, and a FIFO, are replaced."""
    os.link(place / "victim/file", place / "folder/hard")
    os.mkfifo(place / "folder/fifo")
    for name in ("hard", "fifo"):
        (Inside(place / "folder") / name).write(b"new")
        assert (place / "folder" / name).read_bytes() == b"new"
    assert untouched(place)


def test_half_of_a_file_never_has_its_name(place: Path) -> None:
    path = Inside(place / "folder") / "a"
    path.write(b"old")
    with pytest.raises(ZeroDivisionError), path.replaced() as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert path.content() == b"old"
    assert [one.name for one in (place / "folder").iterdir()] == ["a"]


@pytest.mark.parametrize("mask", [0, 0o002, 0o022, 0o077])
def test_nobody_else_may_write(place: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        (Inside(place / "folder") / "a/b/c").write(b"")
        (Inside(place / "folder") / "log").log().close()
    finally:
        os.umask(before)
    for path in (place / "folder").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644) & ~mask


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(links=st.dictionaries(st.sampled_from(["a", "a/b", "b", "a/b/c"]),
                             st.sampled_from(["file", "inner", ".", "nothing"])),
       steps=st.lists(st.tuples(st.sampled_from(["a", "a/b", "b", "a/b/c", "b/file", "a/b/file"]),
                                st.sampled_from(sorted(ACTIONS))), max_size=6))  # fmt: skip
def test_any_steps_among_any_links(tmp_path_factory: pytest.TempPathFactory, links: dict[str, str],
                                   steps: list[tuple[str, str]]) -> None:
    place = tmp_path_factory.mktemp("links")
    (place / "folder").mkdir()
    (place / "victim/inner").mkdir(parents=True)
    for name in ("file", "inner/file"):
        (place / "victim" / name).write_bytes(OTHER)
    for name, target in sorted(links.items()):
        path = place / "folder" / name
        if not any(parent.is_symlink() for parent in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(place / "victim" / target)
    for name, action in steps:
        try:
            ACTIONS[action](Inside(place / "folder", name))
        except OSError as error:
            assert str(place) in str(error.filename)
        except UnicodeDecodeError:
            pass
    assert untouched(place)
