# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed realism`: a link beside recordings; what is wrong with these is one line."""

import json

import pytest
from e2e import cellbed

from cellbed.run import mahimahi

QUICK = ("--seeds", "1", "--seconds", "30")


@pytest.fixture
def field(tmp_path):
    """Recordings of two days: rates that walk at random, and pings."""
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        for number in range(2):
            times = mahimahi.make(len(day) + number, 30, 1, 12)
            (tmp_path / day / f"{number}.down").write_text("".join(f"{t}\n" for t in times))
        (tmp_path / day / "ping.csv").write_text("rtt_ms\n" + "".join(f"{40 + n % 7}\n" for n in range(100)))
    return tmp_path


def test_a_table_of_all_that_the_recordings_have(field):
    done = cellbed("realism", "edge", field / "monday", "--bar", field / "tuesday", *QUICK, "--output",
                   field / "table.json", "--figure", field / "table.svg")
    table = json.loads((field / "table.json").read_text())
    rows = {row["statistic"]: row for row in table["rows"]}
    assert "rate over 10 ms, of the mean" in done.stdout
    assert {"rate over 1 s, of the mean", "RTT, idle, above the least (ms)"} <= rows.keys()
    for row in rows.values():
        assert 0 <= row["distance"] <= 1
        assert row["pairs"] == 1
        assert row["passed"] == (row["distance"] <= row["bar"])
    assert f"{sum(row['passed'] for row in rows.values())} of {len(rows)} passed" in done.stdout
    assert (field / "table.svg").read_text().count("<svg ") == 1


@pytest.mark.lab
def test_downloads_over_recordings_and_over_a_link(field):
    """Of the recordings with a rate each 10 ms; RTTs are those of a queue of half a second."""
    done = cellbed("realism", "good", field / "monday", "--bar", field / "tuesday", "--seeds", "2", "--seconds", "20",
                   "--under-load", "--output", field / "table.json")
    rows = {row["statistic"]: row for row in json.loads((field / "table.json").read_text())["rows"]}
    for name in ("CUBIC", "BBR"):
        row = rows[f"RTT, {name} downloads, above the least (ms)"]
        assert f"RTT, {name} downloads" in " ".join(done.stdout.split())
        assert row["pairs"] == 1
        for low, middle, high in (row["field"], row["model"]):
            assert 0 <= low <= middle <= high < 1000
            assert high > 10
    assert rows["RTT, CUBIC downloads, above the least (ms)"]["model"][1] > 100  # it fills the queue of a steady link
    assert rows["RTT, CUBIC downloads, above the least (ms)"]["model"][2] < 600
    assert not any(path.name not in ("monday", "tuesday", "table.json") for path in field.iterdir())


def test_downloads_need_fine_rates(field):
    (field / "coarse.csv").write_text("t_s,rate_mbps\n" + "".join(f"{n},{1 + n % 3}\n" for n in range(60)))
    for path in (field / "coarse.csv", field / "monday" / "ping.csv"):
        done = cellbed("realism", "good", path, "--seeds", "1", "--seconds", "30", "--under-load", check=False)
        assert done.returncode == 1
        assert "--under-load: no recording has a rate each 10 ms for 10 s or more" in done.stderr


def test_the_same_recordings_and_seeds_give_the_same_table(field):
    tables = []
    for name in ("one.json", "two.json"):
        cellbed("realism", "good", field / "monday" / "0.down", *QUICK, "--output", field / name)
        tables.append((field / name).read_bytes())
    assert tables[0] == tables[1]


@pytest.mark.parametrize(("name", "text", "message"), [
    ("x.csv", "t_s,rate_mbps\n0,1\n1,fast\n", "x.csv: line 3: rate_mbps 'fast': allowed numbers from 0"),
    ("x.csv", "speed\n1\n", "x.csv: columns speed: expected t_s and rate_mbps"),
    ("x.down", "1\nx\n", "x.down: line 2: value 'x': allowed whole milliseconds, 1.."),
    ("x.down", "", "x.down: 0 lines: allowed 1.."),
    ("x.down", "1\n2\n", "the recordings have no statistic that could be compared"),
])
def test_bad_recordings_are_one_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    done = cellbed("realism", "good", tmp_path / name, "--seeds", "1", "--seconds", "10", check=False)
    assert done.returncode != 0
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_missing_files_and_links(tmp_path):
    (tmp_path / "empty").mkdir()
    for arguments, message in ((("good", tmp_path / "nothing.csv"), "nothing.csv"),
                               (("good", tmp_path / "empty"), "the folder has no files"),
                               (("nowhere", tmp_path / "empty"), "the folder has no files")):
        done = cellbed("realism", *arguments, check=False)
        assert done.returncode != 0
        assert message in done.stderr
        assert "Traceback" not in done.stderr
