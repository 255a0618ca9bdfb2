# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that end a command with one clear message."""

from __future__ import annotations

import shutil


class CellbedError(Exception):
    """Something a user can act on; the text says what and how."""


class ScenarioError(CellbedError):
    """A scenario file is wrong: file, key, value, allowed range."""


class LabError(CellbedError):
    """A lab could not run: what is missing, what did not come in time, what died."""


def reason(error: OSError) -> str:
    """What the system said; of a folder that could not be copied the first of its files tells."""
    if isinstance(error, shutil.Error):
        return str(error.args[0][0][2])
    return str(error.strerror)
