"""The sides that answer SQL text: a cluster through its command line, and PostgreSQL itself."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Protocol

from facts import SCHEMAS
from local_cluster import DAEDALUS, free_ports, local_cluster

ANSWER_SECONDS_MAX = 60
STOP_SECONDS_MAX = 60


@dataclass(frozen=True, slots=True)
class Reply:
    """One statement's reply: columns and rows of a query, counts of a write, or an error's code and message.

    A write that refused rows has both, counts and code: it took effect on the others.
    """

    columns: list[dict[str, str]] | None = None
    rows: list[list[Any]] | None = None
    matched: int | None = None
    applied: int | None = None
    refused: int | None = None
    sqlstate: str | None = None
    message: str = ""


class Session(Protocol):
    """Whatever executes one statement after the other."""

    def execute(self, sql: str) -> Reply: ...


class Lines:
    """The lines of a stream, with a deadline for each."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: queue.Queue[str] = queue.Queue(maxsize=1_000_000)
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put("")

    def next(self) -> str:
        """The next line; empty at the end of the stream. Error: TimeoutError."""
        try:
            return self._lines.get(timeout=ANSWER_SECONDS_MAX)
        except queue.Empty:
            raise TimeoutError(f"no answer within {ANSWER_SECONDS_MAX} s") from None


class CommandLineSession:
    """One long-lived `daedalus sql -f -`: a statement per line in, a JSON object per line out."""

    def __init__(self, cluster: str) -> None:
        self._process = subprocess.Popen(
            [DAEDALUS, "sql", "-f", "-", "--format", "json", "--cluster", cluster],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            encoding="utf-8",
            start_new_session=True,  # it has no business with a terminal
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._lines = Lines(self._process.stdout)

    def execute(self, sql: str) -> Reply:
        assert "\n" not in sql
        self._input.write(sql + ";\n")
        self._input.flush()
        line = self._lines.next()
        if not line:
            raise ConnectionError("the command line ended without an answer")
        return _read_reply(json.loads(line, parse_float=Decimal, parse_constant=str))

    def close(self) -> None:
        self._input.close()
        self._process.wait(timeout=STOP_SECONDS_MAX)


def _count(value: Any) -> int:
    """A number of rows, or a list of refusals with theirs."""
    if isinstance(value, list):
        return sum(int(each.get("rows", each.get("count", 1))) for each in value)
    return int(value)


def _read_reply(document: dict[str, Any]) -> Reply:
    error = document.get("error", {"sqlstate": None, "message": ""})
    if "error" in document and "applied" not in document:
        return Reply(sqlstate=error["sqlstate"], message=error["message"])
    if "rows" in document:
        assert document["row_count"] == len(document["rows"])
        return Reply(columns=document["columns"], rows=document["rows"])
    return Reply(
        matched=_count(document["matched"]),
        applied=_count(document["applied"]),
        refused=_count(document["refused"]),
        sqlstate=error["sqlstate"],
        message=error["message"],
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """A cluster's shape: how `daedalus up` is called for a table."""

    table: str
    storage_nodes: int
    partition_by: str
    segment_by: str = "round_robin"


@contextlib.contextmanager
def running_cluster(layout: Layout) -> Iterator[str]:
    """A real local cluster for the time of the context; yields the aggregator's HOST:PORT."""
    ddl = (SCHEMAS / f"{layout.table}.sql").read_text()
    options = ["--storage-nodes", str(layout.storage_nodes), "--segments", "2", "--segment-mib", "64"]
    options += ["--partition-by", layout.partition_by, "--segment-by", layout.segment_by]
    with (
        tempfile.TemporaryDirectory(prefix="daedalus-oracle-", ignore_cleanup_errors=True) as base,
        local_cluster(Path(base), ddl, *options) as cluster,
    ):
        yield cluster.address


POSTGRES_BIN = Path("/usr/lib/postgresql/15/bin")
_END_OF_ANSWER = "---- end of answer ----"
_NULL = "---- null ----"


class PostgresSession:
    """PostgreSQL itself, through psql: what judges the oracle."""

    def __init__(self, port: int) -> None:
        environment = {**os.environ, "PGOPTIONS": "-c timezone=UTC", "PGCLIENTENCODING": "UTF8"}
        self._process = subprocess.Popen(
            [
                POSTGRES_BIN / "psql",
                "-X",
                "-q",
                "--csv",
                "-h",
                "127.0.0.1",
                "-p",
                str(port),
                "-U",
                "oracle",
                "postgres",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # it has no business with a terminal
            env=environment,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._lines = Lines(self._process.stdout)
        self._input.write(f"\\pset null '{_NULL}'\n\\set QUIET off\n\\set VERBOSITY verbose\n")

    def _run(self, command: str) -> list[str]:
        self._input.write(f"{command}\n\\echo '{_END_OF_ANSWER}'\n")
        self._input.flush()
        lines = []
        while (line := self._lines.next().rstrip("\n")) != _END_OF_ANSWER:
            lines.append(line)
        return [line for line in lines if not line.startswith("Null display is")]

    def execute(self, sql: str) -> Reply:
        if sql.startswith("SELECT"):
            described = self._run(f"{sql} \\gdesc")
            if described and described[0].startswith("ERROR:"):
                return _postgres_error(described)
            pairs = list(csv.reader(described[1:]))
            columns = [{"name": name, "type": type_name} for name, type_name in pairs]
            lines = self._run(f"{sql};")
            if lines and lines[0].startswith("ERROR:"):
                return _postgres_error(lines)
            table = list(csv.reader(io.StringIO("\n".join(lines) + "\n")))[1:]
            # A row of one empty string is an empty line.
            return Reply(columns=columns, rows=[[None if v == _NULL else v for v in row or [""]] for row in table])
        lines = self._run(f"{sql};")
        if not lines or lines[0].startswith("ERROR:"):
            return _postgres_error(lines)
        applied = int(lines[-1].split()[-1]) if lines[-1].split()[-1].isdigit() else 0
        return Reply(matched=applied, applied=applied, refused=0)

    def close(self) -> None:
        self._input.close()
        self._process.wait(timeout=STOP_SECONDS_MAX)


def _postgres_error(lines: list[str]) -> Reply:
    fields = lines[0].split(":", 2)
    return Reply(sqlstate=fields[1].strip(), message=fields[2].strip())


@contextlib.contextmanager
def running_postgres(*settings: str) -> Iterator[int]:
    """A throw-away PostgreSQL server on a loopback port, C collation; yields the port. Settings as name=value."""
    directory = Path(tempfile.mkdtemp(prefix="daedalus-oracle-postgres-"))
    port = free_ports(1)
    data = directory / "data"
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(directory, "postgres", "postgres")
    initialise = [*as_user, str(POSTGRES_BIN / "initdb"), "-D", str(data), "-U", "oracle", "-A", "trust"]
    subprocess.run(
        [*initialise, "-E", "UTF8", "--locale=C", "--no-sync"], check=True, capture_output=True, cwd=directory
    )
    options = f"-p {port} -h 127.0.0.1 -k {directory} -c fsync=off -c autovacuum=off -c timezone=UTC"
    options += "".join(f" -c {setting}" for setting in ("max_locks_per_transaction=4096", *settings))
    control = [*as_user, str(POSTGRES_BIN / "pg_ctl"), "-D", str(data), "-w"]
    log = ["-l", str(directory / "log")]
    subprocess.run([*control, *log, "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, cwd=directory)
    try:
        yield port
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd=directory)
        shutil.rmtree(directory, ignore_errors=True)
