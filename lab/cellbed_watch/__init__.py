# SPDX-License-Identifier: GPL-2.0-or-later
"""A live view of a run, from the files that it writes; the run does not know of it."""
