"""A plain PostgreSQL 15 with the same table, to compare with: same database, same owner, same names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import psycopg
from sessions import running_postgres

# The table of the tests of clients: a column of each type.
KINDS = """
CREATE TABLE kinds (
  id int NOT NULL PRIMARY KEY,
  yes bool,
  small smallint,
  big bigint,
  single real,
  twice double precision,
  price numeric(12,3),
  day date,
  at timestamp,
  clock time,
  tag uuid,
  code char(4),
  name varchar(40),
  moment timestamptz
);
"""

# Whom the aggregator's own catalogue shows as the table's owner.
OWNER = "daedalus"
# Who may do anything in the plain one.
SUPERUSER = "other"


@contextlib.contextmanager
def plain_server(*settings: str) -> Iterator[int]:
    """A server with the two roles, and no database of theirs; yields the port. Settings of the server as name=value."""
    with running_postgres(*settings) as port:
        with psycopg.connect(f"{_at(port)} user=oracle dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN")
            connection.execute(f"CREATE ROLE {SUPERUSER} LOGIN SUPERUSER")
        with psycopg.connect(f"{_at(port)} user={SUPERUSER} dbname=postgres", autocommit=True) as connection:
            connection.execute("ALTER ROLE oracle RENAME TO postgres")
        yield port


def add_database(port: int, ddl: str, database: str) -> str:
    """Adds a database with the table of the same name to a plain_server(); how clients find it, as the owner."""
    with psycopg.connect(f"{_at(port)} user=postgres dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {database}")
    with psycopg.connect(f"{_at(port)} user={SUPERUSER} dbname={database}", autocommit=True) as connection:
        connection.execute(ddl.encode())
        connection.execute(f"ALTER TABLE {database} OWNER TO {OWNER}")
    return f"{_at(port)} user={OWNER} dbname={database}"


@contextlib.contextmanager
def plain_postgres(ddl: str, database: str, *settings: str) -> Iterator[str]:
    """A server with one database; how clients find it, as the table's owner."""
    with plain_server(*settings) as port:
        yield add_database(port, ddl, database)


def _at(port: int) -> str:
    return f"host=127.0.0.1 port={port}"
