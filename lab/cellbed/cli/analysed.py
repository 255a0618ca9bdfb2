# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands say of results that cannot be analysed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cellbed.error import CellbedError, told


@contextlib.contextmanager
def analysing(results: Path | str, output: Path | None = None) -> Iterator[None]:
    """Whatever is wrong with results, or with the disk that something is made of them on, is one line.

    Args:
        results: a bundle, or a folder of bundles.
        output: where files are written; default: among the results.
    """
    from cellbed_formats.error import DataError, reading

    try:
        with reading(results):
            yield
    except DataError as error:
        raise CellbedError(str(error)) from error
    except OSError as error:  # of a full disk names no file
        raise CellbedError(told(error, output or results)) from error
