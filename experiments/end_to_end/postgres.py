"""PostgreSQL 15 with the tickets and the matching indexes, as a server of its own, asked through pgbench and psql."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local_cluster import free_ports

from experiments.harness.record import ROOT

BIN = Path("/usr/lib/postgresql/15/bin")
USER = "peer"
SETTINGS = {
    "shared_buffers": "2GB",
    "work_mem": "64MB",
    "max_wal_size": "4GB",
    "fsync": "off",
    "synchronous_commit": "off",
    "autovacuum": "on",
    "max_connections": "64",
    "max_parallel_workers_per_gather": "2",
    "jit": "off",
    "huge_pages": "try",
    "timezone": "UTC",
}
# The primary key of the tickets, which begins with the booking reference, is the third index.
INDEXES = (
    "CREATE INDEX flight ON tickets (product_id, date_in)",
    "CREATE INDEX passenger ON tickets (last_name)",
)
_PROGRESS = re.compile(r"^progress: [0-9.]+ s, ([0-9.]+) tps,", re.MULTILINE)
_FAILED = re.compile(r"^number of failed transactions: (\d+)", re.MULTILINE)


class PostgresError(Exception):
    """PostgreSQL is not there, or did not do as it was told."""


def as_its_own_user() -> list[str]:
    """The server refuses to run as root. Error: PostgresError where there is no other user for it."""
    if os.geteuid() != 0:
        return []
    known = subprocess.run(["id", "postgres"], capture_output=True, check=False)
    if known.returncode != 0:
        raise PostgresError("there is no user postgres that the server could run as")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def description() -> str:
    """How it is set up, for whoever reads the figures."""
    settings = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    return (
        f"PostgreSQL 15 as user postgres, table UNLOGGED, {settings}; {'; '.join(INDEXES)}; primary key of the tickets"
    )


class Postgres:
    """A throw-away server on a loopback port. Usable as a context; ends with it."""

    def __init__(self, tickets_csv: Path) -> None:
        if not (BIN / "initdb").exists():
            raise PostgresError("PostgreSQL 15 is not installed: apt-get install postgresql-15 postgresql-contrib-15")
        self._as_user = as_its_own_user()
        self._folder = Path(tempfile.mkdtemp(prefix="daedalus-peer-postgres-"))
        self.port = free_ports(1)
        if self._as_user:
            shutil.chown(self._folder, "postgres", "postgres")
        data = self._folder / "data"
        self._run("initdb", "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        options = f"-p {self.port} -h 127.0.0.1 -k {self._folder} {settings}"
        self._control = ["pg_ctl", "-D", str(data), "-w"]
        command = [*self._as_user, str(BIN / "pg_ctl"), *self._control[1:], "-l", str(self._folder / "log")]
        # Its output would keep the pipe open for as long as the server runs.
        subprocess.run([*command, "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, cwd=self._folder)
        try:
            self._load(tickets_csv)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """For JDBC."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    def stop(self) -> None:
        """Ends the server and forgets its data."""
        self._run(*self._control, "-m", "immediate", "stop", is_checked=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    def sql(self, *statements: str, stdin: Path | None = None) -> str:
        """What psql prints of them. Error: PostgresError."""
        command = [str(BIN / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *self._where(), "postgres"]
        for statement in statements:
            command += ["-c", statement]
        with (stdin or Path(os.devnull)).open("rb") as source:
            finished = subprocess.run(command, stdin=source, capture_output=True, check=False)
        if finished.returncode != 0:
            raise PostgresError(finished.stderr.decode(errors="replace").strip())
        return finished.stdout.decode()

    def pgbench(self, scripts: Sequence[Path], clients: int, warm_up_seconds: int, seconds: int) -> dict[str, Any]:
        """Prepared statements a second, after a warm-up in which they are prepared. Error: PostgresError."""
        command = [str(BIN / "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2))]
        command += ["-T", str(warm_up_seconds + seconds), "-P", "1", *self._where()]
        command += [*(f"--file={script}" for script in scripts), "postgres"]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 600, check=False)
        failed, rates = _FAILED.search(finished.stdout), progress(finished.stderr)[warm_up_seconds:]
        if finished.returncode != 0 or not rates:
            raise PostgresError(f"pgbench: {finished.stderr.strip()[-500:]}")
        return {
            "answered_per_second": sum(rates) / len(rates),
            "errors": int(failed[1]) if failed else 0,
            "clients": clients,
        }

    def _where(self) -> list[str]:
        return ["-h", str(self._folder), "-p", str(self.port), "-U", USER]

    def _load(self, tickets_csv: Path) -> None:
        ddl = (ROOT / "schemas" / "tickets.sql").read_text()
        self.sql(ddl.replace("CREATE TABLE", "CREATE UNLOGGED TABLE"))
        self.sql("COPY tickets FROM STDIN (FORMAT csv, HEADER true)", stdin=tickets_csv)
        self.sql(*INDEXES)
        self.sql("VACUUM (FREEZE, ANALYZE) tickets")
        self.sql("CHECKPOINT")

    def _run(self, program: str, *arguments: str, is_checked: bool = True) -> None:
        finished = subprocess.run(
            [*self._as_user, BIN / program, *arguments], capture_output=True, text=True, cwd=self._folder, check=False
        )
        if is_checked and finished.returncode != 0:
            raise PostgresError(f"{program}: {finished.stderr.strip()}")


def progress(said: str) -> list[float]:
    """Transactions a second, second by second, of what pgbench says under -P 1."""
    return [float(rate) for rate in _PROGRESS.findall(said)]


def branching_script(statements: Sequence[str]) -> str:
    """A pgbench script that runs one of the statements, drawn evenly."""
    lines = [f"\\set which random(1, {len(statements)})"]
    for number, statement in enumerate(statements, start=1):
        lines += [f"\\{'if' if number == 1 else 'elif'} :which = {number}", f"{statement};"]
    return "\n".join([*lines, "\\endif", ""])


def write_scripts(statements: Sequence[str], each: int, folder: Path) -> list[Path]:
    """Scripts of `each` statements."""
    paths = []
    for first in range(0, len(statements) - each + 1, each):
        path = folder / f"booking-{first // each}.sql"
        path.write_text(branching_script(statements[first : first + each]))
        paths.append(path)
    return paths


def wait_for_quiet(seconds: float = 0.5) -> None:
    """Between two things that are measured: what the one left behind shall not burden the other."""
    time.sleep(seconds)
