# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics of one run; `catalog` lists them, `run` computes the row of a run."""
