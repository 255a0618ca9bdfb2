# SPDX-License-Identifier: GPL-2.0-or-later
"""What Park, Lee and Kim print: the numbers of their tables, and nothing computed.

Text keeps the digits as they stand in the paper; "P*100" of Table 1 is in percent.
"""

from __future__ import annotations

#: (NACK-to-ACK row, ARQ retransmissions, HARQ transmissions, P*100, N, d_max, RTT increment).
#: Source: Park 2013 Table 1
TABLE1 = (
    (False, 0, 2, "10", 8, 8, "3.6"),
    (False, 0, 3, "1", 16, 16, "1.36"),
    (False, 0, 4, "0.5", 24, 24, "1.5"),
    (False, 0, 5, "0.2", 32, 32, "1.056"),
    (True, 1, 1, "0.01", 48, 48, "0.1176"),
    (False, 1, 1, "0.1", 48, 48, "1.176"),
    (False, 1, 2, "0.01", 56, 56, "0.1596"),
    (False, 1, 3, "0.001", 64, 64, "0.0208"),
    (False, 1, 4, "0.0005", 72, 72, "0.01314"),
    (False, 1, 5, "0.0002", 80, 80, "0.00648"),
    (True, 2, 1, "0.0001", 96, 96, "0.004656"),
    (False, 2, 1, "0.0001", 96, 96, "0.004656"),
    (False, 2, 2, "0.00001", 104, 104, "0.000546"),
    (False, 2, 3, "0.000001", 112, 112, "6.328E-05"),
    (False, 2, 4, "0.0000005", 120, 120, "0.0000363"),
    (False, 2, 5, "0.0000002", 128, 128, "1.651E-05"),
    (True, 3, 1, "0.000001", 144, 144, "0.0001044"),
    (False, 3, 1, "0.0000001", 144, 144, "1.044E-05"),
    (False, 3, 2, "1E-08", 152, 152, "1.163E-06"),
    (False, 3, 3, "1E-09", 160, 160, "1.288E-07"),
    (False, 3, 4, "5E-10", 168, 168, "7.098E-08"),
    (False, 3, 5, "2E-10", 176, 176, "3.115E-08"),
)
TABLE1_TOTAL = "9.0197103"

#: Utilisation by end-to-end RTT in ms (rows) and downlink HARQ RTT in ms (columns).
#: Source: Park 2013 Table 2
TABLE2_HARQ_RTT_MS = (8, 12, 16)
TABLE2 = {
    10: ("0.3566407", "0.2593183", "0.1930696"),
    20: ("0.5257704", "0.4118392", "0.3236519"),
    30: ("0.6244871", "0.5122719", "0.4178576"),
    40: ("0.6891868", "0.5834081", "0.4890287"),
    50: ("0.7348681", "0.6364348", "0.5446932"),
    60: ("0.7688422", "0.6774865", "0.5894212"),
    70: ("0.7950984", "0.7102082", "0.6261473"),
    80: ("0.8159983", "0.7369017", "0.6568426"),
    90: ("0.8330293", "0.7590924", "0.6828798"),
    100: ("0.8471746", "0.7778309", "0.7052446"),
    110: ("0.8591104", "0.7938647", "0.7246626"),
    120: ("0.8693169", "0.8077401", "0.7416803"),
    130: ("0.8781445", "0.8198652", "0.7567168"),
    140: ("0.8858549", "0.8305517", "0.7700991"),
    150: ("0.8926477", "0.8400413", "0.7820859"),
    160: ("0.8986774", "0.8485244", "0.7928847"),
    170: ("0.9040658", "0.856153", "0.8026638"),
    180: ("0.90891", "0.86305", "0.811561"),
    190: ("0.9132884", "0.869316", "0.8196906"),
    200: ("0.9172653", "0.8750336", "0.8271477"),
}

#: ARQ retransmission rates of the measurements. Source: Park 2013 Table 4
TABLE4_RATES = (0.001, 0.01, 0.05)
#: (in-sequence, out-of-sequence) in Mbit/s per rate. Source: Park 2013 Table 4
TABLE4_MBPS = {
    "illinois": ((132.3, 136.4), (51.7, 62.2), (18.5, 26.1)),
    "westwood": ((85.6, 84.0), (35.0, 55.3), (13.8, 19.5)),
    "yeah": ((106.8, 95.8), (45.6, 60.6), (14.9, 18.5)),
    "cubic": ((34.0, 36.5), (22.0, 27.5), (12.1, 15.8)),
    "newreno": ((56.7, 58.4), (30.7, 37.3), (16.2, 19.2)),
}
#: Out-of-sequence in percent of in-sequence, as the text states it; a few are one off the quotient
#: of Table 4's rounded values. Source: Park 2013 section 4 (Figure 3)
FIGURE3_PERCENT = {
    "illinois": (103, 121, 141),
    "westwood": (98, 158, 141),
    "yeah": (90, 133, 125),
    "cubic": (107, 125, 131),
    "newreno": (103, 122, 118),
}
#: What is on the way at 220 Mbit/s in 13 ms, in packets of 1432 bytes: 1380 of TCP, 52 of its header and that of IP.
#: Source: Park 2013 Table 3
BANDWIDTH_DELAY_PKTS = 220e6 * 13e-3 / 8 / 1432
