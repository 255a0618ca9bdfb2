# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel of a scenario: its keys, and what a run gets of it."""

import dataclasses
import json
import subprocess
import sys

import pytest
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.results.bundle import Bundle
from cellbed.run.runner import Runner
from cellbed.scenario import channel, channel_trace
from cellbed.scenario.description import expand, identity
from cellbed_channel import render, trace
from cellbed_channel.blockage import BlockageParameters

SWING = {"model": "swing"}
STATIC = {"model": "static", "positions": {"ue1": [0, 300], "ue2": [30, 300]}}


@pytest.fixture
def run(minimal, write):
    def of(settings):
        minimal["radio"]["channel"] = settings
        return expand(write(minimal))[1][0]

    return of


def test_one_set_of_defaults():
    """The scenario's defaults are those of the physics."""
    def plain(value):
        return json.loads(json.dumps(value))

    model = channel.Channel(model="swing").model_dump(mode="json")
    assert model == {key: value for key, value in plain(dataclasses.asdict(render.Parameters("swing"))).items()
                     if key not in ("route", "blockage", "penetration")}  # which are there when they are given only
    assert plain(channel.Blockage().model_dump()) == plain(dataclasses.asdict(BlockageParameters()))
    route = channel.Route(enbs={"enb": (0, 0)})
    physics = dataclasses.asdict(render.RouteParameters(enbs={"enb": (0, 0)}))
    assert plain({name: getattr(route, name) for name in channel.Route.model_fields}) == plain(physics)


@pytest.mark.parametrize(("model", "enb_m", "building_m"), [
    ("uma", 25, 20), ("uma_38901", 25, 20), ("umi_38901", 10, 20), ("rma_38901", 35, 5),
    ("inh_mixed_38901", 3, 20), ("inh_open_38901", 3, 20), ("inf_sl_38901", 1.5, 20), ("inf_dl_38901", 1.5, 20),
    ("inf_sh_38901", 8, 20), ("inf_dh_38901", 8, 20)])
def test_heights_are_those_of_the_model(model, enb_m, building_m):
    loss = channel.PathLoss.model_validate({"model": model})
    assert (loss.enb_height_m, loss.building_height_m) == (enb_m, building_m)
    assert channel.PathLoss.model_validate({"model": model, "enb_height_m": 20}).enb_height_m == 20


@pytest.mark.parametrize(("settings", "message"), [
    ({}, "key 'radio.channel.model': missing"),
    ({"model": "walk"},
     "key 'radio.channel.model': value walk: allowed static, swing, trace, cell_edge, route"),
    ({"model": "swing", "swing": {"speed": 3}}, "key 'radio.channel.swing.speed': unknown; did you mean 'speed_mps'?"),
    ({"model": "swing", "swing": {"distance_m": [160, 30]}},
     "value [160, 30]: allowed [NEAR, FAR] with 0 < NEAR < FAR <= 5000"),
    ({"model": "swing", "trace": "x"},
     "key 'radio.channel.trace': value x: model swing reads no file; remove the key, or set"),
    ({"model": "trace", "trace": "x.csv", "blockage": {}},
     "key 'radio.channel.blockage': model trace has no blockers; remove the key, or set"),
    ({**SWING, "blockage": {"blocker": "dog"}}, "value dog: allowed person, vehicle"),
    ({"model": "trace", "trace": "x.csv", "penetration": {"ue1": "car"}},
     "key 'radio.channel.penetration': model trace has no walls; remove the key, or set"),
    ({**SWING, "penetration": {"ue1": "bus"}}, "value bus: allowed low_loss, high_loss, car, car_metallised"),
    ({**SWING, "path_loss": {"model": "uma_38901"}, "penetration": {"ue9": "car"}}, "allowed ue1, ue2"),
    ({**SWING, "penetration": {"ue1": "car"}}, "value car: it does not go with radio.channel.path_loss.model uma; all"),
    ({**SWING, "path_loss": {"model": "rma_38901"}, "penetration": {"ue1": "high_loss"}},
     "rma_38901; allowed uma_38901, umi_38901 (TR 38.901 7.4.3)"),
    ({**SWING, "path_loss": {"model": "inf_sh_38901", "ue_height_m": 3}},
     "value 3: model inf_sh_38901 has machines of 2 m, and UEs are lower; allowed more than 1, less than 2"),
    ({"model": "trace"}, "key 'radio.channel.trace': missing; name the file that model trace reads"),
    ({"model": "static"}, "key 'radio.channel.positions.ue1': missing"),
    ({**STATIC, "model": "swing"}, "key 'radio.channel.positions': model swing does not use it; remove the key"),
    ({"model": "static", "positions": {**STATIC["positions"], "ue9": [1, 1]}},
     "key 'radio.channel.positions.ue9': no UE has this name; allowed ue1, ue2"),
    ({**SWING, "cqi": {"ul": 0}}, "key 'radio.channel.cqi.ul': value 0: allowed 1 or more"),
    ({**SWING, "path_loss": {"los": "maybe"}}, "value maybe: allowed never, always, drawn, by_place"),
    ({**SWING, "path_loss": {"carrier_ghz": 28}},
     "key 'radio.channel.path_loss.carrier_ghz': value 28: model uma does not cover it; allowed"),
    ({**SWING, "path_loss": {"model": "rma_38901", "carrier_ghz": 60}},
     "value 60: model rma_38901 does not cover it; allowed 0.5..30"),
    ({**SWING, "path_loss": {"model": "umi_38901", "enb_height_m": 3}},
     "key 'radio.channel.path_loss.enb_height_m': value 3: model umi_38901 does not cover it; allowed 5..150"),
    ({**SWING, "path_loss": {"los": "by_place"}}, "value by_place: it needs radio.channel.model: route and a"),
    ({**SWING, "granularity_ms": 0}, "key 'radio.channel.granularity_ms': value 0: allowed 1..10000"),
    ({"model": "cell_edge"}, "key 'radio.ues.ue1.peer': value ue2: radio.channel.model cell_edge has no direct links;"),
    ({"model": "swing", "cell_edge": {"load": 2}}, "key 'radio.channel.cell_edge.load': value 2: allowed 0..1"),
    ({"model": "trace", "trace": "none.csv"}, "key 'radio.channel.trace': "),
])
def test_wrong_channels(run, settings, message):
    with pytest.raises(ScenarioError) as error:
        run(settings)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_swing_is_for_two(minimal, run):
    minimal["nodes"]["ue3"] = {"address": "10.45.0.3/24"}
    minimal["radio"]["ues"]["ue3"] = {"peer": "ue1"}
    with pytest.raises(ScenarioError,
                       match="value swing: the model needs two UEs, and radio.ues has 3; set another model"):
        run(SWING)


