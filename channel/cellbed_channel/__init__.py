# SPDX-License-Identifier: GPL-2.0-or-later
"""What the radio links of UEs will be like: mobility, path loss, link budget, SINR, CQI, as a channel trace.

Floating point lives here and ends here: a channel trace holds integers, the core reads nothing else.
"""
