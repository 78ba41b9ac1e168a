# SPDX-License-Identifier: Apache-2.0
"""python -m synthesis: the program tributary-synthesis."""

import sys

from .cli import main

sys.exit(main())
