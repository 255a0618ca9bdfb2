# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that end a command with one clear message."""


class CellbedError(Exception):
    """Something a user can act on; the text says what and how."""


class ScenarioError(CellbedError):
    """A scenario file is wrong: file, key, value, allowed range."""


class LabError(CellbedError):
    """A lab could not run: what is missing, what did not come in time, what died."""
