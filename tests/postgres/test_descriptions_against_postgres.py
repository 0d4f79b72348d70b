"""Types, lengths and precisions of columns of answers (RowDescription): of a cluster and of PostgreSQL 15 alike."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (Path(POSTGRES_BIN) / "postgres").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

# Expressions over the table of every type, a line each; those of a line are asked together.
OF_ROWS = """
id, yes, small, big, single, twice, price, day, at, clock, tag, code, name, moment
name AS a, (price), ((code)), kinds.name
coalesce(name, 'x'), coalesce(name, name), coalesce(name), coalesce(name, code), coalesce(code, name)
coalesce(code, code), coalesce(code, 'x'), coalesce(price, price), coalesce(price, 1), coalesce(id, price)
coalesce(at, at), coalesce(day, at), coalesce(name::varchar(3), name), coalesce(name::varchar(3), name::varchar(3))
coalesce(price::numeric(4,1), price), coalesce(price::numeric(4,1), price::numeric(4,1))
coalesce(at::timestamp(0), at::timestamp(0))
coalesce(at::timestamp(0), at::timestamp(1)), coalesce(at::time(0), clock)
CASE WHEN yes THEN name END, CASE WHEN yes THEN name ELSE name END, CASE WHEN yes THEN name ELSE 'x' END
CASE WHEN yes THEN price END, CASE WHEN yes THEN price ELSE price END, CASE WHEN yes THEN price ELSE 1 END
CASE WHEN yes THEN code END, CASE WHEN yes THEN code ELSE code END, CASE WHEN yes THEN code ELSE name END
CASE WHEN yes THEN name WHEN id = 1 THEN name END, CASE WHEN yes THEN code ELSE NULL END, CASE id WHEN 1 THEN name END
CASE WHEN yes THEN at::timestamp(0) ELSE at::timestamp(0) END, CASE WHEN yes THEN id ELSE price END
greatest(name, name), greatest(name, 'x'), greatest(name), least(code, code), greatest(code, name), least(price, 1)
greatest(price, price), greatest(price, price::numeric(4,1)), greatest(clock::time(1), clock::time(1)), least(at, day)
nullif(name, 'x'), nullif(code, 'x'), nullif(price, 1), nullif(price, price), nullif(name, code), nullif(id, 1)
nullif(at, at), nullif(at::timestamp(0), at), nullif(small, big), nullif(day, at), nullif('x', name)
at::timestamp(0), at::timestamp(3), at::timestamp(6), at::timestamp, day::timestamp(0), at::date, at::time(2)
moment::timestamptz(0), moment::timestamptz(2), moment::timestamptz, clock::time(0), clock::time(4), clock::time
timestamp(3) '2013-01-01', '2013-01-01'::timestamp(0)
'2013-01-01Z'::timestamptz(1), '12:00'::time(0), date '2013-01-01'
'1 day'::interval, interval '1' day, interval(2) '1 second', '1 day'::interval(3), interval '1-2' year to month
interval '5' minute, interval '1 02:03' day to minute
interval '1' second(2), (at - at)::interval(0), interval '1' day * 2
price::numeric, price::numeric(5,1), price::numeric(12,3)
price::numeric(5), id::numeric(8), id::numeric(8,2), twice::numeric(9,3)
1.5::numeric, '1.5'::numeric(4,2), 1::numeric(5,2), 5, 1.5, 1.50, -1.5, 1e10, 100000000000, 'x', NULL, true
name::text, name::varchar, name::varchar(40), name::varchar(3)
name::varchar(50), name::char(5), name::char, name::bpchar
code::text, code::varchar, code::varchar(4), code::char(3), code::char(4), code::bpchar, code::char(3)::char(4)
'abc'::char(2), 'abc'::varchar(2), 'abc'::text, 'abc'::varchar, 'abc'::bpchar, NULL::varchar(5), NULL::numeric(5,2)
(name || 'x')::varchar(10), (name || 'x')::varchar, upper(name)::char(3), name::varchar(10)::text::varchar(10)
name || 'x', name || name, code || 'x', code || code, name || id, price || name, name || NULL, 'a' || 1
price + 1, price + price, price * 2, price / 3, price % 2, -price
+price, price * 1.5, price + id, price::numeric(12,3) + 0
abs(price), round(price), round(price, 1), trunc(price), ceil(price)
floor(price), mod(price, 2), power(price, 2), sign(price)
small + 1, small + small, id + big, id * 2.5, single + twice
single + single, single + id, id / 2, small * big, -single
day + 1, day - day, day + interval '1 day', at + interval '1 day'
at - at, moment - moment, clock + interval '1 h', day + clock
date_trunc('day', at), date_trunc('day', moment)
date_trunc('day', at::timestamp(0)), age(at, at), date_bin('1 h', at, at)
extract(year FROM at), date_part('year', at), extract(epoch FROM moment), at::text, price::text, to_char(at, 'YYYY')
upper(name), lower(code), length(name), substring(name, 1, 2)
left(name, 2), trim(name), replace(name, 'a', 'b'), lpad(name, 3)
concat(name, code), md5(name), split_part(name, 'a', 1), repeat(name, 2), format('%s', name), quote_ident(name)
name LIKE 'a%', name = code, yes AND yes, name IS NULL, id IN (1, 2), id BETWEEN 1 AND 2, id IS DISTINCT FROM 2
id::text, id::varchar(5), id::char(5), id::smallint, id::real, id::float(10), id::float(30), id::bool, tag::text
moment AT TIME ZONE 'UTC', at AT TIME ZONE 'UTC', make_date(2013, 1, 1), justify_days(at - at), isfinite(at)
"""
OF_GROUPS = """
min(small), min(id), min(big), min(single), min(twice), min(price), min(day), min(at), min(clock), min(moment)
min(code), min(name), max(code), max(name), max(name::text)
max(name::varchar(3)), min(code::char(3)), max('a'::varchar(5))
max(price), max(price::numeric(4,1)), min(at::timestamp(0))
max(name) FILTER (WHERE yes), max(price) FILTER (WHERE yes)
sum(small), sum(id), sum(big), sum(single), sum(twice), sum(price)
sum(clock), sum(DISTINCT price), sum(price)::numeric(20,2)
avg(small), avg(big), avg(price), avg(twice), avg(clock)
avg(DISTINCT id), stddev(price), variance(twice), var_pop(id)
count(*), count(name), count(DISTINCT name), count(*) + 1
bool_and(yes), bit_or(id), string_agg(name, ','), string_agg(code, ',')
coalesce(min(name), 'x'), coalesce(min(name), max(name))
coalesce(max(price), min(price)), min(name) || 'x', max(price) + 1
nullif(min(name), 'x'), greatest(max(name), 'x'), upper(min(name)), min(price)::numeric(12,3), max(code) || 'x'
"""
QUERIES = [
    *(f"SELECT {line} FROM kinds" for line in (OF_ROWS + OF_GROUPS).strip().splitlines() if line),
    "SELECT name, price, code, count(*) FROM kinds GROUP BY name, price, code",
    "SELECT DISTINCT name, price, at::timestamp(0) FROM kinds",
    "SELECT coalesce(name, 'x'), count(*) FROM kinds GROUP BY coalesce(name, 'x')",
    "SELECT price::numeric(4,1) FROM kinds GROUP BY price::numeric(4,1)",
    "SELECT * FROM (SELECT name, price, code, at::timestamp(0) AS z, name || 'x' AS w FROM kinds) q",
    "SELECT * FROM (SELECT min(name) AS least, min(price), name, price, count(*) FROM kinds GROUP BY name, price) q",
    "WITH q AS (SELECT name, price, code FROM kinds) SELECT * FROM q",
    "VALUES (1, 'a', 1.5), (2, 'bc', 2.25)",
    "VALUES ('a'::varchar(3), 1.5::numeric(4,2)), ('b', 2)",
    "VALUES ('a'::varchar(3), 1.5::numeric(4,2), 'x'::char(2)), ('b'::varchar(3), 2::numeric(4,2), 'y'::char(2))",
    "VALUES ('a'::varchar(3)), ('b'::varchar(4))",
    "SELECT column1 FROM (VALUES ('a'::varchar(3)), ('b'::varchar(3))) v",
    "SELECT 'a'::varchar(5), 1::numeric(5,2), '2013-01-01'::timestamp(0), max('x') FROM kinds",
    "SELECT 1.5, 'a'::char(3), 'a'::bpchar, NULL::timestamp(0)",
]


def columns(result: PGresult) -> list[tuple[str, int, int, int]]:
    """Name, type, size and modifier of each column."""
    assert result.status in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK), result.error_message
    return [
        ((result.fname(column) or b"").decode(), result.ftype(column), result.fsize(column), result.fmod(column))
        for column in range(result.nfields)
    ]


def described(dsn: str, sql: str) -> dict[str, list[tuple[str, int, int, int]]]:
    """Returns what each protocol tells of the columns of a statement, which leaves nothing behind."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.pgconn.exec_(b"BEGIN")
        simple = columns(connection.pgconn.exec_(sql.encode()))
        connection.pgconn.exec_(b"ROLLBACK; BEGIN")
        connection.pgconn.prepare(b"", sql.encode())
        return {
            "simple": simple,
            "statement": columns(connection.pgconn.describe_prepared(b"")),
            "portal": columns(connection.pgconn.exec_prepared(b"", [])),
        }


@pytest.mark.parametrize("sql", QUERIES)
def test_columns_are_described_as_in_postgresql(table: str, postgres: str, sql: str) -> None:
    assert described(table, sql) == described(postgres, sql)


def test_rows_of_an_insert_are_described_as_in_postgresql(table: str, postgres: str) -> None:
    sql = (
        "INSERT INTO kinds (id, name, price) VALUES (1, 'a', 1.5) "
        "RETURNING name, price, code, price + 1, name || 'x', at::timestamp(0), coalesce(name, 'x')"
    )
    assert described(table, sql) == described(postgres, sql)
