# SPDX-License-Identifier: Apache-2.0
"""A cluster of Slurm on this machine: a controller, two nodes and a host to submit from.

Each node and the host are a process namespace of their own: none sees the processes of another, as
on machines of their own, and killing the first process of one kills them all, as a power cut does.
"""

import contextlib
import getpass
import os
import secrets
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

import psutil

NODES: Final = ("n1", "n2")
CPUS: Final = 2

# Debian has daemons where only root's PATH leads.
_PATH: Final = f"{os.environ['PATH']}:/usr/sbin:/sbin"
_PROGRAMS: Final = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel")
_PLUGIN: Final = "snakemake_executor_plugin_slurm"
_START_SECONDS: Final = 30.0

_CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# Slurm starts a job of a node that is down again after as long as its credential is good.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdTimeout=3
MessageTimeout=4
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} RealMemory=16000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} RealMemory=16000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def what_is_missing() -> str:
    """Why there can be no cluster here, and what to do; empty if there can be one."""
    missing = [name for name in _PROGRAMS if shutil.which(name, path=_PATH) is None]
    if missing or find_spec(_PLUGIN) is None:
        return (
            f"needs {', '.join([*missing, *([] if find_spec(_PLUGIN) else [_PLUGIN])])}: "
            "apt-get install slurm-wlm munge, and "
            "build/venv/bin/pip install -c tools/explore/constraints.txt -e 'tools/explore[slurm]'"
        )
    done = subprocess.run([*_namespace(), "true"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"needs process namespaces, which unshare cannot make here: {done.stderr.strip()}"
    return ""


class Cluster:
    """Runs while it is entered; afterwards none of its processes is left."""

    def __init__(self) -> None:
        # Not below pytest's: a socket's path has 107 characters at most, and munge wants to reach
        # its socket through folders that are open to all.
        self._folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._environment = {
            **{name: value for name, value in os.environ.items() if name[:5] != "SLURM"},
            "SLURM_CONF": str(self._folder / "slurm.conf"),
            "PATH": f"{self._folder / 'bin'}:{_PATH}",
        }

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self._start("munged", ["munged", "--foreground", *_options_of_munge(self._folder)])
            _wait(lambda: (self._folder / "munge.socket").exists(), "munged does not answer")
            self._start("slurmctld", ["slurmctld", "-D"])
            for node in NODES:
                self.start_node(node)
            self.start_host()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        if problem[0] is not None:
            self._show_logs()
        self._end()

    def start_node(self, name: str) -> None:
        """Starts the daemon of a node, and waits until jobs can run there."""
        self._start(name, [*_namespace(), "slurmd", "-D", "-N", name])
        _wait(lambda: self._state(name) in ("idle", "mixed"), f"{name} is not ready")

    def kill_node(self, name: str) -> None:
        """Ends the daemon of a node and all that runs there, at once, and waits until the
        controller has noticed."""
        self._kill(name)
        _wait(lambda: self._state(name).startswith("down"), f"{name} is not down")

    def start_host(self) -> None:
        """Starts the host to submit from, whose first process adopts orphans."""
        self._start("host", [*_namespace(), "sh", "-c", "while :; do sleep 0.2; done"])

    def kill_host(self) -> None:
        """Ends all processes of the host to submit from, at once."""
        self._kill("host")

    def submit_from_host(
        self, command: Sequence[str], folder: Path, told: Path, environment: dict[str, str]
    ) -> tuple["subprocess.Popen[bytes]", psutil.Process]:
        """Starts a program on the host, with its output in a file: a shell that waits for it, and
        the program itself."""
        inside = _child(self._daemons["host"].pid)
        # Entering leads to the root folder. A shell starts the program there, as nsenter itself
        # stops for good if the program is stopped and continued.
        there = ["sh", "-c", 'cd "$0" && "$@"; exit $?', str(folder), *command]
        with told.open("ab") as output:
            waiting = subprocess.Popen(
                ["nsenter", "--no-fork", "--target", str(inside.pid), *_entered(), "--", *there],
                env={**self._environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        return waiting, _child(waiting.pid)

    def jobs(self, *states: str) -> dict[str, str]:
        """The node of each job in one of these states, by its number."""
        told = self._slurm("squeue", "--noheader", f"--states={','.join(states)}", "--format=%i %N")
        return {line.split()[0]: line.partition(" ")[2].strip() for line in told.splitlines()}

    def kill_job(self, number: str) -> None:
        """Kills all processes of a job."""
        self._slurm("scancel", "--signal=KILL", "--full", number)

    def _state(self, node: str) -> str:
        # As long as the controller starts, there is no answer.
        return self._slurm("sinfo", "--noheader", f"--nodes={node}", "--format=%t").strip()

    def _slurm(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def _prepare(self) -> None:
        self._folder.chmod(0o755)
        for name in ("bin", "state", *NODES):
            (self._folder / name).mkdir()
        key = self._folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o600)
        (self._folder / "slurm.conf").write_text(
            _CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                folder=self._folder,
                ports=_free_ports(1 + len(NODES)),
                cpus=CPUS,
            )
        )
        # Inside a job the plugin forgets where the configuration lies.
        srun = self._folder / "bin" / "srun"
        configuration = shlex.quote(self._environment["SLURM_CONF"])
        real = shlex.quote(str(shutil.which("srun", path=_PATH)))
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {real} "$@"\n')
        srun.chmod(0o755)

    def _start(self, name: str, command: Sequence[str]) -> None:
        with (self._folder / f"{name}.out").open("ab") as output:
            self._daemons[name] = subprocess.Popen(
                # It ends with this process, however that ends.
                ["setpriv", "--pdeathsig", "KILL", *command],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _kill(self, name: str) -> None:
        process = self._daemons.pop(name)
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(process.pid).children():
                child.kill()  # The first of a namespace, with which all others end.
        process.kill()
        process.wait()

    def _end(self) -> None:
        for name in reversed(list(self._daemons)):
            self._kill(name)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _show_logs(self) -> None:
        for file in sorted([*self._folder.glob("*.log"), *self._folder.glob("*.out")]):
            print(f"--- {file.name}", file.read_text(errors="replace")[-4000:], sep="\n")


def _namespace() -> list[str]:
    own = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    return ["unshare", *own, "--pid", "--fork", "--mount-proc", "--kill-child"]


def _entered() -> list[str]:
    own = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
    return [*own, "--pid", "--mount"]


def _options_of_munge(folder: Path) -> list[str]:
    files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log",
             "seed-file": "seed"}  # fmt: skip
    return [f"--{option}={folder}/munge.{name}" for option, name in files.items()]


def _child(pid: int) -> psutil.Process:
    """The only child of a process, once there is one."""
    process = psutil.Process(pid)
    _wait(lambda: bool(process.children()), f"{process} starts nothing")
    return process.children()[0]


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _wait(condition: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + _START_SECONDS
    while not condition():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)
