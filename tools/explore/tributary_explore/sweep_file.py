# SPDX-License-Identifier: Apache-2.0
"""The sweep file: which points to simulate, and what to make of them."""

import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import json5

from .errors import ExploreError

_OF_EXPERIMENT = {
    "base", "series", "axes", "set", "seeds", "statistics", "figures", "title", "description",
}  # fmt: skip
_OF_FILE = _OF_EXPERIMENT | {"experiments", "include"}
# Of the file, for experiments that do not say, and for included ones whatever they say.
_SHARED = ("axes", "set", "seeds", "statistics")
_TEXT_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n\r\u2028\u2029]*|/\*.*?\*/', re.DOTALL)
# A comma that follows nothing, as in [,], is an error in JSON5 too.
_TEXT_OR_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|(?<=[\w}\]"]),(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True)
class Experiment:
    """The points of one base, and the figures made of them."""

    name: str
    base: str
    """Name of a preset, or path of a run file."""
    title: str = ""
    series: tuple[str, ...] = ()
    """Only these series of the base; all if empty."""
    axes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Values of each varied parameter."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters that are not varied."""
    seeds: tuple[int, ...] = (1,)
    statistics: tuple[str, ...] = ()
    """Flat paths of the statistics that the table has, `*` for any name; all if empty."""
    figures: tuple[Mapping[str, Any], ...] = ()

    @property
    def traces(self) -> tuple[tuple[str, str], ...]:
        """Tracks and window of each timeline among the figures; every point leaves such a trace."""
        timelines = [each for each in self.figures if each.get("kind") == "timeline"]
        return tuple((str(e.get("tracks", "")), str(e.get("window", ""))) for e in timelines)


@dataclass(frozen=True)
class Sweep:
    """A sweep file as read."""

    name: str
    title: str
    description: str
    experiments: tuple[Experiment, ...]
    text: str
    """The file itself; if it includes others, one with everything in it."""
    source: str
    """What errors call it: its path."""

    def experiment(self, name: str) -> Experiment:
        """The experiment of a name. Raises `ExploreError` if there is none."""
        for each in self.experiments:
            if each.name == name:
                return each
        names = [each.name for each in self.experiments]
        raise ExploreError(
            f'{self.source}: there is no experiment "{name}"{nearest(name, names)} '
            f"(it has {', '.join(names)})"
        )


def packaged_sweeps() -> dict[str, Path]:
    """The sweeps that come with the package, by name."""
    folder = Path(str(resources.files(__package__))) / "sweeps"
    return {file.stem: file for file in sorted(folder.glob("*.json"))}


def load_sweep(path_or_name: str | Path, presets: Callable[[], Iterable[str]] = tuple) -> Sweep:
    """Reads a sweep file, or the packaged sweep of that name.

    Raises `ExploreError` with file, key, what is allowed and what to do; for broken JSON with line
    and column. `presets` are asked only for a hint to one whose name is given or near.
    """
    path = Path(path_or_name)
    name = str(path_or_name)
    packaged = packaged_sweeps()
    # A folder of that name is what `run paper --out paper` has left.
    if not path.exists() or (path.is_dir() and name in packaged):
        if name not in packaged:
            files = [str(each) for each in path.parent.glob("*.json")]
            near = nearest(name, files) or _nearest_sweep_or_preset(path, packaged, presets())
            raise ExploreError(
                f"{name} is neither a file nor a packaged sweep{near} "
                f"(packaged: {', '.join(packaged)})"
            )
        path = packaged[name]
    return parse_sweep(_read(path), path)


def _nearest_sweep_or_preset(path: Path, packaged: Iterable[str], presets: Iterable[str]) -> str:
    name = path.stem.lower()
    near = difflib.get_close_matches(name, [*packaged, *presets], n=1)
    if not near or near[0] in packaged:
        return nearest(name, packaged)
    preset = near[0]
    meant = "it is a preset: " if name == preset else f"did you mean the preset {preset}? "
    return (
        f"; {meant}`tributary run {preset}` runs it, `tributary-explore new {preset} "
        f"-o {preset}.json` writes a sweep file of it"
    )


