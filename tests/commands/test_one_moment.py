"""An answer is the table at one moment, over all segments of all nodes and through every aggregator.

DAEDALUS_MOMENT_WRITES (300) says how often something is written through one aggregator and read through the other,
DAEDALUS_SUMS (500) how many sums are taken beside transfers, DAEDALUS_MOMENT_BLOCKS (50) how many blocks have two.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
from collections.abc import Iterator

import pytest
from local_cluster import Connection, LocalCluster, local_cluster
from transfers import ACCOUNTS, FOUR_SEGMENTS, Totals, open_accounts, sessions, totals_of

WRITES = int(os.environ.get("DAEDALUS_MOMENT_WRITES", "300"))
SUMS = int(os.environ.get("DAEDALUS_SUMS", "500"))
BLOCKS = int(os.environ.get("DAEDALUS_MOMENT_BLOCKS", "50"))
SILENCE_SECONDS, SILENCE_SECONDS_MAX = 0.003, 0.05  # on average, and at most
PLACES = 8
WRITERS = 3

Items = dict[int, tuple[int, int]]  # Place and amount, by id.


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("accounts"), ACCOUNTS, *FOUR_SEGMENTS) as running:
        open_accounts(running)
        yield running


def write(items: Items, draw: random.Random, number: int) -> str:
    """A statement that concerns one row, one partition or all of them; `items` become what they are after it."""
    kind, amount = draw.randrange(5), number % 30_000
    if kind == 0 or not items:
        new = {3 * number + row: (draw.randrange(PLACES), amount) for row in range(3)}
        items.update(new)
        rows = ", ".join(f"({row}, {place}, {amount})" for row, (place, amount) in new.items())
        return f"INSERT INTO items (id, place, amount) VALUES {rows}"
    chosen = draw.choice(list(items))
    place = items[chosen][0]
    if kind == 1:
        for row in [row for row in items if row <= chosen - 30]:
            del items[row]
        return f"DELETE FROM items WHERE id <= {chosen - 30}"
    concerned, condition = [
        (list(items), "TRUE"),
        ([row for row in items if items[row][0] == place], f"place = {place}"),
        ([chosen], f"id = {chosen} AND place = {place}"),
    ][kind - 2]
    for row in concerned:
        items[row] = (items[row][0], amount)
    return f"UPDATE items SET amount = {amount} WHERE {condition}"


def read(connection: Connection, items: Items, draw: random.Random) -> tuple[object, object]:
    """Returns what a query answers, and what it has to; it concerns all partitions, or one."""
    kind = draw.randrange(3)
    if kind == 0:
        answer: object = connection.execute("SELECT count(*), sum(amount) FROM items").fetchone()
        return answer, (len(items), sum(amount for _, amount in items.values()) if items else None)
    if kind == 1:
        answer = connection.execute("SELECT id, amount FROM items ORDER BY id").fetchall()
        return answer, sorted((row, amount) for row, (_, amount) in items.items())
    place = draw.randrange(PLACES)
    rows = connection.execute(f"SELECT id, amount FROM items WHERE place = {place}".encode()).fetchall()
    return sorted(rows), sorted((row, amount) for row, (at, amount) in items.items() if at == place)


def test_what_one_aggregator_wrote_the_other_one_reads_at_once(empty_table: LocalCluster, daedalus_seed: int) -> None:
    draw, silence = random.Random(f"{daedalus_seed} moments"), threading.Event()
    items: Items = {}
    with contextlib.closing(empty_table.connect(0)) as one, contextlib.closing(empty_table.connect(1)) as other:
        for number in range(1, WRITES + 1):
            writer, reader = draw.sample([one, other], 2)
            statement = write(items, draw, number)
            writer.execute(statement.encode())
            answer, expected = read(reader, items, draw)
            assert answer == expected, f"behind write {number}, {statement}"
            # Nobody says anything, so that no later message tells an aggregator what it should have known.
            silence.wait(min(draw.expovariate(1 / SILENCE_SECONDS), SILENCE_SECONDS_MAX))


def test_sums_beside_transfers_are_those_of_a_moment(accounts: LocalCluster, daedalus_seed: int) -> None:
    with sessions(accounts, daedalus_seed) as tally:
        tally.await_answers(SUMS)
    assert not tally.unseen
    assert not tally.torn, f"{tally}: {tally.torn[:3]}"


def test_two_queries_of_a_repeatable_read_block_agree(accounts: LocalCluster, daedalus_seed: int) -> None:
    with (
        sessions(accounts, daedalus_seed, count=WRITERS, asks=0) as tally,
        contextlib.closing(accounts.connect(0)) as connection,
    ):
        for _ in range(BLOCKS):
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            first, before = totals_of(connection), tally.confirmed
            second = second_query(connection)
            connection.execute("COMMIT")
            assert first == second
            assert first.is_whole
            assert tally.confirmed >= before


def second_query(connection: Connection) -> Totals:
    """Adds the rows up that a cursor reads."""
    connection.execute("DECLARE every CURSOR FOR SELECT balance, moves FROM accounts")
    rows = connection.execute("FETCH ALL FROM every").fetchall()
    return Totals(len(rows), sum(balance for balance, _ in rows), sum(moves for _, moves in rows))
