# SPDX-License-Identifier: Apache-2.0
"""`python -m tributary_explore`."""

from .cli import main

main()
