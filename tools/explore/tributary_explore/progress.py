# SPDX-License-Identifier: Apache-2.0
"""How far a run is: points done, failures, time left."""

import os
import sys
import time
from typing import Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

# Without a terminal: a line every tenth of the points, but no oftener and not much rarer than this.
_LINES: Final = 10
_LEAST_SECONDS: Final = 5.0
_MOST_SECONDS: Final = 60.0


class RunProgress:
    """What a run tells while it is under way: here, nothing."""

    def note(self, text: str) -> None:
        """Something worth a line of its own."""

    def begin(self, total: int) -> None:
        """`total` points are to be run."""

    def update(self, done: int, failed: int, seconds_left: float | None) -> None:
        """`done` of them have a result, `failed` have none and will not get one."""

    def end(self) -> None:
        """No point is being run any more."""


class LineProgress(RunProgress):
    """A line now and then, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0
        self._said = 0
        self._said_at = 0.0
        self._said_text = ""
        self._text = ""

    def note(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def begin(self, total: int) -> None:
        self._total = total
        self._said_at = time.monotonic()

    def update(self, done: int, failed: int, seconds_left: float | None) -> None:
        self._text = status(done, failed, self._total, seconds_left)
        ended = done + failed
        waited = time.monotonic() - self._said_at
        due = (ended - self._said) * _LINES >= self._total and waited >= _LEAST_SECONDS
        if due or waited >= _MOST_SECONDS:
            self._say(ended)

    def end(self) -> None:
        if self._text != self._said_text:
            self._say(self._total)

    def _say(self, ended: int) -> None:
        self.note(self._text)
        self._said, self._said_at, self._said_text = ended, time.monotonic(), self._text


class BarProgress(RunProgress):
    """A bar on a terminal; no colours where NO_COLOR is set."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            BarColumn(), TextColumn("{task.description}"), console=console, transient=False
        )
        self._task: TaskID | None = None
        self._total = 0

    def note(self, text: str) -> None:
        # Paths and numbers are no markup, and a line that is broken cannot be copied.
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begin(self, total: int) -> None:
        self._total = total
        self._task = self._progress.add_task(status(0, 0, total, None), total=total)
        self._progress.start()

    def update(self, done: int, failed: int, seconds_left: float | None) -> None:
        if self._task is not None:
            text = status(done, failed, self._total, seconds_left)
            self._progress.update(self._task, completed=done + failed, description=text)

    def end(self) -> None:
        self._progress.stop()


def make_progress(stream: TextIO | None = None) -> RunProgress:
    """A bar if `stream` (stderr) is a terminal that can show one, else lines."""
    stream = stream or sys.stderr
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return BarProgress(Console(file=stream))
    return LineProgress(stream)


def status(done: int, failed: int, total: int, seconds_left: float | None) -> str:
    """Such as "12 of 40 points, 1 failed, 3 min left"."""
    parts = [f"{done:,} of {total:,} points"]
    if failed:
        parts.append(f"{failed:,} failed")
    if seconds_left is not None and done + failed < total:
        parts.append(f"{duration(seconds_left)} left")
    return ", ".join(parts)


def counted(number: int, noun: str) -> str:
    """Such as "1 point" and "1,200 points"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """To two units at most: "45 s", "3 min", "2 h 05 min"."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours < 48 else f"{hours / 24:.0f} days"
