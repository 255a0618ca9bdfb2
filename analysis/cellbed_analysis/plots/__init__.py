# SPDX-License-Identifier: GPL-2.0-or-later
"""Single figures for papers, each with its data beside it."""
