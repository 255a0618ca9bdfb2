# SPDX-License-Identifier: GPL-2.0-or-later
"""A run that was executed is not executed again, unless anything that executed it has changed."""

import json
import shutil
from pathlib import Path

import pytest
from e2e import cellbed

from cellbed import paths
from cellbed.scenario import named_files

SCENARIO = """
format: 1
id: identity
nodes: {ue1: {address: 10.45.0.1/24}, ue2: {address: 10.45.0.2/24}}
radio: {ues: {ue1: {peer: ue2}, ue2: {peer: ue1}}}
traffic: [{id: job, kind: command, node: ue1, argv: [sh, SCRIPT]}]
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "job.sh"
    path.write_text("echo first\n")
    (tmp_path / "scenario.yaml").write_text(SCENARIO.replace("SCRIPT", str(path)))
    return path


def execute(folder, *options):
    return cellbed("run", folder / "scenario.yaml", "--results", folder / "results", *options).stdout


def said(folder, where="results@latest"):
    bundle = cellbed("bundle", where, cwd=folder).stdout.strip()
    return (folder / bundle / "job.stdout").read_text()


def test_an_edited_script_is_another_run(tmp_path, script):
    assert "already there" not in execute(tmp_path)
    assert "already there" in execute(tmp_path)
    first = cellbed("bundle", "results", cwd=tmp_path).stdout.strip()
    script.write_text("echo second\n")
    assert "already there" not in execute(tmp_path)
    assert said(tmp_path) == "second\n"
    differs = json.loads(cellbed("compare", "--why", "--json", first, "results@latest", cwd=tmp_path).stdout)
    assert [line["key"] for line in differs] == [f"files.{script}"]
    table = cellbed("compare", "--why", first, "results@latest", cwd=tmp_path).stdout
    assert "what differs" in table and "files." in table


def test_again_runs_what_is_there(tmp_path, script):
    execute(tmp_path)
    bundle = next((tmp_path / "results").iterdir())
    (bundle / "job.stdout").write_text("old\n")
    assert "already there" in execute(tmp_path)
    assert "already there" not in execute(tmp_path, "--again")
    assert [path.name for path in (tmp_path / "results").iterdir()] == [bundle.name]
    assert said(tmp_path) == "first\n"


@pytest.mark.parametrize("argv", [
    ["python3", "FILE"], ["FILE"], ["sh", "-c", "cat 'FILE' | wc"], ["tool", "--config=FILE"],
    ["env", "A=FILE", "true"],
])
def test_files_in_words_count(tmp_path, argv):
    path = tmp_path / "named"
    path.write_text("one")
    path.chmod(0o755)
    flow = {"kind": "command", "argv": [word.replace("FILE", str(path)) for word in argv], "environment": {}}
    before = named_files.digests({"traffic": [flow]})
    path.write_text("two")
    after = named_files.digests({"traffic": [flow]})
    assert str(path) in before and before != after
    assert named_files.differences(before, {"traffic": [flow]}) == f"file {path} is another one"
    assert named_files.differences(after, {"traffic": [flow]}) == ""


@pytest.mark.parametrize("word", ["/" + "x" * 5000, "/dev/null", "/", "//", "/a\nb", "/\udcff"])
def test_words_that_name_no_file(word):
    flow = {"kind": "command", "argv": ["true", word], "environment": {}}
    assert named_files.digests({"traffic": [flow]}).keys() == {"true"}


def test_the_program_and_files_in_variables_count(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    flow = {"kind": "command", "argv": ["tool"], "environment": {"PATH": str(tmp_path), "CONF": str(tool)}}
    assert named_files.digests({"traffic": [flow]}).keys() == {"tool", str(tool)}


def test_a_file_that_only_others_may_read_is_no_obstacle(tmp_path, monkeypatch):
    """Root may read all, so the refusal is made here."""
    path = tmp_path / "theirs"
    path.write_text("secret")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    flow = {"kind": "command", "argv": ["cat", str(path)], "environment": {}}
    assert named_files.digests({"traffic": [flow]})[str(path)] == "not readable: Permission denied"


def _parts():
    package = Path(paths.__file__).parent
    return sorted(str(path.relative_to(package)) for path in package.rglob("*")
                  if path.is_file() and "__pycache__" not in path.parts)


def test_every_file_of_the_lab_counts(tmp_path):
    copy = tmp_path / "cellbed"
    shutil.copytree(Path(paths.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = paths.folder_sha256(copy)
    assert {"paths.py", "labs/guest-init", "labs/virtual.py", "run/attach.py"} < set(_parts())
    for name in _parts():
        content = (copy / name).read_bytes()
        (copy / name).write_bytes(content + b"\n")
        assert paths.folder_sha256(copy) != before, name
        (copy / name).write_bytes(content)
    assert paths.folder_sha256(copy) == before
