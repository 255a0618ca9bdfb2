# SPDX-License-Identifier: GPL-2.0-or-later
"""Equations of the papers, to put beside their printed numbers and beside measurements."""
