# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of what callers say."""

import time

import pytest

from cellbed.run.relay import TICKS, Relay, Session


@pytest.fixture
def relay(tmp_path):
    (tmp_path / TICKS).mkdir()
    made = Relay(tmp_path, {}, {}, pace=True)
    yield made
    made.close()


@pytest.mark.parametrize(("listed", "ticks"), [([], 0), (["7"], 7), (["7", "8"], 8)])
def test_a_listing_while_the_tick_is_renamed(relay, listed, ticks):
    for name in listed:
        (relay.out / TICKS / name).touch()
    assert relay._ticks() == ticks


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_programs_end_with_the_relay(relay, tmp_path):
    """Whatever ends it, nobody could tell them anything any more."""
    request = {"argv": ["sleep", "1000"], "environment": None, "cwd": tmp_path, "tty": False, "stdin": "none"}
    session = Session(tmp_path / "session-0", request, None)
    relay.sessions["session-0"] = session
    (tmp_path / TICKS / "no number").touch()
    relay.start()
    end = time.monotonic() + 10
    while session.process.popen.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert session.process.popen.poll() is not None
