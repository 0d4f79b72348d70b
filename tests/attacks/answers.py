"""Attacks by answers: large ones, many of them, and clients that do not take them."""

from __future__ import annotations

import time

from attacks.attack import FULL, TOO_LARGE, TOO_LATE, Attack, expect
from attacks.client import Answer, Client, ConnectionLostError
from attacks.stage import Stage, at_once
from attacks.tables import ORDERS

ROWS = ORDERS.rows
CLIENTS = 10
GROUPS_MAX = 1 << 20  # docs/protocol.md: Limits.groups_max
ORDERED = "SELECT id FROM orders ORDER BY customer, id"
GROUPED = "SELECT id, count(*) FROM orders GROUP BY id"
EVERYTHING = "SELECT * FROM orders"
# Fifty megabytes from each of two nodes with the usual number of rows; no more with more of them.
HEAVY = "SELECT " + ", ".join(["note"] * max(1, 15 * 300_000 // ROWS)) + " FROM orders"
UNREAD = "SELECT id, note, note, note, note, note FROM orders"
ASKED_SECONDS = 20.0
MEMORY_LIMIT_MIB = 512


def _asked_at_once(stage: Stage, clients: int, sql: str) -> list[Answer]:
    def ask(_: int) -> Answer:
        with stage.client() as client:
            return client.ask(sql, seconds=ASKED_SECONDS)

    answers = at_once(clients, ask)
    whole = sum(answer.is_whole for answer in answers)
    stage.note(f"{whole} of {clients} answered, the slowest in {max(answer.seconds for answer in answers):.1f} s")
    return answers


def order_by_alone(stage: Stage) -> None:
    answer = _asked_at_once(stage, 1, ORDERED)[0]
    assert answer.refusal is None, answer.refusal
    expected = sorted(range(1, ROWS + 1), key=lambda row_id: (row_id * 7919 % 1000, row_id))
    assert [row[0] for row in answer.rows.values()] == expected, "rows are missing, doubled or out of order"


def group_by_alone(stage: Stage) -> None:
    answer = _asked_at_once(stage, 1, GROUPED)[0]
    if ROWS > GROUPS_MAX:
        assert answer.refusal is not None
        assert answer.refusal.sqlstate in TOO_LARGE | FULL, answer.refusal
        return
    assert answer.refusal is None, answer.refusal
    assert sorted(answer.rows.values()) == [(row_id, 1) for row_id in range(1, ROWS + 1)]


def order_by_at_once(stage: Stage) -> None:
    answers = _asked_at_once(stage, CLIENTS, ORDERED)
    for answer in answers:
        expect(answer, FULL, TOO_LATE, rows=ROWS)
    whole = [b"".join(answer.rows.packed) for answer in answers if answer.is_whole]
    assert whole, "they have all refused each other"
    assert len(set(whole)) == 1, "answers differ"


def group_by_at_once(stage: Stage) -> None:
    answers = _asked_at_once(stage, CLIENTS, GROUPED)
    for answer in answers:
        expect(answer, FULL, TOO_LARGE, TOO_LATE, rows=ROWS)
    assert ROWS > GROUPS_MAX or any(answer.is_whole for answer in answers), "they have all refused each other"


def everything_at_once(stage: Stage) -> None:
    answers = _asked_at_once(stage, CLIENTS, EVERYTHING)
    for answer in answers:
        expect(answer, FULL, TOO_LATE, *([TOO_LARGE] if ROWS > 1_000_000 else []), rows=ROWS)
    assert len({answer.rows.size for answer in answers if answer.is_whole}) <= 1, "answers differ"


def clients_that_do_not_read(stage: Stage) -> None:
    """Fifty large answers that nobody takes. Whoever is dropped for it, it must not be anybody else."""
    idle = [stage.client(receive_buffer=4096) for _ in range(50)]
    try:
        for client in idle:
            client.ask_all([UNREAD], seconds=ASKED_SECONDS)
        with stage.client() as somebody:
            end = time.monotonic() + 5
            while time.monotonic() < end:
                expect(somebody.ask(stage.table.look_up(1)), rows=1)
    finally:
        for client in idle:
            client.close()


def clients_that_leave(stage: Stage) -> None:
    """A thousand heavy queries that nobody wants any more after a second."""
    gone = [stage.client() for _ in range(CLIENTS)]
    for client in gone:
        client.ask_all([ORDERED, GROUPED, EVERYTHING, HEAVY] * 25)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        _read_a_little(gone[0])
    for client in gone:
        client.close()
    with stage.client() as somebody:
        answer = somebody.ask(stage.table.look_up(7), seconds=10)
        stage.note(f"the next client was served in {answer.seconds * 1000:.0f} ms")
        expect(answer, rows=1)
        assert answer.seconds < 2, f"the next client was served after {answer.seconds:.1f} s"


def _read_a_little(client: Client) -> None:
    try:
        client.read_some(0.1)
    except (TimeoutError, ConnectionLostError):
        return


def everything_under_a_memory_limit(stage: Stage) -> None:
    """Twelve large answers while the nodes can get no more memory than what they may take for answers."""
    for node in range(2):
        stage.watch.limit_memory(f"node-{node}", MEMORY_LIMIT_MIB)
    try:
        for answer in _asked_at_once(stage, 12, HEAVY):
            expect(answer, FULL, TOO_LATE, rows=ROWS)
    finally:
        stage.watch.lift_limits()


ATTACKS = [
    Attack("order-by-alone", "One client orders the whole table.", order_by_alone),
    Attack("group-by-alone", "One client makes a group of each row.", group_by_alone),
    Attack("order-by-at-once", "Ten clients order the whole table at once.", order_by_at_once),
    Attack("group-by-at-once", "Ten clients make a group of each row at once.", group_by_at_once),
    Attack("everything-at-once", "Ten clients ask for the whole table at once.", everything_at_once),
    Attack("clients-that-do-not-read", "Fifty clients ask for much and read nothing.", clients_that_do_not_read),
    Attack(
        "clients-that-leave",
        "Ten clients ask a hundred heavy queries each and go.",
        clients_that_leave,
        p99_ms_max=3000.0,  # a thousand heavy queries ride the cycle under way and the next
    ),
    Attack(
        "everything-under-a-memory-limit",
        "Twelve large answers at once in nodes that get no more memory.",
        everything_under_a_memory_limit,
    ),
]
