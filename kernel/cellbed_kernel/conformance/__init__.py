# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP tests that others wrote, run in a lab kernel.

It needs the whole project, and nothing that executes runs needs it.
"""
