# SPDX-License-Identifier: GPL-2.0-or-later
"""What people read: the report and its index, tables on a console, one run's answers, comparisons."""
