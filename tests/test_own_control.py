# SPDX-License-Identifier: GPL-2.0-or-later
"""A congestion control in C, compiled into the kernel of the virtual lab: `--cc FILE.c`."""

import json
import re
import subprocess
from pathlib import Path

import polars as pl
import pytest
from e2e import ROOT, cellbed

HOW_TO = ROOT / "docs/howto/my-tcp.md"
STATIC = ROOT / "scenarios/d2d-nardini/static.yaml"
RUN = ("--variant", "IM-IM", "--set", "traffic.0.duration_s=2", "--set", "tcp.receive_window=64KiB")


@pytest.fixture(scope="module", autouse=True)
def kit():
    """Kernels that were built before kits have none, and to build one again takes minutes."""
    done = subprocess.run([ROOT / "kernel/build", "--print-path"], capture_output=True, text=True, check=True)
    if not Path(done.stdout.strip()).with_name("kit.tar.xz").exists():
        pytest.skip("the lab kernel was built without a kit; run `kernel/build --kit`")


@pytest.fixture(scope="module")
def source():
    """The file that the how-to shows."""
    return re.search(r"^cat > tcp_gentle\.c <<'C'\n(.*?)^C$", HOW_TO.read_text(), re.MULTILINE | re.DOTALL)[1]


@pytest.fixture
def file(tmp_path, source):
    def written(change=lambda text: text, name="tcp_gentle.c"):
        path = tmp_path / name
        path.write_text(change(source))
        return path

    return written


def test_one_table_has_linuxs_own_and_ones_own(file, tmp_path):
    """One sweep, one kernel; a second one of the same file repeats nothing."""
    path, results = file(), tmp_path / "r"
    words = (STATIC, *RUN, "--grid", "tcp.congestion_control=reno,cubic,gentle", "--cc", path, "--results", results)
    cellbed("sweep", *words)
    table = pl.read_parquet(results / "summary/sweep.parquet")
    assert table["status"].to_list() == ["usable"] * 3
    manifests = [json.loads(path.read_text()) for path in results.glob("*/manifest.json")]
    assert {name for one in manifests for name in one["congestion_control"].values()} == {"reno", "cubic", "gentle"}
    assert len({one["description"]["programs"]["kernel"] for one in manifests}) == 1
    assert cellbed("sweep", *words).stdout.count("already there") == 3


@pytest.mark.parametrize(("change", "message"), [
    (lambda text: text.replace('"gentle"', '"cubic"'),
     "the kernel has a congestion control 'cubic' already; give yours another .name"),
    (lambda text: text.replace("module_init", "// module_init"), "registers no congestion control; call tcp_register"),
    (lambda text: text.replace(".ssthresh", "// .ssthresh"), "the kernel refuses 'gentle': it needs .ssthresh"),
    (lambda text: text.replace("KEPT_NUM /", "oops /"), "does not compile:\n"),
    (lambda text: text.replace("return tcp_register", "return nowhere() + tcp_register")
     .replace("static u32", "extern int nowhere(void);\nstatic u32", 1), "does not link:\n"),
    (lambda text: text, "no run uses gentle, which it registers; add --set tcp.congestion_control=gentle"),
])
def test_what_is_wrong_is_said_before_anything_runs(file, tmp_path, change, message):
    path, results = file(change), tmp_path / "r"
    done = cellbed("run", STATIC, *RUN, "--cc", path, "--results", results, check=False)
    assert done.returncode == 1 and f"cellbed: --cc {path}: {message}" in done.stderr
    assert "Traceback" not in done.stderr and not list(results.glob("*"))
    if "compile" in message:
        assert f"{path}:" in done.stderr and "'oops' undeclared" in done.stderr
    if "link" in message:
        assert "undefined reference to `nowhere'" in done.stderr


@pytest.mark.parametrize(("words", "message"), [
    (("--cc", "tcp_none.c"), "--cc tcp_none.c: no such file"),
    (("--cc", "tcp_none.txt"), "--cc tcp_none.txt: expected a file in C whose name is a word, such as tcp_foo.c"),
    (("--cc", "tcp_none.c", "--lab", "native"), "--cc tcp_none.c: is compiled into the kernel of the virtual lab; the "
     "native lab has another"),
    (("--load", "x.bpf.o"), "User Mode Linux has no BPF JIT; write it in C, and run it with --cc FILE.c"),
])
def test_files_and_labs_that_cannot_be(tmp_path, words, message):
    done = cellbed("run", STATIC, *RUN, *words, "--results", tmp_path / "r", check=False)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


def test_a_kernel_of_somebody_else_has_no_objects(file, tmp_path):
    image = subprocess.run([ROOT / "kernel/build", "--print-path"], capture_output=True, text=True, check=True).stdout
    done = cellbed("run", STATIC, *RUN, "--cc", file(), "--kernel", image.strip(), "--results", tmp_path / "r",
                   check=False)
    assert done.returncode == 1 and "of this kernel there are no objects; allowed 7.3" in done.stderr
