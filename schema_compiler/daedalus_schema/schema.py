"""The checked schema: what is left of a declaration once no rule is broken, its canonical text and its fingerprint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from daedalus_schema.constants import pack_default
from daedalus_schema.declaration import Declaration
from daedalus_schema.resolve import Problem, resolve
from daedalus_schema.rules import is_nullable, row_size_max
from daedalus_schema.types import Kind, Type


@dataclass(frozen=True, slots=True)
class Column:
    """`default` is the packed value, None for NULL; it counts only with `has_default`."""

    name: str
    type: Type
    nullable: bool
    has_default: bool
    default: bytes | None


@dataclass(frozen=True, slots=True)
class Schema:
    table: str
    columns: tuple[Column, ...]
    primary_key: tuple[int, ...]

    @property
    def packed_row_size_max(self) -> int:
        return row_size_max([column.type for column in self.columns])

    def canonical(self) -> dict[str, Any]:
        """Everything that makes this table another table, and nothing else."""
        return {
            "table": self.table,
            "columns": [_canonical_column(column) for column in self.columns],
            "primary_key": [self.columns[position].name for position in self.primary_key],
        }

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical text, 64 hexadecimal digits."""
        text = json.dumps(self.canonical(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _canonical_column(column: Column) -> dict[str, Any]:
    written: dict[str, Any] = {"name": column.name, "type": _canonical_type(column.type), "nullable": column.nullable}
    if column.has_default:
        written["default"] = None if column.default is None else column.default.hex()
    return written


def _canonical_type(column_type: Type) -> dict[str, Any]:
    written: dict[str, Any] = {"name": column_type.kind.name.lower()}
    if column_type.kind is Kind.NUMERIC:
        written |= {"precision": column_type.precision, "scale": column_type.scale}
    if column_type.length:
        written["length"] = column_type.length
    return written


def make_schema(table: Declaration) -> Schema:
    """The schema that `table` declares. Precondition: check(table) is empty."""
    columns = []
    keys: tuple[str, ...] = ()
    for column in table.columns:
        column_type = resolve(column.type_name)
        assert isinstance(column_type, Type)
        defaults = [each.default for each in column.constraints if each.kind == "DEFAULT"]
        packed = pack_default(column_type, defaults[0]) if defaults and defaults[0] else None
        assert not isinstance(packed, Problem)
        columns.append(Column(column.name, column_type, is_nullable(table, column), bool(defaults), packed))
        if any(each.kind == "PRIMARY" for each in column.constraints):
            keys = (column.name,)
    for constraint in table.constraints:
        keys = constraint.keys or keys
    names = [column.name for column in columns]
    return Schema(table.name, tuple(columns), tuple(names.index(key) for key in keys))
