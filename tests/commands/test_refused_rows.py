"""An update that refuses rows has taken effect on the others: exit code 1, PostgreSQL's code, and the counts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from local_cluster import Answer, LocalCluster, local_cluster

COUNTERS = "CREATE TABLE counters (id int NOT NULL, amount smallint, total numeric(4,2), name varchar(8));"
ROWS_TOO_MANY = 120_000


@pytest.fixture(scope="module")
def counters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """2 storage nodes of 1 small segment each."""
    base = tmp_path_factory.mktemp("refused")
    with local_cluster(base, COUNTERS, "--storage-nodes", "2", "--segments", "1", "--segment-mib", "1") as running:
        yield running


@pytest.fixture
def three_rows(counters: LocalCluster) -> LocalCluster:
    """Two rows whose amounts have room for one more, and one that has not."""
    counters.change("DELETE FROM counters")
    assert counters.change("INSERT INTO counters (id, amount) VALUES (1, 1), (2, 32767), (3, 5)") == 3
    return counters


def amounts(cluster: LocalCluster) -> list[int]:
    """Returns what the rows hold now."""
    return [amount for (amount,) in cluster.rows("SELECT amount FROM counters ORDER BY id")]


def refused_rows(document: dict[str, object]) -> int:
    """Rows that an update refused, for whatever reason."""
    refused = document["refused"]
    assert isinstance(refused, list)
    return sum(int(each["rows"]) for each in refused)


def test_overflow_is_an_error_that_says_what_took_effect(three_rows: LocalCluster) -> None:
    answer = three_rows.run_daedalus("sql", "-c", "UPDATE counters SET amount = amount + 1", "--format", "json")
    assert answer.code == 1, answer.said
    document = answer.json()
    assert (document["matched"], document["applied"]) == (3, 2)
    assert document["refused"] == [{"reason": "overflow", "rows": 1}]
    error = document["error"]
    assert (error["category"], error["sqlstate"]) == ("REJECTED", "22003")
    for words in ("2 rows applied, 1 refused (overflow)", f"timestamp {document['timestamp']}", "not to be repeated"):
        assert words in error["message"]
    assert amounts(three_rows) == [2, 32767, 6], "the update took effect once, on the other rows"


def test_an_update_that_refuses_every_row_is_no_success(three_rows: LocalCluster) -> None:
    answer = three_rows.run_daedalus("sql", "-c", "UPDATE counters SET amount = amount + 1 WHERE id = 2")
    assert answer.code == 1, answer.said
    assert "1 row matched, 0 applied, 1 refused (overflow)" in answer.out
    assert "ERROR 22003 (REJECTED): 0 rows applied, 1 refused (overflow)" in answer.err
    assert amounts(three_rows) == [1, 32767, 5]


def test_numeric_overflow_has_the_same_code(three_rows: LocalCluster) -> None:
    assert three_rows.change("UPDATE counters SET total = 99.99 WHERE id = 1") == 1
    document = three_rows.document("UPDATE counters SET total = total + 0.01")
    assert document["error"]["sqlstate"] == "22003"
    assert three_rows.value("SELECT total FROM counters WHERE id = 1") == Decimal("99.99")


def test_a_row_that_cannot_be_computed_stays_as_it_is(three_rows: LocalCluster) -> None:
    """SET, then WHERE: each by itself fails on the row with a zero."""
    assert three_rows.change("UPDATE counters SET amount = amount - 1, name = upper('a' || id::text)") == 3
    for statement in (
        "UPDATE counters SET amount = 100 / amount WHERE id <> 2",
        "DELETE FROM counters WHERE 100 / amount > 3 AND id < 4",
    ):
        document = three_rows.document(statement)
        assert document["refused"] == [{"reason": "failed with 22012", "rows": 1}]
        assert document["error"]["sqlstate"] == "22012"
    assert amounts(three_rows) == [0, 32766], "one row was deleted, and the zero is still there"
    three_rows.refuses("UPDATE counters SET total = sin(amount)", "0A000")


def test_csv_has_the_counts_and_the_error_stream_the_code(three_rows: LocalCluster) -> None:
    answer = three_rows.run_daedalus("sql", "-c", "UPDATE counters SET amount = amount + 1", "--format", "csv")
    assert answer.code == 1, answer.said
    (counts,) = csv.DictReader(io.StringIO(answer.out))
    assert (counts["matched"], counts["applied"], counts["refused"]) == ("3", "2", "1")
    assert "ERROR 22003" in answer.err


def test_statements_after_refused_rows_run_from_a_file_only(three_rows: LocalCluster) -> None:
    statements = ("UPDATE counters SET amount = amount + 1", "SELECT count(*) FROM counters")
    stopped = three_rows.run_daedalus("sql", "-c", "; ".join(statements), "--format", "json")
    assert stopped.code == 1, stopped.said
    assert len(stopped.out.splitlines()) == 1
    streamed = three_rows.run_daedalus("sql", "-f", "-", "--format", "json", stdin="; ".join(statements) + ";")
    assert streamed.code == 1, streamed.said
    assert [sorted(json.loads(line))[:2] for line in streamed.out.splitlines()] == [
        ["applied", "elapsed_ms"],
        ["columns", "elapsed_ms"],
    ]


def fill(cluster: LocalCluster, directory: Path) -> Answer:
    """Loads more rows than there is room for."""
    cluster.change("DELETE FROM counters")
    lines = directory / "many.csv"
    lines.write_text("id,amount\n" + "".join(f"{n},7\n" for n in range(ROWS_TOO_MANY)))
    return cluster.run_daedalus("load", lines, "--restart")


def test_load_into_full_segments_ends_with_the_code_and_exact_counts(counters: LocalCluster, tmp_path: Path) -> None:
    answer = fill(counters, tmp_path)
    assert answer.code == 1, answer.said
    assert "ERROR 53100 (REJECTED)" in answer.err
    kept = counters.value("SELECT count(*) FROM counters")
    assert f"{kept} rows are in" in answer.err
    assert "refused and cannot be loaded any more" in answer.err
    again = counters.run_daedalus("load", tmp_path / "many.csv")
    assert again.code == 1, again.said
    assert "cannot be gone on with" in again.err
    assert counters.value("SELECT count(*) FROM counters") == kept, "nothing was repeated"


def test_insert_into_full_segments_is_an_error_that_says_what_is_in(counters: LocalCluster, tmp_path: Path) -> None:
    assert fill(counters, tmp_path).code == 1
    before = counters.value("SELECT count(*) FROM counters")
    for _ in range(ROWS_TOO_MANY // 1_000):
        rows = ", ".join(f"({n}, 8)" for n in range(1_000))
        document = counters.document(f"INSERT INTO counters (id, amount) VALUES {rows}")
        before += document["applied"]
        if "error" in document:
            break
    assert document["error"]["sqlstate"] == "53100"
    assert document["refused"][0]["reason"] == "no room"
    assert document["applied"] + refused_rows(document) == 1_000
    assert "segment is full" in document["error"]["detail"]
    assert counters.value("SELECT count(*) FROM counters") == before, "refused rows are not in, the others are"


def test_help_does_not_promise_whole_batches(counters: LocalCluster) -> None:
    told = " ".join(counters.run_daedalus("load", "--help").out.split())
    assert "takes effect as a whole" not in told
    assert "53100" in told
