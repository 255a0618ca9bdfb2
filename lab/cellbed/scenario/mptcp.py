# SPDX-License-Identifier: GPL-2.0-or-later
"""Multipath TCP of a scenario: its keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from cellbed.scenario.fields import Key, Model, Name


class Mptcp(Model):
    """The path manager of Linux. Source: RFC 8684; ip-mptcp(8)."""

    backup: list[Name] = Key([], max_length=8,
        says="Radio networks whose subflows are backups: data go there only while no other subflow works. `radio` is "
             "the first network, others are called as in `radios`. RFC 8684 section 3.3.8")
