# SPDX-License-Identifier: Apache-2.0
"""How numbers, times, seeds and parameters are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

# Decimals that are worth printing, by unit; the sources in a report show more.
_DECIMALS = {"cycles": 1, "1": 3, "requests/element/cycle": 4}
TOO_SHORT = "not steady, not settled or not finished in their time"
"""What runs are whose points are drawn hollow."""
_THIN = "\N{NARROW NO-BREAK SPACE}"


def number_text(value: float, unit: str) -> str:
    """As many decimals as the unit deserves; four digits where none are known."""
    if unit in _DECIMALS:
        return _signed(f"{value:,.{_DECIMALS[unit]}f}")
    if float(value).is_integer():
        return _signed(f"{int(value):,}")
    return _signed(f"{value:,.1f}" if abs(value) >= 1000 else f"{value:#.4g}")


def published_text(value: float, unit: str) -> str:
    """A number as a publication prints it, with its unit."""
    return _signed(f"{value:g}") + ("" if unit in ("", "1") else f" {unit}")


def percent_text(fraction: float) -> str:
    """A deviation, always with a sign: +4.8 %."""
    text = f"{100 * fraction:+.1f}"
    return _signed("0.0" if text in ("+0.0", "-0.0") else text) + f"{_THIN}%"


def duration_text(seconds: float) -> str:
    """0.4 s, 12 s, 2 min 31 s, 3 h 05 min."""
    if seconds < 10:
        return f"{seconds:.1f}{_THIN}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes == 0:
        return f"{rest}{_THIN}s"
    hours, minutes = divmod(minutes, 60)
    if hours == 0:
        return f"{minutes}{_THIN}min {rest:02}{_THIN}s"
    return f"{hours}{_THIN}h {minutes:02}{_THIN}min"


def time_text(iso: str) -> str:
    """A UTC time of a run record: 2026-11-21 18:40 UTC. As it stands if it is no time."""
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{time:%Y-%m-%d %H:%M} UTC"


def seeds_text(seeds: Sequence[int]) -> str:
    """1 to 3, 7."""
    parts: list[str] = []
    ordered = sorted(set(seeds))
    position = 0
    while position < len(ordered):
        first = last = ordered[position]
        while position + 1 < len(ordered) and ordered[position + 1] == last + 1:
            position += 1
            last = ordered[position]
        parts.append(str(first) if first == last else f"{first} to {last}")
        position += 1
    return ", ".join(parts)


def value_text(value: Any) -> str:
    """A parameter's value as a sweep file writes it: texts without quotes, 1 for 1.0."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _signed(text: str) -> str:
    return text.replace(",", _THIN).replace("-", "\N{MINUS SIGN}")
