"""COPY by psql, psycopg and asyncpg: both directions, three formats, what goes wrong, and how much is in then."""

from __future__ import annotations

import io
import select
import socket
import struct
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from local_cluster import LocalCluster
from postgres_connection import message

from .conftest import Psql
from .test_asyncpg import run
from .test_psycopg import COLUMNS, ROWS
from .test_wrong_things import connected, is_well

TYPES = [
    "int4", "bool", "int2", "int8", "float4", "float8", "numeric", "date", "timestamp", "time", "uuid", "text",
    "varchar", "timestamptz",
]  # fmt: skip


def count(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT count(*) FROM kinds").fetchone()
    assert row is not None
    return int(row[0])


def test_psql_copies_files_in_and_out(table: str, psql: Psql, tmp_path: Path) -> None:
    there, back = tmp_path / "there.csv", tmp_path / "back.csv"
    there.write_text('id,name\n1,"Zoë, ""quoted"""\n2,\n3,"two\nlines"\n')
    told = psql("-c", f"\\copy kinds (id, name) FROM '{there}' WITH (FORMAT csv, HEADER)")
    assert (told.stdout, told.stderr) == ("COPY 3\n", "")
    told = psql("-c", f"\\copy (SELECT id, name FROM kinds ORDER BY id) TO '{back}' WITH (FORMAT csv, HEADER)")
    assert (told.stdout, told.stderr) == ("COPY 3\n", "")
    assert back.read_text() == there.read_text()


@pytest.mark.parametrize("form", ["text", "csv", "binary"])
def test_values_come_out_as_they_went_in(table: str, form: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        with cursor.copy(
            f"COPY kinds ({COLUMNS}) FROM STDIN (FORMAT {'binary' if form == 'binary' else 'text'})"
        ) as copy:
            if form == "binary":
                copy.set_types(TYPES)
            for row in ROWS:
                copy.write_row(row)
        assert cursor.rowcount == len(ROWS)
        assert cursor.execute(f"SELECT {COLUMNS} FROM kinds ORDER BY id").fetchall() == ROWS
        with cursor.copy(f"COPY kinds TO STDOUT (FORMAT {form})") as copy:
            sent = b"".join(bytes(piece) for piece in copy)
        cursor.execute("DELETE FROM kinds")
        with cursor.copy(f"COPY kinds FROM STDIN (FORMAT {form})") as copy:
            copy.write(sent)
        assert cursor.execute(f"SELECT {COLUMNS} FROM kinds ORDER BY id").fetchall() == ROWS


def test_asyncpg_copies_records_and_queries(table: str) -> None:
    async def ask(connection: Any) -> None:
        records = [(number, Decimal(number) / 4, f"name {number}") for number in range(5_000)]
        told = await connection.copy_records_to_table("kinds", records=records, columns=["id", "price", "name"])
        assert told == "COPY 5000"
        written = io.BytesIO()
        told = await connection.copy_from_query(
            "SELECT id, name FROM kinds WHERE id < 3 ORDER BY id", output=written, format="csv"
        )
        assert told == "COPY 3"
        assert written.getvalue() == b"0,name 0\n1,name 1\n2,name 2\n"
        told = await connection.copy_to_table(
            "kinds", source=io.BytesIO(b"7000,x\n"), columns=["id", "name"], format="csv"
        )
        assert told == "COPY 1"
        assert await connection.fetchval("SELECT count(*) FROM kinds") == 5_001

    run(table, ask)


def test_beyond_one_update_it_is_refused_with_nothing_in(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        with (
            pytest.raises(psycopg.errors.ProgramLimitExceeded) as refused,
            cursor.copy("COPY kinds (id) FROM STDIN") as copy,
        ):
            copy.write("".join(f"{number}\n" for number in range(70_000)))
        diagnosed = refused.value.diag
        assert diagnosed.context == 'COPY kinds, line 65537: "65536"'
        assert diagnosed.message_hint is not None
        assert "SET daedalus.copy = batches" in diagnosed.message_hint
        assert count(connection) == 0


def test_batches_take_more_and_name_the_last_line_that_is_in(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET daedalus.copy = batches")
        with cursor.copy("COPY kinds (id) FROM STDIN") as copy:
            copy.write("".join(f"{number}\n" for number in range(100_000)))
        assert cursor.rowcount == 100_000
        cursor.execute("DELETE FROM kinds")
        with (
            pytest.raises(psycopg.errors.InvalidTextRepresentation) as refused,
            cursor.copy("COPY kinds (id) FROM STDIN") as copy,
        ):
            copy.write("".join(f"{number}\n" for number in range(100_000)) + "wrong\n")
        diagnosed = refused.value.diag
        assert diagnosed.context == 'COPY kinds, line 100001, column id: "wrong"'
        assert diagnosed.message_detail is not None
        last = int(diagnosed.message_detail.split("The last line that is in is ")[1].split(":")[0])
        assert count(connection) == last > 0
        found = cursor.execute("SELECT max(id) FROM kinds").fetchone()
        assert found == (last - 1,)


def test_a_client_that_dies_leaves_nothing(table: str, cluster: LocalCluster) -> None:
    with connected(("127.0.0.1", cluster.port + 51)) as client:
        client.sendall(message(b"Q", b"COPY kinds (id) FROM STDIN\0") + message(b"d", b"1\n2\n"))
        assert client.recv(1) == b"G"
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with psycopg.connect(table, autocommit=True) as connection:
        assert count(connection) == 0
    assert is_well(table)


def test_cancelling_ends_it_both_ways(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:

        def send() -> None:
            with cursor.copy("COPY kinds (id) FROM STDIN") as copy:
                copy.write("1\n")
                connection.cancel_safe()
                copy.write("2\n")

        def receive() -> None:
            names = ", ".join(["name"] * 12)
            with cursor.copy(f"COPY (SELECT {names} FROM kinds) TO STDOUT") as copy:
                copy.read()
                connection.cancel_safe()
                while copy.read():
                    pass

        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            send()
        assert count(connection) == 0
        with cursor.copy("COPY kinds (id, name) FROM STDIN") as copy:
            copy.write("".join(f"{number}\t{'x' * 40}\n" for number in range(60_000)))
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
            receive()
        assert count(connection) == 60_000


def test_the_timeout_ends_a_copy_whose_client_sends_nothing(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:

        def wait() -> None:
            with cursor.copy("COPY kinds (id) FROM STDIN") as copy:
                copy.write("1\n")
                select.select([connection.fileno()], [], [], 20)  # Until it is told.

        cursor.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
            wait()
        assert count(connection) == 0


def aggregator_memory_kib(cluster: LocalCluster) -> int:
    """Returns the memory of the aggregator's process."""
    process = next(pid for name, pid in cluster.processes.items() if name.startswith("aggregator"))
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def test_a_slow_reader_makes_the_scan_wait_not_memory_grow(table: str, cluster: LocalCluster) -> None:
    with (
        psycopg.connect(table, autocommit=True) as connection,
        connection.cursor() as cursor,
        psycopg.connect(table, autocommit=True) as other,
    ):
        cursor.execute("SET daedalus.copy = batches")
        with cursor.copy("COPY kinds (id, name) FROM STDIN") as copy:
            copy.write("".join(f"{number}\t{'x' * 40}\n" for number in range(100_000)))
        before = aggregator_memory_kib(cluster)
        names = ", ".join(["name"] * 10)
        with cursor.copy(f"COPY (SELECT {names} FROM kinds) TO STDOUT") as copy:
            copy.read()
            for _ in range(200):
                assert count(other) == 100_000  # Meanwhile nobody reads.
            assert aggregator_memory_kib(cluster) - before < 32 << 10
            size = sum(len(piece) for piece in copy)
        assert size > 40_000_000
        assert cursor.rowcount == 100_000


def test_a_hundred_megabytes_go_in_through_bounded_memory(table: str, cluster: LocalCluster) -> None:
    rows, line = 150_000, "\t".join(["{}", "x" * 40]) + "\n"
    padding = "0" * 600  # Zeros before a number: bytes that are read, and not stored.
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET daedalus.copy = batches")
        before, most = aggregator_memory_kib(cluster), [0]
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(0.05):
                most[0] = max(most[0], aggregator_memory_kib(cluster))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            with cursor.copy("COPY kinds (id, name) FROM STDIN") as copy:
                for first in range(0, rows, 1_000):
                    copy.write("".join(line.format(padding + str(number)) for number in range(first, first + 1_000)))
        finally:
            stop.set()
            watcher.join()
        assert cursor.statusmessage == f"COPY {rows}"
        assert count(connection) == rows
        assert most[0] - before < 64 << 10
