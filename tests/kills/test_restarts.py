"""Processes are killed and started again while others write: nothing is lost, doubled or reordered, and whoever was
told that nothing happened was told the truth. DAEDALUS_KILLS says how often (10; hours have more).
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

KILLS = int(os.environ.get("DAEDALUS_KILLS", "10"))
ALL_AT_ONCE = max(1, KILLS // 10)
SEED = int(os.environ.get("DAEDALUS_SEED", "1"))
WRITERS = 2
ROWS = 5
EVENTS = "CREATE TABLE events (id int NOT NULL, writer int NOT NULL, note varchar(16));"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    options = ["--storage-nodes", "2", "--segments", "1", "--aggregators", "2", "--segment-mib", "4"]
    with local_cluster(tmp_path, EVENTS, *options, "--partition-by", "hash(id)") as running:
        for writer in range(WRITERS):
            assert running.change(f"INSERT INTO events VALUES (-1, {writer}, '0')") == 1
        yield running


class Submitter(threading.Thread):
    """Inserts ROWS rows of one id at a time and sets its mark to that id, and keeps what it was told."""

    def __init__(self, cluster: LocalCluster, writer: int) -> None:
        super().__init__(name=f"submitter {writer}")
        self.cluster, self.writer = cluster, writer
        self.confirmed: set[int] = set()
        self.denied: dict[int, str] = {}
        self.unknown: set[int] = set()
        self.is_over = threading.Event()
        self.number = 0

    def run(self) -> None:
        while not self.is_over.is_set():
            self.number += 1
            rows = ", ".join(f"({self.number}, {self.writer}, '')" for _ in range(ROWS))
            self.submit(f"INSERT INTO events VALUES {rows}", self.number)
            self.submit(f"UPDATE events SET note = '{self.number}' WHERE id = -1 AND writer = {self.writer}", None)

    def submit(self, statement: str, number: int | None) -> None:
        answer = self.cluster.run_daedalus("sql", "-c", statement, "--format", "json")
        if number is None:
            return
        if answer.code == 0:
            self.confirmed.add(number)
            return
        error = json.loads(answer.out.splitlines()[-1])["error"]
        if error["category"] == "UNKNOWN":
            self.unknown.add(number)
        else:
            self.denied[number] = str(error)


def is_served(cluster: LocalCluster) -> bool:
    statements = ("SELECT count(*) FROM events", "UPDATE events SET note = '' WHERE id = -2")
    return all(cluster.succeeds(statement) for statement in statements)


def rows_by_id(cluster: LocalCluster, writer: int) -> dict[int, int]:
    return dict(cluster.rows(f"SELECT id, count(*) FROM events WHERE id > 0 AND writer = {writer} GROUP BY id"))


def judge(cluster: LocalCluster, submitter: Submitter) -> None:
    found = rows_by_id(cluster, submitter.writer)
    assert set(found.values()) <= {ROWS}, f"a part of an update, or more than one: {found}"
    lost = submitter.confirmed - found.keys()
    assert not lost, f"confirmed and lost: {sorted(lost)}"
    lied = {number: why for number, why in submitter.denied.items() if number in found}
    assert not lied, f"denied, and yet they took effect: {lied}"
    mark = int(cluster.value(f"SELECT note FROM events WHERE id = -1 AND writer = {submitter.writer}"))
    assert mark <= submitter.number


def wait_for_one_more(submitters: list[Submitter], when: str) -> None:
    """Waits until each submitter is told once more that its rows are in: a kill amid no writes shows little."""
    before = {submitter: len(submitter.confirmed) for submitter in submitters}
    wait_until(
        lambda: all(len(submitter.confirmed) > count for submitter, count in before.items()),
        f"each submitter is confirmed once more {when}",
        seconds=60,
    )


def let_pass(seconds: float) -> None:
    """The others notice what has happened, or do not."""
    until = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() >= until, "time passes")


def test_nothing_is_lost_doubled_or_reordered(cluster: LocalCluster) -> None:
    print(f"DAEDALUS_SEED={SEED} DAEDALUS_KILLS={KILLS}")
    draw = random.Random(SEED)
    names = list(cluster.processes)
    submitters = [Submitter(cluster, writer) for writer in range(WRITERS)]
    for submitter in submitters:
        submitter.start()
    try:
        wait_for_one_more(submitters, "before the first kill")
        for kill in range(KILLS):
            victims = [names[kill % len(names)]]
            if kill % (KILLS // ALL_AT_ONCE) == KILLS // ALL_AT_ONCE - 1:
                victims = names
            cluster.kill(*victims)
            let_pass(draw.uniform(0, 0.5))
            started = {name: cluster.start_again(name) for name in draw.sample(victims, len(victims))}
            wait_until(lambda: is_served(cluster), f"served after {victims} came back (kill {kill})", seconds=60)
            for name, process in started.items():
                assert process.poll() is None, f"{name} has ended"
        wait_for_one_more(submitters, "after the last kill")
    finally:
        for submitter in submitters:
            submitter.is_over.set()
        for submitter in submitters:
            submitter.join()
    for submitter in submitters:
        judge(cluster, submitter)
