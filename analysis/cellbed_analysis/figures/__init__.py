# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures: one module each; `gallery` says which figures some results allow."""
