"""An update takes effect once, and what its sender is told is true, whoever dies while it is on its way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from local_cluster import CommandLineSession, LocalCluster, local_cluster, wait_until

EVENTS = "CREATE TABLE events (id int NOT NULL, place int NOT NULL);"
NODES = ("node-0", "node-1")
AGGREGATORS = ("aggregator-0", "aggregator-1")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    options = ["--storage-nodes", "2", "--segments", "1", "--aggregators", "2", "--segment-mib", "1"]
    with local_cluster(tmp_path, EVENTS, *options, "--partition-by", "hash(place)") as running:
        assert running.change("INSERT INTO events VALUES (0, 0)") == 1
        yield running


def session_with_a_connection(cluster: LocalCluster, aggregator: str) -> CommandLineSession:
    """A client that has asked something already: its connections are made."""
    session = CommandLineSession(cluster, aggregator)
    assert session.ask("SELECT count(*) FROM events")["rows"] == [["1"]]
    return session


def status(cluster: LocalCluster, aggregator: str) -> Any:
    """Returns what one aggregator says of itself."""
    answer = cluster.run_daedalus("status", "--format", "json", "--cluster", aggregator)
    return answer.json()["status"]["aggregator"]


def updates_sent(cluster: LocalCluster) -> int:
    """How many updates the aggregators have sent to nodes."""
    return sum(int(status(cluster, address)["updates_total"]) for address in cluster.addresses)


def rows_with(cluster: LocalCluster, number: int) -> int:
    return int(cluster.value(f"SELECT count(*) FROM events WHERE id = {number}"))


def is_served(cluster: LocalCluster) -> bool:
    return cluster.succeeds("UPDATE events SET id = 0 WHERE id = 0")


def insert_while_nodes_are_suspended(cluster: LocalCluster) -> CommandLineSession:
    """Sends an INSERT of id 7 that has its number and is on its way to both nodes, which do not read."""
    session = session_with_a_connection(cluster, cluster.addresses[1])
    before = updates_sent(cluster)
    cluster.suspend(*NODES)
    session.send("INSERT INTO events VALUES (7, 0), (7, 1), (7, 2), (7, 3)")
    wait_until(lambda: updates_sent(cluster) > before, "the insert is on its way to the nodes")
    return session


def judge(cluster: LocalCluster, said: str) -> None:
    """Demands that all that was said of the four rows of id 7 is true, now and when everything has settled."""
    assert said, "the client gave an answer"
    answer = json.loads(said)
    wait_until(lambda: is_served(cluster), "writes are taken again")
    rows = rows_with(cluster, 7)
    if "error" not in answer:
        assert rows == 4, answer
    elif answer["error"]["category"] == "UNKNOWN":
        assert rows in (0, 4), answer
    else:
        assert rows == 0, answer


def test_an_insert_takes_effect_once_when_its_aggregator_and_the_writer_die(cluster: LocalCluster) -> None:
    session = insert_while_nodes_are_suspended(cluster)
    cluster.kill("writer", *AGGREGATORS)
    cluster.resume(*NODES)
    cluster.start_again("aggregator-0")
    cluster.start_again("writer")
    wait_until(lambda: is_served(cluster), "the new writer takes updates")
    cluster.start_again("aggregator-1")  # Only now can the client repeat what it was not answered.
    judge(cluster, session.line())
    session.end()


def test_the_outcome_of_an_insert_is_true_when_all_aggregators_die(cluster: LocalCluster) -> None:
    session = insert_while_nodes_are_suspended(cluster)
    cluster.suspend("writer")
    cluster.kill(*AGGREGATORS)
    cluster.resume(*NODES)
    for name in AGGREGATORS:
        cluster.start_again(name)
    # The client repeats while the aggregator has no writer to ask; one of the two clients asks for the status.
    wait_until(lambda: status(cluster, cluster.addresses[1])["clients"] == 2, "the client is back")
    cluster.resume("writer")
    judge(cluster, session.line())
    session.end()
