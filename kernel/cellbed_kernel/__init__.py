# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel of the virtual lab: found, fetched and built. Standard library only: it comes before everything else."""
