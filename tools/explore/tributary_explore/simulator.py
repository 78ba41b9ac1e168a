# SPDX-License-Identifier: Apache-2.0
"""The program `tributary`, which knows every parameter and runs every point.

Another program that answers to the same commands can stand in its place; one of a platform that the
simulator does not have brings neither presets nor published numbers.
"""

import copy
import errno
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from .configuration import parameters_of
from .errors import ExploreError

# Where a checkout builds it.
_BUILT = Path("build/release/tools/tributary")
# That of a run file which names none.
USUAL_PLATFORM = "ultracomputer"


@dataclass(frozen=True)
class ResolvedPoint:
    """A point as the simulator understands it."""

    series: str
    """Name of its series; empty if the run file has none."""
    configuration: dict[str, Any]
    """Every parameter with its value, as nested objects."""
    platform: str
    processors_parameter: str | None = None
    """In a file of several platforms: what all of them call "processors"."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter by its name in the file."""
        return parameters_of(self.configuration, self.processors_parameter)


@dataclass(frozen=True)
class Validation:
    """What `tributary validate-config` says of a run file that it accepts."""

    platform: str
    title: str
    points: tuple[ResolvedPoint, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Simulator:
    """The simulator's program."""

    program: Path

    @staticmethod
    def find(program: Path | None = None) -> "Simulator":
        """The program given, or of TRIBUTARY_PROGRAM, of this checkout, or on the PATH.

        Raises `ExploreError` if there is none.
        """
        named = program or os.environ.get("TRIBUTARY_PROGRAM")
        if named is not None:
            if not os.access(named, os.X_OK) or Path(named).is_dir():
                raise ExploreError(
                    f"{named} is no program; give --program or TRIBUTARY_PROGRAM the simulator"
                )
            return Simulator(Path(named).resolve())
        for folder in Path(__file__).resolve().parents:
            if os.access(folder / _BUILT, os.X_OK):
                return Simulator(folder / _BUILT)
        on_path = shutil.which("tributary")
        if on_path is None:
            raise ExploreError(
                "the simulator, program tributary, is not on the PATH; build it by ./dev build, "
                "or name it by --program or TRIBUTARY_PROGRAM"
            )
        return Simulator(Path(on_path).resolve())

    @cached_property
    def version(self) -> str:
        """Its version, "0.1.0"; results of another are not mixed with its own."""
        words = self._output(["--version"]).split()
        if not words:
            raise self._no_simulator(["--version"])
        return words[-1]

    @cached_property
    def description(self) -> dict[str, Any]:
        """What `tributary describe --json` tells: every parameter of the usual platform."""
        return self._described()

    @cache  # noqa: B019 - there are few simulators, and they live as long as the program
    def describe(self, platform: str) -> dict[str, Any]:
        """The same of any platform."""
        return self.description if platform == self._own_platform else self._described(platform)

    def _described(self, *platform: str) -> dict[str, Any]:
        arguments = ["describe", *platform, "--json"]
        return self._parsed(arguments, self._output(arguments))

    def run_file_schema(self, platform: str) -> dict[str, Any]:
        """The JSON schema of a platform's run files."""
        arguments = ["describe", platform, "--schema"]
        return self._parsed(arguments, self._output(arguments))

    @cached_property
    def platforms(self) -> tuple[str, ...]:
        """The platforms that have presets, the usual one first; of another program its own."""
        if not self._has_presets:
            return (self._own_platform,)
        usual = self._platform_folder(USUAL_PLATFORM)
        others = sorted(each.name for each in usual.parent.iterdir() if each.is_dir())
        return (USUAL_PLATFORM, *(each for each in others if each != USUAL_PLATFORM))

    @cached_property
    def presets(self) -> dict[str, Path]:
        """The presets of all platforms by name."""
        files: dict[str, Path] = {}
        for platform in self.platforms if self._has_presets else ():
            for file in sorted((self._platform_folder(platform) / "presets").glob("*.json")):
                files.setdefault(file.stem, file)
        return files

    def title_of(self, preset: str) -> str:
        """The title of a preset, without resolving its points."""
        return str(json.loads(self.presets[preset].read_text())["title"])

    def published_of(self, platform: str) -> Path:
        """The published numbers of a platform."""
        return self._platform_folder(platform) / "published.json"

    def published_files(self, platforms: Iterable[str]) -> list[Path]:
        """The same of those among several platforms that this program has and that have any."""
        known = self.platforms if self._has_presets else ()
        files = [self.published_of(each) for each in platforms if each in known]
        return [each for each in files if each.is_file()]

    @property
    def _own_platform(self) -> str:
        """That it describes if none is named."""
        return str(self.description.get("platform", USUAL_PLATFORM))

    @property
    def _has_presets(self) -> bool:
        return self._own_platform == USUAL_PLATFORM

    def _platform_folder(self, platform: str) -> Path:
        beside = self.program.parent.parent / "share" / "tributary" / platform
        if not beside.is_dir():
            raise ExploreError(f"{beside} is missing; build or install the simulator again")
        return beside

    def validate(
        self, run_file: Path | str, sets: Iterable[str] = (), series: Iterable[str] = ()
    ) -> Validation:
        """Resolves and checks every point of a run file, by its whole path, or of a preset.

        Each of `sets` is `NAME=VALUE` as for `tributary run`. Raises `ExploreError` with the
        simulator's words.
        """
        arguments = ["validate-config", str(run_file)]
        for each in sets:
            arguments += ["--set", each]
        for each in series:
            arguments += ["--series", each]
        done = self._call(arguments)
        if done.returncode != 0:
            raise ExploreError(_words(done.stderr) or f"{self.program} ended with an error")
        document = self._parsed(arguments, done.stdout)
        points = tuple(
            ResolvedPoint(
                series=str(point.pop("series", "")),
                platform=str(point.pop("platform", document["platform"])),
                processors_parameter=point.pop("processors_parameter", None),
                configuration=_with(document["configuration"], point),
            )
            for point in document["points"]
        )
        warnings = tuple(line for line in done.stderr.splitlines() if line)
        return Validation(document["platform"], document["title"], points, warnings)

    def run_command(
        self, run_file: Path, seed: int, out: Path, trace: Sequence[str] = ()
    ) -> list[str]:
        """The command that leaves results.json of a point in `out`, and the `trace_file` if any."""
        options = ["--seed", str(seed), "--threads", "1", "--quiet", "--out", str(out)]
        if trace:
            options += ["--perfetto", str(trace_file(out, trace))]
            for option, value in zip(("--trace", "--window"), trace, strict=True):
                if value:
                    options += [option, value]
        return [str(self.program), "run", str(run_file), *options]

    def _output(self, arguments: list[str]) -> str:
        done = self._call(arguments)
        if done.returncode != 0:
            raise ExploreError(f"{self.program} {' '.join(arguments)}: {_words(done.stderr)}")
        return done.stdout

    def _call(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        try:
            # In a folder where no file can have the name of a preset: a name is a preset's.
            return subprocess.run(
                [str(self.program), *arguments],
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
            )
        except OSError as problem:
            if problem.errno == errno.E2BIG:
                raise ExploreError(
                    "an axis has more values than an argument of a command can hold, about 10,000; "
                    "take a wider step, or make several experiments of it"
                ) from problem
            raise ExploreError(f"{self.program} does not run: {problem.strerror}") from problem

    def _parsed(self, arguments: list[str], output: str) -> dict[str, Any]:
        try:
            document = json.loads(output)
        except ValueError as problem:
            raise self._no_simulator(arguments) from problem
        if not isinstance(document, dict):
            raise self._no_simulator(arguments)
        return document

    def _no_simulator(self, arguments: list[str]) -> ExploreError:
        return ExploreError(
            f"{self.program} {arguments[0]} does not answer as the simulator does; give --program "
            "or TRIBUTARY_PROGRAM the program tributary"
        )


def trace_file(folder: Path, trace: Sequence[str]) -> Path:
    """The trace of a point by the tracks and window that it shows; empty stands for all."""
    return folder / f"{'-'.join(filter(None, ('trace', *trace)))}.json.gz"


def set_argument(name: str, value: Any) -> str:
    """`value` for `name` as an argument of --set; a list varies the parameter."""
    return f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def _words(stderr: str) -> str:
    return re.sub(r"^tributary[a-z-]*: ", "", stderr.strip())


def _with(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    configuration = copy.deepcopy(dict(common))
    for name, value in own.items():
        *groups, leaf = name.split(".")
        place = configuration
        for group in groups:
            place = place.setdefault(group, {})
        place[leaf] = value
    return configuration
