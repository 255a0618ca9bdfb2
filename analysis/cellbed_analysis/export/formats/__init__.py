# SPDX-License-Identifier: GPL-2.0-or-later
"""A module for each format, named like it. It has a `FORMAT`; nothing lists the modules."""
