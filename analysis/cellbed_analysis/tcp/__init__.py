# SPDX-License-Identifier: GPL-2.0-or-later
"""What TCP did, read from captures and tcp.trace, and joined with what the radio did meanwhile."""
