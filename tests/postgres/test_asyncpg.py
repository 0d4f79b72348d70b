"""asyncpg: everything prepared, everything binary, cursors with a limit of rows."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

Ask = Callable[[Any], Awaitable[None]]


def run(dsn: str, ask: Ask) -> None:
    """Connects and asks."""
    settings = dict(part.split("=") for part in dsn.split())

    async def connected() -> None:
        connection = await asyncpg.connect(
            host=settings["host"], port=int(settings["port"]), user=settings["user"], database=settings["dbname"]
        )
        try:
            await ask(connection)
        finally:
            await connection.close()

    asyncio.run(connected())


def test_types_are_inferred_and_binary(table: str) -> None:
    async def ask(connection: Any) -> None:
        row = (5, True, Decimal("2.500"), datetime.date(2013, 2, 8), datetime.datetime(2013, 2, 8, 1, 2, 3), "ab")
        told = await connection.execute(
            "INSERT INTO kinds (id, yes, price, day, at, name) VALUES ($1, $2, $3, $4, $5, $6)", *row
        )
        assert told == "INSERT 0 1"
        found = await connection.fetchrow("SELECT id, yes, price, day, at, name FROM kinds WHERE id = $1", 5)
        assert tuple(found) == row
        assert await connection.execute("UPDATE kinds SET price = price + $1 WHERE id = 5", Decimal(1)) == "UPDATE 1"
        assert await connection.fetchval("SELECT price FROM kinds") == Decimal("3.500")

    run(table, ask)


def test_infinity_is_an_element_of_a_binary_array(table: str) -> None:
    async def ask(connection: Any) -> None:
        await connection.execute("INSERT INTO kinds (id, day) VALUES (1, '2013-02-08'), (2, '2013-02-09')")
        days = [datetime.date.max, datetime.date(2013, 2, 9), datetime.date.min]  # The first and the last are infinite.
        assert await connection.fetch("SELECT id FROM kinds WHERE day = ANY ($1)", days) == [(2,)]
        assert await connection.fetchval("SELECT count(*) FROM kinds WHERE day <> ALL ($1)", days) == 1

    run(table, ask)


def test_intervals_are_inferred_and_binary(table: str) -> None:
    async def ask(connection: Any) -> None:
        await connection.execute("INSERT INTO kinds (id, at) VALUES (1, '2013-02-08 09:30')")
        day = datetime.timedelta(days=1)
        assert await connection.fetchval("SELECT at - $1 FROM kinds", datetime.datetime(2013, 2, 7, 9, 30)) == day
        assert await connection.fetchval("SELECT $1::interval + interval '1 hour'", day) == day * 25 / 24
        assert await connection.fetchval("SELECT at + $1::interval FROM kinds", day) == datetime.datetime(
            2013, 2, 9, 9, 30
        )

    run(table, ask)


def test_a_cursor_takes_some_rows_at_a_time(table: str) -> None:
    async def ask(connection: Any) -> None:
        await connection.executemany("INSERT INTO kinds (id) VALUES ($1)", [(number,) for number in range(1_000)])
        async with connection.transaction():
            found = [row["id"] async for row in connection.cursor("SELECT id FROM kinds", prefetch=70)]
        assert sorted(found) == list(range(1_000))

    run(table, ask)


def test_an_error_leaves_the_connection_as_it_was(table: str) -> None:
    async def ask(connection: Any) -> None:
        with pytest.raises(asyncpg.UndefinedColumnError):
            await connection.fetch("SELECT nothing FROM kinds")
        with pytest.raises(asyncpg.DataError):
            await connection.fetch("SELECT id FROM kinds WHERE id = $1", "text")
        assert await connection.fetchval("SELECT 1 + 1") == 2

    run(table, ask)


def test_a_pool_resets_its_connections_and_transactions_nest(table: str) -> None:
    settings = dict(part.split("=") for part in table.split())

    async def insert(connection: Any, number: int) -> None:
        async with connection.transaction():
            await connection.execute("INSERT INTO kinds (id) VALUES ($1)", number)
            if number % 2:
                raise ZeroDivisionError

    async def ask() -> None:
        async with asyncpg.create_pool(
            host=settings["host"],
            port=int(settings["port"]),
            user=settings["user"],
            database=settings["dbname"],
            min_size=1,
            max_size=1,
        ) as pool:
            async with pool.acquire() as connection:
                await connection.execute("SET my.own = 'x'")
                async with connection.transaction():
                    for number in range(6):
                        with contextlib.suppress(ZeroDivisionError):
                            await insert(connection, number)
            async with pool.acquire() as connection:
                assert await connection.fetchval("SELECT current_setting('my.own', true)") is None
                assert await connection.fetch("SELECT id FROM kinds ORDER BY id") == [(0,), (2,), (4,)]

    asyncio.run(ask())
