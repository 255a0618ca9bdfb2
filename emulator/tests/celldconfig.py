# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio daemon and its simulator, and a configuration that both take."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
CELLD = BUILD / "emulator/daemon/celld"
CELLSIM = BUILD / "emulator/sim/cellsim"


def config(tmp_path, mode="dm", **changes):
    """A configuration for two UEs in the test's namespaces."""
    names = [f"cbd{os.getpid()}{x}" for x in "ab"]
    data = {
        "format": 1, "seed": 3,
        "cell": {"ues": [{"name": "ue1", "peer": "ue2", "mode": mode}, {"name": "ue2", "peer": "ue1", "mode": mode}]},
        "ports": [{"ue": f"ue{i + 1}", "netns": f"/run/netns/{name}", "ifname": "lte0"}
                  for i, name in enumerate(names)],
        "output": {name: str(tmp_path / f"{name}.{'json' if name == 'stats' else 'txt'}")
                   for name in ("stats", "arrivals", "deliveries")},
        "control": str(tmp_path / "control"),
    }
    data.update(changes)
    path = tmp_path / "celld.json"
    path.write_text(json.dumps(data))
    return path
