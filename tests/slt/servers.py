"""The servers that files are asked of: a cluster for each table, and one PostgreSQL with all of them."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from local_cluster import IN_MEMORY, local_cluster
from plain_postgres import KINDS, OWNER, add_database, plain_server
from sessions import POSTGRES_BIN
from statement_twins import COLUMNS

from slt.records import Protocol, Request
from slt.running import Connect, Sides
from slt.session import Session

POSTGRES_PORT = 51  # The port of a cluster's first aggregator lies so far behind the cluster's own.


@dataclass(frozen=True, slots=True)
class Schema:
    """A table, and the options of `daedalus up` for it."""

    ddl: str
    options: tuple[str, ...]


SCHEMAS = {
    "kinds": Schema(KINDS, ("--storage-nodes", "1", "--segments", "2", "--segment-mib", "16")),
    "t": Schema(
        f"CREATE TABLE t ({', '.join(f'{name} {type_}' for name, type_ in COLUMNS.items())});",
        ("--storage-nodes", "2", "--segments", "1", "--segment-mib", "8", "--partition-by", "hash(i)"),
    ),
}


def are_there() -> bool:
    """Returns whether PostgreSQL 15 is installed: without it there is nothing to compare with."""
    return (POSTGRES_BIN / "initdb").exists()


@dataclass(slots=True)
class Servers:
    """Starts what is needed when it is first needed; everything ends with the stack."""

    stack: contextlib.ExitStack
    _ports: dict[str, int] = field(default_factory=dict)

    def sides(self, table: str) -> Sides:
        """Both sides, with an empty table. Error: ValueError there is no such table."""
        ours, theirs = self.ports(table)
        return Sides(_connect(ours, table), _connect(theirs, table))

    def ports(self, table: str) -> tuple[int, int]:
        """Returns where the cluster and PostgreSQL listen; both have an empty table. Error: ValueError there is no
        such.
        """
        if table not in SCHEMAS:
            raise ValueError(f"there is no table {table}: it takes a schema in {Path(__file__).name}")
        schema = SCHEMAS[table]
        if "" not in self._ports:
            self._ports[""] = self.stack.enter_context(plain_server())
        if table not in self._ports:
            add_database(self._ports[""], schema.ddl, table)
            base = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-slt-")))
            cluster = self.stack.enter_context(local_cluster(base, schema.ddl, IN_MEMORY, *schema.options))
            self._ports[table] = cluster.port + POSTGRES_PORT
        for port in (self._ports[""], self._ports[table]):
            with Session(port, OWNER, table) as session:
                answer = session.say(Request(f"DELETE FROM {table}"), Protocol.SIMPLE)
                assert all(outcome.error is None for outcome in answer.outcomes), answer.lines()
        return self._ports[table], self._ports[""]


def _connect(port: int, database: str) -> Connect:
    return functools.partial(_open, functools.partial(Session, port, OWNER, database))


def _open(opened: Callable[[], Session], stack: contextlib.ExitStack) -> Session:
    return stack.enter_context(opened())
