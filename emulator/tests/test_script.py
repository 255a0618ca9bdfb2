# SPDX-License-Identifier: GPL-2.0-or-later
"""What is scripted happens at its time, all of it; a channel trace that says something else is refused."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest
from channelfile import write_channel
from tracereader import read_trace

ROOT = Path(__file__).resolve().parents[2]
CELLSIM = Path(os.environ.get("CELLBED_BUILD", ROOT / "build")) / "emulator/sim/cellsim"


def simulate(tmp_path, **changes):
    """UE 1 sends a packet every 10 ms for a second. Return: rows of the trace."""
    lines = [f"{i * 10_000_000} 1 1000 {i:x}\n" for i in range(100)]
    (tmp_path / "arrivals").write_text("".join(lines))
    ues = [{"name": "ue1", "peer": "ue2"}, {"name": "ue2", "peer": "ue1"}]
    document = {"format": 1, "seed": 1, "cell": {"ues": ues, **changes.pop("cell", {})}, **changes}
    (tmp_path / "c.json").write_text(json.dumps(document))
    subprocess.run([CELLSIM, "--config", tmp_path / "c.json", "--arrivals", tmp_path / "arrivals", "--out",
                    tmp_path / "out"], check=True, capture_output=True, text=True)
    return list(read_trace(tmp_path / "out/radio.trace"))


def test_events_change_modes_at_their_times(tmp_path):
    events = [{"t_ms": 700, "ue": "ue1", "mode": "dm"}, {"t_ms": 300, "ue": "ue1", "mode": "im"}]
    rows = simulate(tmp_path, events=events)
    assert [(r["t_ns"] // 10**6, r["value"]) for r in rows if r["event"] == "route"] == [(300, 0), (700, 1)]
    ways = {(300 <= r["t_ns"] / 10**6 < 700, r["dir"]) for r in rows if r["event"] == "pkt_in" and r["t_ns"] % 10**8}
    assert ways == {(False, "sl"), (True, "ul")}


def test_a_channel_trace_sets_the_cqi(tmp_path):
    cqis = [(0, 1, 2, 15), (250, 1, 2, 7), (500, 1, 0, 9), (500, 1, 2, 8), (900, 1, 2, 10)]
    write_channel(tmp_path / "channel", cqis)
    rows = simulate(tmp_path, channel=str(tmp_path / "channel"), cell={"mode_switch": {"select_ms": 100}})
    changes = [(r["t_ns"] // 10**6, r["dir"], r["cqi"], r["value"]) for r in rows if r["event"] == "channel"]
    assert changes == [(0, "sl", 15, -120), (250, "sl", 7, -120), (500, "ul", 9, -120), (500, "sl", 8, -120),
                       (900, "sl", 10, -120)]
    # From 300 ms on the uplink is better, from 900 ms on the sidelink; it is asked every 100 ms.
    assert [(r["t_ns"] // 10**6, r["value"]) for r in rows if r["event"] == "route"] == [(300, 0), (900, 1)]


CELLS = {
    "ues": [{"name": name, "peer": "network", "mode": "im", "enb": "west", "address": f"10.45.0.{i}"}
            for i, name in enumerate(("ue1", "ue2"), 1)],
    "sgw": {"gtpu_address": "10.60.0.1"},
    "enbs": [{"name": "west", "gtpu_address": "10.60.1.1"}, {"name": "east", "gtpu_address": "10.60.2.1"}],
    "a3": {"offset_db": 2, "hysteresis_db": 0.5, "time_to_trigger_ms": 80, "filter_coefficient": 0},
}
RSRP = 3


def test_a_trace_of_several_cells_hands_over(tmp_path):
    """Entered at 400 ms, reported 80 ms and a transmission later; then the channels are those of the new cell."""
    channels = [(0, 1, way, 12 - 5 * enb, enb, 100 * enb) for enb in range(2) for way in range(2)]
    powers = [(ms, 1, RSRP, 0, enb, rsrp_cdbm) for ms, *both in ((200, -9000, -8750), (400, -9000, -8749))
              for enb, rsrp_cdbm in enumerate(both)]
    write_channel(tmp_path / "channel", [*channels, *powers])
    rows = simulate(tmp_path, channel=str(tmp_path / "channel"), cell=CELLS)
    heard_ms = 400 + 80 + 2 + 4
    assert next(r["t_ns"] / 10**6 for r in rows if r["event"] == "rrc") == heard_ms
    found = [(r["t_ns"] / 10**6 > heard_ms, r["dir"], r["cqi"], r["value"], r["enb"]) for r in rows
             if r["event"] == "channel"]
    assert found == [(False, "ul", 12, 0, 0), (False, "dl", 12, 0, 0), (True, "ul", 7, 100, 1), (True, "dl", 7, 100, 1)]


@pytest.mark.parametrize(("rows", "message"), [
    ([(0, 1, 0, 9, 2, 0)], "record 0: enb 2: allowed 0..1"), ([(0, 1, 4, 9, 0, 0)], "record 0: ue 1, dir 4, cqi 9"),
    ([(0, 1, RSRP, 0, 0, -20001)], "record 0: RSRP -20001: allowed -20000..5000"),
    ([(0, 1, 0, 9, 1, 0), (0, 1, 1, 9, 0, 0)], "record 1: t_ns 0, ue 1, dir 1: not after the record before"),
])
def test_a_wrong_trace_of_several_cells_is_refused(tmp_path, rows, message):
    write_channel(tmp_path / "channel", rows)
    with pytest.raises(subprocess.CalledProcessError) as error:
        simulate(tmp_path, channel=str(tmp_path / "channel"), cell=CELLS)
    assert error.value.stderr.startswith(f"cellsim: {tmp_path / 'channel'}: {message}")


def everybody(*times_ms):
    """UEs without traffic, as many as a cell takes; all CQIs at each of @times_ms. Return: UEs, records."""
    ues = [{"name": f"ue{i}", "peer": "network", "mode": "im"} for i in range(1, 101)]
    return ues, [(t, ue, way, 1 + (ue + way + t) % 15) for t in times_ms for ue in range(1, 101) for way in range(3)]


@pytest.mark.parametrize("n_ue", [21, 22, 100])
def test_no_record_of_a_channel_trace_is_lost(tmp_path, n_ue):
    """Three of every UE at a time are more than 64 from 22 UEs on."""
    ues, records = everybody(0, 3, 3 + 997)
    records = [r for r in records if r[1] <= n_ue]
    write_channel(tmp_path / "channel", records)
    rows = simulate(tmp_path, channel=str(tmp_path / "channel"), cell={"ues": ues[:n_ue]})
    directions = ("ul", "dl", "sl")
    assert [(r["t_ns"] // 10**6, r["node"] or r["peer"], directions.index(r["dir"]), r["cqi"]) for r in rows
            if r["event"] == "channel"] == records


def test_as_many_events_at_one_time_as_may_be_given(tmp_path):
    """Each of them is carried out: the mode changes every time."""
    events = [{"t_ms": 300, "ue": "ue1", "mode": ("im", "dm")[i % 2]} for i in range(1024)]
    rows = simulate(tmp_path, events=events)
    assert sum(r["event"] == "route" for r in rows) == 1024
    with pytest.raises(subprocess.CalledProcessError) as error:
        simulate(tmp_path, events=[*events, events[0]])
    assert "key 'events': 1025 entries: allowed 0..1024" in error.value.stderr


@pytest.mark.parametrize(("system", "changes", "message"), [
    ("utran", {"events": [{"t_ms": 1, "ue": "ue1", "mode": "im"}]},
     "key 'events[0].mode': this cell.system does not have it; allowed none"),
    ("nr", {"events": [{"t_ms": 1, "ue": "ue1", "mode": "im"}]},
     "key 'events[0].mode': this cell.system does not have it; allowed handover, predict, cqi_ul, cqi_dl, flush"),
    ("packet_trace", {"events": [{"t_ms": 1, "ue": "ue1", "dl_rate": 5000}]},
     "key 'events[0].dl_rate': this cell.system does not have it; allowed loss_dl, loss_ul, delay_ms, outage_ms, "
     "flush"),
    ("packet_trace", {"events": [{"t_ms": 1, "ue": "ue1", "loss_dl": 1.5}]},
     "key 'events[0].loss_dl': value 1.5: allowed 0..1"),
    ("lte", {"channel": "/nowhere", "events": [{"t_ms": 1, "ue": "ue1", "cqi_dl": 3}]},
     "key 'events[0].cqi_dl': the CQI follows the channel over time; allowed where it is constant"),
    ("packet_trace", {"channel": "/nowhere"},
     "key '(top).channel': this cell.system has no channel over time; remove the key, or set cell.system: lte, nr, "
     "en_dc"),
])
def test_only_some_systems_take_changes(tmp_path, system, changes, message):
    cell = {"system": system, "ues": [{"name": "ue1", "peer": "network", "mode": "im"}],
            "packet_trace": {"uplink": [1], "downlink": [1]},
            **({"pdcp": {"sn_bits": 18}, "rlc_um": {"sn_bits": 12}} if system == "nr" else {})}
    with pytest.raises(subprocess.CalledProcessError) as error:
        simulate(tmp_path, cell=cell, **changes)
    assert error.value.stderr == f"cellsim: {tmp_path / 'c.json'}: {message}\n"


@pytest.mark.parametrize(("rows", "name", "message"), [
    ([(0, 3, 0, 9)], "channel", "record 0: ue 3, dir 0, cqi 9: allowed 1..2, 0..2, 0..15"),
    ([(0, 1, 3, 9)], "channel", "record 0: ue 1, dir 3, cqi 9"),
    ([(5, 1, 0, 9), (4, 1, 0, 9)], "channel", "record 1: t_ns 4000000, ue 1, dir 0: not after the record before"),
    ([(5, 1, 0, 9), (5, 1, 0, 8)], "channel", "record 1: t_ns 5000000, ue 1, dir 0: not after the record before"),
    ([(5, 1, 1, 9), (5, 1, 0, 8)], "channel", "record 1: t_ns 5000000, ue 1, dir 0: not after the record before"),
    ([(5, 2, 0, 9), (5, 1, 0, 8)], "channel", "record 1: t_ns 5000000, ue 1, dir 0: not after the record before"),
    ([], "radio", "not a channel trace"),
])
def test_a_wrong_channel_trace_is_refused(tmp_path, rows, name, message):
    write_channel(tmp_path / "channel", rows, name)
    with pytest.raises(subprocess.CalledProcessError) as error:
        simulate(tmp_path, channel=str(tmp_path / "channel"))
    assert error.value.stderr.startswith(f"cellsim: {tmp_path / 'channel'}: {message}")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("change", "message"), [
    (lambda b: b[:-3], "record 1: cut short"),
    (lambda b: b[:512] + struct.pack("<q", 2**63 - 1) + b[520:], "record 0: t_ns 9223372036854775807: allowed 0.."),
    (lambda b: b[:512] + struct.pack("<q", -1) + b[520:], "record 0: t_ns -1: allowed 0.."),
    (lambda b: b.replace(b'"sinr_cdb", "type": "i32", "offset": 12', b'"sinr_cdb", "type": "i32", "offset": 13'),
     "header: field 'sinr_cdb' of type i32: missing"),
    (lambda b: b.replace(b'"header_bytes": 512', b'"header_bytes": -12'),
     "header: header_bytes: value -12: the line ends elsewhere; allowed 512"),
    (lambda b: b.replace(b'"header_bytes": 512', b'"header_bytes": 256'),
     "header: header_bytes: value 256: the line ends elsewhere; allowed 512"),
    (lambda b: b.replace(b'"offset": 12', b'"offset":"a"'), "header: field 'sinr_cdb' of type i32: missing"),
    (lambda b: b[:100], "not a channel trace"),
])
def test_a_damaged_channel_trace_is_refused(tmp_path, change, message):
    write_channel(tmp_path / "channel", [(0, 1, 0, 9), (5, 1, 0, 8)])
    (tmp_path / "channel").write_bytes(change((tmp_path / "channel").read_bytes()))
    with pytest.raises(subprocess.CalledProcessError) as error:
        simulate(tmp_path, channel=str(tmp_path / "channel"))
    assert error.value.stderr.startswith(f"cellsim: {tmp_path / 'channel'}: {message}")
