# SPDX-License-Identifier: GPL-2.0-or-later
"""How commands about results end: the table of docs/exit-status.md. And any change of a bundle's files is noticed."""

import json
import re
import shutil
from pathlib import Path

import pytest
from damage import damages
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from synthetic_bundle import seal, write_bundle
from test_damaged_bundles import tell
from typer.main import get_command

from cellbed.cli import main
from cellbed.cli.analysed import FAILED, INVALID, UNUSABLE, USAGE
from cellbed.cli.lazy import every
from cellbed.host.interrupt import INTERRUPTED
from cellbed_formats import checksums
from cellbed_formats.bundle import load_results, read_bundle
from cellbed_formats.error import DataError

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


def test_the_page_is_about_all_commands():
    """The table has the statuses that there are, and the commands that have the option."""
    rows = [[cell.strip() for cell in line.strip("|\n ").split(" | ")] for line in PAGE.read_text().splitlines()
            if re.match(r"\| \d", line)]
    assert [int(row[0]) for row in rows] == [0, FAILED, USAGE, INVALID, UNUSABLE, INTERRUPTED]
    lenient = {name for name, command in every(get_command(main.app)).items()
               if "--keep-going" in {option for parameter in command.params for option in parameter.opts}}
    commands = {int(row[0]): set(re.findall(r"`(\w+)`", row[2])) for row in rows}
    assert commands[INVALID] - {"demo"} == lenient and commands[UNUSABLE] == lenient - {"run", "sweep"}


def test_a_checksum_that_is_gone_is_noticed(results):
    """Else the file that it was of could hold anything."""
    bundle = of(results, "DM-DM")
    manifest = json.loads((bundle / "manifest.json").read_text())
    del manifest["checksums"]["files"]["celld.json"]
    for said in (manifest, manifest | {"checksums": None}):
        (bundle / "manifest.json").write_text(json.dumps(said))
        assert tell("why", bundle)[0] == UNUSABLE
