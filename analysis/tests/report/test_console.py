# SPDX-License-Identifier: GPL-2.0-or-later
"""The console table, the query for one segment, and the command line."""

from __future__ import annotations

import io
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from paper_claims import CLAIMS
from rich.console import Console
from synthetic_bundle import OFFSET_NS, START_NS, write_bundle

from cellbed_analysis.__main__ import main
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.report.answer import Answer, defect_of
from cellbed_analysis.report.console import print_table
from cellbed_analysis.report.headline import metrics_frame
from cellbed_analysis.report.why import DatagramAnswer, why
from cellbed_analysis.report.why_flow import why_flow
from cellbed_analysis.report.words import estimate_text, number_text, window_text
from cellbed_analysis.stats.interval import Estimate
from cellbed_analysis.tcp.segment import RTT_PARTS
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError


def test_table_fits_80_columns_and_shows_everything(tmp_path: Path) -> None:
    claims = yaml.safe_load(CLAIMS.read_text())
    for combination in ("DM-DM", "IM-IM"):
        write_bundle(tmp_path, combination, claims=claims)
    late = {"verdict": "invalid", "reasons": [{"code": "x", "text": "TUN drops"}]}
    write_bundle(tmp_path, seed=2, claims=claims, validity=late)
    (tmp_path / "summary").mkdir()
    (tmp_path / "summary" / "report.html").touch()
    output = io.StringIO()
    print_table(tmp_path, Console(file=output, width=80))
    text = output.getvalue()
    assert "DM-DM" in text and "29.99 ± 0.00" in text and "30" in text
    assert "2 INVALID" in text
    assert "TUN drops" in text
    flat = " ".join(text.split())
    assert "claims that differ, the farthest first" in flat
    assert re.search(r"rtt-im-im +42 .*- ?8.\d+ .*tolerances", flat) is not None
    counts = r"Claims: (\d+) reproduced, (\d+) differs; not counted: (\d+) implied, 2 not-testable, (\d+) not-run"
    found = re.search(counts, flat)
    assert found is not None and sum(map(int, found.groups())) + 2 == len(claims), flat
    assert str(tmp_path / "summary" / "report.html") in text
    assert "…" not in text, "a cell was cut"


def test_columns_of_a_scenario_without_a_paper(tmp_path: Path) -> None:
    """Variants that are no combination of modes, and no claim about their RTT."""
    path = write_bundle(tmp_path, "IM-IM", duration_s=2, variant="cubic")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"]["radio"]["events"] = [{"at_s": 1}]  # so modes name nothing
    (path / "manifest.json").write_text(json.dumps(manifest))
    console = Console(width=140)
    with console.capture() as capture:
        print_table(tmp_path, console)
    head = capture.get()
    assert "variant" in head and "cubic" in head
    assert "data-ACK" not in head and "paper" not in head


def test_why_takes_an_rtt_apart(dm_dm: Bundle) -> None:
    answer = why(dm_dm, 3.0)
    # Segments leave 0.23 ms before 20 ms + 31 k; the first after 3 s has k = 97.
    assert answer.sent_s == pytest.approx(0.020 + 0.031 * 97 - 0.00023)
    assert sum(answer.parts_ms.values()) == pytest.approx(answer.rtt_ms)
    assert tuple(answer.parts_ms) == RTT_PARTS
    text = str(answer)
    assert "RTT 29.990 ms" in text
    assert "0.220 ms  data: wait before the RAC request" in text
    assert "5.000 to 8.750" in text
    assert "sender's host, capture to radio" in text and "time from the RAC request (ms)" in text


def _set_clock(path: Path, after_s: float, ms: int, noted: bool) -> Bundle:
    """The bundle of a machine whose clock was set: times of captured packets from then on are off."""
    for capture in path.glob("ip-*.pcap"):
        content, at = bytearray(capture.read_bytes()), 24
        while at < len(content):
            s, ns, n, _ = struct.unpack_from("<4I", content, at)
            if s * 10**9 + ns - OFFSET_NS - START_NS >= after_s * 1e9:
                struct.pack_into("<2I", content, at, *divmod(s * 10**9 + ns + ms * 10**6, 10**9))
            at += 16 + n
        capture.write_bytes(content)
    manifest = json.loads((path / "manifest.json").read_text())
    if noted:
        manifest["clock"]["steps"] = [{"t_ns": START_NS + round((after_s + 0.5) * 1e9), "step_ns": ms * 10**6,
                                       "off_ns": ms * 10**6}]
        manifest["validity"] = {"verdict": "invalid", "reasons": [{"code": "clock_step", "text": "set"}]}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(path)


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("ms", [-100, 100, -1, 1])
@pytest.mark.parametrize("at_s", [1.9, 2.0, 2.05, 4.0])
def test_why_has_no_time_below_nothing(tmp_path: Path, at_s: float, ms: int, noted: bool) -> None:
    """Of a run during which the clock was set, whether or not the run has noted that."""
    answer = why(_set_clock(write_bundle(tmp_path, "DM-DM"), 2.0, ms, noted), at_s)
    told = str(answer)
    assert "RTT -" not in told and not re.search(r"^  +-[0-9.]+ ms", told, re.MULTILINE)
    assert isinstance(answer, Answer) and min(answer.parts_ms.values(), default=0) >= 0
    if at_s >= 2.05:
        assert answer.parts_ms == {} and "where its time went is not known: " in told
        assert (f"the machine's clock was set by {ms:+.1f} ms, seen at 2.5 s" in told) == noted


