# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m cellbed_kernel`: what kernel/build is in a checkout."""

import sys

from cellbed_kernel.command import main

if __name__ == "__main__":
    sys.exit(main())
