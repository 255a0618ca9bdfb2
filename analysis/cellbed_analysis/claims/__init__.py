# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims beside what the runs measured: their format, their verdicts, and why they differ."""
