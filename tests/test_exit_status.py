# SPDX-License-Identifier: GPL-2.0-or-later
"""How commands about results end: the table of docs/exit-status.md. And any change of a bundle's files is noticed."""

import ast
import errno
import importlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from damage import damages
from e2e import cellbed
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from synthetic_bundle import seal, write_bundle
from test_damaged_bundles import tell
from typer.main import get_command

from cellbed.cli import main
from cellbed.cli.analysed import FAILED, INVALID, UNUSABLE, USAGE
from cellbed.cli.lazy import every
from cellbed.cli.link import NOT_FOUND, OWN_FAILURE, WithCommand
from cellbed.host.interrupt import INTERRUPTED
from cellbed.host.process import NotStarted
from cellbed_formats import checksums
from cellbed_formats.bundle import load_results, read_bundle
from cellbed_formats.error import DataError

LAB = Path(__file__).resolve().parents[1] / "lab/cellbed"
PAGE = Path(__file__).resolve().parents[1] / "docs/exit-status.md"
LATE = {"verdict": "invalid", "reasons": [{"code": "lateness_p99", "text": "woke up too late", "value": 9, "bound": 1}]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A valid run of two variants, an invalid one of a third."""
    results = tmp_path_factory.mktemp("made") / "results"
    for modes, more in (("DM-DM", {}), ("IM-IM", {}), ("IM-DM", {"validity": LATE})):
        seal(write_bundle(results, modes, duration_s=0.3, **more))
    return results


@pytest.fixture
def results(made, tmp_path):
    """Two valid runs."""
    folder = Path(shutil.copytree(made, tmp_path / "results"))
    shutil.rmtree(of(folder, "IM-DM"))
    return folder


def of(results, modes):
    (found,) = results.glob(f"{modes}-*")
    return found


def with_invalid(results, made):
    shutil.copytree(of(made, "IM-DM"), results / of(made, "IM-DM").name)


def damage(bundle, name="tcp.trace"):
    """Five thousand bytes of garbage that a reader would take for records."""
    content = bytearray((bundle / name).read_bytes())
    half = len(content) // 2
    content[half:half + 5000] = bytes(i * 7 % 251 for i in range(len(content[half:half + 5000])))
    (bundle / name).write_bytes(content)


def of_folder(results, tmp_path):
    return [("report", results), ("compare", results, "rtt_mean_ms"),
            ("plot", "rtt", results, "-o", tmp_path / "x.png"), ("dataset", results, "--output", tmp_path / "set")]


def of_bundle(bundle, tmp_path):
    return [("report", bundle), ("why", bundle), ("bundle", bundle), ("plot", "rtt", bundle, "-o", tmp_path / "x.png"),
            ("export", bundle, "--format", "mahimahi-log", "--output", tmp_path), ("compare", bundle, bundle, "--why")]


def test_all_valid(results, tmp_path):
    for words in of_folder(results, tmp_path) + of_bundle(of(results, "DM-DM"), tmp_path):
        assert tell(*words)[0] in (0, None), words


def test_some_invalid(results, made, tmp_path):
    with_invalid(results, made)
    for words in of_folder(results, tmp_path) + of_bundle(of(results, "IM-DM"), tmp_path):
        status, out, err = tell(*words)
        assert (status, out != "") == (INVALID, True), (words, err)
        assert err.count("\n") == 1 and "invalid: IM-DM" in err and "woke up too late" in err, err
        status, out, kept = tell(*words, "--keep-going")
        assert status in (0, None) and kept == err, words


def test_some_unusable(results, made, tmp_path):
    with_invalid(results, made)
    damage(of(results, "IM-IM"), "ip-ue1.pcap")
    damage(of(results, "IM-IM"))
    third = results / "IM-DM-16KiB-seed1-0123456789"
    shutil.copytree(of(results, "DM-DM"), third)
    (third / "manifest.json").write_bytes(b"\0" * 4096)
    (results / ".tmp-IM-IM-seed1-0123456789.99999999").mkdir()
    (results / "notes").mkdir()
    for words in of_folder(results, tmp_path):
        if words[0] == "compare":
            continue  # nothing is left to compare
        status, out, err = tell(*words)
        assert status == UNUSABLE, (words, err)
        for name in (third.name, ".tmp-IM-IM"):
            assert name in err
        assert of(results, "IM-IM").name in err and "notes" not in err and out
        assert tell(*words, "--keep-going")[0] in (0, None)


def test_only_an_unusable_one(results, tmp_path):
    bundle = of(results, "DM-DM")
    damage(bundle)
    shutil.rmtree(of(results, "IM-IM"))
    for words in [*of_bundle(bundle, tmp_path), ("report", results)]:
        for option in ((), ("--keep-going",)):
            status, out, err = tell(*words, *option)
            assert (status, out, err.count("\n")) == (UNUSABLE, "", 1), (words, err)
            assert "tcp.trace: changed after the run" in err and str(bundle) in err


@pytest.mark.parametrize("words", [("report", "nowhere"), ("why", "nowhere"), ("export", "nowhere", "--format", "x"),
                                   ("compare", "nowhere", "x"), ("plot", "cwnd", "nowhere", "-o", "x.png")])
def test_what_cannot_be_done(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = tell(*words)
    assert (status, out, err.count("\n")) == (FAILED, "", 1)


def test_wrong_words():
    assert tell("report")[0] == tell("report", "--no-such-option", "x")[0] == USAGE


def test_older_bundles_are_read_with_one_remark(tmp_path):
    results = tmp_path / "results"
    for modes in ("DM-DM", "IM-IM"):
        write_bundle(results, modes, duration_s=0.3)
    for words in of_folder(results, tmp_path) + of_bundle(of(results, "DM-DM"), tmp_path):
        status, out, err = tell(*words)
        assert status in (0, None) and out, words
        assert err.count("\n") == 1 and "no checksums" in err, (words, err)


def test_compressed_is_not_damaged(results, tmp_path):
    tell("prune", results, "--compress")
    bundle = of(results, "DM-DM")
    assert (bundle / "tcp.trace.zst").exists() and not (bundle / "tcp.trace").exists()
    assert tell("report", bundle)[0] in (0, None)
    damage(bundle, "radio.trace.zst")
    assert tell("report", bundle)[0] == UNUSABLE


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_change_of_any_file_is_noticed(made, tmp_path_factory, data):
    results = Path(shutil.copytree(made, tmp_path_factory.mktemp("any") / "results"))
    bundle = of(results, "DM-DM")
    name = data.draw(st.sampled_from(sorted(path.name for path in bundle.iterdir() if path.is_file())))
    before = (bundle / name).read_bytes()
    changed = data.draw(st.one_of(damages(before, name), st.just(None)))
    assume(changed != before)
    if name == "manifest.json" and changed is not None:  # what means the same is the same
        try:
            same = json.loads(changed) == json.loads(before) or checksums.KEY not in json.loads(changed)
        except (ValueError, RecursionError, TypeError):
            same = False
        assume(not same)
    if changed is None:
        (bundle / name).unlink()
    else:
        (bundle / name).write_bytes(changed)
    good = {path.name for path in results.iterdir()} - {bundle.name}
    try:
        checked = load_results(results).checked()
        assert {one.path.name for one in checked.bundles} == good
        assert {one.path.name for one in checked.rejected} == {bundle.name}
        with pytest.raises((DataError, OSError)):
            read_bundle(bundle).check_files()
    finally:
        shutil.rmtree(results)


def rows():
    """Of the table: status, and commands that it says."""
    found = [[cell.strip() for cell in line.strip("|\n ").split(" | ")] for line in PAGE.read_text().splitlines()
             if re.match(r"\| \d", line)]
    return {int(row[0]): row[2] for row in found}


def test_the_page_is_about_all_commands():
    """The table has the statuses that there are, the commands that have the option, and those that run a command."""
    assert list(rows()) == [0, FAILED, USAGE, INVALID, UNUSABLE, OWN_FAILURE, 126, NOT_FOUND, INTERRUPTED]
    tree = every(get_command(main.app))
    lenient = {name for name, command in tree.items()
               if "--keep-going" in {option for parameter in command.params for option in parameter.opts}}
    around = {name for name, command in tree.items() if isinstance(command, WithCommand)}
    commands = {status: set(re.findall(r"`(\w+)`", who)) for status, who in rows().items()}
    assert commands[INVALID] - {"demo"} == lenient and commands[UNUSABLE] == lenient - {"run", "sweep"}
    assert {status for status, who in rows().items() if who == "all"} == {0, INTERRUPTED}
    for status in (FAILED, USAGE, OWN_FAILURE, 126, NOT_FOUND):
        assert commands[status] == around, status


# What has a status that this code does not decide: that of a child or a command, and of an exception that is passed on.
PASSED_ON = {
    ("cli/main.py", "status"), ("cli/main.py", "error.status"), ("cli/main.py", "error.exit_code"),
    ("cli/main.py", "end.exit_code"), ("cli/analysed.py", "status"), ("cli/link.py", "_execute(...)"),
    ("cli/shell.py", "_ask_guest(...)"), ("host/child.py", "status"), ("host/rootless.py", "status"),
    ("host/rootless.py", "_await(...)"), ("run/runner.py", "main(...)"), ("sweep/ssh_boot.py", "main(...)"),
}  # fmt: skip


def ends(path):
    """Status that each place of a module that ends its process gives, or the text of what it is made of."""
    names = vars(importlib.import_module(".".join(path.relative_to(LAB.parent).with_suffix("").parts)))
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in ("typer.Exit", "SystemExit"):
            yield 0  # of one without arguments
        if not isinstance(node, ast.Call):
            continue
        given = [word.value for word in node.keywords if word.arg in ("status", "code")]
        if ast.unparse(node.func) in ("sys.exit", "exit", "os._exit", "typer.Exit", "SystemExit"):
            given += node.args
        elif not ast.unparse(node.func).endswith("Error"):
            given = []
        for value in given:
            for one in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
                if isinstance(one, ast.Call):
                    text = f"{ast.unparse(one.func)}(...)"
                    yield FAILED if text == "str(...)" else text
                elif isinstance(one, ast.Constant | ast.JoinedStr):
                    yield FAILED if not isinstance(getattr(one, "value", ""), int) else one.value
                else:
                    yield names.get(ast.unparse(one), ast.unparse(one))


def test_nothing_ends_with_another_status():
    """Every place of the program that ends it, or says how, has a status of the table."""
    found = {(str(path.relative_to(LAB)), end) for path in sorted(LAB.rglob("*.py")) for end in ends(path)}
    assert {end for end in found if not isinstance(end[1], int)} == PASSED_ON
    assert not [end for end in found if isinstance(end[1], int) and end[1] not in rows()]
    assert ("cli/analysed.py", INVALID) in found and ("cli/link.py", NOT_FOUND) in found  # it sees them


@pytest.mark.parametrize("words", [
    ["link", "nowhere"], ["link", "good", "rate", "0mbit"], ["link", "--no-such-option"], ["link", "--seed", "x"],
    ["link", "--lab", "no-such-lab"], ["link", "--lab", "virtual", "--pid", "1"], ["link", "--results", "file/x"],
    ["guest", "--memory", "x"], ["guest", "--kernel", "1.0"], ["guest", "--no-such-option"],
    ["shell", "ue1"], ["shell", "--no-such-option"]], ids=" ".join)
def test_what_fails_before_a_command_is_not_its_own_status(tmp_path, words):
    """A script can tell `false` behind a link from a link that could not be opened."""
    (tmp_path / "file").touch()
    done = cellbed(*words, "--", "true", check=False, cwd=tmp_path,
                   env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)})  # no lab of anybody is seen
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (OWN_FAILURE, "", 1), done.stderr


def test_a_program_that_cannot_be_started_is_a_failure(monkeypatch, capsys):
    """What a shell would return of it is for commands of users."""
    def ends_so():
        raise NotStarted("celld: cannot start it: Permission denied", PermissionError(errno.EACCES, "no"))

    monkeypatch.setattr(main, "app", lambda *_, **__: ends_so())
    with pytest.raises(SystemExit) as end:
        main.main()
    assert end.value.code == FAILED and capsys.readouterr().err.count("\n") == 1


def test_a_checksum_that_is_gone_is_noticed(results):
    """Else the file that it was of could hold anything."""
    bundle = of(results, "DM-DM")
    manifest = json.loads((bundle / "manifest.json").read_text())
    del manifest["checksums"]["files"]["celld.json"]
    for said in (manifest, manifest | {"checksums": None}):
        (bundle / "manifest.json").write_text(json.dumps(said))
        assert tell("why", bundle)[0] == UNUSABLE
