"""Types, defaults, keys and fingerprints of correct tables."""

from __future__ import annotations

import struct

import pytest
from daedalus_schema.types import Kind, Type
from tables import schema_of

TYPES = [
    ("bool", Type(Kind.BOOL)),
    ("boolean", Type(Kind.BOOL)),
    ("smallint", Type(Kind.SMALLINT)),
    ("int2", Type(Kind.SMALLINT)),
    ("int", Type(Kind.INT)),
    ("integer", Type(Kind.INT)),
    ("pg_catalog.int4", Type(Kind.INT)),
    ("bigint", Type(Kind.BIGINT)),
    ("int8", Type(Kind.BIGINT)),
    ("real", Type(Kind.REAL)),
    ("float(24)", Type(Kind.REAL)),
    ("float", Type(Kind.DOUBLE)),
    ("float8", Type(Kind.DOUBLE)),
    ("double precision", Type(Kind.DOUBLE)),
    ("numeric(10,2)", Type(Kind.NUMERIC, precision=10, scale=2)),
    ("decimal(38)", Type(Kind.NUMERIC, precision=38)),
    ("dec(1, 0)", Type(Kind.NUMERIC, precision=1)),
    ("date", Type(Kind.DATE)),
    ("timestamp", Type(Kind.TIMESTAMP)),
    ("timestamp(6) without time zone", Type(Kind.TIMESTAMP)),
    ("timestamptz", Type(Kind.TIMESTAMPTZ)),
    ("timestamp with time zone", Type(Kind.TIMESTAMPTZ)),
    ("uuid", Type(Kind.UUID)),
    ("time", Type(Kind.TIME)),
    ("time(6) without time zone", Type(Kind.TIME)),
    ("char", Type(Kind.CHAR, length=1)),
    ("character(4096)", Type(Kind.CHAR, length=4096)),
    ("varchar(1)", Type(Kind.VARCHAR, length=1)),
    ("character varying(20)", Type(Kind.VARCHAR, length=20)),
]


@pytest.mark.parametrize(("text", "wanted"), TYPES)
def test_every_spelling_of_a_type_is_read(text: str, wanted: Type) -> None:
    assert schema_of(f"CREATE TABLE t (a {text})").columns[0].type == wanted


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=True)


DEFAULTS = [
    ("bool", "true", b"\x01"),
    ("bool", "'f'", b"\x00"),
    ("bool", "' ON '", b"\x01"),
    ("bool", "'of'", b"\x00"),
    ("smallint", "-32768", number(-32768, 2)),
    ("smallint", "32767.4", number(32767, 2)),
    ("int", "0", number(0, 4)),
    ("int", "-0", number(0, 4)),
    ("int", "+5", number(5, 4)),
    ("int", "- /* five */ 7", number(-7, 4)),
    ("int", "(-(-(-3)))", number(-3, 4)),
    ("int", "-2147483648", number(-(2**31), 4)),
    ("int", "1.5", number(2, 4)),
    ("int", "-2.5", number(-3, 4)),
    ("int", "1e3", number(1000, 4)),
    ("int", "' 12 '", number(12, 4)),
    ("int", "-5::int", number(-5, 4)),
    ("int", "'7'::int", number(7, 4)),
    ("bigint", "-9223372036854775808", number(-(2**63), 8)),
    ("real", "0.1", struct.pack("<f", 0.1)),
    # Halfway between two singles but for a digit that a double drops: rounding twice would go wrong.
    ("real", "1.00000005960464477540", b"\x01\x00\x80\x3f"),
    ("real", "'NaN'", b"\x00\x00\xc0\x7f"),
    ("double precision", "-1e308", struct.pack("<d", -1e308)),
    ("double precision", "'-Infinity'", struct.pack("<d", float("-inf"))),
    ("double precision", "'nan'", b"\x00\x00\x00\x00\x00\x00\xf8\x7f"),
    ("numeric(4,2)", "1.005", number(101, 8)),
    ("numeric(4,2)", "-1.005", number(-101, 8)),
    ("numeric(4,2)", "99.994", number(9999, 8)),
    ("numeric(18,0)", "999999999999999999", number(10**18 - 1, 8)),
    (
        "numeric(38,10)",
        "'-1234567890123456789012345678.0123456789'",
        number(-(12345678901234567890123456780123456789), 16),
    ),
    ("numeric(38,0)", "1e37", number(10**37, 16)),
    ("numeric(5,2)", "1.5::numeric", number(150, 8)),
    ("date", "'1970-01-01'", number(0, 4)),
    ("date", "date '2000-02-29'", number(11016, 4)),
    ("date", "'0001-01-01'::date", number(-719162, 4)),
    ("date", "'9999-12-31'", number(2932896, 4)),
    ("timestamp", "'2013-01-01 05:00'", number(1357016400_000000, 8)),
    ("timestamp", "'2013-01-01T05:00:00.25Z'", number(1357016400_250000, 8)),
    ("timestamp", "'1969-12-31 23:59:59.999999'", number(-1, 8)),
    ("timestamp", "'2013-01-01 05:00+02'", number(1357016400_000000, 8)),
    ("timestamptz", "'2013-01-01 05:00'", number(1357016400_000000, 8)),
    ("timestamptz", "'2013-01-01 05:00Z'", number(1357016400_000000, 8)),
    ("timestamptz", "'2013-01-01 07:30:00+02:30'", number(1357016400_000000, 8)),
    ("timestamptz", "'1969-12-31 16:00-08'", number(0, 8)),
    ("uuid", "'00112233-4455-6677-8899-AABBCCDDEEFF'", number(0x112233445566778899AABBCCDDEEFF - (1 << 127), 16)),
    ("uuid", "'{ffffffffffffffffffffffffffffffff}'::uuid", number((1 << 127) - 1, 16)),
    ("time", "'04:05'", number(14_700_000_000, 8)),
    ("time", "time '23:59:59.25'", number(86_399_250_000, 8)),
    ("time", "'24:00:00'::time", number(86_400_000_000, 8)),
    ("char(5)", "'ab   '", b"\x02\x00ab"),
    ("char(2)", "'ab     '", b"\x02\x00ab"),
    ("char(2)", "''", b"\x00\x00"),
    ("char(2)", "'x'::bpchar", b"\x01\x00x"),
    ("varchar(4)", "'ab  '", b"\x04\x00ab  "),
    ("varchar(3)", "'ab    '", b"\x03\x00ab "),
    ("varchar(4)", "'éé'::character varying", b"\x04\x00\xc3\xa9\xc3\xa9"),
    ("varchar(9)", "E'a\\'b'", b"\x03\x00a'b"),
]


