"""Clients do something wrong, get one clear error for each, and nobody else notices."""

from __future__ import annotations

import contextlib
import random
import re
import resource
import socket
import struct
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from local_cluster import LocalCluster
from postgres_connection import message

ANSWER_SECONDS_MAX = 20


@pytest.fixture
def address(cluster: LocalCluster) -> tuple[str, int]:
    return ("127.0.0.1", cluster.port + 51)


def startup() -> bytes:
    body = struct.pack("!i", 3 << 16) + b"user\0ada\0database\0kinds\0\0"
    return struct.pack("!i", len(body) + 4) + body


@contextlib.contextmanager
def connected(address: tuple[str, int], *, logs_in: bool = True) -> Iterator[socket.socket]:
    with socket.create_connection(address, ANSWER_SECONDS_MAX) as client:
        if logs_in:
            client.sendall(startup())
            heard = b""
            while not heard.endswith(b"Z\0\0\0\5I"):
                heard += client.recv(65536)
        yield client


def last_words(client: socket.socket) -> bytes:
    heard = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            heard += piece
    return heard


def is_well(dsn: str) -> bool:
    with psycopg.connect(dsn, autocommit=True, connect_timeout=ANSWER_SECONDS_MAX) as connection:
        return connection.execute("SELECT 6 * 7").fetchone() == (42,)


