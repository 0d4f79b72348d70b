"""A query that is too large by itself is refused for good; one that others leave no memory for is answered when they
end.
"""

from __future__ import annotations

import json
import select
from collections.abc import Iterator

import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

ROWS = 150_000
LINE = 200
ANSWER_SECONDS_MAX = 30
REFUSALS = 3  # While the command line asks, too.
FEW = 80_000  # One query keeps all of them in memory, two do not.
TABLE = f"CREATE TABLE lines (id int NOT NULL, name varchar(15), code char(39) NOT NULL, line char({LINE}) NOT NULL);"
OPTIONS = ("--storage-nodes", "1", "--segments", "1", "--aggregators", "1", "--segment-mib", "64")
SETTING = "answer_memory_mib = 64\n"
COUNT_FEW = f"SELECT count(DISTINCT line) FROM lines WHERE id < {FEW}"


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("lines"), TABLE, *OPTIONS) as cluster:
        for name in ("node-0", "aggregator-0"):
            give_little_memory(cluster, name)
        wait_until(lambda: cluster.succeeds("DELETE FROM lines"), "the table is served again")
        with cluster.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET daedalus.copy = batches")
            with cursor.copy("COPY lines FROM STDIN") as copy:
                for row in range(ROWS):
                    copy.write_row((row, f"{row:015}", f"{row:039}", f"{row:0{LINE}}"))
        yield cluster


def give_little_memory(cluster: LocalCluster, name: str) -> None:
    """Has a process start again with the smallest bound of answers' memory that there is."""
    configuration = cluster.directory / f"{name}.toml"
    configuration.write_text(SETTING + configuration.read_text())
    cluster.kill(name)
    cluster.start_again(name)


def sqlstate_of(connection: psycopg.Connection[tuple[int]], statement: str) -> str | None:
    try:
        connection.execute(statement.encode())
    except psycopg.Error as error:
        return error.sqlstate
    return None


def test_distinct_values_take_little_more_than_their_bytes(lines: LocalCluster) -> None:
    (counts,) = lines.rows("SELECT count(DISTINCT id), count(DISTINCT name), count(DISTINCT code) FROM lines")
    assert counts == (ROWS, ROWS, ROWS)


def test_a_query_that_is_too_large_alone_is_refused_for_good(lines: LocalCluster) -> None:
    words = "answer_memory_mib of node 0"
    lines.refuses("SELECT count(DISTINCT line) FROM lines", "54000", words, "docs/configuration.md")
    # The command line repeats whatever may be answered later, up to its deadline.
    answer = lines.run_daedalus("sql", "-c", "SELECT count(DISTINCT line) FROM lines")
    assert answer.code != 0
    assert "54000" in answer.err, answer.said
    assert words in answer.err, answer.said
    assert lines.value(COUNT_FEW) == FEW


def test_a_query_that_others_leave_no_memory_is_answered_when_they_have_ended(lines: LocalCluster) -> None:
    session = lines.session()
    assert session.ask(COUNT_FEW)["rows"] == [[str(FEW)]]
    with lines.connect() as asker, lines.connect() as holder:
        # Its rows are sorted and wait in the aggregator: nobody reads more than that there are some.
        holder.pgconn.send_query(f"SELECT line FROM lines WHERE id < {FEW} ORDER BY line".encode())
        readable, _, _ = select.select([holder], [], [], ANSWER_SECONDS_MAX)
        assert readable
        session.send(COUNT_FEW)  # The command line repeats it.
        for _ in range(REFUSALS):
            assert sqlstate_of(asker, COUNT_FEW) == "53200"
        holder.close()
        assert json.loads(session.line())["rows"] == [[str(FEW)]]
        assert sqlstate_of(asker, COUNT_FEW) is None
