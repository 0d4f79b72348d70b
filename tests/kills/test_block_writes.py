"""Blocks whose writes take effect at once (daedalus.block_writes = immediate), while processes are killed: each write
is there as soon as it is confirmed and stays whatever the block does, and the end of a block counts what stays."""

from __future__ import annotations

import contextlib
import os
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

KILLS = int(os.environ.get("DAEDALUS_KILLS", "10"))
STATEMENTS_PER_KILL = 60
KEYS = "CREATE TABLE keys (id int NOT NULL, value int NOT NULL);"
OPTIONS = "-c daedalus.block_writes=immediate"
STAYS = re.compile(r"(\d+) statements? took effect and stays?")
# An update's outcome is not known where one of these ends its statement, or its connection.
UNKNOWN = (None, "08007", "57014", "57P01", "57P03")
NOTICE = "the write has taken effect and ROLLBACK does not take it back: daedalus.block_writes is immediate"
Value = int | None


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    options = ["--storage-nodes", "2", "--segments", "1", "--segment-mib", "4", "--partition-by", "hash(id)"]
    with local_cluster(tmp_path, KEYS, *options) as running:
        yield running


def is_served(cluster: LocalCluster) -> bool:
    return all(map(cluster.succeeds, ("SELECT count(*) FROM keys", "UPDATE keys SET value = 0 WHERE id = 0")))


class Client:
    """Sends random blocks. Each write has a key of its own: what it may be is known whatever becomes of the others."""

    def __init__(self, cluster: LocalCluster, choice: random.Random, keys: int) -> None:
        self._cluster, self._choice = cluster, choice
        self._unused = list(range(1, keys + 1))
        self.may_be: dict[int, set[Value]] = {}
        self._savepoint_effects: int | None = None
        self._effects = 0
        self._notices: list[str] = []
        self.errors: Counter[str] = Counter()
        self._connection = self._connect()

    def _connect(self) -> psycopg.Connection:
        dsn = f"host=127.0.0.1 port={self._cluster.port + 51} user=ada dbname=keys options='{OPTIONS}'"
        connection = psycopg.connect(dsn, autocommit=True)
        connection.add_notice_handler(lambda notice: self._notices.append(notice.message_primary or ""))
        return connection

    def run_block(self) -> None:
        """One block; it ends early where a statement fails or the connection is lost."""
        try:
            self._step("BEGIN")
            self._effects, self._savepoint_effects = 0, None
            for _ in range(self._choice.randrange(1, 6)):
                self._choice.choice((self._write, self._write, self._write, self._read, self._save))()
            self._step(self._choice.choice(("COMMIT", "ROLLBACK")))
        except psycopg.Error:
            self._end_failed()
        self._effects = 0

    def _end_failed(self) -> None:
        """A block that has failed counts what stays, too; a lost connection says nothing any more."""
        with contextlib.suppress(psycopg.OperationalError):
            self._step("ROLLBACK")
        wait_until(lambda: is_served(self._cluster), "served again", seconds=60)
        if self._connection.closed:
            self._connection = self._connect()

    def _step(self, sql: str) -> None:
        """A statement that ends a block, or a part of it, is told how many writes stay."""
        self._notices.clear()
        tag = self._connection.execute(sql.encode()).statusmessage
        stays = [int(match[1]) for match in map(STAYS.fullmatch, self._notices) if match]
        effects = self._effects
        if sql.startswith("ROLLBACK TO"):
            assert self._savepoint_effects is not None
            effects -= self._savepoint_effects
        assert stays == ([effects] if tag == "ROLLBACK" and effects > 0 else []), (sql, tag)

    def _save(self) -> None:
        if self._savepoint_effects is None:
            self._step("SAVEPOINT s")
            self._savepoint_effects = self._effects
        else:
            self._step("ROLLBACK TO s")

    def _read(self) -> None:
        self.check(dict(self._connection.execute("SELECT id, value FROM keys").fetchall()))

    def check(self, rows: dict[int, int]) -> None:
        """Compares all keys that writes have touched."""
        wrong = {key: (rows.get(key), values) for key, values in self.may_be.items() if rows.get(key) not in values}
        assert not wrong, wrong

    def _write(self) -> None:
        key = self._unused.pop()
        sql, value = self._choice.choice(
            [
                (f"INSERT INTO keys VALUES ({-key}, 7)", 7),
                (f"UPDATE keys SET value = 8 WHERE id = {key}", 8),
                (f"DELETE FROM keys WHERE id = {key}", None),
            ]
        )
        key, before = (-key, None) if sql.startswith("INSERT") else (key, 0)
        self._notices.clear()
        try:
            cursor = self._connection.execute(sql.encode())
        except psycopg.Error as error:
            self.errors[str(error)] += 1
            self.may_be[key] = {before, value} if error.sqlstate in UNKNOWN else {before}
            raise
        assert cursor.rowcount == 1
        assert self._notices == ([NOTICE] if self._effects == 0 else [])
        self.may_be[key] = {value}
        self._effects += 1


def kill_soon(cluster: LocalCluster, choice: random.Random) -> threading.Thread:
    """Kills one process within a few milliseconds and starts it again."""
    name, delay = choice.choice(list(cluster.processes)), choice.uniform(0, 0.05)

    def kill() -> None:
        threading.Event().wait(delay)
        cluster.kill(name)
        cluster.start_again(name)

    thread = threading.Thread(target=kill, name=f"kills {name}")
    thread.start()
    return thread


def test_writes_in_blocks_stay_once_confirmed(cluster: LocalCluster, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} blocks")
    keys = KILLS * STATEMENTS_PER_KILL + 1_000
    cluster.change("INSERT INTO keys VALUES " + ", ".join(f"({key}, 0)" for key in range(1, keys + 1)))
    client = Client(cluster, choice, keys)
    for _ in range(KILLS):
        killing = kill_soon(cluster, choice)
        written = len(client.may_be)
        while len(client.may_be) < written + STATEMENTS_PER_KILL:
            client.run_block()
        killing.join()
    wait_until(lambda: cluster.succeeds("SELECT count(*) FROM keys"), "served at the end", seconds=60)
    client.check(dict(cluster.rows("SELECT id, value FROM keys")))
    certain = sum(len(values) == 1 for values in client.may_be.values())
    print(f"{dict(client.errors)}")
    print(f"{len(client.may_be)} writes, {certain} of them certain, {KILLS} kills")
    assert certain > len(client.may_be) * 0.9
