"""Answers larger than any bound, read as clients read them, beside transfers: each is the table at one moment.

DAEDALUS_LARGE_ROWS (60000) says how many rows an answer has.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas  # type: ignore[import-untyped]
import psycopg
import pytest
import sqlalchemy
from local_cluster import POSTGRES_PORT, ROOT, Connection, LocalCluster, local_cluster

ENTRIES = int(os.environ.get("DAEDALUS_LARGE_ROWS", "60000"))
SEGMENT_MIB = max(32, ENTRIES // 5_000)
WRITERS = 3
REPLACED = 64  # Entries behind the others that are deleted and inserted again and again, and so move.
ROWS = ENTRIES + REPLACED
LINE = 400
TABLE = f"""
CREATE TABLE entries (id int NOT NULL, balance bigint NOT NULL, moves bigint NOT NULL, line char({LINE}) NOT NULL);
"""
OPTIONS = (
    *(
        "--storage-nodes",
        "2",
        "--segments",
        "2",
        "--segment-mib",
        str(SEGMENT_MIB),
        "--aggregators",
        "1",
        "--answer-mib",
        "4",
    ),
    *("--partition-by", "hash(id)", "--segment-by", "hash(id)"),
)
QUERY = "SELECT id, balance, moves, line FROM entries"
PIECE = 1_000
SLEEPERS = 10
SLEEPER_BYTES_MAX = 16 << 20
READER_BYTES_MAX = 64 << 20  # An answer may cost a process so much above what it has at rest, however large it is.
READER_SECONDS_MAX = 60 + ENTRIES // 10_000
JAVA = ROOT / "client-java"
JDBC_CLASSES = (JAVA / "postgres-clients" / "target" / "test-classes", JAVA / "peer-driver" / "target" / "lib" / "*")

Row = tuple[int, int, int]
Reader = Callable[[LocalCluster, Path], Iterator[Row]]


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
    is_over, counts = threading.Event(), [0] * WRITERS
    have_begun = threading.Barrier(WRITERS + 1, timeout=READER_SECONDS_MAX)

    def run(writer: int) -> None:
        draw = random.Random(f"{seed} transfers {writer}")
        with cluster.connect() as connection:
            while not is_over.is_set():
                connection.execute(transfer(draw, writer).encode())
                counts[writer] += 1
                if counts[writer] == 1:
                    have_begun.wait()

    threads = [threading.Thread(target=run, args=(writer,)) for writer in range(WRITERS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    try:
        have_begun.wait()  # A reader may be done before the last of them is connected.
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        print(f"{sum(counts) / (time.monotonic() - began):.0f} transfers a second")
    assert min(counts) > 0


def transfer(draw: random.Random, writer: int) -> str:
    """A message that is one update and keeps the number of rows, the sum of balances and an even sum of moves."""
    giver, taker = draw.sample(range(ENTRIES), 2)
    amount = draw.randrange(1, 100)
    kind = draw.randrange(3)
    if kind == 0:
        entry = draw.randrange(ENTRIES + writer, ROWS, WRITERS)  # Nobody else inserts what another has deleted.
        return f"DELETE FROM entries WHERE id = {entry}; INSERT INTO entries VALUES ({entry}, 0, 0, '{entry:0{LINE}}')"
    if kind == 1:
        change = f"CASE WHEN id = {giver} THEN balance - {amount} ELSE balance + {amount} END"
        return f"UPDATE entries SET balance = {change}, moves = moves + 1 WHERE id IN ({giver}, {taker})"
    moved = ((giver, f"- {amount}"), (taker, f"+ {amount}"))
    return "; ".join(
        f"UPDATE entries SET balance = balance {change}, moves = moves + 1 WHERE id = {entry}"
        for entry, change in moved
    )


def read_whole(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    with cluster.connect() as connection:
        yield from (row[:3] for row in connection.execute(QUERY).fetchall())


def read_row_by_row(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    with cluster.connect() as connection, connection.cursor() as cursor:
        yield from (row[:3] for row in cursor.stream(QUERY))


def read_by_cursor(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    with cluster.connect() as connection, connection.transaction(), connection.cursor("every") as cursor:
        cursor.itersize = PIECE
        cursor.execute(QUERY)
        yield from (row[:3] for row in cursor)


def read_by_held_cursor(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    with cluster.connect() as connection:
        connection.execute(f"DECLARE every CURSOR WITH HOLD FOR {QUERY}".encode())
        while piece := connection.execute(f"FETCH {PIECE} FROM every".encode()).fetchall():
            yield from (row[:3] for row in piece)


def read_by_copy(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    with (
        cluster.connect() as connection,
        connection.cursor() as cursor,
        cursor.copy("COPY entries (id, balance, moves) TO STDOUT") as copy,
    ):
        copy.set_types(["int4", "int8", "int8"])
        yield from ((int(row[0]), int(row[1]), int(row[2])) for row in copy.rows())


def read_by_pandas(cluster: LocalCluster, _folder: Path) -> Iterator[Row]:
    """By pandas, a frame for each piece."""
    engine = sqlalchemy.create_engine(f"postgresql+psycopg://test@127.0.0.1:{cluster.port + POSTGRES_PORT}/entries")
    with engine.connect().execution_options(stream_results=True) as connection:
        for frame in pandas.read_sql_query(sqlalchemy.text(QUERY), connection, chunksize=PIECE):
            yield from zip(frame["id"], frame["balance"], frame["moves"], strict=True)
    engine.dispose()


def fields_of(line: str) -> Row:
    """A line of psql's, unaligned."""
    entry, balance, moves = line.split("|")[:3]
    return int(entry), int(balance), int(moves)


