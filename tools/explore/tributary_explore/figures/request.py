# SPDX-License-Identifier: Apache-2.0
"""What a sweep file asks of a figure, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ExploreError
from ..flatten import matcher
from ..plan import Plan, Point
from ..simulator import USUAL_PLATFORM
from ..sweep_file import Experiment, nearest
from ..text import value_text
from .statistics import (
    all_statistics,
    allowed_statistic,
    describe_statistics,
    is_named,
    parts_of,
)

SERIES = "series"
COMMON_KEYS = ("kind", "name", "title", "caption", "at", "key")
_WINDOW = "run.occupancy_window"
SCALES = ("linear", "log")
# Of timelines, and in the name of a file; the rest is for the simulator to refuse.
_FORMS = {"tracks": r"[\w.,-]{0,200}", "window": r"(\d+\.\.\d*|\.\.\d+)?"}


@dataclass(frozen=True)
class Kind:
    """A kind of figure: its keys in addition to the common ones, and what they are if absent."""

    description: str
    defaults: Mapping[str, Any]
    """None stands for a key that has no default."""
    needed: tuple[str, ...] = ()
    """Keys that must be given."""
    platforms: tuple[str, ...] = ()
    """That have what it shows; all if empty."""
    statistics: tuple[str, ...] = ("y",)
    """Keys that name a statistic."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Keys that name a parameter."""
        keys = ("x", "along", "by", "panels")
        return tuple(key for key in keys if key in self.defaults and key not in self.statistics)

    def is_of(self, platform: str) -> bool:
        """Whether the platform has what it shows."""
        return not self.platforms or platform in self.platforms


_OF_CURVES: Mapping[str, Any] = {
    "by": SERIES,
    "panels": None,
    "panel_titles": None,
    "scale": "linear",
    "published": True,
}
KINDS: Mapping[str, Kind] = {
    "latency": Kind(
        "a statistic against a parameter",
        {"x": "network.processing_elements", "y": "interface.latency.mean", **_OF_CURVES},
    ),
    "curves": Kind(
        "statistics, or quotients of two, against a parameter",
        {"x": None, "y": None, "axis": None, **_OF_CURVES},
        needed=("x", "y"),
    ),
    "bars": Kind(
        "statistics, or quotients of two, on top of each other",
        {"y": None, "axis": None, "by": SERIES, "published": True},
        needed=("y",),
    ),
    "combining": Kind(
        "a statistic of each stage",
        {"y": "network.stage.*.combining_rate", "by": SERIES, "published": True},
        platforms=(USUAL_PLATFORM,),
    ),
    "load": Kind(
        "latency against accepted load",
        {
            "x": "interface.accepted_load",
            "y": "interface.latency.mean",
            "along": "interface.outstanding",
            "by": SERIES,
            "panels": "workload.traffic.hot_spot",
            "panel_titles": None,
            "scale": "linear",
        },
        platforms=(USUAL_PLATFORM,),
        statistics=("x", "y"),
    ),
    "occupancy": Kind(
        "queues by stage and cycle",
        {"y": "network.stage.*.queue_occupancy_over_time", "panels": SERIES, "seed": None},
        platforms=(USUAL_PLATFORM,),
    ),
    "distribution": Kind(
        "how often each latency occurred",
        {"y": "interface.latency_distribution", "panels": SERIES, "scale": "linear"},
    ),
    "timeline": Kind(
        "what each unit does, cycle by cycle, in one run",
        {"tracks": "", "window": "", "seed": None},
        statistics=(),
    ),
}


@dataclass(frozen=True)
class Space:
    """What the points of an experiment are made of."""

    values: Mapping[str, tuple[Any, ...]]
    """Of each parameter, in their order; none where they are not known."""
    varied: Mapping[str, tuple[Any, ...]]
    """Parameters with several values within one series."""
    series: tuple[str, ...]
    seeds: tuple[int, ...]
    platform: str = USUAL_PLATFORM

    @staticmethod
    def of(
        points: Iterable[tuple[str, int, Mapping[str, Any]]], platform: str = USUAL_PLATFORM
    ) -> Space:
        """The space of points, each a series, a seed and its parameters by dotted name."""
        seeds: dict[int, None] = {}
        by_series: dict[str, dict[str, dict[str, Any]]] = {}
        for series, seed, parameters in points:
            seeds[seed] = None
            own = by_series.setdefault(series, {})
            for name, value in parameters.items():
                own.setdefault(name, {})[repr(value)] = value
        together: dict[str, dict[str, Any]] = {}
        several: set[str] = set()
        for own in by_series.values():
            for name, found in own.items():
                together.setdefault(name, {}).update(found)
                if len(found) > 1:
                    several.add(name)
        values = {name: tuple(found.values()) for name, found in sorted(together.items())}
        varied = {name: values[name] for name in values if name in several}
        return Space(values, varied, tuple(by_series), tuple(seeds), platform)


