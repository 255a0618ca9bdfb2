# SPDX-License-Identifier: GPL-2.0-or-later
"""A run as data frames for people: times in s after the start of the traffic, units in the names."""
