"""A running cluster to attack, and what one can see of its processes from outside."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from local_cluster import DAEDALUS, LocalCluster, local_cluster

from attacks.client import Answer, Client
from attacks.tables import Table
from attacks.turns import Turns

MIB = 1 << 20
# Any process of an attacked cluster may address so much. It is there for the machine, not for the cluster: an attack
# that succeeds ends that process and not those of others.
ADDRESS_SPACE_MAX = int(os.environ.get("DAEDALUS_ATTACK_ADDRESS_SPACE_MIB", "8192")) * MIB
COMES_BACK_SECONDS = 10.0
LOAD_SECONDS_MAX = 1800.0


class Watch:
    """The processes of a cluster, by name: whether they live, and what memory they take."""

    def __init__(self, processes: dict[str, int]) -> None:
        self._processes = dict(processes)
        self._before: dict[str, int] = {}

    def begin(self) -> None:
        """Peaks count from now on."""
        for name, pid in self._processes.items():
            Path(f"/proc/{pid}/clear_refs").write_text("5")
            self._before[name] = self._kib(pid, "VmRSS")

    def dead(self) -> list[str]:
        """Returns the processes that are gone."""
        return [name for name, pid in self._processes.items() if not self._lives(pid)]

    def growth_mib(self) -> dict[str, int]:
        """By how much each living process exceeded at its peak what it had at begin()."""
        return {
            name: (self._kib(pid, "VmHWM") - self._before[name]) >> 10
            for name, pid in self._processes.items()
            if self._lives(pid)
        }

    def resident_mib(self, name: str) -> int:
        """Returns the memory that one process takes now."""
        return self._kib(self._processes[name], "VmRSS") >> 10

    def pid(self, name: str) -> int:
        """Returns the id of one process."""
        return self._processes[name]

    def limit_memory(self, name: str, more_mib: int) -> None:
        """Lets a process address that much more than now, and nothing beyond."""
        pid = self._processes[name]
        limit = self._kib(pid, "VmSize") * 1024 + more_mib * MIB
        resource.prlimit(pid, resource.RLIMIT_AS, (limit, resource.prlimit(pid, resource.RLIMIT_AS)[1]))

    def lift_limits(self) -> None:
        """Ends every limit_memory()."""
        for pid in self._processes.values():
            if self._lives(pid):
                hard = resource.prlimit(pid, resource.RLIMIT_AS)[1]
                resource.prlimit(pid, resource.RLIMIT_AS, (hard, hard))

    @staticmethod
    def _lives(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    @staticmethod
    def _kib(pid: int, line: str) -> int:
        words = Path(f"/proc/{pid}/status").read_text().split(f"{line}:", 1)[1].split()
        return int(words[0])


@dataclass(slots=True)
class Stage:
    """An attack gets a stage: a loaded cluster, and everything to attack it with."""

    cluster: LocalCluster
    table: Table
    watch: Watch
    turns: Turns
    notes: list[str] = field(default_factory=list)  # figures worth printing

    @property
    def port(self) -> int:
        """Returns the port of the aggregator that is attacked, beside everybody else's requests."""
        return self.cluster.port

    def node_port(self, node: int) -> int:
        """Returns the port of a storage node."""
        return self.cluster.port + 10 + node

    def client(self, receive_buffer: int = 0) -> Client:
        """One more connection."""
        return Client(self.port, receive_buffer=receive_buffer)

    def note(self, words: str) -> None:
        """To be printed with the attack's figures."""
        self.notes.append(words)

    def is_serving(self) -> bool:
        """Returns whether a new client is served right now, from every node."""
        try:
            with self.client() as somebody:
                answer = somebody.ask(f"SELECT count(*) FROM {self.table.name}", seconds=COMES_BACK_SECONDS)
                return answer.is_whole and not self.watch.dead()
        except OSError:
            return False
        except Exception as error:  # whatever it is, it is no service
            self.note(f"not served: {error}")
            return False


def longest_cycle_ms(cluster: LocalCluster) -> float:
    """Returns the longest cycle of all segments since the start, as `status` has it."""
    nodes = cluster.run_daedalus("status", "--format", "json").json()["status"]["nodes"]
    return max(int(segment["cycle_ns_max"]) for node in nodes for segment in node["segments"]) / 1e6


@contextlib.contextmanager
def bounded(seconds: float, what: str) -> Iterator[None]:
    """Ends what runs inside by TimeoutError after so many seconds. In the main thread only."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"{what}: not over within {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def limited_children() -> Iterator[None]:
    """Lets each process that is started inside address no more than ADDRESS_SPACE_MAX."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_MAX, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def load(cluster: LocalCluster, rows: Path, batch_rows: int = 1000) -> None:
    """All rows of a file, however many there are."""
    loaded = subprocess.run(
        [
            *(DAEDALUS, "load", rows, "--cluster", cluster.address, "--batch-rows", str(batch_rows)),
            *("--progress-dir", cluster.state),
        ],
        capture_output=True,
        text=True,
        timeout=LOAD_SECONDS_MAX,
        check=False,
    )
    assert loaded.returncode == 0, loaded.stdout + loaded.stderr


@contextlib.contextmanager
def staged(table: Table) -> Iterator[Stage]:
    """A cluster with the table loaded."""
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-attacks-")))
        with limited_children():
            cluster = stack.enter_context(local_cluster(directory, table.ddl, *table.up))
        rows = directory / "rows.csv"
        table.write_csv(rows)
        load(cluster, rows, table.batch_rows)
        rows.unlink()
        yield Stage(cluster, table, Watch(cluster.processes), Turns(cluster.directory))


def at_once(clients: int, attack: Callable[[int], Answer]) -> list[Answer]:
    """Makes the same attack from so many clients at the same time."""
    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(attack, range(clients)))


def until(condition: Callable[[], bool], seconds: float) -> float | None:
    """Seconds until it held; nothing when it did not in time."""
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > seconds:
            return None
    return time.monotonic() - started
