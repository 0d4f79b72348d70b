"""Answers larger than any bound, read as clients read them, beside transfers: each is the table at one moment."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from local_cluster import POSTGRES_PORT, Connection, LocalCluster, local_cluster

ENTRIES = 60_000
REPLACED = 64  # Entries behind the others that are deleted and inserted again and again, and so move.
ROWS = ENTRIES + REPLACED
LINE = 400
TABLE = f"""
CREATE TABLE entries (id int NOT NULL, balance bigint NOT NULL, moves bigint NOT NULL, line char({LINE}) NOT NULL);
"""
OPTIONS = (
    *("--storage-nodes", "2", "--segments", "2", "--segment-mib", "32", "--aggregators", "1", "--answer-mib", "4"),
    *("--partition-by", "hash(id)", "--segment-by", "hash(id)"),
)
QUERY = "SELECT id, balance, moves, line FROM entries"
PIECE = 1_000
SLEEPERS = 10
SLEEPER_BYTES_MAX = 16 << 20

Row = tuple[int, int, int]
Reader = Callable[[LocalCluster, Path], Iterable[Row]]


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("entries"), TABLE, *OPTIONS) as cluster:
        with cluster.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET daedalus.copy = batches")
            with cursor.copy("COPY entries FROM STDIN") as copy:
                for row in range(ROWS):
                    copy.write_row((row, 0, 0, f"{row:0{LINE}}"))
        yield cluster


@contextmanager
def transfers(cluster: LocalCluster, seed: int) -> Iterator[None]:
    """Moves amounts between entries for the time of the context."""
    is_over = threading.Event()

    def run() -> None:
        draw = random.Random(f"{seed} transfers")
        with cluster.connect() as connection:
            while not is_over.is_set():
                connection.execute(transfer(draw).encode())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def transfer(draw: random.Random) -> str:
    """A message that is one update and keeps the number of rows, the sum of balances and an even sum of moves."""
    giver, taker = draw.sample(range(ENTRIES), 2)
    amount = draw.randrange(1, 100)
    kind = draw.randrange(3)
    if kind == 0:
        entry = draw.randrange(ENTRIES, ROWS)
        return f"DELETE FROM entries WHERE id = {entry}; INSERT INTO entries VALUES ({entry}, 0, 0, '{entry:0{LINE}}')"
    if kind == 1:
        change = f"CASE WHEN id = {giver} THEN balance - {amount} ELSE balance + {amount} END"
        return f"UPDATE entries SET balance = {change}, moves = moves + 1 WHERE id IN ({giver}, {taker})"
    moved = ((giver, f"- {amount}"), (taker, f"+ {amount}"))
    return "; ".join(
        f"UPDATE entries SET balance = balance {change}, moves = moves + 1 WHERE id = {entry}"
        for entry, change in moved
    )


def read_whole(cluster: LocalCluster, _folder: Path) -> Iterable[Row]:
    with cluster.connect() as connection:
        return [row[:3] for row in connection.execute(QUERY).fetchall()]


def read_row_by_row(cluster: LocalCluster, _folder: Path) -> Iterable[Row]:
    with cluster.connect() as connection, connection.cursor() as cursor:
        return [row[:3] for row in cursor.stream(QUERY)]


def read_by_cursor(cluster: LocalCluster, _folder: Path) -> Iterable[Row]:
    with cluster.connect() as connection, connection.transaction(), connection.cursor("every") as cursor:
        cursor.itersize = PIECE
        cursor.execute(QUERY)
        return [row[:3] for row in cursor]


def read_by_held_cursor(cluster: LocalCluster, _folder: Path) -> Iterable[Row]:
    with cluster.connect() as connection:
        connection.execute(f"DECLARE every CURSOR WITH HOLD FOR {QUERY}".encode())
        rows: list[Row] = []
        while piece := connection.execute(f"FETCH {PIECE} FROM every".encode()).fetchall():
            rows.extend(row[:3] for row in piece)
        return rows


def read_by_copy(cluster: LocalCluster, _folder: Path) -> Iterable[Row]:
    with (
        cluster.connect() as connection,
        connection.cursor() as cursor,
        cursor.copy("COPY entries (id, balance, moves) TO STDOUT") as copy,
    ):
        copy.set_types(["int4", "int8", "int8"])
        return [(int(row[0]), int(row[1]), int(row[2])) for row in copy.rows()]


def read_by_psql(cluster: LocalCluster, folder: Path) -> Iterable[Row]:
    """By psql in pieces, as its FETCH_COUNT has it, to a file."""
    file = folder / "rows"
    dsn = f"host=127.0.0.1 port={cluster.port + POSTGRES_PORT} user=test dbname={cluster.table}"
    subprocess.run(
        ["psql", "-X", "-A", "-t", "-v", f"FETCH_COUNT={PIECE}", "-d", dsn, "-o", file, "-c", QUERY],
        check=True,
        timeout=300,
    )
    return [tuple(int(field) for field in line.split("|")[:3]) for line in file.read_text().splitlines()]  # type: ignore[misc]


READERS: list[Reader] = [
    read_whole,
    read_row_by_row,
    read_by_cursor,
    read_by_held_cursor,
    read_by_copy,
    read_by_psql,
]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_an_answer_beyond_any_bound_is_the_table_at_one_moment(
    entries: LocalCluster, tmp_path: Path, daedalus_seed: int, read: Reader
) -> None:
    with transfers(entries, daedalus_seed):
        rows = list(read(entries, tmp_path))
    assert sorted(row[0] for row in rows) == list(range(ROWS)), "each row is there once"
    assert sum(balance for _, balance, _ in rows) == 0
    assert sum(moves for _, _, moves in rows) % 2 == 0


def resident_bytes(process: int) -> int:
    """Returns how much of the machine's memory a process has now."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096


def test_readers_that_sleep_cost_little_memory_and_nobody_elses_time(entries: LocalCluster) -> None:
    processes = [entries.processes[name] for name in ("aggregator-0", "node-0", "node-1")]
    entries.rows("SELECT count(*) FROM entries")
    at_rest = [resident_bytes(process) for process in processes]
    sleepers: list[Connection] = []
    for _ in range(SLEEPERS):
        sleeper = entries.connect()
        sleeper.execute("BEGIN")
        sleeper.execute(f"DECLARE every CURSOR FOR {QUERY}".encode())
        assert len(sleeper.execute("FETCH 10 FROM every").fetchall()) == 10
        sleepers.append(sleeper)
    assert entries.value("SELECT count(*) FROM entries") == ROWS
    grown = [resident_bytes(process) - before for process, before in zip(processes, at_rest, strict=True)]
    assert max(grown) < SLEEPERS * SLEEPER_BYTES_MAX, grown
    for sleeper in sleepers:
        assert len(sleeper.execute("FETCH ALL FROM every").fetchall()) == ROWS - 10
        sleeper.close()


def test_an_order_a_group_and_a_limit_keep_their_bound(entries: LocalCluster) -> None:
    entries.refuses(f"{QUERY} ORDER BY line", "54000", "answer_mib")
    entries.refuses(f"{QUERY} LIMIT {ROWS}", "54000", "answer_mib")


def test_whoever_cancels_a_large_answer_hears_so_at_once(entries: LocalCluster) -> None:
    with entries.connect() as connection, connection.cursor() as cursor:
        rows = cursor.stream(QUERY)
        next(rows)
        connection.cancel()
        with pytest.raises(psycopg.errors.QueryCanceled):
            for _ in rows:
                pass
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (ROWS,)
