"""Attacks on part of the cluster: a node stops, or dies, while it answers. They are told apart from the others in that
look-ups of what the node holds do fail meanwhile: these attacks make their own."""

from __future__ import annotations

import os
import signal

from attacks.answers import HEAVY, ORDERED
from attacks.attack import TOO_LATE
from attacks.client import Answer, Client
from attacks.stage import COMES_BACK_SECONDS, Stage, until
from attacks.tables import ORDERS

ROWS = ORDERS.rows
VICTIM = 1
LOST = frozenset({"08006", "57P01", "58000", "XX000"})
FIRST_ROWS_SECONDS = 5.0
ROUNDS = 2


def _is_right_or_says_what_is_missing(answer: Answer) -> None:
    """Late or refused, never wrong, never silently partial."""
    if answer.refusal is None:
        assert answer.is_whole
        assert answer.rows.count == ROWS, f"a partial answer of {answer.rows.count} rows was called complete"
        return
    refusal = answer.refusal
    assert refusal.sqlstate in LOST | TOO_LATE, refusal
    assert VICTIM in refusal.missing, f"it does not say what is missing: {refusal}"


def _ask_and_strike(client: Client, sql: str, pid: int, blow: signal.Signals) -> Answer:
    """Strikes as soon as the first of many rows are there, or at once where rows come in the end."""
    number = client.ask_all([sql], seconds=10)[0]
    if sql == HEAVY:
        while not client.answers[number].rows.count and not client.answers[number].is_ended:
            client.read_some(FIRST_ROWS_SECONDS)
    os.kill(pid, blow)
    return client.wait_for([number], seconds=15)[0]


def node_stops_in_the_middle(stage: Stage) -> None:
    """It stands still, is missed, and goes on."""
    pid = stage.watch.pid(f"node-{VICTIM}")
    for sql in [HEAVY, ORDERED] * ROUNDS:
        try:
            with stage.client(receive_buffer=65536) as client:
                answer = _ask_and_strike(client, sql, pid, signal.SIGSTOP)
                stage.note(f"after {answer.rows.count} rows: {answer.refusal or 'whole'}")
                _is_right_or_says_what_is_missing(answer)
                _half_is_still_served(client)
        finally:
            os.kill(pid, signal.SIGCONT)
        back = until(stage.is_serving, COMES_BACK_SECONDS)
        assert back is not None, f"not served {COMES_BACK_SECONDS:.0f} s after the node went on"
        stage.note(f"served again {back:.1f} s after the node went on")


def node_dies_in_the_middle(stage: Stage) -> None:
    """It is killed."""
    pid = stage.watch.pid(f"node-{VICTIM}")
    with stage.client(receive_buffer=65536) as client:
        answer = _ask_and_strike(client, HEAVY, pid, signal.SIGKILL)
        stage.note(f"after {answer.rows.count} rows: {answer.refusal or 'whole'}")
        _is_right_or_says_what_is_missing(answer)
        _half_is_still_served(client)
        again = client.ask(ORDERED)
        assert again.refusal is not None, "the whole table was served without one of its nodes"
        _is_right_or_says_what_is_missing(again)
    assert stage.watch.dead() == [f"node-{VICTIM}"]


def _half_is_still_served(client: Client) -> None:
    """Keys of the other node are found, and those of this one are missed by name."""
    found = 0
    for row_id in range(1, 41):
        answer = client.ask(ORDERS.look_up(row_id), seconds=4)
        if answer.refusal is None:
            assert answer.rows.values() == [ORDERS.found(row_id)]
            found += 1
        else:
            assert VICTIM in answer.refusal.missing, answer.refusal
    assert found >= 8, f"{found} of 40 keys were found, although one of two nodes lives"
