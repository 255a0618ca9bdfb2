# SPDX-License-Identifier: GPL-2.0-or-later
"""cellbed: real TCP over an emulated cellular radio network.

    >>> import cellbed
    >>> scenario = cellbed.Scenario.load("d2d-nardini/static").variant("IM-IM").set("traffic.0.duration_s", 2)
    >>> results = cellbed.play(scenario, "results")
    >>> print(results.bundle().why(1.0))
    segment at byte ..., sent at 1.0... s: RTT ... ms
    ...

docs/python.md is the guide.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

# Imported when they are asked for: a command's start, and every guest's, imports this package.
_MODULES = {"Scenario": "scenario", "play": "play", "play_async": "play", "Progress": "play", "Bundle": "bundle",
            "Results": "results"}
_ERRORS = {"CellbedError": "cellbed.error", "ScenarioError": "cellbed.error", "LabError": "cellbed.error",
           "DataError": "cellbed_formats.error"}
__all__ = [*_MODULES, *_ERRORS]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'cellbed' has no attribute '{name}'")
    return getattr(importlib.import_module(_ERRORS.get(name) or f"cellbed.api.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