def parse_sweep(text: str, path: Path) -> Sweep:
    """The sweep of a text; run files and sweeps that it names are found relative to `path`."""
    source = str(path)
    document = _parse(text, source)
    _check_keys(document, _OF_FILE, source)
    if "include" in document:
        document = _with_included(document, path, (path.resolve(),))
        text = json.dumps(document, indent=2) + "\n"
    title = _text(document, "title", source, default=path.stem)
    description = _text(document, "description", source)
    if "experiments" in document:
        experiments = tuple(
            _experiment(name, own, f"{source}: experiments.{name}", path.parent)
            for name, own in _experiments(document, source).items()
        )
    else:
        experiments = (_experiment(path.stem, document, source, path.parent),)
    return Sweep(path.stem, title, description, experiments, text, source)


def parse_json5(text: str) -> Any:
    """The value of a text in which each key stands once. Raises `ValueError`."""
    try:
        # Most texts are JSON but for comments and last commas, which is parsed a hundred times as
        # fast.
        plain = _TEXT_OR_COMMENT.sub(lambda match: match[1] or " ", text)
        plain = _TEXT_OR_LAST_COMMA.sub(lambda match: match[1] or "", plain)
        return json.loads(plain, object_pairs_hook=_each_once)
    except ValueError:
        return json5.loads(text, allow_duplicate_keys=False)


def nearest(name: str, names: Iterable[str]) -> str:
    """ "; did you mean X?", or nothing if no name is near."""
    near = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def parse_seeds(text: str, source: str) -> tuple[int, ...]:
    """The seeds of "1..5", "1-5" or "1,4,7..9". Raises `ExploreError`."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = part.strip().replace("-", "..").partition("..")
        if not (first.isdecimal() and (last.isdecimal() if dots else not last)):
            raise _wrong(source, "seeds", f'"{text}"', 'seeds such as "1..5" or "1,4,7..9"')
        begin, end = int(first), int(last or first)
        if end < begin or end - begin >= 1_000_000 or end >= 2**64:
            raise _wrong(
                source, "seeds", f'"{text}"', "ascending ranges below 2^64, a million at most"
            )
        seeds += range(begin, end + 1)
    if len(set(seeds)) != len(seeds):
        raise _wrong(source, "seeds", f'"{text}"', "each seed once")
    return tuple(seeds)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ExploreError(f"{path} cannot be read: {problem}") from problem


def _with_included(
    document: Mapping[str, Any], path: Path, within: tuple[Path, ...]
) -> dict[str, Any]:
    """The sweep file with the experiments of those that it includes in place of their names.

    `within` are the files that include each other, the file itself last.
    """
    source = str(path)
    _check_of_all(document, "include", source)
    whole = {key: document[key] for key in ("title", "description") if key in document}
    shared = {key: document[key] for key in _SHARED if key in document}
    own = _experiments(document, source) if "experiments" in document else {}
    experiments: dict[str, dict[str, Any]] = {}
    for named in _texts(document, "include", source):
        file = _included_file(named, path)
        if file.resolve() in within:
            raise _wrong(source, "include", named, "sweeps that do not include this one")
        for name, included in _experiments_of(file, (*within, file.resolve())).items():
            if name in experiments:
                raise ExploreError(
                    f'{source}: include: {named} has an experiment "{name}" as one before it has; '
                    "include one of them"
                )
            experiments[name] = _merged(included, shared)
    for name, changed in _object(document, "experiments", source).items():
        known = experiments.get(name)
        if known is None and "base" not in own[name]:
            raise ExploreError(
                f'{source}: experiments.{name}: "base" is missing; name a preset or a run file, or '
                f"an included experiment{nearest(name, experiments)} "
                f"(included: {', '.join(experiments)})"
            )
        experiments[name] = own[name] if known is None else _merged(known, changed)
    return {**whole, "experiments": experiments}


def _included_file(named: str, path: Path) -> Path:
    beside, packaged = path.parent / named, packaged_sweeps()
    if not beside.is_file() and named not in packaged:
        raise ExploreError(
            f"{path}: include: {named} is neither a file nor a packaged sweep"
            f"{nearest(named, packaged)} (packaged: {', '.join(packaged)})"
        )
    return beside if beside.is_file() else packaged[named]


def _experiments_of(path: Path, within: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    """The experiments of a sweep file that is included, as written, with whole paths in them."""
    source = str(path)
    document = _parse(_read(path), source)
    _check_keys(document, _OF_FILE, source)
    if "include" in document:
        document = _with_included(document, path, within)
    if "experiments" in document:
        experiments = _experiments(document, source)
    else:
        experiments = {path.stem: document}
    for each in experiments.values():
        if "base" in each:
            each["base"] = _base(_text(each, "base", source), path.parent)
    return experiments


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """What `over` says in place of what `under` says, of "set" and "axes" for each parameter."""
    merged = {**under, **over}
    for key, other in (("set", "axes"), ("axes", "set")):
        parts = [under.get(key, {}), over.get(key, {}), over.get(other, {})]
        if key in under and all(isinstance(each, dict) for each in parts):
            first, instead, elsewhere = parts
            kept = {name: value for name, value in first.items() if name not in elsewhere}
            merged[key] = {**kept, **instead}
    return merged


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is given twice")
    return members


def _parse(text: str, source: str) -> dict[str, Any]:
    try:
        document = parse_json5(text)
    except ValueError as problem:
        raise ExploreError(f"{source}: {_in_place(str(problem))}; mend the JSON there") from problem
    except RecursionError as problem:
        raise ExploreError(
            f"{source}: brackets are nested too deep; a sweep file needs five levels"
        ) from problem
    if not isinstance(document, dict):
        raise ExploreError(f"{source}: a sweep file is one JSON object, in braces")
    document.pop("$schema", None)  # for editors
    return document


def _in_place(message: str) -> str:
    """The parser's message, with the place first."""
    return re.sub(r"^<string>:(\d+) (.*) at column (\d+)$", r"line \1, column \3: \2", message)


