# SPDX-License-Identifier: GPL-2.0-or-later
"""A test leaves the signals of its process as they were. Otherwise the programs of later tests hear no interrupt."""

import signal
from collections.abc import Generator
from typing import Any

import pytest

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_State = tuple[set[Any], dict[signal.Signals, Any]]


def _state() -> _State:
    return signal.pthread_sigmask(signal.SIG_BLOCK, []), {sig: signal.getsignal(sig) for sig in _ENDING}


def _restore(state: _State) -> None:
    mask, handlers = state
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for sig, handler in handlers.items():
        signal.signal(sig, handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, Any]:
    item.own_signals = _state()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: Any) -> Generator[None, Any, Any]:
    done = yield
    now = _state()
    if now != item.own_signals:
        _restore(item.own_signals)
        pytest.fail(f"the test leaves signals changed: {item.own_signals} -> {now}", pytrace=False)
    return done
