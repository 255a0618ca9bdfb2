# SPDX-License-Identifier: GPL-2.0-or-later
"""NR's pure modules of the core in Python: their headers through cffi."""

import cffi
from coreffi import BUILD, declarations

HEADERS = ["phy/nr/carrier", "phy/nr/tdd", "phy/nr/mcs", "phy/nr/cqi", "phy/nr/tbs", "phy/common/soft", "phy/nr/bler",
           "mac/nr/bsr", "mac/nr/pdu", "mac/nr/drx"]  # fmt: skip
TABLES = ("64qam", "256qam", "64qam-low-se")  # in the order of enum nr_table
EBADMSG = -74

ffi = cffi.FFI()
ffi.cdef(declarations(*HEADERS))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))
