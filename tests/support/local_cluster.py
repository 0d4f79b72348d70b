"""A real cluster on loopback, started and stopped by the project's own commands, for tests of real processes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
DAEDALUS = ROOT / "bin" / "daedalus"
COMMAND_SECONDS_MAX = 120
PORTS_PER_CLUSTER = 60
PORTS_FIRST = 10_000
# For `up`, where what is tested or measured is to be free of the disk.
IN_MEMORY = "--durability=off"

_OWN_BLOCKS: dict[int, IO[str]] = {}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one command said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams, for messages."""
        return self.out + self.err

    def json(self) -> Any:
        """The only line of the output, as JSON."""
        return json.loads(self.out.strip())


def free_ports(count: int = PORTS_PER_CLUSTER) -> int:
    """The first of `count` neighbouring loopback ports that nobody has now and nobody will be given by chance.

    They lie below the kernel's ephemeral ports: of those any connection of any process may be given one between this
    look and the start of the cluster. A block of them is this process's until it ends, so test runs beside each other
    do not meet.
    """
    blocks = list(range((_ephemeral_first() - PORTS_FIRST) // PORTS_PER_CLUSTER))
    random.shuffle(blocks)
    for block in sorted(blocks, key=_OWN_BLOCKS.__contains__):
        first = PORTS_FIRST + block * PORTS_PER_CLUSTER
        if _owns(block) and _are_free(first, count):
            return first
    raise RuntimeError("no range of free ports found")


def _ephemeral_first() -> int:
    """The lowest port that the kernel gives to a connection by itself."""
    return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])


