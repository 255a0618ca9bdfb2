# SPDX-License-Identifier: GPL-2.0-or-later
"""What Pacifico, Pacifico, Fischione, Hjalmarsson and Johansson print: parameters, tables, axes; nothing computed.

Of Figures 4, 8, 9, 10 and 12 the text keeps axes, legends and captions only: no bar of Figure 8 (the
probabilities of the three cases for 2 to 5 MEs) and no bar of Figure 12 can be read. What the text says of
Figure 8 is `ORDER`.
"""

from __future__ import annotations

#: Source: Pacifico 2009 Table II. "44 64 KB": 44 segments of 1460 bytes are the most that fit 65535 bytes.
CWND_MAX_PKTS = 44

#: Rarest case first; the text has lost the signs between the three. Source: Pacifico 2009 section IV
ORDER = ("ideal", "halving", "timeout")

#: Ranges of the axes. Source: Pacifico 2009 Figures 4, 8, 9, 10, 12
FIGURE4_CWND_MAX_PKTS = (40, 120)
FIGURE4_SHARE_PERCENT = (50, 100)
FIGURE9_CWND_PKTS = (0, 50)
FIGURE10_RTT_S = (0.0, 0.2)

#: Drop rate in percent: (router to source, router to target). Source: Pacifico 2009 Table IV
TABLE4_PERCENT = {"drop-tail": (2.2, 3.9), "red-dropping": (2.2, 3.6), "red-marking": (2.1, 3.3)}
