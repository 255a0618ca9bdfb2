# SPDX-License-Identifier: GPL-2.0-or-later
"""The soak itself, short: `make soak` runs a thousand."""

import pytest
import soak

pytestmark = pytest.mark.lab


def test_some_runs(tmp_path):
    """Two kinds, the first of them twice."""
    assert soak.soak(3, tmp_path, (1,)) == []


def test_other_bytes_are_found(tmp_path, monkeypatch):
    bytes_of_each = iter([{"radio.trace": "a"}, {}, {"radio.trace": "b"}])
    monkeypatch.setattr(soak, "digests", lambda _: next(bytes_of_each))
    assert soak.soak(3, tmp_path, (1,)) == ["run 3: other bytes than the first of DM-DM seed 1"]


def test_a_cpu_is_for_one_lab_however_often_a_sweep_runs(tmp_path):
    """Rounds of `cellbed sweep --until` run more than once."""
    (tmp_path / "short.yaml").write_text(soak.SHORT)
    model, _ = soak.expand(tmp_path / "short.yaml", seeds=[1])
    sweep = soak.Sweep(model, [], tmp_path / "results", "virtual", None, soak.Silent())
    for _ in range(2):
        sweep.execute([], 1)
        assert sweep.cpus.qsize() == 1
