# SPDX-License-Identifier: GPL-2.0-or-later
"""The native lab inside lab kernels: other versions than this machine has, and interfaces of the lab's names there."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from e2e import CELLBED, ROOT, SHORT, bundles, cellbed, needs_native

from cellbed.error import LabError
from cellbed.labs.lab_kernels import VERSIONS, look

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
    if not _is_built(request.param):
        pytest.skip(f"the lab kernel {request.param} is not built")
    return request.param


def test_names_that_the_machine_has_already(version, tmp_path):
    """They stay the machine's, and the run is executed."""
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


def test_beside_an_open_link(version, tmp_path):
    script = f"{CELLBED} link good --lab native -- {CELLBED} run one.yaml --lab native --results r"
    (tmp_path / "one.yaml").write_text(yaml.safe_dump({key: value for key, value in WIRED.items() if key != "sweep"}))
    done = cellbed("guest", "--kernel", version, "--", "sh", "-c", script, cwd=tmp_path, check=False)
    assert done.returncode == 0 and len(bundles(tmp_path / "r")) == 1, done.stdout + done.stderr


@needs_native
@pytest.mark.skipif(shutil.which("nft") is None, reason="needs nft")
def test_behind_a_firewall_that_lets_nothing_in(tmp_path):
    """On this machine's kernel, as lab kernels have no netfilter; in a network namespace of its own."""
    (tmp_path / "one.yaml").write_text(yaml.safe_dump({key: value for key, value in WIRED.items() if key != "sweep"}))
    rules = "".join(f"add chain inet strict {hook} {{ type filter hook {hook} priority 0; policy drop; }}\n"
                    for hook in ("input", "forward", "output"))
    (tmp_path / "rules").write_text(f"add table inet strict\n{rules}")
    script = f"ip link set lo up && nft -f rules && {CELLBED} run one.yaml --lab native --results r"
    done = subprocess.run(["unshare", "--net", "sh", "-c", script], cwd=tmp_path, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and len(bundles(tmp_path / "r")) == 1, done.stdout + done.stderr


@pytest.mark.timeout(900)
def test_the_native_labs_own_tests_there(tmp_path):
    """In Linux 6.12, which has netem, RED and every congestion control; many machines' kernels lack some."""
    if not _is_built("6.12"):
        pytest.skip("the lab kernel 6.12 is not built")
    tests = [ROOT / "tests" / f"test_{name}.py" for name in ("native", "wired", "congestion_control_run")]
    done = subprocess.run([CELLBED, "guest", "--kernel", "6.12", "--", sys.executable, "-m", "pytest", "-o",
                           "addopts=-p no:cacheprovider", "-q", "-k", "native", *tests], cwd=tmp_path,
                          capture_output=True, text=True, check=False,
                          env={name: value for name, value in os.environ.items() if "PYTEST" not in name})
    passed = re.search(r"^(\d+) passed", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and passed and int(passed[1]) >= 14, done.stdout + done.stderr


def _is_built(version):
    try:
        return look(version)
    except LabError:
        return None
