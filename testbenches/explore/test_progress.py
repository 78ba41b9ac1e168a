# SPDX-License-Identifier: Apache-2.0
"""What a run tells of itself: a bar on a terminal, few lines elsewhere."""

import io
import itertools
import time

import pytest
from rich.console import Console

from tributary_explore.progress import (
    BarProgress,
    LineProgress,
    RunProgress,
    duration,
    make_progress,
    status,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(progress: RunProgress) -> None:
    progress.begin(40)
    for done in range(0, 39, 3):
        progress.update(done, 1, 60.0 - done)
    progress.update(39, 1, 0)
    progress.end()


def test_status_tells_done_failed_and_time_left() -> None:
    assert status(12, 1, 40, 170) == "12 of 40 points, 1 failed, 3 min left"
    assert status(12, 0, 40, None) == "12 of 40 points"
    assert status(39, 1, 40, 0) == "39 of 40 points, 1 failed"
    assert status(1234, 0, 5678, 1) == "1,234 of 5,678 points, 1 s left"


def test_duration_has_two_units_at_most() -> None:
    shown = [duration(seconds) for seconds in (0.3, 45, 170, 3599, 7500, 400_000)]
    assert shown == ["0 s", "45 s", "3 min", "1 h 00 min", "2 h 05 min", "5 days"]


def test_lines_are_few_and_the_last_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(0, 2.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    stream = io.StringIO()
    run(LineProgress(stream))
    lines = stream.getvalue().splitlines()
    print(*lines, sep="\n")
    assert 3 <= len(lines) <= 11
    assert lines[-1] == "39 of 40 points, 1 failed"
    assert "\x1b" not in stream.getvalue()


def test_a_short_run_without_a_terminal_says_one_line() -> None:
    stream = io.StringIO()
    run(LineProgress(stream))
    assert stream.getvalue().splitlines() == ["39 of 40 points, 1 failed"]


def test_a_bar_without_colour_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured, plain = Terminal(), Terminal()
    run(BarProgress(Console(file=coloured, width=100)))
    monkeypatch.setenv("NO_COLOR", "1")
    progress = BarProgress(Console(file=plain, width=100))
    progress.note("[a] path/to/42")
    run(progress)
    assert "39 of 40 points, 1 failed" in coloured.getvalue()
    assert "39 of 40 points, 1 failed" in plain.getvalue()
    assert "[a] path/to/42\n" in plain.getvalue().replace("\r\n", "\n")
    assert "\x1b[38;" in coloured.getvalue()
    assert "\x1b[38;" not in plain.getvalue()


def test_the_stream_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(make_progress(stream=Terminal()), BarProgress)
    assert isinstance(make_progress(stream=io.StringIO()), LineProgress)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(make_progress(stream=Terminal()), LineProgress)