def test_the_channel_is_rendered_before_the_run(run, tmp_path):
    one = run(SWING)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    found = trace.read(folder / "channel.trace")
    assert found.ues == {1: "ue1", 2: "ue2"}
    assert set(found.records_of(1, "ul")["cqi"]) == {9}
    assert found.model["duration_s"] == 2 + 30 + channel_trace.MARGIN_S


def test_without_a_channel_there_is_none(run, tmp_path):
    one = run(None)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    assert not (folder / "channel.trace").exists()
    config = celld_config(folder)
    assert "channel" not in config
    assert "channel" not in config["cell"]


def celld_config(folder):
    runner = Runner(folder)
    runner.progress.close()
    runner.pids = {"ue1": 1, "ue2": 2}
    return runner.celld_config(None, runner.settings)


def test_celld_gets_the_path_and_no_physics(run, tmp_path):
    one = run(STATIC)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    config = celld_config(folder)
    assert config["channel"] == str(folder / "channel.trace")
    assert "channel" not in config["cell"]


def test_a_wrong_parameter_is_told_before_the_lab_starts(run, tmp_path):
    one = run({"model": "static", "positions": {"ue1": [0, 9000], "ue2": [0, 8990]}})
    bundle = Bundle(tmp_path / "results", one, one.describe("virtual", {}))
    with pytest.raises(ScenarioError, match="key 'radio.channel': distance: value 9000 m: allowed at most 5000 m"):
        bundle.begin({})


def test_a_measured_channel(run, tmp_path):
    file = tmp_path / "drive.csv"
    file.write_text("t_ms,ue,direction,cqi\n0,ue1,ul,7\n500,ue1,ul,3\n")
    settings = {"model": "trace", "trace": file.name}
    one = run(settings)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    assert list(trace.read(folder / "channel.trace").records_of(1, "ul")["cqi"]) == [7, 3]
    file.write_text("t_ms,ue,direction,cqi\n0,ue1,ul,8\n")
    assert identity(run(settings).describe("virtual", {})) != identity(one.describe("virtual", {}))
    file.write_text("t_ms,ue,direction,cqi\n0,ue1,ul,80\n")
    with pytest.raises(ScenarioError, match=r"drive.csv:2: column 'cqi': value '80': allowed 0..15"):
        run(settings)


def test_a_cell_edge(wired, write, tmp_path):
    def of(**edge):
        wired["radio"]["channel"] = {"model": "cell_edge", "granularity_ms": 5, "cell_edge": edge}
        return expand(write(wired))[1][0]

    one = of(distance_m=160, cqi_period_ms=10)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    found = trace.read(folder / "channel.trace")
    assert found.model["parameters"]["cell_edge"]["distance_m"] == 160
    assert len(found.records_of(1, "dl")) > 100
    assert len(found.records_of(1, "sl")) == 0
    with pytest.raises(ScenarioError,
                       match=r"cqi_period_ms': value 12: allowed multiples of 5 \(radio.channel.granularity_ms\)"):
        of(cqi_period_ms=12)


# What a run of a sweep renders, while the thread of another starts programs by fork(); long, for a large product.
BESIDE_FORKS = """
import subprocess, sys, threading
from pathlib import Path
from cellbed.scenario.channel_trace import render
from cellbed.scenario.description import expand
from cellbed_channel.fading import Taps
folder, scenario = map(Path, sys.argv[1:])
render(folder, expand(scenario)[1][0].settings, 1, scenario.parent)
thread = threading.Thread(target=lambda: [Taps(7, "ue1", 5.8).at(0, 20_000, 0.001) for _ in range(20)], daemon=True)
thread.start()
while thread.is_alive():
    subprocess.Popen(["true"], preexec_fn=lambda: None).wait()
"""


def test_a_render_ends_beside_others_that_start_guests(tmp_path):
    """A fork stops threads of numpy's linear algebra, for which a product would wait for ever."""
    scenario = ROOT / "scenarios/celledge-li/quick.yaml"
    subprocess.run([sys.executable, "-c", BESIDE_FORKS, tmp_path, scenario], check=True, timeout=60)
