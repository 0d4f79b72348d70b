"""Transfers between accounts in four segments of two nodes, while nodes and aggregators are killed: every answer is the
table at one moment. DAEDALUS_SUMS says how many answers are judged (500), DAEDALUS_KILLS how often is killed (10).
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator

import pytest
from local_cluster import LocalCluster, local_cluster, wait_until
from transfers import ACCOUNTS, FOUR_SEGMENTS, SUM, Tally, open_accounts, sessions

KILLS = int(os.environ.get("DAEDALUS_KILLS", "10"))
SUMS = int(os.environ.get("DAEDALUS_SUMS", "500"))
DOWN_SECONDS_MAX = 0.5


def is_served(cluster: LocalCluster) -> bool:
    return all(cluster.succeeds(SUM, aggregator) for aggregator in range(2))


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory, daedalus_seed: int) -> Iterator[Tally]:
    """Counts what eight sessions are told while processes are killed one after the other."""
    draw, passing = random.Random(f"{daedalus_seed} transfers"), threading.Event()
    with local_cluster(tmp_path_factory.mktemp("transfers"), ACCOUNTS, *FOUR_SEGMENTS) as cluster:
        open_accounts(cluster)
        victims = [name for name in cluster.processes if name.startswith(("node-", "aggregator-"))]
        with sessions(cluster, daedalus_seed) as counted:
            for kill in range(KILLS):
                counted.await_answers(SUMS * (kill + 1) // (KILLS + 1))
                victim = draw.choice(victims)
                cluster.kill(victim)
                passing.wait(draw.uniform(0, DOWN_SECONDS_MAX))
                cluster.start_again(victim)
                wait_until(lambda: is_served(cluster), "served after a process came back", seconds=60)
            counted.await_answers(SUMS)
        yield counted


def test_answers_have_every_confirmed_transfer_whoever_died(tally: Tally) -> None:
    assert tally.confirmed
    assert not tally.unseen


def test_no_answer_has_half_a_transfer_whoever_died(tally: Tally) -> None:
    assert not tally.torn, f"{tally}: {tally.torn[:3]}"
