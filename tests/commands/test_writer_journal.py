"""A writer with a journal that is killed again and again: every update takes effect once, and none is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from local_cluster import Answer, LocalCluster, local_cluster, wait_until

NUMBERS = "CREATE TABLE numbers (id int NOT NULL, half int NOT NULL);"
COUNT = "SELECT count(*) FROM numbers"
ROWS = 60_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    # The writer that `up` starts has no journal then.
    options = ["--segments", "1", "--segment-mib", "32", "--durability", "off"]
    with local_cluster(tmp_path_factory.mktemp("journal"), NUMBERS, *options) as running:
        yield running


def start_writer(cluster: LocalCluster, journal: Path, *options: str) -> None:
    cluster.start_again("writer", change=lambda command: [*command, "--journal-dir", str(journal), *options])


def takes_updates(cluster: LocalCluster) -> bool:
    return cluster.succeeds("DELETE FROM numbers WHERE id = -1")


def await_rows(cluster: LocalCluster, load: Future[Answer], rows: int) -> None:
    wait_until(lambda: load.done() or cluster.value(COUNT) >= rows, f"{rows} rows are in, or the load has ended")


def last_words(cluster: LocalCluster) -> str:
    assert cluster.started_again[-1].wait(timeout=30) == 1
    return "\n".join((cluster.directory / "writer.log").read_text().splitlines()[-4:])


def test_a_load_goes_on_across_writers_that_are_killed(cluster: LocalCluster, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    cluster.kill("writer")
    start_writer(cluster, journal)
    wait_until(lambda: takes_updates(cluster), "the writer with a journal takes updates")
    file = tmp_path / "numbers.csv"
    with file.open("w") as out:
        out.write("id,half\n")
        out.writelines(f"{row},{row // 2}\n" for row in range(ROWS))
    with ThreadPoolExecutor(1) as loads:
        for lost in range(4):
            load = loads.submit(cluster.run_daedalus, "load", file, "--batch-rows", "50")
            await_rows(cluster, load, ROWS * (lost + 1) // 6)
            cluster.kill("writer")
            start_writer(cluster, journal)
            load.result()
    wait_until(lambda: takes_updates(cluster), "the last writer takes updates")
    cluster.run_daedalus("load", file, "--batch-rows", "50")
    assert cluster.value(COUNT) == ROWS
    assert cluster.value("SELECT sum(half) FROM numbers") == sum(row // 2 for row in range(ROWS))


def test_a_journal_is_used_by_one_and_of_the_newest_state(cluster: LocalCluster, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert takes_updates(cluster)
    cluster.kill("writer")
    start_writer(cluster, journal)
    assert "the journal is new; give it the journal of this cluster" in last_words(cluster)
    start_writer(cluster, journal, "--adopt")
    wait_until(lambda: takes_updates(cluster), "the writer takes updates")
    start_writer(cluster, journal)
    assert "is used by another process" in last_words(cluster)
    old = tmp_path / "old"
    shutil.copytree(journal, old)
    assert takes_updates(cluster)
    cluster.started_again[-2].kill()
    cluster.started_again[-2].wait()
    start_writer(cluster, old)
    assert "its journal is not the newest of this cluster" in last_words(cluster)
    start_writer(cluster, journal)
    wait_until(lambda: takes_updates(cluster), "the writer goes on with the newest journal")


def test_a_writer_without_a_journal_is_refused_where_nodes_keep_their_rows(tmp_path: Path) -> None:
    with local_cluster(tmp_path, NUMBERS, "--storage-nodes", "1", "--segments", "1", "--segment-mib", "1") as durable:
        durable.kill("writer")
        durable.start_again("writer", change=lambda command: command[: command.index("--journal-dir")])
        assert "this writer has no journal" in last_words(durable)
