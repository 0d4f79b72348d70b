"""The column types of a table and how wide their values are (docs/wire.md, abi.h)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

NUMERIC_PRECISION_MAX = 38
STRING_LENGTH_MAX = 4096


class Kind(IntEnum):
    """The numbers of daedalus.wire.v1.TypeKind."""

    BOOL = 1
    SMALLINT = 2
    INT = 3
    BIGINT = 4
    REAL = 5
    DOUBLE = 6
    NUMERIC = 7
    DATE = 8
    TIMESTAMP = 9
    CHAR = 10
    VARCHAR = 11
    TIME = 14
    UUID = 15
    TIMESTAMPTZ = 16


_SPELLINGS = {
    Kind.BOOL: "bool",
    Kind.SMALLINT: "smallint",
    Kind.INT: "int",
    Kind.BIGINT: "bigint",
    Kind.REAL: "real",
    Kind.DOUBLE: "double precision",
    Kind.NUMERIC: "numeric",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
    Kind.CHAR: "char",
    Kind.VARCHAR: "varchar",
    Kind.TIMESTAMPTZ: "timestamptz",
    Kind.TIME: "time",
    Kind.UUID: "uuid",
}

_FIXED_WIDTHS = {
    Kind.BOOL: 1,
    Kind.SMALLINT: 2,
    Kind.INT: 4,
    Kind.BIGINT: 8,
    Kind.REAL: 4,
    Kind.DOUBLE: 8,
    Kind.DATE: 4,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
    Kind.TIME: 8,
    Kind.UUID: 16,
}

INTEGER_KINDS = frozenset({Kind.SMALLINT, Kind.INT, Kind.BIGINT})
TIMESTAMP_KINDS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
FLOATING_KINDS = frozenset({Kind.REAL, Kind.DOUBLE})
STRING_KINDS = frozenset({Kind.CHAR, Kind.VARCHAR})


@dataclass(frozen=True, slots=True)
class Type:
    """A column's type; `length` counts bytes."""

    kind: Kind
    precision: int = 0
    scale: int = 0
    length: int = 0

    def __str__(self) -> str:
        if self.kind is Kind.NUMERIC:
            return f"numeric({self.precision},{self.scale})"
        if self.kind in STRING_KINDS:
            return f"{_SPELLINGS[self.kind]}({self.length})"
        return _SPELLINGS[self.kind]

    @property
    def plane_width(self) -> int:
        """Bytes one value takes in column planes, its tail included."""
        if self.kind is Kind.NUMERIC:
            return 8 if self.precision <= 18 else 16
        return self.length if self.kind in STRING_KINDS else _FIXED_WIDTHS[self.kind]

    @property
    def packed_size_max(self) -> int:
        """The most bytes a packed value that is not NULL takes."""
        return self.plane_width + (2 if self.kind in STRING_KINDS else 0)
