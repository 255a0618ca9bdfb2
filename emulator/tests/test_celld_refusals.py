# SPDX-License-Identifier: GPL-2.0-or-later
"""What celld and cellsim refuse: configurations, options, arrivals; one line says what and where."""

import json
import subprocess

import pytest
from celldconfig import CELLD, CELLSIM, config


def changed(tmp_path, key, value):
    path = config(tmp_path)
    data = json.loads(path.read_text())
    *parents, last = key.split(".")
    at = data
    for part in parents:
        at = at[int(part)] if isinstance(at, list) else at.setdefault(part, {})
    at[last] = value
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(("key", "value", "message"), [
    ("format", 2, "key 'format': allowed 1"),
    ("cell.n_rb", 5, "key 'cell.n_rb': value 5: allowed 6..110"),
    ("cell.n_rb", "x", "key 'cell.n_rb': allowed whole numbers"),
    ("cell.scheduler", "fifo", "key 'cell.scheduler': value 'fifo': allowed rr, wfq, max_ci, pf, mlwdf"),
    ("cell.ra.rac_timeout_ms", 1, "key 'cell.ra.rac_timeout_ms': value 1: allowed 2..1000"),
    ("cell.ra.rac_timeout", 10, "key 'cell.ra.rac_timeout': unknown; remove it"),
    ("cell.mac.trailing_bsr", 1, "key 'cell.mac.trailing_bsr': allowed true, false"),
    ("cell.rlc_um.sn_bits", 7, "cell: rlc.um.sn_bits: allowed 5 or 10"),
    ("cell.ues.0.cqi_ul", 16, "key 'cell.ues[0].cqi_ul': value 16: allowed 1..15"),
    ("cell.ues.0.bler_sl", 1.5, "key 'cell.ues[0].bler_sl': value 1.5: allowed 0..1"),
    ("cell.ues.0.peer", "ue1", "key 'cell.ues[0].peer': value 'ue1': allowed the name of another UE or 'network'"),
    ("cell.ues", [], "key 'cell.ues': 0 entries: allowed 1..100"),
    ("ports.0.ue", "ue3", "key 'ports[0].ue': value 'ue3': allowed the name of a UE"),
    ("ports.0.mtu", 9000, "key 'ports[0].mtu': value 9000: allowed 68..1500"),
    ("outputs", {}, "key '(top).outputs': unknown; remove it"),
    *((f"cell.{section}.bler", [0.5], f"key 'cell.{section}.bler': unknown; remove it")
      for section in ("timing", "ra", "mac", "control", "rlc", "rlc_um", "rlc_am", "pdcp", "mode_switch", "handover",
                      "gtpu", "sgw", "utran", "packet_trace")),
    ("cell.harq.uplink", [1], "key 'cell.harq.uplink': unknown; remove it"),
    ("cell.bler", [0.5], "key 'cell.bler': unknown; remove it"),
    ("cell.ues.0.bler", [0.5], "key 'cell.ues[0].bler': unknown; remove it"),
    ("ports.0.peer", "ue2", "key 'ports[0].peer': unknown; remove it"),
    ("output.log", "x", "key 'output.log': unknown; remove it"),
    ("ports", {}, "key 'ports': allowed a list"),
    ("events", {"t_ms": 1}, "key 'events': allowed a list"),
    ("cell.packet_trace", {"uplink": [1], "downlink": [1], "uplink_trains": 7},
     "key 'cell.packet_trace.uplink_trains': allowed a list"),
    ("ports.0.side", "mme", "key 'ports[0].side': value 'mme': allowed ue, network, sgw, enb"),
    ("ports.0.side", "sgw", "key 'ports[0].side': value 'sgw': the cell has no S-GW; add 'cell.sgw'"),
    ("cell.ues.0.weight", 0, "key 'cell.ues[0].weight': value 0: allowed 1..255"),
    ("cell.ues.0.enb", "senb", "key 'cell.ues[0].enb': value 'senb': allowed the name of an eNB"),
    ("cell.ues.0.address", "10.45.0", "key 'cell.ues[0].address': value '10.45.0': allowed an IPv4 address"),
    *(("cell.ues.0.bearers", [{"filters": [{"local_address": wrong}]}],
       f"key 'cell.ues[0].bearers[0].filters[0].local_address': value '{wrong or '(not a string)'}': allowed a prefix "
       "of IPv4 or IPv6, such as 10.46.0.0/24")
      for wrong in ("10.46.0.1", "10.46.0.0/33", "10.46.0.0/", "10.46.0.0/+8", "10.46.0.0/8 ", "::/129", "::/256",
                    "/8", "x/8", 0, "1" * 60 + "/8", "::/18446744073709551617")),
    ("cell.enbs", [], "key 'cell.enbs': 0 entries: allowed 1..4"),
    ("cell.sgw", {}, "key 'cell.sgw.gtpu_address': missing; add an IP address"),
    *(("cell.enbs", [{"name": "a", "gtpu_address": one}, {"name": "b", "gtpu_address": other}],
       f"key 'cell.enbs[1].gtpu_address': value '{other}': allowed {allowed}") for one, other, allowed in (
           ("fd63::1", "fd64::2", "one with the first 96 bits of other ends and others behind them"),
           ("fd63::1", "fd63::", "one with the first 96 bits of other ends and others behind them"),
           ("10.60.0.1", "fd63::2", "one with the first 96 bits of other ends and others behind them"),
           ("fd63::1", "10.60.0.1", "an IPv6 address, as another end has"), ("fd63::1", "fd63::x", "an IP address"))),
    ("cell.handover.procedure", "x2",
     "key 'cell.handover.procedure': value 'x2': allowed standard, fast_path_switch, prediction, conditional, daps"),
    ("cell.handover.detach_ms", -1, "key 'cell.handover.detach_ms': value -1: allowed 0..10000"),
    ("cell.gtpu.ecn", "all", "key 'cell.gtpu.ecn': value 'all': allowed none, copy"),
    ("events", [{"t_ms": 1, "ue": "ue1"}],
     "key 'events[0]': 0 changes: allowed one of mode, handover, predict, cqi_ul, cqi_dl, cqi_sl, flush"),
    ("events", [{"t_ms": 1, "ue": "ue1", "handover": "tenb"}],
     "key 'events[0].handover': value 'tenb': allowed the name of an eNB"),
    ("cell.ues.1.name", "ue1", "key 'cell.ues[1].name': value 'ue1': another UE has this name; choose another one"),
    ("cell.ues.0.name", "network",
     "key 'cell.ues[0].name': value 'network': as a peer this name means the network; choose another one"),
    ("cell.enbs", [{"name": "senb"}, {"name": "senb"}],
     "key 'cell.enbs[1].name': value 'senb': another eNB has this name; choose another one"),
    ("cell", {"n_rb": 6, "mac": {"ul_always_scheduled": True}, "ues": [
        {"name": f"ue{i}", "peer": "network", "mode": "im"} for i in range(1, 8)]},
     "cell: lte.mac.ul_always_scheduled: allowed true with a resource block for each UE, or false"),
    ("cell.ues.0.mode", "a\nb\x1b[2J", "key 'cell.ues[0].mode': value 'a?b?[2J': allowed im, dm"),
])
def test_wrong_configuration(tmp_path, key, value, message):
    path = changed(tmp_path, key, value)
    done = subprocess.run([CELLD, "--check", path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"celld: {path}: {message}\n"


@pytest.mark.parametrize(("text", "message"), [
    ("", "line 1"), ("{", "line 1"), ("[]", "not a JSON object"),
    ('{"format": 1, "format": 1}', "duplicate object key"), ('{"\x01', "line 1"),
    ('{"format": 1}\0{', "line 1"),
])
def test_no_configuration(tmp_path, text, message):
    path = tmp_path / "celld.json"
    path.write_text(text)
    done = subprocess.run([CELLD, "--check", path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.endswith("\n") and done.stderr[:-1].isprintable()


@pytest.mark.parametrize("number", ["", "-1", "1x", " 1", "2147483648", "one"])
def test_the_descriptor_for_readiness_is_a_number(tmp_path, number):
    done = subprocess.run([CELLD, "--config", config(tmp_path), "--ready-fd", number], capture_output=True, text=True,
                          timeout=20, check=False)
    assert done.returncode == 2
    assert done.stderr == f"celld: --ready-fd: value '{number}': allowed 0..2147483647\n"


def test_a_configuration_that_cannot_be_read(tmp_path):
    done = subprocess.run([CELLD, "--check", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"celld: {tmp_path}: Is a directory\n"


@pytest.mark.parametrize(("line", "message"), [
    *((f"1 {port} 40 0", "port: the cell has no such port") for port in (9, 257, -1)),
    ("1 1 0 0", "len: allowed 1..1500"), ("1 1 40x 0", "len: allowed 1..1500"),
    ("1 1 18446744073709551657 0", "len: allowed 1..1500"),
    ("-1 1 40 0", "t_ns: allowed whole numbers from 0"), ("1e6 1 40 0", "t_ns: allowed whole numbers from 0"),
    ("1 1 40 g", "tag: allowed at most 16 hex digits"), ("1 1 40 12345678901234567", "tag: allowed at most 16 hex"),
    ("1 1 2 0 0g11", "two lower-case hex digits"), ("1 1 2 0 001122", "two lower-case hex digits"),
    ("1 1 2 0 00", "two lower-case hex digits"), ("1 1 40 0 @ue3", "@: allowed names of UEs"),
    ("1 1 2 0 0011 22", "not an arrival; write: t_ns port len tag_hex"), ("1 1 40", "not an arrival; write: t_ns"),
    ("nonsense", "not an arrival; write: t_ns port"), ("5 1 40 0\n4 1 40 0", "t_ns: earlier than the line before"),
])
def test_wrong_arrivals(tmp_path, line, message):
    path = config(tmp_path)
    (tmp_path / "arrivals").write_text(line + "\n")
    done = subprocess.run([CELLSIM, "--config", path, "--arrivals", tmp_path / "arrivals", "--out", tmp_path / "o"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.parametrize(("arguments", "status", "message"), [
    (("--backlog", "ue3", "--seconds", "1"), 1, "cellsim: --backlog ue3: allowed names of UEs\n"),
    (("--backlog", "ue1"), 2, "usage: cellsim"), (("--seconds", "1"), 2, "usage: cellsim"),
    (("--arrivals", "x", "--seconds", "no"), 2, "usage: cellsim"),
    (("--backlog", "ue1", "--seconds", "0"), 2, "usage: cellsim"),
    (("--backlog", "ue1", "--seconds", "86401"), 2, "usage: cellsim"),
    (("--backlog", "ue1", "--seconds", "1", "--arrivals", "x"), 2, "usage: cellsim"), ((), 2, "usage: cellsim"),
])
def test_wrong_backlog(tmp_path, arguments, status, message):
    done = subprocess.run([CELLSIM, "--config", config(tmp_path), *arguments, "--out", tmp_path / "o"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:len(message)]) == (status, message)
