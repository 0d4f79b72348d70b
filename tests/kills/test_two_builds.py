"""Programs of two builds beside each other, of which the later one has a function more: twice(integer).

Whatever is replaced first, an older program is sent nothing that it does not know, and says so when it is started on
what a later one has written.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from built_programs import PROGRAMS
from local_cluster import ROOT, LocalCluster, local_cluster, wait_until

FUNCTIONS = Path("org/daedalus/writer/functions.tsv")
RESOURCES = ROOT / "client-java" / "writer" / "src" / "main" / "resources"
# As semantics/tests/later_build.cpp has it.
LATER_LINES = "function\t65000\ttwice\t3\t3\texact\t\nlanguage\t1a7e12b011d00002\nlater\tfunction\t65000\t3\n"
TWICE = "SELECT sum(twice(id)) FROM events"
END_SECONDS_MAX = 60
OLD, LATER = 0, 1


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    options = ["--storage-nodes", "2", "--segments", "1", "--aggregators", "2", "--segment-mib", "1"]
    ddl = "CREATE TABLE events (id int NOT NULL, n int);"
    with local_cluster(tmp_path, ddl, *options, "--durability", "sync", "--partition-by", "hash(id)") as running:
        assert running.change("INSERT INTO events (id) VALUES (1), (2), (3), (4), (5)") == 5
        yield running


def later_program(command: list[str]) -> list[str]:
    return [str(PROGRAMS / f"{Path(command[0]).name}-later"), *command[1:]]


def later_writer(folder: Path) -> Callable[[list[str]], list[str]]:
    """The writer with the later build's list of functions before its own."""
    (folder / FUNCTIONS).parent.mkdir(parents=True)
    (folder / FUNCTIONS).write_text((RESOURCES / FUNCTIONS).read_text() + LATER_LINES)

    def change(command: list[str]) -> list[str]:
        classes = command.index("-cp") + 1
        return [*command[:classes], f"{folder}:{command[classes]}", *command[classes + 1 :]]

    return change


def replace(cluster: LocalCluster, name: str, change: Callable[[list[str]], list[str]]) -> subprocess.Popen[bytes]:
    cluster.kill(name)
    return cluster.start_again(name, change=change)


def error_of(cluster: LocalCluster, statement: str, aggregator: int) -> str:
    """SQLSTATE and message; empty where there is none."""
    try:
        with cluster.connect(aggregator) as connection:
            connection.execute(statement.encode())
    except psycopg.Error as error:
        return f"{error.sqlstate} {error}"
    return ""


def await_words(cluster: LocalCluster, statement: str, words: str) -> None:
    wait_until(lambda: words in error_of(cluster, statement, LATER), f"{statement}: {words}", END_SECONDS_MAX)


def await_fine(cluster: LocalCluster, statement: str) -> None:
    wait_until(lambda: not error_of(cluster, statement, LATER), statement, END_SECONDS_MAX)


def assert_refuses_to_start(cluster: LocalCluster, name: str) -> None:
    """The older program on what the later one has written."""
    log = cluster.directory / f"{name}.log"
    said = len(log.read_text())
    process = replace(cluster, name, list)
    assert process.wait(END_SECONDS_MAX) != 0
    assert "which this build does not have: a newer build, or one with other functions" in log.read_text()[said:]


def test_a_later_build_beside_an_older_one_and_on_its_files(cluster: LocalCluster, tmp_path: Path) -> None:
    update = "UPDATE events SET n = twice(id)"
    replace(cluster, f"aggregator-{LATER}", later_program)
    await_words(cluster, TWICE, "storage node 0 is older than this aggregator: it does not know twice(integer)")
    assert "function twice() is not supported" in error_of(cluster, TWICE, OLD)
    assert cluster.value("SELECT sum(abs(id)) FROM events", LATER) == 15

    await_words(cluster, update, "no function number 65000")
    replace(cluster, "writer", later_writer(tmp_path / "later"))
    await_words(cluster, update, "storage node 0 is older than the writer")

    replace(cluster, "node-0", later_program)
    await_words(cluster, TWICE, "storage node 1 is older than this aggregator")
    await_words(cluster, update, "storage node 1 is older than the writer")
    replace(cluster, "node-1", later_program)
    await_fine(cluster, TWICE)
    assert cluster.value(TWICE, LATER) == 30
    assert cluster.value("SELECT count(n) FROM events", OLD) == 0
    await_fine(cluster, update)
    assert cluster.value("SELECT sum(n) FROM events", OLD) == 30

    replace(cluster, "node-0", later_program)
    replace(cluster, "node-1", later_program)
    await_fine(cluster, TWICE)
    assert cluster.value("SELECT sum(n) FROM events", LATER) == 30
    for name in ("node-0", "node-1", "writer"):
        assert_refuses_to_start(cluster, name)
