"""Attacks by those who write, or who claim to be the one who does."""

from __future__ import annotations

import itertools
import subprocess
import time
from collections.abc import Iterator

from local_cluster import ROOT, wait_until

from attacks.attack import FULL, Attack, expect
from attacks.client import Client
from attacks.stage import Stage
from attacks.tables import COLD, ORDERS, SMALL
from attacks.wire import Hello, Kind, Role, epoch

INSERTS = 2000
ROWS_OF_AN_INSERT = 100
IN_FLIGHT_MAX = 1000
EPOCH_MAX = 2**64 - 1


def _insert(number: int) -> str:
    first = 1_000_000_000 + number * ROWS_OF_AN_INSERT
    rows = (ORDERS.row(row_id) for row_id in range(first, first + ROWS_OF_AN_INSERT))
    return "INSERT INTO orders VALUES " + ", ".join(
        f"({row_id}, {customer}, {amount}, '{note}')" for row_id, customer, amount, note in rows
    )


def inserts_on_a_cold_cluster(stage: Stage) -> None:
    """All at once; what is refused because something is full is sent again."""
    started = time.monotonic()
    with stage.client() as client:
        refused = _confirm_all(client, iter(_insert(number) for number in range(INSERTS)))
        seconds = time.monotonic() - started
        stage.note(f"{INSERTS} inserts confirmed in {seconds:.1f} s, {refused} were refused first")
        counted = client.ask("SELECT count(*) FROM orders WHERE id >= 1000000000")
        assert counted.rows.values() == [(INSERTS * ROWS_OF_AN_INSERT,)], counted


def _confirm_all(client: Client, inserts: Iterator[str]) -> int:
    """Returns how often one was refused. A refusal of these codes means that it has no number and no effect."""
    in_flight: dict[int, str] = {}
    again: list[str] = []
    refused = 0
    while True:
        batch = list(itertools.islice(itertools.chain(again, inserts), IN_FLIGHT_MAX - len(in_flight)))
        del again[: len(batch)]
        if batch:
            in_flight.update(zip(client.ask_all(batch, writes=True), batch, strict=True))
        if not in_flight:
            return refused
        client.read_some(10)
        for number in [number for number in in_flight if client.answers[number].is_ended]:
            sql, answer = in_flight.pop(number), client.answers.pop(number)
            expect(answer, FULL)
            if answer.refusal is not None:
                refused += 1
                again.append(sql)


def epoch_beyond_all(stage: Stage) -> None:
    """Somebody asks a node, and then an aggregator, for the last epoch there is."""
    with stage.client() as client:
        described = client.operate(Kind.DESCRIBE).reply
        assert described is not None
        about = described.messages(7)[0]
        passing = Hello(
            role=Role.AGGREGATOR,
            name="attacker",
            cluster_id=about.text(1),
            schema_fingerprint=about.text(2),
            map_version=about.messages(6)[0].number(1),
        )
    writer = Hello(role=Role.WRITER, name="attacker")
    for port, hello in ((stage.node_port(0), passing), (stage.port, writer)):
        for asked in (EPOCH_MAX, EPOCH_MAX - 1, 2**63):
            with Client(port, hello) as somebody:
                answer = somebody.operate(Kind.EPOCH, epoch(asked, "attacker", "127.0.0.1:1"))
                is_granted = answer.reply is not None and answer.reply.messages(9)[0].number(1) == 1
                assert not is_granted, f"an epoch of {asked} was granted at port {port}"
    _writes_go_on(stage)
    _a_new_writer_can_take_over(stage)


def _writes_go_on(stage: Stage) -> None:
    with stage.client() as client:
        answer = client.ask("INSERT INTO orders VALUES (2000000000, 1, 1, 'x')", writes=True, seconds=10)
        assert answer.confirmed is not None, answer.refusal


def _a_new_writer_can_take_over(stage: Stage) -> None:
    successor = subprocess.Popen(
        [
            *(ROOT / "bin" / "daedalus-writer", "--aggregators", stage.cluster.address, "--name", "successor"),
            *("--listen", f"127.0.0.1:{stage.port + 59}", "--take-over", "--no-journal-in", "successor"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert successor.stderr is not None
        assert any(line.strip().endswith("ready") for line in iter(successor.stderr.readline, ""))
        wait_until(
            lambda: stage.cluster.succeeds("INSERT INTO orders VALUES (2000000001, 1, 1, 'x')"),
            "the successor takes submissions",
            seconds=10,
        )
    finally:
        successor.terminate()
        successor.communicate(timeout=10)


ATTACKS = [
    Attack(
        "inserts-on-a-cold-cluster",
        "Two thousand inserts of a hundred rows on a cluster that has just started.",
        inserts_on_a_cold_cluster,
        table=COLD,
        spoils=True,
    ),
    Attack("epoch-beyond-all", "An epoch of 2^64 - 1 is asked for.", epoch_beyond_all, table=SMALL, spoils=True),
]