@pytest.mark.parametrize("ms", [-100, 100])
def test_why_of_a_datagram_has_none_either(tmp_path: Path, ms: int) -> None:
    bundle = _set_clock(write_bundle(tmp_path, "DM-DM"), 2.0, ms, noted=True)
    parts = {"sender's host": -0.5, "radio": 3.0}
    assert defect_of(bundle, parts, 2.5, 0) is not None and defect_of(bundle, {"radio": 3.0}, 3.0, 0) is None
    assert defect_of(bundle, {}, -1.0, 0) is not None
    assert "never came" not in str(DatagramAnswer(1.0, 100, None, {}, (), defect="a clock"))


def test_why_of_a_flow_is_of_the_segments_of_the_table(dm_dm: Bundle) -> None:
    answer, row = why_flow(dm_dm), analyse(dm_dm).row
    assert answer.percentile_ms(50) == pytest.approx(row["rtt_p50_ms"]) and answer.segments == row["segments"]
    means = answer.parts.sum()
    assert means["all_ms"][0] == pytest.approx(row["rtt_mean_ms"], abs=0.01)
    slowest = answer.rtt_ms[answer.rtt_ms >= answer.percentile_ms(95)].mean()
    assert means["slowest_ms"][0] == pytest.approx(slowest, abs=0.01)
    more = (answer.parts["slowest_ms"] - answer.parts["middle_ms"]).to_list()
    assert more == sorted(more, reverse=True)


@pytest.mark.parametrize("width", [30, 60, 100])
def test_why_of_a_flow_is_told_in_any_width(dm_dm: Bundle, width: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(why_flow(dm_dm))
    said = console.export_text()
    assert "flow" in said and "RTT" in said and max(map(len, said.splitlines())) <= width


def test_why_of_a_flow_has_no_time_below_nothing(tmp_path: Path) -> None:
    answer = why_flow(_set_clock(write_bundle(tmp_path, "DM-DM"), 2.0, -100, True))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(answer)
    said = " ".join(console.export_text().split())
    assert "is not known: the machine's clock was set by -100.0 ms" in said and "all" not in said


def test_clocks_that_differ_by_the_time_of_a_reading_are_no_defect(dm_dm: Bundle) -> None:
    assert defect_of(dm_dm, {"radio": -0.0004}, 3.0, 0) is None and defect_of(dm_dm, {"radio": -0.0006}, 3.0, 0)


def test_why_after_the_end_is_an_error(dm_dm: Bundle) -> None:
    with pytest.raises(DataError, match=r"sent at or after 99 s; choose a time up to 5\.\d{3} s"):
        why(dm_dm, 99)


def test_command_line(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(results)]) == 0
    assert capsys.readouterr().out.strip() == str(results / "summary" / "report.html")
    assert main(["table", str(results)]) == 0
    assert "DM-DM" in capsys.readouterr().out
    assert main(["why", str(next(results.glob("DM-DM-*"))), "--at", "2"]) == 0
    assert "RTT 29.990 ms" in capsys.readouterr().out
    assert main(["table", str(results / "nowhere")]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_importing_the_package_loads_nothing_heavy() -> None:
    """The lab's commands import it on every start."""
    code = (
        "import sys, cellbed_analysis; "
        "sys.exit(any(m in sys.modules for m in ('polars', 'numpy', 'matplotlib', 'rich')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_parameters_of_different_types_share_a_column_as_text() -> None:
    frame = metrics_frame([{"param.x": 1, "seed": 1}, {"param.x": "max", "seed": 2}])
    assert frame["param.x"].to_list() == ["1", "max"]
    assert frame["seed"].to_list() == [1, 2]
    mixed = metrics_frame([{"rtt_mean_ms": 30}, {"rtt_mean_ms": 30.5}])
    assert mixed["rtt_mean_ms"].to_list() == [30.0, 30.5]


def test_numbers_in_words() -> None:
    assert estimate_text(Estimate(30.0, 29.5, 30.5), 1) == "30.0 ± 0.5"
    assert estimate_text(Estimate(30.0), 1) == "30.0"
    assert estimate_text(None, 1) == ""
    assert number_text(-1.8e-15) == "0"
    assert number_text(65535) == "65535"
    assert number_text("at least 10") == "at least 10"
    assert window_text(8192) == "8 KiB"
    assert window_text(None) == ""
