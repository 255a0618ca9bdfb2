# SPDX-License-Identifier: GPL-2.0-or-later
"""The native lab inside lab kernels: other versions than this machine has, and interfaces of the lab's names there."""

import json

import pytest
import yaml
from e2e import CELLBED, SHORT, bundles, cellbed

from cellbed_kernel.lookup import VERSIONS, BuildError, look

pytestmark = pytest.mark.lab

NAMES = ("eth0", "eth1", "lte0", "docker0", "wlan0", "server", "enb")
# A wire, whose ends are eth0 in their nodes, and a radio link, whose end is lte0.
WIRED = {**yaml.safe_load(SHORT), "traffic": [
    {"id": "flow", "from": "server", "to": "ue1", "duration_s": 1}],
    "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
              "ue1": {"address": "10.45.0.1/24"}},
    "links": [{"a": "server", "b": "enb", "rate": "1Gbit", "queue_pkts": 1000}],
    "radio": {"ues": {"ue1": {"peer": "enb", "cqi_dl": 12}}}}


@pytest.fixture(params=VERSIONS)
def version(request):
    try:
        look(request.param)
    except BuildError as error:
        pytest.skip(str(error))
    return request.param


def test_names_that_the_machine_has_already(version, tmp_path):
    """They stay the machine's, and the run is played."""
    wired = {key: value for key, value in WIRED.items() if key not in ("sweep", "variants")}
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(wired))
    script = "; ".join([
        *(f"ip link show {name} >/dev/null 2>&1 || ip link add {name} type dummy" for name in NAMES),
        "ip -json link show > before.json",
        f"{CELLBED} run one.yaml --lab native --results r; status=$?",
        "ip -json link show > after.json; exit $status"])
    done = cellbed("guest", "--kernel", version, "--", "sh", "-c", script, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = ([link["ifname"] for link in json.loads((tmp_path / f"{when}.json").read_text())]
                     for when in ("before", "after"))
    assert before == after and set(NAMES) <= set(before)
    assert len(bundles(tmp_path / "r")) == 1
