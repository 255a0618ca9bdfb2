# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures and traces of a bundle as they are stored: plain, or compressed by zstd as `<name>.zst`.

Wireshark opens both. Payload that iperf3 sends repeats itself after 128 KiB, beyond what gzip looks back.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from . import named_file
from .error import FileError
from .inside import Inside

SUFFIX = ".zst"
RECORDINGS = ("ip-*.pcap", "radio.pcap", "*-radio.pcap", "radio.trace", "*-radio.trace", "tcp.trace")
#: Fast, and within a few per cent of what more effort gives.
LEVEL = 3
#: Payload that comes again some hundred kilobytes later is found; readers allow 128 MiB without being asked.
WINDOW_LOG = 23
# Source: RFC 8878 3.1.1: magic number and header
_FRAME_HEADER_BYTES_MAX = 18


def find(path: Inside) -> Inside | None:
    """Where a file of this name is, plain or compressed; None: neither."""
    packed = path.with_name(path.name + SUFFIX)
    return path if path.is_file() else packed if packed.is_file() else None


def open_stored(path: Path | Inside) -> BinaryIO:
    """The content of a file, uncompressed."""
    file = named_file.open_named(path, named_file.RECORDING_BYTES_MAX)
    if path.suffix != SUFFIX:
        return file
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, closefd=True), 1 << 20)


def content(path: Path | Inside) -> bytes:
    """All of a file, uncompressed.

    Raises:
        FileError: it is damaged.
    """
    with whole(path) as file:
        return file.read()


@contextlib.contextmanager
def whole(path: Path | Inside) -> Iterator[BinaryIO]:
    """A file's content, uncompressed, which the block reads to its end.

    Raises:
        FileError: it is damaged.
    """
    try:
        wanted = _declared_bytes(path)
        with open_stored(path) as file:
            yield file
            found = file.tell()
    except zstandard.ZstdError as error:
        raise FileError(path, f"not readable by zstd: {error}") from error
    if wanted is not None and found != wanted:  # the library ends a frame that was cut as if it were whole
        raise FileError(path, f"cut short: it has {found} of {wanted} bytes")


def _declared_bytes(path: Path | Inside) -> int | None:
    """What a compressed file says that it contains, where it does."""
    if path.suffix != SUFFIX:
        return None
    with named_file.open_named(path, named_file.RECORDING_BYTES_MAX) as file:
        size = zstandard.frame_content_size(file.read(_FRAME_HEADER_BYTES_MAX))
    return None if size < 0 else size


def recordings(bundle: Inside) -> list[Inside]:
    """Captures and traces of a bundle's folder, plain or compressed, by name."""
    return bundle.matching(*RECORDINGS, *(pattern + SUFFIX for pattern in RECORDINGS))


def plain_name(path: Inside) -> str:
    """What a recording is called when it is not compressed."""
    return path.name.removesuffix(SUFFIX)


def compress(path: Inside) -> int:
    """Put `<name>.zst` in the place of a file. A reader finds one of both whole at any time.

    Returns:
        Bytes that this frees.
    """
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, window_log=WINDOW_LOG, enable_ldm=True)
    packed = path.with_name(path.name + SUFFIX)
    with path.opened() as source, packed.replaced() as sink:
        size = os.fstat(source.fileno()).st_size
        zstandard.ZstdCompressor(compression_params=parameters).copy_stream(source, sink, size=size)
    path.remove()
    return size - packed.size()
