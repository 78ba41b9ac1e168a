# SPDX-License-Identifier: Apache-2.0
"""What a shell offers behind the program's name; nothing in place of an error.

What a completion needs is imported when it is asked for, as in cli.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from click import Context, Parameter
from click.shell_completion import CompletionItem

from .errors import ExploreError


def sweeps(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Sweep files here and packaged sweeps, or else any file."""
    from .sweep_file import packaged_sweeps

    files = [each.name for each in sorted(Path().glob("*.json"))]
    return _of([*files, *packaged_sweeps()], begun) or _any_file(begun)


def folders(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Sweeps that were run here, or else any file."""
    from .store import SUFFIX

    return _of(sorted(each.stem for each in Path().glob(f"*{SUFFIX}")), begun) or _any_file(begun)


def experiments(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Experiments of the sweep that was named before."""
    from .sweep_file import load_sweep

    # An option without its value keeps Click from giving the argument its name.
    for sweep in context.args[:1]:
        with contextlib.suppress(ExploreError):
            return _of([each.name for each in load_sweep(sweep).experiments], begun)
    return []


def settings(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Parameters of every platform, each with the sign that its value follows."""
    from .simulator import Simulator

    with contextlib.suppress(ExploreError):
        simulator = Simulator.find()
        described = [simulator.describe(each)["parameters"] for each in simulator.platforms]
        names = (each["name"] for parameters in described for each in parameters)
        return _of([f"{name}=" for name in dict.fromkeys(names) if "[]" not in name], begun)
    return []


def bases(context: Context, parameter: Parameter, begun: str) -> list[CompletionItem]:
    """Platforms and presets."""
    from .simulator import Simulator

    with contextlib.suppress(ExploreError):
        simulator = Simulator.find()
        return _of([*simulator.platforms, *simulator.presets], begun)
    return []


def _of(names: Iterable[str], begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def _any_file(begun: str) -> list[CompletionItem]:
    return [CompletionItem(begun, type="file")]
