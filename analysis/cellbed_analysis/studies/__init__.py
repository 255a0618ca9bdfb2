# SPDX-License-Identifier: GPL-2.0-or-later
"""One folder per study: everything that the analysis knows of a paper. `study.py` says what a folder may have."""
