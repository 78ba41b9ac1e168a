# SPDX-License-Identifier: Apache-2.0
"""Figures of a sweep: curves, latency, combining, load, occupancy, distribution, timelines.

`make` draws a figure that a sweep file asks for, `make_all` all of them; `save_svg` writes one for
print or for a dark ground.
"""

import lazy_loader

# Imported when first used, as checking a sweep file needs no drawing library.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
