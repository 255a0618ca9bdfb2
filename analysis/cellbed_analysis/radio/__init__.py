# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened in the radio network, read from radio.trace: lives of packets, mode switches, handovers."""
