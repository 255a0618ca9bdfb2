# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that read bundles survive whatever the files hold: they do their work, or say in one line why not."""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from damage import damages, typed
from e2e import SHORT, bundles, cellbed, needs_native
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_faults import mounted

from cellbed.cli import main
from cellbed_analysis.export import FORMATS

pytestmark = pytest.mark.lab

BRIEF = ("--set", "traffic.0.duration_s=1", "--jobs", "1")


def examples(number):
    return settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Results of two variants, as the lab makes them, with what the analysis keeps in them."""
    folder = tmp_path_factory.mktemp("executed")
    (folder / "short.yaml").write_text(SHORT)
    cellbed("run", folder / "short.yaml", "--results", folder / "results", *BRIEF)
    cellbed("compare", folder / "results", "rtt_mean_ms")
    return folder / "results"


def tell(*words):
    """A command in this process. Return: status, what it said."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["cellbed", *map(str, words)]), contextlib.redirect_stdout(out), \
            contextlib.redirect_stderr(err):
        try:
            main.main()
            status = 0
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def survives(*words):
    status, out, err = tell(*words)
    assert status in (0, None) and not err or status in (1, 3, 4) and err.startswith("cellbed: "), (words, status, err)
    assert err.count("\n") <= 1 + (status in (3, 4)) and err.replace("\n", "").isprintable(), (words, err)
    assert all(c.isprintable() or c == "\n" for c in out), (words, out)


@contextlib.contextmanager
def damaged(executed, name, content):
    """The results with one file of the first bundle changed. Gives the folder and that bundle."""
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(shutil.copytree(executed, Path(scratch) / "results"))
        bundle = bundles(results)["DM-DM"]
        (bundle / name).write_bytes(content)
        yield results, bundle


def a_damage(data, bundle):
    """Name and content of a file that Hypothesis chooses."""
    names = sorted(str(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file())
    name = data.draw(st.sampled_from(names + ["manifest.json"] * 3))
    content = (bundle / name).read_bytes()
    return name, data.draw(damages(content, name))


def look(results, bundle, output):
    """What reads a bundle and takes less than a second."""
    survives("why", bundle, "--at", "0.1")
    survives("compare", results, "rtt_mean_ms", "goodput_mbps")
    for name in FORMATS:
        survives("export", bundle, "--format", name, "--output", output)
    assert not [path for path in output.parent.rglob("*") if path.name.startswith("x")], "it wrote elsewhere"


@examples(25)
@given(data=st.data())
def test_any_damage(executed, data):
    with damaged(executed, *a_damage(data, bundles(executed)["DM-DM"])) as (results, bundle):
        look(results, bundle, results.parent / "exported")


@pytest.mark.timeout(600)  # a report draws for seconds
@examples(4)
@given(data=st.data())
def test_any_damage_in_a_report(executed, data):
    """Of the folder, and of the bundle by itself."""
    with damaged(executed, *a_damage(data, bundles(executed)["DM-DM"])) as (results, bundle):
        survives("report", data.draw(st.sampled_from([results, bundle])))


@examples(10)
@given(data=st.data())
def test_any_damage_while_watched(executed, data):
    with damaged(executed, *a_damage(data, bundles(executed)["DM-DM"])) as (_, bundle):
        survives("watch", bundle)


@examples(60)
@given(data=st.data())
def test_any_type_of_any_key_of_the_manifest(executed, data):
    manifest = (bundles(executed)["DM-DM"] / "manifest.json").read_bytes()
    with damaged(executed, "manifest.json", data.draw(typed(json.loads(manifest)))) as (_, bundle):
        survives("why", bundle, "--at", "0.1")


@pytest.mark.parametrize("content", ["", '{"id": 1}', "[" * 100_000])
def test_a_damaged_bundle_is_run_again(executed, content):
    with damaged(executed, "manifest.json", content.encode()) as (results, bundle):
        out = cellbed("sweep", executed.parent / "short.yaml", "--results", results, *BRIEF).stdout
        assert out.count("already there") == 1 and out.count(" valid") == 1
        assert json.loads((bundle / "manifest.json").read_text())["outcome"] == "complete"


@needs_native
@pytest.mark.parametrize(("options", "taken"), [("size=200k", 0), ("size=64k", 0), ("size=64k", 60_000), ("ro", 0)])
def test_a_report_on_a_disk_that_is_full_or_read_only(executed, tmp_path, options, taken):
    with mounted(tmp_path / "disk", options) as disk:
        if taken:
            (disk / "others").write_bytes(bytes(taken))
        words = [["report", executed, "--output", disk / "report"]]
        if taken or options == "ro":
            words.append(["export", bundles(executed)["DM-DM"], "--format", "qlog", "--output", disk / "made"])
        for command in words:
            status, _, err = tell(*command)
            assert status == 1 and err.startswith("cellbed: ") and err.count("\n") == 1, err
            assert "No space left on device" in err or "Read-only file system" in err, err
            assert str(disk) in err
        assert os.access(executed, os.W_OK)  # it is the disk's fault