@dataclass(frozen=True)
class Request:
    """A figure of a sweep file with every default in place."""

    kind: str
    name: str
    title: str
    caption: str
    at: Mapping[str, Any]
    """Parameters, `series` too, with the value that the figure is of."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The keys of the kind."""
    where: str = ""
    """What errors call it."""
    key: bool = False
    """Whether a report shows it first."""

    @property
    def statistic(self) -> str:
        """One number that it shows of each point, of several curves the first; empty if none."""
        y = self.options.get("y", "")
        first = next(iter(y.values())) if isinstance(y, Mapping) else str(y)
        if self.kind == "distribution":
            return f"{first}.p50"
        return first if self.kind in ("latency", "curves", "load") else ""

    @property
    def compared(self) -> tuple[str, ...]:
        """What tells its curves, panels and points apart."""
        named = (self.options.get(each) for each in ("by", "panels", "x"))
        return tuple(each for each in named if isinstance(each, str))

    def __getitem__(self, key: str) -> Any:
        return self.options[key]


def check(figure: Mapping[str, Any], experiment: Experiment, plan: Plan) -> str:
    """Checks one figure against the points of a plan, before anything runs, and returns its name.

    Raises `ExploreError` that names sweep file, figure and key, and what is allowed.
    """
    points = (point for point in plan.points if point.experiment == experiment.name)
    return read_request(figure, experiment, space_of_plan(points), plan.sweep.source).name


def check_statistics(experiment: Experiment, plan: Plan) -> None:
    """Checks that each of "statistics" names one, before anything runs. Raises `ExploreError`."""
    for platform in {each.platform for each in plan.points if each.experiment == experiment.name}:
        for pattern in experiment.statistics:
            if not is_named(pattern, platform):
                raise ExploreError(
                    f'{plan.sweep.source}: experiment {experiment.name}: "statistics" has '
                    f"{pattern}, which is none{nearest(pattern, all_statistics(platform))} "
                    "(docs/formats/results.md lists all)"
                )


def read_request(
    figure: Mapping[str, Any], experiment: Experiment, space: Space, source: str
) -> Request:
    """Checks a figure against what the experiment's points have.

    Raises `ExploreError` that names sweep file, figure and key, what is allowed and the nearest
    name.
    """
    position = _position(figure, experiment)
    where = f"{source}: experiment {experiment.name}: figure {position + 1}"
    kind = _kind(figure, where)
    _check_platform(kind, space.platform, where)
    _check_keys(figure, kind, where)
    options = {key: figure.get(key, value) for key, value in KINDS[kind].defaults.items()}
    if kind == "load" and "panels" not in figure and options["panels"] not in space.varied:
        options["panels"] = None
    at = figure.get("at", {})
    if not isinstance(at, Mapping):
        raise ExploreError(f'{where}: "at" is an object of parameters and their values')
    for key in (*KINDS[kind].parameters, *KINDS[kind].statistics):
        _check_default(figure, key, kind, space, where)
    for key in KINDS[kind].parameters:
        _check_parameter(options[key], key, space, where, optional=key == "panels")
    for key in KINDS[kind].statistics:
        for statistic in _statistics(options[key], key, kind, where):
            _check_statistic(statistic, key, kind, experiment, space.platform, where)
    if options.get("scale", "linear") not in SCALES:
        raise _wrong(where, "scale", options["scale"], SCALES)
    if kind == "occupancy":
        _check_recorded(space, where)
    for key, form in _FORMS.items():
        if not re.fullmatch(form, str(options.get(key, ""))):
            raise _wrong(where, key, options[key], ("node.0-1,stage.2", "400..1200"))
    if options.get("panel_titles") is not None:
        _check_panel_titles(options["panel_titles"], options["panels"], space, where)
    if options.get("axis") is not None:
        _text(figure, "axis", "", where)
    for key, value in (("published", options.get("published")), ("key", figure.get("key"))):
        if value not in (None, True, False):
            raise _wrong(where, key, value, ("true", "false"))
    _check_at(at, options, kind, space, where)
    return Request(
        kind=kind,
        name=_name(figure, experiment, kind, position, where),
        title=_text(figure, "title", experiment.title, where),
        caption=_text(figure, "caption", "", where),
        at=at,
        options=options,
        where=where,
        key=bool(figure.get("key")),
    )


