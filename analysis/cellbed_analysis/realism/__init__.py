# SPDX-License-Identifier: GPL-2.0-or-later
"""How near a modelled link comes to recorded ones, beside how near these come to each other."""
