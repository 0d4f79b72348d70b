"""A real cluster on loopback, started by the project's own command, for tests of real processes.

Starting a JVM takes longer than most of what a test asks. So a question goes over a connection that stays: rows(),
value(), change(), succeeds() and refuses() speak PostgreSQL's protocol, and documents() is for what only the command
line's JSON says. run_daedalus() and start_daedalus() start a process each time: they are for tests of the command line
itself, of its options, formats, exit codes, error texts, files, signals and terminals.
"""

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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import built_programs
import psycopg

ROOT = built_programs.ROOT
DAEDALUS = ROOT / "bin" / "daedalus"
COMMAND_SECONDS_MAX = 120
CONNECT_SECONDS_MAX = 30
KILL_SECONDS_MAX = 30
LOOK_SECONDS = 0.005
# The first aggregator's port for clients of PostgreSQL, counted from the cluster's first port.
POSTGRES_PORT = 51
PORTS_PER_CLUSTER = 60
PORTS_FIRST = 10_000
# For `up`, where what is tested or measured is to be free of the disk.
IN_MEMORY = "--durability=off"

Connection = psycopg.Connection[tuple[Any, ...]]

_OWN_BLOCKS: dict[int, IO[str]] = {}


@dataclass(frozen=True, slots=True)
class Answer:
    """One command said this."""

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
    """Returns whether the block is this process's, taking it if it is nobody's."""
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
    """Returns whether nobody listens on any of the ports."""
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
    """Asks again and again until the condition holds; fails naming `what` after `seconds`.

    Between two looks the processor is left to those who are waited for.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        select.select([], [], [], LOOK_SECONDS)


class CommandLineSession:
    """One `daedalus sql` that stays: statements go in, and each is answered by one JSON document."""

    def __init__(self, cluster: LocalCluster, address: str = "") -> None:
        words = ["sql", "-f", "-", "--format", "json", "--cluster", address or cluster.address]
        self._process = cluster.start_daedalus(*words, stdin=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._statements, self._answers = self._process.stdin, self._process.stdout

    def send(self, statement: str) -> None:
        """Does not wait for the answer."""
        self._statements.write(f"{statement};\n")
        self._statements.flush()

    def line(self) -> str:
        """The next answer as it was printed; empty when the process has ended."""
        return self._answers.readline()

    def ask(self, statement: str) -> Any:
        """The document that the statement comes to."""
        self.send(statement)
        return json.loads(self.line())

    def end(self) -> None:
        """Waits for the process, which has no more to read."""
        self._process.communicate(timeout=COMMAND_SECONDS_MAX)

    def kill(self) -> None:
        """Does not let the process end by itself."""
        self._process.kill()
        self._process.communicate()


@dataclass(slots=True)
class LocalCluster:
    """A running cluster, what is asked of it, and what happens to its processes."""

    port: int
    schema: Path
    directory: Path
    state: Path
    processes: dict[str, int] = field(default_factory=dict)
    commands: dict[str, list[str]] = field(default_factory=dict)
    started_again: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _connections: dict[int, Connection] = field(default_factory=dict)
    _session: CommandLineSession | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def addresses(self) -> list[str]:
        """Returns the addresses of all aggregators."""
        count = sum(name.startswith("aggregator-") for name in self.processes)
        return [f"127.0.0.1:{self.port + aggregator}" for aggregator in range(count)]

    @property
    def table(self) -> str:
        """The name of its table, which is that of its database, too."""
        return next((self.directory / "schema").glob("*.so")).stem

    def rows(self, query: str, aggregator: int = 0) -> list[tuple[Any, ...]]:
        """Returns what a query answers."""
        return self._execute(query, aggregator).fetchall()

    def value(self, query: str, aggregator: int = 0) -> Any:
        """The one value of a query's one row."""
        ((value,),) = self.rows(query, aggregator)
        return value

    def change(self, statement: str) -> int:
        """How many rows an INSERT, UPDATE or DELETE has changed."""
        return self._execute(statement).rowcount

    def succeeds(self, statement: str, aggregator: int = 0) -> bool:
        """Returns whether a statement ends without an error."""
        return self._error_of(statement, aggregator) is None

    def refuses(self, statement: str, sqlstate: str, *words: str) -> None:
        """Asserts that a statement gets one clear error: code, and words of the message or its hint."""
        error = self._error_of(statement)
        assert error is not None, f"it was not refused: {statement}"
        assert error.sqlstate == sqlstate, error
        for word in words:
            assert word in f"{error.diag.message_primary}\n{error.diag.message_hint}", error

    def documents(self, *statements: str) -> list[Any]:
        """Returns what statements come to as JSON of the command line, one after the other and whatever they end in."""
        return [self.session().ask(statement) for statement in statements]

    def document(self, statement: str) -> Any:
        """Returns the same of one statement."""
        return self.session().ask(statement)

    def session(self) -> CommandLineSession:
        """The command line that documents() asks."""
        if self._session is None:
            self._session = CommandLineSession(self)
        return self._session

    def _error_of(self, statement: str, aggregator: int = 0) -> psycopg.Error | None:
        """Returns what a statement ends in; nothing where that is no error."""
        try:
            self._execute(statement, aggregator)
        except psycopg.Error as error:
            return error
        return None

    def _execute(self, statement: str, aggregator: int = 0) -> psycopg.Cursor[tuple[Any, ...]]:
        """Over the connection that stays; over a new one where the aggregator has ended the last one."""
        connection = self._connections.get(aggregator)
        if connection is None or not _is_idle(connection):
            if connection is not None:
                connection.close()
            connection = self._connections[aggregator] = self.connect(aggregator)
        return connection.execute(statement.encode())

    def connect(self, aggregator: int = 0) -> Connection:
        """One more connection of PostgreSQL's protocol, to any of the aggregators."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port + POSTGRES_PORT + aggregator,
            user="test",
            dbname=self.table,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS_MAX,
        )

    def run_daedalus(self, *arguments: str | Path, stdin: str = "") -> Answer:
        """Starts bin/daedalus for this cluster and waits for its end."""
        return run_command(DAEDALUS, *arguments, environment=self._environment, stdin=stdin)

    def start_daedalus(
        self, *arguments: str | Path, stdin: int = subprocess.DEVNULL, stderr: int | None = None
    ) -> subprocess.Popen[str]:
        """Starts bin/daedalus for this cluster; what it prints can be read while it runs."""
        return subprocess.Popen(
            [DAEDALUS, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, **self._environment},
            preexec_fn=take_interrupts,
        )

    @property
    def _environment(self) -> dict[str, str]:
        """By which bin/daedalus finds this cluster."""
        return {"DAEDALUS_CLUSTER": self.address, "XDG_STATE_HOME": str(self.state)}

    def kill(self, *names: str) -> None:
        """Ends processes without warning, all at once, and waits until they are gone: then others can listen at their
        addresses. Only processes of this cluster are known by name.
        """
        _kill(self.processes[name] for name in names)

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

    def end(self) -> None:
        """Ends what runs of the cluster, and what asks it, without warning: nobody wants its rows any more.

        `daedalus down` would take a JVM.
        """
        for connection in self._connections.values():
            connection.close()
        if self._session is not None:
            self._session.kill()
        for process in self.started_again:
            process.kill()
            process.wait()
        _kill(members(self.directory))


def _is_idle(connection: Connection) -> bool:
    """Returns whether a statement can be sent: an aggregator that ends says so, and nothing else comes unasked."""
    return not connection.closed and not select.select([connection], [], [], 0)[0]


def _kill(processes: Iterable[int]) -> None:
    """Ends processes, and waits until all of their threads have ended, and so their sockets are closed."""
    with contextlib.ExitStack() as opened:
        descriptors = []
        for process in processes:
            with contextlib.suppress(ProcessLookupError):  # It has ended by itself.
                descriptors.append(os.pidfd_open(process))
                opened.callback(os.close, descriptors[-1])
        for descriptor in descriptors:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        for descriptor in descriptors:
            ended, _, _ = select.select([descriptor], [], [], KILL_SECONDS_MAX)
            assert ended, f"a killed process was still there after {KILL_SECONDS_MAX} s"


def members(directory: Path) -> list[int]:
    """The processes of the cluster in a data directory: what runs on its files, and what `up` recorded there."""
    recorded = directory / "cluster.pids"
    lines = recorded.read_text().splitlines() if recorded.exists() else []
    arguments = {int(pid): argument for _, _, pid, argument in (line.split("\t") for line in lines)}
    folder = f"{directory.resolve()}/"
    running = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [process for process in running if _is_member(process, folder, arguments.get(process))]


def _is_member(process: int, folder: str, argument: str | None) -> bool:
    """Returns whether a process belongs to a cluster; `argument` is one of its own, in case its id was given to
    another.
    """
    words = command_of(process)
    return argument in words or any(word.startswith(folder) for word in words)


def read_processes(directory: Path) -> dict[str, int]:
    """Names and process ids of a running cluster, as `daedalus up` recorded them."""
    lines = (directory / "cluster.pids").read_text().splitlines()
    return {fields[0]: int(fields[2]) for fields in (line.split("\t") for line in lines)}


def command_of(process: int) -> list[str]:
    """How a process was started; nothing where it has ended."""
    try:
        return Path("/proc", str(process), "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return []


@contextlib.contextmanager
def local_cluster(base: Path, ddl: str, *options: str) -> Iterator[LocalCluster]:
    """Starts a cluster for the time of the context; `options` go to `daedalus up`."""
    schema = base / "table.sql"
    schema.write_text(ddl)
    cluster = LocalCluster(free_ports(), schema, base / "data", base / "state")
    started = cluster.run_daedalus(
        "up", "--schema", schema, "--data-dir", cluster.directory, "--port", str(cluster.port), *options
    )
    try:
        assert started.code == 0, started.said
        cluster.processes = read_processes(cluster.directory)
        cluster.commands = {name: command_of(process) for name, process in cluster.processes.items()}
        yield cluster
    finally:
        cluster.end()