def _check_keys(document: Mapping[str, Any], known: set[str], source: str) -> None:
    for key in document:
        if key not in known:
            raise ExploreError(
                f'{source}: "{key}" is no key of a sweep file{nearest(key, known)} '
                f"(allowed: {', '.join(sorted(known))})"
            )


def _experiments(document: Mapping[str, Any], source: str) -> dict[str, dict[str, Any]]:
    """The file's "experiments", each merged with what the file says for all."""
    _check_of_all(document, "experiments", source)
    written = document["experiments"]
    if not isinstance(written, dict) or not written:
        raise _wrong(source, "experiments", written, "an object of one experiment or more by name")
    shared = {key: document[key] for key in _SHARED if key in document}
    experiments = {}
    for name, own in written.items():
        where = f"{source}: experiments.{name}"
        if not re.search(r"\w", name):
            raise _wrong(source, "experiments", f'the name "{name}"', "a name with a letter in it")
        if not isinstance(own, dict):
            raise _wrong(source, f"experiments.{name}", own, "an object")
        _check_keys(own, _OF_EXPERIMENT, where)
        experiments[name] = _merged(shared, own)
    return experiments


def _check_of_all(document: Mapping[str, Any], several: str, source: str) -> None:
    for key in ("base", "series", "figures"):
        if key in document:
            raise ExploreError(
                f'{source}: "{key}" and "{several}" are both given; move "{key}" into an experiment'
            )


def _experiment(name: str, document: dict[str, Any], source: str, folder: Path) -> Experiment:
    if "base" not in document:
        raise ExploreError(f'{source}: "base" is missing; name a preset or a run file')
    axes = {
        axis: _values(axis, written, source)
        for axis, written in _object(document, "axes", source).items()
    }
    fixed = _object(document, "set", source)
    for axis in axes.keys() & fixed.keys():
        raise ExploreError(f'{source}: "{axis}" is in "axes" and in "set"; keep one of them')
    if "run.seed" in axes or "seed" in axes:
        raise ExploreError(f'{source}: seeds are no axis; write "seeds": "1..5"')
    figures = document.get("figures", [])
    if not isinstance(figures, list) or not all(isinstance(each, dict) for each in figures):
        raise _wrong(source, "figures", figures, "an array of objects")
    return Experiment(
        name=name,
        base=_base(_text(document, "base", source), folder),
        title=_text(document, "title", source, default=name),
        series=_texts(document, "series", source),
        axes=axes,
        fixed=fixed,
        seeds=_seeds(document, source),
        statistics=_texts(document, "statistics", source),
        figures=tuple(figures),
    )


def _base(written: str, folder: Path) -> str:
    """The whole path of a run file next to the sweep file, or else the name of a preset."""
    beside = folder / written
    return str(beside.resolve()) if beside.is_file() else written


