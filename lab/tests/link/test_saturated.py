# SPDX-License-Identifier: GPL-2.0-or-later
"""What a link delivers to a UE for which packets always wait is what its radio has; and pings of one that is idle."""

import numpy as np
import pytest

from cellbed.error import CellbedError, ScenarioError
from cellbed.link import saturated
from cellbed.scenario.transport_blocks import rate_bps

CLEAN = ("radio.harq.bler=[0]",)


def test_a_constant_link_gives_its_rate():
    got = saturated.delivered(saturated.of(["good", "cqi", "9"], 1, 4, CLEAN))
    wanted = rate_bps("dl", 50, 9)
    rate = got.length.sum() * 8 / 4
    assert 0.95 * wanted < rate < wanted
    per_second = np.bincount((got.t_ns // 10**9).astype(int), got.length)
    assert len(per_second) in (4, 5)
    assert np.ptp(per_second[:4]) < 0.02 * per_second[:4].mean()
    assert got.t_ns.min() >= 0


def test_the_same_seed_is_the_same_and_another_is_not():
    once, again, other = (saturated.delivered(saturated.of(["edge"], seed, 2)) for seed in (1, 1, 2))
    assert np.array_equal(once.t_ns, again.t_ns)
    assert not np.array_equal(once.t_ns[:100], other.t_ns[:100])


def test_pings_of_an_idle_ue():
    """Random access, request and answer take the times of the radio, and up to a sub-frame until they begin."""
    got = saturated.pinged(saturated.of(["good"], 1, 4, CLEAN))
    assert len(got.rtt_ms) == 20
    assert 0.5 < np.ptp(got.rtt_ms) < 2
    assert not len(got.handover_ms)


def test_answers_wait_for_a_ue_that_sleeps():
    """A server's answer comes after the UE has fallen asleep, at any time of its cycle of 40 ms."""
    awake, asleep = (np.sort(saturated.pinged(saturated.of(
        ["nr-midband"], 1, 12, ("radio.harq.bler=[0]", f"radio.nr.drx_cycle_ms={cycle_ms}"))).rtt_ms)
        for cycle_ms in (0, 40))
    assert np.ptp(awake) < 10 and len(awake) == len(asleep) == 60
    assert 25 < np.ptp(asleep) < 40 + np.ptp(awake)
    assert asleep[0] < awake.max() and np.median(asleep) > np.median(awake) + 5


def test_handovers_take_the_times_that_are_drawn():
    got = saturated.pinged(saturated.of(["train"], 1, 60))
    assert len(got.rtt_ms) == 300
    assert len(got.handover_ms) == 3
    assert ((got.handover_ms >= 20) & (got.handover_ms <= 100)).all()


def test_a_backlog_goes_through_tunnels_and_handovers():
    got = saturated.delivered(saturated.of(["train"], 1, 12, CLEAN))
    gaps_ms = np.diff(got.t_ns) / 1e6
    assert 20 < gaps_ms.max() < 150  # that of the handover
    assert abs(got.t_ns[np.argmax(gaps_ms)] / 1e9 - (10 - saturated.LEAD_S)) < 0.2


@pytest.mark.parametrize("name", ["lte-static", "lte-walk", "lte-drive", "lte-train", "nr-static", "nr-walk",
                                  "nr-sa-drive", "nr-nsa-drive", "fr2-walk", "fr2-drive"])
def test_links_of_the_field_vary(name):
    """Over tenths of a second what they deliver is never the same for long; `good` is."""
    def variation(words):
        got = saturated.delivered(saturated.of(words, 1, 6, ("radio.harq.bler=[0]",)))
        per_window = np.bincount(got.t_ns // 10**8, got.length, 60)[:60]
        return per_window.std() / per_window.mean()

    assert variation(["good"]) < 0.02
    assert variation([name]) > 0.03


@pytest.mark.parametrize(("words", "message"), [
    (["nowhere"], "link: 'nowhere': "), (["good", "cqi", "16"], "link: cqi 16: allowed whole numbers 1..15"),
])
def test_links_that_do_not_exist(words, message):
    with pytest.raises(ScenarioError, match=message):
        saturated.of(words, 1, 2)


def test_what_the_core_refuses_is_one_line(monkeypatch):
    monkeypatch.setattr(saturated, "_ue", lambda run: "nobody")
    with pytest.raises(CellbedError, match="allowed names of UEs$"):
        saturated.delivered(saturated.of(["good"], 1, 1))