@pytest.mark.parametrize(("type_text", "default", "wanted"), DEFAULTS)
def test_defaults_are_packed(type_text: str, default: str, wanted: bytes) -> None:
    column = schema_of(f"CREATE TABLE t (a {type_text} DEFAULT {default})").columns[0]
    assert column.has_default
    assert column.default == wanted


def test_default_null_is_a_default() -> None:
    column = schema_of("CREATE TABLE t (a int DEFAULT NULL::int)").columns[0]
    assert (column.has_default, column.default) == (True, None)
    column = schema_of("CREATE TABLE t (a int)").columns[0]
    assert (column.has_default, column.default) == (False, None)


def test_primary_key_implies_not_null() -> None:
    schema = schema_of("CREATE TABLE t (a int, b int, c int NOT NULL, CONSTRAINT k PRIMARY KEY (b, a))")
    assert schema.primary_key == (1, 0)
    assert [column.nullable for column in schema.columns] == [False, False, False]
    assert schema_of("CREATE TABLE t (a int, b int PRIMARY KEY)").primary_key == (1,)
    assert schema_of("CREATE TABLE t (a int, b int NULL)").primary_key == ()


BASE = "CREATE TABLE t (a int NOT NULL DEFAULT -1, b varchar(3), c numeric(4,2) DEFAULT 1.5, d bool, PRIMARY KEY (a))"

SAME = [
    "create table T(\n\ta integer primary key default '-1',\n b character varying(3) null, c decimal(4,2)\n"
    " default 1.50, d boolean);",
    "-- a comment\nCREATE TABLE t (a int4 DEFAULT - 1 NOT NULL, b varchar(3) /* no default */, c dec(4, 2) DEFAULT "
    "'1.5', \"d\" bool, CONSTRAINT key PRIMARY KEY (a)) ;\n-- the end",
]

OTHER = [
    BASE.replace("TABLE t", "TABLE u"),
    BASE.replace("b varchar(3)", "b varchar(4)"),
    BASE.replace("b varchar(3)", "b char(3)"),
    BASE.replace("b varchar", "bb varchar"),
    BASE.replace("d bool", "d bool NOT NULL"),
    BASE.replace("DEFAULT -1", "DEFAULT 1"),
    BASE.replace("DEFAULT 1.5", ""),
    BASE.replace("DEFAULT 1.5", "DEFAULT NULL"),
    BASE.replace(", PRIMARY KEY (a)", ""),
    BASE.replace("b varchar(3), c numeric(4,2) DEFAULT 1.5", "c numeric(4,2) DEFAULT 1.5, b varchar(3)"),
    BASE.replace("numeric(4,2)", "numeric(5,2)"),
]


@pytest.mark.parametrize("text", SAME)
def test_fingerprint_does_not_depend_on_how_the_table_is_written(text: str) -> None:
    assert schema_of(text).fingerprint == schema_of(BASE).fingerprint


def test_fingerprint_depends_on_everything_that_matters() -> None:
    fingerprints = {schema_of(text).fingerprint for text in [BASE, *OTHER]}
    assert len(fingerprints) == len(OTHER) + 1


def test_fingerprint_is_what_it_always_was() -> None:
    """A changed canonical text makes running clusters and compiled libraries strangers to each other."""
    fingerprint = schema_of("CREATE TABLE t (a int DEFAULT 1, b numeric(4,2) NOT NULL, PRIMARY KEY (b))").fingerprint
    assert fingerprint == "92fe9044214671dd24fb8ce703b227541f2d9d9e4e438e76b61ed2638156c38c"
