"""A throw-away PostgreSQL 15 on this machine, for whoever compares with it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

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


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class PostgresServer:
    """A server with nothing in it on a loopback port. Usable as a context; ends with it. Error: PostgresError."""

    def __init__(self) -> None:
        if not (BIN / "initdb").exists():
            raise PostgresError("PostgreSQL 15 is not installed: apt-get install postgresql-15 postgresql-contrib-15")
        self._as_user = as_its_own_user()
        self.folder = Path(tempfile.mkdtemp(prefix="daedalus-peer-postgres-"))
        self.port = free_port()
        if self._as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        self._run("initdb", "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        options = f"-p {self.port} -h 127.0.0.1 -k {self.folder} {settings}"
        self._control = ["pg_ctl", "-D", str(data), "-w"]
        command = [*self._as_user, str(BIN / "pg_ctl"), *self._control[1:], "-l", str(self.folder / "log")]
        # Its output would keep the pipe open for as long as the server runs.
        subprocess.run([*command, "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

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
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, *statements: str, stdin: Path | None = None) -> str:
        """Returns what psql prints of some statements. Error: PostgresError."""
        command = [str(BIN / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *self.where(), "postgres"]
        for statement in statements:
            command += ["-c", statement]
        with (stdin or Path(os.devnull)).open("rb") as source:
            finished = subprocess.run(command, stdin=source, capture_output=True, check=False)
        if finished.returncode != 0:
            raise PostgresError(finished.stderr.decode(errors="replace").strip())
        return finished.stdout.decode()

    def where(self) -> list[str]:
        """Returns what a client has to be told to find the server."""
        return ["-h", str(self.folder), "-p", str(self.port), "-U", USER]

    def _run(self, program: str, *arguments: str, is_checked: bool = True) -> None:
        finished = subprocess.run(
            [*self._as_user, BIN / program, *arguments], capture_output=True, text=True, cwd=self.folder, check=False
        )
        if is_checked and finished.returncode != 0:
            raise PostgresError(f"{program}: {finished.stderr.strip()}")
