"""Real processes die without warning: nothing confirmed is lost, nothing is doubled, nothing is silently partial."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_cluster import DAEDALUS, ROOT, LocalCluster, local_cluster, run_command, wait_until

COUNTERS = "CREATE TABLE counters (id int NOT NULL, place int NOT NULL, n bigint NOT NULL);"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    options = ["--storage-nodes", "2", "--segments", "2", "--aggregators", "2", "--segment-mib", "1"]
    with local_cluster(tmp_path, COUNTERS, *options, "--partition-by", "hash(place)") as running:
        rows = ", ".join(f"({n}, {n}, 0)" for n in range(40))
        assert running.change(f"INSERT INTO counters VALUES {rows}") == 40
        yield running


def test_dead_node_is_named_and_no_answer_is_partial(cluster: LocalCluster) -> None:
    cluster.kill("node-1")
    wait_until(
        lambda: not cluster.succeeds("SELECT count(*) FROM counters"),
        "a query of everything fails once a node is dead",
    )
    error = cluster.document("SELECT count(*) FROM counters")["error"]
    assert "1" in str(error.get("missing", error["message"]))
    answered = {cluster.succeeds(f"SELECT n FROM counters WHERE place = {place}") for place in range(8)}
    assert answered == {True, False}, "only partitions of the living node answer"
    status = cluster.run_daedalus("status")
    assert "DEAD: node-1" in status.said


def test_updates_survive_the_death_of_an_aggregator(cluster: LocalCluster) -> None:
    confirmed: list[bool] = []
    second = cluster.addresses[1]

    def increment() -> None:
        script = "UPDATE counters SET n = n + 1 WHERE id < 40;\n" * 200
        answer = run_command(DAEDALUS, "sql", "-f", "-", "--format", "json", "--cluster", second, stdin=script)
        confirmed.extend('"applied":40' in line.replace(" ", "") for line in answer.out.splitlines())

    load = threading.Thread(target=increment)
    load.start()
    wait_until(lambda: cluster.value("SELECT min(n) FROM counters") > 20, "updates are flowing")
    cluster.kill("aggregator-0")
    load.join()
    assert confirmed == [True] * 200
    answer = cluster.rows("SELECT min(n), max(n) FROM counters", aggregator=1)
    assert answer == [(200, 200)], "every update took effect once, on every row"


def test_new_writer_continues_where_the_dead_one_stopped(cluster: LocalCluster) -> None:
    before = cluster.document("UPDATE counters SET n = 1")["timestamp"]
    cluster.kill("writer")
    wait_until(lambda: not cluster.succeeds("UPDATE counters SET n = 2"), "writes are refused without a writer")
    listen = f"127.0.0.1:{cluster.port + 50}"
    successor = subprocess.Popen(
        [
            *(ROOT / "bin" / "daedalus-writer", "--aggregators", cluster.address, "--listen", listen),
            *("--name", "successor", "--no-journal-in", cluster.directory / "successor"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert successor.stderr is not None
        assert any(line.strip().endswith("ready") for line in iter(successor.stderr.readline, ""))
        wait_until(lambda: cluster.succeeds("UPDATE counters SET n = 3"), "the successor takes submissions")
        assert cluster.document("UPDATE counters SET n = n + 1")["timestamp"] > before
        assert cluster.rows("SELECT min(n), max(n) FROM counters") == [(4, 4)]
    finally:
        successor.terminate()
        successor.communicate(timeout=30)
