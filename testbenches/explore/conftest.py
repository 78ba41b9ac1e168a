# SPDX-License-Identifier: Apache-2.0
"""What tests share: the programs, folders that cannot be written, and results."""

import contextlib
import ctypes
import io
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import pytest

from tributary_explore.cli import run_program
from tributary_explore.plan import make_plan
from tributary_explore.simulator import Simulator
from tributary_explore.store import Store
from tributary_explore.sweep_file import parse_sweep

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2

# Two experiments with different statistics, and series in one of them only.
_SAMPLE = """{
  "set": {"run.cycles": 500, "run.warmup": 100},
  "experiments": {
    "sizes": {
      "base": "improved",
      "axes": {"network.processing_elements": [4, 16]},
      "seeds": "1..3"
    },
    "load": {
      "base": "figure7",
      "axes": {"interface.outstanding": [1, 4], "workload.traffic.hot_spot": [0.2]},
      "set": {"network.processing_elements": 16},
      "statistics": ["interface.latency.mean", "network.stage.*.combining_rate"]
    }
  }
}"""


class Explore(Protocol):
    """Runs tributary-explore in the test's folder, and shows what it printed."""

    def __call__(
        self,
        *arguments: str | Path,
        program: Path | None = None,
        wrapped: Sequence[str] | None = None,
        terminal: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """In a process of its own, which obeys permissions, if a command to wrap it is given; else
        with a stdout that claims to be a terminal of so many columns, if any are given."""


@pytest.fixture(scope="session")
def simulator() -> Simulator:
    return Simulator.find()


@pytest.fixture(scope="session")
def fake(tmp_path_factory: pytest.TempPathFactory, of_all_workers: Path) -> Simulator:
    """A program that is not the simulator and answers to the same commands."""
    program = tmp_path_factory.mktemp("fake") / "fake_synthesis"
    # By this Python: python3 on the PATH may be a script that first looks for one.
    command = shlex.join([sys.executable, str(Path(__file__).parent / "fake_synthesis.py")])
    # It is started a hundred times, and need not be compiled each time.
    cache = f"PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX={shlex.quote(str(of_all_workers))}"
    program.write_text(f'#!/bin/sh\n{cache} exec {command} "$@"\n')
    program.chmod(0o755)
    return Simulator(program)


@pytest.fixture(scope="session")
def sweeps() -> Path:
    """The folder of the sweeps that docs/cycle-time.md is made of."""
    return Path(__file__).resolve().parents[2] / "tools/rtl/cycle_time/sweeps"


@pytest.fixture
def explore(tmp_path: Path, simulator: Simulator) -> Explore:
    def call(
        *arguments: str | Path,
        program: Path | None = None,
        wrapped: Sequence[str] | None = None,
        terminal: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        words = [str(each) for each in arguments]
        used = str(program or simulator.program)
        done = (
            _here(words, tmp_path, used, terminal)
            if wrapped is None
            else _alone(
                [*wrapped, sys.executable, "-m", "tributary_explore", *words], tmp_path, used
            )
        )
        print("$ tributary-explore", *words)
        print(done.stdout + done.stderr, f"exit status {done.returncode}", sep="")
        return done

    return call


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _here(
    words: list[str], folder: Path, program: str, terminal: int | None
) -> subprocess.CompletedProcess[str]:
    """Without a process of its own, which would import everything again."""
    out, errors = _Terminal() if terminal else io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        patch.chdir(folder)
        patch.setenv("TRIBUTARY_PROGRAM", program)
        patch.setattr(sys, "argv", ["tributary-explore", *words])
        if terminal:
            patch.setenv("COLUMNS", str(terminal))
        status = run_program(words)
    return subprocess.CompletedProcess(words, status, out.getvalue(), errors.getvalue())


def _alone(command: list[str], folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "TRIBUTARY_PROGRAM": program},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=_obey_permissions,
    )


@pytest.fixture
def in_front(tmp_path: Path, simulator: Simulator) -> Callable[[str], Path]:
    """Makes a program that does lines of shell first where it is to run a point, then simulates."""

    def make(lines: str) -> Path:
        script = tmp_path / "in_front_of_tributary"
        script.write_text(
            f'#!/bin/sh\nif [ "$1" = run ]; then\n{lines}\nfi\n'
            f'exec {shlex.quote(str(simulator.program))} "$@"\n'
        )
        script.chmod(0o755)
        return script

    return make


@pytest.fixture
def little_room() -> Callable[[int], AbstractContextManager[None]]:
    """Lets no file grow beyond so many bytes, as if the disk were full.

    Within a `with` only: what pytest prints may go to a larger file.
    """

    @contextlib.contextmanager
    def limited(size: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Takes from a folder, until the test ends, the right to write in it."""
    closed: list[Path] = []

    def close(folder: Path) -> None:
        closed.append(folder)
        folder.chmod(0o555)

    yield close
    for folder in closed:
        folder.chmod(0o755)


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of the tests share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "of_all_workers"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def simulate(simulator: Simulator, of_all_workers: Path) -> Callable[[str, Path], Store]:
    """Plans the sweep of a text and simulates its points, one after another, into a folder.

    A point that another test has simulated is not simulated again.
    """

    def run(text: str, folder: Path) -> Store:
        plan = make_plan(parse_sweep(text, folder.with_suffix(".json")), simulator)
        store = Store(folder)
        store.write_plan(plan, simulator.version, f"tributary-explore run {plan.sweep.name}.json")
        for point in plan.points:
            file = store.write_run_file(point)
            known = of_all_workers / f"{point.hash}.json"
            if not known.exists():
                out = folder / "out"
                command = simulator.run_command(file, point.seed, out)
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                (out / "results.json").replace(known)
                out.rmdir()
            shutil.copyfile(known, store.result_file(point))
        return store

    return run


@pytest.fixture(scope="session")
def simulated_sample(
    simulate: Callable[[str, Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> Store:
    return simulate(_SAMPLE, tmp_path_factory.mktemp("simulated") / "sample.sweep")


@pytest.fixture
def sample(simulated_sample: Store, tmp_path: Path) -> Store:
    """A folder of 10 points, all with results: 6 of the experiment `sizes`, then 4 of `load`."""
    shutil.copytree(simulated_sample.folder, tmp_path / "sample.sweep")
    return Store(tmp_path / "sample.sweep")


def _obey_permissions() -> None:
    """In the child: takes from root, for all it executes, the right to ignore permissions."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "prctl")
