# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever is typed ends with a status and, where it is one of failure, with one line; an interrupt, too."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from unittest import mock

import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st

from cellbed.cli import lazy, main
from cellbed.host.interrupt import INTERRUPTED

# Those that no value makes fail, that run or clean something by themselves, or that wait for others.
_NOT_TRIED = {"clean", "demo", "doctor", "fleet-key", "guest", "man", "scheduler", "scenarios", "shell", "watch",
              "worker"}
_ELSEWHERE = {"--on", "--scheduler"}  # go to other machines
_ALWAYS = {"link": ["--generate"]}
COMMANDS = {name: command for name, command in lazy.every(typer.main.get_command(main.app)).items()
            if name not in _NOT_TRIED}
VALUES = ["", "-1", "0", "nan", "inf", "-inf", "1e400", "9" * 5000, "1:30", "true", "0777", "/dev/zero", "fifo", "none",
          "none.yaml", "fifo.yaml", "zero.yaml", "wrong.yaml", "none/x.csv", "wrong.pcap", "a=b", "=", "a.b=[",
          "\x1b[31m",
          "\udcff", "x" * 300, "1-", "1-9999999999", "..5", "native", "virtual", "vm"]
WORDS = ["good", "edge", "umts-384", "d2d", "rate", "up", "rtt", "bler", "0mbit", "0.0kbit", "1e9gbit", "5mbit"]


@st.composite
def command_lines(draw):
    name = draw(st.sampled_from(sorted(COMMANDS)))
    words = [name, *_ALWAYS.get(name, [])]
    values = st.sampled_from(VALUES + (WORDS if name == "link" else []))
    for option in draw(st.lists(st.sampled_from(COMMANDS[name].params), max_size=4)):
        if option.param_type_name == "argument":
            continue
        flag = option.opts[0]
        if flag not in _ELSEWHERE:
            words += [flag] if option.is_flag else [flag, draw(values)]
    return words + draw(st.lists(values, max_size=4))


def said_of(words):
    """Status, and lines on standard error."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with mock.patch.object(sys, "argv", ["cellbed", *words]), contextlib.redirect_stdout(out), \
            contextlib.redirect_stderr(err):
        try:
            main.main()
        except SystemExit as end:
            status = end.code or 0
    return status, err.getvalue().splitlines()


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Where nothing can be harmed."""
    path = tmp_path_factory.mktemp("typed")
    os.mkfifo(path / "fifo")
    os.mkfifo(path / "fifo.yaml")
    (path / "zero.yaml").symlink_to("/dev/zero")
    (path / "wrong.yaml").write_text("a: [1:30, yes]\n")
    (path / "wrong.pcap").write_bytes(b"\xd4\xc3\xb2\xa1" + bytes(30))
    with contextlib.chdir(path):
        yield path


@given(command_lines())
@example(["link", "--generate", "good", "rate", "0mbit"])
@example(["pcap", "wrong.pcap", "--output", "none/x.csv"])
@example(["bundle", "", "9" * 5000])
@example(["pcap", "fifo"])
@example(["check", "zero.yaml"])
def test_any_command_line(words):
    status, lines = said_of(words)
    assert isinstance(status, int) and 0 <= status < 128
    assert status == 0 or len(lines) == 1, lines
    assert "Traceback" not in "".join(lines)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_nothing_waits_for_a_pipe(name):
    """Each option and argument in turn names a FIFO that nobody writes to."""
    options = [[param.opts[0], "fifo"] for param in COMMANDS[name].params
               if param.param_type_name == "option" and not param.is_flag and param.opts[0] not in _ELSEWHERE]
    for words in (["fifo"], ["fifo.yaml"], ["good", "fifo"], ["fifo", "fifo"], *options,
                  *([*option, "fifo"] for option in options)):
        status, lines = said_of([name, *_ALWAYS.get(name, []), *words])
        assert 0 <= status < 128 and (status == 0 or len(lines) == 1), (words, lines)


@pytest.mark.parametrize("after_s", [0.05, 0.2, 0.4, 0.8])
def test_interrupts_while_it_starts(after_s, folder):
    """Three, as of somebody in a hurry."""
    program = ("import sys; from cellbed.cli import entry; print('here', flush=True); "
               "sys.argv = ['cellbed', 'check', 'none.yaml']; entry.main()")
    with subprocess.Popen([sys.executable, "-c", program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        process.stdout.readline()
        time.sleep(after_s)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode in (1, INTERRUPTED)
    assert len(err.strip().splitlines()) == 1


def test_an_error_that_a_library_made_of_an_interrupt(monkeypatch, capsys):
    def imported(*_, **__):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise RuntimeError("a model is not defined") from error

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(main, "app", imported)
    try:
        with pytest.raises(SystemExit) as end:
            main.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert end.value.code == INTERRUPTED
    assert capsys.readouterr().err == "cellbed: interrupted; nothing was left behind\n"
