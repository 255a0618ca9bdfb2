# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures to zoom and point at, drawn by BokehJS inside the report's file."""
