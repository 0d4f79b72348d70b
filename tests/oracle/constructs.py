"""What SQL is made of, a construct with statements that use it: what `docs/sql.md` lists, and `test_constructs.py` asks
PostgreSQL, too. Whether a construct is answered is not said here: the compiler says it."""

from __future__ import annotations

import re
from dataclasses import dataclass

ROWS = [
    "INSERT INTO t (i, b, s, l, r, d, n, h, day, at, c, v, moment, clock, tag) VALUES " + row
    for row in (
        "(1, true, 1, 20, 1.5, 2.5, 1.25, 1.2345, '2013-01-01', '2013-01-01 05:00:00', 'ab', "
        "'ab', '2013-01-01 05:00:00+05:30', "
        "'05:06:07.5', '00112233-4455-6677-8899-aabbccddeeff')",
        "(2, false, -5, -7, -0.5, 100, -99.99, -0.0001, '1969-12-31', '1969-12-31 23:59:59.5', "
        "'x', '', '2024-10-27 01:30:00Z', "
        "'24:00', 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
        "(3, NULL, 327, 92233720, 3, 1000, 99999999.99, 9999999999, '2013-02-01', "
        "'2013-02-01', '', 'é', '2013-02-01', "
        "'00:00', '00000000-0000-0000-0000-000000000000')",
        "(4, true, NULL, 0, 0, 0, 0, 0, '2000-02-29', '2000-02-29 12:34:56.789', 'A b', "
        "'Ab cd', '2000-02-29 12:34:56.789-08', "
        "'12:34', '00112233-4455-6677-8899-aabbccddeeff')",
        "(5, NULL, 7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        "(6, false, 3, 9, 0.25, 0.5, 0.01, 12345.6, '2013-12-31', NULL, 'zz', 'z%', '2224-07-01 12:00:00', "
        "'23:59:59.999999', '80000000-0000-0000-0000-000000000000')",
    )
]


@dataclass(frozen=True, slots=True)
class Construct:
    """One thing that SQL has. Each of the statements uses it; it is answered when all of them are."""

    area: str
    name: str
    statements: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its part of the test's name."""
        return re.sub("[^a-z0-9_]+", "-", self.name.lower()).strip("-")


def _each(*expressions: str) -> str:
    """A SELECT of these: each has a name of its own, because PostgreSQL's side makes a view of it."""
    named = [f"{expression} AS x{place}" for place, expression in enumerate(expressions, 1)]
    return f"SELECT {', '.join(named)} FROM t"


def _of(area: str, *pairs: tuple[str, tuple[str, ...] | str]) -> list[Construct]:
    return [
        Construct(area, name, statements if isinstance(statements, tuple) else (statements,))
        for name, statements in pairs
    ]


CONSTRUCTS = [
    *_of(
        "Values",
        (
            "arithmetic",
            (_each("i + 1", "l - s", "n * h", "i % 2", "-n"), _each("n / 3", "l / 2", "d / 4") + " WHERE i = 1"),
        ),
        ("powers", "SELECT i ^ 2 FROM t"),
        ("bits", _each("i & 3", "i | 8", "i # 5", "~ i", "i << 2", "l >> 1")),
        ("concatenation", "SELECT v || '-' || i FROM t"),
        ("comparison of expressions", "SELECT i FROM t WHERE i + 1 > s AND n < h"),
        ("IS DISTINCT FROM", _each("s IS DISTINCT FROM 7", "l IS NOT DISTINCT FROM NULL")),
        ("IS TRUE, FALSE, UNKNOWN", _each("b IS TRUE", "b IS NOT FALSE", "b IS UNKNOWN")),
        ("BETWEEN SYMMETRIC", "SELECT i FROM t WHERE s BETWEEN SYMMETRIC 10 AND 1"),
        ("comparison of rows", "SELECT i FROM t WHERE (i, s) < (2, 0)"),
        ("IN a list", "SELECT i FROM t WHERE i + 1 IN (2, 3, NULL) AND v NOT IN ('x', 'y')"),
        ("IN a list of rows", "SELECT i FROM t WHERE (i, s) IN ((1, 1), (2, 3))"),
        ("= ANY of an array", "SELECT i FROM t WHERE i = ANY ('{1,2}'::int[])"),
        ("<> ALL of an array", "SELECT i FROM t WHERE i <> ALL (ARRAY[1, 2])"),
        ("CASE", _each("CASE WHEN i > 2 THEN 'many' ELSE 'few' END", "CASE i WHEN 1 THEN 10 END")),
        ("COALESCE, NULLIF", "SELECT coalesce(s, 0), nullif(i, 1) FROM t"),
        ("GREATEST, LEAST", "SELECT greatest(i, s), least(n, h) FROM t"),
        ("casts", "SELECT i::text, '7'::int, CAST(n AS int), at::date, d::numeric(6, 1) FROM t"),
        (
            "a char without a length",
            (
                "SELECT 2::bpchar AS x1, i::bpchar AS x2, c::bpchar AS x3, octet_length(day::bpchar) AS x4 FROM t",
                "SELECT s::bpchar, count(*) FROM t WHERE v::bpchar = c OR i::bpchar <> 'x ' GROUP BY 1",
            ),
        ),
        ("conditions as values", _each("i > 1 AND b", "NOT b")),
        ("LIKE, ILIKE", "SELECT i FROM t WHERE v LIKE '%b%' OR v ILIKE '_B %' OR v LIKE '%!%' ESCAPE '!'"),
        (
            "SIMILAR TO",
            (
                "SELECT i FROM t WHERE v SIMILAR TO '(a|z)%' OR v NOT SIMILAR TO '[a-c]+' ESCAPE '#'",
                "SELECT substring(v SIMILAR 'a#\"%#\"_' ESCAPE '#') FROM t",
            ),
        ),
        (
            "regular expressions",
            (
                "SELECT i FROM t WHERE v ~ '^a' OR v !~ 'b+$' OR v ~* 'B|z' OR c !~* '(?n)^x.\\s'",
                "SELECT i FROM t WHERE v ~ '^a' AND v ~ '^ab$' AND c !~ '^a'",
            ),
        ),
        (
            "functions of regular expressions",
            (
                _each("regexp_like(v, 'A', 'i')", "regexp_count(v, '[ab]')", "regexp_instr(v, 'b')"),
                _each("regexp_substr(v, '.$')", "substring(v from '(.)b')", "substring(v, 'a.')"),
                _each("regexp_replace(v, '(a)(.)', '\\2\\1')", "regexp_replace(v, '\\w', '<\\&>', 'g')"),
            ),
        ),
        (
            "lookaround, references back in regular expressions",
            ("SELECT i FROM t WHERE v ~ 'a(?=b)'", "SELECT i FROM t WHERE v ~ '(.)\\1'"),
        ),
        ("COLLATE", 'SELECT v COLLATE "C" FROM t'),
        (
            "dates and intervals",
            _each("day + 1", "at + INTERVAL '1 day'", "at - INTERVAL '2 hours 30 minutes'", "day - DATE '2000-01-01'"),
        ),
        (
            "intervals as results",
            (
                _each("at - TIMESTAMP '2000-01-01'", "age(at, TIMESTAMP '2000-01-01')", "INTERVAL '1 day' * i"),
                "SELECT i FROM t WHERE at IS NOT NULL ORDER BY at - TIMESTAMP '2000-01-01' DESC LIMIT 2",
                "SELECT DISTINCT at - day AS x1 FROM t",
                "INSERT INTO t (i, at) VALUES (9, '2013-01-01') RETURNING at - TIMESTAMP '2000-01-01'",
            ),
        ),
        (
            "spellings of intervals",
            _each(
                "INTERVAL '1 year -2 days 03:04:05.6'", "INTERVAL 'P1Y2M-3DT4H'", "INTERVAL '1-2'", "'1 day'::interval"
            )
            + " WHERE i = 1",
        ),
        (
            "fields of intervals",
            _each(
                "INTERVAL '3' DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL(1) '1.26 s'", "(at - day)::interval hour"
            ),
        ),
        ("make_interval", _each("make_interval(days => i)", "make_interval(1, 2, secs => 3.5)")),
        (
            "times of day",
            (
                "SELECT clock, clock + INTERVAL '20 hours' AS x1, day + clock AS x2, at::time, "
                "extract(hour FROM clock), sum(clock) FROM t GROUP BY clock, day, at",
                "SELECT i FROM t WHERE clock BETWEEN '05:00' AND '12:34' OR clock - TIME '01:00' > INTERVAL '22 hours'",
                "SELECT clock, count(*), max(clock) FROM t GROUP BY clock ORDER BY clock DESC NULLS LAST",
            ),
        ),
        (
            "UUIDs",
            (
                "SELECT tag, count(*) FROM t GROUP BY tag ORDER BY tag DESC NULLS LAST",
                "SELECT i FROM t WHERE tag = '{00112233445566778899AABBCCDDEEFF}' "
                "OR tag > 'fff00000-0000-0000-0000-000000000000'",
                "SELECT count(DISTINCT tag), string_agg(tag::text, ',' ORDER BY tag) FROM t",
            ),
        ),
        ("gen_random_uuid()", "INSERT INTO t (i, tag) VALUES (1, gen_random_uuid())"),
        ("EXTRACT", _each("extract(year FROM day)", "extract(epoch FROM at)")),
        (
            "now()",
            (
                "SELECT i FROM t WHERE at < now() - INTERVAL '1 day' AND moment < CURRENT_TIMESTAMP",
                "SELECT count(*) FROM t WHERE at < LOCALTIMESTAMP AND moment < clock_timestamp()",
            ),
        ),
        (
            "moments",
            _each(
                "moment",
                "moment::date",
                "moment - TIMESTAMPTZ '2000-01-01' > '1 day'",
                "extract(hour FROM moment)",
                "moment < at",
                "moment = day",
            ),
        ),
        (
            "AT TIME ZONE",
            (
                _each(
                    "at AT TIME ZONE 'Europe/Zurich'",
                    "moment AT TIME ZONE 'EST'",
                    "moment AT TIME ZONE INTERVAL '1 hour'",
                ),
                "SELECT i FROM t WHERE moment = '2024-10-27 02:30 Europe/Zurich'",
            ),
        ),
        ("a time zone out of a column", "SELECT moment AT TIME ZONE v FROM t WHERE i = 5"),
        ("date_trunc with a time zone", "SELECT date_trunc('day', moment, 'Asia/Tokyo') FROM t"),
        (
            "OVERLAPS",
            (
                "SELECT i FROM t WHERE (at, at + INTERVAL '1 day') OVERLAPS (DATE '2013-01-01', DATE '2013-01-02')",
                _each("(clock, INTERVAL '1 hour') OVERLAPS (TIME '05:00', TIME '06:00')"),
                _each("(moment, moment) OVERLAPS (moment, NULL)", "overlaps(day, day, day, 'tomorrow')"),
            ),
        ),
        (
            "numbers and dates by templates",
            (
                _each(
                    "to_char(n, 'FM999,999.00')",
                    "to_char(i, '000')",
                    "to_char(d, '9.99EEEE')",
                    "to_char(at - at, 'HH24')",
                ),
                _each("to_number('1,234.5-', '9G999D9S')", "to_date('05 Dec 2000', 'DD Mon YYYY')"),
                _each("to_timestamp('2013-01-01 5 PM', 'YYYY-MM-DD HH12 AM')"),
            ),
        ),
        ("format", _each("format('%s: %L, %I', i, v, 'A b')", "format('%-8s|%2$s', v, s)", "quote_nullable(v)")),
        (
            "casts and operators by their functions",
            (
                _each("int4(n)", "text(l)", "date(at)", "float8('1e3')", "bool(i)"),
                _each("int4pl(i, 1)", "int24mul(s, i)", "textcat(v, 'x')", "date_lt_timestamp(day, at)", "hashtext(v)"),
                "SELECT i FROM t WHERE int4gt(i, 2) AND numeric_lt(n, h)",
            ),
        ),
    ),
    *_of(
        "Aggregates",
        ("count, sum, avg, min, max", _each("count(*)", "count(s)", "sum(i)", "avg(n)", "min(i)", "max(day)")),
        ("of expressions", "SELECT sum(i * n), max(length(v)) FROM t"),
        ("FILTER", "SELECT count(*) FILTER (WHERE i > 1), sum(i) FILTER (WHERE b) FROM t"),
        ("bool_and, bool_or, every", "SELECT bool_and(b), bool_or(b), every(i > 0) FROM t"),
        ("bit_and, bit_or, bit_xor", "SELECT bit_and(i), bit_or(l), bit_xor(s) FROM t"),
        ("variance, stddev", "SELECT var_pop(i), variance(n), stddev_samp(s), stddev(l), stddev_pop(i) FROM t"),
        (
            "of intervals",
            (
                _each("count(at - day)", "sum(at - day)", "avg(at - day)", "min(at - day)", "max(at - day)"),
                "SELECT sum(at - day) FILTER (WHERE i > 1), avg(DISTINCT at - day) FROM t",
            ),
        ),
        ("of distinct values", "SELECT count(DISTINCT i), sum(DISTINCT i), avg(DISTINCT s) FROM t"),
        ("string_agg", "SELECT string_agg(v, ',' ORDER BY v, i) FROM t"),
        ("array_agg", "SELECT array_agg(i ORDER BY i) FROM t"),
        ("percentile_cont", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d) FROM t"),
        ("corr and regressions", "SELECT corr(d, r) FROM t"),
    ),
    *_of(
        "Groups",
        ("GROUP BY columns", "SELECT b, count(*) FROM t GROUP BY b"),
        ("GROUP BY expressions", "SELECT i % 2, count(*) FROM t GROUP BY i % 2"),
        (
            "GROUP BY intervals",
            (
                "SELECT at - day, count(*) FROM t GROUP BY at - day HAVING count(*) > 0",
                "SELECT at - day, grouping(at - day), count(*) FROM t GROUP BY ROLLUP (at - day)",
            ),
        ),
        (
            "GROUP BY positions and aliases",
            ("SELECT i, b, count(*) FROM t GROUP BY 1, 2", "SELECT i + 1 AS x1, count(*) FROM t GROUP BY x1"),
        ),
        ("HAVING", "SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 1"),
        ("GROUPING SETS", "SELECT i, b, count(*) FROM t GROUP BY GROUPING SETS ((i), (b), ())"),
        (
            "ROLLUP, CUBE",
            (
                "SELECT i, b, count(*) FROM t GROUP BY ROLLUP (i, b)",
                "SELECT i, b, count(*) FROM t GROUP BY CUBE (i, b)",
            ),
        ),
        ("GROUPING()", "SELECT i, GROUPING(i), count(*) FROM t GROUP BY ROLLUP (i)"),
        ("SELECT DISTINCT", "SELECT DISTINCT i, i % 2 FROM t"),
        (
            "DISTINCT of groups",
            (
                "SELECT DISTINCT b, count(*) FROM t GROUP BY ROLLUP (b, s)",
                "SELECT DISTINCT count(*) AS x1 FROM t GROUP BY b ORDER BY x1 LIMIT 1",
            ),
        ),
        (
            "DISTINCT ON",
            (
                "SELECT DISTINCT ON (b) b, s FROM t ORDER BY b, s",
                "SELECT DISTINCT ON (b) count(*) AS x1 FROM t GROUP BY b, i % 2 ORDER BY b, x1 DESC",
            ),
        ),
    ),
    *_of(
        "Order and limits",
        ("ORDER BY expressions", "SELECT i, s FROM t ORDER BY i % 2, s DESC NULLS LAST, i LIMIT 3"),
        ("NULLS FIRST, LAST", "SELECT s FROM t ORDER BY s NULLS FIRST LIMIT 2"),
        ("LIMIT, OFFSET", "SELECT s FROM t ORDER BY s LIMIT 2 OFFSET 1"),
        ("FETCH FIRST", "SELECT s FROM t ORDER BY s OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY"),
        (
            "WITH TIES",
            (
                "SELECT b FROM t ORDER BY b FETCH FIRST 1 ROW WITH TIES",
                "SELECT b, s FROM t ORDER BY b, s OFFSET 1 FETCH FIRST 2 ROWS WITH TIES",
                "SELECT count(*) FROM t GROUP BY i ORDER BY count(*) FETCH FIRST 2 ROWS WITH TIES",
            ),
        ),
    ),
    *_of(
        "Statements",
        ("SELECT without FROM", "SELECT 1 + 1 AS x1, 'a' || 'b' AS x2, upper('x') AS x3"),
        ("all columns", "SELECT * FROM t WHERE i = 3"),
        ("qualified names", ("SELECT q.i, q.v FROM t AS q WHERE q.i = 1", "SELECT t.i FROM public.t WHERE t.s = 7")),
        ("a derived table", "SELECT x1 + 1 FROM (SELECT i * 2 AS x1, b FROM t WHERE i > 1) AS q WHERE b"),
        ("an aggregate over a derived table", "SELECT max(x1) FROM (SELECT i * 2 AS x1 FROM t) AS q"),
        ("WITH", "WITH q AS (SELECT i, s FROM t WHERE i > 1) SELECT i FROM q WHERE s > 0"),
        (
            "VALUES as a statement",
            ("VALUES (1, 'a'), (2, NULL), (1 + 2, 'c') ORDER BY column1 DESC LIMIT 2", "VALUES (1)"),
        ),
        (
            "VALUES in FROM",
            (
                "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS q (x1, x2)",
                "SELECT x1 % 2 AS x3, count(*), string_agg(x2, ',' ORDER BY x2 DESC) FROM "
                "(VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'd')) AS q (x1, x2) WHERE x1 > 1 GROUP BY ROLLUP (1)",
                "SELECT DISTINCT ON (column1) column1, q.column2 FROM (VALUES (1, 2), (1, 1), (0, 5)) AS q "
                "ORDER BY 1, 2",
            ),
        ),
        ("UNION", "SELECT i FROM t UNION SELECT s FROM t"),
        ("a join", "SELECT a.i FROM t AS a JOIN t AS z ON a.i = z.i WHERE a.s = 1"),
        ("a window", "SELECT i, row_number() OVER (ORDER BY i, s) FROM t"),
        ("a subquery", "SELECT i FROM t WHERE i = (SELECT max(i) FROM t)"),
        (
            "version(), current_schema()",
            (
                "SELECT current_schema() = 'public' AS x1, current_database() = current_database() AS x2",
                "SELECT CURRENT_SCHEMA = 'public' AS x1, CURRENT_CATALOG = current_database() AS x2",
            ),
        ),
        ("INSERT of expressions", "INSERT INTO t (i, v) VALUES (1 + 2, upper('a'))"),
        (
            "INSERT with RETURNING",
            (
                "INSERT INTO t (i, n, v) VALUES (1, 1.005, 'a'), (2, NULL, 'b') RETURNING i + 1 AS x1, n, upper(v), k",
                "INSERT INTO t AS q (i, at) VALUES (3, '2013-01-01') RETURNING q.*, at + INTERVAL '1 day'",
            ),
        ),
        ("UPDATE with expressions", "UPDATE t SET l = s * 2, v = upper(v) WHERE i = i AND i % 2 = 1"),
        ("DELETE under any condition", "DELETE FROM t WHERE i = i AND length(v) > s"),
        ("INSERT with DEFAULT", "INSERT INTO t (i, k) VALUES (1, DEFAULT)"),
    ),
]
