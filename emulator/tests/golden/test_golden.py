# SPDX-License-Identifier: GPL-2.0-or-later
"""The trace of small committed cases, line by line, from cellsim of any compiler.

A case is a folder with config.json, arrivals.txt and expected.txt, the trace in words. A change of the core that
moves an event shows as a difference to read; `make golden-update` accepts it. Of many drawn cells drawn.txt has a line
each (drawn.c), which a test of Meson compares.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tracereader import read_trace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
DRAWN = "emulator/tests/golden/drawn_cells"
CASES = sorted(path.parent.name for path in HERE.glob("*/arrivals.txt"))
NUMBERS = ["pkt", "tag", "bytes", "sn", "value", "rb", "mcs", "cqi", "lcid", "aux", "enb", "block"]


def render(path: Path) -> str:
    """One line a record: time in us, event, from which node to which, direction, numbers other than 0."""
    lines = []
    for row in read_trace(path):
        numbers = " ".join(f"{name}={row[name]}" for name in NUMBERS if row[name])
        where = f"{row['node']}>{row['peer']} {row['dir']}"
        lines.append(f"{row['t_ns'] / 1000:10.3f} {row['event']:<12} {where} {numbers}".rstrip())
    return "\n".join(lines) + "\n"


def simulate(cellsim: Path, case: str, out: Path) -> Path:
    """Run a case. Return: its trace."""
    folder = HERE / case
    subprocess.run(
        [cellsim, "--config", folder / "config.json", "--arrivals", folder / "arrivals.txt", "--out", out], check=True
    )
    return out / "radio.trace"


@pytest.fixture(scope="session", params=["gcc -O0", "clang -O2"])
def other_cellsim(request, tmp_path_factory) -> Path:
    """cellsim by another compiler, and with another optimisation: same bytes as gcc -O2, or the core depends on it."""
    compiler, optimization = request.param.split(" -O")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    build = tmp_path_factory.mktemp(request.param.replace(" ", ""))
    targets = ["emulator/sim/cellsim", DRAWN]
    setup = ["meson", "setup", "--buildtype=plain", f"-Doptimization={optimization}", f"-Dpython={sys.executable}",
             build, ROOT]
    subprocess.run(setup, check=True, capture_output=True, env=os.environ | {"CC": compiler})
    subprocess.run(["ninja", "-C", build, *targets], check=True, capture_output=True)
    return build / targets[0]


@pytest.mark.parametrize("case", CASES)
def test_golden(case, tmp_path, request):
    text = render(simulate(BUILD / "emulator/sim/cellsim", case, tmp_path / "out"))
    expected = HERE / case / "expected.txt"
    if request.config.getoption("--golden-update", default=False):
        expected.write_text(text)
    assert text.splitlines() == expected.read_text().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_other_compiler(case, tmp_path, other_cellsim):
    """All outputs are the same to the byte, not only the trace."""
    simulate(BUILD / "emulator/sim/cellsim", case, tmp_path / "one")
    simulate(other_cellsim, case, tmp_path / "two")
    for name in ("radio.trace", "radio.pcap", "radio.json", "deliveries.txt"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_drawn_cells_of_other_compiler(other_cellsim):
    subprocess.run([other_cellsim.parents[2] / DRAWN, HERE / "drawn.txt"], check=True)


def test_there_are_cases():
    assert CASES == [
        "am-losses", "burst-im-acks", "collision", "dm-dm", "full-buffer-im", "handover", "im-im", "losses",
        "nr-access", "nr-daps", "nr-losses", "out-of-sequence", "utran-losses",
    ]  # fmt: skip
