"""Windows are bounded (`--window-mib`), and no query fails for it that names no moment.

DAEDALUS_WINDOW_UPDATES (10) says how many updates of all rows are made, each larger than the window.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from local_cluster import LocalCluster, local_cluster

READINGS = "CREATE TABLE readings (id int NOT NULL, value bigint NOT NULL);"
ROWS = 300_000  # 1.2 MB of values in each of the two segments.
UPDATES = int(os.environ.get("DAEDALUS_WINDOW_UPDATES", "10"))
WHOLE = "SELECT count(*), sum(value)::bigint FROM readings"
ONE = "SELECT count(*), max(value) FROM readings WHERE id = 7"


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    base = tmp_path_factory.mktemp("window")
    options = ["--storage-nodes", "2", "--segments", "1", "--segment-mib", "32", "--window-mib", "1"]
    with local_cluster(base, READINGS, *options, "--partition-by", "hash(id)", "--durability", "off") as running:
        lines = base / "readings.csv"
        lines.write_text("id,value\n" + "".join(f"{number},0\n" for number in range(ROWS)))
        loaded = running.run_daedalus("load", lines)
        assert loaded.code == 0, loaded.said
        yield running


def ask_until(is_over: threading.Event, cluster: LocalCluster, query: str) -> list[tuple[int, int]]:
    """Asks again and again, and returns the answers; the first error ends it."""
    answers = []
    with contextlib.closing(cluster.connect()) as connection:
        while not is_over.is_set():
            row = connection.execute(query.encode()).fetchone()
            assert row is not None
            answers.append(row)
    return answers


def test_no_query_fails_beside_updates_that_are_larger_than_the_window(readings: LocalCluster) -> None:
    is_over = threading.Event()
    with ThreadPoolExecutor() as threads:
        whole = [threads.submit(ask_until, is_over, readings, WHOLE) for _ in range(3)]
        one = threads.submit(ask_until, is_over, readings, ONE)
        try:
            for _ in range(UPDATES):
                assert readings.change("UPDATE readings SET value = value + 1") == ROWS
        finally:
            is_over.set()
    for answers in [each.result() for each in whole]:
        assert answers
        assert {(rows, total % ROWS) for rows, total in answers} == {(ROWS, 0)}
        assert answers == sorted(answers)
    assert one.result() == sorted(one.result())
    assert readings.value(WHOLE.replace("count(*), ", "")) == ROWS * UPDATES


def test_status_says_how_much_the_windows_take_and_how_far_back_they_reach(readings: LocalCluster) -> None:
    assert readings.change("UPDATE readings SET value = value + 1 WHERE id < 1000") == 1000
    status = readings.run_daedalus("status", "--format", "json").json()["status"]
    for segment in [segment for node in status["nodes"] for segment in node["segments"]]:
        assert segment["window_bytes_max"] == 1 << 20
        assert 0 < segment["window_bytes"] <= 1 << 20
        assert 0 < segment["window_from"] <= segment["applied"]
    assert "oldest moment" in readings.run_daedalus("status").out
    assert "window_mib = 1\n" in Path(readings.directory / "node-0.toml").read_text()
