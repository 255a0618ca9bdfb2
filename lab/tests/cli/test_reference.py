# SPDX-License-Identifier: GPL-2.0-or-later
"""scenarios/reference.yaml shows every key of the model, with its default, and docs/reference says what each means."""

import json
import re
import typing

import jsonschema
import pytest
import yaml
from minimal import ROOT
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from cellbed.cli import reference_scenarios
from cellbed.error import ScenarioError
from cellbed.scenario import nr, radio_system
from cellbed.scenario.beams import Beams
from cellbed.scenario.description import expand
from cellbed.scenario.file import validate
from cellbed.scenario.handover import A3, ONLY_IN_NR, Condition
from cellbed.scenario.model import Scenario
from cellbed.scenario.mptcp import Mptcp
from cellbed.scenario.packet_trace import PacketTrace
from cellbed.scenario.route import Route
from cellbed.scenario.traffic import Command, Transfer
from cellbed.scenario.unit import parse_rate
from cellbed.scenario.utran import Utran

REFERENCE = yaml.safe_load((ROOT / "scenarios/reference.yaml").read_text())
UTRAN = yaml.safe_load((ROOT / "scenarios/reference-utran.yaml").read_text())
PACKET_TRACE = yaml.safe_load((ROOT / "scenarios/reference-packet-trace.yaml").read_text())
RADIOS = yaml.safe_load((ROOT / "scenarios/reference-radios.yaml").read_text())
# Not beside the keys of LTE.
ELSEWHERE = {f"{of}.{name}" for of in ("radio", "radio.ues") for name in radio_system.others()} | {
    "radio.handover.a3", "radio.handover.condition", "radio.handover.detach_times", "radio.handover.preparation_times",
    "radio.handover.link_failure", "radio.channel.route", "radios", "mptcp"}
# In sections of LTE, and shown in reference-nr.yaml.
OF_NR = {f"radio.{section}.{key}" for section, keys in nr.ONLY_IN_NR.items() for key in keys if key != "sn_bits"} | {
    "radio.rlc_am.sn_bits"} | {f"radio.ues.{key}" for key in nr.SECOND_CELL}


