# SPDX-License-Identifier: GPL-2.0-or-later
"""Option of the golden tests; given together with their path."""


def pytest_addoption(parser):
    parser.addoption("--golden-update", action="store_true", help="rewrite expected.txt of every golden case")
