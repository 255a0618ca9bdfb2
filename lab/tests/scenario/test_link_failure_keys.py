# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of radio links that fail: what is refused, and what the daemon is told."""

import pytest
from test_handover_times import LTE, NR, settings

from cellbed.error import ScenarioError
from cellbed.run import radio_config


@pytest.mark.parametrize("base", [LTE, NR], ids=["lte", "nr"])
def test_the_daemon_is_told(tmp_path, base):
    cell = radio_config.cell(settings(tmp_path, base, radio__handover__link_failure={"t310_ms": 200}))
    assert cell["link_failure"] == {
        "qout": 30, "qin": 34, "n310": 1, "n311": 1, "t310_ms": 200, "t311_ms": 1000, "t301_ms": 400, "t304_ms": 1000,
        "preamble_trans_max": 10, "context": "prepared", "selection_ms": 150, "reestablish_ms": 15, "setup_ms": 50,
        "rrc_retx": 4, "rrc_retx_ms": 45}
    assert "link_failure" not in cell["handover"]
    assert "link_failure" not in radio_config.cell(settings(tmp_path, base))


@pytest.mark.parametrize(("base", "changes", "message"), [
    (LTE, {"link_failure": {"t310_ms": 300}}, "link_failure.t310_ms': value 300: allowed"),
    (LTE, {"link_failure": {"qout": 128}}, "link_failure.qout': value 128: allowed 0..127"),
    (LTE, {"link_failure": {"context": "all"}}, "link_failure.context': value all: allowed"),
    (LTE, {"link_failure": {"rrc_retx": 33}}, "link_failure.rrc_retx': value 33: allowed 0..32"),
    (LTE, {"procedure": "fast_path_switch", "link_failure": {}},
     "key 'radio.handover.link_failure': cellbed does not model failures with procedure fast_path_switch; remove"),
    (NR, {"procedure": "daps", "link_failure": {}},
     "key 'radio.handover.link_failure': cellbed does not model failures with procedure daps; remove"),
])
def test_what_is_refused(tmp_path, base, changes, message):
    with pytest.raises(ScenarioError) as error:
        settings(tmp_path, base, **{f"radio__handover__{key}": value for key, value in changes.items()})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_predictions_are_refused(tmp_path):
    with pytest.raises(ScenarioError, match="predict': value tenb: radio.handover.link_failure is not modelled with"):
        settings(tmp_path, LTE, radio__handover__link_failure={},
                 radio__events=[{"at_s": 2, "ue": "me", "predict": "tenb"}])
