# SPDX-License-Identifier: GPL-2.0-or-later
"""How samples of the bcc and bpftrace probes are compared with tcpwatch's; the probes themselves need a full kernel."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = "t_ns,sport,dport,snd_una,snd_cwnd,srtt_us\n"


def load():
    spec = importlib.util.spec_from_file_location("bcc_compare", ROOT / "ebpf/bcc/compare.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_samples_of_the_run_only(tmp_path):
    """Those of other connections are left out, and so is a line that the probe's end has cut."""
    path = tmp_path / "bcc.csv"
    path.write_text(HEAD + "5,40000,5201,100,10,25000\n6,22,50000,7,10,90\n7,5202,40001,1,10,30000\n8,40000,5201,10")
    assert load().samples(path) == [(40000, 5201, 100, 10, 25000), (5202, 40001, 1, 10, 30000)]


def test_a_sample_agrees_with_all_five_numbers_or_not_at_all():
    compare = load()
    known = {(40000, 5201, 100, 10, 25000)}
    assert compare.share([(40000, 5201, 100, 10, 25000)] * 3 + [(40000, 5201, 100, 11, 25000)], known) == 0.75
    assert compare.share([], known) == 0


def test_the_ports_are_those_of_the_scenario():
    from cellbed.scenario.description import expand

    _, runs = expand(ROOT / "vm/lab-vm.yaml")
    assert {flow["port"] for flow in runs[0].settings["traffic"]} == set(load().PORTS)


def test_all_probes_print_the_same_columns():
    for name in ("cwnd_bcc.py", "cwnd.bt"):
        assert HEAD.strip() in (ROOT / "ebpf/bcc" / name).read_text()
