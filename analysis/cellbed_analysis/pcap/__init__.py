# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of any network, without a run behind them: what TCP did, as far as packets tell, and links made of them."""
