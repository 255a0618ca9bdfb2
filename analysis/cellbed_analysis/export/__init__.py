# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle in the formats of other tools; docs/peers.md says what each file means."""

from __future__ import annotations

import pkgutil

from . import formats

#: Names of all formats; to list them imports none.
FORMATS = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(formats.__path__)))
