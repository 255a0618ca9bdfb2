# SPDX-License-Identifier: GPL-2.0-or-later
"""cellbed: real TCP over an emulated cellular radio network."""

__version__ = "0.1.0"
