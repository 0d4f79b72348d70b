"""Generated codecs against the plain Python twin, on random rows and on malformed ones."""

from __future__ import annotations

import pytest
from compiled_library import CompiledLibrary
from daedalus_schema.schema import Schema
from daedalus_schema.types import Kind
from hypothesis import given
from hypothesis import strategies as st
from packed_twin import MalformedError, Value, pack_row, split_row
from tables import SLOTS, TABLES, rows, table

EVERY_TABLE = pytest.mark.parametrize("name", TABLES)


def accepts(schema: Schema, row: bytes) -> bool:
    try:
        split_row(schema, row)
    except MalformedError:
        return False
    return True


def example_row(schema: Schema) -> list[Value]:
    """A row with a value in every column."""
    texts = {Kind.CHAR: "a", Kind.VARCHAR: "b"}
    return [texts.get(column.type.kind, True if column.type.kind is Kind.BOOL else 1) for column in schema.columns]


@EVERY_TABLE
@given(data=st.data())
def test_planes_hold_native_values_and_neighbours_stay_untouched(name: str, data: st.DataObject) -> None:
    schema, library = table(name)
    values = data.draw(rows(schema))
    slot = data.draw(st.sampled_from([0, 1, 63, 64, SLOTS - 1]))
    filling = data.draw(st.sampled_from([0x00, 0xFF]))
    library.fill(filling)
    row = pack_row(list(schema.columns), values)[4:]
    assert library.store(row, slot) == 0
    for position, packed in enumerate(split_row(schema, row)):
        width = schema.columns[position].type.plane_width
        is_string = schema.columns[position].type.kind in {Kind.CHAR, Kind.VARCHAR}
        value = (packed or b"")[2:] if is_string else packed or b""
        assert library.plane_value(position, slot) == value.ljust(width, b"\0")
        assert library.is_null(position, slot) == (packed is None)
        for neighbour in {slot - 1, slot + 1} & set(range(SLOTS)):
            assert library.plane_value(position, neighbour) == bytes([filling]) * width
            assert library.is_null(position, neighbour) == (filling != 0)


@EVERY_TABLE
def test_a_row_cut_anywhere_or_too_long_is_refused(name: str) -> None:
    schema, library = table(name)
    row = pack_row(list(schema.columns), example_row(schema))[4:]
    assert library.store(row, 0) == 0
    for size in range(len(row)):
        assert library.store(row[:size], 0) < 0, size
    assert library.store(row + b"\0", 0) < 0


@EVERY_TABLE
@given(data=st.data())
def test_damaged_rows_are_judged_as_the_twin_judges_them(name: str, data: st.DataObject) -> None:
    schema, library = table(name)
    row = bytearray(pack_row(list(schema.columns), data.draw(rows(schema)))[4:])
    for _ in range(data.draw(st.integers(1, 3))):
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(0, 255))
    assert (library.store(bytes(row), 5) == 0) == accepts(schema, bytes(row))


@EVERY_TABLE
@given(row=st.binary(max_size=200))
def test_random_bytes_are_judged_as_the_twin_judges_them(name: str, row: bytes) -> None:
    schema, library = table(name)
    assert (library.store(row, 5) == 0) == accepts(schema, row)


@EVERY_TABLE
def test_null_in_a_not_null_column_is_refused(name: str) -> None:
    schema, library = table(name)
    for position, column in enumerate(schema.columns):
        values = example_row(schema)
        values[position] = None
        row = pack_row(list(schema.columns), values)[4:]
        assert (library.store(row, 0) == 0) == column.nullable, column.name


def test_bits_beyond_the_last_column_are_refused() -> None:
    schema, library = table("tickets")
    row = bytearray(pack_row(list(schema.columns), example_row(schema))[4:])
    row[len(schema.columns) // 8] |= 0x80
    assert library.store(bytes(row), 0) < 0


def test_a_boolean_other_than_zero_and_one_is_refused() -> None:
    schema, library = table("every_type")
    values = example_row(schema)
    row = pack_row(list(schema.columns), values)[4:]
    at = 3 + 8 + 3  # NULL bits, id, grp
    assert library.store(row[:at] + b"\x02" + row[at + 1 :], 0) < 0


def test_a_string_longer_than_declared_is_refused() -> None:
    schema, library = table("flights")
    carrier = [column.name for column in schema.columns].index("carrier")
    values = example_row(schema)
    values[carrier] = "LX"
    assert library.store(pack_row(list(schema.columns), values)[4:], 0) == 0
    values[carrier] = "LXX"
    assert library.store(pack_row(list(schema.columns), values)[4:], 0) < 0


def test_trailing_blanks_of_char_are_dropped_and_those_of_varchar_kept() -> None:
    schema, library = table("every_type")
    names = [column.name for column in schema.columns]
    row = pack_row(list(schema.columns), example_row(schema))[4:]
    c5, v20 = names.index("c5"), names.index("v20")
    at = row.index(b"\x01\x00a", row.index(b"\x01\x00a") + 1)  # c1, then c5
    assert library.store(row[:at] + b"\x03\x00a  " + row[at + 3 :], 0) == 0
    assert library.plane_value(c5, 0) == b"a\0\0\0\0"
    values = example_row(schema)
    values[v20] = "b  "
    assert library.store(pack_row(list(schema.columns), values)[4:], 0) == 0
    assert library.plane_value(v20, 0) == b"b  ".ljust(20, b"\0")


@EVERY_TABLE
def test_the_descriptor_is_the_schema(name: str) -> None:
    schema, library = table(name)
    descriptor = library.descriptor
    assert descriptor.abi_version == 3
    assert descriptor.column_count == len(schema.columns)
    assert descriptor.fingerprint.decode() == schema.fingerprint
    assert descriptor.table_name.decode() == name
    key = tuple(descriptor.primary_key[i] for i in range(descriptor.primary_key_count))
    assert key == schema.primary_key
    for column, abi in zip(schema.columns, library.columns, strict=True):
        default = bytes(abi.default_packed[: abi.default_packed_size]) if abi.default_packed else None
        assert (abi.name.decode(), abi.kind, abi.nullable) == (column.name, column.type.kind, column.nullable)
        assert (abi.precision, abi.scale) == (column.type.precision, column.type.scale)
        assert (abi.length, abi.plane_width) == (column.type.length, column.type.plane_width)
        assert (abi.has_default, default) == (column.has_default, column.default)
        assert abi.default_is_null == (column.has_default and column.default is None)


@EVERY_TABLE
def test_the_longest_row_fits_the_declared_maximum(name: str) -> None:
    schema, library = table(name)
    longest: list[Value] = [
        "x" * column.type.length if column.type.length else True if column.type.kind is Kind.BOOL else 1
        for column in schema.columns
    ]
    packed = pack_row(list(schema.columns), longest)
    assert len(packed) == library.descriptor.packed_row_size_max
    assert library.store(packed[4:], 0) == 0


def test_every_table_differs() -> None:
    libraries: list[CompiledLibrary] = [table(name)[1] for name in TABLES]
    assert len({library.descriptor.fingerprint for library in libraries}) == len(TABLES)
