# SPDX-License-Identifier: GPL-2.0-or-later
"""Links in results, wherever another user has put them: no command writes, deletes or copies what they lead to."""

import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from synthetic_bundle import seal, write_bundle
from test_damaged_bundles import tell

from cellbed.results.bundle import Bundle
from cellbed_formats.inside import LINKED

SECRET = b"the secret of somebody else" * 50
ONE = "DM-DM-8KiB-seed1-0123456789"
#: What runs and commands write, in a results folder; what they write on the way to that, and did once.
NAMES = [
    "summary", "summary/report.html", "summary/index.html", "summary/claims.json", "summary/metrics.parquet",
    "summary/metrics.new", "summary/figures", "summary/figures/x.png", "summary/maxdat.parquet",
    "summary/report.json", "other", ONE,
    *(f"{ONE}/{name}" for name in (
        "derived", "derived/report.html", "derived/metrics.json", "derived/segments.parquet", "derived/figures",
        "derived/other-segments.parquet", "derived/segments.new", "manifest.json", "manifest.new", "tcp.trace",
        "tcp.trace.zst", "tcp.trace.zst.new", "radio.trace", "ip-ue1.pcap", "ip-ue1.pcap.zst", "ip-ue9.pcap",
        "radio.json", "tcp.json", "celld.json", "counters.json", "file.iperf3.json", "channel.trace", "log")),
]  # fmt: skip
TARGETS = ["file", "folder", "folder/file", "nothing", "trace", "bundle"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Results of two runs, with checksums as of today, with what the analysis keeps in one of them."""
    results = tmp_path_factory.mktemp("made") / "results"
    for modes in ("DM-DM", "IM-IM"):
        seal(write_bundle(results, modes, duration_s=0.3))
    tell("compare", results, "rtt_mean_ms")
    return results


@contextlib.contextmanager
def beside(made):
    """A copy of the results, beside somebody else's files."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        shutil.copytree(made, place / "results")
        (place / "victim/folder").mkdir(parents=True)
        (place / "victim/file").write_bytes(SECRET)
        (place / "victim/folder/file").write_bytes(SECRET)
        shutil.copy(made / ONE / "tcp.trace", place / "victim/trace")
        shutil.copytree(made / ONE, place / "victim/bundle")
        yield place


def state(folder):
    return {path.relative_to(folder): (path.lstat().st_mtime_ns, path.lstat().st_mode,
                                       hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None)
            for path in [folder, *folder.rglob("*")]}


def put(place, name, target):
    """A link in the place of what has the name; not below one."""
    path = place / "results" / name
    if any(parent.is_symlink() for parent in path.parents):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(place / "victim" / target)


def commands(place):
    results, bundle, out = place / "results", place / "results" / ONE, place / "out"
    return {
        "report": ("report", results), "report one": ("report", bundle), "report each": ("report", results, "--each"),
        "report apart": ("report", results, "--output", out), "compress": ("prune", results, "--compress"),
        "derived": ("prune", results, "--derived"), "superseded": ("prune", results, "--superseded"),
        "prune one": ("prune", bundle, "--compress", "--derived"), "look": ("prune", results),
        "why": ("why", bundle), "compare": ("compare", results, "rtt_mean_ms"),
        "plot": ("plot", "rtt", results, "--output", results / "summary/x.png"),
        "pcapng": ("export", bundle, "--format", "pcapng", "--output", bundle / "derived"),
        "flent": ("export", bundle, "--format", "flent", "--output", out),
        "dataset": ("dataset", results, "--output", out, "--table", "samples", "--table", "flows"),
        "bundle": ("bundle", f"{results}@latest"), "watch": ("watch", bundle),
        "pcap": ("pcap", bundle / "ip-ue1.pcap", "--output", results / "summary/x.csv"),
    }


# What takes seconds.
DRAWING = {"report", "report one", "report each", "report apart", "plot"}
# What one user names with --output is his, and may be a link; then it leads where he wants.
BY_NAME = {"plot", "pcapng", "pcap"}


def held(place, before, said):
    assert state(place / "victim") == before
    assert SECRET[:27].decode() not in said
    for path in [*(place / "results").rglob("*"), *(place / "out").rglob("*")]:
        assert path.is_symlink() or not path.is_file() or SECRET[:27] not in path.read_bytes(), path


def one_line(status, out, err):
    assert status in (0, None, 1, 2, 3, 4), (status, err)  # 2: a capture to read that another command has compressed
    assert all(line.startswith("cellbed: ") for line in err.splitlines()), err
    assert status not in (1,) or len(err.splitlines()) == 1, err
    assert "Traceback" not in err


SAMPLES = [
    ("derived", f"{ONE}/derived", "folder"), ("compress", f"{ONE}/tcp.trace.zst.new", "file"),
    ("compress", f"{ONE}/tcp.trace.zst", "file"), ("compress", f"{ONE}/tcp.trace", "file"),
    ("compress", f"{ONE}/tcp.trace", "trace"), ("report", "summary", "folder"),
    ("report", "summary/report.html", "file"), ("report one", f"{ONE}/derived/report.html", "file"),
    ("report", f"{ONE}/derived", "folder"), ("report", ONE, "bundle"), ("derived", "summary", "folder"),
    ("prune one", ONE, "bundle"), ("why", ONE, "bundle"), ("report one", ONE, "bundle"), ("watch", ONE, "bundle"),
    ("flent", ONE, "bundle"),
    ("report", "summary/figures", "folder"), ("report", f"{ONE}/manifest.json", "file"),
]


@pytest.mark.parametrize(("command", "name", "target"), SAMPLES)
def test_a_link(made, command, name, target):
    with beside(made) as place:
        put(place, name, target)
        before = state(place / "victim")
        status, out, err = tell(*commands(place)[command])
        one_line(status, out, err)
        held(place, before, out + err)


@pytest.mark.timeout(600)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(links=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(TARGETS), min_size=1, max_size=3), data=st.data())
def test_any_links_and_commands(made, links, data):
    with beside(made) as place:
        for name, target in links.items():
            put(place, name, target)
        before = state(place / "victim")
        known = commands(place)
        for word in data.draw(st.lists(st.sampled_from(sorted(known.keys() - DRAWING)), max_size=3)
                              if data.draw(st.integers(0, 9)) else st.sampled_from(sorted(DRAWING)).map(lambda w: [w])):
            if word in BY_NAME and {"summary", ONE, f"{ONE}/derived"} & links.keys():
                continue
            if word == "pcap" and f"{ONE}/ip-ue1.pcap" in links:
                continue
            status, out, err = tell(*known[word])
            one_line(status, out, err)
            held(place, before, out + err)


def test_a_link_is_named(made):
    with beside(made) as place:
        put(place, f"{ONE}/tcp.trace", "trace")
        _, out, _ = tell("report", place / "results")
        assert LINKED.partition(":")[0] in " ".join(out.split()) and ONE in out


def test_claims_of_today_replace_a_link(tmp_path, made):
    """A manifest that is a link is not taken for the bundle's."""
    with beside(made) as place:
        run = Bundle.__new__(Bundle)
        run.results, run.path = place / "results", place / "results" / ONE
        put(place, f"{ONE}/manifest.json", "bundle/manifest.json")
        put(place, f"{ONE}/manifest.new", "file")
        before = state(place / "victim")
        run.refresh([{"id": "new"}], {})
        held(place, before, "")
