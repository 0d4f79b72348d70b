"""Processes keep the memory that they once needed, and no more than that: ordinary statements do not make them grow."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster

ROWS = 100_000
TABLE = "CREATE TABLE visits (id int NOT NULL, page varchar(40) NOT NULL, size bigint NOT NULL, country char(2));"
STATEMENTS = 200
WARM = 20  # Large ones that none cuts off, after which processes have what sixteen at once need.
GROWTH_SHARE = 0.05
GROWTH_MIB = 32
OPTIONS = ("--storage-nodes", "1", "--segments", "1", "--aggregators", "1", "--segment-mib", "64")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("visits"), TABLE, *OPTIONS, "--durability", "off") as cluster:
        draw = random.Random(39)
        with cluster.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET daedalus.copy = batches")
            with cursor.copy("COPY visits FROM STDIN") as copy:
                for row in range(ROWS):
                    copy.write_row(
                        (row, f"/page/{draw.randrange(ROWS)}", draw.randrange(10**9), draw.choice(("CH", "UK")))
                    )
        yield cluster


def run_one(connection: psycopg.Connection, draw: random.Random, rows_min: int, timeouts_ms: tuple[int, ...]) -> None:
    """One statement of a size that no other has: those that answer much, and some that are cut off."""
    below, limit = draw.randrange(rows_min, ROWS), draw.randrange(rows_min // 5, ROWS // 5)
    statement = draw.choice(
        (
            f"SELECT page, count(*), sum(size) FROM visits WHERE id < {below} GROUP BY page",
            f"SELECT page, max(size) FROM visits WHERE id < {below} GROUP BY page",
            f"SELECT * FROM visits WHERE id < {below} ORDER BY size DESC, page LIMIT {limit}",
            f"SELECT country, count(DISTINCT page) FROM visits WHERE id < {below} GROUP BY country",
            f"SELECT page, size FROM visits WHERE id < {below} ORDER BY page",
            f"COPY (SELECT * FROM visits WHERE id < {below}) TO STDOUT",
        )
    )
    connection.execute(f"SET statement_timeout = {draw.choice(timeouts_ms)}".encode())
    # Cut off, or refused because answers of sixteen at once may exceed what there is for answers.
    with contextlib.suppress(psycopg.errors.QueryCanceled, psycopg.errors.OutOfMemory), connection.cursor() as cursor:
        if statement.startswith("COPY"):
            with cursor.copy(statement.encode()) as copy:
                for _ in copy:
                    pass
        else:
            cursor.execute(statement.encode()).fetchall()


def run_all(
    cluster: LocalCluster,
    connections: int,
    statements: int,
    draw: random.Random,
    rows_min: int = 1_000,
    timeouts_ms: tuple[int, ...] = (0, 0, 0, 5, 15, 40),
) -> None:
    """Statements from several connections at once."""
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        own = random.Random(seed)
        try:
            for _ in range(statements // connections):
                with cluster.connect() as connection:
                    run_one(connection, own, rows_min, timeouts_ms)
        except BaseException as failure:
            failures.append(failure)

    workers = [threading.Thread(target=work, args=(draw.getrandbits(32),)) for _ in range(connections)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures, failures


def resident_mib(cluster: LocalCluster) -> dict[str, int]:
    """The memory of node and aggregator."""
    found = {}
    for name in ("node-0", "aggregator-0"):
        lines = Path(f"/proc/{cluster.processes[name]}/status").read_text().splitlines()
        found[name] = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) >> 10
    return found


@pytest.mark.parametrize("connections", [1, 16])
def test_processes_do_not_grow_with_the_number_of_statements(visits: LocalCluster, connections: int) -> None:
    draw = random.Random(connections)
    run_all(visits, connections, max(WARM, 4 * connections), draw, rows_min=ROWS - 1_000, timeouts_ms=(0,))
    # How many large answers ever coincide depends on how busy the machine is, so both halves have the same chances.
    run_all(visits, connections, (STATEMENTS - WARM) // 2, draw)
    before = resident_mib(visits)
    run_all(visits, connections, (STATEMENTS - WARM) // 2, draw)
    after = resident_mib(visits)
    for name, mib in after.items():
        assert mib <= before[name] + max(GROWTH_MIB, GROWTH_SHARE * before[name]), (name, before, after)


def test_status_tells_what_the_allocator_keeps(visits: LocalCluster) -> None:
    status = visits.run_daedalus("status", "--format", "json").json()["status"]
    for process, resident in (("node-0", status["nodes"][0]), ("aggregator-0", status["aggregator"])):
        allocator = resident["allocator"]
        assert 0 < int(allocator["allocated_bytes"]) <= int(allocator["resident_bytes"])
        assert int(allocator["resident_bytes"]) >> 20 <= resident_mib(visits)[process] + GROWTH_MIB