def inner(annotation):
    """The model inside an annotation such as dict[str, Model] or Model | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((m for a in typing.get_args(annotation) if (m := inner(a))), None)


def walk(model, data, path=""):
    for name, field in model.model_fields.items():
        key = field.alias or name
        where = f"{path}{key}"
        if where.replace("radio.ues.bearers.", "radio.") in OF_NR:
            continue
        assert key in data, f"{where} is missing in reference.yaml"
        below = inner(field.annotation)
        if below is None:
            if field.default is not PydanticUndefined and where not in EXAMPLES:
                rate = (field.json_schema_extra or {}).get("quantity") == "rate" and isinstance(data[key], str)
                shown = parse_rate(data[key]) if rate else data[key]
                assert shown == field.default, f"{where}: reference.yaml does not show the default"
            continue
        value = data[key]
        if key == "traffic":
            for example in value:
                walk(Command if example["kind"] == "command" else Transfer, example, "traffic.")
            continue
        if where in ELSEWHERE:
            assert value is None
            continue
        if isinstance(value, list):
            value = value[0]
        elif typing.get_origin(field.annotation) is dict:
            value = {key: shown for one in reversed(value.values()) for key, shown in one.items()}  # the first one's
        walk(below, value, f"{where}.")


# Shown with an example, as the default says nothing.
EXAMPLES = {"title", "nodes.address", "radio.channel.positions", "radio.events.mode",
            "radio.ues.bearers.filters.remote_port", "traffic.duration_s", "traffic.background"}


def test_every_key_with_its_default():
    validate(REFERENCE, "reference.yaml")
    walk(Scenario, REFERENCE)


def test_every_key_of_a_dedicated_channel():
    scenario = validate(UTRAN, "reference-utran.yaml")
    assert set(UTRAN["radio"]["utran"]) == set(Utran.model_fields)
    assert scenario.radio.utran == Utran()


def test_every_key_of_a_recorded_link():
    scenario = validate(PACKET_TRACE, "reference-packet-trace.yaml")
    shown = PACKET_TRACE["radio"]["packet_trace"]
    assert set(shown) == set(PacketTrace.model_fields)
    assert scenario.radio.packet_trace == PacketTrace(uplink=shown["uplink"], downlink=shown["downlink"])


def test_every_key_of_several_radio_networks():
    scenario = validate(RADIOS, "reference-radios.yaml")
    assert set(RADIOS["mptcp"]) == set(Mptcp.model_fields) and scenario.mptcp == Mptcp()
    assert scenario.radios["wifi"].system == "constant_rate"


def test_every_key_of_a_route_and_of_event_a3():
    path = ROOT / "scenarios/reference-route.yaml"
    (run,) = expand(path)[1]  # its waypoints are there, too
    route, a3 = run.settings["radio"]["channel"]["route"], run.settings["radio"]["handover"]["a3"]
    assert set(yaml.safe_load(path.read_text())["radio"]["channel"]["route"]) == set(Route.model_fields)
    shown = {"enbs": route["enbs"], "tracks": route["tracks"], "origin": route["origin"]}
    assert route == Route(**shown).model_dump(mode="json")
    assert set(yaml.safe_load(path.read_text())["radio"]["handover"]["a3"]) == set(A3.model_fields)
    assert a3 == A3().model_dump(mode="json")


def test_every_key_of_a_handover_between_gnbs_and_of_their_beams():
    path = ROOT / "scenarios/reference-nr-handover.yaml"
    shown = yaml.safe_load(path.read_text())["radio"]["handover"]
    (run,) = expand(path)[1]
    handover = run.settings["radio"]["handover"]
    assert {key: shown[key] for key in nr.ONLY_IN_NR["handover"]} == {
        key: handover[key] for key in nr.ONLY_IN_NR["handover"]} == ONLY_IN_NR
    assert set(shown["condition"]) == set(Condition.model_fields)
    assert shown["condition"] == handover["condition"] == Condition().model_dump(mode="json")
    beams = yaml.safe_load(path.read_text())["radio"]["channel"]["route"]["beams"]
    assert set(beams) == set(Beams.model_fields)
    assert beams == run.settings["radio"]["channel"]["route"]["beams"] == Beams().model_dump(mode="json")


def test_every_key_of_other_systems_is_shown():
    for name, model in radio_system.others().items():
        path = ROOT / f"scenarios/reference-{name.replace('_', '-')}.yaml"
        assert set(yaml.safe_load(path.read_text())["radio"][name]) == set(model.model_fields)
        if not any(key.is_required() for key in model.model_fields.values()):
            shown = getattr(validate(yaml.safe_load(path.read_text()), path.name).radio, name)
            # A section that is not there by default is an example of its own defaults.
            examples = {key: getattr(shown, key) for key, of in model.model_fields.items() if of.default is None}
            examples = {key: section for key, section in examples.items() if section is not None}
            assert all(section == type(section)() for section in examples.values()
                       if not any(key.is_required() for key in type(section).model_fields.values()))
            assert shown.model_copy(update=dict.fromkeys(examples)) == model()


def test_every_key_that_nr_has_in_sections_of_lte():
    shown = yaml.safe_load((ROOT / "scenarios/reference-nr.yaml").read_text())["radio"]
    radio = validate({**yaml.safe_load((ROOT / "scenarios/reference-nr.yaml").read_text()),
                      "radio": {key: shown[key] for key in ("system", "nr", "ues")}}, "reference-nr.yaml").radio
    for section, keys in nr.ONLY_IN_NR.items():
        assert section == "handover" or set(keys) <= set(shown[section])
    for section in ("harq", "rlc", "rlc_um", "rlc_am", "pdcp"):
        for key, value in shown[section].items():
            assert getattr(getattr(radio, section), key) == value, f"radio.{section}.{key} does not show the default"


REFERENCES = sorted(path.name for path in ROOT.glob("scenarios/reference*.yaml"))


def as_listed():
    """The list of keys, before its page marks them."""
    return [(row[0].strip("`"), *(cell.replace("&#124;", "|") for cell in row[1:])) for row in ROWS]


@pytest.mark.parametrize(("of", "key", "added"), [
    ("", "    t_reordering_ms", "    t_reordering_ms: 35         # 0..200"),
    ("", "  ip_snaplen", "  ip_snaplen: 128               # Bytes that captures keep of each packet, 64..65535"),
    ("", "seeds", "seeds: [1]                      # One run for each"),
    ("-nr", "    t_reassembly_ms", "    t_reassembly_ms: 20         # 0..200"),
    ("-nr-handover", "      event", "      event: a3                 # a3, a5"),
    ("-utran", "    tti_ms", "    tti_ms: 10                  # Transmission time interval, 10, 20, 40, 80")])
def test_a_key_that_is_not_shown_is_added_with_its_default(of, key, added):
    name = f"reference{of}.yaml"
    text = (ROOT / "scenarios" / name).read_text()
    without = re.sub(f"^{key}: .*\n", "", text, count=1, flags=re.M)
    completed = reference_scenarios.completed(name, without, as_listed())
    assert without != text and added in completed.splitlines()
    assert yaml.safe_load(completed) == yaml.safe_load(text)


def test_a_key_is_added_to_a_section_on_one_line():
    text = (ROOT / "scenarios/reference.yaml").read_text()
    completed = reference_scenarios.completed("reference.yaml", text.replace("{poll_pdu: 16, ", "{"), as_listed())
    assert "reestablish_ms: 100, poll_pdu: 16}\n" in completed


@pytest.mark.parametrize(("of", "lines"), [
    ("", "    peer: .*\n"), ("", "format: 1 .*\n"), ("-route", "    a3:.*\n(      .*\n)*")])
def test_a_key_without_a_default_or_a_section_needs_an_example(of, lines):
    name = f"reference{of}.yaml"
    without = re.sub(f"^{lines}|^  {lines}", "", (ROOT / "scenarios" / name).read_text(), flags=re.M)
    with pytest.raises(ScenarioError, match=f"^scenarios/{name}: key '.*': missing, .*; write an example there$"):
        reference_scenarios.completed(name, without, as_listed())


ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in (ROOT / "docs/reference/keys.md").read_text().splitlines() if line.startswith("| `")]


def test_every_key_has_a_meaning():
    assert [row[0] for row in ROWS if len(row) != 4 or not row[3]] == []


def comments(path):
    """Keys of a scenario as the list of keys has them, with what is written beside each."""
    above = []  # of the current line: indentation and key
    for line in path.read_text().splitlines():
        found = re.fullmatch(r"( *)(- )?(\w+):[^#]*(?:#(.*))?", line)
        if found is None:
            continue
        indent = len(found[1]) + len(found[2] or "")
        above = [(depth, key) for depth, key in above if depth < indent]
        steps = [*(key for _, key in above), found[3]]
        above.append((indent, f"{found[3]}[]" if found[3] in ("links", "traffic", "events") else found[3]))
        named = ["<name>" if place and steps[place - 1] in ("nodes", "ues") else step
                 for place, step in enumerate(steps)]
        yield ".".join(named), found[4] or ""


@pytest.mark.parametrize("name", REFERENCES)
def test_ranges_beside_keys_are_those_of_the_model(name):
    allowed = {}
    for key, words, *_ in ROWS:
        allowed.setdefault(re.sub(r"traffic\[.*\]", "traffic[]", key.strip("`")), []).append(words)
    shown = [(key, text) for key, comment in comments(ROOT / "scenarios" / name) if key in allowed
             for text in re.findall(r"[-\w.]+\.\.[\w.]*\w", comment)]
    assert shown
    assert [(key, text, *allowed[key]) for key, text in shown
            if not any(text in re.split("[,: ]+", words) for words in allowed[key])] == []


EDITORS = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/reference/scenario.schema.json").read_text()))


@pytest.mark.parametrize("path", [path for path in sorted(ROOT.glob("scenarios/**/*.yaml"))
                                  if "claims" not in path.name], ids=lambda path: path.stem)
def test_editors_accept_what_is_in_the_repository(path):
    assert not list(EDITORS.iter_errors(yaml.safe_load(path.read_text())))


@pytest.mark.parametrize(("where", "key", "value"), [
    ("", "radios", {}), ("radio", "n_rb", 5), ("radio.rlc", "mode", "xm"), ("radio.rlc", "queue_bytes", "8 packets"),
    ("radio.rlc", "t_reordering", 35), ("links.0", "rate", 1000)])
def test_editors_mark_what_is_refused(where, key, value):
    scenario = json.loads(json.dumps(REFERENCE))
    at = scenario
    for step in filter(None, where.split(".")):
        at = at[int(step)] if step.isdecimal() else at[step]
    at[key] = value
    (error,) = EDITORS.iter_errors(scenario)
    with pytest.raises(ScenarioError):
        validate(scenario, "changed.yaml")
