# SPDX-License-Identifier: GPL-2.0-or-later
from cellbed.api.bundle import Bundle as Bundle
from cellbed.api.link import Link as Link
from cellbed.api.results import Results as Results
from cellbed.api.run import Progress as Progress
from cellbed.api.run import run_scenario as run_scenario
from cellbed.api.run import run_scenario_async as run_scenario_async
from cellbed.api.scenario import Scenario as Scenario
from cellbed.error import CellbedError as CellbedError
from cellbed.error import LabError as LabError
from cellbed.error import ScenarioError as ScenarioError
from cellbed_formats.error import DataError as DataError

__version__: str
