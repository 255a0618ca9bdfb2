# SPDX-License-Identifier: GPL-2.0-or-later
"""What of the project is changed, and which tests have to notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """@sources and @pytest are patterns of files; @suites are Meson's, of programs that end with 0 or not."""

    sources: tuple[str, ...]
    pytest: tuple[str, ...]
    suites: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  # names of sources
    arguments: tuple[str, ...] = ()  # of pytest
    compiled: bool = True
    by_lines: bool = False  # each source meets tests that execute it, by the project's settings of coverage


# What other compilers make of the same source shows a dependence on them, no mistake that both compile. And no example
# that fails is made small.
QUICKLY = ("-k", "not other_compiler", "--hypothesis-profile=mutant")

PARTS = {
    # Tables of standards are data; what reads them is tested with the standards' own examples. The digest of a cell's
    # state is for tests alone.
    "core": Part(("emulator/core/**/*.c",), ("emulator/tests/golden/test_*.py", "emulator/tests/prop/test_*.py",
                 "emulator/tests/test_captures*.py"), ("core", "fuzz"),
                 ("bler_table.c", "digest.c", "tbs_table.c"), QUICKLY),
    "daemon": Part(("emulator/daemon/*.c",), ("emulator/tests/test_script.py", "emulator/tests/test_celld*.py",
                   "emulator/tests/test_captures.py", "emulator/tests/test_gtpu.py",
                   "emulator/tests/golden/test_*.py"), ("daemon", "fuzz"), arguments=QUICKLY),
    "tcpwatch": Part(("ebpf/tcpwatch/*.c",), ("ebpf/tests/test_tcpwatch.py", "ebpf/tests/test_tcpsample.py")),
    "channel": Part(("channel/cellbed_channel/*.py",), ("channel/tests/test_*.py",), compiled=False),
    "metrics": Part(tuple(f"analysis/cellbed_analysis/{folder}/*.py" for folder in ("metrics", "claims", "stats")),
                    ("analysis/tests/**/test_*.py",), compiled=False, by_lines=True),
}  # fmt: skip
