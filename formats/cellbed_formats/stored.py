# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures and traces of a bundle as they are stored: plain, or compressed by zstd as `<name>.zst`.

Wireshark opens both. Payload that iperf3 sends repeats itself after 128 KiB, beyond what gzip looks back.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import BinaryIO

import zstandard

from . import named_file
from .error import FileError

SUFFIX = ".zst"
RECORDINGS = ("ip-*.pcap", "radio.pcap", "radio.trace", "tcp.trace")
#: Fast, and within a few per cent of what more effort gives.
LEVEL = 3
#: Payload that comes again some hundred kilobytes later is found; readers allow 128 MiB without being asked.
WINDOW_LOG = 23
# Source: RFC 8878 3.1.1: magic number and header
_FRAME_HEADER_BYTES_MAX = 18


def find(path: Path) -> Path | None:
    """Where a file of this name is, plain or compressed; None: neither."""
    packed = path.with_name(path.name + SUFFIX)
    return path if path.is_file() else packed if packed.is_file() else None


def open_stored(path: Path) -> BinaryIO:
    """The content of a file that `find` found."""
    if path.suffix != SUFFIX:
        return named_file.open_named(path, named_file.RECORDING_BYTES_MAX)
    file = named_file.open_named(path, named_file.RECORDING_BYTES_MAX)
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, closefd=True), 1 << 20)


def content(path: Path) -> bytes:
    """All of a file that `find` found.

    Raises:
        FileError: it is damaged.
    """
    try:
        with open_stored(path) as file:
            found = file.read()
        wanted = _declared_bytes(path)
    except zstandard.ZstdError as error:
        raise FileError(path, f"not readable by zstd: {error}") from error
    if wanted is not None and len(found) != wanted:  # the library ends a frame that was cut as if it were whole
        raise FileError(path, f"cut short: it has {len(found)} of {wanted} bytes")
    return found


def _declared_bytes(path: Path) -> int | None:
    """What a compressed file says that it contains, where it does."""
    if path.suffix != SUFFIX:
        return None
    with path.open("rb") as file:
        size = zstandard.frame_content_size(file.read(_FRAME_HEADER_BYTES_MAX))
    return None if size < 0 else size


def recordings(bundle: Path) -> list[Path]:
    """Captures and traces of a bundle's folder, plain or compressed, by name."""
    return sorted(path for pattern in RECORDINGS for path in [*bundle.glob(pattern), *bundle.glob(pattern + SUFFIX)])


def plain_name(path: Path) -> str:
    """What a recording is called when it is not compressed."""
    return path.name.removesuffix(SUFFIX)


def compress(path: Path) -> int:
    """Put `<name>.zst` in the place of a file. Whoever reads meanwhile finds one of both whole.

    Returns:
        Bytes that this frees.
    """
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, window_log=WINDOW_LOG, enable_ldm=True)
    packed, new = path.with_name(path.name + SUFFIX), path.with_name(f"{path.name}{SUFFIX}.new")
    size = path.stat().st_size
    try:
        with path.open("rb") as source, new.open("wb") as sink:
            zstandard.ZstdCompressor(compression_params=parameters).copy_stream(source, sink, size=size)
        os.replace(new, packed)
    finally:
        new.unlink(missing_ok=True)
    path.unlink()
    return size - packed.stat().st_size