def space_of_plan(points: Iterable[Point]) -> Space:
    """What planned points are made of."""
    planned = list(points)
    platform = planned[0].platform if planned else USUAL_PLATFORM
    return Space.of(((each.series, each.seed, each.parameters) for each in planned), platform)


def _position(figure: Mapping[str, Any], experiment: Experiment) -> int:
    for position, each in enumerate(experiment.figures):
        if each is figure or each == figure:
            return position
    return 0


def _kind(figure: Mapping[str, Any], where: str) -> str:
    if "kind" not in figure:
        kinds = _list(f"{name}, {kind.description}" for name, kind in KINDS.items())
        raise ExploreError(f'{where}: "kind" is missing (allowed: {kinds})')
    kind = figure["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise _wrong(where, "kind", kind, KINDS)
    return kind


def _check_platform(kind: str, platform: str, where: str) -> None:
    if not KINDS[kind].is_of(platform):
        others = [name for name, each in KINDS.items() if each.is_of(platform)]
        raise ExploreError(
            f"{where}: a figure of kind {kind} shows {KINDS[kind].description}, and platform "
            f"{platform} has none such (allowed: {_list(others)})"
        )


def _check_default(
    figure: Mapping[str, Any], key: str, kind: str, space: Space, where: str
) -> None:
    """What is usual of one platform may be nothing of another."""
    if key in figure:
        return
    default = KINDS[kind].defaults[key]
    if default is None and key in KINDS[kind].needed:
        raise ExploreError(f'{where}: "{key}" is missing')
    if space.platform == USUAL_PLATFORM or default in (None, SERIES):
        return
    noun = "statistic" if key in KINDS[kind].statistics else "parameter"
    raise ExploreError(
        f'{where}: "{key}" is missing, as the usual one, {default}, is no {noun} of platform '
        f"{space.platform}"
    )


def _check_keys(figure: Mapping[str, Any], kind: str, where: str) -> None:
    allowed = (*COMMON_KEYS, *KINDS[kind].defaults)
    for key in figure:
        if key not in allowed:
            raise ExploreError(
                f'{where}: "{key}" is no key of a figure of kind {kind}{nearest(key, allowed)} '
                f"(allowed: {_list(allowed)})"
            )


def _check_parameter(value: Any, key: str, space: Space, where: str, optional: bool) -> None:
    if value is None and optional:
        return
    if value == SERIES and key != "x":
        return
    if not isinstance(value, str) or value not in space.values:
        raise ExploreError(
            f'{where}: {key}: there is no parameter "{value}"'
            f"{nearest(str(value), space.values)} (tributary describe lists all; varied here: "
            f"{_list(space.varied) or 'none'})"
        )
    if value not in space.varied and key in ("x", "along"):
        raise ExploreError(
            f'{where}: {key}: "{value}" has one value in this experiment; make it an axis, or '
            f"name one that varies ({_list(space.varied) or 'none'})"
        )


def _statistics(value: Any, key: str, kind: str, where: str) -> list[Any]:
    """The paths that a key names: one, or for curves and bars those of each, in which one stands
    over another."""
    if kind not in ("curves", "bars"):
        return [value]
    named = value if isinstance(value, Mapping) else {"": value}
    paths: list[Any] = []
    for each in named.values():
        parts = parts_of(each) if isinstance(each, str) else (each,)
        if len(parts) > 2 or not named:
            allowed = ("a statistic", '"STATISTIC / STATISTIC"', "an object of these by name")
            raise _wrong(where, key, each, allowed)
        paths += parts
    if not paths:
        raise ExploreError(f"{where}: {key}: an empty object names no curve")
    return paths


def _check_statistic(
    value: Any, key: str, kind: str, experiment: Experiment, platform: str, where: str
) -> None:
    if not isinstance(value, str) or not allowed_statistic(value, kind, platform):
        known = describe_statistics(kind, platform)
        raise ExploreError(
            f'{where}: {key}: "{value}" is no statistic for a figure of kind {kind}'
            f"{_instead(str(value), known)} (allowed: {_list(known)})"
        )
    kept = experiment.statistics
    if kept and not matcher(tuple(kept))(value.replace("*", "0")):
        raise ExploreError(
            f'{where}: {key}: "{value}" is left out by "statistics" of the experiment; add it there'
        )


def _instead(value: str, names: Collection[str]) -> str:
    """The numbers of a statistic that has several, or the nearest name."""
    members = [name for name in names if name.startswith(f"{value}.")]
    return f"; did you mean {' or '.join(members)}?" if members else nearest(value, names)


def _check_panel_titles(titles: Any, panels: Any, space: Space, where: str) -> None:
    if not isinstance(titles, Mapping) or not all(isinstance(e, str) for e in titles.values()):
        raise _wrong(where, "panel_titles", titles, ("an object of titles by value",))
    if panels is None:
        raise ExploreError(
            f"{where}: panel_titles: there are no panels; "
            'name a parameter or the series by "panels"'
        )
    values = space.series if panels == SERIES else space.values.get(panels, ())
    texts = [value_text(each) for each in values]
    for value in titles:
        if texts and value not in texts:
            raise _wrong(where, "panel_titles", value, texts)
    value_of: dict[str, str] = {}
    for value in texts or titles:
        title = titles.get(value, value if panels == SERIES else f"{panels} {value}")
        if title in value_of:
            raise ExploreError(
                f'{where}: panel_titles: "{title}" stands for {value_of[title]} and for {value}; '
                "give each panel a title of its own"
            )
        value_of[title] = value


def _check_recorded(space: Space, where: str) -> None:
    if 0 in space.values.get(_WINDOW, ()):
        raise ExploreError(
            f"{where}: occupancy over time is not recorded by every point, as {_WINDOW} is 0; "
            f'give it a number of cycles by "set": {{"{_WINDOW}": 100}}'
        )


def _check_at(
    at: Mapping[str, Any], options: Mapping[str, Any], kind: str, space: Space, where: str
) -> None:
    for name, value in at.items():
        values = space.series if name == SERIES else space.values.get(name)
        if values is None:
            _check_parameter(name, "at", space, where, optional=False)
        elif values and value not in values:
            raise _wrong(where, f"at: {name}", value, [str(each) for each in values])
    if options.get("seed") is not None and options["seed"] not in space.seeds:
        raise _wrong(where, "seed", options["seed"], [str(each) for each in space.seeds])
    shown = {options[key] for key in KINDS[kind].parameters}
    for name, values in space.varied.items():
        if name not in shown and name not in at:
            raise ExploreError(
                f'{where}: "{name}" has {len(values)} values and the figure shows one; say which '
                f'by "at": {{"{name}": {values[-1]}}} (it has: {_list(str(v) for v in values)})'
            )
    if SERIES not in shown and SERIES not in at and len(space.series) > 1:
        raise ExploreError(
            f"{where}: there are {len(space.series)} series and the figure shows one; say which "
            f'by "at": {{"series": "{space.series[-1]}"}} (there are: {_list(space.series)})'
        )


def _name(
    figure: Mapping[str, Any], experiment: Experiment, kind: str, position: int, where: str
) -> str:
    if "name" not in figure:
        same = [i for i, each in enumerate(experiment.figures) if each.get("kind") == kind]
        number = f"-{same.index(position) + 1}" if len(same) > 1 else ""
        written = f"{experiment.name}-{kind}{number}"
        return re.sub(r"[^A-Za-z0-9._-]+", "-", written)
    name = figure["name"]
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        allowed = ("letters, digits, points and dashes, as a file is named so",)
        raise _wrong(where, "name", name, allowed)
    return name


def _text(figure: Mapping[str, Any], key: str, default: str, where: str) -> str:
    value = figure.get(key, default)
    if not isinstance(value, str):
        raise _wrong(where, key, value, ("a text",))
    return value


def _wrong(where: str, key: str, value: Any, allowed: Collection[str]) -> ExploreError:
    return ExploreError(
        f"{where}: {key}: {value} is not allowed{nearest(str(value), allowed)} "
        f"(allowed: {_list(allowed)})"
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
