# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of numbers, whatever they are of: confidence intervals, means, medians."""
