# SPDX-License-Identifier: GPL-2.0-or-later
"""What De Mey, Schumacher and Dubois print: the numbers of their tables and text, and nothing computed.

Text keeps the digits as they stand in the paper. The figures are pictures; only what the text reads off them is here.
"""

from __future__ import annotations

#: Downlink rates in kbit/s. Source: DeMey 2005 Table I
RATES_KBPS = (32, 128, 384)
#: RTT_Wired in s per downlink rate, which the authors took from traces. Source: DeMey 2005 Table I
RTT_WIRED_S = {32: "5.1966", 128: "1.283", 384: "0.4321"}
#: The same for all rates. Source: DeMey 2005 Table I
TTI_MS = 10
PDU_BYTES = 40
W_MAX = 20
TCP = "Reno"
MAXDAT = (1, 12)
BLER = ("0", "0.4")
#: Source: DeMey 2005 section IV
BLER_STEP = "0.05"

#: (average, maximum) mismatch between simulation and closed form in percent. Source: DeMey 2005 Table II
TABLE2_RTT = {32: ("13.64", "35.64"), 128: ("6.93", "13.85"), 384: ("14.33", "35.58")}
#: Source: DeMey 2005 Table II
TABLE2_THROUGHPUT = {32: ("22.74", "74.43"), 128: ("8.90", "34.79"), 384: ("13.38", "31.31")}

#: At 128 kbit/s and BLER 0.15, the maxDAT that gives the highest throughput. Source: DeMey 2005 section V (Figure 6)
FIGURE6_BLER = "0.15"
FIGURE6_MAXDAT = 6
FIGURE6_KBPS = "115"
FIGURE6_RTT_S = "1.4"
#: What half that maxDAT divides the throughput by. Source: DeMey 2005 section V (Figure 6)
FIGURE6_HALF = 8
#: At BLER 0.4 that maxDAT gives less than one eighth of the highest throughput. Source: DeMey 2005 section V (Figure 7)
FIGURE7_BLER = "0.4"
FIGURE7_DIVISOR = 8