def _owns(block: int) -> bool:
    """Whether the block is this process's, taking it if it is nobody's."""
    if block not in _OWN_BLOCKS:
        lock = (Path(tempfile.gettempdir()) / f"daedalus-test-ports-{block}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return False
        _OWN_BLOCKS[block] = lock
    return True


def _are_free(first: int, count: int) -> bool:
    """Whether nobody listens on any of the ports."""
    with contextlib.ExitStack() as taken:
        try:
            for port in range(first, first + count):
                taken.enter_context(socket.socket()).bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def take_interrupts() -> None:
    """For a child between its birth and its program: Ctrl-C reaches it, as it does what a terminal starts.

    A shell that starts something in the background lets it ignore Ctrl-C, and that is handed on: these tests may be
    started so, and what they start would ignore it, too.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_command(*arguments: str | Path, environment: dict[str, str] | None = None, stdin: str = "") -> Answer:
    """Runs one command to its end."""
    finished = subprocess.run(
        [str(argument) for argument in arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS_MAX,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    return Answer(finished.returncode, finished.stdout, finished.stderr)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Asks again and again until the condition holds; fails naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"


@dataclass(slots=True)
class LocalCluster:
    """A running cluster and the commands that speak to it."""

    port: int
    schema: Path
    directory: Path
    state: Path
    processes: dict[str, int] = field(default_factory=dict)
    commands: dict[str, list[str]] = field(default_factory=dict)
    started_again: list[subprocess.Popen[bytes]] = field(default_factory=list)
    standing: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def addresses(self) -> list[str]:
        """Of all aggregators."""
        count = sum(name.startswith("aggregator-") for name in self.processes)
        return [f"127.0.0.1:{self.port + aggregator}" for aggregator in range(count)]

    def daedalus(self, *arguments: str | Path, stdin: str = "") -> Answer:
        """Runs bin/daedalus against this cluster."""
        environment = {"DAEDALUS_CLUSTER": self.address, "XDG_STATE_HOME": str(self.state)}
        return run_command(DAEDALUS, *arguments, environment=environment, stdin=stdin)

    def sql(self, *statements: str) -> Answer:
        """Runs statements, JSON out."""
        return self.daedalus("sql", "-c", "; ".join(statements), "--format", "json")

    def quick(self, *statements: str) -> list[Any]:
        """What statements come to, as JSON, from one process that stays: where starting is not the point."""
        if self.standing is None or self.standing.poll() is not None:
            self.standing = subprocess.Popen(
                [DAEDALUS, "sql", "-f", "-", "--format", "json"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "DAEDALUS_CLUSTER": self.address, "XDG_STATE_HOME": str(self.state)},
            )  # fmt: skip
        assert self.standing.stdin is not None
        assert self.standing.stdout is not None
        self.standing.stdin.write("".join(f"{statement};\n" for statement in statements))
        self.standing.stdin.flush()
        return [json.loads(self.standing.stdout.readline()) for _ in statements]

    def value(self, statement: str) -> Any:
        """The one value of a query's one row."""
        answer = self.sql(statement)
        assert answer.code == 0, answer.said
        return answer.json()["rows"][0][0]

    def refuses(self, statement: str, sqlstate: str, *words: str) -> None:
        """Asserts that a statement gets one clear error: code and words."""
        answer = self.sql(statement)
        assert answer.code == 1, answer.said
        error = answer.json()["error"]
        assert error["sqlstate"] == sqlstate, error
        for word in words:
            assert word in error["message"] + error.get("hint", ""), error

    def kill(self, *names: str) -> None:
        """Ends processes without warning, all at once, and waits until they are gone: then others can listen at their
        addresses. Only processes of this cluster are known by name.
        """
        with contextlib.ExitStack() as opened:
            processes = [os.pidfd_open(self.processes[name]) for name in names]
            for process in processes:
                opened.callback(os.close, process)
                signal.pidfd_send_signal(process, signal.SIGKILL)
            for process in processes:
                _wait_until_gone(process)

    def suspend(self, *names: str) -> None:
        """Stops processes where they are, connections and all."""
        for name in names:
            os.kill(self.processes[name], signal.SIGSTOP)

    def resume(self, *names: str) -> None:
        """Lets suspended processes go on."""
        for name in names:
            os.kill(self.processes[name], signal.SIGCONT)

    def start_again(self, name: str, *, change: Callable[[list[str]], list[str]] = list) -> subprocess.Popen[bytes]:
        """Starts a process that was killed with the command that `up` gave it, or with a `change` of that."""
        log = self.directory / f"{name}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                change(self.commands[name]), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self.started_again.append(process)
        self.processes[name] = process.pid
        return process

    def end_started(self) -> None:
        """Ends what quick() and start_again() started: `down` does not know of it."""
        if self.standing is not None:
            self.standing.communicate()
        for process in self.started_again:
            process.kill()
            process.wait()


def _wait_until_gone(process: int, seconds: float = 30) -> None:
    """Waits until all threads of a process, given by its descriptor, have ended, and so its sockets are closed."""
    ended, _, _ = select.select([process], [], [], seconds)
    assert ended, f"a killed process was still there after {seconds:g} s"


def read_processes(directory: Path) -> dict[str, int]:
    """Names and process ids of a running cluster, as `daedalus up` recorded them."""
    lines = (directory / "cluster.pids").read_text().splitlines()
    return {fields[0]: int(fields[2]) for fields in (line.split("\t") for line in lines)}


def command_of(process: int) -> list[str]:
    """How a running process was started."""
    words = Path("/proc", str(process), "cmdline").read_bytes().decode().split("\0")
    return words[:-1]


@contextlib.contextmanager
def local_cluster(base: Path, ddl: str, *options: str) -> Iterator[LocalCluster]:
    """Starts a cluster for the time of the context; `options` go to `daedalus up`."""
    schema = base / "table.sql"
    schema.write_text(ddl)
    cluster = LocalCluster(free_ports(), schema, base / "data", base / "state")
    started = cluster.daedalus(
        "up", "--schema", schema, "--data-dir", cluster.directory, "--port", str(cluster.port), *options
    )
    try:
        assert started.code == 0, started.said
        cluster.processes = read_processes(cluster.directory)
        cluster.commands = {name: command_of(process) for name, process in cluster.processes.items()}
        yield cluster
    finally:
        cluster.end_started()
        cluster.daedalus("down", "--data-dir", cluster.directory)
