# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed set` and Link.set: what changes while a native link goes on, what is refused, and that nothing is left."""

import json
import os
import re
import stat
import subprocess
import time

import pytest
from e2e import cellbed, needs_native
from machine import nothing_left

import cellbed as api

pytestmark = pytest.mark.lab

CONSTANT = """
format: 1
id: constant
nodes: {server: {kind: server, address: 10.46.0.1/24}, enb: {kind: enb}, ue1: {address: 10.45.0.1/24}}
links: [{a: server, b: enb, rate: 1Gbit, queue_pkts: 10000}]
radio:
  system: constant_rate
  constant_rate: {dl_rate: 10Mbit, ul_rate: 10Mbit, delay_ms: 10, queue_pkts: 100}
  ues: {ue1: {peer: enb}}
traffic: [{id: flow, from: server, to: ue1, duration_s: 1}]
"""


def rtt_ms(link):
    """Of one ping; None when it has no reply."""
    found = re.search(r"time=([\d.]+)", link.run(["ping", "-c", "1", "-W", "2", link.base], text=True).stdout)
    return None if found is None else float(found[1])


@pytest.fixture
def constant(tmp_path):
    path = tmp_path / "constant.yaml"
    path.write_text(CONSTANT)
    return path


@needs_native
def test_delay_loss_and_outage_of_a_link(constant):
    with nothing_left(), api.Link(constant, serve="true") as link:
        assert 20 <= rtt_ms(link) < 120
        cellbed("set", "--pid", link._pid(), "ue1", "delay=150ms")
        assert rtt_ms(link) >= 300
        link.set(delay_ms=10, loss=1)
        assert rtt_ms(link) is None
        link.set(loss=0, outage="500ms")
        assert rtt_ms(link) is not None


@needs_native
def test_a_flush_drops_what_waits(constant):
    """Of replies that wait for the end of an outage the first goes on, as it is being sent."""
    with nothing_left(), api.Link(constant, serve="true") as link:
        link.set(outage="15s")
        pings = link.popen(["ping", "-c", "4", "-i", "0.2", "-W", "20", link.base], stdout=subprocess.PIPE, text=True)
        time.sleep(2)
        cellbed("set", "--pid", link._pid(), "ue1", "flush")
        said = pings.communicate()[0]
        assert "4 packets transmitted, 1 received" in said


@needs_native
def test_channel_quality_of_a_cell():
    with nothing_left(), api.Link("good", serve="true") as link:
        link.set(**{"radio.cqi_dl": 0})
        assert rtt_ms(link) is None
        link.set(cqi_dl=9)
        assert rtt_ms(link) is not None


@needs_native
@pytest.mark.parametrize(("changes", "said"), [
    ({"cqi_dl": 4}, "key 'cqi_dl': "), ({"handover": "enb2"}, "key 'handover': "),
    ({"delay": "99s"}, "key 'delay_ms': value 99000.0: allowed 0..10000"),
    ({"rate": "1bit"}, "key 'dl_rate': value 1bit: allowed a rate in kbit, Mbit or Gbit"),
    ({"colour": 1}, "key 'colour': unknown; allowed mode, handover")])
def test_what_is_refused_leaves_the_link_as_it_was(constant, changes, said):
    with api.Link(constant, serve="true") as link:
        with pytest.raises(api.CellbedError, match=re.escape(said)):
            link.set(**changes)
        with pytest.raises(api.CellbedError, match="key 'ue': value 'server': allowed the name of a UE"):
            link.set("server", delay_ms=4)
        assert rtt_ms(link) >= 20


@needs_native
def test_the_socket_is_of_its_owner_only(constant):
    with api.Link(constant, serve="true") as link:
        control = api_directory(link) / "control"
        assert stat.S_IMODE(os.stat(control).st_mode) == 0o600
    assert not control.exists()


@needs_native
def test_the_socket_takes_http(constant):
    def post(link, **body):
        done = subprocess.run(["curl", "-sS", "--unix-socket", api_directory(link) / "control", "http://cellbed/", "-w",
                               "%{http_code}", "-d", json.dumps(body)], capture_output=True, text=True, check=True)
        answer, status = done.stdout.rsplit("\n", 1)
        return status, json.loads(answer)

    with api.Link(constant, serve="true") as link:
        assert post(link, cmd="set", ue="ue1", delay_ms=150) == ("200", {"ok": True})
        assert rtt_ms(link) >= 300
        status, answer = post(link, cmd="set", ue="ue1", delay_ms=-1)
        assert (status, answer["ok"]) == ("400", False) and "delay_ms" in answer["error"]
        assert post(link, cmd="set", ue="x" * 2000) == ("400", {"ok": False, "error": "line too long"})
        assert post(link, cmd="stats")[0] == "200"
        link.set(delay_ms=10)  # lines go on
        assert rtt_ms(link) < 300


def api_directory(link):
    from cellbed.link import live

    return live.directory_of(link._pid())


def test_short_words_may_stand_apart_from_their_values():
    from cellbed.link import live

    assert live.parse(["rate", "2Mbit", "cqi_dl=4", "outage", "2s", "flush"]) == \
        live.parse(["rate=2Mbit", "cqi_dl=4", "outage=2s", "flush"])


@pytest.mark.parametrize(("words", "said"), [
    (["foo"], "'foo': expected key=value, such as cqi_dl=4, rate=20Mbit or outage=2s; or flush"),
    (["reflush"], "'reflush': expected key=value, such as cqi_dl=4, rate=20Mbit or outage=2s; or flush"),
    (["flush=false"], "key 'flush': value false: allowed true"),
    (["cqi_dl=44"], "key 'cqi_dl': value 44: allowed 0..15"),
    (["outage=2s", "outage=3s"], "outage is given twice; give it once"),
    (["outage", "2s", "outage", "3s"], "outage is given twice; give it once"),
    (["outage"], "'outage': expected key=value, such as cqi_dl=4, rate=20Mbit or outage=2s; or flush"),
    (["cqi_dl=4"], "no lab is running; `cellbed link` in another terminal starts one")])
def test_wrong_use_is_one_line(words, said, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    done = cellbed("set", "ue1", *words, check=False)
    assert (done.returncode, done.stderr) == (1, f"cellbed: {said}\n")
