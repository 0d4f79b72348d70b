"""Every rule: its error, its place, and the alternative that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from daedalus_schema import resolve, rules
from tables import errors_of, schema_of

# (text, "line:column", rule, a part of the message that names the alternative)
BROKEN = [
    ("CREATE TABLE t (a int,, b int)", "1:23", "syntax", 'syntax error at or near ","'),
    ("", "1:1", "one-table", "write one CREATE TABLE"),
    ("-- nothing\nSELECT 1", "2:1", "one-table", "is no CREATE TABLE"),
    ("CREATE TABLE t (a int);\n\n /* x */ SELECT 1;", "3:10", "one-table", "second statement"),
    ("CREATE TABLE t AS SELECT 1", "1:1", "one-table", "declare the columns"),
    ("CREATE FOREIGN TABLE t (a int) SERVER s", "1:1", "one-table", "write CREATE TABLE"),
    ("CREATE TABLE s.t (a int)", "1:14", "table-schema", "bare name"),
    ("CREATE TEMP TABLE t (a int)", "1:1", "temporary-table", "write CREATE TABLE"),
    ("CREATE UNLOGGED TABLE t (a int)", "1:1", "temporary-table", "write CREATE TABLE"),
    ("CREATE TABLE IF NOT EXISTS t (a int)", "1:1", "if-not-exists", "write CREATE TABLE"),
    ("CREATE TABLE t (a int) PARTITION BY HASH (a)", "1:24", "partition-by", "up --partition-by"),
    ("CREATE TABLE t PARTITION OF u FOR VALUES IN (1)", "1:29", "partition-of", "declare the columns"),
    ("CREATE TABLE t (a int) INHERITS (u)", "1:34", "inherits", "declare all columns"),
    ("CREATE TABLE t OF u", "1:19", "of-type", "declare the columns"),
    ("CREATE TABLE t (a int, LIKE u)", "1:29", "like", "declare the columns"),
    ("CREATE TABLE t (a int) WITH (fillfactor = 10)", "1:30", "storage-clause", "leave them out"),
    ("CREATE TABLE t (a int) TABLESPACE x", "1:14", "storage-clause", "leave them out"),
    ("CREATE TABLE t (a int) USING heap", "1:14", "storage-clause", "leave them out"),
    ("CREATE TEMP TABLE t (a int) ON COMMIT DROP", "1:19", "on-commit", "leave it out"),
    ("CREATE TABLE t ()", "1:14", "column-count", "declare one"),
    (f"CREATE TABLE {'t' * 64} (a int)", "1:14", "identifier-length", "63"),
    (f'CREATE TABLE t (a int,\n "{"é" * 32}" int)', "2:2", "identifier-length", "63"),
    ('CREATE TABLE "a/b" (a int)', "1:14", "table-name", "ASCII letters"),
    ("CREATE TABLE t (xmin int)", "1:17", "column-reserved", "choose another"),
    ("CREATE TABLE t (a int, b int,\n  A int)", "2:3", "column-duplicate", "rename one"),
    ("CREATE TABLE t (a text)", "1:19", "type-text", "varchar(n)"),
    ("CREATE TABLE t (a citext)", "1:19", "type-text", "varchar(n)"),
    ('CREATE TABLE t (a "char")', "1:19", "type-internal-char", "char(1)"),
    ("CREATE TABLE t (a timestamptz(3))", "1:19", "timestamp-precision", "use timestamptz"),
    ("CREATE TABLE t (a timestamp(3))", "1:19", "timestamp-precision", "use timestamp"),
    ("CREATE TABLE t (a time(3))", "1:19", "time-precision", "use time"),
    ("CREATE TABLE t (a time with time zone)", "1:19", "type-timetz", "use time"),
    ("CREATE TABLE t (a interval)", "1:19", "type-interval", "bigint"),
    ("CREATE TABLE t (a serial)", "1:19", "type-serial", "bigint"),
    ("CREATE TABLE t (a bigserial)", "1:19", "type-serial", "bigint"),
    ("CREATE TABLE t (a smallserial)", "1:19", "type-serial", "smallint"),
    ("CREATE TABLE t (a json)", "1:19", "type-json", "varchar(n)"),
    ("CREATE TABLE t (a jsonb)", "1:19", "type-json", "varchar(n)"),
    ("CREATE TABLE t (a xml)", "1:19", "type-xml", "varchar(n)"),
    ("CREATE TABLE t (a bytea)", "1:19", "type-bytea", "varchar(n)"),
    ("CREATE TABLE t (a money)", "1:19", "type-money", "numeric(p,s)"),
    ("CREATE TABLE t (a bit(3))", "1:19", "type-bit", "bigint"),
    ("CREATE TABLE t (a oid)", "1:19", "type-oid", "bigint"),
    ("CREATE TABLE t (a inet)", "1:19", "type-network", "varchar(43)"),
    ("CREATE TABLE t (a point)", "1:19", "type-geometric", "double precision"),
    ("CREATE TABLE t (a tsvector)", "1:19", "type-text-search", "varchar(n)"),
    ("CREATE TABLE t (a daterange)", "1:19", "type-range", "two columns"),
    ("CREATE TABLE t (a int[])", "1:19", "type-array", "one column per element"),
    ("CREATE TABLE t (a SETOF int)", "1:25", "type-setof", "element type"),
    ("CREATE TABLE t (a mood)", "1:19", "type-unknown", "use one of bool"),
    ("CREATE TABLE t (a s.int4)", "1:19", "type-unknown", '"s.int4"'),
    ("CREATE TABLE t (a numeric)", "1:19", "numeric-precision", "numeric(p,s)"),
    ("CREATE TABLE t (a numeric(0))", "1:19", "numeric-precision", "1 to 38"),
    ("CREATE TABLE t (a numeric(39,2))", "1:19", "numeric-precision", "double precision"),
    ("CREATE TABLE t (a numeric(5,2,1))", "1:19", "numeric-precision", "numeric(p,s)"),
    ("CREATE TABLE t (a numeric(x))", "1:19", "numeric-precision", "numeric(p,s)"),
    ("CREATE TABLE t (a numeric(5,6))", "1:19", "numeric-scale", "0 to 5"),
    ("CREATE TABLE t (a varchar)", "1:19", "varchar-length", "varchar(n)"),
    ("CREATE TABLE t (a varchar(0))", "1:19", "string-length", "1 to 4096"),
    ("CREATE TABLE t (a varchar(4097))", "1:19", "string-length", "1 to 4096"),
    ("CREATE TABLE t (a char(4097))", "1:19", "string-length", "1 to 4096"),
    ("CREATE TABLE t (a bpchar)", "1:19", "char-length", "char(n)"),
    ('CREATE TABLE t (a varchar(3) COLLATE "de_CH")', "1:30", "collate", "leave it out"),
    ("CREATE TABLE t (a int UNIQUE)", "1:23", "unique", "PRIMARY KEY"),
    ("CREATE TABLE t (a int, UNIQUE (a))", "1:24", "unique", "PRIMARY KEY"),
    ("CREATE TABLE t (a int CHECK (a > 0))", "1:23", "check", "base table"),
    ("CREATE TABLE t (a int, CHECK (a > 0))", "1:24", "check", "base table"),
    ("CREATE TABLE t (a int REFERENCES u (b))", "1:23", "references", "base table"),
    ("CREATE TABLE t (a int, FOREIGN KEY (a) REFERENCES u (b))", "1:24", "references", "base table"),
    ("CREATE TABLE t (a int GENERATED ALWAYS AS (1) STORED)", "1:23", "generated", "plain column"),
    ("CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY)", "1:23", "generated", "bigint"),
    ("CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =))", "1:24", "exclude", "base table"),
    ("CREATE TABLE t (a int PRIMARY KEY DEFERRABLE)", "1:35", "deferrable", "leave it out"),
    ("CREATE TABLE t (a int NOT NULL NULL)", "1:32", "null-conflict", "choose one"),
    ("CREATE TABLE t (a int NULL, PRIMARY KEY (a))", "1:23", "null-conflict", "choose one"),
    ("CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)", "1:42", "primary-key-multiple", "one primary key"),
    ("CREATE TABLE t (a int PRIMARY KEY, PRIMARY KEY (a))", "1:36", "primary-key-multiple", "one primary key"),
    ("CREATE TABLE t (a int, b int, PRIMARY KEY (a) INCLUDE (b))", "1:31", "primary-key-include", "leave it out"),
    ("CREATE TABLE t (a int, PRIMARY KEY USING INDEX i)", "1:24", "primary-key-index", "PRIMARY KEY (column)"),
    ("CREATE TABLE t (a int, PRIMARY KEY (b))", "1:24", "primary-key-column", '"b"'),
    ("CREATE TABLE t (a int, PRIMARY KEY (a, a))", "1:24", "primary-key-duplicate", "once"),
    ("CREATE TABLE t (a int DEFAULT 1 DEFAULT 2)", "1:33", "default-multiple", "keep one"),
    ("CREATE TABLE t (a timestamp DEFAULT now())", "1:37", "default-constant", "not now()"),
    ("CREATE TABLE t (a date DEFAULT CURRENT_DATE)", "1:32", "default-constant", "not CURRENT_DATE"),
    ("CREATE TABLE t (a int DEFAULT 1 + 2)", "1:31", "default-constant", "write the value"),
    ("CREATE TABLE t (a bigint DEFAULT B'101')", "1:34", "default-constant", "bit string"),
    ("CREATE TABLE t (a int DEFAULT '1'::bigint)", "1:31", "default-cast", "write it as int"),
    ("CREATE TABLE t (a int NOT NULL DEFAULT NULL)", "1:40", "default-null", "leave one out"),
    ("CREATE TABLE t (a int DEFAULT TRUE)", "1:31", "default-type", "write a number"),
    ("CREATE TABLE t (a bool DEFAULT 1)", "1:32", "default-type", "TRUE or FALSE"),
    ("CREATE TABLE t (a varchar(3) DEFAULT 5)", "1:38", "default-type", "a quoted value"),
    ("CREATE TABLE t (a date DEFAULT 20130101)", "1:32", "default-type", "a quoted value"),
    ("CREATE TABLE t (a double precision DEFAULT TRUE)", "1:44", "default-type", "write a number"),
    ("CREATE TABLE t (a bool DEFAULT 'o')", "1:32", "default-value", "invalid input"),
    ("CREATE TABLE t (a int DEFAULT 'one')", "1:31", "default-value", "invalid input"),
    ("CREATE TABLE t (a int DEFAULT '1.5')", "1:31", "default-value", "invalid input"),
    ("CREATE TABLE t (a numeric(5,2) DEFAULT '1,5')", "1:40", "default-value", "invalid input"),
    ("CREATE TABLE t (a real DEFAULT 'x')", "1:32", "default-value", "invalid input"),
    ("CREATE TABLE t (a date DEFAULT '1.1.2013')", "1:32", "default-value", "invalid input"),
    ("CREATE TABLE t (a uuid DEFAULT '0011')", "1:32", "default-value", "invalid input"),
    ("CREATE TABLE t (a uuid DEFAULT 5)", "1:32", "default-type", "a quoted value"),
    ("CREATE TABLE t (a time DEFAULT 'noon')", "1:32", "default-value", "invalid input"),
    ("CREATE TABLE t (a timestamp DEFAULT 'noon')", "1:37", "default-value", "invalid input"),
    ("CREATE TABLE t (a smallint DEFAULT 32768)", "1:36", "default-range", "32768"),
    ("CREATE TABLE t (a smallint DEFAULT -32769)", "1:36", "default-range", "-32769"),
    ("CREATE TABLE t (a int DEFAULT 2147483648)", "1:31", "default-range", "2147483648"),
    ("CREATE TABLE t (a bigint DEFAULT 9223372036854775808)", "1:34", "default-range", "out of range"),
    ("CREATE TABLE t (a bigint DEFAULT 1e400)", "1:34", "default-range", "out of range"),
    ("CREATE TABLE t (a numeric(4,2) DEFAULT 99.995)", "1:40", "default-range", "out of range"),
    ("CREATE TABLE t (a numeric(4,2) DEFAULT 'NaN')", "1:40", "default-range", "out of range"),
    ("CREATE TABLE t (a real DEFAULT 1e39)", "1:32", "default-range", "out of range"),
    ("CREATE TABLE t (a double precision DEFAULT 1e-400)", "1:44", "default-range", "out of range"),
    ("CREATE TABLE t (a date DEFAULT '2013-02-29')", "1:32", "default-range", "out of range"),
    ("CREATE TABLE t (a time DEFAULT '24:00:01')", "1:32", "default-range", "out of range"),
    ("CREATE TABLE t (a timestamp DEFAULT '2013-01-01 25:00')", "1:37", "default-range", "out of range"),
    ("CREATE TABLE t (a varchar(3) DEFAULT 'abcd')", "1:38", "default-range", "takes 4 bytes"),
    ("CREATE TABLE t (a char(3) DEFAULT 'ééé')", "1:35", "default-range", "takes 6 bytes"),
]


@pytest.mark.parametrize(("text", "place", "rule", "part"), BROKEN, ids=[f"{b[2]}: {b[0][:60]}" for b in BROKEN])
def test_each_rule_says_where_and_what_instead(text: str, place: str, rule: str, part: str) -> None:
    wanted = [error for error in errors_of(text) if error.endswith(f"[{rule}]")]
    assert len(wanted) == 1
    assert wanted[0].startswith(f"test.sql:{place}: ")
    assert part in wanted[0]


def test_every_rule_is_tested() -> None:
    tested = {rule for _, _, rule, _ in BROKEN} | {"row-size"}
    text = "\n".join(path.read_text() for path in Path(rules.__file__).parent.glob("*.py"))
    written = set(re.findall(r'(?:Problem\(|Diagnostic\([^"]*?, )"([a-z-]+)"', text))
    written |= set(rules._CLAUSES) | {rule for rule, _ in rules._CONSTRAINTS.values()}
    written |= {rule for rule, _, _ in resolve._REFUSED.values()}
    assert len(written) > 40
    assert written <= tested


def test_all_errors_come_at_once_in_source_order() -> None:
    errors = errors_of(
        "CREATE TABLE t (\n  a text,\n  b int UNIQUE DEFAULT 99999999999,\n  c interval\n) PARTITION BY LIST (b);\n"
        "SELECT 1;"
    )
    assert [error.split(": ")[0] + " " + error.split("[")[-1] for error in errors] == [
        "test.sql:2:5 type-text]",
        "test.sql:3:9 unique]",
        "test.sql:3:24 default-range]",
        "test.sql:4:5 type-interval]",
        "test.sql:5:3 partition-by]",
        "test.sql:6:1 one-table]",
    ]


def test_positions_count_characters_not_bytes() -> None:
    (error,) = errors_of('CREATE TABLE t ("éé" text)')
    assert error.startswith("test.sql:1:22: ")
    (error,) = errors_of('CREATE TABLE t ("éé" int,, b int)')
    assert error.startswith("test.sql:1:26: ")


def test_a_row_over_its_maximum_is_refused() -> None:
    columns = ", ".join(f"c{i} varchar(4096)" for i in range(256))
    (error,) = errors_of(f"CREATE TABLE t ({columns})")
    assert error.endswith("[row-size]")


def test_a_table_of_1600_columns_is_the_limit() -> None:
    columns = [f"c{i} bool" for i in range(1601)]
    assert len(schema_of(f"CREATE TABLE t ({', '.join(columns[:-1])})").columns) == 1600
    (error,) = errors_of(f"CREATE TABLE t ({', '.join(columns)})")
    assert error.endswith("[column-count]")


def test_names_of_63_bytes_are_taken() -> None:
    schema = schema_of(f'CREATE TABLE {"t" * 63} ("{"é" * 31}x" int)')
    assert len(schema.columns[0].name.encode()) == 63


def test_every_refused_type_names_an_alternative() -> None:
    for rule, spelling, alternative in resolve._REFUSED.values():
        assert rule.startswith("type-")
        assert spelling
        assert alternative
