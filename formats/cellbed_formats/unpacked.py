# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytes of a capture file that may be compressed or come through standard input: always where they can be mapped.

What is compressed goes through a temporary file without a name, so that its size is none of the memory's. A stream that
ends early, or is damaged, gives what comes before.

Source: RFC 1952 (gzip), RFC 8878 (Zstandard); xz file format; bzip2
"""

from __future__ import annotations

import bz2
import lzma
import mmap
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import zstandard

from . import named_file
from .error import FileError
from .inside import Inside

#: The name that stands for standard input.
STDIN = Path("-")
#: Decompressors by the first bytes of what they read.
PACKED: dict[bytes, tuple[str, Callable[[], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"\xfd7zXZ\0": ("xz", lzma.LZMADecompressor),
    b"\x28\xb5\x2f\xfd": ("zstd", lambda: zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
}
MAGIC_BYTES = 6
CHUNK_BYTES = 1 << 18
#: What a compressed file may become.
UNPACKED_BYTES_MAX = 1 << 37


def content(path: Path | Inside, starts_well: Callable[[bytes], bool]) -> tuple[np.ndarray, str | None]:
    """All bytes of a file, unpacked, as uint8 (n,), and what its end lacks.

    Args:
        starts_well: whether a file that starts with these bytes, 4 or more, is worth unpacking.

    Raises:
        OSError: it cannot be read, or there is no room for what is unpacked.
        FileError: what is packed in it is something else.
    """
    if path == STDIN:
        return _content(path, sys.stdin.buffer, starts_well)
    with named_file.open_named(path, named_file.RECORDING_BYTES_MAX) as file:
        if not any(file.peek(MAGIC_BYTES).startswith(magic) for magic in PACKED):  # type: ignore[attr-defined]
            return _mapped(file), None
        return _content(path, file, starts_well)


def _mapped(file: BinaryIO) -> np.ndarray:
    """A file's bytes, of which only those are read that somebody looks at."""
    if not file.seek(0, 2):
        return np.zeros(0, dtype=np.uint8)
    file.seek(0)
    return np.memmap(file, dtype=np.uint8, mode="r")


def release(content: np.ndarray) -> None:
    """Give back the memory of a mapped file's pages: what is looked at again is read again."""
    mapped = getattr(content, "_mmap", None)
    if isinstance(mapped, mmap.mmap):
        mapped.madvise(mmap.MADV_DONTNEED)


def _content(path: Path | Inside, file: BinaryIO,
             starts_well: Callable[[bytes], bool]) -> tuple[np.ndarray, str | None]:
    cut: list[str] = []
    with tempfile.TemporaryFile() as sink:
        for piece in _pieces(file, cut):
            if not sink.tell() and not starts_well(piece):
                raise FileError(path, "its content is not a capture" if piece else "empty")
            sink.write(piece)
            if sink.tell() > UNPACKED_BYTES_MAX:
                raise FileError(path, f"unpacks to more than {UNPACKED_BYTES_MAX >> 30} GiB")
        sink.flush()
        return _mapped(sink), cut[0] if cut else None


def _pieces(file: BinaryIO, cut: list[str]) -> Iterator[bytes]:
    """What a stream holds, unpacked where it is packed; the first piece has 4 bytes or more, if there are so many."""
    start = file.read(CHUNK_BYTES)
    while 0 < len(start) < CHUNK_BYTES and (more := file.read(CHUNK_BYTES)):
        start += more
    packing = _packing(start)
    if packing is None:
        while start:
            yield start
            start = file.read(CHUNK_BYTES)
        return
    held = b""
    for piece in _unpacked(start, file, packing, cut):
        held += piece
        if len(held) >= 4:
            yield held
            held = b""
    if held:
        yield held


def _packing(start: bytes) -> tuple[str, Callable[[], Any]] | None:
    return next((how for magic, how in PACKED.items() if start.startswith(magic)), None)


def _unpacked(data: bytes, file: BinaryIO, packing: tuple[str, Callable[[], Any]], cut: list[str]) -> Iterator[bytes]:
    """Of one stream after another, such as the members of a gzip file."""
    name, make = packing
    stream = make()
    while data:
        try:
            yield stream.decompress(data)
        except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError, ValueError) as error:
            cut.append(f"not readable by {name}: {error}")
            return
        data = stream.unused_data if stream.eof else b""
        if stream.eof:
            data = data.lstrip(b"\0") or file.read(CHUNK_BYTES)
            if not data:
                return
            if _packing(data) is None:  # something behind the last stream
                return
            stream = make()
        else:
            data = file.read(CHUNK_BYTES)
    cut.append(f"cut short: the end of what {name} has packed is missing")
