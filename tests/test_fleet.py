# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps on a Dask cluster of several processes on loopback: the bytes of one process, whichever dies."""

import ast
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tarfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from distributed import Client
from e2e import CELLBED, ROOT, bundles, cellbed
from machine import guests, wait_until

from cellbed import paths
from cellbed.error import LabError
from cellbed.results.bundle import Bundle
from cellbed.scenario.description import expand
from cellbed.sweep import fleet_key, fleet_worker, receive, remote_run
from cellbed.sweep.remote_run import Executed

# What says when, how fast and by which checkout a run was executed: no other byte may differ.
_OF_THE_EXECUTOR = ("created", "wall_s", "setup_wall_s", "git")
SHORT_RUNS = ("--variant", "DM-DM", "--set", "traffic.0.duration_s=1")


@contextmanager
def running(command, **options):
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, start_new_session=True,
                          **options) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def address_in(file):
    """What a scheduler writes, which has created the file a moment before."""
    wait_until(lambda: file.exists() and file.read_text().endswith("}"), "a scheduler", 60)
    return json.loads(file.read_text())["address"]


@pytest.fixture
def scheduler(tmp_path):
    """Address of a scheduler."""
    file = tmp_path / "scheduler.json"
    with open(tmp_path / "scheduler.log", "wb") as log, \
            running([CELLBED.with_name("dask"), "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                     "--scheduler-file", file], stderr=log):
        yield address_in(file)


@contextmanager
def workers(scheduler, folder, number, environment=None):
    """Some processes that execute runs below a folder."""
    folder.mkdir()
    with open(folder / "log", "wb") as log, \
            running([CELLBED, "worker", scheduler, "--workers", number, "--folder", folder], stderr=log,
                    env={**os.environ, **(environment or {})}):
        with Client(scheduler, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=100)
        yield


def executing(folder):
    """Folders of runs that have got as far as their traffic; their names end in the worker's pid."""
    return [p.parent for p in folder.glob("*/*/.tmp-*/progress") if "\nat " in p.read_text()]


def content(bundle):
    """Every file of a bundle as it was made, without what may differ."""
    found = {str(p.relative_to(bundle)): p.read_bytes() for p in sorted(bundle.rglob("*"))
             if p.is_file() and p.parent.name != "derived"}
    manifest = json.loads(found.pop("manifest.json"))
    manifest.get("checksums", {}).pop("manifest", None)  # of what may differ, too
    return found, {key: value for key, value in manifest.items() if key not in _OF_THE_EXECUTOR}


@pytest.mark.lab
def test_a_cluster_gives_the_bytes_of_one_process(scenario, tmp_path, scheduler):
    """Through the scheduler, through the shared folder, and without a cluster."""
    sweep = ("sweep", scenario, *SHORT_RUNS, "--seeds", "1-2")
    here, there = tmp_path / "here", tmp_path / "there"
    cellbed(*sweep, "--results", here, "--jobs", "1")
    with workers(scheduler, tmp_path / "workers", 2):
        cellbed(*sweep, "--results", there, "--scheduler", scheduler, "--no-shared")
        sent = content(there / bundles(here)["DM-DM"].name)
        shutil.rmtree(there / bundles(here)["DM-DM"].name)
        out = cellbed(*sweep, "--results", there, "--scheduler", scheduler).stdout
    assert out.count("already there") == 1 and out.count(" valid") == 1
    names = sorted(p.name for p in here.iterdir())
    assert sorted(p.name for p in there.iterdir()) == names and len(names) == 3
    for name in names[:-1]:
        assert content(there / name) == content(here / name)
    assert sent == content(bundles(here)["DM-DM"])
    assert len({"radio.pcap.zst", "tcp.trace.zst", "ip-ue1.pcap.zst"} & set(sent[0])) == 3
    assert (there / "summary/sweep.parquet").read_bytes() == (here / "summary/sweep.parquet").read_bytes()


@pytest.mark.lab
def test_a_worker_that_dies_costs_a_retry(scenario, tmp_path, scheduler):
    folder, results = tmp_path / "workers", tmp_path / "results"
    with workers(scheduler, folder, 2):
        with subprocess.Popen([CELLBED, "sweep", scenario, "--variant", "DM-DM", "--set", "traffic.0.duration_s=20",
                               "--seeds", "1-2", "--results", results, "--scheduler", scheduler],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            wait_until(lambda: executing(folder), "a run", 200)
            victim = int(executing(folder)[0].suffix[1:])
            os.kill(victim, signal.SIGKILL)
            out, _ = process.communicate(timeout=800)
        assert process.returncode == 0, out
        assert out.count(" valid") == 2
        assert not list(folder.glob("*/*/.tmp-*")) and not guests()
    assert sorted(p.name.split("-seed")[0] for p in results.iterdir()) == ["DM-DM", "DM-DM", "summary"]


@pytest.mark.lab
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_sweep_ends_at_the_workers(scenario, tmp_path, scheduler, sig):
    folder, results = tmp_path / "workers", tmp_path / "results"
    with workers(scheduler, folder, 1):
        with running([CELLBED, "run", scenario, "--variant", "DM-DM", "--set", "traffic.0.duration_s=20000",
                      "--results", results, "--scheduler", scheduler], stderr=subprocess.PIPE, text=True) as process:
            wait_until(lambda: executing(folder), "a run", 200)
            process.send_signal(sig)
            _, err = process.communicate(timeout=60)
        if sig == signal.SIGINT:
            assert process.returncode == 130 and "nothing was left behind" in err
            assert not guests() and not list(results.iterdir())
        wait_until(lambda: not guests() and not list(folder.glob("*/*/.tmp-*")), "end of the run", 30)


def changed_build(tmp_path):
    """The programs, one of them with a byte more."""
    build = tmp_path / "build"
    for path in paths.PROGRAMS.values():
        (build / path.relative_to(paths.BUILD)).parent.mkdir(parents=True)
        shutil.copy(path, build / path.relative_to(paths.BUILD))
    with open(build / paths.PROGRAMS["celld"].relative_to(paths.BUILD), "ab") as file:
        file.write(b"\n")
    return build


def test_a_worker_with_another_celld_is_refused(scenario, tmp_path, scheduler):
    with workers(scheduler, tmp_path / "workers", 1, {"CELLBED_BUILD": str(changed_build(tmp_path))}):
        done = cellbed("sweep", scenario, "--results", tmp_path / "r", "--scheduler", scheduler, check=False)
    assert done.returncode == 1
    assert re.search(r"worker tcp://127.0.0.1:\d+ \(.*\): celld is [0-9a-f]{12}, here [0-9a-f]{12}; all workers",
                     done.stderr), done.stderr
    assert "Traceback" not in done.stderr and not list((tmp_path / "r").glob("*"))


def test_differences_are_named():
    same = {"celld": "1" * 64}
    here = {**same, remote_run.HOST: "a", "lab kernel 6.12": f"{'2' * 64} (6.12-x)", "iperf3": "iperf 3.12"}
    there = {**same, remote_run.HOST: "b", "lab kernel 6.12": f"{'3' * 64} (6.12-y)"}
    assert remote_run.differences(here, here) == ""
    assert remote_run.differences(there, here) == (
        f"lab kernel 6.12 is {'3' * 12} (6.12-y), here {'2' * 12} (6.12-x), iperf3 is unknown, here iperf 3.12")


def test_all_that_decides_is_compared():
    facts = fleet_worker.facts("6.12")
    assert {"cellbed", "celld", "tcpwatch", "Python code of cellbed", "iperf3", "ipdump", "python",
            "distributed"} < set(facts)
    assert "lab kernel 6.12" in facts and len(facts["Python code of cellbed"]) == 64


def test_folders_are_packed_whole(tmp_path):
    made = tmp_path / "made"
    (made / "sub").mkdir(parents=True)
    (made / "sub/file").write_bytes(bytes(range(256)))
    (made / "program").write_text("#!/bin/sh\n")
    (made / "program").chmod(0o755)
    (made / "link").symlink_to("sub/file")
    remote_run.unpack(remote_run.pack(made), tmp_path / "again")
    again = tmp_path / "again"
    assert (again / "sub/file").read_bytes() == (made / "sub/file").read_bytes()
    assert (again / "link").is_symlink() and (again / "program").stat().st_mode & 0o100


@pytest.mark.parametrize(("name", "link"), [("../out", ""), ("/tmp/out", ""), ("in", "/etc"), ("sub/in", "../../out"),
                                            ("a/../../out", "")])
def test_what_a_host_sends_stays_in_the_folder(tmp_path, name, link):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = (tarfile.SYMTYPE, link) if link else (tarfile.REGTYPE, "")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.addfile(member)
    with pytest.raises(LabError, match="allowed files, folders and links in the run's folder"):
        remote_run.unpack(buffer.getvalue(), tmp_path / "made")
    assert not list((tmp_path / "made").iterdir()) and not (tmp_path / "out").exists()


def packed(*members):
    """Args: members: name, type, what it links to or what is in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, said in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname, member.size = (said, 0) if kind == tarfile.SYMTYPE else ("", len(said))
            tar.addfile(member, io.BytesIO(said) if kind == tarfile.REGTYPE else None)
    return buffer.getvalue()


@pytest.mark.parametrize("members", [
    [("a", tarfile.SYMTYPE, "."), ("a/in", tarfile.SYMTYPE, "../out")],
    [("sub", tarfile.DIRTYPE, ""), ("sub/a", tarfile.SYMTYPE, ".."), ("sub/a/b/in", tarfile.REGTYPE, b"")],
    [("./a/", tarfile.SYMTYPE, "sub"), ("a//in", tarfile.REGTYPE, b"")]])
def test_nothing_is_unpacked_through_a_link(tmp_path, members):
    """A link that leads into the folder by its name leads out of it where it comes to lie."""
    with pytest.raises(LabError, match="allowed files, folders and links in the run's folder"):
        remote_run.unpack(packed(*members), tmp_path / "made")
    assert not list((tmp_path / "made").iterdir())


@pytest.mark.parametrize("archive", [
    packed(*[(f"f{n}", tarfile.REGTYPE, b"") for n in range(11)]), packed(("f", tarfile.REGTYPE, bytes(2 << 20))),
    packed(("f" * (1 << 19), tarfile.REGTYPE, b"")), b"", b"\x1f\x8b", packed()[:20], gzip.compress(bytes(4 << 20)),
    gzip.compress(b"x" * 1024), packed(("f", tarfile.REGTYPE, b"x" * 5000))[:-40], b"no archive"])
def test_no_archive_of_a_host_is_too_large(tmp_path, monkeypatch, archive):
    """By the number of files, by their size, and by what is said of one."""
    for name, least in (("_MEMBERS_MAX", 10), ("_UNPACKED_BYTES", 1 << 20), ("_AT_ONCE_BYTES", 1 << 17)):
        monkeypatch.setattr(remote_run, name, least)
    with pytest.raises(LabError, match="^files of a run: "):
        remote_run.unpack(archive, tmp_path / "made")
        raise LabError("files of a run: none") if not list((tmp_path / "made").iterdir()) else AssertionError


@pytest.mark.parametrize("facts", [b"null", b"{}", b"[" * 100_000, b"\xff", b'{"clock": 1}',
                                   b'{"clock": {"start_ns": []}}'])
def test_facts_of_a_host_that_are_none(tmp_path, scenario, facts):
    """What is in the archive is as foreign as the archive."""
    model, runs = expand(scenario)
    sweep = SimpleNamespace(scenario=model, claims=[], results=tmp_path, compress=False)
    bundle = Bundle(tmp_path, runs[0], runs[0].describe("virtual", {}))
    executed = Executed({"wall_s": 1, "setup_wall_s": 1}, packed=packed(("facts.json", tarfile.REGTYPE, facts)))
    outcome = receive.finish(sweep, bundle, executed)
    assert outcome.path is None and outcome.error.startswith("files of a run: facts.json is none")
    assert not list(tmp_path.glob("*/facts.json"))


@pytest.mark.parametrize(("words", "message"), [
    (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler tcp://127.0.0.1:1: "),
    (["--scheduler", "tcp://127.0.0.1:1", "--lab", "native"], "--scheduler: workers have no lab native")])
def test_no_cluster(scenario, tmp_path, words, message):
    done = cellbed("sweep", scenario, "--results", tmp_path / "r", *words, check=False)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


# --- docs/fleet.md: what needs machines ---

PAGE = (ROOT / "docs/fleet.md").read_text()


def test_the_commands_for_ssh_and_slurm_are_commands():
    blocks = re.findall(r"<!-- not run here: [^>]+ -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)
    for words in re.findall(r"cellbed worker (.*?)[ \"&]*$", "\n".join(blocks), re.MULTILINE):
        for option in re.findall(r"--[a-z]+", words):
            assert option in cellbed("worker", "--help", env={**os.environ, "COLUMNS": "200"}).stdout


def test_the_pods_of_kubernetes_run_commands(tmp_path):
    """Each is of a kind with a pod, its volumes are there, and its command is one, with options that there are."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    known = {}
    for made in yaml.safe_load_all(text):
        assert {"apiVersion", "kind", "metadata", "spec"} == set(made)
        spec = made["spec"]
        pod = spec.get("template", {}).get("spec") or (spec if "containers" in spec else None)
        if made["kind"] == "Deployment":
            assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
        for container in pod["containers"] if pod else []:
            assert {mount["name"] for mount in container["volumeMounts"]} == {v["name"] for v in pod["volumes"]}
            shell, option, line = container["command"]
            subprocess.run([shell, "-n", option, line], check=True)
            name, *words = shlex.split(line.partition("exec cellbed ")[2])
            help_text = cellbed(name, "--help", env={**os.environ, "COLUMNS": "200"}).stdout
            assert all(word in help_text for word in words if word.startswith("--"))
            known[made["kind"], name] = words
    assert set(known) == {("Pod", "scheduler"), ("Deployment", "worker"), ("Job", "sweep")}
    assert "tls://head:8786" in known["Deployment", "worker"] and "tls://head:8786" in known["Job", "sweep"]


def test_the_cluster_in_python_is_a_call_of_its_library(tmp_path, monkeypatch):
    handler = signal.getsignal(signal.SIGINT)
    from dask_jobqueue import SLURMCluster
    signal.signal(signal.SIGINT, handler)  # dask_jobqueue/runner.py takes SIGINT when it is imported

    monkeypatch.chdir(tmp_path)
    fleet_key.make(Path("fleet.pem"))
    (slurm,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (call,) = [node for node in ast.walk(ast.parse(slurm)) if isinstance(node, ast.Call)
               and getattr(node.func, "id", "") == "SLURMCluster"]
    (security,) = [k.value for k in call.keywords if k.arg == "security"]
    assert ast.unparse(security) == "security('fleet.pem')"
    words = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.value is not security}
    with SLURMCluster(security=fleet_key.security("fleet.pem"), **words) as cluster:
        script = cluster.job_script()
        assert cluster.scheduler_address.startswith("tls://")
    assert script.count("fleet.pem") == 3
    assert "#SBATCH --cpus-per-task=1" in script and "--nthreads 1" in script
    assert "/opt/cellbed/.venv/bin/python -m distributed.cli.dask_worker" in script
