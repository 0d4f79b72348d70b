"""DuckDB on one thread over the same rows: one query at a time, whole batches as a join with a query table, one sum."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb

# The batch is flattered by one fixed query shape: those with flight and day, as 99.5 % have; no other may come.
RANGES = ("coupon", "booked")
KEYS = ("product_id", "date_in")
# More rows than these go into a table in DuckDB's memory: as objects of Python they would take longer than the query.
ROWS_FETCHED_MAX = 500
FLAGS = ("sgt_qualifier", "cancel_flag", "cabin")


class WrongAnswerError(Exception):
    """DuckDB found other rows than the plain model."""


class Duck:
    """The table `ticket` in memory."""

    def __init__(self, csv: Path, columns: dict[str, str], fetched: str, order: Sequence[str] = ()) -> None:
        """Rows lie as they come, or sorted by `order`, as no table does whose rows change."""
        self._columns = columns
        self._fetched = fetched
        self._connection = duckdb.connect(":memory:")
        types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
        sorting = f" ORDER BY {', '.join(order)}" if order else ""
        self._connection.execute(
            "CREATE TABLE ticket AS SELECT * FROM"
            f" read_csv('{csv}', header=true, delim=',', columns={{{types}}}){sorting}"
        )
        self._connection.execute("SET threads=1")

    def close(self) -> None:
        """Gives the memory back."""
        self._connection.close()

    def one_at_a_time(self, queries: Iterable[dict[str, Any]]) -> float:
        """Milliseconds for all of them, rows fetched. Error: WrongAnswerError."""
        spent = 0.0
        for query in queries:
            started = time.perf_counter()
            rows = self._connection.execute(f"SELECT {self._fetched} FROM ticket WHERE {query['where']}").fetchall()
            spent += time.perf_counter() - started
            check(len(rows), sum(row[0] for row in rows), [query])
        return spent * 1e3

    def statements(self, queries: Iterable[dict[str, Any]]) -> float:
        """Milliseconds for all of these statements, one after the other. Error: WrongAnswerError."""
        spent = 0.0
        for query in queries:
            is_fetched = query["rows"] <= ROWS_FETCHED_MAX
            statement = query["sql"] if is_fetched else f"CREATE OR REPLACE TEMP TABLE answer AS {query['sql']}"
            started = time.perf_counter()
            rows = self._connection.execute(statement).fetchall()
            spent += time.perf_counter() - started
            if is_fetched:
                found = (len(rows), sum(row[0] or 0 for row in rows))
            else:
                found = self._one_row("SELECT count(*), sum(first) FROM answer AS a (first)")
            check_truth(found, (query["rows"], query["first_sum"]))
        return spent * 1e3

    def batch(self, queries: list[dict[str, Any]]) -> dict[str, float]:
        """Milliseconds for the whole batch, by how it is asked. Error: WrongAnswerError.

        `plain`: one join, as anyone would write it, into a table in DuckDB's memory. `late`: the keys' join first, all
        other conditions behind it, the fetched columns by row number. `late_arrays`: the same into one array a column.
        """
        self._make_query_table(queries)
        fetched = ", ".join(f"ticket.{column}" for column in self._fetched.split(","))
        conditions = " AND ".join(
            [
                *(f"ticket.{column} = query.{column}" for column in FLAGS),
                "(query.provider IS NULL OR ticket.provider = query.provider)",
                *(f"ticket.{name} BETWEEN query.{name}_low AND query.{name}_high" for name in RANGES),
            ]
        )
        pairs = f"FROM query JOIN ticket USING ({', '.join(KEYS)})"
        plain = f"SELECT query.number, {fetched} {pairs} WHERE {conditions}"
        # IS TRUE keeps DuckDB from making all of them keys of the join, which costs it more.
        late = f"""
            WITH hit AS MATERIALIZED
              (SELECT query.number, ticket.rowid AS place {pairs} WHERE ({conditions}) IS TRUE)
            SELECT hit.number, {fetched} FROM hit JOIN ticket ON ticket.rowid = hit.place
        """
        times = {}
        for name, statement in (("plain", plain), ("late", late)):
            started = time.perf_counter()
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {statement}")
            times[name] = (time.perf_counter() - started) * 1e3
            (count, id_sum) = self._one_row("SELECT count(*), coalesce(sum(id), 0) FROM answer")
            check(count, id_sum, queries)
        started = time.perf_counter()
        arrays = self._connection.execute(late).fetchnumpy()
        times["late_arrays"] = (time.perf_counter() - started) * 1e3
        check(len(arrays["id"]), int(arrays["id"].sum()), queries)
        return times

    def sum(self, column: str) -> float:
        """Milliseconds for the sum of a whole column."""
        started = time.perf_counter()
        self._connection.execute(f"SELECT sum({column}) FROM ticket").fetchone()
        return (time.perf_counter() - started) * 1e3

    def _one_row(self, statement: str) -> tuple[Any, ...]:
        row = self._connection.execute(statement).fetchone()
        assert row is not None
        return row

    def _make_query_table(self, queries: list[dict[str, Any]]) -> None:
        """Made before the clock starts: the batch may lie in memory already."""
        exact = (*KEYS, *FLAGS, "provider")
        kinds = [f"{column} {self._columns[column]}" for column in exact]
        kinds += [f"{name}_{end} {self._columns[name]}" for name in RANGES for end in ("low", "high")]
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE query (number INTEGER, {', '.join(kinds)})")
        rows = []
        for number, query in enumerate(queries):
            values = [query.get(f"{column}_low") for column in exact]
            values += [query[f"{name}_{end}"] for name in RANGES for end in ("low", "high")]
            rows.append(f"({number}, {', '.join('NULL' if value is None else repr(value) for value in values)})")
        self._connection.execute(f"INSERT INTO query VALUES {', '.join(rows)}")


def check(rows: int, id_sum: int, queries: list[dict[str, Any]]) -> None:
    """Compares rows and ids with the plain model's. Error: WrongAnswerError."""
    expected = (sum(query["rows"] for query in queries), sum(query["id_sum"] for query in queries))
    check_truth((rows, id_sum), expected)


def check_truth(found: tuple[Any, ...], expected: tuple[int, int]) -> None:
    """Compares rows and the sum of their first values. Error: WrongAnswerError."""
    if found != expected:
        raise WrongAnswerError(f"rows and the sum of first values {found}, the model says {expected}")


def fits_batch(query: dict[str, Any]) -> bool:
    """Returns whether a query has the batch's shape."""
    return all(query.get(f"{key}_low", 0) == query.get(f"{key}_high", 1) for key in KEYS)
