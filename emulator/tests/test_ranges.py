# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio daemon takes every key of the radio in the range that the scenario's model gives it, and no other."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from celldconfig import CELLD

from cellbed.scenario.daemon_keys import sections

DAEMON = Path(__file__).resolve().parents[1] / "daemon"
KEYS = [pytest.param(section, value, id=f"{section}.{value.name}")
        for section, (values, _) in sections().items() for value in values]


def said(tmp_path, section, name, value):
    """What `celld --check` says of this key with this value, without the file's name; None when it is content."""
    ues = [{"name": "ue1", "peer": "ue2"}, {"name": "ue2", "peer": "ue1"}]
    cell = {"ues": ues}
    if section == "bearers":
        ues[0]["bearers"] = [{name: value}]
    elif section == "filters":
        ues[0]["bearers"] = [{"filters": [{name: value}]}]
    elif section == "netem":
        cell["constant_rate"] = {"downlink_netem": {name: value}}
    elif section == "qdisc":
        cell["rlc"] = {"downlink_qdisc": {name: value}}
    else:
        (cell if section == "cell" else ues[0] if section == "ues" else cell.setdefault(section, {}))[name] = value
    path = tmp_path / "celld.json"
    path.write_text(json.dumps({"format": 1, "cell": cell}))
    done = subprocess.run([CELLD, "--check", path], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2)
    where = {"cell": "cell", "ues": "cell.ues[0]", "bearers": "cell.ues[0].bearers[0]",
             "filters": "cell.ues[0].bearers[0].filters[0]",
             "netem": "cell.constant_rate.downlink_netem",
             "qdisc": "cell.rlc.downlink_qdisc"}.get(section, f"cell.{section}")
    head = f"celld: {path}: key '{where}.{name}': "
    return done.stderr.removeprefix(head).rstrip("\n") if done.stderr.startswith(head) else None


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_a_key_has_the_range_of_its_model(tmp_path, section, key):
    if key.kind == "KIND_BOOL":
        wanted, refused = [True, False], {1: "allowed true, false"}
    elif key.kind == "KIND_ENUM":
        wanted, refused = key.choices, {"x": f"value 'x': allowed {', '.join(key.choices)}"}
    elif key.kind == "KIND_STRING":
        wanted, refused = [key.default], dict.fromkeys(["x" * 81, 1], "allowed strings of less than 81 bytes")
    else:
        wanted = key.choices or [key.low, key.high]
        refused = {value: f"value {value:.15g}: allowed {key.low:.15g}..{key.high:.15g}"
                   for value in (key.low - 1, key.high + 1)}
    assert [said(tmp_path, section, key.name, value) for value in wanted] == [None] * len(wanted)
    for value, message in refused.items():
        assert said(tmp_path, section, key.name, value) == message


def test_other_code_reads_what_has_no_field():
    """A key that a table leaves to other code, and that no other code names, would be taken and do nothing."""
    code = "".join(path.read_text() for path in DAEMON.glob("*.c"))
    named = {*re.findall(r'"(\w+)"', code), *sections()}
    named |= {f"{way}_{part}" for way in ("uplink", "downlink") for part in re.findall(r'"_(\w+)"', code)}
    assert {name for _, others in sections().values() for name in others} - named == set()