def _seeds(document: dict[str, Any], source: str) -> tuple[int, ...]:
    written = document.get("seeds", "1")
    if isinstance(written, int) and not isinstance(written, bool):
        written = str(written)
    if not isinstance(written, str):
        raise _wrong(source, "seeds", written, 'seeds such as "1..5" or "1,4,7..9"')
    return parse_seeds(written, source)


def _values(axis: str, written: Any, source: str) -> tuple[Any, ...]:
    key = f"axes.{axis}"
    if isinstance(written, dict):
        written = _range(key, written, source)
    if not isinstance(written, list):
        allowed = 'a list of values, or a range as {"from": 4, "to": 64, "times": 2}'
        raise _wrong(source, key, written, allowed)
    if not written:
        raise _wrong(
            source, key, "an empty axis", "one value or more, as without any there is no point"
        )
    seen = set()
    for value in written:
        # Python holds True equal to 1.
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        same = value if number else json.dumps(value)
        if same in seen:
            raise _wrong(source, key, f"{value} twice", "each value once")
        seen.add(same)
    return tuple(written)


def _range(key: str, written: dict[str, Any], source: str) -> list[Any]:
    allowed = '"from", "to" and one of "step", "times" and "count"'
    ways: dict[str, Callable[[Any, Any, Any], list[Any]]] = {
        "step": _by_step,
        "times": _by_factor,
        "count": _by_count,
    }
    way = [name for name in ways if name in written]
    if len(way) != 1 or set(written) != {"from", "to", way[0]}:
        raise _wrong(source, key, written, allowed)
    numbers = [written["from"], written["to"], written[way[0]]]
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        raise _wrong(source, key, written, "numbers")
    if not all(abs(n) < _GREATEST for n in numbers):
        raise _wrong(source, key, written, "finite numbers below 2^64")
    if numbers[1] < numbers[0]:
        raise _wrong(source, key, written, '"to" not below "from"')
    try:
        return ways[way[0]](*numbers)
    except ValueError as problem:
        raise _wrong(source, key, written, str(problem)) from problem


_GREATEST = 2**64  # no parameter is larger; guards against what no float can hold
_MOST_VALUES = 1_000_000  # of one axis; guards against a step that was meant otherwise


def _by_step(first: Any, last: Any, step: Any) -> list[Any]:
    if step <= 0 or (last - first) / step >= _MOST_VALUES:
        raise ValueError('a "step" above 0 that makes less than a million values')
    count = math.floor((last - first) / step + 1e-9) + 1
    return [_tidy(first + i * step) for i in range(count)]


def _by_factor(first: Any, last: Any, factor: Any) -> list[Any]:
    if factor <= 1 or first <= 0 or math.log(last / first, factor) >= _MOST_VALUES:
        raise ValueError('"times" above 1 and "from" above 0')
    count = math.floor(math.log(last / first, factor) + 1e-9) + 1
    return [_tidy(first * factor**i) for i in range(count)]


def _by_count(first: Any, last: Any, count: Any) -> list[Any]:
    if not isinstance(count, int) or not 2 <= count <= _MOST_VALUES:
        raise ValueError('a whole "count" from 2 to a million')
    return [_tidy(first + i * (last - first) / (count - 1)) for i in range(count)]


def _tidy(value: float) -> Any:
    """0.3 for 0.30000000000000004, and 8 for 8.0; every digit of a whole number."""
    if float(value).is_integer():
        return int(value)
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def _object(document: Mapping[str, Any], key: str, source: str) -> dict[str, Any]:
    written = document.get(key, {})
    if not isinstance(written, dict):
        raise _wrong(source, key, written, "an object of parameters")
    return written


def _text(document: Mapping[str, Any], key: str, source: str, default: str = "") -> str:
    written = document.get(key, default)
    if not isinstance(written, str):
        raise _wrong(source, key, written, "a text")
    if "\0" in written:  # which no path and no argument of a program can have
        raise _wrong(source, key, repr(written), "a text without the character NUL")
    return written


def _texts(document: Mapping[str, Any], key: str, source: str) -> tuple[str, ...]:
    written = document.get(key, [])
    if not isinstance(written, list) or not all(isinstance(each, str) for each in written):
        raise _wrong(source, key, written, "an array of texts")
    return tuple(written)


def _wrong(source: str, key: str, value: Any, allowed: str) -> ExploreError:
    return ExploreError(f"{source}: {key}: {value} is not allowed (allowed: {allowed})")
