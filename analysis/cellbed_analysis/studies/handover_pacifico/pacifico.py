# SPDX-License-Identifier: GPL-2.0-or-later
"""What Pacifico, Pacifico, Fischione, Hjalmarsson and Johansson print: parameters, tables, axes; nothing computed.

Of Figures 4, 8, 9, 10 and 12 the text keeps axes, legends and captions only: no bar of Figure 8 (the
probabilities of the three cases for 2 to 5 MEs) and no bar of Figure 12 can be read. What the text says of
Figure 8 is `ORDER`.
"""

from __future__ import annotations

#: Source: Pacifico 2009 Table I
ROUTER_LINK_BPS = 12e6
SERVER_LINK_BPS = 100e6
WIRED_LINK_MS = 2.0
ENB_QUEUE_PKTS = 200
DETACH_MS = 30.0
PACKET_BYTES = 1500

#: Source: Pacifico 2009 Table II. "44 64 KB": 44 segments of 1460 bytes are the most that fit 65535 bytes.
ROUTER_QUEUE_PKTS = 90
CWND_MAX_PKTS = 44
CWND_MAX_KB = 64
PREDICTION_STEP_MS = 130.0
SOURCE_MES = 1
#: Without the reference ME: with the 3 of Table III "such a queue handles four different TCP connections".
TARGET_MES = 5

#: MEs in the target cell, simulations for each. Source: Pacifico 2009 section VI-B
FIGURE8_MES = (2, 3, 4, 5)
FIGURE8_SIMULATIONS = 50
#: Rarest case first; the text has lost the signs between the three. Source: Pacifico 2009 section IV
ORDER = ("ideal", "halving", "timeout")

#: Ranges of the axes. Source: Pacifico 2009 Figures 4, 8, 9, 10, 12
FIGURE4_CWND_MAX_PKTS = (40, 120)
FIGURE4_SHARE_PERCENT = (50, 100)
FIGURE8_PERCENT = (0, 90)
FIGURE9_CWND_PKTS = (0, 50)
FIGURE10_RTT_S = (0.0, 0.2)
FIGURE12_KB = (0, 700)
HANDOVER_S = 2.3
#: "Typical RTT (around 100 ms)". Source: Pacifico 2009 section VI-B
TYPICAL_RTT_MS = 100.0

#: Drop rate in percent: (router to source, router to target). Source: Pacifico 2009 Table IV
TABLE4_PERCENT = {"drop-tail": (2.2, 3.9), "red-dropping": (2.2, 3.6), "red-marking": (2.1, 3.3)}
#: Of RED in the runs of Table IV: 4 MEs in the source cell, 3 in the target cell. Source: Pacifico 2009 Table III
RED_MAX_P = 0.1
RED_MIN_THRESHOLD_PKTS = 20
RED_MAX_THRESHOLD_PKTS = 65
