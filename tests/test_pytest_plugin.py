# SPDX-License-Identifier: GPL-2.0-or-later
"""The fixture `cellbed_link` and `cellbed.Link`, in sessions of pytest of their own as users have them."""

import os
import re
import subprocess
import sys
import textwrap

import pytest
from e2e import needs_native
from machine import nothing_left

import cellbed

pytestmark = pytest.mark.lab
BROWSER = "chromium-headless-shell"


@pytest.fixture
def session(tmp_path):
    """Run tests in a folder of their own. Return: the process that has ended, and its outcomes in order."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<title>over the radio</title>\n")

    def run(code, *options):
        (tmp_path / "test_it.py").write_text(textwrap.dedent(code))
        done = subprocess.run([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options, "test_it.py"],
                              cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False,
                              env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST")})
        return done, re.findall(r"^test_it.py::\S+ ([A-Z]+)", done.stdout, re.MULTILINE)

    return run


@needs_native
def test_a_link_is_open_until_its_test_ends(session):
    with nothing_left():
        done, outcomes = session("""
            import subprocess
            left = []

            def test_programs_share_a_link(cellbed_link, tmp_path):
                link = cellbed_link("good", serve_folder="site")
                first, second = (link.run(["sh", "-c", "readlink /proc/self/ns/net; curl -sS http://$CELLBED_BASE/"],
                                          text=True, check=True).stdout.splitlines() for _ in range(2))
                assert first == second and first[1] == "<title>over the radio</title>"
                assert link.run(["sh", "-c", "echo out; exit 7"]).returncode == 7
                left.append(link.popen(["sleep", "100"]))
                assert left[0].poll() is None

            def test_it_has_ended():
                assert left[0].wait(10) != 0

            def test_two_at_a_time(cellbed_link):
                one, other = (cellbed_link(name, serve="true") for name in ("good", "edge"))
                found = {link.run(["readlink", "/proc/self/ns/net"], text=True).stdout for link in (one, other)}
                assert len(found) == 2
        """)
    assert outcomes == ["PASSED"] * 3, done.stdout


@needs_native
def test_a_browser_of_playwright(session):
    done, outcomes = session(f"""
        import shutil
        from playwright.sync_api import sync_playwright

        def test_the_page_loads(cellbed_link, tmp_path):
            link = cellbed_link("edge", serve_folder="site")
            browser = link.script(shutil.which("{BROWSER}"), tmp_path / "browser")
            with sync_playwright() as playwright:
                page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
                page.goto(f"http://{{link.base}}/")
                assert page.title() == "over the radio"
                assert page.evaluate("performance.getEntriesByType('navigation')[0].duration") > 10
    """)
    assert outcomes == ["PASSED"], done.stdout


def test_each_command_has_a_link_of_its_own_in_the_virtual_lab(session, tmp_path):
    done, outcomes = session("""
        def test_same_time(cellbed_link):
            link = cellbed_link("edge", rtt="80ms", lab="virtual", serve_folder="site")
            argv = ["curl", "-sS", "-o", "/dev/null", "-w", "%{time_total}", "http://base/"]
            first, second = (link.run(argv, text=True, check=True).stdout for _ in range(2))
            assert first == second and float(first) > 0.16
    """, "--cellbed-results", "kept")
    assert outcomes == ["PASSED"], done.stdout
    assert len(list((tmp_path / "kept").glob("*/manifest.json"))) == 1


def test_what_is_wrong_is_one_line(session):
    done, outcomes = session("""
        def test_name(cellbed_link):
            cellbed_link("goood")

        def test_word(cellbed_link):
            cellbed_link("edge", rtt="80")

        def test_lab(cellbed_link):
            cellbed_link("edge", lab="nowhere")
    """)
    assert outcomes == ["FAILED"] * 3
    said = [line for line in done.stdout.splitlines() if line.startswith("cellbed: ")]
    assert said == ["cellbed: link: 'goood': did you mean 'good'?; a command comes after --",
                    "cellbed: link: rtt 80: allowed a time in us, ms or s, such as 30ms",
                    "cellbed: --lab nowhere: allowed virtual, native"]
    assert "Traceback" not in done.stdout and "link.py" not in done.stdout


@needs_native
def test_what_the_lab_refuses_is_one_line(session):
    with nothing_left():
        done, outcomes = session("""
            def test_server(cellbed_link):
                cellbed_link("good", serve="no-such-program")
        """)
    assert outcomes == ["FAILED"]
    assert "cellbed: Link: traffic server: cannot start no-such-program: No such file or directory" in \
        done.stdout.splitlines()


def test_a_link_that_is_not_open():
    link = cellbed.Link("edge", lab="virtual")
    with pytest.raises(cellbed.LabError, match="virtual lab's time"):
        link.__enter__()
    with pytest.raises(cellbed.CellbedError, match="it is not open"):
        link.command(["true"])
    with pytest.raises(cellbed.CellbedError, match="it is not open"):
        link.base  # noqa: B018
    link.close()