def read_by_psql(cluster: LocalCluster, folder: Path) -> Iterator[Row]:
    """By psql in pieces, as its FETCH_COUNT has it, to a file."""
    dsn = f"host=127.0.0.1 port={cluster.port + POSTGRES_PORT} user=test dbname={cluster.table}"
    yield from lines_of(folder, ["psql", "-X", "-A", "-t", "-v", f"FETCH_COUNT={PIECE}", "-d", dsn, "-c", QUERY])


def read_by_pgjdbc(cluster: LocalCluster, folder: Path) -> Iterator[Row]:
    url = f"jdbc:postgresql://127.0.0.1:{cluster.port + POSTGRES_PORT}/{cluster.table}?user=test"
    classes = ":".join(str(place) for place in JDBC_CLASSES)
    reader = [shutil.which("java") or "java", "-Xmx256m", "-cp", classes, "org.daedalus.postgres.PiecewiseReader"]
    yield from lines_of(folder, [*reader, url, str(PIECE), QUERY])


def lines_of(folder: Path, command: list[str]) -> Iterator[Row]:
    """Reads what a program prints."""
    file = folder / "rows"
    with file.open("wb") as out:
        subprocess.run(command, stdout=out, check=True, timeout=READER_SECONDS_MAX)
    with file.open() as lines:
        yield from map(fields_of, lines)


READERS: list[Reader] = [
    read_whole,
    read_row_by_row,
    read_by_cursor,
    read_by_held_cursor,
    read_by_copy,
    read_by_psql,
    read_by_pandas,
    read_by_pgjdbc,
]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_an_answer_beyond_any_bound_is_the_table_at_one_moment(
    entries: LocalCluster, tmp_path: Path, daedalus_seed: int, read: Reader
) -> None:
    seen, balances, moves_made = bytearray(ROWS), 0, 0
    with transfers(entries, daedalus_seed), peaks(entries) as grown:
        for entry, balance, moves in read(entries, tmp_path):
            seen[entry] += 1
            balances += balance
            moves_made += moves
    assert seen == b"\x01" * ROWS, "each row is there once"
    assert balances == 0
    assert moves_made % 2 == 0
    assert max(grown.values()) <= READER_BYTES_MAX, grown


def resident_bytes(process: int) -> int:
    """Returns how much of the machine's memory a process has now."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096


@contextmanager
def peaks(cluster: LocalCluster) -> Iterator[dict[str, int]]:
    """Says when the context ends by how many bytes each process of a cluster had grown at its most."""
    processes = {name: cluster.processes[name] for name in ("aggregator-0", "node-0", "node-1")}
    before = {name: resident_bytes(process) for name, process in processes.items()}
    grown, is_over = dict.fromkeys(processes, 0), threading.Event()

    def look() -> None:
        while not is_over.wait(0.05):
            for name, process in processes.items():
                grown[name] = max(grown[name], resident_bytes(process) - before[name])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield grown
    finally:
        is_over.set()
        thread.join()
        print({name: f"{count >> 20} MiB" for name, count in grown.items()})


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
