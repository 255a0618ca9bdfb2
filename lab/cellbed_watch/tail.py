# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that grow: whole records and frames of what was written since the last look."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np

from cellbed_formats.error import FileError
from cellbed_formats.inside import Inside
from cellbed_formats.trace import TraceHeader, read_header

#: So much is read at once; a view that is behind catches up over several looks.
READ_MAX_BYTES = 8 << 20
_PCAP_FILE, _PCAP_FRAME = struct.Struct("<IHHiIII"), struct.Struct("<IIII")
_PCAP_NANO = 0xA1B23C4D


class _Growing:
    """A file that may not be there yet; once open it stays so, whatever its folder is called later."""

    def __init__(self, find: Callable[[], Inside | None]) -> None:
        self.find = find
        self.file: IO[bytes] | None = None

    def _start(self, path: Inside) -> int | None:
        """Read the beginning. Return: where records begin, None while it is not written."""
        raise NotImplementedError

    def _grown(self) -> bytes:
        """What was written since, as far as it is read at once."""
        if self.file is None:
            path = self.find()
            begin = self._start(path) if path is not None else None
            if path is None or begin is None:
                return b""
            try:
                self.file = path.opened()
            except OSError:  # the run ended meanwhile, and its folder has another name; the next look finds it
                return b""
            self.file.seek(begin)
        return self.file.read(READ_MAX_BYTES)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


class TraceTail(_Growing):
    """A trace of the project's format."""

    header: TraceHeader | None = None

    def _start(self, path: Inside) -> int | None:
        try:
            self.header = read_header(path)
        except (FileError, OSError):
            return None
        return self.header.header_bytes

    def read(self) -> np.ndarray:
        """Records since the last look, none while there is no file."""
        data = self._grown()
        if self.header is None or self.file is None:
            return np.zeros(0, dtype=np.dtype([("t_ns", "<i8")]))
        whole = len(data) // self.header.record_bytes * self.header.record_bytes
        self.file.seek(whole - len(data), 1)
        return np.frombuffer(data[:whole], self.header.dtype)

    def names(self, field: str) -> dict[int, str]:
        """Words of an enumeration."""
        return self.header.symbols.get(field, {}) if self.header is not None else {}


class PcapTail(_Growing):
    """A classic pcap of little-endian nanoseconds."""

    def _start(self, path: Inside) -> int | None:
        try:
            head = path.opened().read(_PCAP_FILE.size)
        except OSError:
            return None
        if len(head) < _PCAP_FILE.size or _PCAP_FILE.unpack(head)[0] != _PCAP_NANO:
            return None
        return _PCAP_FILE.size

    def read(self) -> Iterator[bytes]:
        """Frames since the last look."""
        data = self._grown()
        at = 0
        while at + _PCAP_FRAME.size <= len(data):
            length = _PCAP_FRAME.unpack_from(data, at)[2]
            if at + _PCAP_FRAME.size + length > len(data):
                break
            yield data[at + _PCAP_FRAME.size : at + _PCAP_FRAME.size + length]
            at += _PCAP_FRAME.size + length
        if self.file is not None:
            self.file.seek(at - len(data), 1)
