# SPDX-License-Identifier: Apache-2.0
from .drawing import make as make
from .drawing import make_all as make_all
from .request import check as check
from .request import check_statistics as check_statistics
from .save import save_svg as save_svg