@pytest.mark.parametrize(
    ("logs_in", "sent"),
    [
        (False, b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"),
        (False, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        (False, b"\xff\xff\xff\xff"),
        (False, b"\x7f\xff\xff\xff\0\3\0\0"),
        (False, b"\0\0\0\0"),
        (True, b"Q\x7f\xff\xff\xff"),
        (True, b"Q\xff\xff\xff\xff"),
        (True, b"B\0\0\0\3"),
        (True, message(b"B", b"\0\0\xff\xff")),
        (True, message(b"P", b"no end")),
        (True, message(b"!", b"what is this")),
    ],
)
def test_garbage_is_one_error_and_the_end(dsn: str, address: tuple[str, int], logs_in: bool, sent: bytes) -> None:
    with psycopg.connect(dsn, autocommit=True) as bystander, connected(address, logs_in=logs_in) as client:
        client.sendall(sent)
        said = last_words(client)
        assert said.count(b"VFATAL\0") == 1
        assert b"C08P01\0" in said
        assert bystander.execute("SELECT 6 * 7").fetchone() == (42,)


def test_random_bytes_disturb_nobody(dsn: str, address: tuple[str, int], daedalus_seed: int) -> None:
    chance = random.Random(daedalus_seed)
    for _ in range(200):
        with connected(address, logs_in=chance.random() < 0.7) as client, contextlib.suppress(OSError):
            for _ in range(chance.randrange(1, 6)):
                client.sendall(
                    message(bytes([chance.choice(b"QPBDECHSFXdcfp")]), chance.randbytes(chance.randrange(40)))
                )
    assert is_well(dsn)


def test_a_wrong_bind_is_skipped_to_sync_and_the_connection_goes_on(address: tuple[str, int]) -> None:
    parse = message(b"P", b"s\0SELECT $1::int\0\0\0")
    bind = message(b"B", b"\0s\0\0\0\0\0\0\0")
    good = message(b"B", b"\0s\0\0\0\0\1\0\0\0\x017\0\0")
    execute = message(b"E", b"\0\0\0\0\0")
    sync = message(b"S", b"")
    with connected(address) as client:
        client.sendall(parse + bind + execute + sync + good + execute + sync)
        heard = b""
        while heard.count(b"Z\0\0\0\5I") < 2:
            heard += client.recv(65536)
    assert heard.count(b"VERROR\0") == 1
    assert b"bind message supplies 0 parameters" in heard
    assert b"\0\0\0\x017" in heard


@pytest.mark.parametrize("size", [4_097, 65_535, 65_536, 1_000_000])
def test_long_parameters_are_errors_and_no_more(dsn: str, size: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in (
            "SELECT id FROM kinds WHERE name = %s",
            "SELECT id FROM kinds WHERE name LIKE %s::varchar",
            "SELECT id FROM kinds WHERE name = ANY (ARRAY[%s])",
            "INSERT INTO kinds (id, name) VALUES (1, %s)",
            "UPDATE kinds SET name = %s WHERE id = 0",
            "SELECT length(%s::text)",
            "SELECT id FROM kinds WHERE day = %s",
        ):
            for binary in (False, True):
                with contextlib.suppress(psycopg.Error):
                    connection.execute(statement.replace("%s", "%b" if binary else "%s").encode(), ["x" * size])
                assert not connection.closed
        for statement, value in (
            ("SELECT count(*) FROM kinds WHERE id = ANY (%s)", list(range(size // 8))),
            ("SELECT %s", Decimal("9" * size)),
            ("SELECT %b", Decimal("9" * size)),
            ("SELECT %b", Decimal(f"0.{'1' * size}")),
            ("SELECT count(*) FROM kinds WHERE price < %s", Decimal(f"1E{size}")),
        ):
            with contextlib.suppress(psycopg.Error):
                connection.execute(statement.encode(), [value])
            assert not connection.closed
        assert connection.execute("SELECT 6 * 7").fetchone() == (42,)


def test_half_a_message_holds_nobody_up(dsn: str, address: tuple[str, int]) -> None:
    with contextlib.ExitStack() as stack:
        for cut in range(1, 60):
            client = stack.enter_context(connected(address))
            client.sendall((message(b"Q", b"SELECT count(*) FROM kinds WHERE id > 0 OR id < 100000000000\0"))[:cut])
        assert is_well(dsn)


def resident_kib(process: int) -> int:
    found = re.search(r"VmRSS:\s*(\d+) kB", Path("/proc", str(process), "status").read_text())
    assert found is not None
    return int(found.group(1))


def test_idle_connections_cost_little(cluster: LocalCluster, dsn: str, address: tuple[str, int]) -> None:
    process = cluster.processes["aggregator-0"]
    count = 1_000
    with contextlib.ExitStack() as stack:
        for _ in range(50):  # The first connections need something once.
            stack.enter_context(connected(address))
        before = resident_kib(process)
        for _ in range(count):
            client = stack.enter_context(connected(address))
            client.sendall(message(b"Q", b"SELECT 1\0"))
            heard = b""
            while not heard.endswith(b"Z\0\0\0\5I"):
                heard += client.recv(65536)
        each = (resident_kib(process) - before) / count
        assert each < 20, f"{each} KiB"
        print(f"an idle connection: {each:.1f} KiB")
        assert is_well(dsn)


def test_too_many_clients_are_told_so_and_disturb_nobody(
    cluster: LocalCluster, dsn: str, address: tuple[str, int]
) -> None:
    _, files_max = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))
    before = resident_kib(cluster.processes["aggregator-0"])
    refused: list[bytes] = []
    with psycopg.connect(dsn, autocommit=True) as bystander, contextlib.ExitStack() as stack:
        clients = 1
        while len(refused) < 100:
            client = stack.enter_context(socket.create_connection(address, ANSWER_SECONDS_MAX))
            client.sendall(startup())
            heard = b""
            while not heard.endswith(b"Z\0\0\0\5I") and (piece := client.recv(65536)):
                heard += piece
            if heard.endswith(b"Z\0\0\0\5I"):
                clients += 1
            else:
                refused.append(heard)
        assert clients == min(10_000, files_max // 2)
        assert all(b"VFATAL\0C53300\0" in said and f"at most {clients} may".encode() in said for said in refused)
        assert bystander.execute("SELECT count(*) FROM kinds WHERE id < 0").fetchone() == (0,)
        assert cluster.document("SELECT count(*) FROM kinds WHERE id < 0")["rows"] == [["0"]]
        each = (resident_kib(cluster.processes["aggregator-0"]) - before) / clients
        assert each < 20, f"{each} KiB"
    assert is_well(dsn)


def test_a_client_that_does_not_read_delays_only_itself(
    cluster: LocalCluster, table: str, address: tuple[str, int]
) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        for first in range(0, 100_000, 10_000):
            values = ", ".join(f"({number}, '{'x' * 40}')" for number in range(first, first + 10_000))
            connection.execute(f"INSERT INTO kinds (id, name) VALUES {values}")
    process = cluster.processes["aggregator-0"]
    before = resident_kib(process)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(connected(address))
            client.sendall(message(b"Q", b"SELECT name, name, name, name, name, name, name, name FROM kinds\0") * 20)
        for _ in range(100):
            assert is_well(table)
            assert resident_kib(process) - before < 200 << 10  # They could take 4 times 20 times 35 MB.
