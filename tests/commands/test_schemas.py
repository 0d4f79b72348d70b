"""Every table of schemas/ with sample data, through the commands: the answers are DuckDB's, before and after writes."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from local_cluster import ROOT, LocalCluster, local_cluster
from mirror import average
from sample_data import write

ROWS = 3000


@dataclass(frozen=True, slots=True)
class Sample:
    """One table, how it is spread, and what is asked and done."""

    table: str
    partition_by: str
    queries: list[str]
    writes: list[str]
    exact_average: tuple[str, str]  # of this column, over rows with this condition


SAMPLES = [
    Sample(
        "lineitem",
        "hash(l_orderkey)",
        [
            # TPC-H's pricing summary and revenue change, with what is computed left to the one who asks.
            "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), count(*) FROM lineitem"
            " WHERE l_shipdate <= '1998-09-02' GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
            "SELECT count(*), sum(l_extendedprice) FROM lineitem WHERE l_shipdate >= '1994-01-01'"
            " AND l_shipdate < '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
            "SELECT l_orderkey, l_linenumber, l_shipmode, l_comment FROM lineitem"
            " WHERE l_comment LIKE 'sl%' ORDER BY l_orderkey, l_linenumber LIMIT 20",
            "SELECT l_shipmode, min(l_receiptdate), max(l_receiptdate), count(*) FROM lineitem"
            " WHERE NOT (l_shipinstruct = 'NONE' OR l_tax = 0) GROUP BY l_shipmode ORDER BY l_shipmode",
        ],
        [
            "UPDATE lineitem SET l_quantity = l_quantity + 1, l_shipmode = 'MAIL' WHERE l_suppkey = 7",
            "DELETE FROM lineitem WHERE l_returnflag = 'R'",
        ],
        ("l_extendedprice", "l_linestatus = 'O'"),
    ),
    Sample(
        "order_lines",
        "hash(order_id)",
        [
            "SELECT ship_mode, count(*), sum(quantity), sum(extended_price), count(discount) FROM order_lines"
            " GROUP BY ship_mode ORDER BY ship_mode",
            "SELECT part_id, count(*) FROM order_lines GROUP BY part_id ORDER BY count(*) DESC, part_id LIMIT 10",
            "SELECT order_id, line_number, ship_date, received_at, return_flag FROM order_lines"
            " WHERE received_at IS NULL OR comment = 'gift wrap' ORDER BY ship_date, order_id, line_number",
            "SELECT count(*), min(tax), max(tax), min(discount), max(received_at) FROM order_lines"
            " WHERE discount IS NOT NULL AND tax > 0.05",
        ],
        [
            "UPDATE order_lines SET return_flag = 'R', comment = NULL WHERE part_id < 3 AND received_at IS NOT NULL",
            "DELETE FROM order_lines WHERE ship_date IS NULL OR ship_mode = 'COURIER'",
        ],
        ("extended_price", "quantity > 3"),
    ),
    Sample(
        "sensor_readings",
        "hash(sensor_id)",
        [
            "SELECT site, quantity, count(*), count(value), min(value), max(value) FROM sensor_readings"
            " GROUP BY site, quantity ORDER BY site, quantity",
            "SELECT sensor_id, taken_at, value, signal_dbm FROM sensor_readings"
            " WHERE is_suspect OR signal_dbm < -93 ORDER BY signal_dbm, sensor_id, taken_at LIMIT 40",
            "SELECT status, count(*), max(note), min(battery_volts) FROM sensor_readings"
            " WHERE calibrated_on IS NULL GROUP BY status ORDER BY status",
            "SELECT count(*), sum(signal_dbm), min(taken_at), max(taken_at) FROM sensor_readings"
            " WHERE taken_at >= '2025-01-01 02:00:00' AND site IN ('ZRH1', 'ZRH2')",
        ],
        [
            "UPDATE sensor_readings SET is_suspect = true, note = 'low battery' WHERE battery_volts < 2.75",
            "DELETE FROM sensor_readings WHERE status <> 0 AND note IS NULL",
        ],
        ("status", "sensor_id < 50"),
    ),
]


@dataclass(frozen=True, slots=True)
class Pair:
    """A cluster and DuckDB hold the same rows."""

    sample: Sample
    cluster: LocalCluster
    duck: duckdb.DuckDBPyConnection


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda sample: sample.table)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    sample = request.param
    base = tmp_path_factory.mktemp(sample.table)
    ddl = (ROOT / "schemas" / f"{sample.table}.sql").read_text()
    lines = base / "rows.csv"
    with lines.open("w") as sink:
        write(sample.table, ROWS, 1, sink)
    duck = duckdb.connect(":memory:")
    duck.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")  # as PostgreSQL has it
    duck.execute(without_key(ddl))
    duck.execute(f"COPY {sample.table} FROM '{lines}' (HEADER, NULLSTR '')")
    options = ["--storage-nodes", "2", "--segments", "2", "--segment-mib", "4", "--partition-by", sample.partition_by]
    with local_cluster(base, ddl, *options) as cluster:
        loaded = cluster.run_daedalus("load", lines)
        assert loaded.code == 0, loaded.said
        yield Pair(sample, cluster, duck)


def without_key(ddl: str) -> str:
    """A key is kept as information here; DuckDB would enforce it."""
    kept = [line for line in ddl.splitlines() if "PRIMARY KEY" not in line]
    return "\n".join(kept).replace(",\n);", "\n);")


def plain(value: Any, kind: str) -> object:
    """A value of either side, so that equal ones are equal; digits after the point count."""
    if value is None or isinstance(value, bool):
        return value
    if kind == "real":
        return struct.unpack("<f", struct.pack("<f", float(value)))[0]
    if kind == "double precision":
        return float(value)
    if kind == "character" or kind.startswith("character("):
        return str(value).rstrip(" ")
    if kind.startswith("timestamp") and "." in str(value):
        return str(value).rstrip("0").rstrip(".")
    return str(value)


def check_answers(pair: Pair) -> None:
    """Asks every query on both sides."""
    for query, ours in zip(pair.sample.queries, pair.cluster.documents(*pair.sample.queries), strict=True):
        assert "error" not in ours, ours
        kinds = [column["type"] for column in ours["columns"]]
        theirs = pair.duck.execute(query).fetchall()
        assert theirs, query
        assert table_of(ours["rows"], kinds) == table_of(theirs, kinds), query


def table_of(rows: Iterable[Sequence[Any]], kinds: list[str]) -> list[list[object]]:
    """Rows of either side, comparable."""
    return [[plain(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]


def test_answers_are_the_same_before_and_after_writes(pair: Pair) -> None:
    table = pair.sample.table
    assert pair.cluster.value(f"SELECT count(*) FROM {table}") == ROWS
    check_answers(pair)
    for write_statement in pair.sample.writes:
        fetched = pair.duck.execute(write_statement).fetchone()
        assert fetched is not None
        assert fetched[0] > 0, write_statement
        outcome = pair.cluster.document(write_statement)
        assert (outcome["matched"], outcome["applied"]) == (fetched[0], fetched[0]), write_statement
        check_answers(pair)


def test_averages_have_the_digits_that_postgres_gives(pair: Pair) -> None:
    column, condition = pair.sample.exact_average
    fetched = pair.duck.execute(
        f"SELECT sum({column}), count({column}) FROM {pair.sample.table} WHERE {condition}"
    ).fetchone()
    assert fetched is not None
    answered = pair.cluster.value(f"SELECT avg({column})::text FROM {pair.sample.table} WHERE {condition}")
    assert answered == str(average(Decimal(fetched[0]), fetched[1]))


def test_seed_decides_the_rows(tmp_path: Path) -> None:
    texts = {}
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        with (tmp_path / name).open("w") as sink:
            write("sensor_readings", 50, seed, sink)
        texts[name] = (tmp_path / name).read_text()
    assert texts["first"] == texts["again"]
    assert texts["first"] != texts["other"]
