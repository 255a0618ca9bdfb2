# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line without a lab."""

import errno
import subprocess
import sys

import pytest
from e2e import CELLBED, ROOT, cellbed

from cellbed.cli import lazy, main


def test_check_counts_runs():
    out = cellbed("check", ROOT / "scenarios/d2d-nardini/static.yaml").stdout
    assert "d2d-nardini/static: 4 runs" in out


def test_topology_needs_no_root():
    out = cellbed("topology", ROOT / "scenarios/d2d-nardini/static.yaml").stdout
    assert "ue1  lte0 10.45.0.1/24  -> ue2 direct" in out
    assert "window 8192 advmss 536 quickack 1" in out


def test_doctor_names_every_lab():
    done = cellbed("doctor", check=False)
    assert "virtual lab:" in done.stdout
    assert "native lab:" in done.stdout
    assert "vm lab:" in done.stdout


@pytest.mark.parametrize(("args", "message"), [
    (["run", "none.yaml"], "none.yaml: No such file or directory"),
    (["run", "SHORT", "--lab", "cloud"], "--lab cloud: allowed virtual, native, vm"),
    (["run", "SHORT", "--lab", "vm"], "--lab vm: name a kernel image with --kernel"),
    (["run", "SHORT", "--lab", "vm", "--kernel", "nowhere"], "nowhere: No such file or directory"),
    (["run", "SHORT", "--lab", "native", "--kernel", "6.1"], "--kernel 6.1: the native lab runs this machine's kernel"),
    (["run", "SHORT", "--kernel", "2.4"], "--kernel 2.4: allowed 7.3, 6.12, 6.1"),
    (["link", "good", "--lab", "vm", "--", "true"], "--lab vm: allowed virtual, native"),
    (["run", "SHORT", "--variant", "XX"], "no variant is called XX; allowed DM-DM, IM-IM "),
    (["run", "SHORT", "--variant", "DM-DM", "--variant", "XX"], "no variant is called XX; allowed DM-DM, IM-IM "),
    (["check", "SHORT", "--variant", "DM-DM", "--variant", "XX"], "no variant is called XX; allowed DM-DM, IM-IM "),
    (["check", "SHORT", "--set", "radio.nrb=1"], "key 'radio.nrb': unknown; did you mean 'n_rb'?"),
    (["check", "SHORT", "--set", "radio.n_rb"], "expected key=value"),
    (["check", "SHORT", "--seed", "-1"], "key 'seeds.0': value -1: allowed 0 or more "),
    (["run", "SHORT", "--set", "radio.nrb=1"], "key 'radio.nrb': unknown; did you mean 'n_rb'?"),
    (["run", "SHORT", "--seed", "-1"], "key 'seeds.0': value -1: allowed 0 or more "),
    (["report", "nowhere"], "nowhere"),
    (["report", ".", "."], "Got unexpected extra argument(s) (.): one folder at a time"),
    (["why", "nowhere"], "nowhere: no such folder"),
    (["why", "."], ".: no manifest.json: not a result bundle"),
    (["why", ".", "--at", "-1"], "greater than or equal to 0"),
    (["fly"], "No such command"),
])
def test_wrong_use_is_one_message(scenario, tmp_path, args, message):
    args = [scenario if a == "SHORT" else a for a in args]
    done = cellbed(*args, check=False, cwd=tmp_path)
    assert done.returncode != 0
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["short.yaml"]


def test_check_counts_the_runs_that_these_options_leave(scenario):
    options = ["--variant", "IM-IM", "--seed", "3", "--seed", "4", "--set", "radio.n_rb=50"]
    assert cellbed("check", scenario, *options).stdout.endswith(": 2 runs\n")


@pytest.mark.parametrize("name", lazy.COMMANDS)
def test_the_list_of_commands_says_what_they_say_of_themselves(name):
    module, summary = lazy.COMMANDS[name]
    said = lazy.load(module, name).help.split("\n\n")[0]
    assert " ".join(said.split()) == summary


def test_help_imports_what_it_needs():
    """Models of scenarios and data frames take most of a second, Rich a tenth, and help has none of them."""
    done = subprocess.run([sys.executable, "-c", "import sys; sys.argv = ['cellbed', '--help']\n"
                           "from cellbed.cli import main\ntry: main.main()\n"
                           "finally: print({'pydantic', 'polars', 'asyncio', 'yaml', 'rich'} & sys.modules.keys())"],
                          capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    assert all(f" {name} " in done.stdout for name in lazy.COMMANDS)


@pytest.mark.parametrize("words", [["run", "d2d-nardini/static"], ["link", "good", "--lab", "virtual"], ["guest"]])
def test_the_virtual_lab_on_another_machine(tmp_path, words):
    """linux32 has the system call uname(2) name one, to the program and its children."""
    done = subprocess.run(["setarch", "linux32", CELLBED, *words, *(["--", "true"] if words[0] != "run" else [])],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 125)
    assert done.stderr.splitlines()[-1] == \
        "cellbed: the virtual lab needs x86-64, as User Mode Linux does, and this machine is i686; use --lab native"
    assert not list(tmp_path.rglob("manifest.json"))


def test_without_arguments_the_help_is_all():
    done = cellbed(check=False)
    assert "Usage: cellbed" in done.stdout
    assert done.stderr == ""


def test_version():
    assert cellbed("--version").stdout.startswith("cellbed 0.")


def test_a_file_that_cannot_be_written_is_one_message(monkeypatch, capsys):
    def denied(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "/there/summary")

    monkeypatch.setattr(main, "app", denied)
    with pytest.raises(SystemExit) as end:
        main.main()
    assert end.value.code == 1
    assert capsys.readouterr().err == "cellbed: /there/summary: Permission denied\n"
