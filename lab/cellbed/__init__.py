# SPDX-License-Identifier: GPL-2.0-or-later
"""cellbed: real TCP over an emulated cellular radio network.

    >>> import cellbed
    >>> scenario = cellbed.Scenario.load("d2d-nardini/static").variant("IM-IM").set("traffic.0.duration_s", 2)
    >>> results = cellbed.run_scenario(scenario, "results")
    >>> print(results.bundle().why(1.0))
    segment at byte ..., sent at 1.0... s: RTT ... ms
    ...

docs/python.md is the guide.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

# Imported when they are asked for: a command's start, and every guest's, imports this package.
_MODULES = {"Scenario": "scenario", "run_scenario": "run", "run_scenario_async": "run", "Progress": "run",
            "Bundle": "bundle", "Results": "results", "Link": "link"}
_ERRORS = {"CellbedError": "cellbed.error", "ScenarioError": "cellbed.error", "LabError": "cellbed.error",
           "DataError": "cellbed_formats.error"}
__all__ = [*_MODULES, *_ERRORS]


def __getattr__(name: str) -> Any:
    if name not in __all__ and not name.startswith("_"):
        from cellbed_formats.renamed import current

        name = current("function", name)
    if name not in __all__:
        raise AttributeError(f"module 'cellbed' has no attribute '{name}'")
    return getattr(importlib.import_module(_ERRORS.get(name) or f"cellbed.api.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
