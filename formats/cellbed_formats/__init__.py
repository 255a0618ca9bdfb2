# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run leaves behind, and how it is read: bundles, manifests, traces, captures.

The lab writes these files and the analysis reads them; both take layout, names and readers from here. Nothing in this
package knows of metrics, papers or labs, and it imports none of the project's other packages.
"""
