# SPDX-License-Identifier: GPL-2.0-or-later
"""Any name that a kernel may know; each flow its own; and whether a kernel has it."""

import contextlib
import copy

import pytest

from cellbed.error import LabError, ScenarioError
from cellbed.results import validity
from cellbed.run import congestion_control, topology
from cellbed.scenario.description import expand, identity

SECOND = {"id": "other", "from": "ue1", "to": "ue2", "duration_s": 2, "port": 5202}
COMMAND = {"id": "fetch", "kind": "command", "node": "ue1", "argv": ["true"]}


def settings_of(minimal, write, traffic=(), **tcp):
    data = copy.deepcopy(minimal)
    data["traffic"] += traffic
    data["tcp"].update(tcp)
    return expand(write(data))[1][0].settings


@pytest.mark.parametrize("name", ["my_tcp", "bpf_cubic", "a", "tcp-2.0", "x" * 15])
def test_any_name_that_a_kernel_can_have(minimal, write, name):
    settings = settings_of(minimal, write, congestion_control=name)
    assert congestion_control.of_flow(settings, settings["traffic"][0]) == name


def test_modules_and_what_somebody_registered_count_for_the_identity(minimal, write, tmp_path, monkeypatch):
    """A module by its build id; a control of unknown origin makes each run another one."""
    monkeypatch.setattr(congestion_control, "_MODULES", tmp_path)
    note = tmp_path / "tcp_mine/notes/.note.gnu.build-id"
    note.parent.mkdir(parents=True)
    mine, theirs, builtin = (settings_of(minimal, write, congestion_control=name)
                             for name in ("mine", "bpf_foo", "reno"))
    found = []
    for digest in (b"1" * 20, b"2" * 20):
        note.write_bytes(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0" + digest)
        found.append(congestion_control.identities(mine, loaded=False))
    assert found == [{"module tcp_mine": "31" * 20}, {"module tcp_mine": "32" * 20}]
    assert congestion_control.identities(builtin, loaded=False) == {}
    first, again = (congestion_control.identities(theirs, loaded=False) for _ in range(2))
    assert first.keys() == again.keys() == {"congestion control bpf_foo"} and first != again
    assert congestion_control.identities(theirs, loaded=True) == {}


@pytest.mark.parametrize("name", ["", "x" * 16, "two words", "-C", "a/b", "ä", 7])
def test_a_name_that_no_kernel_can_have(minimal, write, name):
    with pytest.raises(ScenarioError, match="key 'tcp.congestion_control': value .*: allowed "):
        settings_of(minimal, write, congestion_control=name)


def test_each_flow_may_have_its_own(minimal, write):
    plain = settings_of(minimal, write, [SECOND])
    own = settings_of(minimal, write, [{**SECOND, "congestion_control": "bbr"}])
    first, second = own["traffic"]
    assert [congestion_control.of_flow(own, flow) for flow in (first, second)] == ["reno", "bbr"]
    assert [congestion_control.of_socket(own, flow) for flow in (first, second)] == [None, "bbr"]
    about = {"format": 1, "seed": 1, "lab": "virtual", "memory_mib": 1, "programs": {}, "files": {}}
    assert identity({**about, "settings": plain}) != identity({**about, "settings": own})


def test_a_setting_below_sysctls_counts(minimal, write):
    settings = settings_of(minimal, write, sysctls={"net.ipv4.tcp_congestion_control": "vegas"})
    assert congestion_control.of_flow(settings, settings["traffic"][0]) == "vegas"


def test_a_command_has_that_of_its_node_and_transfers_there_keep_theirs(minimal, write):
    settings = settings_of(minimal, write, [{**COMMAND, "congestion_control": "bbr"}])
    given = {node.name: topology.sysctls(node, settings)["ipv4/tcp_congestion_control"]
             for node in topology.plan(settings).nodes}
    assert given == {"ue1": "bbr", "ue2": "reno"}
    assert congestion_control.of_socket(settings, settings["traffic"][0]) == "reno"


@pytest.mark.parametrize(("entry", "message"), [
    ({**COMMAND, "id": "b", "congestion_control": "cubic"},
     "key 'traffic.2.congestion_control': value cubic: fetch on the same node, ue1, has another"),
    ({**SECOND, "kind": "stream", "transport": "udp", "rate": "1Mbit", "packet_bytes": 100,
      "congestion_control": "bbr"},
          "key 'traffic.2.congestion_control': value bbr: transport udp has none; remove the key, or"),
])
def test_what_cannot_be_done_is_refused(minimal, write, entry, message):
    with pytest.raises(ScenarioError) as error:
        settings_of(minimal, write, [{**COMMAND, "congestion_control": "bbr"}, entry])
    assert message in str(error.value)


def test_this_machine_keeps_its_own(wired, write):
    wired["nodes"]["server"]["machine"] = True
    wired["traffic"].append({**COMMAND, "node": "server", "congestion_control": "bbr"})
    with pytest.raises(ScenarioError,
                       match="key 'traffic.1.congestion_control': value bbr: server is this machine, whose congestion"):
        expand(write(wired))
    del wired["traffic"][-1]
    settings = expand(write(wired))[1][0].settings
    assert congestion_control.of_socket(settings, settings["traffic"][0]) == "reno"


@pytest.mark.parametrize(("change", "key"), [
    (lambda s: s["tcp"].update(congestion_control="nosuch"), "tcp.congestion_control"),
    (lambda s: s["tcp"]["sysctls"].update({"net.ipv4.tcp_congestion_control": "nosuch"}), "tcp.sysctls"),
    (lambda s: s["traffic"][0].update(congestion_control="nosuch"), "traffic.0.congestion_control"),
])
def test_a_kernel_without_it_says_what_it_has(minimal, write, change, key):
    settings = settings_of(minimal, write)
    congestion_control.check(settings, native=True)
    change(settings)
    with pytest.raises(LabError, match=f"key '{key}': value nosuch: this kernel has .*reno"):
        congestion_control.check(settings, native=False)


@pytest.mark.parametrize(("used", "codes"), [("bbr", []), ("reno", ["congestion_control"])])
def test_a_run_is_judged_by_what_each_flow_asked_for(minimal, write, used, codes):
    settings = settings_of(minimal, write, [{**SECOND, "congestion_control": "bbr"}, COMMAND])
    facts = {"sysctls": {}, "offloads": {}, "workload_errors": {},
             "congestion_control": {"file": "reno", "other": used, "fetch": None}}
    assert [reason["code"] for reason in validity.configuration(facts, settings)] == codes


@pytest.mark.parametrize(("beta", "words"), [(None, []), (0.8, ["tcp_cubic.beta=819"]), (0.7, ["tcp_cubic.beta=717"])])
def test_the_beta_of_cubic_is_a_word_for_the_kernel_of_a_guest(minimal, write, beta, words):
    assert congestion_control.kernel_words(settings_of(minimal, write, cubic_beta=beta)["tcp"]) == words


@pytest.mark.parametrize("beta", [0, 1, 1.5, "much"])
def test_a_beta_that_cubic_cannot_have(minimal, write, beta):
    """A kernel that was started with 1024 parts of 1024 would divide by zero."""
    with pytest.raises(ScenarioError, match="key 'tcp.cubic_beta': value .*: allowed"):
        settings_of(minimal, write, cubic_beta=beta)


@pytest.mark.parametrize(("beta", "parts", "refusal"), [
    (None, "819", None), (0.7, "717", None), (0.8, "819", None), (0.8, None, "this kernel has no "),
    (0.8, "717", "this kernel has 0.7; allowed null, or a kernel started with tcp_cubic.beta=819; the virtual lab"),
])
def test_a_kernel_with_another_beta_is_refused(minimal, write, monkeypatch, tmp_path, beta, parts, refusal):
    monkeypatch.setattr(congestion_control, "_CUBIC_BETA", tmp_path / "beta")
    if parts is not None:
        (tmp_path / "beta").write_text(parts + "\n")
    settings = settings_of(minimal, write, cubic_beta=beta)
    with pytest.raises(LabError, match=refusal) if refusal else contextlib.nullcontext():
        congestion_control.check(settings, native=True)
