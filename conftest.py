# SPDX-License-Identifier: GPL-2.0-or-later
"""How property tests draw: the same examples every time, and no limit of time, which a busy machine would exceed."""

from hypothesis import HealthCheck, settings

settings.register_profile("cellbed", derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cellbed")
