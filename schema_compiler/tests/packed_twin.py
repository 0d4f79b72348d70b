"""The packed layout of docs/wire.md in plain Python, written from the document alone: the twin of generated codecs."""

from __future__ import annotations

import struct
from decimal import Decimal

from daedalus_schema.schema import Column, Schema
from daedalus_schema.types import Kind, Type

Value = None | bool | int | float | Decimal | str

_INTEGER_SIZES = {
    Kind.SMALLINT: 2,
    Kind.INT: 4,
    Kind.BIGINT: 8,
    Kind.DATE: 4,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
    Kind.TIME: 8,
    Kind.UUID: 16,
}


class MalformedError(Exception):
    """The bytes are no row of the schema."""


def pack_value(column_type: Type, value: Value) -> bytes:
    kind = column_type.kind
    if kind is Kind.BOOL:
        return b"\x01" if value else b"\x00"
    if kind in _INTEGER_SIZES:
        assert isinstance(value, int)
        return value.to_bytes(_INTEGER_SIZES[kind], "little", signed=True)
    if kind is Kind.REAL:
        return struct.pack("<f", value)
    if kind is Kind.DOUBLE:
        return struct.pack("<d", value)
    if kind is Kind.NUMERIC:
        assert isinstance(value, int)  # unscaled
        return value.to_bytes(8 if column_type.precision <= 18 else 16, "little", signed=True)
    assert isinstance(value, str)
    text = value.rstrip(" ").encode() if kind is Kind.CHAR else value.encode()
    return len(text).to_bytes(2, "little") + text


def pack_row(columns: list[Column], values: list[Value]) -> bytes:
    """A packed row, its u32 size included."""
    bits = 0
    body = b""
    for position, (column, value) in enumerate(zip(columns, values, strict=True)):
        if value is None:
            bits |= 1 << position
        else:
            body += pack_value(column.type, value)
    row = bits.to_bytes((len(columns) + 7) // 8, "little") + body
    return len(row).to_bytes(4, "little") + row


def _take(row: bytes, at: int, size: int) -> bytes:
    if at + size > len(row):
        raise MalformedError("cut short")
    return row[at : at + size]


def split_row(schema: Schema, row: bytes) -> list[bytes | None]:
    """The packed values of a row (its bytes after the u32 size), or MalformedError."""
    null_bytes = (len(schema.columns) + 7) // 8
    bits = int.from_bytes(_take(row, 0, null_bytes), "little")
    if bits >> len(schema.columns):
        raise MalformedError("NULL bits beyond the last column")
    at = null_bytes
    values: list[bytes | None] = []
    for position, column in enumerate(schema.columns):
        if bits >> position & 1:
            if not column.nullable:
                raise MalformedError("NULL in a NOT NULL column")
            values.append(None)
            continue
        value = _split_value(column.type, row, at)
        at += len(value)
        values.append(value)
    if at != len(row):
        raise MalformedError("bytes left over")
    return values


def _split_value(column_type: Type, row: bytes, at: int) -> bytes:
    if column_type.kind in {Kind.CHAR, Kind.VARCHAR}:
        size = int.from_bytes(_take(row, at, 2), "little")
        value = _take(row, at, 2 + size)
        if size > column_type.length or b"\0" in value[2:]:
            raise MalformedError("string too long, or with a NUL")
        return value
    value = _take(row, at, column_type.plane_width)
    if column_type.kind is Kind.BOOL and value not in {b"\0", b"\x01"}:
        raise MalformedError("neither true nor false")
    return value
