# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make wheel` makes: installed beside no checkout, without compiler and git, it runs what a checkout runs."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from e2e import ROOT, cellbed

from cellbed.cli.analysed import UNUSABLE
from cellbed.results.bundle import git_describe

pytestmark = pytest.mark.lab
SHORT = ("--variant", "IM-IM", "--set", "traffic.0.duration_s=2")


def pip(*words):
    """That of this environment, which compiles nothing that no test imports."""
    subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *words], check=True)


def environment(folder, *options):
    """Of a user who has neither git nor a compiler."""
    venv.create(folder)
    pip("--python", folder, "install", "--no-compile", *options)
    programs = folder / "programs"
    programs.mkdir()
    (programs / "ip").symlink_to(shutil.which("ip", path=f"{os.environ['PATH']}:/usr/sbin:/sbin"))
    home = folder / "home"
    home.mkdir()
    return {"PATH": str(programs), "HOME": str(home), "LC_ALL": "C.UTF-8"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel, with the other packages of this environment: those are on the path, but not what this one installs."""
    folder = tmp_path_factory.mktemp("installed")
    env = environment(folder, "--no-deps", wheel)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(*args, check=True, cwd=folder):
        return subprocess.run([folder / "bin/cellbed", *args], env=env, cwd=cwd, capture_output=True, text=True,
                              check=check)

    return run


@pytest.fixture(scope="module")
def executed(installed, tmp_path_factory):
    """A short run of the installed wheel."""
    results = tmp_path_factory.mktemp("executed")
    installed("run", "d2d-nardini/static", *SHORT, "--results", results)
    return results


def recorded(results):
    (bundle,) = Path(results).glob("IM-IM-*")
    return {path.name: path.read_bytes() for path in bundle.iterdir() if path.suffix in (".pcap", ".trace")}


def test_it_records_what_a_checkout_records(executed, tmp_path):
    cellbed("run", ROOT / "scenarios/d2d-nardini/static.yaml", *SHORT, "--results", tmp_path)
    assert recorded(executed) == recorded(tmp_path) != {}


def test_its_bundles_name_the_commit(executed):
    (manifest,) = executed.glob("IM-IM-*/manifest.json")
    assert json.loads(manifest.read_text())["git"] == git_describe()


def test_its_bundles_name_its_scenarios_as_a_checkout_does(executed):
    (manifest,) = executed.glob("IM-IM-*/manifest.json")
    assert json.loads(manifest.read_text())["scenario"]["file"] == "scenarios/d2d-nardini/static.yaml"


def test_pages_of_its_runs_name_it(executed, wheel, tmp_path):
    publish = [sys.executable, "-P", "-m", "cellbed_analysis", "publish"]
    claims = ["--claims", ROOT / "scenarios/d2d-nardini/claims.yaml"]
    subprocess.run([*publish, executed, tmp_path, *claims], check=True, capture_output=True)
    subprocess.run([*publish, tmp_path, *claims, "--wheel", wheel], check=True, capture_output=True)
    (programs,) = json.loads((tmp_path / "d2d-nardini/programs.json").read_text()).values()
    assert programs["wheel"] == hashlib.sha256(Path(wheel).read_bytes()).hexdigest()
    assert programs["wheel"][:16] in (tmp_path / "d2d-nardini.md").read_text()


def test_it_repeats_published_runs(installed):
    done = installed("replicate", "pacifico", "--check", "--sample", "1", check=False)
    if done.returncode == UNUSABLE:
        pytest.skip(done.stderr)  # recorded by another iperf3 or kernel
    assert done.returncode == 0, done.stdout + done.stderr
    assert "handover-pacifico: 1 runs recorded what is published" in done.stdout


def test_the_first_experiment(installed, tmp_path):
    done = installed("demo", "--results", tmp_path / "r", cwd=tmp_path)
    assert "IM-IM" in done.stdout and " reproduced" in done.stdout and (tmp_path / "r/summary/report.html").exists()


def test_its_scenarios_have_names(installed, tmp_path):
    names = [line.split()[0] for line in installed("scenarios").stdout.splitlines()]
    assert "d2d-nardini/static" in names and "d2d-nardini/claims" not in names
    for spelled in ("d2d-nardini/static", "scenarios/d2d-nardini/static.yaml"):
        assert "4 runs" in installed("check", spelled).stdout


def test_its_links_are_there(installed):
    done = installed("link", "good", "--lab", "virtual", "--", "/bin/sh", "-c", "echo at $CELLBED_NODE")
    assert done.stdout.startswith("at ")


@pytest.mark.parametrize(("args", "message"), [
    (["run", "d2d-nardini/none"], "d2d-nardini/none: No such file or directory"),
    (["run", "d2d-nardini/static", "--kernel", "6.1"], "linux-source-6.1|`python -m cellbed_kernel --version 6.1`"),
])
def test_what_it_does_not_have_is_one_line(installed, args, message):
    done = installed(*args, check=False)
    assert done.returncode and re.search(message, done.stderr) and "Traceback" not in done.stderr
    assert "make " not in done.stderr and str(ROOT) not in done.stderr


def test_among_a_users_own_packages(wheel, executed, tmp_path):
    """As `pip install --user` has it: Python looks there for the user, and in a guest for nobody."""
    site = Path(sysconfig.get_path("purelib", "posix_user", {"userbase": str(tmp_path / "base")}))
    pip("install", "--no-compile", "--no-deps", "--target", site, wheel)
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONUSERBASE": str(tmp_path / "base")}
    start = [sys._base_executable, "-c", "from cellbed.cli.main import main; main()"]
    subprocess.run([*start, "run", "d2d-nardini/static", *SHORT, "--results", "r"], env=env, cwd=tmp_path, check=True)
    assert recorded(tmp_path / "r") == recorded(executed) != {}


def test_with_its_own_dependencies(wheel, tmp_path):
    env = environment(tmp_path / "v", wheel)
    run = ["cellbed", "run", "d2d-nardini/static", *SHORT, "--results", tmp_path / "r"]
    script = f"import cellbed; found = cellbed.Results.load('{tmp_path}/r'); found.report(); " \
             "found.plot('rtt').write('rtt.pdf')"
    for program, *args in (run, ["python", "-c", script]):
        subprocess.run([tmp_path / "v/bin" / program, *args], env=env, cwd=tmp_path, check=True)
    assert (tmp_path / "r/summary/report.html").exists() and (tmp_path / "rtt.pdf").exists()
