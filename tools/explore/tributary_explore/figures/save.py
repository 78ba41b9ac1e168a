# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG."""

from __future__ import annotations

import html
import re
from pathlib import Path

import altair
import vl_convert

from ..files import write_whole
from . import theme
from .figure import Figure

# "v6.4.1" for vl-convert is "6.4".
_VEGA_LITE = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
# An identifier that ends in a number where it is given, or where it is referred to.
_IDENTIFIER = re.compile(r'(?<=\bid=")([A-Za-z_-]+)(\d+)(?=")|(?<=url\(#)([A-Za-z_-]+)(\d+)(?=\))')


def save_svg(figure: Figure, path: Path, dark: bool = False) -> None:
    """Writes a figure as SVG, whole or not at all: on white for print, or on a dark ground."""
    write_whole(path, svg_text(figure, theme.DARK if dark else theme.LIGHT))


def svg_text(figure: Figure, colours: theme.Theme) -> str:
    """A figure as SVG, the same bytes each time.

    Vega counts the identifiers of clips and gradients on from one figure to the next; here those of
    each begin at 0.
    """
    svg: str = vl_convert.vegalite_to_svg(figure.specification(colours), vl_version=_VEGA_LITE)
    numbers: dict[str, dict[str, int]] = {}

    def renumbered(match: re.Match[str]) -> str:
        name, number = (match[1], match[2]) if match[1] else (match[3], match[4])
        known = numbers.setdefault(name, {})
        return f"{name}{known.setdefault(number, len(known))}"

    label = html.escape(figure.title, quote=True)
    labelled = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return _IDENTIFIER.sub(renumbered, labelled)
