# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of other formats, which tshark makes pcapng of where it is installed.

Source: RFC 1761 (snoop); Wireshark, wiretap
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np

from . import pcapng
from .error import FileError
from .inside import Inside

#: First bytes, and what the format is called.
FORMATS = {
    b"snoop\0\0\0": "snoop", b"GMBU": "NetMon 2", b"RTSS": "NetMon 1", b"XCP\0": "NetXray", b"TRSNIFF data": "Sniffer",
    b"btsnoop\0": "btsnoop",
}  # fmt: skip
#: Records of ERF have no first bytes of their own; its files are known by their suffix.
ERF = ".erf"
#: Seconds that tshark may take for each 100 MB, and at least.
SECONDS = 60


def known(start: bytes) -> bool:
    """Whether a file starts as one of these formats."""
    return any(start.startswith(magic[: len(start)]) for magic in FORMATS)


def as_pcapng(path: Path | Inside, content: np.ndarray, cut: str | None) -> tuple[np.ndarray, str | None]:
    """The content as it is, or as pcapng where it is of another format; and what its end lacks.

    Raises:
        FileError: tshark is missing, or cannot read it.
    """
    start = content[:16].tobytes()
    name = next((name for magic, name in FORMATS.items() if start.startswith(magic)), "")
    if not name and ERF in Path(path.name).suffixes[-2:]:
        name = "ERF"
    if not name:
        return content, cut
    tshark = shutil.which("tshark")
    if tshark is None:
        raise FileError(path, f"a capture of {name}; install tshark, which converts it")
    allowed_s = SECONDS * (1 + len(content) // 100_000_000)
    try:
        done = subprocess.run([tshark, "-n", "-F", "pcapng", "-r", "-", "-w", "-"], input=content.tobytes(),
                              capture_output=True, check=False, timeout=allowed_s)
    except subprocess.TimeoutExpired:
        raise FileError(path, f"a capture of {name}: tshark takes longer than {allowed_s} s") from None
    if not done.stdout.startswith(pcapng.MAGIC):
        said = " ".join(done.stderr.decode(errors="replace").split())[-200:] or "it wrote nothing"
        raise FileError(path, f"a capture of {name} that tshark cannot read: {said}")
    found = np.frombuffer(done.stdout, dtype=np.uint8)
    if done.returncode and cut is None:
        cut = "truncated or damaged: tshark read only a part of it"
    return found, cut
