"""Sessions that move amounts between accounts and add them up, over PostgreSQL's protocol.

Each transfer is one update, so an answer that is the table at one moment has never half of one: as many rows as ever,
the same sum, an even number of moves. And it has every transfer that was confirmed before it was asked for, whoever
carried it. What becomes of a transfer whose session lost its aggregator changes none of that.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from local_cluster import Connection, LocalCluster

ACCOUNTS = """
CREATE TABLE accounts (
  id int NOT NULL,
  owner int NOT NULL,
  balance bigint NOT NULL,
  moves bigint NOT NULL
);
"""
FOUR_SEGMENTS = (
    *("--storage-nodes", "2", "--segments", "2", "--segment-mib", "1", "--aggregators", "2"),
    *("--partition-by", "hash(id)", "--segment-by", "hash(id)"),
)
SESSIONS = 8
KEPT = 16  # Accounts that no session replaces.
DEPOSIT = 1_000
SUM = "SELECT count(*), sum(balance)::bigint, sum(moves)::bigint FROM accounts"
ROWS = "SELECT balance, moves FROM accounts"
PAUSE_SECONDS = 0.01  # A session that was refused waits so long: its aggregator is dead, or a node is.
AWAIT_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Totals:
    """An answer over all accounts comes to this."""

    rows: int
    balance: int
    moves: int

    @property
    def is_whole(self) -> bool:
        """Returns whether no transfer is in it by half."""
        return (self.rows, self.balance) == (KEPT + SESSIONS, KEPT * DEPOSIT) and self.moves % 2 == 0


@dataclass(slots=True)
class Tally:
    """Counts what all sessions were told; one at a time changes it."""

    answers: int = 0
    confirmed: int = 0
    torn: list[Totals] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def await_answers(self, count: int) -> None:
        """Returns when so many answers have come. Error: AssertionError when they do not."""
        deadline = time.monotonic() + AWAIT_SECONDS + count / 10
        with self.changed:
            while self.answers < count:
                left = deadline - time.monotonic()
                assert left > 0, f"only {self.answers} of {count} answers came; refused: {dict(self.refused)}"
                self.changed.wait(left)

    def add(self, totals: Totals, confirmed_before: int, seen_before: int) -> None:
        """Judges one answer by what was confirmed, and what its connection had seen, before it was asked for."""
        with self.changed:
            self.answers += 1
            if not totals.is_whole:
                self.torn.append(totals)
            if totals.moves < 2 * confirmed_before:
                self.unseen.append(f"{2 * confirmed_before} moves were confirmed, {totals.moves} answered")
            if totals.moves < seen_before:
                self.unseen.append(f"{seen_before} moves were seen, then {totals.moves}")
            self.changed.notify_all()

    def confirm(self) -> None:
        """One more transfer is confirmed."""
        with self.changed:
            self.confirmed += 1

    def refuse(self, error: psycopg.Error) -> None:
        """Nothing is known of a statement but that it ended in an error."""
        with self.changed:
            self.refused[error.sqlstate or type(error).__name__] += 1

    def __str__(self) -> str:
        return (
            f"{self.answers} answers beside {self.confirmed} transfers: {len(self.torn)} torn, {len(self.unseen)} "
            f"without what they had to have; refused: {dict(self.refused)}"
        )


class Session(threading.Thread):
    """One client: transfers, sums and rows in turn, as it draws them; with `asks` nought only transfers."""

    def __init__(self, cluster: LocalCluster, number: int, tally: Tally, seed: int, *, asks: float) -> None:
        super().__init__(name=f"session {number}")
        self._cluster, self._number, self._tally, self._asks = cluster, number, tally, asks
        self._draw = random.Random(f"{seed} {number}")
        self._replaced = 0
        self._seen = 0
        self._connection: Connection | None = None
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.is_set():
            try:
                connection = self._connected()
                if self._draw.random() < self._asks:
                    self._ask(connection)
                else:
                    connection.execute(self._transfer().encode())
                    self._tally.confirm()
            except psycopg.Error as error:
                self._tally.refuse(error)
                self.is_over.wait(PAUSE_SECONDS)
        if self._connection is not None:
            self._connection.close()

    def _connected(self) -> Connection:
        """The connection that there is, or one to any of the aggregators. Error: psycopg.Error."""
        if self._connection is None or self._connection.closed:
            self._seen = 0
            self._connection = self._cluster.connect(self._draw.randrange(2))
        return self._connection

    def _ask(self, connection: Connection) -> None:
        confirmed = self._tally.confirmed
        if self._draw.random() < 0.5:
            totals = totals_of(connection)
        else:
            rows = connection.execute(ROWS).fetchall()
            totals = Totals(len(rows), sum(balance for balance, _ in rows), sum(moves for _, moves in rows))
        self._tally.add(totals, confirmed, self._seen)
        self._seen = totals.moves

    def _transfer(self) -> str:
        """A message that is one update: of two accounts, in two parts or one, or of the session's own account anew."""
        amount = self._draw.randrange(1, 100)
        giver, taker = self._draw.sample(range(KEPT), 2)
        kind = self._draw.randrange(3)
        if kind == 0:
            return (
                f"UPDATE accounts SET balance = balance - {amount}, moves = moves + 1 WHERE id = {giver}; "
                f"UPDATE accounts SET balance = balance + {amount}, moves = moves + 1 WHERE id = {taker}"
            )
        if kind == 1:
            change = f"CASE WHEN id = {giver} THEN balance - {amount} ELSE balance + {amount} END"
            return f"UPDATE accounts SET balance = {change}, moves = moves + 1 WHERE id IN ({giver}, {taker})"
        self._replaced += 1
        own = -self._number - SESSIONS * self._replaced
        return (
            f"DELETE FROM accounts WHERE owner = {self._number}; INSERT INTO accounts VALUES ({own}, {self._number}, "
            f"0, 0); UPDATE accounts SET moves = moves + 2 WHERE id = {giver}"
        )


def totals_of(connection: Connection) -> Totals:
    """Asks for the aggregates. Error: psycopg.Error."""
    ((rows, balance, moves),) = connection.execute(SUM).fetchall()
    return Totals(rows, balance, moves)


def open_accounts(cluster: LocalCluster) -> None:
    """The accounts that are kept, and one that each session replaces by another one, in an empty table."""
    kept = [f"({account}, 0, {DEPOSIT}, 0)" for account in range(KEPT)]
    own = [f"({-session}, {session}, 0, 0)" for session in range(1, SESSIONS + 1)]
    assert cluster.change(f"INSERT INTO accounts VALUES {', '.join(kept + own)}") == KEPT + SESSIONS


@contextmanager
def sessions(cluster: LocalCluster, seed: int, *, count: int = SESSIONS, asks: float = 0.5) -> Iterator[Tally]:
    """So many sessions at work for the time of the context."""
    tally = Tally()
    started = [Session(cluster, number, tally, seed, asks=asks) for number in range(1, count + 1)]
    for session in started:
        session.start()
    try:
        yield tally
    finally:
        for session in started:
            session.is_over.set()
        for session in started:
            session.join()
        print(tally)
