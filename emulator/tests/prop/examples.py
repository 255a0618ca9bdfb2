# SPDX-License-Identifier: GPL-2.0-or-later
"""How many examples a property of the core is tried with: CELLBED_EXAMPLES is the share of them, 1 if it is not set."""

import os

from hypothesis import settings

_SHARE = float(os.environ.get("CELLBED_EXAMPLES", "1"))


def examples(number: int) -> settings:
    return settings(max_examples=max(1, round(_SHARE * number)))
