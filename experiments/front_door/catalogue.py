"""Statements over the catalogue: how long a client waits for them, warm and on a new backend."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import psycopg

from experiments.front_door.world import World
from experiments.harness.context import Context

# Clients ask this when they connect, complete a word, or show a table.
STATEMENTS = (
    "SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = "
    "c.relnamespace WHERE c.relname = 'tickets' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3",
    "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull FROM pg_catalog.pg_attribute a "
    "WHERE a.attrelid = 'tickets'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema = 'public'",
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'tickets'",
    "SELECT t.oid, t.typname, t.typarray FROM pg_catalog.pg_type t WHERE t.typname IN ('int4', 'numeric', 'timestamp')",
    "SELECT conname, pg_catalog.pg_get_constraintdef(oid) FROM pg_catalog.pg_constraint WHERE conrelid = "
    "'tickets'::regclass",
)
ENDLESS = "SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c, pg_proc d"
CANCEL_AFTER_SECONDS = 0.05


def p99(values: Sequence[float]) -> float:
    """The least value that 99 % are not above."""
    return sorted(values)[max(0, -(-99 * len(values) // 100) - 1)]


def milliseconds(connection: psycopg.Connection, statement: str) -> float:
    """From the question to the last row."""
    started = time.perf_counter()
    connection.execute(statement.encode()).fetchall()
    return (time.perf_counter() - started) * 1e3


def end_backend(connection: psycopg.Connection) -> None:
    """A statement that is cancelled takes its backend with it: the next one begins on a new one."""
    timer = threading.Timer(CANCEL_AFTER_SECONDS, connection.cancel)
    timer.start()
    try:
        connection.execute(ENDLESS)
    except psycopg.errors.QueryCanceled:
        return
    finally:
        timer.join()
    raise AssertionError("an endless statement has ended")


def catalogue(context: Context, world: World, run: int) -> None:
    """One client, one statement after the other."""
    plan = context.plan.section("catalogue")
    with psycopg.connect(host="127.0.0.1", port=world.port, user="peer", dbname="tickets", autocommit=True) as client:
        for statement in STATEMENTS:
            milliseconds(client, statement)  # The first one waits for the server's start.
        warm = [milliseconds(client, STATEMENTS[at % len(STATEMENTS)]) for at in range(plan["statements"])]
        new = []
        for at in range(plan["new_backends"]):
            end_backend(client)
            new.append(milliseconds(client, STATEMENTS[at % len(STATEMENTS)]))
    context.add({"part": "catalogue", "run": run}, {"warm_p99_ms": p99(warm), "new_p99_ms": p99(new)})
